/* Any query string, through the pipeline to a handler that writes what it was given as a query
 * again: asked with that, it is given the same. */
#include "fuzz.h"
#include "wire.h"

#include "base/log.h"
#include "crypto/crypto.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { INPUT_MEMORY_MAX = 1 << 26, QUERY_MAX = 1 << 22 };

static const char *const choice_names[] = {"first", "second", "third"};

struct asked {
    const char *text;
    struct optional_integer whole;
    struct optional_number real;
    struct optional_boolean flag;
    int choice;
    int64_t limit;
};

#define OWNER struct asked
static const struct field asked_fields[] = {
    STRING(OWNER, text, .nullable = true, .max_length = 500),
    NULLABLE_INTEGER(OWNER, whole),
    NULLABLE_NUMBER(OWNER, real),
    NULLABLE_BOOLEAN(OWNER, flag),
    CHOICE(OWNER, choice, choice_names, .choice_count = 3, .default_value = 1),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(200), .default_value = 50),
};
#undef OWNER
static SCHEMA(asked_schema, struct asked, "Asked", asked_fields, .extra = EXTRA_IGNORE);

static struct text given; /* the query that says what the handler was given */

static void append_encoded(const char *name, const char *value)
{
    text_append_format(&given, "&%s=", name);
    for (; *value; value++)
        text_append_format(&given, isalnum((unsigned char)*value) ? "%c" : "%%%02X",
                           (unsigned char)*value);
}

static enum error note(struct request *request, struct reply *reply)
{
    const struct asked *asked = request->query;

    reply->object = asked;
    if (asked->text)
        append_encoded("text", asked->text);
    if (asked->whole.given)
        text_append_format(&given, "&whole=%lld", (long long)asked->whole.value);
    if (asked->real.given)
        append_encoded("real", arena_print(request->arena, "%.17g", asked->real.value));
    PROMISE(!asked->real.given || isfinite(asked->real.value), "numbers are finite");
    if (asked->flag.given)
        text_append_format(&given, "&flag=%s", asked->flag.value ? "true" : "false");
    text_append_format(&given, "&choice=%s&limit=%lld", choice_names[asked->choice],
                       (long long)asked->limit);
    return ERROR_NONE;
}

static const struct route routes[] = {
    {METHOD_GET, "/asked", .query = &asked_schema, .reply = &asked_schema, .handler = note,
     .name = "asked", .tag = "t", .summary = "s"},
};

static void write_error(struct json_writer *writer, const struct request *request,
                        const struct http_error *error)
{
    write_error_detail(writer, request, error, ERROR_CODE);
}

static const struct wire_format format = {.write_error = write_error,
                                          .headers = "",
                                          .request_id_in = HEADERS("HTTP_X_REQUEST_ID"),
                                          .request_id_out = HEADERS("X-Request-ID")};
static const struct http_service service = {.name = "fuzz", .format = &format};
static const struct http_family family = {.service = &service, .name = "query", ROUTES(routes)};

static struct server server;
static struct arena *process_arena;

static void close_server(void)
{
    server_stop(&server);
    arena_destroy(process_arena);
}

static void open_server(void)
{
    struct problem problem;

    if (server.region)
        return;
    process_arena = arena_create(1 << 24);
    server = (struct server){.family = &family,
                             .policy = {.body_limits = {4096, 4096, 4096},
                                        .memory_limit = INPUT_MEMORY_MAX,
                                        .json_depth = 16}};
    PROMISE(!crypto_start(&problem) &&
                !server_start(&server, process_arena, NULL, "locales", &problem),
            "the server starts");
    log_open("fuzz", LOG_CRITICAL, LOG_JSON);
    atexit(close_server);
}

/* What the handler was given, in the form of a query; NULL when it was not called. */
static const char *ask(struct arena *arena, const char *query)
{
    struct wire wire;

    text_start(&given, arena, QUERY_MAX);
    wire_start(&wire, arena);
    wire_add(&wire, "REQUEST_METHOD", "GET");
    wire_add(&wire, "DOCUMENT_URI", "/asked");
    wire_add(&wire, "QUERY_STRING", query);
    wire_serve(&wire, &server);
    PROMISE(wire.status == (given.length ? 200 : 422), "a query is right or unprocessable");
    return given.length ? given.bytes : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_create(INPUT_MEMORY_MAX);
    const char *first, *second;

    open_server();
    first = ask(arena, arena_copy(arena, (const char *)data, size));
    if (first) {
        second = ask(arena, first);
        PROMISE(second && strcmp(first, second) == 0, "what was read is read again");
    }
    arena_destroy(arena);
    return 0;
}
