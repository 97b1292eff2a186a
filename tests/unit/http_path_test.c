/* The path of a request, whichever web server it came through. */
#include "http/http_internal.h"
#include "test.h"

#include <stdlib.h>

struct variables {
    const char *document_uri, *request_uri, *script_name, *path_info;
};

static const char *variable(void *transport, const char *name)
{
    const struct variables *variables = transport;

    return strcmp(name, "DOCUMENT_URI") == 0  ? variables->document_uri
           : strcmp(name, "REQUEST_URI") == 0 ? variables->request_uri
           : strcmp(name, "SCRIPT_NAME") == 0 ? variables->script_name
           : strcmp(name, "PATH_INFO") == 0   ? variables->path_info
                                              : NULL;
}

TEST(paths)
{
    static const struct http_service service = {.name = "support"};
    static const struct http_family family = {.service = &service, .name = "ask"};
    static const struct {
        struct variables variables;
        const char *path;
    } cases[] = {
        {{"/api/ask", "/other"}, "/api/ask"},
        {{NULL, "/api/ask?x=/y"}, "/api/ask"},
        {{NULL, "http://host:80/api/ask?x"}, "/api/ask"},
        {{NULL, "http://host"}, "/"},
        {{NULL, "/api//ask/./x/../"}, "/api/ask/"},
        {{NULL, "/../../etc/passwd"}, "/etc/passwd"},
        {{NULL, "/a/.."}, "/"},
        {{NULL, "/%61pi/%2e%2E/b%"}, "/b%"},
        {{NULL, "/a%00b"}, "/a%00b"},
        {{NULL, "/a%zz%4"}, "/a%zz%4"},
        {{NULL, "*"}, "/"},
        {{NULL, NULL}, "/"},
        {{NULL, "/cgi-bin/support-ask.cgi/api/ask", "/cgi-bin/support-ask.cgi", "/api/ask"},
         "/api/ask"},
        {{NULL, "/cgi-bin/support-ask/api/ask", "/cgi-bin/support-ask", "/api/ask"}, "/api/ask"},
        {{NULL, "/api/documents/7", "/api/documents", "/7"}, "/api/documents/7"},
        {{NULL, "/x/support-asking/7", "/x/support-asking", "/7"}, "/x/support-asking/7"},
    };
    struct arena *arena = arena_create((size_t)1 << 20);
    struct server server = {.family = &family};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct variables variables = cases[i].variables;
        struct exchange exchange = {.transport = &variables, .variable = variable};
        struct request request = {.arena = arena, .server = &server, .exchange = &exchange};

        CHECK_TEXT(request_path_of(&request), cases[i].path);
    }
    arena_destroy(arena);
}

TEST_MAIN(CASE(paths))
