/* Asking over HTTP. Plain and streamed answers come out of the same run of the graph. */
#include "support-ask/ask.h"
#include "base/log.h"
#include "base/text.h"
#include "http/stream.h"
#include "support-ask/count.h"
#include "support/conversation/ask.h"
#include "support/metrics.h"
#include "support/review/review_store.h"
#include "support/service.h"
#include "support/tools.h"
#include "support/trends/threshold_choice.h"

#include <string.h>

struct ask_request {
    const char *question;
    const char *session_id;
    json_t *confirm;
    const char *tenant_id;
};

#define OWNER struct ask_request
static const struct field ask_fields[] = {
    STRING(OWNER, question, .required = true, .min_length = 1, .max_length = 2000),
    STRING(OWNER, session_id, .nullable = true, .max_length = SESSION_ID_MAX,
           .help = "Any text that names the conversation; a new one when there is none."),
    JSON_VALUE(OWNER, confirm, .nullable = true,
               .help = "Yes or no to what the answer before asked to confirm."),
    STRING(OWNER, tenant_id, .nullable = true, .max_length = 50,
           .help = "Checked and not used: the tenant is the token's."),
};
#undef OWNER
SCHEMA(ask_schema, struct ask_request, "AskRequest", ask_fields,
       .example = "{\"question\":\"How long is the warranty?\"}");

struct feedback_request {
    const char *trace_id, *session_id;
    int rating;
    const char *reason;
};

static const char *const ratings[] = {"up", "down", NULL};

#define OWNER struct feedback_request
static const struct field feedback_fields[] = {
    STRING(OWNER, trace_id, .required = true, .max_length = 100),
    STRING(OWNER, session_id, .required = true, .max_length = 100),
    CHOICE(OWNER, rating, ratings, .choice_count = 2, .required = true),
    STRING(OWNER, reason, .nullable = true, .max_length = 500),
};
#undef OWNER
SCHEMA(feedback_schema, struct feedback_request, "Feedback", feedback_fields,
       .example = "{\"trace_id\":\"0\",\"session_id\":\"s\",\"rating\":\"up\"}");

struct escalate_request {
    const char *session_id, *question, *reason, *comment;
};

#define OWNER struct escalate_request
static const struct field escalate_fields[] = {
    STRING(OWNER, session_id, .required = true, .max_length = 100),
    STRING(OWNER, question, .nullable = true, .max_length = 2000),
    STRING(OWNER, reason, .nullable = true, .max_length = 200),
    STRING(OWNER, comment, .nullable = true, .min_length = 1, .max_length = 2000,
           .help = "What the user adds for the team: a message of the conversation."),
};
#undef OWNER
SCHEMA(escalate_schema, struct escalate_request, "EscalateRequest", escalate_fields,
       .example = "{\"session_id\":\"s\"}");

struct escalated {
    const char *status, *message;
};

#define OWNER struct escalated
static const struct field escalated_fields[] = {STRING(OWNER, status), STRING(OWNER, message)};
#undef OWNER
SCHEMA(escalated_schema, struct escalated, "Escalated", escalated_fields);

void ask_cost(const void *body, struct compute_cost *cost)
{
    (void)body;
    *cost = (struct compute_cost){.units = 1, .heavy = true};
}

/* Blanks round a question say nothing. */
static const char *trimmed(const struct request *request, const char *text)
{
    return text_trimmed(request->arena, text, strlen(text));
}

static bool client_has_left(void *context)
{
    return request_gone(context);
}

/* A streamed answer. Text is sent while a model writes it; if it is not the final answer, another
 * `token_start` says that the answer restarts. */
struct answer_stream {
    struct request *request;
    struct stream stream;
    struct text sent; /* since the last token_start */
    bool started;
};

static void audit(struct request *request, const struct asked *asked, const char *question)
{
    service_audit(request, "ask", arena_print(request->arena, "session:%s", asked->session_id),
                  arena_print(request->arena, "{\"question_length\":%zu,\"tenant\":\"%s\"}",
                              strlen(question), request->who.tenant));
}

/* true, "yes", 1 and false, "no", 0. */
static enum error read_confirm(struct request *request, struct optional_boolean *confirm)
{
    const json_t *value = ((const struct ask_request *)request->body)->confirm;
    const char *text = json_string_value(value);

    if (!value || json_is_null(value))
        return ERROR_NONE;
    confirm->given = true;
    confirm->value = json_is_true(value) || (text && strcasecmp(text, "yes") == 0) ||
                     (text && strcasecmp(text, "true") == 0) ||
                     (json_is_integer(value) && json_integer_value(value) == 1);
    if (confirm->value || json_is_false(value) || (text && strcasecmp(text, "no") == 0) ||
        (text && strcasecmp(text, "false") == 0) ||
        (json_is_integer(value) && json_integer_value(value) == 0))
        return ERROR_NONE;
    return request_fault(request, "body", "confirm", "bool_parsing",
                         "Input should be true or false, yes or no, 1 or 0");
}

/* Another user's conversation does not exist for callers who may only ask. */
static enum error check_session(struct request *request, const char *id)
{
    struct service_tools tools;
    enum error error = id && *id ? service_tools(request, &tools) : ERROR_NONE;

    return error || !id || !*id ? error : session_check(&tools.conversation, id);
}

/* Whoever knows the id of a visitor's conversation may read it, so only ids that cannot be guessed
 * count; a new one takes the place of any other. */
static const char *session_of(const struct request *request, const char *id)
{
    if (!service_is_visitor(request))
        return id;
    return id && session_id_is_secret(id) ? id : session_new_id(request->arena);
}

static enum error run(struct request *request, struct asked *asked, struct ask *ask)
{
    const struct ask_request *body = request->body;
    struct service_tools tools;
    enum error error;

    ask->question = trimmed(request, body->question);
    ask->session_id = session_of(request, body->session_id);
    ask->user_id = request->who.subject;
    ask->own_only = request->who.role < SUPPORT_AGENT;
    ask->request_id = request->id;
    ask->channel = service_is_visitor(request) ? "widget" : "web";
    if (body->tenant_id && !support_is_tenant(body->tenant_id))
        return request_fault(request, "body", "tenant_id", "string_pattern_mismatch",
                             "Letters, digits, _ and - only");
    if (!*ask->question)
        return problem_set(&request->problem, ERROR_INVALID, "question_empty", "question is empty");
    error = read_confirm(request, &ask->confirm);
    if (!error)
        error = check_session(request, body->session_id);
    if (error)
        return error;
    error = service_tools(request, &tools);
    if (!error)
        error = threshold_in_force(&tools.traces, tools.graph.settings, &tools.graph.settings);
    if (!error)
        error = ask_question(&tools.graph, ask, asked);
    count_answer(request, asked);
    if (error)
        return error;
    audit(request, asked, ask->question);
    if (asked->outcome.route != ROUTE_AUTO || asked->outcome.small_talk == SMALL_TALK_PERSON)
        service_notify(request); /* there may be a new ticket */
    if (asked->outcome.route == ROUTE_TIMEOUT)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "wall_time",
                           "Request exceeded %llds wall-time limit",
                           (long long)(ask->on_answer
                                           ? service_settings(request)->streaming_timeout_sec
                                           : service_settings(request)->request_timeout_sec));
    return ERROR_NONE;
}

enum error ask_handle(struct request *request, struct reply *reply)
{
    struct asked *asked = ARENA_NEW(request->arena, struct asked);
    struct ask ask = {.is_cancelled = client_has_left, .context = request};
    enum error error = run(request, asked, &ask);

    if (!error)
        reply->object = answer_reply_of(request->arena, asked);
    return error;
}

static bool send_frame(struct answer_stream *out, const char *type, const char *key,
                       const char *value)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, out->request->arena, 65536);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "type", type);
    if (key)
        writer_key_string(&writer, key, value);
    writer_close_object(&writer);
    return stream_event(&out->stream, NULL, NULL, text.bytes);
}

static bool begin_tokens(struct answer_stream *out)
{
    out->started = true;
    text_cut(&out->sent, 0);
    return send_frame(out, "token_start", NULL, NULL);
}

static bool send_words(const char *words, size_t length, void *context)
{
    struct answer_stream *out = context;

    if (!out->started && !begin_tokens(out))
        return false;
    text_append(&out->sent, words, length);
    return send_frame(out, "token", "token", arena_copy(out->request->arena, words, length));
}

static void void_tokens(void *context)
{
    ((struct answer_stream *)context)->started = false;
}

static bool reader_has_left(void *context)
{
    return stream_gone(&((struct answer_stream *)context)->stream);
}

/* Sends the answer word by word, each with the blanks before it: together they are the answer. Text
 * already streamed is not repeated. */
static bool send_tokens(struct answer_stream *out, const char *answer)
{
    if (out->started && strncmp(out->sent.bytes, answer, out->sent.length) == 0)
        answer += out->sent.length;
    else if (!begin_tokens(out))
        return false;
    while (*answer) {
        size_t blanks = strspn(answer, " \n\t"),
               length = blanks + strcspn(answer + blanks, " \n\t");

        if (!send_words(answer, length, out))
            return false;
        answer += length;
    }
    return true;
}

/* All members of the plain answer beside the type. */
static void send_result(struct answer_stream *out, struct asked *asked)
{
    struct request *request = out->request;
    struct text text;
    struct json_writer writer;

    text_start(&text, request->arena, 1 << 24);
    writer_start(&writer, &text);
    schema_write(&writer, &answer_schema, answer_reply_of(request->arena, asked));
    stream_event(&out->stream, NULL, NULL,
                 arena_print(request->arena, "{\"type\":\"result\",%s", text.bytes + 1));
}

enum error ask_stream_handle(struct request *request, struct reply *reply)
{
    struct asked *asked = ARENA_NEW(request->arena, struct asked);
    const struct ask_request *body = request->body;
    struct answer_stream out = {.request = request};
    struct ask ask = {.is_cancelled = reader_has_left,
                      .on_answer = send_words,
                      .on_answer_void = void_tokens,
                      .context = &out};
    enum error error;

    if (!*trimmed(request, body->question))
        return problem_set(&request->problem, ERROR_INVALID, "question_empty", "question is empty");
    error = read_confirm(request, &ask.confirm);
    if (!error)
        error = check_session(request, body->session_id);
    if (error)
        return error;
    reply_add_header(reply, "Cache-Control", "no-cache");
    error = stream_open(request, reply, STREAM_EVENTS, &out.stream);
    if (error)
        return error;
    text_start(&out.sent, request->arena, 1 << 24);
    if (!send_frame(&out, "status", "node", "processing"))
        return ERROR_NONE;
    error = run(request, asked, &ask);
    if (error) {
        send_frame(&out, "error", "detail",
                   asked->outcome.route == ROUTE_TIMEOUT ? request->problem.text
                                                         : "Internal Server Error");
        return ERROR_NONE;
    }
    if (send_tokens(&out, asked->outcome.answer))
        send_result(&out, asked);
    return ERROR_NONE;
}

enum error feedback_handle(struct request *request, struct reply *reply)
{
    const struct feedback_request *body = request->body;
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = session_check(&tools.conversation, body->session_id);
    if (!error) /* visitors share a name, so they are known by their session */
        error = feedback_check(&tools.conversation, body->trace_id,
                               service_is_visitor(request) ? body->session_id : NULL);
    if (!error)
        error = ask_vote(&tools.traces,
                         &(struct ask_ballot){.trace_id = body->trace_id,
                                              .session_id = body->session_id,
                                              .rating = ratings[body->rating],
                                              .reason = body->reason ? body->reason : ""});
    if (error)
        return error;
    if (strcmp(ratings[body->rating], "down") == 0 && service_settings(request)->review_queue &&
        review_add_vote(&tools.traces, body->trace_id))
        log_event(LOG_WARNING, "vote_not_reviewed", request->problem.text);
    metric_add(request->server->metrics, METRIC_FEEDBACK, &ratings[body->rating], 1);
    service_audit(request, "feedback", arena_print(request->arena, "trace:%s", body->trace_id),
                  NULL);
    reply->status = 204;
    return ERROR_NONE;
}

enum error escalate_handle(struct request *request, struct reply *reply)
{
    const struct escalate_request *body = request->body;
    struct escalated *escalated = ARENA_NEW(request->arena, struct escalated);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error && service_is_visitor(request) && !session_id_is_secret(body->session_id))
        error = problem_set(&request->problem, ERROR_NOT_FOUND, "session_not_found",
                            "Session not found");
    if (!error)
        error = session_check(&tools.conversation, body->session_id);
    if (!error)
        error =
            ask_escalate(&tools.graph, &tools.conversation,
                         &(struct handover){.session_id = body->session_id,
                                            .question = body->question ? body->question : "",
                                            .reason = body->reason ? body->reason : "user_request",
                                            .comment = body->comment});
    if (error)
        return error;
    service_notify(request);
    service_audit(request, "escalate", arena_print(request->arena, "session:%s", body->session_id),
                  NULL);
    *escalated =
        (struct escalated){.status = "ok", .message = "An operator will look at your question."};
    reply->object = escalated;
    return ERROR_NONE;
}
