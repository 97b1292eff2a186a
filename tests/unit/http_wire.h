/* A service with one family in this process: a pretended transport in, the whole answer out. For
 * tests of the pipeline. */
#ifndef ASSAY_HTTP_WIRE_H
#define ASSAY_HTTP_WIRE_H

#include "crypto/crypto.h"
#include "http/multipart.h"
#include "http/server.h"
#include "http/stream.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

struct echo {
    const char *word;
    int64_t times;
};

struct echo_reply {
    struct string_list words;
    double rate;
};

#define OWNER struct echo
static const struct field echo_fields[] = {
    STRING(OWNER, word, .required = true, .max_length = 100000),
    INTEGER(OWNER, times, .lower = AT_LEAST(1), .upper = AT_MOST(1000000), .default_value = 1),
};
#undef OWNER
static const struct schema echo_schema = {.name = "Echo",
                                          .size = sizeof(struct echo),
                                          .fields = echo_fields,
                                          .field_count = COUNT_OF(echo_fields)};
static const struct schema echo_query = {.name = "EchoQuery",
                                         .size = sizeof(struct echo),
                                         .fields = echo_fields,
                                         .field_count = COUNT_OF(echo_fields),
                                         .extra = EXTRA_IGNORE};
#define OWNER struct echo_reply
static const struct field reply_fields[] = {STRINGS(OWNER, words), NUMBER(OWNER, rate, ROUNDED(2))};
#undef OWNER
static const struct schema reply_schema = {.name = "EchoReply",
                                           .size = sizeof(struct echo_reply),
                                           .fields = reply_fields,
                                           .field_count = COUNT_OF(reply_fields)};

enum { NOBODY, READER, WRITER, OPERATOR };
enum { HEAVY = 1 };

static enum error repeat(const struct echo *echo, struct request *request, struct reply *reply)
{
    struct echo_reply *answer = ARENA_NEW(request->arena, struct echo_reply);

    answer->words.count = (size_t)echo->times;
    answer->words.items = ARENA_ARRAY(request->arena, const char *, (size_t)echo->times);
    for (size_t i = 0; i < answer->words.count; i++)
        answer->words.items[i] = arena_copy_string(request->arena, echo->word);
    answer->rate = 1.005;
    reply->object = answer;
    return ERROR_NONE;
}

static enum error echo_handle(struct request *request, struct reply *reply)
{
    return repeat(request->body, request, reply);
}

static enum error query_handle(struct request *request, struct reply *reply)
{
    return repeat(request->query, request, reply);
}

static enum error thing_handle(struct request *request, struct reply *reply)
{
    const struct echo echo = {.word = request->arguments[0], .times = 1};

    if (strcmp(request->arguments[0], "missing") == 0)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "thing_not_found", "No such thing");
    if (strcmp(request->arguments[0], "odd") == 0)
        return problem_set(&request->problem, ERROR_INVALID, "thing_is_odd", "thing is odd");
    if (strcmp(request->arguments[0], "inject") == 0)
        reply_add_header(reply, "X-Thing", "a\r\nX-Evil: 1");
    return repeat(&echo, request, reply);
}

/* Arguments belong to the row that answers, also where an earlier one begins alike. */
static enum error pair_handle(struct request *request, struct reply *reply)
{
    const struct echo echo = {.word =
                                  arena_print(request->arena, "%s/%s", request->arguments[0],
                                              request->arguments[1] ? request->arguments[1] : "-"),
                              .times = 1};

    return repeat(&echo, request, reply);
}

/* Streams its query's word, then fails or runs out of memory when asked to by `times`. */
static enum error stream_handle(struct request *request, struct reply *reply)
{
    const struct echo *echo = request->query;
    struct stream stream;
    enum error error = stream_open(request, reply, STREAM_EVENTS, &stream);

    if (error)
        return error;
    stream_event(&stream, "word", "7", echo->word);
    stream_ping(&stream, "ping");
    if (echo->times > 2)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "gone", "gone");
    if (echo->times > 1)
        arena_alloc(request->arena, 1 << 30);
    stream_event(&stream, NULL, NULL, "{}");
    return ERROR_NONE;
}

static enum error form_handle(struct request *request, struct reply *reply)
{
    const struct form_part *file = form_find(request->form, "file");
    const struct form_part *note = form_find(request->form, "note");
    char bytes[64] = "";

    if (file && read(file->file, bytes, sizeof bytes - 1) < 0)
        return problem_set(&request->problem, ERROR_SYSTEM, "unreadable", "unreadable");
    text_append_format(&reply->body, "%s|%zu|%s|%s", file ? file->file_name : "-",
                       file ? file->length : 0, bytes, note ? note->text : "-");
    return ERROR_NONE;
}

static enum error nothing_handle(struct request *request, struct reply *reply)
{
    (void)request;
    (void)reply;
    return ERROR_NONE;
}

static enum error fault_handle(struct request *request, struct reply *reply)
{
    (void)reply;
    (void)request_fault(request, "path", "thing_id", "value_error", "no thing");
    return request_fault(request, "query", "limit", "value_error", "no limit");
}

static const struct form_part_rule form_parts[] = {{"file", .file = true, .required = true},
                                                   {"note"}};
static const struct form_rule form = {form_parts, COUNT_OF(form_parts), .file_limit = 2};

static const struct route routes[] = {
    {METHOD_GET, "/api/v1/a/{t}/{id}", READER, .reply = &reply_schema, .handler = pair_handle,
     .name = "pair", .tag = "t", .summary = "s"},
    {METHOD_GET, "/api/v1/a/order/{id}/timeline", READER, .reply = &reply_schema,
     .handler = pair_handle, .name = "timeline", .tag = "t", .summary = "s"},
    {METHOD_GET, "/api/v1/stream", READER, .query = &echo_query, .handler = stream_handle,
     .media_type = "text/event-stream", .name = "stream", .tag = "t", .summary = "s"},
    {METHOD_POST, "/api/v1/form", WRITER, .body_limit = 1, .form = &form,
     .media_type = "text/plain", .handler = form_handle, .name = "form", .tag = "t",
     .summary = "s"},
    {METHOD_DELETE, "/api/v1/nothing", WRITER, .status = 204, .handler = nothing_handle,
     .name = "nothing", .tag = "t", .summary = "s"},
    {METHOD_GET, "/api/v1/faults", READER, .handler = fault_handle, .name = "faults", .tag = "t",
     .summary = "s"},
    {METHOD_POST, "/api/v1/echo", READER, .body = &echo_schema, .reply = &reply_schema,
     .handler = echo_handle, .name = "echo", .tag = "t", .summary = "s"},
    {METHOD_GET, "/api/v1/echo", READER, .query = &echo_query, .reply = &reply_schema,
     .handler = query_handle, .name = "echo_query", .tag = "t", .summary = "s"},
    {METHOD_GET, "/api/v1/things/{thing_id}", READER, .reply = &reply_schema,
     .handler = thing_handle, .name = "thing", .tag = "t", .summary = "s"},
    {METHOD_GET, "/api/v1/keys", OPERATOR, .reply = &reply_schema, .handler = thing_handle,
     .name = "keys", .tag = "t", .summary = "s"},
    {METHOD_POST, "/api/v1/heavy", WRITER, HEAVY, .body = &echo_schema, .reply = &reply_schema,
     .handler = echo_handle, .name = "heavy", .tag = "t", .summary = "s"},
};

static const struct reason_answer reasons[] = {{"thing_not_found", 404, "thing_not_found"}};

/* State of the test's service, set before each request. */
static struct {
    bool closed;
    struct rate_rule rate, heavy;
} test_access;

/* "writer", "reader" and "operator" are tokens of themselves. */
static bool authenticate(struct request *request, struct http_refusal *refusal)
{
    static const char *const tokens[] = {"", "reader", "writer", "operator"};
    const char *token = request_header(request, "HTTP_X_API_KEY");

    request->who.role = test_access.closed ? NOBODY : WRITER;
    if (!test_access.closed || strncmp(request->path, "/api/v1", 7) != 0)
        return true;
    for (int role = READER; token && role <= OPERATOR; role++)
        if (strcmp(token, tokens[role]) == 0)
            request->who.role = role;
    *refusal = (struct http_refusal){401, "unauthorized", "Who are you?", "Bearer", .counts = true};
    return request->who.role != NOBODY;
}

static void refuse(const struct request *request, struct http_refusal *refusal)
{
    (void)request;
    *refusal = (struct http_refusal){403, "forbidden", "Not you"};
}

static size_t buckets(struct request *request, struct http_bucket bucket[HTTP_BUCKETS_MAX])
{
    if (!test_access.rate.max)
        return 0;
    bucket[0] = (struct http_bucket){.name = request->client.resolved, .rule = test_access.rate};
    bucket[1] = (struct http_bucket){.name = "heavy", .rule = test_access.heavy};
    return request->route && request->route->traits & HEAVY ? 2 : 1;
}

static void write_error(struct json_writer *writer, const struct request *request,
                        const struct http_error *error)
{
    write_error_detail(writer, request, error, ERROR_CODE | ERROR_STATUS | ERROR_REQUEST_ID);
}

static const char *too_large(const struct request *request, size_t announced, size_t limit)
{
    return arena_print(request->arena, "%zu of at most %zu bytes", announced, limit);
}

static const struct cors_rule cors = {
    .always_allowed = HEADERS("X-API-Key", "Content-Type"),
    .exposed = "X-Request-ID",
};

static struct wire_format format = {
    .write_error = write_error,
    .error_schema = "{}",
    .validation_schema = "{}",
    .security_schemes = "{}",
    .headers = "X-Frame-Options: DENY\r\n",
    .request_id_in = HEADERS("HTTP_X_REQUEST_ID"),
    .request_id_out = HEADERS("X-Request-ID"),
    .error_reason_header = "X-Error-Reason",
    .rate_headers = {"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"},
    .cors = &cors,
    .too_large = too_large,
};

static const struct metric counted[] = {HTTP_METRICS("t_")};

static const struct http_service service = {.name = "test",
                                            .format = &format,
                                            .reasons = reasons,
                                            .reason_count = COUNT_OF(reasons),
                                            .metrics = counted,
                                            .metric_count = COUNT_OF(counted),
                                            .counts_http = true,
                                            .authenticate = authenticate,
                                            .refuse = refuse,
                                            .buckets = buckets};
static const struct http_family family = {.service = &service, .name = "unit", ROUTES(routes)};

/* The pretended transport: variables as NAME, VALUE pairs, and the answer. */
struct wire {
    const char *variables[40];
    const char *body;
    size_t body_length;
    size_t at;
    char head[16384];
    char *answer;
    size_t streamed_length;
    char streamed[65536]; /* head and body of a stream */
    int ends;
    bool gone;
};

static const char *wire_variable(void *transport, const char *name)
{
    struct wire *wire = transport;

    for (size_t i = 0; wire->variables[i]; i += 2)
        if (strcmp(wire->variables[i], name) == 0)
            return wire->variables[i + 1];
    return NULL;
}

static long wire_read(void *transport, char *bytes, size_t size)
{
    struct wire *wire = transport;
    size_t left = wire->body_length - wire->at;
    size_t count = left < size ? left : size;

    if (count > 1000)
        count = 1000; /* arrives in pieces */
    memcpy(bytes, wire->body + wire->at, count);
    wire->at += count;
    return (long)count;
}

static bool wire_write(void *transport, const char *head, size_t head_length, const char *body,
                       size_t body_length)
{
    struct wire *wire = transport;

    CHECK(head_length < sizeof wire->head);
    memcpy(wire->head, head, head_length);
    wire->head[head_length] = '\0';
    free(wire->answer);
    wire->answer = malloc(body_length + 1);
    memcpy(wire->answer, body, body_length);
    wire->answer[body_length] = '\0';
    return true;
}

static bool wire_append(void *transport, const char *bytes, size_t length)
{
    struct wire *wire = transport;

    CHECK(wire->streamed_length + length < sizeof wire->streamed);
    memcpy(wire->streamed + wire->streamed_length, bytes, length);
    wire->streamed_length += length;
    wire->streamed[wire->streamed_length] = '\0';
    return !wire->gone;
}

static bool wire_end(void *transport)
{
    ((struct wire *)transport)->ends++;
    return true;
}

static bool wire_gone(void *transport)
{
    return ((struct wire *)transport)->gone;
}

static struct arena *process_arena;

static void start_server(struct server *server)
{
    struct problem problem = {0};

    memset(&test_access, 0, sizeof test_access);
    *server = (struct server){.family = &family};
    server->policy = (struct http_policy){
        .body_limits = {4096, 8192, 1024}, .memory_limit = 1 << 22, .json_depth = 16};
    server->info = (struct document_info){"Test", "1", "A test"};
    CHECK_INT(server_start(server, process_arena, NULL, "locales", &problem), ERROR_NONE);
}

/* Serves one request; extra variables come as NAME, VALUE pairs ended by NULL. */
static const char *call_with_bytes(struct server *server, struct wire *wire, const char *method,
                                   const char *path, const char *body, size_t length,
                                   const char *const *extra)
{
    struct exchange exchange = {wire,
                                wire_variable,
                                wire_read,
                                wire_write,
                                .append = wire_append,
                                .end = wire_end,
                                .gone = wire_gone};
    size_t count = 0;
    const char *fixed[] = {"REQUEST_METHOD", method,     "DOCUMENT_URI", path,
                           "REMOTE_ADDR",    "127.0.0.1"};

    memset(wire->variables, 0, sizeof wire->variables);
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        wire->variables[count++] = fixed[i];
    while (extra && *extra)
        wire->variables[count++] = *extra++;
    wire->body = body;
    wire->body_length = length;
    wire->at = 0;
    server_serve(server, &exchange);
    return wire->answer;
}

/* The same with a text for a body; NULL = none. */
static const char *call(struct server *server, struct wire *wire, const char *method,
                        const char *path, const char *body, const char *const *extra)
{
    return call_with_bytes(server, wire, method, path, body ? body : "", body ? strlen(body) : 0,
                           extra);
}

static int status_of(const struct wire *wire)
{
    return (int)strtol(wire->head + strlen("Status: "), NULL, 10);
}

static int run_on_the_wire(const struct test_case *cases, size_t count)
{
    struct problem problem;
    int status;

    if (crypto_start(&problem) || !freopen("/dev/null", "w", stderr))
        return 1;
    process_arena = arena_create(1 << 26);
    status = test_run_all(cases, count);
    arena_destroy(process_arena);
    return status;
}

#endif
