/* The pipeline in one process: a pretended transport in, the whole answer out. */
#include "crypto/crypto.h"
#include "http/server.h"
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
    INTEGER(OWNER, times, .lower = AT_LEAST(1), .upper = AT_MOST(1000000), .preset = 1),
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

static const struct route routes[] = {
    {METHOD_POST, "/api/v1/echo", GUARD_AUTH, .compute = true, .body = &echo_schema,
     .reply = &reply_schema, .handler = echo_handle, .name = "echo", .tag = "t", .summary = "s"},
    {METHOD_GET, "/api/v1/echo", GUARD_AUTH, .query = &echo_query, .reply = &reply_schema,
     .handler = query_handle, .name = "echo_query", .tag = "t", .summary = "s"},
    {METHOD_GET, "/api/v1/things/{thing_id}", GUARD_AUTH, .reply = &reply_schema,
     .handler = thing_handle, .name = "thing", .tag = "t", .summary = "s"},
    {METHOD_GET, "/api/v1/keys", GUARD_OPERATOR, .reply = &reply_schema, .handler = thing_handle,
     .name = "keys", .tag = "t", .summary = "s"},
    {METHOD_POST, "/api/v1/heavy", GUARD_WRITE, LANE_HEAVY, .body = &echo_schema,
     .reply = &reply_schema, .handler = echo_handle, .name = "heavy", .tag = "t", .summary = "s"},
};

static const struct reason_answer reasons[] = {{"thing_not_found", 404, "thing_not_found"}};

static const struct application application = {.service = "test",
                                               .family = "unit",
                                               .routes = routes,
                                               .route_count = COUNT_OF(routes),
                                               .reasons = reasons,
                                               .reason_count = COUNT_OF(reasons)};

/* The pretended transport: variables as NAME, VALUE pairs, and the answer. */
struct wire {
    const char *variables[40];
    const char *body;
    size_t body_length;
    size_t at;
    char head[16384];
    char *answer;
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

static struct arena *process_arena;

static void start_server(struct server *server)
{
    struct problem problem = {0};

    *server = (struct server){.application = &application};
    server->policy = (struct http_policy){.api_prefix = "/api/v1",
                                          .operator_prefixes = {"/api/v1/keys"},
                                          .body_limits = {4096, 8192, 1024},
                                          .memory_limit = 1 << 22,
                                          .json_depth = 16,
                                          .rate = {1000, 60},
                                          .heavy_rate = {2, 60},
                                          .auth_failures = {2, 60}};
    server->info = (struct document_info){"Test", "1", "A test"};
    CHECK_INT(server_start(server, &application, process_arena, NULL, "locales", &problem),
              ERROR_NONE);
}

/* Serves one request; extra variables come as NAME, VALUE pairs ended by NULL. */
static const char *call(struct server *server, struct wire *wire, const char *method,
                        const char *path, const char *body, const char *const *extra)
{
    struct exchange exchange = {wire, wire_variable, wire_read, wire_write};
    size_t count = 0;
    const char *fixed[] = {"REQUEST_METHOD", method,     "DOCUMENT_URI", path,
                           "REMOTE_ADDR",    "127.0.0.1"};

    memset(wire->variables, 0, sizeof wire->variables);
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        wire->variables[count++] = fixed[i];
    while (extra && *extra)
        wire->variables[count++] = *extra++;
    wire->body = body ? body : "";
    wire->body_length = strlen(wire->body);
    wire->at = 0;
    server_serve(server, &exchange);
    return wire->answer;
}

static int status_of(const struct wire *wire)
{
    return (int)strtol(wire->head + strlen("Status: "), NULL, 10);
}

TEST(a_request_becomes_a_struct_and_a_struct_becomes_the_answer)
{
    struct server server;
    struct wire wire = {0};

    start_server(&server);
    CHECK_TEXT(call(&server, &wire, "POST", "/api/v1/echo", "{\"word\":\"hi\",\"times\":2}", NULL),
               "{\"words\":[\"hi\",\"hi\"],\"rate\":1.0}");
    CHECK_INT(status_of(&wire), 200);
    CHECK(strstr(wire.head, "X-Request-ID: ") && strstr(wire.head, "X-Frame-Options: DENY"));
    CHECK_TEXT(
        call(&server, &wire, "GET", "/api/v1/echo", NULL,
             (const char *[]){"QUERY_STRING", "word=a%20b+c&times=1&x=%zz&word=%C3%A9", NULL}),
        "{\"words\":[\"\xc3\xa9\"],\"rate\":1.0}");
    CHECK_TEXT(call(&server, &wire, "HEAD", "/api/v1/things/x", NULL, NULL), "");
    CHECK(strstr(wire.head, "Content-Length: 26\r\n") != NULL);
    free(wire.answer);
    server_stop(&server);
}

TEST(routing_errors_have_the_envelope)
{
    struct server server;
    struct wire wire = {0};
    const char *id[] = {"HTTP_X_REQUEST_ID", "r-1", NULL};

    start_server(&server);
    CHECK_TEXT(call(&server, &wire, "GET", "/nowhere", NULL, id),
               "{\"detail\":\"Not Found\",\"error_code\":\"not_found\",\"status_code\":404,"
               "\"request_id\":\"r-1\"}");
    CHECK_TEXT(call(&server, &wire, "DELETE", "/api/v1/echo", NULL, id),
               "{\"detail\":\"Method Not Allowed\",\"error_code\":\"http_error\","
               "\"status_code\":405,\"request_id\":\"r-1\"}");
    CHECK(strstr(wire.head, "Allow: GET, HEAD, POST\r\n") != NULL);
    CHECK_TEXT(call(&server, &wire, "GET", "/api/v1/things/missing", NULL, id),
               "{\"detail\":\"No such thing\",\"error_code\":\"thing_not_found\","
               "\"status_code\":404,\"request_id\":\"r-1\"}");
    call(&server, &wire, "GET", "/api/v1/things/", NULL, id);
    CHECK_INT(status_of(&wire), 404);
    call(&server, &wire, "GET", "/api/v1/things/a/b", NULL, id);
    CHECK_INT(status_of(&wire), 404);
    call(&server, &wire, "BREW", "/api/v1/echo", NULL, id);
    CHECK_INT(status_of(&wire), 405);
    free(wire.answer);
    server_stop(&server);
}

TEST(headers_cannot_be_injected)
{
    struct server server;
    struct wire wire = {0};

    start_server(&server);
    call(&server, &wire, "GET", "/api/v1/things/inject", NULL,
         (const char *[]){"HTTP_X_REQUEST_ID", "a\r\nX-Evil: 1", NULL});
    CHECK_INT(status_of(&wire), 200);
    CHECK(strstr(wire.head, "X-Evil") == NULL);
    free(wire.answer);
    server_stop(&server);
}

TEST(production_hides_value_errors)
{
    struct server server;
    struct wire wire = {0};
    const char *id[] = {"HTTP_X_REQUEST_ID", "r", NULL};

    start_server(&server);
    CHECK(strstr(call(&server, &wire, "GET", "/api/v1/things/odd", NULL, id), "thing is odd"));
    server.policy.production = true;
    CHECK(strstr(call(&server, &wire, "GET", "/api/v1/things/odd", NULL, id), "Invalid value"));
    CHECK(strstr(wire.head, "X-Error-Reason: thing_is_odd\r\n") != NULL);
    free(wire.answer);
    server_stop(&server);
}

TEST(bodies_are_limited)
{
    struct server server;
    struct wire wire = {0};
    char *large = calloc(1, 6000);

    memset(large, ' ', 5000);
    start_server(&server);
    CHECK(strstr(call(&server, &wire, "POST", "/api/v1/echo", large, NULL),
                 "Request body exceeds limit of 4096 bytes"));
    CHECK_INT(status_of(&wire), 413);
    call(&server, &wire, "POST", "/api/v1/echo", "{}",
         (const char *[]){"CONTENT_LENGTH", "4097", NULL});
    CHECK_INT(status_of(&wire), 413);
    CHECK_INT(wire.at, 0);
    call(&server, &wire, "POST", "/api/v1/echo", "{}",
         (const char *[]){"CONTENT_LENGTH", "100", NULL});
    CHECK_INT(status_of(&wire), 400);
    CHECK_INT(counters_total(server.region, COUNTER_BODY_REJECTION), 2);
    free(large);
    free(wire.answer);
    server_stop(&server);
}

TEST(memory_running_out_is_an_answer)
{
    struct server server;
    struct wire wire = {0};

    start_server(&server);
    for (int i = 0; i < 3; i++) {
        CHECK(strstr(call(&server, &wire, "POST", "/api/v1/echo",
                          "{\"word\":\"x\",\"times\":1000000}", NULL),
                     "internal_error"));
        CHECK_INT(status_of(&wire), 500);
        call(&server, &wire, "POST", "/api/v1/echo", "{\"word\":\"x\"}", NULL);
        CHECK_INT(status_of(&wire), 200);
    }
    free(wire.answer);
    server_stop(&server);
}

TEST(tokens_and_scopes)
{
    static const struct {
        const char *method, *path, *header, *value;
        int status;
    } cases[] = {
        {"GET", "/api/v1/things/x", NULL, NULL, 401},
        {"GET", "/api/v1/things/x", "HTTP_AUTHORIZATION", "Bearer writetoken", 200},
        {"GET", "/api/v1/things/x", "HTTP_AUTHORIZATION", "Bearer   readtoken  ", 200},
        {"GET", "/api/v1/things/x", "HTTP_X_API_KEY", "writetoken", 200},
        {"GET", "/api/v1/things/x", "HTTP_X_API_KEY", "wrong", 401},
        {"GET", "/api/v1/things/x", "HTTP_AUTHORIZATION", "bearer writetoken", 401},
        {"GET", "/api/v1/things/x", "HTTP_AUTHORIZATION", "Basic writetoken", 401},
        {"GET", "/api/v1/things/x", "HTTP_X_API_KEY", "admintoken", 401},
        {"POST", "/api/v1/echo", "HTTP_X_API_KEY", "writetoken", 200},
        {"POST", "/api/v1/echo", "HTTP_X_API_KEY", "readtoken", 403},
        {"POST", "/api/v1/heavy", "HTTP_X_API_KEY", "readtoken", 403},
        {"GET", "/api/v1/keys", "HTTP_X_API_KEY", "writetoken", 403},
        {"GET", "/api/v1/keys", "HTTP_X_API_KEY", "readtoken", 403},
        {"GET", "/api/v1/keys", NULL, NULL, 401},
        {"POST", "/api/v1/keys", "HTTP_X_API_KEY", "readtoken", 403},
        {"OPTIONS", "/api/v1/echo", NULL, NULL, 405},
        {"GET", "/public", NULL, NULL, 404},
        {"GET", "/api/v1/nowhere", NULL, NULL, 401},
        {"GET", "/api/v1/nowhere", "HTTP_X_API_KEY", "readtoken", 404},
    };
    struct server server;
    struct wire wire = {0};

    start_server(&server);
    server.policy.write_token = "writetoken";
    server.policy.read_token = "readtoken";
    server.policy.admin_token = "admintoken";
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *extra[] = {cases[i].header, cases[i].value, NULL};

        call(&server, &wire, cases[i].method, cases[i].path, "{\"word\":\"x\"}", extra);
        if (status_of(&wire) != cases[i].status)
            printf("case %zu: %s %s\n", i, cases[i].method, cases[i].path);
        CHECK_INT(status_of(&wire), cases[i].status);
    }
    server.policy.readonly_compute = true;
    call(&server, &wire, "POST", "/api/v1/echo", "{\"word\":\"x\"}",
         (const char *[]){"HTTP_X_API_KEY", "readtoken", NULL});
    CHECK_INT(status_of(&wire), 200);
    call(&server, &wire, "GET", "/api/v1/things/x", NULL,
         (const char *[]){"HTTP_AUTHORIZATION", "Bearer ", "HTTP_X_API_KEY", "writetoken", NULL});
    CHECK_INT(status_of(&wire), 401);
    free(wire.answer);
    server_stop(&server);
}

TEST(failures_are_throttled_and_good_tokens_pass)
{
    struct server server;
    struct wire wire = {0};
    const char *bad[] = {"HTTP_X_API_KEY", "wrong", NULL};
    const char *good[] = {"HTTP_X_API_KEY", "writetoken", NULL};

    start_server(&server);
    server.policy.rate_limit_enabled = true;
    server.policy.write_token = "writetoken";
    for (int i = 0; i < 4; i++) {
        call(&server, &wire, "GET", "/api/v1/things/x", NULL, bad);
        CHECK_INT(status_of(&wire), i < 2 ? 401 : 429);
    }
    CHECK(strstr(wire.answer, "auth_rate_limited") && strstr(wire.head, "Retry-After: "));
    call(&server, &wire, "GET", "/api/v1/things/x", NULL, good);
    CHECK_INT(status_of(&wire), 200);
    free(wire.answer);
    server_stop(&server);
}

TEST(the_heavy_bucket_stands_on_top)
{
    struct server server;
    struct wire wire = {0};

    start_server(&server);
    server.policy.rate_limit_enabled = true;
    for (int i = 0; i < 3; i++) {
        call(&server, &wire, "POST", "/api/v1/heavy", "{\"word\":\"x\"}", NULL);
        CHECK_INT(status_of(&wire), i < 2 ? 200 : 429);
    }
    call(&server, &wire, "GET", "/api/v1/things/x", NULL, NULL);
    CHECK_INT(status_of(&wire), 200);
    CHECK(strstr(wire.head, "RateLimit-Limit: 1000\r\n") &&
          strstr(wire.head, "RateLimit-Remaining: 996\r\n"));
    free(wire.answer);
    server_stop(&server);
}

TEST(clients_are_known_by_trusted_hops_only)
{
    static const struct {
        int64_t hops;
        const char *proxies, *peer, *chain, *resolved;
    } cases[] = {
        {0, NULL, "10.0.0.1", "198.51.100.7", "10.0.0.1"},
        {1, NULL, "10.0.0.1", "9.9.9.9, 198.51.100.7", "198.51.100.7"},
        {2, NULL, "10.0.0.1", "9.9.9.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"},
        {2, NULL, "10.0.0.1", "198.51.100.7", "10.0.0.1"},
        {1, NULL, "10.0.0.1", "unknown", "10.0.0.1"},
        {1, "10.0.0.0/8", "203.0.113.9", "198.51.100.7", "203.0.113.9"},
        {1, "10.0.0.0/8", "10.1.2.3", "198.51.100.7", "198.51.100.7"},
        {1, "2001:db8::/33", "2001:db8:7fff::1", " , 2001:db8::9 ,", "2001:db8::9"},
        {1, "2001:db8::/33", "2001:db8:8000::1", "2001:db8::9", "2001:db8:8000::1"},
        {1, "10.0.0.0/8", "unix:", "198.51.100.7", "unix:"},
        {1, NULL, "10.0.0.1", NULL, "10.0.0.1"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct server server;
        struct wire wire = {0};
        const char *extra[] = {"HTTP_X_FORWARDED_FOR", cases[i].chain, NULL};
        struct exchange exchange = {&wire, wire_variable, wire_read, wire_write};
        const char *key = "auth:";

        start_server(&server);
        server.policy.rate_limit_enabled = true;
        server.policy.write_token = "writetoken";
        server.policy.trusted_proxy_hops = cases[i].hops;
        if (cases[i].proxies) {
            server.policy.trusted_proxy_count = 1;
            CHECK(policy_parse_network(cases[i].proxies, &server.policy.trusted_proxies[0]));
        }
        call(&server, &wire, "GET", "/api/v1/things/x", NULL, cases[i].chain ? extra : NULL);
        for (size_t v = 0; wire.variables[v]; v += 2)
            if (strcmp(wire.variables[v], "REMOTE_ADDR") == 0)
                wire.variables[v + 1] = cases[i].peer;
        server_serve(&server, &exchange);
        key = arena_print(process_arena, "auth:%s", cases[i].resolved);
        CHECK(rate_peek(server.region, key, (struct rate_rule){2, 60}).remaining < 2);
        free(wire.answer);
        server_stop(&server);
    }
}

TEST(networks_are_read_strictly)
{
    static const char *const bad[] = {"",        "10.0.0.0/33", "10.0.0/8",    "::/129",
                                      "a.b.c.d", "10.0.0.0/",   "10.0.0.0/-1", "1.2.3.4/8/9"};
    struct http_network network;

    for (size_t i = 0; i < COUNT_OF(bad); i++)
        CHECK(!policy_parse_network(bad[i], &network));
    CHECK(policy_parse_network("192.0.2.1", &network) && network.prefix == 128);
    CHECK(policy_parse_network("0.0.0.0/0", &network) && network.prefix == 96);
}

TEST(validation_lists_every_error)
{
    struct server server;
    struct wire wire = {0};
    const char *answer;

    start_server(&server);
    answer = call(&server, &wire, "POST", "/api/v1/echo",
                  "{\"times\":0,\"token\":\"s3cret\",\"z\":\"zz\"}",
                  (const char *[]){"HTTP_X_REQUEST_ID", "r", NULL});
    CHECK_INT(status_of(&wire), 422);
    CHECK_TEXT(answer,
               "{\"detail\":[{\"type\":\"missing\",\"msg\":\"Field required\",\"loc\":[\"body\","
               "\"word\"],\"input\":{\"times\":0,\"token\":\"***\",\"z\":\"zz\"}},"
               "{\"type\":\"greater_than_equal\",\"msg\":\"Input should be greater than or equal "
               "to 1\",\"ctx\":{\"ge\":1},\"loc\":[\"body\",\"times\"],\"input\":0},"
               "{\"type\":\"extra_forbidden\",\"msg\":\"Extra inputs are not permitted\","
               "\"loc\":[\"body\",\"token\"],\"input\":\"***\"},"
               "{\"type\":\"extra_forbidden\",\"msg\":\"Extra inputs are not permitted\","
               "\"loc\":[\"body\",\"z\"],\"input\":\"zz\"}],\"error_code\":\"validation_error\","
               "\"status_code\":422,\"request_id\":\"r\"}");
    answer = call(&server, &wire, "POST", "/api/v1/echo", "{\"word\":1", NULL);
    CHECK(strstr(answer, "\"json_invalid\"") && strstr(answer, "[\"body\",9]"));
    CHECK(strstr(call(&server, &wire, "POST", "/api/v1/echo", "", NULL), "\"loc\":[\"body\"]"));
    CHECK(strstr(call(&server, &wire, "POST", "/api/v1/echo", "word=1",
                      (const char *[]){"CONTENT_TYPE", "text/plain", NULL}),
                 "model_attributes_type"));
    free(wire.answer);
    server_stop(&server);
}

TEST(preflights_are_answered)
{
    struct server server;
    struct wire wire = {0};
    const char *origins[] = {"https://a.example"};
    const char *methods[] = {"GET", "POST"};
    const char *asked[] = {"HTTP_ORIGIN",
                           "https://a.example",
                           "HTTP_ACCESS_CONTROL_REQUEST_METHOD",
                           "POST",
                           "HTTP_ACCESS_CONTROL_REQUEST_HEADERS",
                           "x-api-key, content-type",
                           NULL};

    start_server(&server);
    server.policy.write_token = "writetoken";
    server.policy.cors_origins = (struct string_list){1, origins};
    server.policy.cors_methods = (struct string_list){2, methods};
    CHECK_TEXT(call(&server, &wire, "OPTIONS", "/api/v1/echo", NULL, asked), "OK");
    CHECK_INT(status_of(&wire), 200);
    CHECK(strstr(wire.head, "Access-Control-Allow-Origin: https://a.example\r\n"));
    CHECK(strstr(wire.head, "Access-Control-Allow-Methods: GET, POST\r\n"));
    asked[3] = "PATCH";
    call(&server, &wire, "OPTIONS", "/api/v1/echo", NULL, asked);
    CHECK_INT(status_of(&wire), 400);
    asked[3] = "POST", asked[5] = "x-other";
    call(&server, &wire, "OPTIONS", "/api/v1/echo", NULL, asked);
    CHECK_INT(status_of(&wire), 400);
    asked[1] = "https://evil.example";
    call(&server, &wire, "OPTIONS", "/api/v1/echo", NULL, asked);
    CHECK_INT(status_of(&wire), 400);
    CHECK(strstr(wire.head, "Access-Control-Allow-Origin") == NULL);
    free(wire.answer);
    server_stop(&server);
}

TEST(the_document_describes_every_route)
{
    struct server server;
    struct text out;
    struct json_fault fault;
    json_t *document, *paths;

    start_server(&server);
    text_start(&out, process_arena, 1 << 20);
    server_describe(&server, &out);
    CHECK_INT(json_read(process_arena, out.bytes, out.length, 64, &document, &fault), ERROR_NONE);
    paths = json_object_get(document, "paths");
    CHECK_INT(json_object_size(paths), 4);
    CHECK(json_object_get(json_object_get(paths, "/api/v1/echo"), "post") != NULL);
    CHECK(json_object_get(json_object_get(paths, "/api/v1/echo"), "get") != NULL);
    server_stop(&server);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(a_request_becomes_a_struct_and_a_struct_becomes_the_answer),
        CASE(routing_errors_have_the_envelope),
        CASE(headers_cannot_be_injected),
        CASE(production_hides_value_errors),
        CASE(bodies_are_limited),
        CASE(memory_running_out_is_an_answer),
        CASE(tokens_and_scopes),
        CASE(failures_are_throttled_and_good_tokens_pass),
        CASE(the_heavy_bucket_stands_on_top),
        CASE(clients_are_known_by_trusted_hops_only),
        CASE(networks_are_read_strictly),
        CASE(validation_lists_every_error),
        CASE(preflights_are_answered),
        CASE(the_document_describes_every_route),
    };
    struct problem problem;
    int status;

    if (crypto_start(&problem) || !freopen("/dev/null", "w", stderr))
        return 1;
    process_arena = arena_create(1 << 26);
    status = test_run_all(cases, COUNT_OF(cases));
    arena_destroy(process_arena);
    return status;
}
