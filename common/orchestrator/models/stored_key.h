/*
 * Keys of providers that administrators have typed on a page, as the database has them: encrypted
 * under ORCH_SECRETS_KEY, each for its model alone. The id of that secret stands beside the key, so
 * that a key which another secret has encrypted is known as such.
 */
#ifndef ASSAY_ORCHESTRATOR_MODELS_STORED_KEY_H
#define ASSAY_ORCHESTRATOR_MODELS_STORED_KEY_H

#include "base/arena.h"

struct stored_key {
    const char *sealed; /* NULL = there is none, nor any of the next */
    const char *secret_id;
    const char *ending; /* the last four characters, of a key that is long enough to show them */
};

/* Encrypts a key. All is from the arena. */
struct stored_key stored_key_close(struct arena *arena, const char *secret, const char *model_id,
                                   const char *key);

/* The key, from the arena; NULL when it was encrypted under another secret (NULL = there is none),
 * belongs to another model or was changed. */
const char *stored_key_open(struct arena *arena, const char *secret, const char *model_id,
                            const struct stored_key *stored);

#endif
