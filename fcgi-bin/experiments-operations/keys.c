/* Issued keys over HTTP. The key itself is shown in one answer only, the one that makes it. */
#include "experiments-operations/keys.h"
#include "experiments/service.h"

enum { NAME_MAX_LENGTH = 100 };

struct created_key {
    const char *id;
    const char *name;
    int scope;
    const char *created_at;
    const char *last_used_at;
    const char *revoked_at;
    struct optional_integer rate_limit_requests;
    struct optional_integer rate_limit_window_seconds;
    const char *plaintext_key;
};

struct key_list_reply {
    OBJECT_LIST(struct api_key, keys);
    int64_t total;
};

struct deleted_key {
    const char *id;
    bool deleted;
};

#define RATE_FIELDS                                                                                \
    NULLABLE_INTEGER(OWNER, rate_limit_requests, .lower = AT_LEAST(1), .upper = AT_MOST(100000),   \
                     .help = "Calls per window; the service's limit when null."),                  \
        NULLABLE_INTEGER(OWNER, rate_limit_window_seconds, .lower = AT_LEAST(1),                   \
                         .upper = AT_MOST(86400), .help = "The service's window when null.")

#define OWNER struct key_request
static const struct field request_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = NAME_MAX_LENGTH),
    CHOICE(OWNER, scope, key_scope_names, .choice_count = KEY_SCOPE__MAX, .required = true),
    RATE_FIELDS,
};
#undef OWNER
const struct schema key_request_schema = {.name = "ApiKeyRequest",
                                          .help = "A key to be issued.",
                                          .size = sizeof(struct key_request),
                                          .fields = request_fields,
                                          .field_count = COUNT_OF(request_fields),
                                          .example = "{\"name\":\"dashboard\",\"scope\":\"read\"}"};

#define RECORD_FIELDS                                                                              \
    STRING(OWNER, id), STRING(OWNER, name),                                                        \
        CHOICE(OWNER, scope, key_scope_names, .choice_count = KEY_SCOPE__MAX),                     \
        STRING(OWNER, created_at), STRING(OWNER, last_used_at, .nullable = true),                  \
        STRING(OWNER, revoked_at, .nullable = true), RATE_FIELDS

#define OWNER struct api_key
static const struct field key_fields[] = {RECORD_FIELDS};
#undef OWNER
const struct schema key_schema = {.name = "ApiKey",
                                  .help = "An issued key, without its secret.",
                                  .size = sizeof(struct api_key),
                                  .fields = key_fields,
                                  .field_count = COUNT_OF(key_fields)};

#define OWNER struct created_key
static const struct field created_fields[] = {
    RECORD_FIELDS,
    STRING(OWNER, plaintext_key, .secret = true, .help = "Shown here and never again."),
};
#undef OWNER
const struct schema created_key_schema = {.name = "CreatedApiKey",
                                          .help = "A new key, with its secret.",
                                          .size = sizeof(struct created_key),
                                          .fields = created_fields,
                                          .field_count = COUNT_OF(created_fields)};

#define OWNER struct key_list_reply
static const struct field list_fields[] = {OBJECTS(OWNER, keys, key_schema), INTEGER(OWNER, total)};
#undef OWNER
const struct schema key_list_schema = {.name = "ApiKeyList",
                                       .help = "All keys, newest first, revoked ones included.",
                                       .size = sizeof(struct key_list_reply),
                                       .fields = list_fields,
                                       .field_count = COUNT_OF(list_fields)};

#define OWNER struct deleted_key
static const struct field deleted_fields[] = {STRING(OWNER, id), BOOLEAN(OWNER, deleted)};
#undef OWNER
const struct schema deleted_key_schema = {.name = "ApiKeyDeleted",
                                          .help = "The key is gone.",
                                          .size = sizeof(struct deleted_key),
                                          .fields = deleted_fields,
                                          .field_count = COUNT_OF(deleted_fields)};

static enum error begin(struct request *request, struct key_call *call)
{
    *call = (struct key_call){
        .arena = request->arena, .actor = service_actor(request), .problem = &request->problem};
    return service_database(request, &call->db);
}

enum error keys_list(struct request *request, struct reply *reply)
{
    struct key_list_reply *answer = ARENA_NEW(request->arena, struct key_list_reply);
    struct key_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = key_list(&call, &answer->keys);
    answer->total = (int64_t)answer->keys.count;
    reply->object = answer;
    return error;
}

enum error keys_create(struct request *request, struct reply *reply)
{
    struct created_key *answer = ARENA_NEW(request->arena, struct created_key);
    struct api_key key;
    struct key_call call;
    enum error error = begin(request, &call);

    service_expect_keys(request);
    if (!error)
        error = key_create(&call, request->body, &key, &answer->plaintext_key);
    if (error)
        return error;
    service_forget_key_census(request);
    *answer = (struct created_key){.id = key.id,
                                   .name = key.name,
                                   .scope = key.scope,
                                   .created_at = key.created_at,
                                   .rate_limit_requests = key.rate_limit_requests,
                                   .rate_limit_window_seconds = key.rate_limit_window_seconds,
                                   .plaintext_key = answer->plaintext_key};
    reply->object = answer;
    return ERROR_NONE;
}

enum error keys_revoke(struct request *request, struct reply *reply)
{
    struct api_key *key = ARENA_NEW(request->arena, struct api_key);
    struct key_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = key_revoke(&call, request->arguments[0], key);
    service_forget_key_census(request);
    reply->object = key;
    return error;
}

enum error keys_delete(struct request *request, struct reply *reply)
{
    struct deleted_key *answer = ARENA_NEW(request->arena, struct deleted_key);
    struct key_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = key_delete(&call, request->arguments[0]);
    service_forget_key_census(request);
    *answer = (struct deleted_key){.id = request->arguments[0], .deleted = true};
    reply->object = answer;
    return error;
}
