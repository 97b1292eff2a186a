/* Decodes the JSON body and the query string into typed structs, each by the route's schema. */
#include "base/json.h"
#include "http/http_internal.h"

#include <string.h>
#include <strings.h>

enum { ESCAPED_BYTES = 3 }; /* of "%XX", the longest form of a byte */

static int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    digit |= 0x20;
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* The byte that "%XX" at `text` encodes; -1 when it encodes none. */
static int escaped_byte(const char *text, size_t left)
{
    int high, low;

    if (left < 3 || text[0] != '%')
        return -1;
    high = hex_digit(text[1]);
    low = hex_digit(text[2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* Decodes %XX and '+'. Decoding ends at U+0000 and at bytes that are not UTF-8; `whole` is true
 * when there were none. */
static const char *decode_text(struct arena *arena, const char *text, size_t length, bool *whole)
{
    char *decoded = arena_alloc(arena, length + 1);
    size_t at = 0, end;

    for (size_t i = 0; i < length; i++) {
        int byte = escaped_byte(text + i, length - i);

        if (byte >= 0) {
            decoded[at++] = (char)byte;
            i += 2;
        } else {
            decoded[at++] = text[i] == '+' ? ' ' : text[i];
        }
    }
    end = utf8_valid_prefix(decoded, strnlen(decoded, at));
    decoded[end] = '\0';
    *whole = end == at;
    return decoded;
}

const char *form_decode(struct arena *arena, const char *text, size_t length)
{
    bool whole;

    return decode_text(arena, text, length, &whole);
}

/* The first pair of "a=b&c=d", and where the rest begins. */
struct form_pair {
    const char *name;
    const char *value;
    bool whole; /* the whole value is valid text */
};

static const char *next_pair(struct arena *arena, const char *text, struct form_pair *pair)
{
    size_t length = strcspn(text, "&");
    size_t name_length = strcspn(text, "=&");
    size_t value_at = name_length < length ? name_length + 1 : length;

    pair->name = form_decode(arena, text, name_length);
    pair->value = decode_text(arena, text + value_at, length - value_at, &pair->whole);
    return text + length + (text[length] == '&');
}

const char *request_form_value(const struct request *request, const char *name)
{
    const char *at = request->bytes ? request->bytes : "", *value = NULL;
    size_t shortest = strlen(name);

    while (*at) {
        size_t length = strcspn(at, "=&");
        struct form_pair pair;

        if (length < shortest || length > ESCAPED_BYTES * shortest) {
            at += strcspn(at, "&");
            at += *at == '&';
            continue;
        }
        at = next_pair(request->arena, at, &pair);
        if (strcmp(pair.name, name) == 0)
            value = pair.value;
    }
    return value;
}

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

enum error request_check_names(struct request *request, const char *field, const json_t *object,
                               const char *const *names, size_t count)
{
    json_t *members = (json_t *)(uintptr_t)object; /* iterated, not changed */
    enum error error = ERROR_NONE;

    for (void *at = json_object_iter(members); at; at = json_object_iter_next(members, at)) {
        const char *name = json_object_iter_key(at);

        if (!is_among(name, names, count))
            error = request_fault(
                request, "body",
                arena_print(request->arena, "%s%s%s", field ? field : "", field ? "." : "", name),
                "extra_forbidden", "Extra inputs are not permitted");
    }
    return error;
}

static bool has_field(const struct schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->field_count; i++)
        if (strcmp(schema->fields[i].name, name) == 0)
            return true;
    return false;
}

/* The query as a JSON object of strings, so that one decoder serves both; the last of several
 * values of a name wins. A value that is not valid text is a fault only if the schema has that
 * parameter. */
static json_t *query_document(struct serving *serving, const struct schema *schema,
                              const char *query)
{
    struct arena *arena = serving->request.arena;
    struct text text;
    struct json_writer writer;
    struct json_fault fault;
    json_t *members;

    if (json_read(arena, "{}", 2, 1, &members, &fault))
        return NULL;
    while (*query) {
        struct form_pair pair;
        json_t *string;

        if (*query == '&') {
            query++;
            continue;
        }
        query = next_pair(arena, query, &pair);
        if (!pair.whole && has_field(schema, pair.name))
            (void)request_fault(&serving->request, "query", pair.name, "string_type",
                                "Input should be a valid string: UTF-8 without U+0000");
        text_start(&text, arena, 6 * strlen(pair.value) + 3);
        writer_start(&writer, &text);
        writer_string(&writer, pair.value);
        if (!json_read(arena, text.bytes, text.length, 1, &string, &fault))
            json_object_set_new_nocheck(members, pair.name, string);
    }
    return members;
}

/* For a route without a query, or without a body: every member sent is unknown. */
static const struct schema nothing = {.name = "Nothing", .size = 1};

bool step_decode_query(struct serving *serving)
{
    const struct route *route = serving->match.route;
    const struct schema *schema = route->query ? route->query : &nothing;
    const char *query = serving->exchange->variable(serving->exchange->transport, "QUERY_STRING");
    struct schema_errors errors;
    json_t *document;
    void *object;

    if (!route->query && (route->any_query || !query || !*query))
        return true;
    document = query_document(serving, schema, query ? query : "");
    if (serving->request.fault_count) {
        answer_faults(serving);
        return false;
    }
    object = arena_alloc(serving->request.arena, schema->size);
    if (schema_decode_request(schema, document, "query", object, &errors, serving->request.arena)) {
        answer_validation(serving, &errors);
        return false;
    }
    serving->request.query = object;
    return true;
}

bool is_json_type(const char *type)
{
    size_t length = type ? strcspn(type, "; \t") : 0;

    if (length == 16 && strncasecmp(type, "application/json", 16) == 0)
        return true;
    return length > 17 && strncasecmp(type, "application/", 12) == 0 &&
           strncasecmp(type + length - 5, "+json", 5) == 0;
}

/* The handler reads it, in whatever format. */
static bool has_own_format(const struct route *route)
{
    return route->form || route->takes || route->reads_body;
}

bool step_json(struct serving *serving)
{
    const struct request *request = &serving->request;
    const struct route *route = serving->match.route;
    const char *type = serving->exchange->variable(serving->exchange->transport, "CONTENT_TYPE");
    struct json_fault fault;

    if (!route || has_own_format(route))
        return true;
    if (request->length == 0) {
        if (route->body && !route->body_optional)
            answer_body_missing(serving);
        return !route->body || route->body_optional;
    }
    if (!serving->format->reads_any_type && type && *type && !is_json_type(type)) {
        answer_body_not_json(serving);
        return false;
    }
    if (serving->format->failures[FAILURE_ENCODING].error_code &&
        utf8_valid_prefix(request->bytes, request->length) != request->length) {
        answer_failure(serving, 400, FAILURE_ENCODING);
        return false;
    }
    if (!json_read(request->arena, request->bytes, request->length, serving->policy->json_depth,
                   &serving->document, &fault))
        return true;
    answer_json_invalid(serving, &fault);
    return false;
}

bool step_fields(struct serving *serving)
{
    const struct schema *body = serving->match.route->body;
    const struct schema *schema = body ? body : &nothing;
    struct schema_errors errors;
    void *object;

    if (!serving->document)
        return true;
    object = arena_alloc(serving->request.arena, schema->size);
    if (schema_decode_request(schema, serving->document, "body", object, &errors,
                              serving->request.arena)) {
        answer_validation(serving, &errors);
        return false;
    }
    serving->request.body = object;
    return true;
}
