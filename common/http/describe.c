/* The OpenAPI 3.1 document of one responder, from its route table alone. */
#include "http/server.h"

#include <ctype.h>
#include <string.h>

enum { COMPONENTS_MAX = 256 };

struct component {
    const struct schema *schema;
    bool reply;
};

/* The shapes that routes refer to, each once. */
struct components {
    size_t count;
    struct component items[COMPONENTS_MAX];
};

static void collect(struct components *components, const struct schema *schema, bool reply)
{
    if (!schema)
        return;
    for (size_t i = 0; i < components->count; i++)
        if (components->items[i].schema == schema &&
            (!schema->complete || components->items[i].reply == reply))
            return;
    if (components->count == COMPONENTS_MAX)
        return;
    components->items[components->count++] = (struct component){schema, reply};
    for (size_t i = 0; i < schema->field_count; i++)
        collect(components, schema->fields[i].schema, reply);
}

static void write_reference(struct json_writer *writer, const char *kind, const char *name)
{
    writer_open_object(writer);
    writer_key_string(writer, "$ref",
                      arena_print(writer->out->arena, "#/components/%s/%s", kind, name));
    writer_close_object(writer);
}

static void write_json_content(struct json_writer *writer, const char *schema_name)
{
    writer_key(writer, "content");
    writer_open_object(writer);
    writer_key(writer, "application/json");
    writer_open_object(writer);
    writer_key(writer, "schema");
    if (schema_name)
        write_reference(writer, "schemas", schema_name);
    else
        writer_raw(writer, "{}");
    writer_close_object(writer);
    writer_close_object(writer);
}

static void write_parameter(struct json_writer *writer, const char *where, const char *name,
                            const struct field *field)
{
    writer_open_object(writer);
    writer_key_string(writer, "name", name);
    writer_key_string(writer, "in", where);
    writer_key_boolean(writer, "required", !field || field->required);
    writer_key(writer, "schema");
    if (field)
        schema_describe_field(writer, field);
    else
        writer_raw(writer, "{\"type\":\"string\"}");
    writer_close_object(writer);
}

static const struct field header_field = {.type = FIELD_STRING};

static void write_parameters(struct json_writer *writer, const struct route *route)
{
    struct arena *arena = writer->out->arena;
    const char *at = route->path;

    writer_key(writer, "parameters");
    writer_open_array(writer);
    while ((at = strchr(at, '{')) != NULL) {
        size_t length = strcspn(at + 1, "}");

        write_parameter(writer, "path", arena_copy(arena, at + 1, length), NULL);
        at += length;
    }
    for (size_t i = 0; route->query && i < route->query->field_count; i++)
        write_parameter(writer, "query", route->query->fields[i].name, &route->query->fields[i]);
    for (size_t i = 0; route->headers && route->headers[i]; i++)
        write_parameter(writer, "header", route->headers[i], &header_field);
    writer_close_array(writer);
}

static void write_error_response(struct json_writer *writer, const char *status, const char *name)
{
    writer_key(writer, status);
    write_reference(writer, "responses", name);
}

static void write_text_content(struct json_writer *writer, const char *media_type)
{
    writer_key(writer, "content");
    writer_open_object(writer);
    writer_key(writer, media_type);
    writer_raw(writer, "{\"schema\":{\"type\":\"string\"}}");
    writer_close_object(writer);
}

/* An answer that carries the route's reply. */
static void write_reply_response(struct json_writer *writer, const struct route *route,
                                 const char *status, const char *description)
{
    writer_key(writer, status);
    writer_open_object(writer);
    writer_key_string(writer, "description", description);
    if (route->media_type)
        write_text_content(writer, route->media_type);
    else
        write_json_content(writer, route->reply ? route->reply->name : NULL);
    writer_close_object(writer);
}

static void write_responses(struct json_writer *writer, const struct route *route)
{
    writer_key(writer, "responses");
    writer_open_object(writer);
    write_reply_response(writer, route, "200", "Done");
    if (route->body) {
        write_error_response(writer, "400", "BadRequest");
        write_error_response(writer, "413", "BodyTooLarge");
    }
    if (route->guard != GUARD_PUBLIC) {
        write_error_response(writer, "401", "Unauthorized");
        write_error_response(writer, "403", "Forbidden");
    }
    if (strchr(route->path, '{'))
        write_error_response(writer, "404", "NotFound");
    if (route->may_conflict)
        write_error_response(writer, "409", "Conflict");
    if (route->body || route->query)
        write_error_response(writer, "422",
                             route->may_be_incomplete ? "Unprocessable" : "ValidationFailed");
    if (route->guard != GUARD_PUBLIC)
        write_error_response(writer, "429", "TooManyRequests");
    if (route->may_be_unready)
        write_reply_response(writer, route, "503", "Not ready");
    if (route->may_lack_provider)
        write_error_response(writer, "503", "ProviderFailed");
    writer_close_object(writer);
}

static void write_security(struct json_writer *writer, const struct route *route)
{
    writer_key(writer, "security");
    if (route->guard == GUARD_PUBLIC)
        writer_raw(writer, "[]");
    else
        writer_raw(writer, "[{\"bearer\":[]},{\"api_key\":[]},{}]");
}

static const char *lower_method(struct arena *arena, enum method method)
{
    char *name = arena_copy_string(arena, method_names[method]);

    for (char *p = name; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return name;
}

static void write_operation(struct json_writer *writer, const struct route *route)
{
    writer_key(writer, lower_method(writer->out->arena, route->method));
    writer_open_object(writer);
    writer_key_string(writer, "operationId", route->name);
    writer_key(writer, "tags");
    writer_open_array(writer);
    writer_string(writer, route->tag);
    writer_close_array(writer);
    writer_key_string(writer, "summary", route->summary);
    if (route->help)
        writer_key_string(writer, "description", route->help);
    write_security(writer, route);
    write_parameters(writer, route);
    if (route->body) {
        writer_key(writer, "requestBody");
        writer_open_object(writer);
        writer_key_boolean(writer, "required", !route->body_optional);
        write_json_content(writer, schema_component_name(route->body, false, writer->out->arena));
        writer_close_object(writer);
    }
    write_responses(writer, route);
    writer_close_object(writer);
}

/* Rows of the same path stand together in one path item. */
static void write_paths(struct json_writer *writer, const struct application *application)
{
    writer_key(writer, "paths");
    writer_open_object(writer);
    for (size_t i = 0; i < application->route_count; i++) {
        const char *path = application->routes[i].path;
        bool first = true;

        for (size_t j = 0; j < i; j++)
            first = first && strcmp(application->routes[j].path, path) != 0;
        if (!first)
            continue;
        writer_key(writer, path);
        writer_open_object(writer);
        for (size_t j = i; j < application->route_count; j++)
            if (strcmp(application->routes[j].path, path) == 0)
                write_operation(writer, &application->routes[j]);
        writer_close_object(writer);
    }
    writer_close_object(writer);
}

/* The two shapes that no route table names, because every route has them. */
static const char error_schema[] =
    "{\"type\":\"object\",\"description\":\"Every answer that is not a success\","
    "\"required\":[\"detail\",\"error_code\",\"status_code\",\"request_id\"],"
    "\"properties\":{\"detail\":{\"type\":\"string\"},\"error_code\":{\"type\":\"string\"},"
    "\"status_code\":{\"type\":\"integer\"},\"request_id\":{\"type\":\"string\"}},"
    "\"additionalProperties\":false}";
static const char validation_schema[] =
    "{\"type\":\"object\",\"description\":\"Every error of the document, each at its place\","
    "\"required\":[\"detail\",\"error_code\",\"status_code\",\"request_id\"],"
    "\"properties\":{\"detail\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"required\":[\"type\",\"loc\",\"msg\",\"input\"],"
    "\"properties\":{\"type\":{\"type\":\"string\"},"
    "\"loc\":{\"type\":\"array\",\"items\":{\"type\":[\"string\",\"integer\"]}},"
    "\"msg\":{\"type\":\"string\"},\"input\":{},\"ctx\":{\"type\":\"object\"}},"
    "\"additionalProperties\":false}},"
    "\"error_code\":{\"const\":\"validation_error\"},\"status_code\":{\"const\":422},"
    "\"request_id\":{\"type\":\"string\"}},\"additionalProperties\":false}";

static const char unprocessable_schema[] =
    "{\"anyOf\":[{\"$ref\":\"#/components/schemas/ValidationError\"},"
    "{\"$ref\":\"#/components/schemas/Error\"}]}";

static const struct {
    const char *name;
    const char *description;
    const char *schema;
} error_responses[] = {
    {"BadRequest", "The values have no answer", "Error"},
    {"Unauthorized", "A token is missing or unknown", "Error"},
    {"Forbidden", "The token may not do this", "Error"},
    {"NotFound", "Nothing with that id", "Error"},
    {"Conflict", "What is stored forbids it for now", "Error"},
    {"BodyTooLarge", "The body is over its limit", "Error"},
    {"ValidationFailed", "The document does not fit its schema", "ValidationError"},
    {"Unprocessable", "The document does not fit its schema, or lacks what this needs",
     "Unprocessable"},
    {"ProviderFailed", "A service outside gave no usable answer", "Error"},
    {"TooManyRequests", "A limit was reached; see Retry-After", "Error"},
};

static void write_components(struct json_writer *writer, const struct application *application)
{
    struct components components = {0};

    for (size_t i = 0; i < application->route_count; i++) {
        collect(&components, application->routes[i].body, false);
        collect(&components, application->routes[i].reply, true);
    }
    writer_key(writer, "components");
    writer_open_object(writer);
    writer_key(writer, "schemas");
    writer_open_object(writer);
    for (size_t i = 0; i < components.count; i++) {
        const struct component *item = &components.items[i];

        writer_key(writer, schema_component_name(item->schema, item->reply, writer->out->arena));
        schema_describe(writer, item->schema, item->reply);
    }
    writer_key(writer, "Error");
    writer_raw(writer, error_schema);
    writer_key(writer, "ValidationError");
    writer_raw(writer, validation_schema);
    writer_key(writer, "Unprocessable");
    writer_raw(writer, unprocessable_schema);
    writer_close_object(writer);
    writer_key(writer, "responses");
    writer_open_object(writer);
    for (size_t i = 0; i < COUNT_OF(error_responses); i++) {
        writer_key(writer, error_responses[i].name);
        writer_open_object(writer);
        writer_key_string(writer, "description", error_responses[i].description);
        write_json_content(writer, error_responses[i].schema);
        writer_close_object(writer);
    }
    writer_close_object(writer);
    writer_key(writer, "securitySchemes");
    writer_raw(writer, "{\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\"},"
                       "\"api_key\":{\"type\":\"apiKey\",\"in\":\"header\","
                       "\"name\":\"X-API-Key\"}}");
    writer_close_object(writer);
}

static void write_info(struct json_writer *writer, const struct document_info *info)
{
    writer_key(writer, "info");
    writer_open_object(writer);
    writer_key_string(writer, "title", info->title);
    writer_key_string(writer, "version", info->version);
    writer_key_string(writer, "description", info->description);
    writer_key(writer, "license");
    writer_raw(writer, "{\"name\":\"MIT\",\"identifier\":\"MIT\"}");
    writer_close_object(writer);
}

static void write_tags(struct json_writer *writer, const struct application *application)
{
    writer_key(writer, "tags");
    writer_open_array(writer);
    for (size_t i = 0; i < application->route_count; i++) {
        bool first = true;

        for (size_t j = 0; j < i; j++)
            first = first && strcmp(application->routes[j].tag, application->routes[i].tag) != 0;
        if (!first)
            continue;
        writer_open_object(writer);
        writer_key_string(writer, "name", application->routes[i].tag);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

void server_describe(const struct server *server, struct text *out)
{
    struct json_writer writer;

    writer_start(&writer, out);
    writer_open_object(&writer);
    writer_key_string(&writer, "openapi", "3.1.0");
    write_info(&writer, &server->info);
    write_tags(&writer, server->application);
    write_paths(&writer, server->application);
    write_components(&writer, server->application);
    writer_close_object(&writer);
}
