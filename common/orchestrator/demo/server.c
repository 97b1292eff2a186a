/* Accepts connections; a child process reads one request and writes its answer word by word. */
#include "orchestrator/demo/server.h"

#include "base/clock.h"
#include "text/language.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    QUEUE = 64,
    REQUEST_MAX = 4 * 1024 * 1024,
    ANSWER_MAX = 1024 * 1024,
    MEMORY_MAX = 128 * 1024 * 1024,
    REQUEST_SECONDS = 10,
    WORDS_A_CHUNK = 2,
    WHOLE_ANSWER_MS_MAX = 4000
};

static volatile sig_atomic_t must_stop;

struct message {
    const char *role, *content;
};

struct chat_request {
    const char *model;
    bool stream;
    OBJECT_LIST(struct message, messages);
};

#define OWNER struct message
static const struct field message_fields[] = {STRING(OWNER, role, .nullable = true),
                                              STRING(OWNER, content, .nullable = true)};
static const struct field delta_fields[] = {STRING(OWNER, role, .omit_if_null = true),
                                            STRING(OWNER, content, .omit_if_null = true)};
#undef OWNER
static SCHEMA(message_schema, struct message, "SimulatedMessage", message_fields,
              .extra = EXTRA_IGNORE);
static SCHEMA(delta_schema, struct message, "SimulatedDelta", delta_fields);

#define OWNER struct chat_request
static const struct field request_fields[] = {
    STRING(OWNER, model, .required = true), BOOLEAN(OWNER, stream),
    OBJECTS(OWNER, messages, message_schema, .required = true, .min_length = 1)};
#undef OWNER
static SCHEMA(request_schema, struct chat_request, "SimulatedRequest", request_fields,
              .extra = EXTRA_IGNORE);

struct usage {
    int64_t prompt_tokens, completion_tokens, total_tokens;
};

#define OWNER struct usage
static const struct field usage_fields[] = {
    INTEGER(OWNER, prompt_tokens), INTEGER(OWNER, completion_tokens), INTEGER(OWNER, total_tokens)};
#undef OWNER
static SCHEMA(usage_schema, struct usage, "SimulatedUsage", usage_fields);

struct choice {
    int64_t index;
    const struct message *message, *delta;
    const char *finish_reason;
};

#define OWNER struct choice
static const struct field whole_fields[] = {INTEGER(OWNER, index),
                                            OBJECT(OWNER, message, message_schema),
                                            STRING(OWNER, finish_reason, .nullable = true)};
static const struct field piece_fields[] = {INTEGER(OWNER, index),
                                            OBJECT(OWNER, delta, delta_schema),
                                            STRING(OWNER, finish_reason, .nullable = true)};
#undef OWNER
static SCHEMA(whole_schema, struct choice, "SimulatedChoice", whole_fields);
static SCHEMA(piece_schema, struct choice, "SimulatedPiece", piece_fields);

struct completion {
    const char *id, *object, *model;
    int64_t created;
    OBJECT_LIST(struct choice, choices);
    const struct usage *usage;
};

#define OWNER struct completion
#define COMPLETION_ROWS(choice_schema)                                                             \
    STRING(OWNER, id), STRING(OWNER, object), INTEGER(OWNER, created), STRING(OWNER, model),       \
        OBJECTS(OWNER, choices, choice_schema),                                                    \
        OBJECT(OWNER, usage, usage_schema, .nullable = true, .omit_if_null = true)
static const struct field completion_fields[] = {COMPLETION_ROWS(whole_schema)};
static const struct field chunk_fields[] = {COMPLETION_ROWS(piece_schema)};
#undef OWNER
static SCHEMA(completion_schema, struct completion, "SimulatedCompletion", completion_fields);
static SCHEMA(chunk_schema, struct completion, "SimulatedChunk", chunk_fields);

/* A connection and what is answered on it. */
struct exchange {
    const struct simulated_server *server;
    struct arena *arena;
    int peer;
    struct chat_request request;
    const struct simulated_model *model;
    const char *answer;
    struct usage usage;
};

static bool send_all(int peer, const char *bytes, size_t length)
{
    while (length) {
        ssize_t sent = send(peer, bytes, length, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool send_head(struct exchange *exchange, const char *status, const char *type,
                      int64_t length)
{
    const char *size =
        length < 0 ? ""
                   : arena_print(exchange->arena, "Content-Length: %lld\r\n", (long long)length);
    const char *head = arena_print(exchange->arena,
                                   "HTTP/1.1 %s\r\nContent-Type: %s\r\n%s"
                                   "Connection: close\r\n\r\n",
                                   status, type, size);

    return send_all(exchange->peer, head, strlen(head));
}

static void send_json(struct exchange *exchange, const char *status, const char *json)
{
    if (send_head(exchange, status, "application/json", (int64_t)strlen(json)))
        send_all(exchange->peer, json, strlen(json));
}

static void refuse(struct exchange *exchange, const char *status, const char *text)
{
    send_json(exchange, status,
              arena_print(exchange->arena,
                          "{\"error\":{\"message\":\"%s\",\"type\":\"simulated\"}}", text));
}

static void rest(int64_t milliseconds)
{
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

/* False unless the number of bytes stands there and a request of that size is taken. */
static bool read_length(const char *text, size_t *length)
{
    char *after;
    long long number = strtoll(text, &after, 10);

    *length = (size_t)number;
    return after != text && number >= 0 && number < REQUEST_MAX;
}

/* The head up to the blank line and the body that it announces; NULL when they do not come. */
static char *read_request(struct exchange *exchange, size_t *body_at)
{
    char *bytes = arena_alloc(exchange->arena, REQUEST_MAX + 1);
    size_t length = 0, wanted = 0;

    *body_at = 0;
    while (!wanted || length < wanted) {
        ssize_t count = recv(exchange->peer, bytes + length, REQUEST_MAX - length, 0);
        const char *end, *size;
        size_t announced = 0;

        if (count <= 0)
            return NULL;
        length += (size_t)count;
        bytes[length] = '\0';
        end = *body_at ? NULL : strstr(bytes, "\r\n\r\n");
        if (!end)
            continue;
        *body_at = (size_t)(end - bytes) + 4;
        size = strcasestr(bytes, "\r\ncontent-length:");
        if (size && size < end && !read_length(size + 17, &announced))
            return NULL;
        wanted = *body_at + announced;
        if (wanted > REQUEST_MAX)
            return NULL;
    }
    return bytes;
}

/* Those in the language of the service's instruction, which comes with texts of any language, else
 * in that of the prompt. */
static const struct simulated_texts *texts_for(const struct exchange *exchange, const char *system,
                                               const char *prompt)
{
    const struct simulated_server *server = exchange->server;
    enum language language = language_find(language_codes[language_detect(prompt, strlen(prompt))]);

    for (size_t i = 0; i < server->language_count; i++)
        if (server->texts[i].topics.count && system &&
            simulated_is_judging(exchange->arena, &server->texts[i], system))
            return &server->texts[i];
    return language >= 0 && (size_t)language < server->language_count &&
                   server->texts[language].topics.count
               ? &server->texts[language]
               : server->fallback;
}

static const char *last_of(const struct chat_request *request, const char *role)
{
    const struct message *messages = request->messages.items;
    const char *content = NULL;

    for (size_t i = 0; i < request->messages.count; i++)
        if (messages[i].role && messages[i].content && strcmp(messages[i].role, role) == 0)
            content = messages[i].content;
    return content;
}

static bool understand(struct exchange *exchange, const char *body)
{
    struct schema_errors errors = {.arena = exchange->arena};
    const char *prompt, *system;
    struct json_fault fault;
    json_t *json;

    if (json_read(exchange->arena, body, strlen(body), JSON_DEPTH_LIMIT, &json, &fault) ||
        schema_decode(&request_schema, json, "body", &exchange->request, &errors, exchange->arena))
        return false;
    exchange->model = simulated_find(exchange->request.model);
    prompt = last_of(&exchange->request, "user");
    system = last_of(&exchange->request, "system");
    if (!exchange->model || !prompt)
        return false;
    exchange->answer = simulated_answer(exchange->arena, texts_for(exchange, system, prompt),
                                        exchange->model, system, prompt);
    exchange->usage.prompt_tokens =
        simulated_tokens(prompt) + (system ? simulated_tokens(system) : 0);
    exchange->usage.completion_tokens = simulated_tokens(exchange->answer);
    exchange->usage.total_tokens =
        exchange->usage.prompt_tokens + exchange->usage.completion_tokens;
    return true;
}

static const char *json_of(struct exchange *exchange, const struct choice *choice,
                           const struct usage *usage)
{
    const bool streams = exchange->request.stream;
    const struct completion completion = {
        .id = arena_print(exchange->arena, "simulated-%d", (int)getpid()),
        .object = streams ? "chat.completion.chunk" : "chat.completion",
        .created = clock_unix_microseconds() / 1000000,
        .model = exchange->model->id,
        .choices = {choice ? 1 : 0, (void *)choice},
        .usage = usage};

    return schema_json(exchange->arena, ANSWER_MAX, streams ? &chunk_schema : &completion_schema,
                       &completion);
}

static bool send_event(struct exchange *exchange, const char *json)
{
    const char *event = arena_print(exchange->arena, "data: %s\n\n", json);

    return send_all(exchange->peer, event, strlen(event));
}

/* A few words with the blanks after them; of a script without blanks, a few characters. */
static size_t next_piece(const char *text)
{
    const size_t most = utf8_prefix(text, 12);
    size_t length = 0;

    for (int i = 0; i < WORDS_A_CHUNK && text[length]; i++) {
        length += strcspn(text + length, " \n");
        length += strspn(text + length, " \n");
    }
    return length > 3 * most ? most : length;
}

static void stream(struct exchange *exchange)
{
    struct message piece = {.role = "assistant", .content = ""};
    struct choice choice = {.delta = &piece};
    const char *text = exchange->answer;

    rest(exchange->model->first_ms);
    if (!send_head(exchange, "200 OK", "text/event-stream", -1) ||
        !send_event(exchange, json_of(exchange, &choice, NULL)))
        return;
    piece.role = NULL;
    while (*text) {
        size_t length = next_piece(text);

        piece.content = arena_copy(exchange->arena, text, length);
        if (!send_event(exchange, json_of(exchange, &choice, NULL)))
            return;
        text += length;
        rest((int64_t)WORDS_A_CHUNK * exchange->model->word_ms);
    }
    piece.content = NULL;
    choice.finish_reason = "stop";
    if (send_event(exchange, json_of(exchange, &choice, NULL)) &&
        send_event(exchange, json_of(exchange, NULL, &exchange->usage)))
        send_event(exchange, "[DONE]");
}

static void answer_whole(struct exchange *exchange)
{
    struct message message = {"assistant", exchange->answer};
    struct choice choice = {.message = &message, .finish_reason = "stop"};
    int64_t words = (int64_t)strlen(exchange->answer) / 6;
    int64_t delay = exchange->model->first_ms + words * exchange->model->word_ms / 2;

    rest(delay < WHOLE_ANSWER_MS_MAX ? delay : WHOLE_ANSWER_MS_MAX);
    send_json(exchange, "200 OK", json_of(exchange, &choice, &exchange->usage));
}

static void serve(struct exchange *exchange)
{
    size_t body_at;
    char *bytes = read_request(exchange, &body_at);

    if (!bytes)
        return;
    if (strncmp(bytes, "POST ", 5) != 0 || !strstr(bytes, "/chat/completions")) {
        refuse(exchange, "404 Not Found", "There is only POST /v1/chat/completions.");
    } else if (!understand(exchange, bytes + body_at)) {
        refuse(exchange, "400 Bad Request", "The request needs a simulated model and a message.");
    } else if (exchange->model->fails) {
        rest(exchange->model->first_ms);
        refuse(exchange, "503 Service Unavailable",
               "This simulated provider is always unavailable.");
    } else if (exchange->request.stream) {
        stream(exchange);
    } else {
        answer_whole(exchange);
    }
}

/* In a process of its own, which ends with the server. */
static void serve_alone(const struct simulated_server *server, int peer)
{
    const struct timeval limit = {REQUEST_SECONDS, 0};
    struct exchange exchange = {.server = server, .peer = peer, .arena = arena_create(MEMORY_MAX)};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGTERM, SIG_DFL);
    (void)setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    (void)setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (exchange.arena)
        serve(&exchange);
    shutdown(peer, SHUT_WR);
    _exit(0);
}

static void stop(int signal_number)
{
    (void)signal_number;
    must_stop = 1;
}

enum error simulated_server_listen(const struct simulated_server *server, int *listener,
                                   struct problem *problem)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)server->port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int on = 1;

    *listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*listener >= 0 && setsockopt(*listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(*listener, (const struct sockaddr *)&address, sizeof address) == 0 &&
        listen(*listener, QUEUE) == 0)
        return ERROR_NONE;
    if (*listener >= 0)
        close(*listener);
    return problem_set(problem, ERROR_UNAVAILABLE, "port_taken", "port %lld: %s",
                       (long long)server->port, strerror(errno));
}

void simulated_server_run(const struct simulated_server *server, int listener)
{
    const struct sigaction ending = {.sa_handler = stop};

    sigaction(SIGTERM, &ending, NULL);
    sigaction(SIGINT, &ending, NULL);
    while (!must_stop) {
        struct pollfd wait = {.fd = listener, .events = POLLIN};
        int peer = poll(&wait, 1, 500) > 0 ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;

        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (peer < 0)
            continue;
        if (fork() == 0)
            serve_alone(server, peer);
        close(peer);
    }
    close(listener);
}
