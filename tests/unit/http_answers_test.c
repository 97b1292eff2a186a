/* Kinds of answers and of bodies: streams, forms, redirects, nothing at all. */
#include "http/cookie.h"
#include "http_wire.h"

#include <dirent.h>

TEST(arguments_are_those_of_the_row_that_answers)
{
    struct server server;
    static struct wire wire;

    memset(&wire, 0, sizeof wire);

    start_server(&server);
    CHECK(strstr(call(&server, &wire, "GET", "/api/v1/a/order/42/timeline", NULL, NULL), "42/-"));
    CHECK(strstr(call(&server, &wire, "GET", "/api/v1/a/order/42", NULL, NULL), "order/42"));
    free(wire.answer);
    server_stop(&server);
}

TEST(anybody_is_not_given_credentials)
{
    struct server server;
    static struct wire wire;

    memset(&wire, 0, sizeof wire);
    const char *origins[] = {"*"};
    const char *asked[] = {"HTTP_ORIGIN", "https://evil.example", NULL};

    start_server(&server);
    server.policy.cors_origins = (struct string_list){1, origins};
    call(&server, &wire, "GET", "/api/v1/things/x", NULL, asked);
    CHECK(strstr(wire.head, "Access-Control-Allow-Origin: *\r\n"));
    CHECK(strstr(wire.head, "Allow-Credentials") == NULL);
    free(wire.answer);
    server_stop(&server);
}

TEST(other_sites_read_nothing_with_a_session)
{
    struct server server;
    static struct wire wire;
    const char *origins[] = {"https://known.example"};
    const char *on_port[] = {"HTTP_ORIGIN", origins[0], NULL};
    const char *under_portal[] = {"HTTP_ORIGIN", origins[0], "SITE_PREFIX", "/support", NULL};

    memset(&wire, 0, sizeof wire);
    start_server(&server);
    server.policy.cors_origins = (struct string_list){1, origins};
    call(&server, &wire, "GET", "/api/v1/things/x", NULL, on_port);
    CHECK(strstr(wire.head, "Access-Control-Allow-Credentials: true\r\n"));
    call(&server, &wire, "GET", "/api/v1/things/x", NULL, under_portal);
    CHECK(strstr(wire.head, "Access-Control-Allow-Origin: https://known.example\r\n"));
    CHECK(strstr(wire.head, "Allow-Credentials") == NULL);
    free(wire.answer);
    server_stop(&server);
}

/* Whatever is echoed: headers that would not fit are not cut somewhere, but left out. */
TEST(a_head_that_does_not_fit_ends_all_the_same)
{
    static char origin[10000];
    struct server server;
    static struct wire wire;
    const char *origins[] = {origin};
    const char *asked[] = {"HTTP_ORIGIN", origin, NULL};

    memset(&wire, 0, sizeof wire);
    memset(origin, 'o', sizeof origin - 1);
    memcpy(origin, "https://", 8);
    start_server(&server);
    server.policy.cors_origins = (struct string_list){1, origins};
    call(&server, &wire, "GET", "/api/v1/things/x", NULL, asked);
    CHECK_INT(status_of(&wire), 500);
    CHECK(strlen(wire.head) < 8192);
    CHECK_TEXT(wire.head + strlen(wire.head) - 4, "\r\n\r\n");
    CHECK(strstr(wire.head, "ooo") == NULL);
    CHECK(strstr(wire.answer, "\"error_code\":\"internal_error\"") != NULL);
    free(wire.answer);
    server_stop(&server);
}

TEST(slashes_redirect_where_the_style_says_so)
{
    struct server server;
    static struct wire wire;

    memset(&wire, 0, sizeof wire);
    const char *query[] = {"QUERY_STRING", "a=1", NULL};
    const char *prefixed[] = {"SITE_PREFIX", "/support", NULL};

    start_server(&server);
    call(&server, &wire, "GET", "/api/v1/things/x/", NULL, query);
    CHECK_INT(status_of(&wire), 404);
    format.redirects_slashes = true;
    call(&server, &wire, "GET", "/api/v1/things/x/", NULL, query);
    CHECK_INT(status_of(&wire), 307);
    CHECK(strstr(wire.head, "Location: /api/v1/things/x?a=1\r\n"));
    call(&server, &wire, "GET", "/api/v1/things/x/", NULL, prefixed);
    CHECK(strstr(wire.head, "Location: /support/api/v1/things/x\r\n"));
    call(&server, &wire, "GET", "//evil.example/", NULL, NULL);
    CHECK_INT(status_of(&wire), 404);
    format.redirects_slashes = false;
    free(wire.answer);
    server_stop(&server);
}

/* Where the cookie of a session counts: below a prefix, and for a change from a page of the site.
 */
TEST(a_session_counts_for_pages_of_the_portal_only)
{
    static const struct {
        const char *prefix, *origin, *fetch_site;
        enum method method;
        bool counts;
    } cases[] = {
        {"/support", NULL, NULL, METHOD_GET, true},
        {"/support", NULL, "none", METHOD_HEAD, true},
        {"/support", "https://assay.example", "same-origin", METHOD_POST, true},
        {"/support", "https://here.example:8443", NULL, METHOD_DELETE, true},
        {"/support", NULL, "same-origin", METHOD_POST, false},
        {"/support", "null", NULL, METHOD_POST, false},
        {"/support", "https://assay.example:8009", "same-site", METHOD_PUT, false},
        {"/support", "https://evil.example", "cross-site", METHOD_PATCH, false},
        {"/support", "https://evil.example", NULL, METHOD_OTHER, false},
        {NULL, NULL, NULL, METHOD_GET, false},
        {"", "https://assay.example", "same-origin", METHOD_POST, false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct wire wire = {.variables = {"HTTP_COOKIE", "a=b; assay_session=secret", "SITE_ORIGIN",
                                          "https://assay.example", "REQUEST_HOST",
                                          "here.example:8443"}};
        struct exchange exchange = {.transport = &wire, .variable = wire_variable};
        struct request request = {
            .arena = process_arena, .exchange = &exchange, .method = cases[i].method};
        size_t count = 6;
        const char *pairs[][2] = {{"SITE_PREFIX", cases[i].prefix},
                                  {"HTTP_ORIGIN", cases[i].origin},
                                  {"HTTP_SEC_FETCH_SITE", cases[i].fetch_site}};

        for (size_t j = 0; j < COUNT_OF(pairs); j++)
            if (pairs[j][1]) {
                wire.variables[count++] = pairs[j][0];
                wire.variables[count++] = pairs[j][1];
            }
        if (cases[i].counts)
            CHECK_TEXT(request_session_cookie(&request), "secret");
        else
            CHECK(!request_session_cookie(&request));
    }
}

TEST(an_answer_of_204_has_no_body_and_no_type)
{
    struct server server;
    static struct wire wire;

    memset(&wire, 0, sizeof wire);

    start_server(&server);
    CHECK_TEXT(call(&server, &wire, "DELETE", "/api/v1/nothing", NULL, NULL), "");
    CHECK_INT(status_of(&wire), 204);
    CHECK(!strstr(wire.head, "Content-Type") && !strstr(wire.head, "Content-Length"));
    free(wire.answer);
    server_stop(&server);
}

TEST(faults_of_handlers_are_answered_as_those_of_schemas)
{
    struct server server;
    static struct wire wire;

    memset(&wire, 0, sizeof wire);

    start_server(&server);
    CHECK(
        strstr(call(&server, &wire, "GET", "/api/v1/faults", NULL, NULL),
               "[{\"type\":\"value_error\",\"msg\":\"no thing\",\"loc\":[\"path\",\"thing_id\"]"));
    CHECK_INT(status_of(&wire), 422);
    format.validation = VALIDATION_TEXT;
    CHECK(strstr(call(&server, &wire, "GET", "/api/v1/faults", NULL, NULL),
                 "\"path.thing_id: no thing; query.limit: no limit\""));
    CHECK(
        strstr(call(&server, &wire, "POST", "/api/v1/echo", "{\"times\":0,\"z\":1}", NULL),
               "\"body.word: Field required; body.times: Input should be greater than or equal to "
               "1; body.z: Extra inputs are not permitted\""));
    format.validation = VALIDATION_LIST;
    free(wire.answer);
    server_stop(&server);
}

TEST(a_stream_is_sent_in_pieces_and_ends_once)
{
    struct server server;
    struct wire *wire = calloc(1, sizeof *wire);

    start_server(&server);
    call(&server, wire, "GET", "/api/v1/stream", NULL,
         (const char *[]){"QUERY_STRING", "word=a%0Aevent:b&times=1", NULL});
    CHECK(strncmp(wire->streamed, "Status: 200 OK\r\n", 16) == 0);
    CHECK(strstr(wire->streamed, "Content-Type: text/event-stream\r\n"));
    CHECK(strstr(wire->streamed, "X-Accel-Buffering: no\r\n"));
    CHECK(!strstr(wire->streamed, "Content-Length"));
    CHECK_TEXT(strstr(wire->streamed, "\r\n\r\n") + 4,
               "id: 7\nevent: word\ndata: a\ndata: event:b\n\n: ping\n\ndata: {}\n\n");
    CHECK_INT(wire->ends, 1);
    CHECK(wire->answer == NULL);
    server_stop(&server);
    free(wire);
}

TEST(a_stream_that_fails_or_runs_out_of_memory_says_so)
{
    static const char *const queries[] = {"word=a&times=2", "word=a&times=3"};
    struct server server;
    struct wire *wire = calloc(1, sizeof *wire);

    start_server(&server);
    for (int i = 0; i < 2; i++) {
        wire->streamed_length = 0;
        call(&server, wire, "GET", "/api/v1/stream", NULL,
             (const char *[]){"QUERY_STRING", queries[i], NULL});
        CHECK(strstr(wire->streamed, "\n\nevent: error\ndata: {"));
        CHECK_INT(wire->ends, i + 1);
        CHECK(metric_sum(server.metrics, HTTP_METRIC_REQUESTS, NULL) == i + 1);
    }
    wire->gone = true;
    wire->streamed_length = 0;
    call(&server, wire, "GET", "/api/v1/stream", NULL,
         (const char *[]){"QUERY_STRING", "word=a&times=1", NULL});
    CHECK_INT(wire->streamed_length, 0);
    free(wire->answer);
    server_stop(&server);
    free(wire);
}

#define MULTIPART "multipart/form-data; boundary=\"xyz\""
#define PART(head, body) "--xyz\r\nContent-Disposition: form-data; " head "\r\n\r\n" body "\r\n"

TEST(forms_are_read_part_by_part)
{
    static const char long_part[] = "0123456789012345678901234567890123456789";
    static const struct {
        const char *type, *body, *answer;
        int status;
    } cases[] = {
        {MULTIPART, PART("name=\"file\"; filename=\"a;\\\"b.txt\"", "hello") "--xyz--\r\n",
         "a;\"b.txt|5|hello|-", 200},
        {MULTIPART,
         "preamble\r\n" PART("name=note", "n\r\n--xy") PART(
             "name=\"file\"; filename=\"f\"\r\nContent-Type: text/plain", "\r\n--xy\r\n") "--xyz--",
         "f|8|\r\n--xy\r\n|n\r\n--xy", 200},
        {MULTIPART, PART("name=\"x\"", "unknown") PART("name=\"file\"", "f") "--xyz--",
         "\"extra_forbidden\",\"msg\":\"Extra inputs are not permitted\",\"loc\":[\"body\",\"x\"]",
         422},
        {MULTIPART, PART("name=\"note\"", "n") "--xyz--", "\"loc\":[\"body\",\"file\"]", 422},
        {MULTIPART, PART("name=\"note\"", "\xff") "--xyz--", "valid text", 422},
        {MULTIPART, PART("name=\"note\"", "a") PART("name=\"note\"", "b") "--xyz--", "Too many",
         422},
        {MULTIPART, PART("name=\"file\"", "cut"), "parsing the body", 400},
        {MULTIPART, "--xyz\r\nno colon", "parsing the body", 400},
        {MULTIPART, "", "parsing the body", 400},
        {MULTIPART, PART("filename=\"f\"", "no name") "--xyz--", "parsing the body", 400},
        {"multipart/form-data", "x", "Missing boundary", 400},
        {"application/x-www-form-urlencoded", "note=a%20b", "\"file\"", 422},
        {"application/x-www-form-urlencoded", "note=a&x=b", "\"loc\":[\"body\",\"x\"]", 422},
        {"application/x-www-form-urlencoded", "file=a", "multipart/form-data", 422},
        {"application/json", "{}", "\"file\"", 422},
    };
    struct server server;
    struct wire *wire = calloc(1, sizeof *wire);
    struct text large;

    start_server(&server);
    text_start(&large, process_arena, 3000);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        call(&server, wire, "POST", "/api/v1/form", cases[i].body,
             (const char *[]){"CONTENT_TYPE", cases[i].type, NULL});
        if (!strstr(wire->answer, cases[i].answer))
            printf("case %zu: %s\n", i, wire->answer);
        CHECK_INT(status_of(wire), cases[i].status);
        CHECK(strstr(wire->answer, cases[i].answer) != NULL);
    }
    text_append_string(&large, "--xyz\r\nContent-Disposition: form-data; name=file\r\n\r\n");
    for (int i = 0; i < 40; i++)
        text_append_string(&large, long_part);
    call(&server, wire, "POST", "/api/v1/form", large.bytes,
         (const char *[]){"CONTENT_TYPE", MULTIPART, NULL});
    CHECK_INT(status_of(wire), 413);
    CHECK(strstr(wire->answer, "at most 1024 bytes"));
    free(wire->answer);
    free(wire);
    server_stop(&server);
}

/* What an input of the fuzz corpus is answered, by how its name begins. */
#define ONE_FAULT(type, message, field)                                                            \
    "{\"detail\":[{\"type\":\"" type "\",\"msg\":\"" message "\",\"loc\":[\"body\",\"" field       \
    "\"],\"input\":null}],\"error_code\":\"validation_error\","
#define BAD_REQUEST(detail) "{\"detail\":\"" detail "\",\"error_code\":\"bad_request\","

static const struct {
    const char *kind;
    int status;
    const char *answer;
} malformed[] = {
    {"boundary-", 400, BAD_REQUEST("Missing boundary in multipart.")},
    {"malformed-", 400, BAD_REQUEST("There was an error parsing the body")},
    {"missing-", 422, ONE_FAULT("missing", "Field required", "file")},
    {"unknown-", 422,
     "{\"detail\":[{\"type\":\"extra_forbidden\",\"msg\":\"Extra inputs are not "
     "permitted\",\"loc\":[\"body\""},
    {"text-", 422, ONE_FAULT("string_unicode", "Input should be valid text", "note")},
    {"twice-file", 422, ONE_FAULT("too_long", "Too many parts of this name", "file")},
    {"twice-note", 422, ONE_FAULT("too_long", "Too many parts of this name", "note")},
};

/* The first line of an input is the Content-Type, the rest is the body. */
static bool is_answered_exactly(struct server *server, struct wire *wire, const char *path,
                                const char *kind)
{
    static char bytes[65536];
    FILE *file = fopen(path, "rb");
    size_t length = fread(bytes, 1, sizeof bytes, file);
    char *body = memchr(bytes, '\n', length);
    size_t row = 0;

    fclose(file);
    *body++ = '\0';
    while (row < COUNT_OF(malformed) &&
           strncmp(kind, malformed[row].kind, strlen(malformed[row].kind)) != 0)
        row++;
    call_with_bytes(server, wire, "POST", "/api/v1/form", body, length - (size_t)(body - bytes),
                    (const char *[]){"CONTENT_TYPE", bytes, NULL});
    return row < COUNT_OF(malformed) && status_of(wire) == malformed[row].status &&
           strncmp(wire->answer, malformed[row].answer, strlen(malformed[row].answer)) == 0;
}

static int next_descriptor(void)
{
    int descriptor = dup(STDIN_FILENO);

    close(descriptor);
    return descriptor;
}

TEST(malformed_forms_are_answered_exactly)
{
    static const char folder[] = "tests/fuzz/corpus/multipart";
    struct server server;
    struct wire *wire = calloc(1, sizeof *wire);
    DIR *inputs = opendir(folder);
    int count = 0;

    start_server(&server);
    server.policy.body_limits[1] = 65536;
    for (struct dirent *entry; (entry = readdir(inputs)) != NULL;) {
        const char *path = arena_print(process_arena, "%s/%s", folder, entry->d_name);
        int free_descriptor = next_descriptor();

        if (entry->d_name[0] == '.' || strncmp(entry->d_name, "whole-", 6) == 0)
            continue;
        if (!is_answered_exactly(&server, wire, path, entry->d_name)) {
            printf("%s: %s%s\n", path, wire->head, wire->answer);
            CHECK(false);
        }
        CHECK_INT(next_descriptor(), free_descriptor);
        count++;
    }
    CHECK(count >= 100);
    closedir(inputs);
    free(wire->answer);
    free(wire);
    server_stop(&server);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(arguments_are_those_of_the_row_that_answers),
        CASE(anybody_is_not_given_credentials),
        CASE(other_sites_read_nothing_with_a_session),
        CASE(a_head_that_does_not_fit_ends_all_the_same),
        CASE(slashes_redirect_where_the_style_says_so),
        CASE(a_session_counts_for_pages_of_the_portal_only),
        CASE(an_answer_of_204_has_no_body_and_no_type),
        CASE(faults_of_handlers_are_answered_as_those_of_schemas),
        CASE(a_stream_is_sent_in_pieces_and_ends_once),
        CASE(a_stream_that_fails_or_runs_out_of_memory_says_so),
        CASE(forms_are_read_part_by_part),
        CASE(malformed_forms_are_answered_exactly),
    };

    return run_on_the_wire(cases, COUNT_OF(cases));
}
