/* One request on its way through the fault walk, and the answer to it: what a request reads its
 * variables and its body from, and what it writes its answer to. Included once, by
 * tests/faults/walk.c, behind its family's table and its service's. */
#ifndef ASSAY_TRANSPORT_H
#define ASSAY_TRANSPORT_H

#include "calls.h"
#include "defaults.h"

#include "base/arena.h"
#include "db/db.h"
#include "http/http_internal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_BYTES = 512, STREAM_MAX = 1 << 20, CLIENT_LEFT = 499 };

/* What is failed. */
enum failing {
    FAILING_NOTHING,
    FAILING_ARENA,
    FAILING_STEP,
    FAILING_MALLOC,
    FAILING_WRITE,
    FAILING_CLIENT,
    FAILING__MAX
};
static const char *const failing_names[FAILING__MAX] = {"nothing", "arena", "step",
                                                        "malloc",  "write", "client"};

static const struct http_family family; /* of its main.c */
static struct server server = {.family = &family};
static struct db *db;
static int complaints; /* of the route that is being walked */

struct call {
    const struct route *route;
    char path[PATH_MAX_BYTES];
    const char *token;
    const char *body;
    size_t body_read;
    enum failing failing;
    size_t n;
    bool armed;
    int answers;
    int status; /* of a stream that told of a failure: 500, and CLIENT_LEFT */
    size_t pieces;
    bool streamed, left;
    char reason[64]; /* X-Error-Reason */
    char *reply;     /* from malloc; NULL = none */
    size_t reply_length;
};

static void complain(const struct call *call, const char *what)
{
    if (complaints++ < 5)
        printf("%s %s, %s %zu: %s; status %d, reason %s, %.200s\n",
               method_names[call->route->method], call->path, failing_names[call->failing], call->n,
               what, call->status, call->reason, call->reply ? call->reply : "");
}

/* The pipeline resets the arena before it asks for the first variable: then the fault is set. */
static void arm(struct call *call)
{
    if (call->armed)
        return;
    call->armed = true;
    if (call->failing == FAILING_ARENA)
        arena_fail_after(server.arena, call->n);
    if (call->failing == FAILING_STEP)
        db_fail_after(db, (int64_t)call->n);
    if (call->failing == FAILING_MALLOC)
        calls_fail(CALL_MALLOC, call->n);
    if (call->failing == FAILING_WRITE)
        calls_fail(CALL_WRITE, call->n);
}

static const char *call_variable(void *transport, const char *name)
{
    struct call *call = transport;
    static char authorization[1100], length[24];
    const char *value = strncmp(name, "HTTP_X_", 7) == 0
                            ? WALK_PROOF(name, call->body ? call->body : "")
                            : WALK_VARIABLE(name);

    arm(call);
    if (value)
        return value;
    if (strcmp(name, "REQUEST_METHOD") == 0)
        return method_names[call->route->method];
    if (strcmp(name, "DOCUMENT_URI") == 0)
        return call->path;
    if (strcmp(name, "QUERY_STRING") == 0)
        return WALK_QUERY(call->route);
    if (strcmp(name, "REMOTE_ADDR") == 0)
        return "127.0.0.1";
    if (strcmp(name, "HTTP_AUTHORIZATION") == 0 && call->token) {
        snprintf(authorization, sizeof authorization, "Bearer %s", call->token);
        return authorization;
    }
    if (!call->body)
        return NULL;
    if (strcmp(name, "CONTENT_TYPE") == 0)
        return WALK_TYPE(call->route);
    if (strcmp(name, "CONTENT_LENGTH") != 0)
        return NULL;
    snprintf(length, sizeof length, "%zu", strlen(call->body));
    return length;
}

static long call_read(void *transport, char *bytes, size_t size)
{
    struct call *call = transport;
    size_t left = call->body ? strlen(call->body) - call->body_read : 0;
    size_t count = left < size ? left : size;

    if (count)
        memcpy(bytes, call->body + call->body_read, count);
    call->body_read += count;
    return (long)count;
}

/* The value of a header of the answer, "" when it has none. */
static void read_header(const char *head, size_t head_length, const char *name, char value[64])
{
    const char *at = memmem(head, head_length, name, strlen(name));
    size_t length;

    value[0] = '\0';
    if (!at)
        return;
    at += strlen(name);
    length = strcspn(at, "\r");
    snprintf(value, 64, "%.*s", (int)length, at);
}

static bool call_write(void *transport, const char *head, size_t head_length, const char *body,
                       size_t body_length)
{
    struct call *call = transport;
    char text[64];

    calls_fail(CALL_NONE, 0); /* the answer is made; what follows is ours */
    call->answers++;
    read_header(head, head_length, "Status: ", text);
    call->status = (int)strtol(text, NULL, 10);
    read_header(head, head_length, "X-Error-Reason: ", call->reason);
    read_header(head, head_length, "Content-Length: ", text);
    if (strtoul(text, NULL, 10) != body_length ||
        memcmp(head + head_length - 4, "\r\n\r\n", 4) != 0)
        complain(call, "the head does not fit the body");
    call->reply = malloc(body_length + 1);
    if (!call->reply)
        abort();
    memcpy(call->reply, body, body_length);
    call->reply[body_length] = '\0';
    call->reply_length = body_length;
    return true;
}

/* What of a stream has arrived; not from malloc, which may be what fails. */
static char stream[STREAM_MAX];
static size_t stream_length;

static bool call_append(void *transport, const char *bytes, size_t length)
{
    struct call *call = transport;

    if (call->answers)
        complain(call, "something is sent after the end");
    call->streamed = true;
    if (++call->pieces == call->n && call->failing == FAILING_CLIENT)
        call->left = true;
    if (call->left)
        return false;
    if (length > sizeof stream - 1 - stream_length)
        abort();
    memcpy(stream + stream_length, bytes, length);
    stream_length += length;
    return true;
}

/* Where the last frame begins; NULL when it is cut. */
static const char *last_frame(const char *reply, size_t length)
{
    const char *at = reply + length - 2;

    if (length < 3 || strcmp(at, "\n\n") != 0)
        return NULL;
    while (at > reply && strncmp(at - 1, "\n\n", 2) != 0)
        at--;
    return at == reply ? at : at + 1;
}

/* Whole events, the last of which says how it went. */
static void check_stream(struct call *call)
{
    static const char *const failures[] = {"event: error\n", "data: {\"error\"",
                                           "data: {\"type\":\"error\""};
    const char *last = last_frame(call->reply, call->reply_length);
    bool failed = false;

    for (size_t i = 0; i < COUNT_OF(failures); i++)
        failed |= strstr(call->reply, failures[i]) != NULL;
    if (!last)
        complain(call, "an event is cut");
    if (last && !failed && !strstr(call->reply, "event: complete\n") &&
        strncmp(last, WALK_LAST_FRAME, strlen(WALK_LAST_FRAME)) != 0)
        complain(call, "the stream ends without a word");
    if (failed)
        call->status = 500;
}

static bool call_end(void *transport)
{
    struct call *call = transport;
    const char *body;

    calls_fail(CALL_NONE, 0);
    call->answers++;
    stream[stream_length] = '\0';
    body = strstr(stream, "\r\n\r\n");
    call->status = strncmp(stream, "Status: ", 8) == 0 ? (int)strtol(stream + 8, NULL, 10) : 0;
    call->reply = strdup(body ? body + 4 : "");
    call->reply_length = strlen(call->reply);
    if (call->left)
        call->status = CLIENT_LEFT;
    else
        check_stream(call);
    return true;
}

static bool call_gone(void *transport)
{
    return ((struct call *)transport)->left;
}

#endif
