/* Asks the model or the pattern that a request names, and hands the answer to its dialect. */
#include "orchestrator-streams/exchange.h"

#include "base/clock.h"
#include "orchestrator-streams/answer_cache.h"
#include "orchestrator/dispatch/embeddings.h"
#include "orchestrator/front_error.h"
#include "orchestrator/front_names.h"
#include "orchestrator/runs/chat.h"
#include "orchestrator/runs/orchestrate.h"
#include "orchestrator/runs/smart.h"
#include "orchestrator/service.h"
#include "orchestrator/task_answer.h"

#include <string.h>

/* For embeddings, and for word counts where there are none. */
static const double similarity_threshold = 0.85, word_similarity_threshold = 0.6;
static const double consensus_target = 0.85;

enum { CONSENSUS_ROUNDS = 2, CONSENSUS_VARIATIONS = 3, PROMPT_MAX = 8 << 20 };
enum { LOGPROBS_DEPTH = 10 };

static void begin(struct exchange_call *exchange, const struct run *run)
{
    exchange->run = run;
    exchange->created = clock_unix_seconds();
    if (run->trace_id)
        reply_add_header(exchange->reply, "x-trace-id", run->trace_id);
    exchange->dialect->accepted(exchange);
}

const char *exchange_tool_id(const struct exchange_call *exchange, size_t choice, size_t index,
                             const char *id)
{
    return id && *id ? id
                     : arena_print(exchange->request->arena, "call_%.8s_%zu_%zu",
                                   exchange->run->task_id, choice, index);
}

bool exchange_usage(const struct final_answer *final, struct exchange_usage *usage)
{
    const struct accounting_answer *told =
        accounting_of(final->run, final->result, final->result ? 1 : 0);

    *usage = (struct exchange_usage){.input = told->input_tokens.value,
                                     .output = told->output_tokens.value,
                                     .cached = told->cached_input_tokens,
                                     .cache_write = told->cache_write_tokens,
                                     .reasoning = told->reasoning_tokens};
    return told->input_tokens.given && told->output_tokens.given &&
           !__builtin_add_overflow(usage->input, usage->output, &usage->total);
}

const char *exchange_failure(const struct final_answer *final)
{
    return final->failure_message ? final->failure_message : "Cancelled.";
}

static enum error refuse(struct exchange_call *exchange, const struct final_answer *final)
{
    static const struct {
        int code;
        const char *reason;
    } rows[] = {{FAILURE_RATE_LIMITED, "upstream_rate_limited"},
                {FAILURE_TIMEOUT, "upstream_timeout"},
                {FAILURE_UNKNOWN, "upstream_failed"}};
    const struct provider_refusal *refusal = &final->run->refusal;
    struct request *request = exchange->request;
    const char *reason = "upstream_unavailable";

    if (final->run->key_refusal.message)
        return key_refuse(request, exchange->reply, &final->run->key_refusal);
    if (front_pass_on(request, exchange->reply, refusal))
        return ERROR_NONE;
    if (refusal->status == 401 || refusal->status == 403)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "provider_auth_failed",
                           "The provider refused the key of this service.");
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].code == final->failure_code)
            reason = rows[i].reason;
    return problem_set(&request->problem, ERROR_UNAVAILABLE, reason, "%s",
                       final->failure_message ? final->failure_message : "The call was cancelled.");
}

static void replay_thoughts(struct exchange_call *exchange, const struct llm_choice *choice,
                            struct llm_delta delta)
{
    for (size_t i = 0; i < choice->thought_count; i++) {
        const struct llm_thought *thought = &choice->thoughts[i];
        const char *const texts[] = {thought->text, thought->signature, thought->sealed};
        const enum llm_delta_kind kinds[] = {LLM_DELTA_THOUGHT, LLM_DELTA_SIGNATURE,
                                             LLM_DELTA_SEALED};

        for (size_t j = 0; j < COUNT_OF(texts); j++) {
            delta.kind = kinds[j];
            delta.text = texts[j];
            delta.length = texts[j] ? strlen(texts[j]) : 0;
            if (delta.length)
                exchange->dialect->send(exchange, &delta);
        }
    }
}

static const json_t *logprobs_of(struct arena *arena, const struct llm_choice *choice)
{
    struct json_fault fault;
    json_t *logprobs = NULL;

    return choice->logprobs && !json_read(arena, choice->logprobs, strlen(choice->logprobs),
                                          LOGPROBS_DEPTH, &logprobs, &fault)
               ? logprobs
               : NULL;
}

/* An answer that came as a whole, in pieces. */
static void replay(struct exchange_call *exchange, const struct llm_choice *choice, size_t position)
{
    struct llm_delta delta = {
        .kind = LLM_DELTA_TEXT, .choice = position, .text = choice->text, .length = choice->length};

    replay_thoughts(exchange, choice, delta);
    delta.logprobs = logprobs_of(exchange->request->arena, choice);
    if (delta.length)
        exchange->dialect->send(exchange, &delta);
    delta.logprobs = NULL;
    delta.kind = LLM_DELTA_REFUSAL;
    delta.text = choice->refusal;
    delta.length = choice->refusal ? strlen(choice->refusal) : 0;
    if (delta.length)
        exchange->dialect->send(exchange, &delta);
    delta.kind = LLM_DELTA_TOOL_CALL;
    for (size_t i = 0; i < choice->tool_call_count; i++) {
        delta.text = choice->tool_calls[i].arguments;
        delta.length = strlen(delta.text);
        delta.tool_index = i;
        delta.tool_id = choice->tool_calls[i].id;
        delta.tool_name = choice->tool_calls[i].name;
        exchange->dialect->send(exchange, &delta);
    }
}

/* An answer that did not come in pieces is given in pieces to a stream, and to a dialect that makes
 * what it stores of them. */
static bool give_pieces(struct exchange_call *exchange, const struct final_answer *final)
{
    bool streams = exchange->call->streams;

    if (exchange->events.open || (!streams && !exchange->dialect->store))
        return true;
    if (streams && !event_writer_open(&exchange->events))
        return false;
    for (size_t i = 0; i < final->choice_count; i++)
        replay(exchange, &final->choices[i], i);
    return true;
}

static enum error answer(struct exchange_call *exchange, const struct final_answer *final)
{
    const struct dialect *dialect = exchange->dialect;
    enum error error = ERROR_NONE;

    if (final->status != RUN_SUCCEEDED && !exchange->events.open)
        return refuse(exchange, final);
    if (final->status == RUN_SUCCEEDED && !give_pieces(exchange, final))
        return ERROR_NONE;
    if (dialect->store)
        error = dialect->store(exchange, final);
    if (error && !exchange->events.open)
        return error;
    if (!exchange->call->streams)
        dialect->answer(exchange, final);
    else if (error || final->status != RUN_SUCCEEDED)
        dialect->fail(exchange, final);
    else
        dialect->end(exchange, final);
    return ERROR_NONE;
}

static void send_accepted(const struct chat *chat, void *context)
{
    begin(context, &chat->task_run.run);
}

/* The head goes out with the first piece, so that a call that fails before has a status. */
static bool send_delta(const struct chat *chat, const struct llm_delta *delta, void *context)
{
    struct exchange_call *exchange = context;

    (void)chat;
    return event_writer_open(&exchange->events) && exchange->dialect->send(exchange, delta);
}

static void send_splice(const struct chat *chat, const struct result *broken,
                        const struct model *next, void *context)
{
    struct exchange_call *exchange = context;

    if (exchange->events.open && exchange->dialect->spliced)
        exchange->dialect->spliced(exchange, chat->model, next, failure_name(broken->failure_code));
}

/* The choices of the last call, the first one with the whole text of all models that spoke. */
static void set_choices(struct arena *arena, const struct result *result,
                        struct final_answer *final)
{
    size_t count = result && result->choice_count ? result->choice_count : 1;
    struct llm_choice *choices = ARENA_ARRAY(arena, struct llm_choice, count);

    if (result && result->choice_count)
        memcpy(choices, result->choices, count * sizeof *choices);
    choices[0].text = final->text;
    choices[0].length = strlen(final->text);
    for (size_t i = 0; i < count; i++)
        if (!choices[i].finish)
            choices[i].finish = choices[i].tool_call_count ? "tool_calls" : "stop";
    final->choices = choices;
    final->choice_count = count;
}

/* The client's name of a parameter. A row beginning with a dot renames a part within the path. */
static const char *their_name(const struct exchange_call *exchange, const char *name)
{
    struct arena *arena = exchange->request->arena;

    for (const struct parameter_name *row = exchange->dialect->names; row && row->ours; row++) {
        size_t length = strlen(row->ours);
        const char *at = *row->ours == '.' ? strstr(name, row->ours) : name;

        if (at && strncmp(at, row->ours, length) == 0 &&
            (*row->ours == '.' || !at[length] || at[length] == '.'))
            return arena_print(arena, "%.*s%s%s", (int)(at - name), name, row->theirs, at + length);
    }
    return name;
}

/* Parameters that the model's protocol does not have are refused by the name that the client used;
 * LLM_PROTOCOL__MAX is a model or pattern that accepts only a prompt. */
static enum error check_parameters(struct exchange_call *exchange, enum llm_protocol protocol)
{
    const char *name =
        llm_find_unsupported(exchange->request->arena, protocol, &exchange->call->request);

    return name ? request_fault(exchange->request, "body", their_name(exchange, name),
                                "value_error", "this cannot be passed on to the model")
                : ERROR_NONE;
}

static enum error check_model(struct exchange_call *exchange, const struct model *model)
{
    if (model->embeds && !exchange->call->request.embedding)
        return request_fault(exchange->request, "body", "model", "value_error",
                             "this model makes embeddings only");
    return is_dry_run(service_worker(exchange->request), false)
               ? ERROR_NONE
               : check_parameters(exchange, model_protocol(model));
}

static enum error ask_model(struct exchange_call *exchange, struct final_answer *final)
{
    const struct gateway_call *call = exchange->call;
    struct request *request = exchange->request;
    const struct worker_context *worker = service_worker(request);
    struct chat *chat = ARENA_NEW(request->arena, struct chat);
    struct chat_request *wanted = ARENA_NEW(request->arena, struct chat_request);
    const struct kept_answer *kept = NULL;
    struct cache_use use = {0};
    const struct model *model = catalog_resolve(request->arena, worker->catalog, call->model);
    enum error error = model ? check_model(exchange, model) : ERROR_NONE;

    if (error)
        return error;
    if (model) {
        answer_cache_choose(exchange, model, &use);
        kept = answer_cache_find(exchange, model, &use);
    }
    *wanted = (struct chat_request){.route = exchange->dialect->route,
                                    .prompt = call->prompt,
                                    .request = &call->request,
                                    .plan = {.model = call->model, .quorum = 1},
                                    .metadata = call->metadata,
                                    .dry_run = is_dry_run(worker, false),
                                    .kept = kept,
                                    .tells_late = true,
                                    .on_accepted = send_accepted,
                                    .on_delta = call->streams ? send_delta : NULL,
                                    .on_splice = send_splice,
                                    .watch = &exchange->events.watch,
                                    .context = exchange};
    error = chat_run(chat, worker, request->arena, exchange->db, wanted, &request->problem);
    *final = (struct final_answer){.run = &chat->task_run.run,
                                   .model_id = chat->model ? chat->model->id : NULL,
                                   .status = chat->outcome.status,
                                   .failure_code = chat->outcome.failure_code,
                                   .failure_message = chat->outcome.failure_message,
                                   .text = chat->result.text ? chat->result.text : "",
                                   .result = &chat->result,
                                   .splices = chat->splices};
    set_choices(request->arena, &chat->result, final);
    if (!error && !kept)
        answer_cache_keep(exchange, &use, final);
    return error;
}

static void final_of_pattern(struct exchange_call *exchange, const struct pattern_run *run,
                             struct string_list models_used, struct final_answer *final)
{
    const struct model *winner = run->outcome.winner;

    begin(exchange, &run->task_run.run);
    *final =
        (struct final_answer){.run = &run->task_run.run,
                              .model_id = winner ? winner->id : run->model->id,
                              .models_used = models_used,
                              .status = run->outcome.status,
                              .failure_code = run->outcome.failure_code,
                              .failure_message = run->outcome.failure_message,
                              .text = run->outcome.output_text ? run->outcome.output_text : ""};
    set_choices(exchange->request->arena, NULL, final);
}

/* The user's last message, which determines language and complexity. */
static const char *question_of(const struct llm_request *conversation)
{
    for (size_t i = conversation->message_count; i-- > 0;)
        if (strcmp(conversation->messages[i].role, "user") == 0 &&
            conversation->messages[i].content)
            return conversation->messages[i].content;
    return NULL;
}

static enum error ask_smart(struct exchange_call *exchange, struct final_answer *final)
{
    struct request *request = exchange->request;
    const struct smart_request wanted = {.prompt = exchange->call->prompt,
                                         .watch = &exchange->events.watch,
                                         .conversation = &exchange->call->request,
                                         .question = question_of(&exchange->call->request)};
    struct smart *smart = ARENA_NEW(request->arena, struct smart);
    enum error error = smart_run(smart, service_worker(request), request->arena, exchange->db,
                                 &wanted, &request->problem);

    if (!error)
        final_of_pattern(exchange, &smart->run, smart->models_used, final);
    return error;
}

static enum error ask_consensus(struct exchange_call *exchange, struct final_answer *final)
{
    struct request *request = exchange->request;
    const struct worker_context *worker = service_worker(request);
    const char *prompt = exchange->call->prompt;
    const struct consensus_options rounds = {
        .similarity_threshold =
            embeddings_are_configured(worker) ? similarity_threshold : word_similarity_threshold,
        .target = consensus_target,
        .max_rounds = CONSENSUS_ROUNDS,
        .per_round = CONSENSUS_VARIATIONS,
        .use_confidence = true};
    const struct pattern_request frame = {.route = "consensus",
                                          .prompt = prompt,
                                          .dry_run = is_dry_run(worker, false),
                                          .watch = &exchange->events.watch,
                                          .conversation = &exchange->call->request,
                                          .question = question_of(&exchange->call->request)};
    struct pattern_run *run = ARENA_NEW(request->arena, struct pattern_run);
    struct consensus consensus = {0};
    enum error error;

    error = pattern_begin(run, worker, request->arena, exchange->db, &frame, &request->problem);
    if (!error)
        error = consensus_v1(run, prompt, &rounds, &consensus);
    if (!error)
        error = pattern_end_text(run, consensus.best, &consensus.failure);
    if (!error)
        final_of_pattern(exchange, run, consensus.models_used, final);
    return error;
}

/* A pattern takes the prompt alone. */
static enum error check_pattern(struct exchange_call *exchange)
{
    const struct gateway_call *call = exchange->call;

    if (call->metadata && json_object_size(call->metadata))
        return request_fault(exchange->request, "body", "metadata", "value_error",
                             "this cannot be passed on to the model");
    if (call->request.embedding)
        return request_fault(exchange->request, "body", "model", "value_error",
                             "this makes no embeddings");
    return check_parameters(exchange, LLM_PROTOCOL__MAX);
}

enum error exchange_run(struct exchange_call *exchange)
{
    struct request *request = exchange->request;
    const char *model = exchange->call->model;
    bool is_smart = strcmp(model, FRONT_SMART) == 0;
    bool is_consensus = strcmp(model, FRONT_CONSENSUS) == 0;
    enum error error = is_smart || is_consensus ? check_pattern(exchange) : ERROR_NONE;
    struct final_answer final;

    if (error)
        return error;
    event_writer_start(&exchange->events, request, exchange->reply, false);
    error = service_database(request, &exchange->db);
    if (error)
        return error;
    error = is_smart       ? ask_smart(exchange, &final)
            : is_consensus ? ask_consensus(exchange, &final)
                           : ask_model(exchange, &final);
    if (error == ERROR_INVALID && !request->fault_count)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "model_not_found",
                           "The model '%s' does not exist.", model);
    return error ? service_storage_error(request, error, "replace_task_snapshot")
                 : answer(exchange, &final);
}

const char *conversation_text(struct arena *arena, const struct llm_request *request)
{
    struct text text;

    if (request->message_count == 1 && request->messages[0].content)
        return request->messages[0].content;
    text_start(&text, arena, PROMPT_MAX);
    for (size_t i = 0; i < request->message_count; i++)
        if (request->messages[i].content)
            text_append_format(&text, "%s%s: %s", text.length ? "\n\n" : "",
                               request->messages[i].role, request->messages[i].content);
    return text.bytes;
}
