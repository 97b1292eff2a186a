/*
 * Stored answers of /v1/responses, each the continuation of an earlier one or a beginning. They
 * belong to an owner: nobody else can read, continue or delete them.
 */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_RESPONSE_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_RESPONSE_STORE_H

#include "base/schema.h"
#include "db/db.h"

enum { RESPONSE_CHAIN_MAX = 500 /* answers that one may build on */ };

/* A row of orch_responses. */
struct stored_response {
    const char *response_id, *owner;
    const char *previous_id; /* NULL = a beginning */
    int64_t created_at;
    const char *input;  /* a JSON array of items */
    const char *answer; /* a JSON object, with the items of the output */
};

MUST_CHECK enum error response_save(struct db *db, const struct stored_response *response,
                                    struct problem *problem);

/* ERROR_NOT_FOUND (`response_not_found`), also for one of another owner. */
MUST_CHECK enum error response_find(struct db *db, struct arena *arena, const char *owner,
                                    const char *response_id, struct stored_response *response,
                                    struct problem *problem);

/* The answer and all that it builds on, oldest first: struct stored_response. An empty list when
 * there is no such answer; the first one has a previous_id when an older one was deleted. */
MUST_CHECK enum error response_chain(struct db *db, struct arena *arena, const char *owner,
                                     const char *response_id, struct object_list *chain,
                                     struct problem *problem);

/* ERROR_NOT_FOUND as above. */
MUST_CHECK enum error response_delete(struct db *db, const char *owner, const char *response_id,
                                      struct problem *problem);

/* Deletes answers older than `days`, a bounded number of them. */
MUST_CHECK enum error response_expire(struct db *db, int64_t days, struct problem *problem);

#endif
