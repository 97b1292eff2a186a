/* Issued keys over HTTP. The key itself is shown in one answer only, the one that makes it. */
#include "experiments-operations/keys.h"
#include "experiments/service.h"

struct key_list_reply {
    OBJECT_LIST(struct api_key, keys);
    int64_t total;
};

struct deleted_key {
    const char *id;
    bool deleted;
};

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
    struct api_key *key = ARENA_NEW(request->arena, struct api_key);
    struct key_call call;
    enum error error = begin(request, &call);

    service_expect_keys(request);
    if (!error)
        error = key_create(&call, request->body, key);
    if (error)
        return error;
    service_forget_key_census(request);
    reply->object = key;
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
