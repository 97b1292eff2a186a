/* A whole request, FastCGI variables to answer, through the analysis responder in one process. The
 * input is a request line, header lines and a body as HTTP writes them; whatever it holds, there is
 * one complete answer, its JSON is valid, and no request is answered 500. */
int responder_entry(int argc, char **argv);
#define main responder_entry /* its table of routes is wanted, its main is not */
#include "experiments-analysis/main.c"
#undef main

#include "base/log.h"
#include "crypto/crypto.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VARIABLES_MAX = 64 };

struct wire {
    const char *names[VARIABLES_MAX];
    const char *values[VARIABLES_MAX];
    size_t count;
    const char *body;
    size_t body_length;
    size_t at;
    int answers;
    struct arena *arena;
};

static const char *wire_variable(void *transport, const char *name)
{
    const struct wire *wire = transport;

    for (size_t i = 0; i < wire->count; i++)
        if (strcmp(wire->names[i], name) == 0)
            return wire->values[i];
    return NULL;
}

static long wire_read(void *transport, char *bytes, size_t size)
{
    struct wire *wire = transport;
    size_t left = wire->body_length - wire->at;
    size_t count = left < size ? left : size;

    memcpy(bytes, wire->body + wire->at, count);
    wire->at += count;
    return (long)count;
}

static bool wire_write(void *transport, const char *head, size_t head_length, const char *body,
                       size_t body_length)
{
    struct wire *wire = transport;
    struct json_fault fault;
    json_t *document;

    wire->answers++;
    if (head_length < 16 || memcmp(head, "Status: ", 8) != 0 || memcmp(head + 8, "500", 3) == 0)
        abort();
    if (body_length && memmem(head, head_length, "application/json", 16) &&
        json_read(wire->arena, body, body_length, JSON_DEPTH_LIMIT, &document, &fault))
        abort();
    return true;
}

static void add_variable(struct wire *wire, const char *name, const char *value)
{
    if (wire->count == VARIABLES_MAX)
        return;
    wire->names[wire->count] = name;
    wire->values[wire->count++] = value;
}

/* "Accept-Language" becomes "HTTP_ACCEPT_LANGUAGE", as nginx does it. */
static char *cgi_name(struct arena *arena, const char *name)
{
    bool plain = strcasecmp(name, "content-type") == 0 || strcasecmp(name, "content-length") == 0;
    char *cgi = arena_print(arena, "%s%s", plain ? "" : "HTTP_", name);

    for (char *p = cgi; *p; p++)
        *p = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
    return cgi;
}

static void split_request_line(struct wire *wire, char *line)
{
    char *path = line + strcspn(line, " ");
    char *query;

    if (*path)
        *path++ = '\0';
    query = path + strcspn(path, "?");
    if (*query)
        *query++ = '\0';
    add_variable(wire, "REQUEST_METHOD", line);
    add_variable(wire, "DOCUMENT_URI", path);
    add_variable(wire, "QUERY_STRING", query);
    add_variable(wire, "REMOTE_ADDR", "127.0.0.1");
}

/* Cuts the input into lines up to the first empty one; the rest is the body. */
static void read_input(struct wire *wire, char *text, size_t size)
{
    char *end = text + size;
    bool first = true;

    while (text < end) {
        char *line = text;
        char *stop = memchr(text, '\n', (size_t)(end - text));
        char *colon;

        stop = stop ? stop : end;
        *stop = '\0';
        text = stop < end ? stop + 1 : end;
        if (!*line)
            break;
        colon = strchr(line, ':');
        if (first) {
            split_request_line(wire, line);
        } else if (colon) {
            *colon = '\0';
            add_variable(wire, cgi_name(wire->arena, line), colon + 1);
        }
        first = false;
    }
    wire->body = text;
    wire->body_length = (size_t)(end - text);
}

static struct server *open_server(void)
{
    static struct server server = {.application = &application};
    static struct arena *arena; /* of the process */
    struct problem problem;

    if (server.region)
        return &server;
    arena = arena_create(1 << 26);
    setenv("AB_API_TOKEN", "fuzzing-token", 1);
    setenv("AB_DB_PATH", ":memory:", 1);
    setenv("AB_CORS_ORIGINS", "https://a.example", 1);
    if (crypto_start(&problem) ||
        service_start(arena, &server.policy, &server.info, &server.state, &problem) ||
        server_start(&server, &application, arena, NULL, "locales", &problem))
        abort();
    server.policy.write_token = NULL;
    server.policy.rate_limit_enabled = false;
    log_open("fuzz", LOG_CRITICAL, LOG_JSON);
    return &server;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_create(1 << 28);
    struct wire wire = {.arena = arena};
    struct exchange exchange = {&wire, wire_variable, wire_read, wire_write};

    read_input(&wire, arena_copy(arena, (const char *)data, size), size);
    server_serve(open_server(), &exchange);
    if (wire.answers != 1)
        abort();
    arena_destroy(arena);
    return 0;
}
