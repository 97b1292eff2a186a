/* The dialect of /v1/responses: answers of items, their events, and the store. */
#include "orchestrator-streams/responses.h"

#include "base/clock.h"
#include "base/log.h"
#include "orchestrator-streams/response_body.h"
#include "orchestrator-streams/response_items.h"
#include "orchestrator/service.h"
#include "orchestrator/storage/response_store.h"

#include <string.h>

enum { ANSWER_MAX = 128 << 20, DEPTH_MAX = 8 };

struct response_state {
    struct response_items items;
    const char *id, *owner;
    bool stores, begun;
    struct response_row row; /* the answer as far as it is known */
};

const char *response_owner(const struct request *request)
{
    const char *key_id = service_key_id(request);

    if (key_id)
        return arena_print(request->arena, "key:%s", key_id);
    return request->by_person    ? arena_print(request->arena, "person:%s", request->who.subject)
           : request->who.source ? request->who.source
                                 : "open";
}

static json_t *constant(struct arena *arena, const char *json)
{
    struct json_fault fault;
    json_t *value = NULL;

    (void)!json_read(arena, json, strlen(json), DEPTH_MAX, &value, &fault);
    return value;
}

static json_t *or_constant(struct arena *arena, json_t *value, const char *json)
{
    return value && !json_is_null(value) ? value : constant(arena, json);
}

/* What the request said, as answers repeat it. */
static struct response_row row_of(const struct exchange_call *exchange)
{
    struct arena *arena = exchange->request->arena;
    const struct response_body *body = exchange->request->body;
    const struct response_state *state = exchange->state;

    return (struct response_row){
        .id = state->id,
        .object = "response",
        .created_at = exchange->created,
        .status = "in_progress",
        .model = body->model,
        .instructions = body->instructions,
        .previous_response_id = body->previous_response_id,
        .service_tier = body->service_tier,
        .truncation = "disabled",
        .user = body->user,
        .output = "[]",
        .parallel_tool_calls = !body->parallel_tool_calls.given || body->parallel_tool_calls.value,
        .store = state->stores,
        .reasoning = or_constant(arena, body->reasoning, "{\"effort\":null,\"summary\":null}"),
        .text = or_constant(arena, body->text, "{\"format\":{\"type\":\"text\"}}"),
        .tool_choice = or_constant(arena, body->tool_choice, "\"auto\""),
        .tools = or_constant(arena, body->tools, "[]"),
        .prompt = body->prompt,
        .metadata = or_constant(arena, body->metadata, "{}"),
        .temperature = body->temperature,
        .top_p = body->top_p,
        .max_output_tokens = body->max_output_tokens,
        .top_logprobs = body->top_logprobs};
}

static void accepted(struct exchange_call *exchange)
{
    struct response_state *state = exchange->state;
    struct arena *arena = exchange->request->arena;

    state->id = arena_print(arena, "resp_%s", exchange->run->task_id);
    state->items = (struct response_items){.exchange = exchange, .key = exchange->run->task_id};
    state->row = row_of(exchange);
}

static void send_response(struct exchange_call *exchange, const char *type)
{
    struct response_state *state = exchange->state;
    struct response_event event = {.type = type};

    event.response =
        schema_json(exchange->request->arena, ANSWER_MAX, &response_schema, &state->row);
    response_send(&state->items, &response_event_schema, &event);
}

static void begin(struct exchange_call *exchange)
{
    struct response_state *state = exchange->state;

    if (state->begun || !exchange->call->streams)
        return;
    state->begun = true;
    send_response(exchange, "response.created");
    send_response(exchange, "response.in_progress");
}

static bool send_delta(struct exchange_call *exchange, const struct llm_delta *delta)
{
    struct response_state *state = exchange->state;

    begin(exchange);
    return response_items_take(&state->items, delta) || !exchange->call->streams;
}

static const struct response_usage *usage_of(struct arena *arena, const struct final_answer *final)
{
    struct response_usage *row = ARENA_NEW(arena, struct response_usage);
    struct input_details *input = ARENA_NEW(arena, struct input_details);
    struct output_details *output = ARENA_NEW(arena, struct output_details);
    struct exchange_usage usage;

    if (!exchange_usage(final, &usage))
        return NULL;
    input->cached_tokens = usage.cached.value;
    output->reasoning_tokens = usage.reasoning.value;
    *row = (struct response_usage){.input_tokens = usage.input,
                                   .output_tokens = usage.output,
                                   .total_tokens = usage.total,
                                   .input_tokens_details = input,
                                   .output_tokens_details = output};
    return row;
}

/* An answer that was cut short says why. */
static const struct incomplete_row *incomplete_of(const char *finish)
{
    static const struct incomplete_row by_length = {"max_output_tokens"},
                                       by_filter = {"content_filter"};

    return strcmp(finish, "length") == 0           ? &by_length
           : strcmp(finish, "content_filter") == 0 ? &by_filter
                                                   : NULL;
}

static void complete(struct exchange_call *exchange, const struct final_answer *final)
{
    struct arena *arena = exchange->request->arena;
    struct response_state *state = exchange->state;
    const struct result *result = final->result;

    begin(exchange);
    response_items_end(&state->items);
    state->row.output = response_items_json(&state->items, arena);
    state->row.incomplete_details = incomplete_of(final->choices[0].finish);
    state->row.status = state->row.incomplete_details ? "incomplete" : "completed";
    state->row.usage = usage_of(arena, final);
    if (result && result->service_tier)
        state->row.service_tier = result->service_tier;
}

static enum error store(struct exchange_call *exchange, const struct final_answer *final)
{
    struct request *request = exchange->request;
    const struct response_body *body = request->body;
    struct response_state *state = exchange->state;
    struct stored_response stored;

    if (final->status != RUN_SUCCEEDED)
        return ERROR_NONE;
    complete(exchange, final);
    if (!state->stores)
        return ERROR_NONE;
    stored = (struct stored_response){
        .response_id = state->id,
        .owner = state->owner,
        .previous_id = body->previous_response_id,
        .created_at = exchange->created * INT64_C(1000000),
        .input = response_input(request->arena, body->input, state->id),
        .answer = schema_json(request->arena, ANSWER_MAX, &response_schema, &state->row)};
    /* The call is made and paid: its answer goes out, and says that it is not stored. */
    if (response_save(exchange->db, &stored, &request->problem)) {
        log_event(LOG_ERROR, "response_not_stored", request->problem.text);
        request->problem = (struct problem){0};
        state->row.store = false;
    }
    return ERROR_NONE;
}

static void end(struct exchange_call *exchange, const struct final_answer *final)
{
    const struct response_state *state = exchange->state;

    (void) final;
    send_response(exchange,
                  state->row.incomplete_details ? "response.incomplete" : "response.completed");
}

static void fail(struct exchange_call *exchange, const struct final_answer *final)
{
    struct response_state *state = exchange->state;
    const struct response_error_row error = {
        final->failure_code == FAILURE_RATE_LIMITED ? "rate_limit_exceeded" : "server_error",
        exchange_failure(final)};

    begin(exchange);
    state->row.status = "failed";
    state->row.error = &error;
    state->row.output = response_items_json(&state->items, exchange->request->arena);
    send_response(exchange, "response.failed");
    state->row.error = NULL;
}

static void answer(struct exchange_call *exchange, const struct final_answer *final)
{
    struct response_state *state = exchange->state;

    (void) final;
    exchange->reply->object = &state->row;
}

static const struct parameter_name names[] = {{"messages", "input"},
                                              {"max_tokens", "max_output_tokens"},
                                              {"response_format", "text.format"},
                                              {"reasoning_effort", "reasoning.effort"},
                                              {"verbosity", "text.verbosity"},
                                              {"logprobs", "include"},
                                              {"top_logprobs", "top_logprobs"},
                                              {".function.", "."},
                                              {NULL, NULL}};

static const struct dialect dialect = {.route = "responses",
                                       .names = names,
                                       .accepted = accepted,
                                       .send = send_delta,
                                       .end = end,
                                       .fail = fail,
                                       .answer = answer,
                                       .store = store};

/* Keys whose texts must not be written, and a service that keeps nothing, store no answers. */
static bool may_store(const struct request *request)
{
    const struct worker_context *worker = service_worker(request);

    return worker->settings->responses_days > 0 && (!worker->key || worker->key->stores_prompts);
}

enum error responses_handle(struct request *request, struct reply *reply)
{
    const struct response_body *body = request->body;
    struct gateway_call *call = ARENA_NEW(request->arena, struct gateway_call);
    struct response_state *state = ARENA_NEW(request->arena, struct response_state);
    struct exchange_call exchange = {
        .request = request, .reply = reply, .dialect = &dialect, .call = call, .state = state};
    enum error error;

    state->owner = response_owner(request);
    state->stores = (!body->store.given || body->store.value) && may_store(request);
    error = response_read(request, state->owner, call);
    return error ? error : exchange_run(&exchange);
}
