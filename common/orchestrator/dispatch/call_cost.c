/* The maximum cost of an API call, and the part of it that is booked at its end. */
#include "orchestrator/dispatch/adapters.h"

#include "limits/limits.h"

#include <string.h>

/* Tokens that a protocol adds around a prompt, at most. */
enum {
    FRAME_TOKENS = 96,
    FRAME_TOKENS_PER_MESSAGE = 16,
    IMAGE_TOKENS_MAX = 50000, /* above what any provider counts for one */
    MEMBERS_MAX = 32 << 20
};
enum { BYTES_PER_TOKEN = 4 /* of an estimate */, MINUTE_SECONDS = 60 };

/* Upper limit of a single amount, a million dollars, so that no value of a client or a provider
 * overflows the ledger's sums. */
static const int64_t price_max = INT64_C(1000000) * NANO_PER_DOLLAR;

static size_t length_of(const char *text)
{
    return text ? strlen(text) : 0;
}

static size_t json_length(struct arena *arena, const json_t *value)
{
    struct json_writer writer;
    struct text text;

    if (!value)
        return 0;
    text_start(&text, arena, MEMBERS_MAX);
    writer_start(&writer, &text);
    writer_value(&writer, value);
    return text.length;
}

/* Images and files, whose texts are part of the content, and thoughts. */
static size_t part_tokens(const struct llm_message *message)
{
    size_t tokens = 0;

    for (size_t i = 0; i < message->part_count; i++) {
        const struct llm_part *part = &message->parts[i];
        size_t length = part->data ? length_of(part->data) : IMAGE_TOKENS_MAX;

        if (part->kind == LLM_PART_IMAGE && length > IMAGE_TOKENS_MAX)
            length = IMAGE_TOKENS_MAX;
        tokens += part->kind == LLM_PART_TEXT ? FRAME_TOKENS_PER_MESSAGE : length;
    }
    for (size_t i = 0; i < message->thought_count; i++)
        tokens += length_of(message->thoughts[i].text) + length_of(message->thoughts[i].signature) +
                  length_of(message->thoughts[i].sealed);
    return tokens;
}

/* Each byte sent counts as a token, and so does each frame around a part. */
static size_t request_tokens(struct arena *arena, const struct llm_request *request)
{
    size_t tokens = FRAME_TOKENS +
                    (request->embedding ? json_length(arena, request->embedding->input) : 0) +
                    length_of(request->response_format) + json_length(arena, request->more);

    for (size_t i = 0; i < request->message_count; i++) {
        const struct llm_message *message = &request->messages[i];

        tokens += length_of(message->content) + json_length(arena, message->more) +
                  part_tokens(message) + FRAME_TOKENS_PER_MESSAGE;
        for (size_t j = 0; j < message->tool_call_count; j++)
            tokens += length_of(message->tool_calls[j].name) +
                      length_of(message->tool_calls[j].arguments) + FRAME_TOKENS_PER_MESSAGE;
    }
    for (size_t i = 0; i < request->tool_count; i++)
        tokens += length_of(request->tools[i].name) + length_of(request->tools[i].description) +
                  length_of(request->tools[i].parameters) + FRAME_TOKENS;
    return tokens;
}

static int64_t prompt_tokens(const struct run *run, const struct call_request *wanted)
{
    return (int64_t)(wanted->request ? request_tokens(run->arena, wanted->request)
                                     : FRAME_TOKENS + length_of(wanted->prompt));
}

int64_t answer_limit(const struct orchestrator_settings *settings, const struct model *model)
{
    if (!settings->max_answer_tokens && model_protocol(model) == LLM_ANTHROPIC)
        return settings->anthropic_max_tokens;
    return settings->max_answer_tokens;
}

/* How many answers the request wants; each may be the longest. */
static int64_t choices_of(const struct call_request *wanted)
{
    return wanted->request && wanted->request->n.given ? wanted->request->n.value : 1;
}

int64_t attempt_price(const struct run *run, const struct call_request *wanted,
                      const struct model *model)
{
    const struct orchestrator_settings *settings = run->worker->settings;
    bool is_limited = wanted->request && wanted->request->max_tokens.given;
    int64_t most = is_limited ? wanted->request->max_tokens.value : answer_limit(settings, model);
    int64_t input, output, price;

    if (!model->priced)
        return 0;
    if (!most)
        most = settings->reserved_answer_tokens;
    if (wanted->request && !is_limited)
        most += llm_added_tokens(model_protocol(model), wanted->request);
    if (wanted->request && wanted->request->embedding)
        most = 0;
    if (__builtin_mul_overflow(prompt_tokens(run, wanted), model->input_price, &input) ||
        __builtin_mul_overflow(most, model->output_price, &output) ||
        __builtin_mul_overflow(output, choices_of(wanted), &output) ||
        __builtin_add_overflow(input, output, &price) || price > price_max)
        return price_max;
    return price;
}

/* Whether the model may have used reasoning tokens that the stream does not contain. */
static bool may_think_unseen(const struct model *model)
{
    return model->reasoning_capable && model_protocol(model) != LLM_ANTHROPIC;
}

static int64_t produced_tokens(const struct llm_answer *answer)
{
    int64_t tokens = 0;

    for (size_t i = 0; i < answer->choice_count; i++) {
        const struct llm_choice *choice = &answer->choices[i];

        tokens += (int64_t)(choice->length + length_of(choice->refusal));
        for (size_t j = 0; j < choice->thought_count; j++)
            tokens += (int64_t)length_of(choice->thoughts[j].text);
        for (size_t j = 0; j < choice->tool_call_count; j++)
            tokens += (int64_t)(length_of(choice->tool_calls[j].name) +
                                length_of(choice->tool_calls[j].arguments)) +
                      FRAME_TOKENS_PER_MESSAGE;
    }
    return tokens;
}

/* The tokens of the received part of an answer; one per byte where the provider sent no figures. */
static struct optional_integer cost_of_seen(const struct run *run,
                                            const struct call_request *wanted,
                                            const struct model *model,
                                            const struct llm_answer *answer)
{
    struct llm_usage usage = answer->usage;
    int64_t produced = produced_tokens(answer);

    if (!produced && !usage.input_tokens.given)
        return (struct optional_integer){0};
    if (may_think_unseen(model) && !usage.output_tokens.given)
        return (struct optional_integer){0};
    if (!usage.input_tokens.given)
        usage.input_tokens = GIVEN_INTEGER(prompt_tokens(run, wanted));
    if (!usage.output_tokens.given || usage.output_tokens.value < produced)
        usage.output_tokens = GIVEN_INTEGER(produced);
    return model_cost(model, &usage);
}

/* Whether the call ended before the provider could generate anything, or the provider ended it
 * without an answer. */
static bool is_free(const struct llm_answer *answer)
{
    switch (answer->outcome) {
    case FETCH_UNREACHABLE:
    case FETCH_FORBIDDEN:
    case FETCH_SUSPENDED:
    case FETCH_INVALID:
        return true;
    case FETCH_ANSWERED:
    case FETCH_BROKEN:
        return answer->result != LLM_ANSWERED && answer->result != LLM_EMPTY && !answer->length &&
               !answer->tool_call_count && !answer->usage.input_tokens.given;
    default:
        return answer->attempts == 0;
    }
}

/* Of the last attempt. */
static struct optional_integer last_cost(const struct run *run, const struct call_request *wanted,
                                         const struct model *model, const struct llm_answer *answer)
{
    bool is_whole = answer->result == LLM_ANSWERED || answer->result == LLM_EMPTY;
    struct optional_integer cost =
        is_whole ? model_cost(model, &answer->usage) : (struct optional_integer){0};
    int64_t price = attempt_price(run, wanted, model);

    if (cost.given || is_free(answer))
        return cost;
    cost = cost_of_seen(run, wanted, model, answer);
    return GIVEN_INTEGER(cost.given && cost.value < price ? cost.value : price);
}

struct optional_integer api_call_cost(const struct run *run, const struct call_request *wanted,
                                      const struct model *model, const struct llm_call *call)
{
    struct optional_integer cost = last_cost(run, wanted, model, &call->answer);

    if (!model->priced)
        return (struct optional_integer){0};
    if (cost.value > price_max)
        cost.value = price_max;
    if (!call->http_answer.given_up)
        return cost;
    return GIVEN_INTEGER(cost.value +
                         call->http_answer.given_up * attempt_price(run, wanted, model));
}

static const char *minute_of(const struct run *run)
{
    return arena_print(run->arena, "tokens:%s", run->worker->key->payer.key_id);
}

static struct rate_rule minute_rule(const struct run *run)
{
    return (struct rate_rule){(uint32_t)run->worker->key->tokens_per_minute, MINUTE_SECONDS};
}

static bool counts_tokens(const struct run *run)
{
    return run->worker->key && run->worker->key->tokens_per_minute && run->worker->region;
}

bool key_tokens_take(struct run *run, const struct call_request *wanted, int64_t *charged)
{
    struct rate_decision decision;
    int64_t tokens;

    *charged = 0;
    if (!counts_tokens(run))
        return true;
    tokens = prompt_tokens(run, wanted) / BYTES_PER_TOKEN + 1;
    if (tokens > run->worker->key->tokens_per_minute)
        tokens = run->worker->key->tokens_per_minute;
    decision =
        limits_allow_units(run->worker->region, minute_of(run), minute_rule(run), (uint32_t)tokens);
    if (decision.allowed) {
        *charged = tokens;
        return true;
    }
    run->key_refusal = (struct key_refusal){
        .message =
            arena_print(run->arena, "This key may use %lld tokens per minute, and has used them.",
                        (long long)run->worker->key->tokens_per_minute),
        .retry_after = decision.reset_seconds ? decision.reset_seconds : 1};
    return false;
}

void key_tokens_settle(const struct run *run, int64_t used, int64_t charged)
{
    int64_t more = used - charged < RATE_COUNT_MAX ? used - charged : RATE_COUNT_MAX;

    if (counts_tokens(run) && more > 0)
        (void)limits_charge(run->worker->region, minute_of(run), minute_rule(run), (uint32_t)more);
}
