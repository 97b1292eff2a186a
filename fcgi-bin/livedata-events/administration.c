/* The administration: keys issued and rotated, and how the service is used. */
#include "livedata/access/analytics.h"

#include "livedata-events/events.h"
#include "livedata/timestamp.h"

#include <string.h>

struct key_body {
    const char *name;
    const char *tenant;
    int64_t rate_limit_rpm;
    json_t *allowed_entity_types;
};

#define OWNER struct key_body
static const struct field key_request_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = 100),
    STRING(OWNER, tenant, .required = true, .min_length = 1, .max_length = 64),
    INTEGER(OWNER, rate_limit_rpm, .lower = AT_LEAST(1), .upper = AT_MOST(100000),
            .default_value = 120),
    JSON_VALUE(OWNER, allowed_entity_types, .nullable = true,
               .help = "Types that the key may see; null: all."),
};
#undef OWNER
SCHEMA(key_request_schema, struct key_body, "KeyCreateRequest", key_request_fields,
       .example = "{\"name\":\"support\",\"tenant\":\"default\"}");

/* What a key is, whether it has just been issued or is listed. */
struct key_answer {
    const char *key_id, *name, *tenant;
    int64_t rate_limit_rpm;
    struct string_list allowed_entity_types; /* NULL items: all */
    int64_t created_at;
    const char *key; /* of a new one alone */
    bool key_hash_present;
    int64_t requests_last_24h;
    const char *rotation_phase;
    int64_t old_key_active_until;
    int64_t requests_on_old_key_last_hour;
};

#define OWNER struct key_answer
#define KEY_ROWS                                                                                   \
    STRING(OWNER, key_id), STRING(OWNER, name), STRING(OWNER, tenant),                             \
        INTEGER(OWNER, rate_limit_rpm), STRINGS(OWNER, allowed_entity_types, .nullable = true),    \
        TIME_OR_NULL(OWNER, created_at, .time = TIME_Z)
static const struct field issued_key_fields[] = {KEY_ROWS, STRING(OWNER, key)};
static const struct field key_fields[] = {KEY_ROWS,
                                          BOOLEAN(OWNER, key_hash_present),
                                          INTEGER(OWNER, requests_last_24h),
                                          STRING(OWNER, rotation_phase),
                                          TIME_OR_NULL(OWNER, old_key_active_until, .time = TIME_Z),
                                          INTEGER(OWNER, requests_on_old_key_last_hour)};
#undef OWNER
SCHEMA(issued_key_schema, struct key_answer, "IssuedKey", issued_key_fields);
static SCHEMA(key_schema, struct key_answer, "Key", key_fields);

struct keys_answer {
    OBJECT_LIST(struct key_answer, keys);
};

#define OWNER struct keys_answer
static const struct field keys_fields[] = {OBJECTS(OWNER, keys, key_schema)};
#undef OWNER
SCHEMA(keys_schema, struct keys_answer, "KeyList", keys_fields);

struct rotation {
    const char *new_key;
    int64_t expires_at;
};

#define OWNER struct rotation
static const struct field rotation_fields[] = {STRING(OWNER, new_key),
                                               TIME(OWNER, expires_at, .time = TIME_Z)};
#undef OWNER
SCHEMA(rotation_schema, struct rotation, "KeyRotation", rotation_fields);

struct rotation_status {
    const char *phase;
    int64_t old_key_active_until;
    int64_t requests_on_old_key_last_hour;
};

#define OWNER struct rotation_status
static const struct field rotation_status_fields[] = {
    STRING(OWNER, phase), TIME_OR_NULL(OWNER, old_key_active_until, .time = TIME_Z),
    INTEGER(OWNER, requests_on_old_key_last_hour)};
#undef OWNER
SCHEMA(rotation_status_schema, struct rotation_status, "KeyRotationStatus", rotation_status_fields);

struct revocation {
    bool revoked;
};

#define OWNER struct revocation
static const struct field revoked_fields[] = {BOOLEAN(OWNER, revoked)};
#undef OWNER
SCHEMA(revoked_schema, struct revocation, "KeyRevocation", revoked_fields);

struct window_query {
    const char *window;
    const char *tenant;
    int64_t limit;
};

#define OWNER struct window_query
static const struct field window_query_fields[] = {
    STRING(OWNER, window, .default_text = "24h", .help = "15m, 1h, 7d..."),
    STRING(OWNER, tenant, .nullable = true),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(100), .default_value = 10),
};
#undef OWNER
SCHEMA(window_query_schema, struct window_query, "WindowQuery", window_query_fields);

static enum error keys_call(struct request *request, struct keys_call *call)
{
    struct db *db;
    enum error error = service_database(request, &db);

    *call = service_keys_call(request, db);
    return error;
}

/* Entity types that the tenant of the key sees. */
static enum error read_types(struct request *request, const char *tenant, const json_t *sent,
                             const struct string_list **types)
{
    struct string_list *list;
    const json_t *item;
    size_t i;

    *types = NULL;
    if (!sent || json_is_null(sent))
        return ERROR_NONE;
    if (!json_is_array(sent))
        return request_fault(request, "body", "allowed_entity_types", "list_type",
                             "Input should be a valid list");
    list = ARENA_NEW(request->arena, struct string_list);
    *list = json_strings(request->arena, sent);
    json_array_foreach(sent, i, item)
    {
        const char *name = json_string_value(item);

        if (!name || !catalog_entity(service_catalog_of(request, tenant), name))
            return request_fault(request, "body", "allowed_entity_types", "value_error",
                                 "unknown entity type");
    }
    *types = list;
    return ERROR_NONE;
}

static struct key_answer answer_of(const struct live_key *key)
{
    struct key_answer answer = {.key_id = key->key_id,
                                .name = key->name,
                                .tenant = key->tenant,
                                .rate_limit_rpm = key->rate_limit_rpm,
                                .created_at = key->created_at};

    if (key->types)
        answer.allowed_entity_types = *key->types;
    return answer;
}

enum error key_create_handle(struct request *request, struct reply *reply)
{
    const struct key_body *body = request->body;
    struct key_request order = {
        .name = body->name, .tenant = body->tenant, .rate_limit_rpm = body->rate_limit_rpm};
    struct key_answer *answer = ARENA_NEW(request->arena, struct key_answer);
    const char *plaintext;
    struct keys_call call;
    struct live_key key;
    enum error error = keys_call(request, &call);

    if (!error && !tenant_is_name(body->tenant))
        error = request_fault(request, "body", "tenant", "value_error",
                              arena_print(request->arena, "Invalid tenant id '%s'.", body->tenant));
    if (!error)
        error = read_types(request, body->tenant, body->allowed_entity_types, &order.types);
    if (!error)
        error = live_key_issue(&call, &order, &key, &plaintext);
    if (error)
        return error;
    *answer = answer_of(&key);
    answer->key = plaintext;
    reply->object = answer;
    return ERROR_NONE;
}

static bool is_rotating(const struct live_key *key, int64_t now)
{
    return key->previous_lookup && key->previous_until > now;
}

static enum error read_use(const struct analytics_question *question, const struct live_key *key,
                           struct rotation_status *status, int64_t *day)
{
    bool rotating = is_rotating(key, question->now);

    *status = (struct rotation_status){.phase = rotating ? "grace_period" : "idle",
                                       .old_key_active_until = rotating ? key->previous_until : 0};
    return analytics_key_use(question, key->key_id, day, &status->requests_on_old_key_last_hour);
}

static struct analytics_question question_of(struct request *request, const struct keys_call *call)
{
    return (struct analytics_question){.db = call->db,
                                       .arena = request->arena,
                                       .problem = &request->problem,
                                       .now = call->now,
                                       .window = us_per_day};
}

/* A key as it is listed, with its use. */
static enum error list_key(const struct analytics_question *question, const struct live_key *key,
                           struct key_answer *answer)
{
    struct rotation_status status;
    int64_t day = 0;
    enum error error = read_use(question, key, &status, &day);

    *answer = answer_of(key);
    answer->key_hash_present = true;
    answer->requests_last_24h = day;
    answer->rotation_phase = status.phase;
    answer->old_key_active_until = status.old_key_active_until;
    answer->requests_on_old_key_last_hour = status.requests_on_old_key_last_hour;
    return error;
}

enum error key_list_handle(struct request *request, struct reply *reply)
{
    struct keys_answer *answer = ARENA_NEW(request->arena, struct keys_answer);
    struct analytics_question question;
    struct key_answer *items;
    struct keys_call call;
    struct live_keys keys;
    enum error error = keys_call(request, &call);

    if (!error)
        error = live_key_list(&call, &keys);
    if (error)
        return error;
    question = question_of(request, &call);
    items = ARENA_ARRAY(request->arena, struct key_answer, keys.count);
    for (size_t i = 0; !error && i < keys.count; i++)
        error = list_key(&question, &keys.items[i], &items[i]);
    answer->keys = (struct object_list){keys.count, items};
    reply->object = answer;
    return error;
}

enum error key_rotate_handle(struct request *request, struct reply *reply)
{
    struct rotation *answer = ARENA_NEW(request->arena, struct rotation);
    struct keys_call call;
    enum error error = keys_call(request, &call);

    reply->object = answer;
    return error ? error
                 : live_key_rotate(&call, request->arguments[0], &answer->new_key,
                                   &answer->expires_at);
}

enum error key_rotation_handle(struct request *request, struct reply *reply)
{
    struct rotation_status *status = ARENA_NEW(request->arena, struct rotation_status);
    struct analytics_question question;
    struct keys_call call;
    struct live_key key;
    int64_t day;
    enum error error = keys_call(request, &call);

    if (!error)
        error = live_key_read(&call, request->arguments[0], &key);
    if (error)
        return error;
    question = question_of(request, &call);
    reply->object = status;
    return read_use(&question, &key, status, &day);
}

enum error key_revoke_handle(struct request *request, struct reply *reply)
{
    struct revocation *answer = ARENA_NEW(request->arena, struct revocation);
    struct keys_call call;
    enum error error = keys_call(request, &call);

    answer->revoked = true;
    reply->object = answer;
    return error ? error : live_key_revoke_old(&call, request->arguments[0]);
}

enum error key_delete_handle(struct request *request, struct reply *reply)
{
    struct keys_call call;
    enum error error = keys_call(request, &call);

    (void)reply;
    return error ? error : live_key_delete(&call, request->arguments[0]);
}

/* Answers with what `read` puts into a zeroed struct of the route's reply schema. */
static enum error answer_analytics(struct request *request, struct reply *reply,
                                   enum error (*read)(const struct analytics_question *, void *))
{
    const struct window_query *query = request->query;
    void *answer = arena_alloc(request->arena, request->route->reply->size);
    struct analytics_question question;
    struct keys_call call;
    enum error error = keys_call(request, &call);

    if (error)
        return error;
    question = question_of(request, &call);
    if (query) {
        question.window_text = query->window;
        question.tenant = query->tenant;
        question.limit = query->limit;
        if (strcmp(query->window, "now") == 0 || !window_parse(query->window, &question.window))
            return request_fault(request, "query", "window", "value_error",
                                 "Invalid window. Use formats like 15m, 1h, or 7d.");
    }
    reply->object = answer;
    return read(&question, answer);
}

enum error usage_handle(struct request *request, struct reply *reply)
{
    return answer_analytics(request, reply, analytics_usage);
}

enum error tenants_handle(struct request *request, struct reply *reply)
{
    return answer_analytics(request, reply, analytics_tenants);
}

enum error top_queries_handle(struct request *request, struct reply *reply)
{
    return answer_analytics(request, reply, analytics_top_queries);
}

enum error top_entities_handle(struct request *request, struct reply *reply)
{
    return answer_analytics(request, reply, analytics_top_entities);
}

enum error latency_handle(struct request *request, struct reply *reply)
{
    return answer_analytics(request, reply, analytics_latency);
}

enum error anomalies_handle(struct request *request, struct reply *reply)
{
    return answer_analytics(request, reply, analytics_anomalies);
}
