/*
 * Workspaces of the chat platform that the app is installed in, and receipts of calls that may come
 * again. Tokens are encrypted with a key that is not in the database.
 */
#ifndef ASSAY_EXPERIMENTS_CHAT_INSTALLATION_STORE_H
#define ASSAY_EXPERIMENTS_CHAT_INSTALLATION_STORE_H

#include "experiments/keys/key_store.h"

struct installation {
    const char *team_id;
    const char *team_name;
    const char *bot_token;
    const char *user_token; /* or NULL */
    const char *installed_at;
    const char *updated_at;
    const char *last_event_at; /* or NULL */
};

/* Stores an installation and writes an audit entry; an existing one keeps the time of its first. */
MUST_CHECK enum error installation_put(const struct key_call *call, const char *secret,
                                       const struct installation *installation);

/* That of a team, else the one that was made or renewed last; `found` false when there is none.
 * Without a `secret` the tokens are NULL, and so they are when they were sealed under another. */
MUST_CHECK enum error installation_find(const struct key_call *call, const char *secret,
                                        const char *team_id, struct installation *installation,
                                        bool *found);

/* Notes that a workspace has called, once a minute at most. Nothing fails when that cannot be
 * noted; `team_id` may be NULL. */
void installation_note_event(struct db *db, struct arena *arena, const char *team_id);

/* Forgets the installation of a team, with an audit entry where there was one. */
MUST_CHECK enum error installation_remove(const struct key_call *call, const char *team_id);

/* Notes that something came, and whether it is new; old notes are forgotten. What is in the same
 * transaction is done once. */
MUST_CHECK enum error receipt_take(struct db *db, const char *id, bool *is_new,
                                   struct problem *problem);

#endif
