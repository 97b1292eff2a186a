/* Any header lines, before the route that tells most of what it was sent: diagnostics. Asked as the
 * operator behind one proxy and behind three, as nobody, and as a preflight of a browser. */
#include "experiments/family.h"
#include "fuzz.h"
#include "wire.h"

#include <string.h>

enum { INPUT_MEMORY_MAX = 1 << 26 };

static const struct way {
    const char *method;
    int64_t hops;
    bool operator_token;
} ways[] = {{"GET", 1, true}, {"GET", 3, true}, {"GET", 0, false}, {"OPTIONS", 1, false}};

static void add_lines(struct wire *wire, const uint8_t *data, size_t size)
{
    char *text = arena_copy(wire->arena, (const char *)data, size);
    char *end = text + size;

    while (text < end) {
        char *stop = memchr(text, '\n', (size_t)(end - text));

        if (stop)
            *stop = '\0';
        wire_add_header_line(wire, text);
        text = stop ? stop + 1 : end;
    }
}

static void ask(const struct way *way, struct arena *arena, const uint8_t *data, size_t size)
{
    static const char path[] = "/api/v1/diagnostics";
    struct server *server = family_of_path(path);
    struct wire wire;

    wire_start(&wire, arena);
    wire.secrets = family_secrets;
    wire_add(&wire, "REQUEST_METHOD", way->method);
    wire_add(&wire, "DOCUMENT_URI", path);
    if (way->operator_token)
        wire_add(&wire, "HTTP_AUTHORIZATION", arena_print(arena, "Bearer %s", family_write_token));
    add_lines(&wire, data, size);
    server->policy.trusted_proxy_hops = way->hops;
    wire_serve(&wire, server);
    if (way->operator_token)
        PROMISE(wire.status == 200 && json_is_object(wire.document), "the operator is answered");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (const char *const *secret = family_secrets; *secret; secret++)
        if (size && memmem(data, size, *secret, strlen(*secret)))
            return 0; /* what a client sends it may get back */
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        struct arena *arena = arena_create(INPUT_MEMORY_MAX);

        ask(&ways[i], arena, data, size);
        arena_destroy(arena);
    }
    return 0;
}
