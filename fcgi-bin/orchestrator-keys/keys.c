/* Virtual keys over HTTP. A key itself is shown in one answer only, the one that creates it. */
#include "orchestrator-keys/keys.h"

#include "base/string_list.h"
#include "orchestrator-keys/budgets.h"
#include "orchestrator-keys/call.h"

#define PER_MINUTE .lower = AT_LEAST(1), .upper = AT_MOST(KEY_PER_MINUTE_MAX)

struct key_body {
    const char *name, *team_id;
    struct string_list allowed_models;
    struct optional_integer requests_per_minute, tokens_per_minute;
    bool stores_prompts, redacts_prompts, active;
    struct optional_integer expires_at;
};

#define OWNER struct key_body
static const struct field key_body_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = KEY_NAME_MAX),
    STRING(OWNER, team_id, .nullable = true, .max_length = 64),
    STRINGS(OWNER, allowed_models, .max_length = KEY_MODELS_MAX,
            .help = "Ids of models; an empty list allows all."),
    NULLABLE_INTEGER(OWNER, requests_per_minute, PER_MINUTE, .help = "Null: no limit."),
    NULLABLE_INTEGER(OWNER, tokens_per_minute, PER_MINUTE,
                     .help = "The prompt's by estimate before the call, the rest after it; "
                             "null: no limit."),
    BOOLEAN(OWNER, stores_prompts, .default_value = 1,
            .help = "False: prompts and answers of this key are never stored."),
    BOOLEAN(OWNER, redacts_prompts,
            .help = "True: personal data is replaced by placeholders before models get it, and in "
                    "stored tasks; answers get it back."),
    BOOLEAN(OWNER, active, .default_value = 1),
    MOMENT(OWNER, expires_at, .help = "Null: never."),
};
#undef OWNER
SCHEMA(key_body_schema, struct key_body, "VirtualKeyRequest", key_body_fields,
       .answer = &virtual_key_schema,
       .example = "{\"name\":\"search-api\",\"requests_per_minute\":120}");

struct key_list {
    OBJECT_LIST(struct virtual_key, keys);
};

#define OWNER struct key_list
static const struct field key_list_fields[] = {OBJECTS(OWNER, keys, virtual_key_schema)};
#undef OWNER
SCHEMA(key_list_schema, struct key_list, "VirtualKeyList", key_list_fields);

struct own_key {
    const struct virtual_key *key;
    OBJECT_LIST(struct budget_answer, budgets);
};

#define OWNER struct own_key
static const struct field own_key_fields[] = {
    OBJECT(OWNER, key, virtual_key_schema),
    OBJECTS(OWNER, budgets, budget_answer_schema,
            .help = "Of the key, its team and its customer: each must have room for a call."),
};
#undef OWNER
SCHEMA(own_key_schema, struct own_key, "OwnKey", own_key_fields);

enum error keys_list(struct request *request, struct reply *reply)
{
    struct key_list *answer = ARENA_NEW(request->arena, struct key_list);
    struct key_store_call call;
    enum error error = keys_begin(request, &call);

    reply->object = answer;
    return error ? error : virtual_key_list(&call, &answer->keys);
}

/* Names that the catalog knows become ids; others are faults. */
static enum error resolve_models(struct request *request, struct string_list *models)
{
    const struct catalog *catalog = service_worker(request)->catalog;
    struct string_list ids = {.items =
                                  ARENA_ARRAY(request->arena, const char *, models->count + 1)};

    for (size_t i = 0; i < models->count; i++) {
        const struct model *model = catalog_resolve(request->arena, catalog, models->items[i]);

        if (!model)
            return request_fault(
                request, "body", "allowed_models", "value_error",
                arena_print(request->arena, "Value error, Unknown model: %s", models->items[i]));
        string_list_add_new(&ids, model->id);
    }
    *models = ids;
    return ERROR_NONE;
}

static enum error read_key(struct request *request, struct virtual_key *key)
{
    const struct key_body *body = request->body;
    enum error error;

    *key = (struct virtual_key){.name = body->name,
                                .team_id = body->team_id,
                                .allowed_models = body->allowed_models,
                                .requests_per_minute = body->requests_per_minute,
                                .tokens_per_minute = body->tokens_per_minute,
                                .stores_prompts = body->stores_prompts,
                                .redacts_prompts = body->redacts_prompts,
                                .active = body->active,
                                .expires_at = body->expires_at,
                                .created_by = request->who.subject};
    error = keys_check_name(request, &key->name);
    return error ? error : resolve_models(request, &key->allowed_models);
}

enum error keys_create(struct request *request, struct reply *reply)
{
    struct virtual_key *key = ARENA_NEW(request->arena, struct virtual_key);
    struct virtual_key wanted;
    struct key_store_call call;
    enum error error = read_key(request, &wanted);

    if (!error)
        error = keys_begin_change(request, &call);
    if (error)
        return error;
    error = virtual_key_add(&call, &wanted);
    if (!error)
        error = virtual_key_read(&call, wanted.id, key);
    key->key = wanted.key;
    reply->object = key;
    return db_finish(call.db, error, call.problem);
}

enum error keys_update(struct request *request, struct reply *reply)
{
    struct virtual_key *key = ARENA_NEW(request->arena, struct virtual_key);
    struct virtual_key wanted;
    struct key_store_call call;
    enum error error = read_key(request, &wanted);

    wanted.id = request->arguments[0];
    if (!error)
        error = keys_begin_change(request, &call);
    if (error)
        return error;
    error = virtual_key_update(&call, &wanted);
    if (!error)
        error = virtual_key_read(&call, wanted.id, key);
    reply->object = key;
    return db_finish(call.db, error, call.problem);
}

enum error keys_delete(struct request *request, struct reply *reply)
{
    struct key_store_call call;
    enum error error = keys_begin(request, &call);

    (void)reply;
    return error ? error : virtual_key_delete(&call, request->arguments[0]);
}

enum error own_key_handle(struct request *request, struct reply *reply)
{
    const struct service_caller *caller = service_caller(request);
    struct own_key *answer = ARENA_NEW(request->arena, struct own_key);
    struct key_store_call call;
    enum error error = keys_begin(request, &call);

    if (error)
        return error;
    if (!caller->key)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "key_not_found",
                           "This request was not sent with a virtual key.");
    answer->key = caller->key;
    reply->object = answer;
    return budgets_of_payer(&call, &caller->calls.payer, &answer->budgets);
}
