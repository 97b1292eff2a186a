/* The pipeline: routes, access, limits, validation, the API document. */
#include "http_wire.h"

TEST(a_request_becomes_a_struct_and_a_struct_becomes_the_answer)
{
    struct server server;
    static struct wire wire;

    memset(&wire, 0, sizeof wire);

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
    static struct wire wire;

    memset(&wire, 0, sizeof wire);
    const char *id[] = {"HTTP_X_REQUEST_ID", "r-1", NULL};

    start_server(&server);
    CHECK_TEXT(call(&server, &wire, "GET", "/nowhere", NULL, id),
               "{\"detail\":\"Not Found\",\"error_code\":\"not_found\",\"status_code\":404,"
               "\"request_id\":\"r-1\"}");
    CHECK_TEXT(call(&server, &wire, "DELETE", "/api/v1/echo", NULL, id),
               "{\"detail\":\"Method Not Allowed\",\"error_code\":\"method_not_allowed\","
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
    static struct wire wire;

    memset(&wire, 0, sizeof wire);

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
    static struct wire wire;

    memset(&wire, 0, sizeof wire);
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
    static struct wire wire;

    memset(&wire, 0, sizeof wire);
    char *large = calloc(1, 6000);

    memset(large, ' ', 5000);
    start_server(&server);
    CHECK(strstr(call(&server, &wire, "POST", "/api/v1/echo", large, NULL),
                 "0 of at most 4096 bytes"));
    CHECK_INT(status_of(&wire), 413);
    call(&server, &wire, "POST", "/api/v1/echo", "{}",
         (const char *[]){"CONTENT_LENGTH", "4097", NULL});
    CHECK_INT(status_of(&wire), 413);
    CHECK_INT(wire.at, 0);
    call(&server, &wire, "POST", "/api/v1/echo", "{}",
         (const char *[]){"CONTENT_LENGTH", "100", NULL});
    CHECK_INT(status_of(&wire), 400);
    CHECK(metric_read(server.metrics, HTTP_METRIC_BODY_REJECTIONS, NULL) == 2);
    free(large);
    free(wire.answer);
    server_stop(&server);
}

TEST(memory_running_out_is_an_answer)
{
    struct server server;
    static struct wire wire;

    memset(&wire, 0, sizeof wire);

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

TEST(who_somebody_is_and_what_he_may_do)
{
    static const struct {
        const char *method, *path, *token;
        int status;
    } cases[] = {
        {"GET", "/api/v1/things/x", NULL, 401},     {"GET", "/api/v1/things/x", "wrong", 401},
        {"GET", "/api/v1/things/x", "reader", 200}, {"POST", "/api/v1/heavy", "reader", 403},
        {"POST", "/api/v1/heavy", "writer", 200},   {"GET", "/api/v1/keys", "writer", 403},
        {"GET", "/api/v1/nowhere", NULL, 401},      {"GET", "/api/v1/nowhere", "reader", 404},
        {"DELETE", "/api/v1/echo", NULL, 401},      {"GET", "/public", NULL, 404},
    };
    struct server server;
    static struct wire wire;

    memset(&wire, 0, sizeof wire);

    start_server(&server);
    test_access.closed = true;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *extra[] = {cases[i].token ? "HTTP_X_API_KEY" : NULL, cases[i].token, NULL};

        call(&server, &wire, cases[i].method, cases[i].path, "{\"word\":\"x\"}", extra);
        if (status_of(&wire) != cases[i].status)
            printf("case %zu: %s %s\n", i, cases[i].method, cases[i].path);
        CHECK_INT(status_of(&wire), cases[i].status);
        CHECK((strstr(wire.head, "WWW-Authenticate: Bearer\r\n") != NULL) ==
              (cases[i].status == 401));
    }
    free(wire.answer);
    server_stop(&server);
}

TEST(failures_are_throttled_and_good_tokens_pass)
{
    struct server server;
    static struct wire wire;

    memset(&wire, 0, sizeof wire);
    const char *bad[] = {"HTTP_X_API_KEY", "wrong", NULL};
    const char *good[] = {"HTTP_X_API_KEY", "writer", NULL};

    start_server(&server);
    test_access.closed = true;
    server.policy.auth_failures = (struct rate_rule){2, 60};
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

TEST(buckets_are_charged_in_order)
{
    struct server server;
    static struct wire wire;

    memset(&wire, 0, sizeof wire);

    start_server(&server);
    test_access.rate = (struct rate_rule){1000, 60};
    test_access.heavy = (struct rate_rule){2, 60};
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
        const char *proxies, *peer, *chain, *counted;
    } cases[] = {
        {0, NULL, "10.0.0.1", "198.51.100.7", "10.0.0.1"},
        {1, NULL, "10.0.0.1", "9.9.9.9, 198.51.100.7", "198.51.100.7"},
        {2, NULL, "10.0.0.1", "9.9.9.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"},
        {2, NULL, "10.0.0.1", "198.51.100.7", "10.0.0.1"},
        {1, NULL, "10.0.0.1", "unknown", "10.0.0.1"},
        {1, "10.0.0.0/8", "203.0.113.9", "198.51.100.7", "203.0.113.9"},
        {1, "10.0.0.0/8", "10.1.2.3", "198.51.100.7", "198.51.100.7"},
        {1, "2001:db8::/33", "2001:db8:7fff::1", " , 2001:db8::9 ,", "2001:db8::/64"},
        {1, "2001:db8::/33", "2001:db8:8000::1", "2001:db8::9", "2001:db8:8000::/64"},
        {1, "10.0.0.0/8", "unix:", "198.51.100.7", "unix:"},
        {1, NULL, "10.0.0.1", NULL, "10.0.0.1"},
        {0, NULL, "2001:db8:1:2:3:4:5:6", NULL, "2001:db8:1:2::/64"},
        {0, NULL, "::ffff:192.0.2.1", NULL, "192.0.2.1"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct server server;
        static struct wire wire;

        memset(&wire, 0, sizeof wire);
        const char *extra[] = {"HTTP_X_FORWARDED_FOR", cases[i].chain, NULL};
        struct exchange exchange = {&wire, wire_variable, wire_read, wire_write};
        const char *key = "auth:";

        start_server(&server);
        test_access.closed = true;
        server.policy.auth_failures = (struct rate_rule){2, 60};
        server.policy.trusted_proxy_hops = cases[i].hops;
        if (cases[i].proxies) {
            server.policy.trusted_proxies.count = 1;
            CHECK(policy_parse_network(cases[i].proxies, &server.policy.trusted_proxies.items[0]));
        }
        call(&server, &wire, "GET", "/api/v1/things/x", NULL, cases[i].chain ? extra : NULL);
        for (size_t v = 0; wire.variables[v]; v += 2)
            if (strcmp(wire.variables[v], "REMOTE_ADDR") == 0)
                wire.variables[v + 1] = cases[i].peer;
        server_serve(&server, &exchange);
        key = arena_print(process_arena, "auth:%s", cases[i].counted);
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
    static struct wire wire;

    memset(&wire, 0, sizeof wire);
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
    static struct wire wire;

    memset(&wire, 0, sizeof wire);
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
    test_access.closed = true;
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
    CHECK_INT(json_object_size(paths), 10);
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
        CASE(who_somebody_is_and_what_he_may_do),
        CASE(failures_are_throttled_and_good_tokens_pass),
        CASE(buckets_are_charged_in_order),
        CASE(clients_are_known_by_trusted_hops_only),
        CASE(networks_are_read_strictly),
        CASE(validation_lists_every_error),
        CASE(preflights_are_answered),
        CASE(the_document_describes_every_route),
    };

    return run_on_the_wire(cases, COUNT_OF(cases));
}
