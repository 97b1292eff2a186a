/*
 * MCP over standard input and output, for clients that cannot call an address: each line is a
 * message, which goes to /mcp of the suite, and the answer comes back as a line. Messages are sent
 * as they come, each in a fiber. `--help` lists the options and exit codes.
 */
#include "base/clock.h"
#include "base/fiber.h"
#include "base/help.h"
#include "base/json.h"
#include "base/loop.h"
#include "base/number.h"
#include "net/fetch.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static const char help[] =
    "usage: assay-mcp [--token-file FILE] [--timeout SECONDS] [--max-bytes BYTES] URL\n"
    "\n"
    "Tools for language models over standard input and output: passes each message of a\n"
    "client of MCP to URL, such as http://127.0.0.1:8080/mcp, and the answers back. For\n"
    "clients that start a program and cannot call an address themselves.\n"
    "\n"
    "  --token-file FILE    The first line is the token; without it ASSAY_MCP_TOKEN is.\n"
    "  --timeout SECONDS    How long a call may take (300).\n"
    "  --max-bytes BYTES    The longest message, and the longest answer (16777216).\n"
    "\n"
    "A call that gets no answer is answered with an error, and the program goes on: the\n"
    "server may end and come back. 16 calls run side by side; the next ones wait. A token\n"
    "is never an argument, because others see those.\n"
    "\n"
    "Exit codes: 0 the client has closed its end, and all calls are answered; 1 nothing can\n"
    "be written any more, or memory has run out; 2 the command line or the token is wrong.\n";

enum { EXIT_DONE, EXIT_BROKEN, EXIT_USAGE };
enum {
    CALLS_MAX = 16,
    CHUNK_BYTES = 65536,
    ID_MAX = 256,      /* bytes of an id as JSON */
    VERSION_MAX = 32,  /* of the protocol */
    TOKEN_MAX = 3000,  /* bytes, of a header */
    SHOWN_MAX = 65536, /* bytes of an answer that may be an error */
    DEPTH_MAX = 128,
    MEMORY_KEPT = 8 * 1024 * 1024,
    COPIES = 12, /* of a message and its answer, as values */
    BYTES_LEAST = 1024,
    BYTES_MOST = 256 * 1024 * 1024,
    SECONDS_MOST = 86400,
    IDLE_MICROSECONDS = 1000000, /* the input wakes it */
    BUSY_MICROSECONDS = 10000    /* until a call ends */
};
enum { CODE_PARSE_ERROR = -32700, CODE_INVALID_REQUEST = -32600, CODE_NO_ANSWER = -32000 };

#define META_VERSION "io.modelcontextprotocol/protocolVersion"

struct call;

struct bridge {
    const char *url;
    const char *token; /* NULL = none */
    int64_t seconds, bytes_max;
    char version[VERSION_MAX]; /* agreed on by `initialize`; "" before */
    struct call *calls;        /* that run */
    size_t running;
    struct text line; /* the beginning of a message */
    char chunk[CHUNK_BYTES];
    size_t from, to; /* what of the chunk is not read yet */
    bool ended;      /* the client has closed its end */
    bool broken;     /* standard output */
};

struct call {
    struct call *next;
    struct bridge *bridge;
    struct arena *arena;
    const char *line;
    size_t length;
    const json_t *message;
    const char *method; /* "" = none */
    char id[ID_MAX];    /* as JSON; "" for what is not answered */
    bool cancelled;     /* by the client, who wants no answer any more */
};

/* A line of its own: what a server sends as JSON may have line feeds between its values. */
static void write_line(struct bridge *bridge, char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] == '\n' || bytes[i] == '\r')
            bytes[i] = ' ';
    if (fwrite(bytes, 1, length, stdout) != length || putchar('\n') == EOF || fflush(stdout) != 0)
        bridge->broken = true;
}

static void write_error(struct bridge *bridge, struct arena *arena, const char *id, int code,
                        const char *text)
{
    struct json_writer writer;
    struct text out;

    fprintf(stderr, "assay-mcp: %s\n", text);
    if (!*id)
        return;
    text_start(&out, arena, SHOWN_MAX);
    writer_start(&writer, &out);
    writer_open_object(&writer);
    writer_key_string(&writer, "jsonrpc", "2.0");
    writer_key(&writer, "id");
    writer_raw(&writer, id);
    writer_key(&writer, "error");
    writer_open_object(&writer);
    writer_key_integer(&writer, "code", code);
    writer_key_string(&writer, "message", text);
    writer_close_object(&writer);
    writer_close_object(&writer);
    write_line(bridge, out.bytes, out.length);
}

static void fail(struct call *call, const char *text)
{
    if (!call->cancelled)
        write_error(call->bridge, call->arena, call->id, CODE_NO_ANSWER, text);
}

/* As JSON; false for what is no id (NULL too), or too long. */
static bool read_id(struct arena *arena, const json_t *value, char id[ID_MAX])
{
    struct json_writer writer;
    struct text text;

    if (!json_is_string(value) && !json_is_integer(value))
        return false;
    text_start(&text, arena, ID_MAX - 1);
    writer_start(&writer, &text);
    writer_value(&writer, value);
    if (text.overflowed)
        return false;
    memcpy(id, text.bytes, text.length + 1);
    return true;
}

static const char *string_at(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));

    return value ? value : "";
}

/* Of revisions that say the version with each message, then of the one agreed on. */
static const char *version_of(const struct call *call, bool *modern)
{
    const json_t *params = json_object_get(call->message, "params");
    const char *own = string_at(json_object_get(params, "_meta"), META_VERSION);

    *modern = *own != '\0';
    if (*own || strcmp(call->method, "initialize") == 0)
        return own;
    return call->bridge->version;
}

/* As it is, or encoded where a header cannot hold it. */
static const char *header_text(struct arena *arena, const char *value)
{
    struct text text;

    for (const char *at = value; *at; at++)
        if (*at < 0x20 || *at > 0x7e) {
            text_start(&text, arena, FETCH_HEADER_BYTES_MAX);
            text_append_string(&text, "=?base64?");
            text_append_base64(&text, value, strlen(value));
            text_append_string(&text, "?=");
            return text.bytes;
        }
    return value;
}

static void add_header(struct call *call, struct fetch_request *request, const char *name,
                       const char *value)
{
    if (*value)
        request->headers[request->header_count++] =
            (struct fetch_header){name, header_text(call->arena, value)};
}

static void add_headers(struct call *call, struct fetch_request *request)
{
    const json_t *params = json_object_get(call->message, "params");
    bool modern, reads = strcmp(call->method, "resources/read") == 0;

    add_header(call, request, "Content-Type", "application/json");
    add_header(call, request, "Accept", "application/json, text/event-stream");
    if (call->bridge->token)
        add_header(call, request, "Authorization",
                   arena_print(call->arena, "Bearer %s", call->bridge->token));
    add_header(call, request, "MCP-Protocol-Version", version_of(call, &modern));
    if (!modern)
        return;
    add_header(call, request, "Mcp-Method", call->method);
    if (reads || strcmp(call->method, "tools/call") == 0 ||
        strcmp(call->method, "prompts/get") == 0)
        add_header(call, request, "Mcp-Name", string_at(params, reads ? "uri" : "name"));
}

static bool is_cancelled(void *context)
{
    return ((const struct call *)context)->cancelled;
}

static void ask(struct call *call, struct fetch_answer *answer)
{
    const struct bridge *bridge = call->bridge;
    const struct fetch_watch watch = {.cancelled = is_cancelled, .context = call, .fd = -1};
    struct fetch_request request = {.url = bridge->url,
                                    .body = call->line,
                                    .body_length = call->length,
                                    .answer_max = (size_t)bridge->bytes_max,
                                    .once = true,
                                    .private_too = true,
                                    .policy = {.connect_seconds = 10,
                                               .attempt_seconds = (double)bridge->seconds,
                                               .total_seconds = (double)bridge->seconds,
                                               .attempts = 1}};

    add_headers(call, &request);
    fetch_all(call->arena, &request, answer, 1, NULL, NULL, &watch);
}

/* The document that an answer is; NULL when it is none. */
static const json_t *read_answer(struct call *call, const struct fetch_answer *answer)
{
    struct json_fault fault;
    json_t *document;

    return json_read(call->arena, answer->body, answer->length, DEPTH_MAX, &document, &fault)
               ? NULL
               : document;
}

/* Whether it answers this message, as servers do with a status of HTTP as well. */
static bool answers_call(struct call *call, const json_t *document)
{
    char id[ID_MAX];

    return *string_at(document, "jsonrpc") &&
           read_id(call->arena, json_object_get(document, "id"), id) && strcmp(id, call->id) == 0;
}

static void remember_version(struct bridge *bridge, const json_t *document)
{
    const char *version = string_at(json_object_get(document, "result"), "protocolVersion");

    if (*version && strlen(version) < VERSION_MAX)
        memcpy(bridge->version, version, strlen(version) + 1);
}

static const char *refusal(const struct call *call, const struct fetch_answer *answer)
{
    switch (answer->status) {
    case 401:
        return call->bridge->token ? "The server refuses the token (401)"
                                   : "The server wants a token (401): ASSAY_MCP_TOKEN is not set";
    case 413:
        return "The message is too long for the server (413)";
    default:
        return arena_print(call->arena, "The server answered with status %d", answer->status);
    }
}

static void pass_on(struct call *call, struct fetch_answer *answer)
{
    bool good = answer->status == 200;
    const json_t *document = NULL;

    if (call->cancelled || (!*call->id && answer->status < 300))
        return;
    if (*call->id && (good || answer->length <= SHOWN_MAX))
        document = read_answer(call, answer);
    if (!document || !answers_call(call, document) || answer->status == 401) {
        fail(call,
             good ? "The address answers, but not as a server of MCP does" : refusal(call, answer));
        return;
    }
    if (good && strcmp(call->method, "initialize") == 0)
        remember_version(call->bridge, document);
    write_line(call->bridge, arena_copy(call->arena, answer->body, answer->length), answer->length);
}

static void run_call(struct call *call)
{
    struct fetch_answer answer;

    ask(call, &answer);
    if (answer.outcome == FETCH_ANSWERED)
        pass_on(call, &answer);
    else if (answer.outcome == FETCH_TOO_LARGE)
        fail(call, "The answer is longer than --max-bytes");
    else
        fail(call, arena_print(call->arena, "No answer from the server: %s",
                               fetch_outcome_name(answer.outcome)));
}

static void end_call(struct call *call)
{
    struct call **at = &call->bridge->calls;

    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
    call->bridge->running--;
    arena_destroy(call->arena);
    free(call);
}

/* The function of each fiber. */
static void serve(void *context)
{
    struct call *call = context;
    jmp_buf exhausted;

    if (setjmp(exhausted) == 0) {
        arena_on_exhausted(call->arena, &exhausted);
        run_call(call);
    } else {
        arena_on_exhausted(call->arena, NULL);
        arena_reset(call->arena);
        fail(call, "There is no memory for this call");
    }
    end_call(call);
}

static void cancel(struct bridge *bridge, struct arena *arena, const json_t *message)
{
    const json_t *params = json_object_get(message, "params");
    char id[ID_MAX];

    if (!read_id(arena, json_object_get(params, "requestId"), id))
        return;
    for (struct call *call = bridge->calls; call; call = call->next)
        if (strcmp(call->id, id) == 0)
            call->cancelled = true;
}

/* Fills in what the message says. False, after an answer, when it cannot be sent. */
static bool read_message(struct call *call)
{
    struct json_fault fault;
    json_t *document;
    const json_t *id;

    if (json_read(call->arena, call->line, call->length, DEPTH_MAX, &document, &fault)) {
        write_error(call->bridge, call->arena, "null", CODE_PARSE_ERROR,
                    arena_print(call->arena, "This is no JSON: %s", fault.text));
        return false;
    }
    id = json_object_get(document, "id");
    if (!json_is_object(document) || (id && !read_id(call->arena, id, call->id))) {
        write_error(call->bridge, call->arena, "null", CODE_INVALID_REQUEST,
                    "A message is an object, and its id a short text or a whole number");
        return false;
    }
    call->message = document;
    call->method = string_at(document, "method");
    if (!*call->method) /* an answer to what no server asks */
        return false;
    if (strcmp(call->method, "notifications/cancelled") != 0)
        return true;
    cancel(call->bridge, call->arena, document);
    return false;
}

static bool start_fiber(struct call *call)
{
    if (fiber_start(serve, call))
        return true;
    fail(call, "There is no memory for this call");
    return false;
}

static bool begin_call(struct call *call)
{
    jmp_buf exhausted;

    if (setjmp(exhausted) == 0) {
        arena_on_exhausted(call->arena, &exhausted);
        call->line = arena_copy(call->arena, call->bridge->line.bytes, call->length);
        return read_message(call) && start_fiber(call);
    }
    arena_on_exhausted(call->arena, NULL);
    arena_reset(call->arena);
    write_error(call->bridge, call->arena, "null", CODE_INVALID_REQUEST,
                "There is no memory for this message");
    return false;
}

static struct call *new_call(struct bridge *bridge)
{
    struct call *call = calloc(1, sizeof *call);

    if (!call)
        return NULL;
    *call = (struct call){.bridge = bridge, .length = bridge->line.length, .next = bridge->calls};
    call->arena = arena_create(MEMORY_KEPT + COPIES * (size_t)bridge->bytes_max);
    if (!call->arena) {
        free(call);
        return NULL;
    }
    bridge->calls = call;
    bridge->running++;
    return call;
}

/* The line that has been read. */
static void take_message(struct bridge *bridge)
{
    struct call *call = new_call(bridge);

    if (!call) {
        fputs("assay-mcp: out of memory\n", stderr);
        bridge->broken = true;
        return;
    }
    if (bridge->line.overflowed)
        write_error(bridge, call->arena, "null", CODE_INVALID_REQUEST,
                    "The message is longer than --max-bytes");
    else if (begin_call(call))
        return;
    end_call(call);
}

/* What of the chunk makes lines, as long as more calls may run. */
static void take_lines(struct bridge *bridge)
{
    struct text *line = &bridge->line;

    while (bridge->from < bridge->to && bridge->running < CALLS_MAX) {
        const char *start = bridge->chunk + bridge->from;
        size_t left = bridge->to - bridge->from;
        const char *end = memchr(start, '\n', left);
        size_t length = end ? (size_t)(end - start) : left;

        text_append(line, start, length);
        bridge->from += length + (end != NULL);
        if (!end)
            continue;
        if (line->overflowed || strspn(line->bytes, " \t\r") < line->length)
            take_message(bridge);
        text_cut(line, 0);
    }
}

/* The last line may lack its end. */
static void on_input(uint32_t events, void *context)
{
    struct bridge *bridge = context;
    ssize_t count;

    (void)events;
    if (bridge->from < bridge->to || bridge->ended)
        return;
    count = read(STDIN_FILENO, bridge->chunk, sizeof bridge->chunk);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    bridge->ended = count <= 0;
    if (bridge->ended)
        bridge->chunk[0] = '\n';
    bridge->from = 0;
    bridge->to = count > 0 ? (size_t)count : 1;
}

/* Files cannot be watched: they are always readable. */
static void watch_input(const struct bridge *bridge, struct loop_watch *input)
{
    bool wanted = !bridge->ended && bridge->from == bridge->to;

    if (!wanted)
        loop_unwatch(input);
    else if (!input->active && !loop_watch(input, STDIN_FILENO, EPOLLIN))
        on_input(0, input->context);
}

/* Until the client has closed its end and all is answered. */
static void run(struct bridge *bridge)
{
    struct loop_watch input = {.ready = on_input, .context = bridge};

    while (!bridge->broken && (!bridge->ended || bridge->running || bridge->from < bridge->to)) {
        take_lines(bridge);
        watch_input(bridge, &input);
        fibers_turn(clock_monotonic_microseconds() +
                    (input.active ? IDLE_MICROSECONDS : BUSY_MICROSECONDS));
    }
    loop_unwatch(&input);
}

static bool read_token(struct arena *arena, const char *path, struct bridge *bridge)
{
    FILE *file = path ? fopen(path, "re") : NULL;
    char line[TOKEN_MAX] = "";
    const char *token = getenv("ASSAY_MCP_TOKEN");

    if (path && (!file || !fgets(line, sizeof line, file))) {
        fprintf(stderr, "assay-mcp: %s cannot be read, or is empty\n", path);
        if (file)
            fclose(file);
        return false;
    }
    if (file) {
        fclose(file);
        line[strcspn(line, "\r\n")] = '\0';
        token = line;
    }
    if (!token || !*token)
        return true;
    bridge->token = arena_copy_string(arena, token);
    for (const char *at = token; *at; at++)
        if (*at <= 0x20 || *at > 0x7e || strlen(token) >= TOKEN_MAX - 1) {
            fputs("assay-mcp: the token has characters that no token has, or is too long\n",
                  stderr);
            return false;
        }
    return true;
}

static bool read_limit(const char *text, int64_t least, int64_t most, int64_t *value)
{
    return integer_parse(text, value) && *value >= least && *value <= most;
}

static bool is_address(const char *text)
{
    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

static bool read_option(const char *name, const char *value, struct bridge *bridge,
                        const char **token_file)
{
    if (strcmp(name, "--timeout") == 0)
        return read_limit(value, 1, SECONDS_MOST, &bridge->seconds);
    if (strcmp(name, "--max-bytes") == 0)
        return read_limit(value, BYTES_LEAST, BYTES_MOST, &bridge->bytes_max);
    *token_file = value;
    return strcmp(name, "--token-file") == 0;
}

/* False for anything that the usage does not name. */
static bool read_arguments(char **argv, struct bridge *bridge, const char **token_file)
{
    for (argv++; *argv && **argv == '-'; argv += 2)
        if (!argv[1] || !read_option(argv[0], argv[1], bridge, token_file))
            return false;
    if (!*argv || argv[1] || !is_address(*argv))
        return false;
    bridge->url = *argv;
    return true;
}

static int start(char **argv, struct arena *arena, struct bridge *bridge)
{
    const char *token_file = NULL;
    struct problem problem = {0};

    if (!read_arguments(argv, bridge, &token_file)) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    if (!read_token(arena, token_file, bridge))
        return EXIT_USAGE;
    if (loop_open(&problem)) {
        fprintf(stderr, "assay-mcp: %s\n", problem.text);
        return EXIT_BROKEN;
    }
    text_start(&bridge->line, arena, (size_t)bridge->bytes_max);
    run(bridge);
    return bridge->broken ? EXIT_BROKEN : EXIT_DONE;
}

int main(int argc, char **argv)
{
    static struct bridge bridge = {.seconds = 300, .bytes_max = 16 * 1024 * 1024};
    struct arena *arena = arena_create(MEMORY_KEPT + 4 * (size_t)BYTES_MOST);
    int status;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!arena)
        return EXIT_BROKEN;
    signal(SIGPIPE, SIG_IGN); /* a client that has left is an error of the next line */
    status = start(argv, arena, &bridge);
    arena_destroy(arena);
    return status;
}
