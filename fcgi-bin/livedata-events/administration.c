/* The administration: keys issued and rotated, and figures of use. */
#include "livedata/access/sessions.h"

#include "livedata-events/events.h"
#include "livedata/moment.h"
#include "livedata/shapes.h"

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
#define KEY_FIELDS                                                                                 \
    TELLS_TEXT("key_id"), TELLS_TEXT("name"), TELLS_TEXT("tenant"),                                \
        TELLS_INTEGER("rate_limit_rpm"), TELLS_ANY("allowed_entity_types"),                        \
        TELLS_TEXT("created_at")

static const struct field issued_key_fields[] = {KEY_FIELDS, TELLS_TEXT("key")};
TELLING(issued_key_schema, "IssuedKey", issued_key_fields);
static const struct field key_fields[] = {KEY_FIELDS,
                                          TELLS_FLAG("key_hash_present"),
                                          TELLS_INTEGER("requests_last_24h"),
                                          TELLS_TEXT("rotation_phase"),
                                          TELLS_TEXT_OR_NULL("old_key_active_until"),
                                          TELLS_INTEGER("requests_on_old_key_last_hour")};
static TELLING(key_schema, "Key", key_fields);
static const struct field keys_fields[] = {TELLS_LIST_OF("keys", &key_schema)};
TELLING(keys_schema, "KeyList", keys_fields);
static const struct field rotation_fields[] = {TELLS_TEXT("new_key"), TELLS_TEXT("expires_at")};
TELLING(rotation_schema, "KeyRotation", rotation_fields);
static const struct field rotation_status_fields[] = {
    TELLS_TEXT("phase"), TELLS_TEXT_OR_NULL("old_key_active_until"),
    TELLS_INTEGER("requests_on_old_key_last_hour")};
TELLING(rotation_status_schema, "KeyRotationStatus", rotation_status_fields);
static const struct field revoked_fields[] = {TELLS_FLAG("revoked")};
TELLING(revoked_schema, "KeyRevocation", revoked_fields);
static const struct field usage_fields[] = {TELLS_OBJECTS("usage")};
TELLING(usage_schema, "Usage", usage_fields);

static const struct field tenant_figures_fields[] = {
    TELLS_TEXT("tenant"),           TELLS_INTEGER("total_requests"), TELLS_NUMBER("error_rate"),
    TELLS_NUMBER("cache_hit_rate"), TELLS_NUMBER("avg_duration_ms"), TELLS_TEXTS("top_endpoints")};
static TELLING(tenant_figures_schema, "TenantFigures", tenant_figures_fields);
static const struct field tenants_fields[] = {TELLS_TEXT("window"),
                                              TELLS_LIST_OF("tenants", &tenant_figures_schema)};
TELLING(tenants_schema, "TenantAnalytics", tenants_fields);
static const struct field queries_fields[] = {TELLS_TEXT("window"), TELLS_OBJECTS("queries")};
TELLING(queries_schema, "QueryAnalytics", queries_fields);
static const struct field entities_fields[] = {TELLS_TEXT("window"), TELLS_OBJECTS("entities")};
TELLING(entities_schema, "EntityAnalytics", entities_fields);
static const struct field endpoints_fields[] = {TELLS_TEXT("window"), TELLS_OBJECTS("endpoints")};
TELLING(endpoints_schema, "LatencyAnalytics", endpoints_fields);
static const struct field anomalies_fields[] = {TELLS_TEXT("window"), TELLS_OBJECTS("anomalies")};
TELLING(anomalies_schema, "AnomalyAnalytics", anomalies_fields);

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

static enum error read_types(struct request *request, const json_t *sent,
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
    *list = catalog_texts(sent, request->arena);
    json_array_foreach(sent, i, item)
    {
        const char *name = json_string_value(item);

        if (!name || !catalog_entity(service_catalog(request), name))
            return request_fault(request, "body", "allowed_entity_types", "value_error",
                                 "unknown entity type");
    }
    *types = list;
    return ERROR_NONE;
}

static void write_types(struct json_writer *writer, const struct string_list *types)
{
    writer_key(writer, "allowed_entity_types");
    if (!types) {
        writer_null(writer);
        return;
    }
    writer_open_array(writer);
    for (size_t i = 0; i < types->count; i++)
        writer_string(writer, types->items[i]);
    writer_close_array(writer);
}

static void write_key(struct json_writer *writer, const struct live_key *key)
{
    writer_key_string(writer, "key_id", key->key_id);
    writer_key_string(writer, "name", key->name);
    writer_key_string(writer, "tenant", key->tenant);
    writer_key_integer(writer, "rate_limit_rpm", key->rate_limit_rpm);
    write_types(writer, key->types);
    moment_write(writer, "created_at", key->created_at);
}

enum error key_create_handle(struct request *request, struct reply *reply)
{
    const struct key_body *body = request->body;
    struct key_order order = {body->name, body->tenant, body->rate_limit_rpm, NULL};
    struct json_writer writer = service_writer(reply);
    const char *plaintext;
    struct keys_call call;
    struct live_key key;
    enum error error = keys_call(request, &call);

    if (!error && !tenant_is_name(body->tenant))
        error = request_fault(request, "body", "tenant", "value_error",
                              arena_print(request->arena, "Invalid tenant id '%s'.", body->tenant));
    if (!error)
        error = read_types(request, body->allowed_entity_types, &order.types);
    if (!error)
        error = live_key_issue(&call, &order, &key, &plaintext);
    if (error)
        return error;
    writer_open_object(&writer);
    write_key(&writer, &key);
    writer_key_string(&writer, "key", plaintext);
    writer_close_object(&writer);
    return ERROR_NONE;
}

static enum error write_use(struct json_writer *writer, const struct session_question *question,
                            const struct live_key *key)
{
    int64_t day, old_hour;
    enum error error = session_key_use(question, key->key_id, &day, &old_hour);
    bool rotating = key->previous_lookup && key->previous_until > question->now;

    writer_key_boolean(writer, "key_hash_present", true);
    writer_key_integer(writer, "requests_last_24h", day);
    writer_key_string(writer, "rotation_phase", rotating ? "grace_period" : "idle");
    moment_write(writer, "old_key_active_until", rotating ? key->previous_until : 0);
    writer_key_integer(writer, "requests_on_old_key_last_hour", old_hour);
    return error;
}

static struct session_question question_of(struct request *request, const struct keys_call *call)
{
    return (struct session_question){.db = call->db,
                                     .arena = request->arena,
                                     .problem = &request->problem,
                                     .now = call->now,
                                     .window = moment_day};
}

enum error key_list_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct session_question question;
    struct keys_call call;
    struct live_keys keys;
    enum error error = keys_call(request, &call);

    if (!error)
        error = live_key_list(&call, &keys);
    if (error)
        return error;
    question = question_of(request, &call);
    writer_open_object(&writer);
    writer_key(&writer, "keys");
    writer_open_array(&writer);
    for (size_t i = 0; !error && i < keys.count; i++) {
        writer_open_object(&writer);
        write_key(&writer, &keys.items[i]);
        error = write_use(&writer, &question, &keys.items[i]);
        writer_close_object(&writer);
    }
    writer_close_array(&writer);
    writer_close_object(&writer);
    return error;
}

enum error key_rotate_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    const char *plaintext;
    struct keys_call call;
    int64_t expires;
    enum error error = keys_call(request, &call);

    if (!error)
        error = live_key_rotate(&call, request->arguments[0], &plaintext, &expires);
    if (error)
        return error;
    writer_open_object(&writer);
    writer_key_string(&writer, "new_key", plaintext);
    moment_write(&writer, "expires_at", expires);
    writer_close_object(&writer);
    return ERROR_NONE;
}

enum error key_rotation_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct session_question question;
    struct keys_call call;
    struct live_key key;
    int64_t day, old_hour;
    bool rotating;
    enum error error = keys_call(request, &call);

    if (!error)
        error = live_key_read(&call, request->arguments[0], &key);
    if (error)
        return error;
    question = question_of(request, &call);
    error = session_key_use(&question, key.key_id, &day, &old_hour);
    rotating = key.previous_lookup && key.previous_until > call.now;
    writer_open_object(&writer);
    writer_key_string(&writer, "phase", rotating ? "grace_period" : "idle");
    moment_write(&writer, "old_key_active_until", rotating ? key.previous_until : 0);
    writer_key_integer(&writer, "requests_on_old_key_last_hour", old_hour);
    writer_close_object(&writer);
    return error;
}

enum error key_revoke_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct keys_call call;
    enum error error = keys_call(request, &call);

    if (!error)
        error = live_key_revoke_old(&call, request->arguments[0]);
    if (error)
        return error;
    writer_open_object(&writer);
    writer_key_boolean(&writer, "revoked", true);
    writer_close_object(&writer);
    return ERROR_NONE;
}

enum error key_delete_handle(struct request *request, struct reply *reply)
{
    struct keys_call call;
    enum error error = keys_call(request, &call);

    (void)reply;
    return error ? error : live_key_delete(&call, request->arguments[0]);
}

static enum error write_figures(struct request *request, struct reply *reply,
                                enum error (*write)(const struct session_question *,
                                                    struct json_writer *))
{
    const struct window_query *query = request->query;
    struct json_writer writer = service_writer(reply);
    struct session_question question;
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
    return write(&question, &writer);
}

enum error usage_handle(struct request *request, struct reply *reply)
{
    return write_figures(request, reply, session_write_usage);
}

enum error tenants_handle(struct request *request, struct reply *reply)
{
    return write_figures(request, reply, session_write_tenants);
}

enum error top_queries_handle(struct request *request, struct reply *reply)
{
    return write_figures(request, reply, session_write_top_queries);
}

enum error top_entities_handle(struct request *request, struct reply *reply)
{
    return write_figures(request, reply, session_write_top_entities);
}

enum error latency_handle(struct request *request, struct reply *reply)
{
    return write_figures(request, reply, session_write_latency);
}

enum error anomalies_handle(struct request *request, struct reply *reply)
{
    return write_figures(request, reply, session_write_anomalies);
}
