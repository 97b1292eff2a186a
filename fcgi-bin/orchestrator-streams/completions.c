/* The dialect of /v1/completions. Models are asked as in a chat: by a message with the prompt. */
#include "orchestrator-streams/completions.h"

#include "orchestrator-streams/conversation.h"
#include "orchestrator-streams/parameters.h"
#include "orchestrator/front_error.h"

#include <string.h>

enum { STOPS_MAX = 4 };

struct text_body {
    const char *model, *user;
    json_t *prompt, *stop, *stream_options;
    struct optional_boolean stream, echo;
    struct optional_number temperature, top_p, presence_penalty, frequency_penalty;
    struct optional_integer max_tokens, seed, n, best_of;
    const json_t *document; /* all of it */
};

#define OWNER struct text_body
static const struct field body_fields[] = {
    STRING(OWNER, model, .required = true, .min_length = 1, .max_length = 200),
    JSON_VALUE(OWNER, prompt, .required = true),
    NULLABLE_BOOLEAN(OWNER, stream),
    JSON_OBJECT(OWNER, stream_options, .nullable = true),
    JSON_VALUE(OWNER, stop, .nullable = true),
    NULLABLE_BOOLEAN(OWNER, echo, .help = "The prompt before the answer."),
    NULLABLE_NUMBER(OWNER, temperature, .lower = AT_LEAST(0), .upper = AT_MOST(2)),
    NULLABLE_NUMBER(OWNER, top_p, .lower = AT_LEAST(0), .upper = AT_MOST(1)),
    NULLABLE_NUMBER(OWNER, presence_penalty, .lower = AT_LEAST(-2), .upper = AT_MOST(2)),
    NULLABLE_NUMBER(OWNER, frequency_penalty, .lower = AT_LEAST(-2), .upper = AT_MOST(2)),
    NULLABLE_INTEGER(OWNER, max_tokens, .lower = AT_LEAST(1)),
    NULLABLE_INTEGER(OWNER, seed),
    NULLABLE_INTEGER(OWNER, n, .lower = AT_LEAST(1), .upper = AT_MOST(LLM_CHOICES_MAX)),
    NULLABLE_INTEGER(OWNER, best_of, .lower = AT_LEAST(1), .upper = AT_MOST(1)),
    STRING(OWNER, user, .nullable = true),
};
#undef OWNER
SCHEMA(text_completion_body_schema, struct text_body, "TextCompletionRequest", body_fields,
       .help = "Members beyond these are passed on to models of OpenAI's protocol.",
       .extra = EXTRA_KEEP, .document = offsetof(struct text_body, document),
       .example = "{\"model\":\"orch:smart\",\"prompt\":\"Hi\"}");

struct text_choice {
    const char *text;
    int64_t index;
    const char *logprobs; /* always null: models are asked as in a chat */
    const char *finish_reason;
};

#define OWNER struct text_choice
static const struct field choice_fields[] = {
    STRING(OWNER, text),
    INTEGER(OWNER, index),
    STRING(OWNER, logprobs, .nullable = true),
    STRING(OWNER, finish_reason, .nullable = true),
};
#undef OWNER
static SCHEMA(text_choice_schema, struct text_choice, "TextChoice", choice_fields);

struct text_usage {
    int64_t prompt_tokens, completion_tokens, total_tokens;
};

#define OWNER struct text_usage
static const struct field usage_fields[] = {
    INTEGER(OWNER, prompt_tokens), INTEGER(OWNER, completion_tokens), INTEGER(OWNER, total_tokens)};
#undef OWNER
static SCHEMA(text_usage_schema, struct text_usage, "TextUsage", usage_fields);

struct text_completion {
    const char *id, *object;
    int64_t created;
    const char *model;
    OBJECT_LIST(struct text_choice, choices);
    const struct text_usage *usage;
};

#define OWNER struct text_completion
static const struct field completion_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, object),
    INTEGER(OWNER, created),
    STRING(OWNER, model),
    OBJECTS(OWNER, choices, text_choice_schema),
    OBJECT(OWNER, usage, text_usage_schema, .nullable = true, .omit_if_null = true),
};
#undef OWNER
SCHEMA(text_completion_schema, struct text_completion, "TextCompletion", completion_fields);

struct text_state {
    const char *id;
    const char *echo; /* the prompt to be repeated; NULL */
    bool begun[LLM_CHOICES_MAX];
};

static void accepted(struct exchange_call *exchange)
{
    struct text_state *state = exchange->state;

    state->id = arena_print(exchange->request->arena, "cmpl-%s", exchange->run->task_id);
}

static struct text_completion completion_of(const struct exchange_call *exchange)
{
    const struct text_state *state = exchange->state;

    return (struct text_completion){.id = state->id,
                                    .object = "text_completion",
                                    .created = exchange->created,
                                    .model = exchange->call->model};
}

static bool send_text(struct exchange_call *exchange, size_t position, const char *text,
                      const char *finish)
{
    struct text_choice choice = {.text = text, .index = (int64_t)position, .finish_reason = finish};
    struct text_completion chunk = completion_of(exchange);

    chunk.choices = (struct object_list){1, &choice};
    return event_writer_send(&exchange->events, NULL, &text_completion_schema, &chunk);
}

/* Only text has a place in this dialect. */
static bool send_delta(struct exchange_call *exchange, const struct llm_delta *delta)
{
    struct text_state *state = exchange->state;

    if (delta->kind != LLM_DELTA_TEXT && delta->kind != LLM_DELTA_REFUSAL)
        return true;
    if (!state->begun[delta->choice] && state->echo &&
        !send_text(exchange, delta->choice, state->echo, NULL))
        return false;
    state->begun[delta->choice] = true;
    return send_text(exchange, delta->choice,
                     event_writer_piece(&exchange->events, delta->text, delta->length), NULL);
}

static const struct text_usage *usage_of(struct arena *arena, const struct final_answer *final)
{
    struct text_usage *row = ARENA_NEW(arena, struct text_usage);
    struct exchange_usage usage;

    if (!exchange_usage(final, &usage))
        return NULL;
    *row = (struct text_usage){usage.input, usage.output, usage.total};
    return row;
}

static void end(struct exchange_call *exchange, const struct final_answer *final)
{
    const struct text_body *body = exchange->request->body;
    const json_t *include_usage = json_object_get(body->stream_options, "include_usage");
    struct text_completion chunk = completion_of(exchange);

    for (size_t i = 0; i < final->choice_count; i++)
        send_text(exchange, i, "", final->choices[i].finish);
    chunk.usage = usage_of(exchange->request->arena, final);
    if (json_is_true(include_usage))
        event_writer_send(&exchange->events, NULL, &text_completion_schema, &chunk);
    event_writer_send_text(&exchange->events, "[DONE]");
}

static void fail(struct exchange_call *exchange, const struct final_answer *final)
{
    struct front_error error = {.message = exchange_failure(final),
                                .type = "upstream_error",
                                .code = failure_name(final->failure_code)};

    event_writer_send(&exchange->events, NULL, &front_error_schema,
                      &(struct front_error_answer){&error});
}

static void answer(struct exchange_call *exchange, const struct final_answer *final)
{
    struct arena *arena = exchange->request->arena;
    const struct text_state *state = exchange->state;
    struct text_completion *completion = ARENA_NEW(arena, struct text_completion);
    struct text_choice *rows = ARENA_ARRAY(arena, struct text_choice, final->choice_count);

    for (size_t i = 0; i < final->choice_count; i++) {
        const struct llm_choice *choice = &final->choices[i];
        const char *text = choice->refusal ? choice->refusal : choice->text;

        rows[i] = (struct text_choice){
            .text = state->echo ? arena_print(arena, "%s%s", state->echo, text) : text,
            .index = (int64_t)i,
            .finish_reason = choice->finish};
    }
    *completion = completion_of(exchange);
    completion->choices = (struct object_list){final->choice_count, rows};
    completion->usage = usage_of(arena, final);
    exchange->reply->object = completion;
}

static const struct dialect dialect = {.route = "completions",
                                       .accepted = accepted,
                                       .send = send_delta,
                                       .end = end,
                                       .fail = fail,
                                       .answer = answer};

/* One text, or a list of one. */
static const char *prompt_of(const json_t *prompt)
{
    return json_string_value(json_array_size(prompt) == 1 ? json_array_get(prompt, 0) : prompt);
}

static enum error read_body(struct request *request, struct gateway_call *call)
{
    static const char *const refused[] = {"suffix", "logprobs", NULL};
    const struct text_body *body = request->body;
    struct llm_message *message = ARENA_NEW(request->arena, struct llm_message);
    const char *own[COUNT_OF(body_fields) + 1];

    *message = (struct llm_message){.role = "user", .content = prompt_of(body->prompt)};
    if (!message->content)
        return request_fault(request, "body", "prompt", "value_error",
                             "prompt should be text; several prompts are several requests");
    for (size_t i = 0; refused[i]; i++)
        if (json_object_get(body->document, refused[i]) &&
            !json_is_null(json_object_get(body->document, refused[i])))
            return request_fault(request, "body", refused[i], "value_error",
                                 "this is not supported");
    for (size_t i = 0; i < COUNT_OF(body_fields); i++)
        own[i] = body_fields[i].name;
    own[COUNT_OF(body_fields)] = NULL;
    *call = (struct gateway_call){
        .model = body->model, .streams = body->stream.value, .prompt = message->content};
    call->request =
        (struct llm_request){.messages = message,
                             .message_count = 1,
                             .temperature = body->temperature,
                             .top_p = body->top_p,
                             .presence_penalty = body->presence_penalty,
                             .frequency_penalty = body->frequency_penalty,
                             .max_tokens = body->max_tokens,
                             .by_old_name = true,
                             .seed = body->seed,
                             .n = body->n,
                             .user = body->user,
                             .more = members_beyond(request->arena, body->document, own)};
    return conversation_read_stop(request->arena, body->stop, STOPS_MAX, &call->request.stop)
               ? ERROR_NONE
               : request_fault(request, "body", "stop", "value_error",
                               "stop should be text, or a list of at most 4 texts");
}

enum error completions_handle(struct request *request, struct reply *reply)
{
    const struct text_body *body = request->body;
    struct gateway_call *call = ARENA_NEW(request->arena, struct gateway_call);
    struct text_state *state = ARENA_NEW(request->arena, struct text_state);
    struct exchange_call exchange = {
        .request = request, .reply = reply, .dialect = &dialect, .call = call, .state = state};
    enum error error = read_body(request, call);

    if (error)
        return error;
    state->echo = body->echo.value ? call->prompt : NULL;
    return exchange_run(&exchange);
}
