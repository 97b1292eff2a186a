/*
 * Requests that may be repeated, and answers that need not be sent again.
 *
 * Rows with `.idempotent` honour the header Idempotency-Key where the service says where to keep
 * answers (struct http_service, .idempotency): the same key with the same body gets the first
 * answer once more with `Idempotency-Replayed: true`; with another body, or while the first is
 * being made, 409. Answers of 500 and above, and 429, are not kept.
 */
#ifndef ASSAY_HTTP_IDEMPOTENCY_H
#define ASSAY_HTTP_IDEMPOTENCY_H

#include "db/idempotency.h"
#include "http/request.h"

enum { IDEMPOTENCY_KEY_MAX = 255 };

struct http_idempotency {
    struct db *db;
    const char *who; /* keys of different ones do not meet: the tenant and the key, for instance */
    struct idempotency_times times;
};

/* Adds `ETag: "<tag>"`. True when the client has that already (If-None-Match): the reply is then a
 * complete 304, and the handler returns. `tag` is of characters that need no escaping. */
bool reply_is_unchanged(struct request *request, struct reply *reply, const char *tag);

#endif
