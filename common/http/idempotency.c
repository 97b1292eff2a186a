/* Idempotency-Key (the IETF draft of that name) and ETag (RFC 9110 section 8.8.3). */
#include "http/idempotency.h"
#include "base/log.h"
#include "crypto/digest.h"
#include "http/http_internal.h"

#include <string.h>

static bool refuse(struct serving *serving, int status, const char *error_code, const char *detail)
{
    answer_error(serving, status, error_code, detail);
    return false;
}

static bool replay(struct serving *serving, const struct idempotency_answer *answer)
{
    struct reply *reply = &serving->reply;

    reply->status = (int)answer->status;
    reply->content_type = answer->content_type;
    text_append_string(&reply->body, answer->body ? answer->body : "");
    reply_add_header(reply, "Idempotency-Replayed", "true");
    return false;
}

static void make_key(struct serving *serving, const char *who, const char *key)
{
    struct request *request = &serving->request;
    char hash[DIGEST_SHA256_TEXT];

    digest_sha256_hex(request->bytes, request->length, hash);
    serving->key =
        (struct idempotency_key){.scope = arena_print(request->arena, "%s %s %s", who,
                                                      method_names[request->method], request->path),
                                 .key = arena_copy_string(request->arena, key),
                                 .request_hash = arena_copy_string(request->arena, hash)};
}

bool idempotency_begin(struct serving *serving)
{
    const struct http_service *service = serving->server->family->service;
    struct request *request = &serving->request;
    const char *key = request_header(request, "HTTP_IDEMPOTENCY_KEY");
    struct http_idempotency store = {0};
    struct idempotency_answer answer;
    enum idempotency_outcome outcome;
    enum error error;

    if (!serving->match.route->idempotent || !service->idempotency || !key || !*key)
        return true;
    if (strlen(key) > IDEMPOTENCY_KEY_MAX || utf8_valid_prefix(key, strlen(key)) != strlen(key)) {
        (void)request_fault(request, "header", "Idempotency-Key", "string_type",
                            "Idempotency-Key must be text of at most 255 bytes");
        answer_faults(serving);
        return false;
    }
    error = service->idempotency(request, &store);
    if (!error) {
        make_key(serving, store.who, key);
        error = idempotency_claim(store.db, request->arena, &serving->key, store.times, &outcome,
                                  &answer, &serving->key_holder, &request->problem);
    }
    if (error) {
        answer_problem(serving, error);
        return false;
    }
    serving->key_store = outcome == IDEMPOTENCY_FIRST ? store.db : NULL;
    switch (outcome) {
    case IDEMPOTENCY_REPLAY:
        return replay(serving, &answer);
    case IDEMPOTENCY_CONFLICT:
        return refuse(serving, 409, "idempotency_conflict",
                      "This Idempotency-Key belongs to another request");
    case IDEMPOTENCY_IN_FLIGHT:
        return refuse(serving, 409, "idempotency_in_flight",
                      "The first request with this Idempotency-Key is still being answered");
    default:
        return true;
    }
}

void idempotency_end(struct serving *serving, bool answered)
{
    const struct reply *reply = &serving->reply;
    struct problem problem = {0};
    struct db *db = serving->key_store;
    enum error error;

    if (!db)
        return;
    serving->key_store = NULL;
    if (answered && reply->status < 500 && reply->status != 429)
        error = idempotency_keep(
            db, &serving->key, serving->key_holder,
            &(struct idempotency_answer){reply->status, reply->body.bytes, reply->content_type},
            &problem);
    else
        error = idempotency_release(db, &serving->key, serving->key_holder, &problem);
    if (error)
        log_event(LOG_ERROR, "idempotency_not_kept", problem.text);
}

/* Whether a list of tags ("a", W/"b", or *) holds this one. */
static bool lists_tag(const char *list, const char *tag)
{
    size_t length = strlen(tag);

    for (const char *at = list; (at = strchr(at, '"')) != NULL; at++) {
        const char *end = strchr(at + 1, '"');

        if (!end)
            return false;
        if ((size_t)(end - at - 1) == length && strncmp(at + 1, tag, length) == 0)
            return true;
        at = end;
    }
    return strcmp(list, "*") == 0;
}

bool reply_is_unchanged(struct request *request, struct reply *reply, const char *tag)
{
    const char *list = request_header(request, "HTTP_IF_NONE_MATCH");

    reply_add_header(reply, "ETag", arena_print(request->arena, "\"%s\"", tag));
    if (!list || !lists_tag(list, tag))
        return false;
    reply->status = 304;
    reply->content_type = NULL;
    return true;
}
