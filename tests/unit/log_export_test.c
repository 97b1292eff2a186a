/* Lines of other programs leave the host without what is secret in them. */
#include "telemetry/log_export.h"
#include "test.h"

#include <string.h>

enum { MEMORY = 1 << 20, REQUEST_MAX = 1 << 16 };

static const struct {
    const char *line, *exported;
} rows[] = {
    {"2026/11/28 08:00:00 [error] 7#7: *1 limiting connections, request: \"GET "
     "/share/geheim?a=geheim "
     "HTTP/1.1\", host: \"h\", referrer: \"http://h/share/geheim\"",
     "2026/11/28 08:00:00 [error] 7#7: *1 limiting connections, request: \"GET /share/ HTTP/1.1\", "
     "host: \"h\", referrer: \"http://h/share/\""},
    {"request: \"GET /api/oidc/callback?code=geheim&state=geheim HTTP/1.1\"",
     "request: \"GET /api/oidc/callback? HTTP/1.1\""},
    {"libpq: cannot reach postgresql://user:geheim@host/name, is it up?",
     "libpq: cannot reach postgresql://***********@host/name, is it up?"},
    {"{broken Authorization: Bearer geheim", "{broken Authorization: Bearer ******"},
    {"multiwatch: Child[7] died", "multiwatch: Child[7] died"},
};

TEST(lines_of_others_hold_no_secret)
{
    struct arena *arena = arena_create(MEMORY);
    struct log_source source = {.service_name = "nginx", .file = "nginx", .least = LOG_INFO};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct text out;

        text_start(&out, arena, REQUEST_MAX);
        CHECK_INT(log_export_append(arena, &source, rows[i].line, strlen(rows[i].line), &out), 1);
        CHECK(memmem(out.bytes, out.length, rows[i].exported, strlen(rows[i].exported)) != NULL);
        CHECK(memmem(out.bytes, out.length, "geheim", strlen("geheim")) == NULL);
    }
    arena_destroy(arena);
}

TEST_MAIN(CASE(lines_of_others_hold_no_secret))
