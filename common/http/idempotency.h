/*
 * Idempotency keys and conditional responses.
 *
 * Rows with `.idempotent` honor the header Idempotency-Key if the service stores answers (struct
 * http_service, .idempotency). The same key with the same body gets the first answer again with
 * `Idempotency-Replayed: true`. The same key with another body gets 409, and so does a repeat while
 * the first answer is computed. Answers of 500 and above, and 429, are not kept.
 */
#ifndef ASSAY_HTTP_IDEMPOTENCY_H
#define ASSAY_HTTP_IDEMPOTENCY_H

#include "db/idempotency.h"
#include "http/request.h"

enum { IDEMPOTENCY_KEY_MAX = 255 };

struct http_idempotency {
    struct db *db;
    const char *who; /* the scope of keys: the tenant and the API key, for instance */
    struct idempotency_times times;
};

/* Adds `ETag: "<tag>"`. True when the client has that already (If-None-Match): the reply is then a
 * complete 304, and the handler returns. `tag` is of characters that need no escaping. */
bool reply_is_unchanged(struct request *request, struct reply *reply, const char *tag);

#endif
