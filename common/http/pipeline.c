/* The request lifecycle: the same steps in the same order for every route of every service. Each
 * step either passes the request on or completes the reply. Every reply gets the same headers,
 * metrics and log line. */
#include "base/clock.h"
#include "base/fiber.h"
#include "base/log.h"
#include "crypto/token.h"
#include "http/http_internal.h"
#include "http/people.h"
#include "http/tracing.h"

#include <setjmp.h>
#include <string.h>
#include <strings.h>

enum {
    REPLY_BODY_MAX = 64 * 1024 * 1024, /* bytes of one answer */
    BODY_GUESS = 4 * 1024,             /* of most answers and their heads */
    REQUEST_ID_MAX = 128,
    BUSY_RETRY_SECONDS = 1
};

const char *request_header(const struct request *request, const char *cgi_name)
{
    struct exchange *exchange = request->exchange;
    const char *value = exchange->variable(exchange->transport, cgi_name);

    if (value)
        return value;
    if (strcmp(cgi_name, "REQUEST_HOST") == 0) /* only the nginx of the stack sets these two */
        return exchange->variable(exchange->transport, "HTTP_HOST");
    if (strcmp(cgi_name, "REQUEST_ID_SENT") == 0)
        return exchange->variable(exchange->transport, "HTTP_X_REQUEST_ID");
    return NULL;
}

const char *request_bearer(const struct request *request)
{
    static const char scheme[] = "Bearer";
    const char *header = request_header(request, "HTTP_AUTHORIZATION");
    size_t length = sizeof scheme - 1;

    if (!header || strncasecmp(header, scheme, length) != 0 ||
        (header[length] && header[length] != ' ')) /* nginx trims the space of an empty value */
        return NULL;
    return header + length + strspn(header + length, " ");
}

const char *request_prefix(const struct request *request)
{
    const char *prefix = request_header(request, "SITE_PREFIX");

    return prefix ? prefix : "";
}

void reply_add_header(struct reply *reply, const char *name, const char *value)
{
    for (const char *p = value; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f) {
            log_event(LOG_ERROR, "reply_header_dropped", name);
            return;
        }
    }
    if (reply->header_count == REPLY_HEADERS_MAX)
        log_event(LOG_ERROR, "reply_header_dropped", name);
    else
        reply->headers[reply->header_count++] = (struct reply_header){name, value};
}

void reply_redirect(struct reply *reply, int status, const char *location)
{
    reply->status = status;
    reply->content_type = NULL;
    reply_add_header(reply, "Location", location);
}

int request_descriptor(const struct request *request)
{
    const struct exchange *exchange = request->exchange;

    return exchange->descriptor ? exchange->descriptor(exchange->transport) : -1;
}

bool request_gone(const struct request *request)
{
    const struct exchange *exchange = request->exchange;

    return exchange->gone && exchange->gone(exchange->transport);
}

static bool acceptable_id(const char *id)
{
    size_t length = strlen(id);

    return length > 0 && length <= REQUEST_ID_MAX &&
           strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-") ==
               length;
}

static const char *new_id(const struct serving *serving)
{
    char uuid[TOKEN_UUID_TEXT];
    char *id, *out;

    token_uuid(uuid);
    id = arena_copy_string(serving->request.arena, uuid);
    if (!serving->format->id_is_hex)
        return id;
    out = id;
    for (const char *p = uuid; *p; p++)
        if (*p != '-')
            *out++ = *p;
    *out = '\0';
    return id;
}

static const char *request_id(const struct serving *serving)
{
    const struct wire_format *format = serving->format;

    for (size_t i = 0; format->request_id_in[i]; i++) {
        const char *id = request_header(&serving->request, format->request_id_in[i]);

        if (id && (format->accepts_id ? format->accepts_id : acceptable_id)(id))
            return arena_copy_string(serving->request.arena, id);
    }
    return new_id(serving);
}

static enum method parse_method(const char *name)
{
    for (int method = 0; name && method < METHOD_OTHER; method++)
        if (strcmp(name, method_names[method]) == 0)
            return (enum method)method;
    return METHOD_OTHER;
}

static bool step_identify(struct serving *serving)
{
    struct exchange *exchange = serving->exchange;
    struct request *request = &serving->request;
    const struct http_family *family = serving->server->family;

    request->id = request_id(serving);
    request->method = parse_method(exchange->variable(exchange->transport, "REQUEST_METHOD"));
    request->path = request_path_of(request);
    client_identify(serving);
    serving->match = route_find(family->routes, family->route_count, request->method, request->path,
                                request->arena, request->arguments);
    request->route = serving->match.route;
    tracing_begin(serving);
    return true;
}

static bool step_begin(struct serving *serving)
{
    const struct http_service *service = serving->server->family->service;

    return !service->begin || service->begin(&serving->request, &serving->reply);
}

static bool step_language(struct serving *serving)
{
    const char *header = request_header(&serving->request, "HTTP_ACCEPT_LANGUAGE");

    serving->request.locale = locale_get(language_negotiate(header));
    return true;
}

static const char *allowed_methods(const struct serving *serving)
{
    struct text text;

    text_start(&text, serving->request.arena, 128);
    for (int method = 0; method < METHOD_OTHER; method++)
        if (serving->match.methods & 1U << method)
            text_append_format(&text, "%s%s", text.length ? ", " : "", method_names[method]);
    return text.bytes;
}

/* 307 to the path without its last slash, if that path has a route. */
static bool redirected(struct serving *serving)
{
    struct request *request = &serving->request;
    const struct http_family *family = serving->server->family;
    size_t length = strlen(request->path);
    const char *query = serving->exchange->variable(serving->exchange->transport, "QUERY_STRING");
    const char *arguments[REQUEST_PATH_ARGUMENTS_MAX];
    const char *bare;

    if (!serving->format->redirects_slashes || length < 2 || request->path[length - 1] != '/')
        return false;
    bare = arena_copy(request->arena, request->path, length - 1);
    if (bare[0] == '/' && bare[1] == '/')
        return false; /* a browser would interpret it as another host */
    if (!route_find(family->routes, family->route_count, request->method, bare, request->arena,
                    arguments)
             .path_known)
        return false;
    reply_redirect(&serving->reply, 307,
                   arena_print(request->arena, "%s%s%s%s", request_prefix(request), bare,
                               query && *query ? "?" : "", query ? query : ""));
    return true;
}

static bool step_slash(struct serving *serving)
{
    return serving->match.path_known || !redirected(serving);
}

static bool step_route(struct serving *serving)
{
    if (serving->match.route)
        return check_page(serving);
    if (!serving->match.path_known) {
        answer_failure(serving, 404, FAILURE_NOT_FOUND);
        return false;
    }
    answer_failure(serving, 405, FAILURE_METHOD);
    reply_add_header(&serving->reply, "Allow", allowed_methods(serving));
    return false;
}

static void write_list(struct json_writer *writer, const struct schema *schema,
                       const struct object_list *list)
{
    writer_open_array(writer);
    for (size_t i = 0; i < list->count; i++)
        schema_write(writer, schema, (const char *)list->items + i * schema->size);
    writer_close_array(writer);
}

static void write_object(struct serving *serving)
{
    struct json_writer writer;

    writer_start(&writer, &serving->reply.body);
    if (serving->match.route->reply_is_list)
        write_list(&writer, serving->match.route->reply, serving->reply.object);
    else
        schema_write(&writer, serving->match.route->reply, serving->reply.object);
}

/* As if the handler had not been called. */
static void forget_answer(struct serving *serving, const struct reply *before)
{
    struct request *request = &serving->request;
    struct text body = serving->reply.body;

    text_cut(&body, 0);
    serving->reply = *before;
    serving->reply.body = body;
    serving->error_code = NULL;
    request->problem = (struct problem){0};
    request->detail_json = NULL;
    request->fault_count = 0;
}

static enum error run_handler(struct serving *serving)
{
    const struct route *route = serving->match.route;
    struct reply before = serving->reply;
    enum error error;

    error = replica_ask(serving);
    if (error)
        return error;
    error = route->handler(&serving->request, &serving->reply);
    if (!replica_read_failed(serving, error))
        return error;
    forget_answer(serving, &before);
    replica_give_up(serving);
    replica_state_current(serving);
    return route->handler(&serving->request, &serving->reply);
}

static void call_handler(struct serving *serving)
{
    const struct route *route = serving->match.route;
    struct reply *reply = &serving->reply;
    enum error error;

    reply->status = route->status ? route->status : 200;
    if (route->media_type)
        reply->content_type = route->media_type;
    error = run_handler(serving);
    if (serving->request.streaming && error) {
        stream_break(serving);
    } else if (serving->request.streaming) {
        stream_abandon(serving);
    } else if (error && serving->error_code) {
        return; /* already answered */
    } else if (error && serving->request.fault_count) {
        answer_faults(serving);
    } else if (error) {
        answer_problem(serving, error);
    } else if (reply->object) {
        write_object(serving);
    }
    if (reply->body.overflowed)
        answer_failure(serving, 500, FAILURE_INTERNAL);
}

static void step_handle(struct serving *serving)
{
    if (!idempotency_begin(serving))
        return;
    call_handler(serving);
    idempotency_end(serving, true);
}

static const serving_step steps[STEP__MAX] = {
    [STEP_LENGTH] = step_length,
    [STEP_SLASH] = step_slash,
    [STEP_AUTHENTICATE] = step_authenticate,
    [STEP_RATE] = step_rate,
    [STEP_BODY] = step_body,
    [STEP_PREFLIGHT] = step_preflight,
    [STEP_ROUTE] = step_route,
    [STEP_JSON] = step_json,
    [STEP_ROLE] = step_role,
    [STEP_QUERY] = step_decode_query,
    [STEP_FIELDS] = step_fields,
    [STEP_FORM] = step_form,
    [STEP_ADMISSION] = step_admission,
};

static const enum http_step usual_order[] = {
    STEP_AUTHENTICATE, STEP_RATE,      STEP_BODY,  STEP_PREFLIGHT, STEP_SLASH,
    STEP_ROUTE,        STEP_ROLE,      STEP_QUERY, STEP_JSON,      STEP_FIELDS,
    STEP_FORM,         STEP_ADMISSION, STEP_END};

static bool take_steps(struct serving *serving)
{
    const enum http_step *step = serving->server->family->service->order;

    if (!step_identify(serving) || !step_language(serving) || !step_begin(serving))
        return false;
    for (step = step ? step : usual_order; *step != STEP_END; step++)
        if (!steps[*step](serving))
            return false;
    return true;
}

void server_count(struct server *server, enum http_metric metric)
{
    if (server->family->service->counts_http)
        metric_add(server->metrics, metric, NULL, 1);
}

static const char *class_of(int status)
{
    return status < 400 ? "success" : status < 500 ? "client_error" : "server_error";
}

static void count_reply(struct serving *serving)
{
    struct metrics *metrics = serving->server->metrics;
    const char *family = serving->server->family->name;
    double now = (double)clock_unix_microseconds();

    if (!serving->server->family->service->counts_http)
        return;
    metric_add(metrics, HTTP_METRIC_REQUESTS,
               (const char *const[]){class_of(serving->reply.status), family}, 1);
    metric_observe(metrics, HTTP_METRIC_SECONDS, &family, (double)serving->microseconds / 1e6);
    metric_raise(metrics, HTTP_METRIC_LAST_REQUEST, NULL, now);
    if (serving->error_code)
        metric_raise(metrics, HTTP_METRIC_LAST_ERROR, &serving->error_code, now);
}

/* The event name of the log line says which step answered. */
static const char *event_name(const struct serving *serving)
{
    const char *code = serving->error_code;

    if (!code)
        return "http_request";
    if (strcmp(code, "rate_limited") == 0)
        return "http_request_rate_limit";
    if (strcmp(code, "request_body_too_large") == 0)
        return "http_request_body_limit";
    if (serving->reply.status == 401 || serving->reply.status == 403 ||
        strcmp(code, "auth_rate_limited") == 0)
        return "http_request_auth";
    return serving->reply.status >= 500 ? "http_request_error" : "http_request";
}

static void log_reply(const struct serving *serving)
{
    const struct request *request = &serving->request;
    struct log_line line;

    log_begin(&line, serving->reply.status >= 500 ? LOG_ERROR : LOG_INFO, event_name(serving));
    log_integer(
        &line, "body_bytes",
        (int64_t)(serving->request.streaming ? serving->streamed : serving->reply.body.length));
    log_text(&line, "client", request->client.resolved);
    log_text(&line, "error_code", serving->error_code);
    log_text(&line, "method", method_names[request->method]);
    log_text(&line, "path", request_shown_path(request));
    log_number(&line, "process_time_ms", (double)serving->microseconds / 1000);
    log_text(&line, "request_id", request->id);
    log_text(&line, "source", request->who.source);
    log_integer(&line, "status_code", serving->reply.status);
    log_write(&line);
}

static void prepare(struct serving *serving, struct server *server, struct arena *arena,
                    struct exchange *exchange)
{
    const struct wire_format *format = server->family->service->format;

    *serving = (struct serving){.server = server,
                                .policy = &server->policy,
                                .format = format,
                                .exchange = exchange,
                                .started = clock_monotonic_microseconds()};
    serving->request = (struct request){
        .arena = arena, .server = server, .state = server->state, .exchange = exchange};
    serving->request.id = "unknown";
    serving->request.path = "/";
    serving->request.client.resolved = "unknown";
    serving->request.client.network = "unknown";
    serving->reply = (struct reply){.status = 200, .content_type = "application/json"};
}

static void answer_busy(struct serving *serving)
{
    answer_error(serving, 503, "unavailable", "The service is busy - retry in a moment");
    answer_retry_after(serving, BUSY_RETRY_SECONDS);
}

static bool refuse(struct serving *serving)
{
    if (step_identify(serving) && step_language(serving) && step_begin(serving))
        answer_busy(serving);
    return false;
}

static void run_steps(struct serving *serving, bool refused)
{
    text_start(&serving->reply.body, serving->request.arena, REPLY_BODY_MAX);
    if (!fiber_current()) /* where thousands wait, an answer takes memory when it is there */
        text_reserve(&serving->reply.body, BODY_GUESS);
    if (refused ? refuse(serving) : take_steps(serving))
        step_handle(serving);
    if (!serving->request.streaming)
        compose_head(serving, (int64_t)serving->reply.body.length);
}

/* After a jump out of the arena, before anything waits: what is open of the stores is closed. */
static void close_stores(struct server *server)
{
    people_end_of_request(server);
    if (server->family->service->after_turn)
        server->family->service->after_turn(server);
}

/* The arena is exhausted: this resets the memory of the request and composes the answer in it. A
 * stream, whose head has been sent, ends with an error event. */
static void answer_exhausted(struct serving *serving)
{
    struct server *server = serving->server;
    struct arena *arena = serving->request.arena;
    bool busy = arena_process_is_full();

    close_stores(server);
    log_event(LOG_ERROR, "request_memory_exhausted", busy ? "of all requests" : NULL);
    semaphore_release(server->region, &serving->ticket);
    form_close(serving->request.form);
    arena_on_exhausted(arena, NULL);
    idempotency_end(serving, false);
    if (serving->request.streaming) {
        stream_break(serving);
        return;
    }
    arena_reset(arena);
    prepare(serving, server, arena, serving->exchange);
    text_start(&serving->reply.body, arena, REPLY_BODY_MAX);
    step_identify(serving);
    step_begin(serving); /* the reset dropped what the service kept for the request */
    if (busy)
        answer_busy(serving);
    else
        answer_failure(serving, 500, FAILURE_INTERNAL);
    compose_head(serving, (int64_t)serving->reply.body.length);
}

static void send_answer(struct serving *serving)
{
    struct exchange *exchange = serving->exchange;
    bool head_only = serving->request.method == METHOD_HEAD;

    if (!serving->request.streaming)
        exchange->write(exchange->transport, serving->head.bytes, serving->head.length,
                        serving->reply.body.bytes, head_only ? 0 : serving->reply.body.length);
}

void serving_run(struct serving *serving, struct server *server, struct arena *arena,
                 struct exchange *exchange, bool refused)
{
    jmp_buf exhausted;

    arena_reset(arena);
    prepare(serving, server, arena, exchange);
    server->running++;
    if (setjmp(exhausted) == 0) {
        arena_on_exhausted(arena, &exhausted);
        run_steps(serving, refused);
    } else {
        answer_exhausted(serving);
    }
    arena_on_exhausted(serving->request.arena, NULL);
    semaphore_release(serving->server->region, &serving->ticket);
    form_close(serving->request.form);
    serving->request.form = NULL;
    if (serving->request.streaming)
        serving->microseconds = clock_monotonic_microseconds() - serving->started;
    /* Before the answer is sent, so that a client that has the answer finds it counted and
     * logged. */
    tracing_end(serving);
    count_reply(serving);
    replica_count(serving);
    log_reply(serving);
    send_answer(serving);
    cause_set(NULL);
}

void serving_end(struct serving *serving)
{
    struct server *server = serving->server;
    const struct http_service *service = server->family->service;
    struct arena *arena = serving->request.arena;
    jmp_buf exhausted;

    people_end_of_request(server);
    cause_set(&serving->traced.cause);
    if (service->after && setjmp(exhausted) == 0) {
        arena_on_exhausted(arena, &exhausted);
        service->after(&serving->request, serving->reply.status);
    } else if (service->after) {
        close_stores(serving->server);
        log_event(LOG_ERROR, "request_memory_exhausted", "after the answer");
    }
    cause_set(NULL);
    arena_on_exhausted(serving->request.arena, NULL);
    serving->server->running--;
    arena_reset(serving->request.arena);
}

int64_t request_started(const struct request *request)
{
    return serving_of(request)->started;
}

void server_serve(struct server *server, struct exchange *exchange)
{
    serving_run(server->serving, server, server->arena, exchange, false);
}

void server_after(struct server *server)
{
    serving_end(server->serving);
}
