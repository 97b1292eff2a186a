/* The transport of fuzz targets, and what it wants of every reply. */
#include "wire.h"
#include "fuzz.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { DOCUMENT_DEPTH_MAX = 64 };

static const int statuses[] = {200, 201, 202, 204, 304, 400, 401, 403, 404,
                               405, 409, 410, 412, 413, 415, 422, 429, 503};

static const char *read_variable(void *transport, const char *name)
{
    return wire_value(transport, name);
}

static long read_body(void *transport, char *bytes, size_t size)
{
    struct wire *wire = transport;
    size_t left = wire->body_length - wire->at;
    size_t count = left < size ? left : size;

    memcpy(bytes, wire->body + wire->at, count);
    wire->at += count;
    return (long)count;
}

static bool is_legal(int status)
{
    for (size_t i = 0; i < COUNT_OF(statuses); i++)
        if (statuses[i] == status)
            return true;
    return false;
}

/* `Name: value`, each ended by CR LF, with no other control character. */
static void check_head(const char *head, size_t length)
{
    const char *end = head + length - 2;

    PROMISE(length > 16 && memcmp(end - 2, "\r\n\r\n", 4) == 0, "the head ends with an empty line");
    while (head < end) {
        const char *stop = memmem(head, (size_t)(end - head), "\r\n", 2);
        const char *colon = memchr(head, ':', (size_t)(stop - head));

        PROMISE(colon && colon > head && colon[1] == ' ', "a head line is Name: value");
        for (const char *byte = head; byte < stop; byte++)
            PROMISE((unsigned char)*byte >= 0x20 && *byte != 0x7f, "the head has no controls");
        head = stop + 2;
    }
}

static void check_secrets(const struct wire *wire, const char *bytes, size_t length)
{
    for (const char *const *secret = wire->secrets; secret && *secret; secret++)
        PROMISE(!memmem(bytes, length, *secret, strlen(*secret)), "secrets are not shown");
}

static bool take_reply(void *transport, const char *head, size_t head_length, const char *body,
                       size_t body_length)
{
    struct wire *wire = transport;
    struct json_fault fault;

    PROMISE(++wire->answers == 1, "a request has one answer");
    PROMISE(head_length > 16 && memcmp(head, "Status: ", 8) == 0, "the head begins with Status");
    wire->status = (int)strtol(head + 8, NULL, 10);
    if (!is_legal(wire->status))
        fprintf(stderr, "%.*s%.*s\n", (int)head_length, head, (int)body_length, body);
    PROMISE(is_legal(wire->status), "the status is a legal one");
    check_head(head, head_length);
    check_secrets(wire, head, head_length);
    check_secrets(wire, body, body_length);
    wire->head = arena_copy(wire->arena, head, head_length);
    if (body_length && strstr(wire->head, "\r\nContent-Type: application/json")) {
        PROMISE(
            !json_read(wire->arena, body, body_length, DOCUMENT_DEPTH_MAX, &wire->document, &fault),
            "a JSON reply is JSON");
    }
    return true;
}

void wire_start(struct wire *wire, struct arena *arena)
{
    *wire = (struct wire){.arena = arena, .body = ""};
    wire_add(wire, "REMOTE_ADDR", "127.0.0.1");
}

void wire_add(struct wire *wire, const char *name, const char *value)
{
    if (wire->count == WIRE_VARIABLES_MAX)
        return;
    wire->names[wire->count] = name;
    wire->values[wire->count++] = value;
}

void wire_add_request_line(struct wire *wire, char *line)
{
    char *path = line + strcspn(line, " ");
    char *query;

    if (*path)
        *path++ = '\0';
    query = path + strcspn(path, "?");
    if (*query)
        *query++ = '\0';
    wire_add(wire, "REQUEST_METHOD", line);
    wire_add(wire, "DOCUMENT_URI", path);
    wire_add(wire, "QUERY_STRING", query);
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

void wire_add_header_line(struct wire *wire, char *line)
{
    char *colon = strchr(line, ':');

    if (!colon)
        return;
    *colon++ = '\0';
    while (*colon == ' ' || *colon == '\t')
        colon++;
    wire_add(wire, cgi_name(wire->arena, line), colon);
}

const char *wire_value(const struct wire *wire, const char *name)
{
    for (size_t i = 0; i < wire->count; i++)
        if (strcmp(wire->names[i], name) == 0)
            return wire->values[i];
    return NULL;
}

void wire_serve(struct wire *wire, struct server *server)
{
    struct exchange exchange = {wire, read_variable, read_body, take_reply};

    server_serve(server, &exchange);
    PROMISE(wire->answers == 1, "a request has one answer");
    server_after(server);
}
