/* The OpenAPI 3.1 document of one responder, from its route table alone. */
#include "http/http_internal.h"
#include "http/multipart.h"
#include "http/replica.h"

#include <ctype.h>
#include <string.h>

enum { COMPONENTS_MAX = 256 };

struct component {
    const struct schema *schema;
    bool reply;
};

/* The schemas that routes refer to, each once. */
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
    for (size_t i = 0; i < schema->field_count; i++) {
        const struct schema *const *variant = schema->fields[i].variants;

        collect(components, schema->fields[i].schema, reply);
        for (; variant && *variant; variant++)
            collect(components, *variant, reply);
    }
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
static const struct field key_field = {
    .type = FIELD_STRING,
    .max_length = IDEMPOTENCY_KEY_MAX,
    .help = "The same key with the same body gets the first answer again."};

static const struct field position_field = {
    .type = FIELD_INTEGER,
    .help = "X-Data-Position of the answer to a write: the answer is not older than that write."};

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
    if (route->traits & TRAIT_MAY_BE_OLD)
        write_parameter(writer, "header", "X-Data-Position", &position_field);
    if (route->idempotent)
        write_parameter(writer, "header", "Idempotency-Key", &key_field);
    writer_close_array(writer);
}

static void write_text_content(struct json_writer *writer, const char *media_type)
{
    writer_key(writer, "content");
    writer_open_object(writer);
    writer_key(writer, media_type);
    writer_raw(writer, "{\"schema\":{\"type\":\"string\"}}");
    writer_close_object(writer);
}

static void write_list_content(struct json_writer *writer, const char *schema_name)
{
    writer_key(writer, "content");
    writer_open_object(writer);
    writer_key(writer, "application/json");
    writer_open_object(writer);
    writer_key(writer, "schema");
    writer_open_object(writer);
    writer_key_string(writer, "type", "array");
    writer_key(writer, "items");
    write_reference(writer, "schemas", schema_name);
    writer_close_object(writer);
    writer_close_object(writer);
    writer_close_object(writer);
}

static const char *status_text(struct arena *arena, int status)
{
    return arena_print(arena, "%d", status);
}

/* An answer that carries the route's reply. */
static void write_reply_response(struct json_writer *writer, const struct route *route, int status,
                                 const char *description)
{
    writer_key(writer, status_text(writer->out->arena, status));
    writer_open_object(writer);
    writer_key_string(writer, "description", description);
    if (status != 204 && status != 304 && status / 100 != 3) {
        if (route->media_type)
            write_text_content(writer, route->media_type);
        else if (route->reply_is_list)
            write_list_content(writer, route->reply->name);
        else
            write_json_content(writer, route->reply ? route->reply->name : NULL);
    }
    writer_close_object(writer);
}

/* What each status means as an error; the components of the document. */
static const struct {
    int status;
    const char *name;
    const char *description;
} error_responses[] = {
    {400, "BadRequest", "The values have no answer"},
    {401, "Unauthorized", "Credentials are missing or unknown"},
    {403, "Forbidden", "The credentials do not allow this"},
    {404, "NotFound", "Nothing with that id"},
    {406, "NotAcceptable", "The version asked for does not exist"},
    {409, "Conflict", "What is stored forbids it for now"},
    {410, "Gone", "It is no longer kept"},
    {412, "PreconditionFailed", "A condition of the request cannot be met"},
    {413, "BodyTooLarge", "The body is over its limit"},
    {415, "UnsupportedMedia", "Nothing here reads that media type"},
    {421, "Misdirected", "An open service is asked for under a host that it does not know"},
    {422, "ValidationFailed", "The document does not fit its schema"},
    {429, "TooManyRequests", "A limit was reached; see Retry-After"},
    {500, "InternalError", "Something broke inside"},
    {501, "NotAvailable", "This installation does not have that capability"},
    {502, "BadGateway", "A service outside gave nonsense"},
    {503, "Unavailable", "Something that this needs is not there; try again"},
    {504, "TimedOut", "It took longer than allowed"},
};
#define UNPROCESSABLE "Unprocessable" /* 422 that may also carry a text */

static bool lists(const int *errors, int status)
{
    for (; errors && *errors; errors++)
        if (*errors == status)
            return true;
    return false;
}

/* Statuses that follow from the route's row itself. */
static bool implies(const struct route *route, int status)
{
    bool has_body = route->body || route->form || route->takes || route->reads_body;

    switch (status) {
    case 400:
        return has_body;
    case 403:
        return route->role > 0 || route->method != METHOD_GET;
    case 401:
    case 421:
    case 429:
        return route->role > 0;
    case 404:
        return strchr(route->path, '{') != NULL;
    case 413:
        return has_body;
    case 422:
        return (has_body || !route->any_query || route->idempotent) && !route->unfit_status;
    case 409:
        return route->idempotent;
    case 415:
        return route->sets_cookie;
    default:
        return false;
    }
}

static void write_responses(struct json_writer *writer, const struct route *route)
{
    struct arena *arena = writer->out->arena;

    writer_key(writer, "responses");
    writer_open_object(writer);
    write_reply_response(writer, route, route->status ? route->status : 200, "Done");
    for (const int *error = route->errors; error && *error; error++)
        if (*error < 400)
            write_reply_response(writer, route, *error < 0 ? -*error : *error,
                                 *error == 304 ? "Not changed since" : "Not as it should be");
    for (size_t i = 0; i < COUNT_OF(error_responses); i++) {
        int status = error_responses[i].status;
        bool listed = lists(route->errors, status);

        if (!listed && !implies(route, status))
            continue;
        writer_key(writer, status_text(arena, status));
        write_reference(writer, "responses",
                        status == 422 && listed ? UNPROCESSABLE : error_responses[i].name);
    }
    writer_close_object(writer);
}

static void write_security(struct json_writer *writer, const struct route *route,
                           const struct wire_format *format)
{
    writer_key(writer, "security");
    writer_raw(writer, route->role && format->security ? format->security(route) : "[]");
}

/* A form: its text fields are strings, its files are binary strings. */
static void write_form_content(struct json_writer *writer, const struct form_rule *form)
{
    writer_key(writer, "content");
    writer_open_object(writer);
    writer_key(writer, "multipart/form-data");
    writer_open_object(writer);
    writer_key(writer, "schema");
    writer_open_object(writer);
    writer_key_string(writer, "type", "object");
    writer_key(writer, "required");
    writer_open_array(writer);
    for (size_t i = 0; i < form->part_count; i++)
        if (form->parts[i].required)
            writer_string(writer, form->parts[i].name);
    writer_close_array(writer);
    writer_key(writer, "properties");
    writer_open_object(writer);
    for (size_t i = 0; i < form->part_count; i++) {
        const struct form_part_rule *part = &form->parts[i];
        const char *one =
            part->file ? "{\"type\":\"string\",\"format\":\"binary\"}" : "{\"type\":\"string\"}";

        writer_key(writer, part->name);
        writer_raw(writer, part->most > 1 ? arena_print(writer->out->arena,
                                                        "{\"type\":\"array\",\"items\":%s}", one)
                                          : one);
    }
    writer_close_object(writer);
    writer_close_object(writer);
    writer_close_object(writer);
    writer_close_object(writer);
}

static void write_request_body(struct json_writer *writer, const struct route *route)
{
    if (!route->body && !route->form && !route->takes)
        return;
    writer_key(writer, "requestBody");
    writer_open_object(writer);
    writer_key_boolean(writer, "required", !route->body_optional);
    if (route->form)
        write_form_content(writer, route->form);
    else if (route->takes)
        write_text_content(writer, route->takes);
    else
        write_json_content(writer, schema_component_name(route->body, false, writer->out->arena));
    writer_close_object(writer);
}

static const char *lower_method(struct arena *arena, enum method method)
{
    char *name = arena_copy_string(arena, method_names[method]);

    for (char *p = name; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return name;
}

/* What /mcp needs to call the route as a tool: who answers it, and whether it changes anything. */
static void write_tool(struct json_writer *writer, const struct route *route,
                       const struct http_family *family)
{
    writer_key(writer, "x-assay");
    writer_open_object(writer);
    writer_key_string(writer, "family", family->name);
    writer_key_boolean(writer, "reads", route_reads(route, family->service->reading_traits));
    if (route->tail)
        writer_key_boolean(writer, "tail", true);
    if (route->sets_cookie)
        writer_key_boolean(writer, "sets_cookie", true);
    if (route->no_tool)
        writer_key_boolean(writer, "no_tool", true);
    if (route->for_models)
        writer_key_string(writer, "for_models", route->for_models);
    writer_close_object(writer);
}

static void write_operation(struct json_writer *writer, const struct route *route,
                            const struct server *server)
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
    write_security(writer, route, server->family->service->format);
    write_parameters(writer, route);
    write_request_body(writer, route);
    if (route->body || route->form || route->takes || route->reads_body)
        writer_key_integer(writer, "x-body-max-bytes",
                           (int64_t)server->policy.body_limits[route->body_limit]);
    write_responses(writer, route);
    write_tool(writer, route, server->family);
    writer_close_object(writer);
}

/* Rows of the same path share one path item. */
static bool is_first_of_path(const struct http_family *family, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (!family->routes[i].hidden &&
            strcmp(family->routes[i].path, family->routes[row].path) == 0)
            return false;
    return true;
}

static void write_paths(struct json_writer *writer, const struct server *server)
{
    const struct http_family *family = server->family;

    writer_key(writer, "paths");
    writer_open_object(writer);
    for (size_t i = 0; i < family->route_count; i++) {
        const char *path = family->routes[i].path;

        if (family->routes[i].hidden || !is_first_of_path(family, i))
            continue;
        writer_key(writer, path);
        writer_open_object(writer);
        for (size_t j = i; j < family->route_count; j++)
            if (!family->routes[j].hidden && strcmp(family->routes[j].path, path) == 0)
                write_operation(writer, &family->routes[j], server);
        writer_close_object(writer);
    }
    writer_close_object(writer);
}

/* The component of a failed validation. */
static const char *validation_name(const struct wire_format *format)
{
    return format->validation_item_schema ? "HTTPValidationError" : "ValidationError";
}

static void write_unprocessable(struct json_writer *writer, const struct wire_format *format)
{
    writer_open_object(writer);
    writer_key(writer, "anyOf");
    writer_open_array(writer);
    write_reference(writer, "schemas", validation_name(format));
    write_reference(writer, "schemas", "Error");
    writer_close_array(writer);
    writer_close_object(writer);
}

static void write_error_component(struct json_writer *writer, const char *name,
                                  const char *description, const char *media_type,
                                  const char *schema)
{
    writer_key(writer, name);
    writer_open_object(writer);
    writer_key_string(writer, "description", description);
    writer_key(writer, "content");
    writer_open_object(writer);
    writer_key(writer, media_type);
    writer_open_object(writer);
    writer_key(writer, "schema");
    write_reference(writer, "schemas", schema);
    writer_close_object(writer);
    writer_close_object(writer);
    writer_close_object(writer);
}

/* The error responses that every route may give. */
static void write_error_components(struct json_writer *writer, const struct wire_format *format)
{
    writer_key(writer, "responses");
    writer_open_object(writer);
    for (size_t i = 0; i < COUNT_OF(error_responses); i++)
        write_error_component(writer, error_responses[i].name, error_responses[i].description,
                              JSON_MEDIA_TYPE,
                              error_responses[i].status == 422 ? validation_name(format) : "Error");
    write_error_component(writer, UNPROCESSABLE,
                          "The document does not fit its schema, or lacks what this needs",
                          JSON_MEDIA_TYPE, UNPROCESSABLE);
    writer_close_object(writer);
}

static void write_components(struct json_writer *writer, const struct http_family *family)
{
    const struct wire_format *format = family->service->format;
    struct components components = {0};

    for (size_t i = 0; i < family->route_count; i++) {
        collect(&components, family->routes[i].body, false);
        collect(&components, family->routes[i].reply, true);
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
    writer_raw(writer, format->error_schema);
    writer_key(writer, validation_name(format));
    writer_raw(writer, format->validation_schema);
    if (format->validation_item_schema) {
        writer_key(writer, "ValidationError");
        writer_raw(writer, format->validation_item_schema);
    }
    writer_key(writer, UNPROCESSABLE);
    write_unprocessable(writer, format);
    writer_close_object(writer);
    write_error_components(writer, format);
    writer_key(writer, "securitySchemes");
    writer_raw(writer, format->security_schemes);
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

static void write_tags(struct json_writer *writer, const struct http_family *family)
{
    writer_key(writer, "tags");
    writer_open_array(writer);
    for (size_t i = 0; i < family->route_count; i++) {
        bool first = !family->routes[i].hidden;

        for (size_t j = 0; j < i; j++)
            first = first && (family->routes[j].hidden ||
                              strcmp(family->routes[j].tag, family->routes[i].tag) != 0);
        if (!first)
            continue;
        writer_open_object(writer);
        writer_key_string(writer, "name", family->routes[i].tag);
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
    write_tags(&writer, server->family);
    write_paths(&writer, server);
    write_components(&writer, server->family);
    writer_close_object(&writer);
}
