/* Models behind APIs: address, maximum cost of a call, and result of a call. */
#include "orchestrator/dispatch/adapters.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const double retry_after_most = 20, deadline_margin = 1; /* seconds */

static const char *label_of(const struct model *model)
{
    static const char *const labels[LLM_PROTOCOL__MAX] = {
        [LLM_OPENAI] = "OpenAI-compatible",
        [LLM_ANTHROPIC] = "Anthropic",
        [LLM_MISTRAL] = "Mistral",
        [LLM_OLLAMA] = "Ollama",
        [LLM_GEMINI] = "Gemini",
        [LLM_AZURE] = "Azure OpenAI",
    };

    return labels[model->protocol];
}

static const struct provider_settings *settings_of(const struct worker_context *worker,
                                                   const struct model *model)
{
    if (strcmp(model->provider, "anthropic") == 0)
        return &worker->settings->anthropic;
    return strcmp(model->provider, "openai") == 0 ? &worker->settings->openai : NULL;
}

/* For one attempt at a complete answer. */
static double timeout_of(const struct worker_context *worker, const struct model *model)
{
    const struct provider_settings *theirs = settings_of(worker, model);

    return model->timeout_seconds > 0 ? (double)model->timeout_seconds
           : theirs                   ? theirs->timeout_seconds
                                      : ORCHESTRATOR_DEADLINE_SECONDS;
}

/* The key that goes along. Those of the settings go to no other address that an administrator has
 * typed on a page. NULL = none. */
static const char *key_of(const struct provider_settings *theirs, const struct model *model)
{
    if (model->token)
        return model->token;
    if (!theirs || (model->was_added && strcmp(model->base_url, theirs->base_url) != 0))
        return NULL;
    return theirs->api_key;
}

static struct llm_provider provider_of(const struct run *run, const struct model *model)
{
    const struct orchestrator_settings *settings = run->worker->settings;
    const struct provider_settings *theirs = settings_of(run->worker, model);
    struct llm_provider provider = {
        .protocol = model_protocol(model),
        .version = model->api_version,
        .base_url = model->own ? model->base_url : theirs->base_url,
        .model = model->provider_model_id,
        .token = key_of(theirs, model),
        .max_tokens = answer_limit(settings, model),
        .knows_old_name = model->own,
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a worker has settings */
        .answer_max = (size_t)settings->max_answer_bytes,
        .private_too = settings->outbound_allow_private,
        .region = run->worker->region,
        .breaker_failures = (uint32_t)settings->breaker_failures,
        .breaker_seconds = settings->breaker_seconds};
    double timeout = timeout_of(run->worker, model);

    provider.policy =
        (struct fetch_policy){.connect_seconds = fmin(10, timeout),
                              .attempt_seconds = timeout,
                              .total_seconds = run_seconds_left(run),
                              .silence_seconds = 0,
                              .attempts = 1 + (uint32_t)(model->max_retries ? model->max_retries
                                                         : theirs           ? theirs->max_retries
                                                                            : 0),
                              .first_pause_seconds = theirs ? theirs->backoff_seconds : 1,
                              .pause_factor = 2,
                              .retry_after_seconds = retry_after_most};
    return provider;
}

struct llm_call *api_call_prepare(struct run *run, const struct call_request *wanted,
                                  const struct model *model, struct result *result)
{
    struct llm_provider *provider = ARENA_NEW(run->arena, struct llm_provider);
    struct llm_request *request = ARENA_NEW(run->arena, struct llm_request);
    struct llm_message *message = ARENA_NEW(run->arena, struct llm_message);
    struct llm_call *call = ARENA_NEW(run->arena, struct llm_call);

    if (!model->own && !settings_of(run->worker, model)) {
        result->details = "{\"configured\":false}";
        result_fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
                    arena_print(run->arena, "No API adapter registered for provider '%s'.",
                                model->provider));
        return NULL;
    }
    if (model->key_is_lost) { /* no other key pays for it */
        result_fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
                    "The stored key of the model cannot be read; enter it again.");
        return NULL;
    }
    *provider = provider_of(run, model);
    if (!provider->token && !model->own) {
        result_fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
                    arena_print(run->arena, "%s API key is not configured.", label_of(model)));
        return NULL;
    }
    *message = (struct llm_message){.role = "user", .content = wanted->prompt};
    *request = wanted->request ? *wanted->request
                               : (struct llm_request){.messages = message, .message_count = 1};
    request->on_delta = wanted->on_delta;
    request->context = wanted->context;
    if (wanted
            ->on_delta) { /* a healthy stream lasts until the deadline, which dispatching watches */
        provider->policy.silence_seconds = run->worker->settings->stream_silence_seconds;
        provider->policy.attempt_seconds = run_seconds_left(run) + deadline_margin;
        provider->policy.total_seconds = provider->policy.attempt_seconds;
    }
    *call = (struct llm_call){.provider = provider, .request = request, .told_by_caller = true};
    return call;
}

/* The failure code of a call without a complete answer, and the message after the label. */
static int failure_of(struct arena *arena, const struct llm_answer *answer, const char **message)
{
    if (answer->outcome == FETCH_TOO_LARGE) { /* what came of it is cut, or cannot be read */
        *message = "adapter error: the answer is too large";
        return FAILURE_UNKNOWN;
    }
    switch (answer->result) {
    case LLM_REFUSED:
        *message = answer->status == 429 ? "rate limit reached."
                                         : arena_print(arena, "HTTP error: %d", answer->status);
        return answer->status == 429 ? FAILURE_RATE_LIMITED : FAILURE_PROVIDER_UNAVAILABLE;
    case LLM_EMPTY:
        *message =
            answer->finish && strcmp(answer->finish, "stop") != 0
                ? arena_print(arena, "adapter error: the answer is empty (%s)", answer->finish)
                : "adapter error: the answer is empty";
        return FAILURE_UNKNOWN;
    case LLM_MALFORMED:
        *message = "adapter error: the answer cannot be read";
        return FAILURE_UNKNOWN;
    case LLM_FAULT:
        *message = "streaming error: the provider told of a fault";
        return FAILURE_PROVIDER_UNAVAILABLE;
    case LLM_CUT:
        if (answer->outcome == FETCH_TIMED_OUT)
            break;
        *message = "streaming error: the stream ended early";
        return FAILURE_PROVIDER_UNAVAILABLE;
    default:
        break;
    }
    if (answer->outcome == FETCH_TIMED_OUT) {
        *message = "request timed out.";
        return FAILURE_TIMEOUT;
    }
    *message = answer->outcome == FETCH_SUSPENDED
                   ? "network error: calls are suspended after failures in a row"
                   : arena_print(arena, "network error: %s", fetch_outcome_name(answer->outcome));
    return FAILURE_PROVIDER_UNAVAILABLE;
}

static struct optional_integer integer_unless_0(int64_t value)
{
    return (struct optional_integer){value != 0, value};
}

static const char *details_of(struct run *run, const struct model *model,
                              const struct llm_call *call, const struct result *result)
{
    const struct llm_answer *answer = &call->answer;
    bool succeeded = result->status == RUN_SUCCEEDED;
    const struct call_details details = {
        .provider = model->provider,
        .provider_model_id = succeeded ? model->provider_model_id : NULL,
        .timeout_seconds = {succeeded, timeout_of(run->worker, model)},
        .provider_message =
            provider_rejects_request(answer->status) ? answer->refused.message : NULL,
        .attempts = GIVEN_INTEGER(answer->attempts),
        .waited_ms = integer_unless_0(result->waited_ms),
        .cached_input_tokens = answer->usage.cached_tokens,
        .cache_write_tokens = answer->usage.cache_write_tokens,
        .reasoning_tokens = answer->usage.reasoning_tokens,
        .retry_after_seconds = {answer->retry_after > 0, answer->retry_after}};

    return call_details_print(run->arena, &details);
}

bool provider_rejects_request(int status)
{
    return status == 400 || status == 404 || status == 409 || status == 413 || status == 415 ||
           status == 422;
}

bool call_suits(const struct run *run, const struct call_request *wanted, const struct model *model)
{
    return !wanted->request ||
           !llm_find_unsupported(run->arena, model_protocol(model), wanted->request);
}

/* In a conversation an answer without text is valid when the model gives a finish reason. */
static bool is_answer(const struct call_request *wanted, const struct llm_answer *answer)
{
    return answer->result == LLM_ANSWERED ||
           (answer->result == LLM_EMPTY && wanted->request && (answer->finish || answer->refusal));
}

void api_call_finish(struct run *run, const struct call_request *wanted, const struct model *model,
                     const struct llm_call *call, struct result *result)
{
    const struct llm_answer *answer = &call->answer;
    const char *message = NULL;

    result->status = RUN_SUCCEEDED;
    result->failure_code = FAILURE_NONE;
    result->failure_message = NULL;
    result->text = *answer->text ? answer->text : NULL;
    result->tool_calls = answer->tool_calls;
    result->tool_call_count = answer->tool_call_count;
    result->finish = answer->finish;
    result->refusal = answer->refusal;
    result->choices = answer->choices;
    result->choice_count = answer->choice_count;
    result->service_tier = answer->service_tier;
    result->vectors = answer->vectors;
    result->vector_count = answer->vector_count;
    result->was_rejected =
        answer->result == LLM_REFUSED && provider_rejects_request(answer->status);
    run->refusal =
        answer->result == LLM_REFUSED
            ? (struct provider_refusal){answer->status, answer->retry_after, answer->refused}
            : (struct provider_refusal){0};
    result->input_tokens = answer->usage.input_tokens;
    result->output_tokens = answer->usage.output_tokens;
    result->cached_tokens = answer->usage.cached_tokens;
    result->cache_write_tokens = answer->usage.cache_write_tokens;
    result->reasoning_tokens = answer->usage.reasoning_tokens;
    result->cost = api_call_cost(run, wanted, model, call);
    result->was_streamed =
        call->http_answer.streamed > 0 && (result->text || result->tool_call_count);
    if (!is_answer(wanted, answer)) {
        result->failure_code = failure_of(run->arena, answer, &message);
        result->status = RUN_FAILED;
        result->failure_message = arena_print(run->arena, "%s %s", label_of(model), message);
    }
    result->details = details_of(run, model, call, result);
}
