/*
 * Workspaces of the chat platform that installed the app, and receipts of calls that may be
 * repeated. Tokens are encrypted with a key that is not in the database.
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

/* Stores an installation and writes an audit entry; a repeated installation keeps the first
 * time. */
MUST_CHECK enum error installation_put(const struct key_call *call, const char *secret,
                                       const struct installation *installation);

/* The installation of a team, or else the one created or renewed last; `found` false when there is
 * none. The tokens are NULL without a `secret`, or if they were encrypted with another one. */
MUST_CHECK enum error installation_find(const struct key_call *call, const char *secret,
                                        const char *team_id, struct installation *installation,
                                        bool *found);

/* Records the time of a workspace's call, at most once a minute. Errors are ignored; `team_id` may
 * be NULL. */
void installation_note_event(struct db *db, struct arena *arena, const char *team_id);

/* Deletes the installation of a team and writes an audit entry if there was one. */
MUST_CHECK enum error installation_remove(const struct key_call *call, const char *team_id);

/* Records a receipt and returns whether it is new; deletes old receipts. Changes in the same
 * transaction happen once. */
MUST_CHECK enum error receipt_take(struct db *db, const char *id, bool *is_new,
                                   struct problem *problem);

#endif
