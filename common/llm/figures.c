/* Reads what providers say about an answer: token usage, finish reasons and errors, in any of their
 * forms. */
#include "llm/llm_internal.h"

#include <string.h>

enum { FAULT_MAX = 500 /* bytes of a provider's error message */ };

static void note_count(struct optional_integer *count, const json_t *value)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0)
        *count = GIVEN_INTEGER(json_integer_value(value));
}

void collect_usage(struct llm_collected *collected, const json_t *usage)
{
    struct llm_usage *told = &collected->usage;
    const struct {
        const char *object, *name; /* object NULL = `usage` itself holds the figures */
        struct optional_integer *count;
    } rows[] = {
        {NULL, "prompt_tokens", &told->input_tokens},
        {NULL, "input_tokens", &told->input_tokens},
        {NULL, "prompt_eval_count", &told->input_tokens},
        {NULL, "completion_tokens", &told->output_tokens},
        {NULL, "output_tokens", &told->output_tokens},
        {NULL, "eval_count", &told->output_tokens},
        {NULL, "promptTokenCount", &told->input_tokens},
        {NULL, "candidatesTokenCount", &told->output_tokens},
        {NULL, "thoughtsTokenCount", &told->reasoning_tokens},
        {NULL, "cachedContentTokenCount", &told->cached_tokens},
        {NULL, "totalTokenCount", &collected->total_tokens},
        {NULL, "total_tokens", &collected->total_tokens},
        {NULL, "cache_read_input_tokens", &told->cached_tokens},
        {NULL, "cache_creation_input_tokens", &told->cache_write_tokens},
        {"cache_creation", "ephemeral_1h_input_tokens", &told->cache_write_hour_tokens},
        {NULL, "prompt_cache_hit_tokens", &told->cached_tokens},
        {"prompt_tokens_details", "cached_tokens", &told->cached_tokens},
        {"prompt_tokens_details", "cache_write_tokens", &told->cache_write_tokens},
        {"input_tokens_details", "cached_tokens", &told->cached_tokens},
        {"completion_tokens_details", "reasoning_tokens", &told->reasoning_tokens},
        {"output_tokens_details", "reasoning_tokens", &told->reasoning_tokens},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        note_count(rows[i].count,
                   json_object_get(rows[i].object ? json_object_get(usage, rows[i].object) : usage,
                                   rows[i].name));
    if (json_object_get(usage, "input_tokens") && !json_object_get(usage, "input_tokens_details"))
        collected->input_is_net = true;
}

static void add(struct optional_integer *sum, struct optional_integer more)
{
    if (sum->given && more.given && __builtin_add_overflow(sum->value, more.value, &sum->value))
        sum->given = false;
}

/* Anthropic does not count cached tokens in the input tokens. Some OpenAI-compatible servers do not
 * count reasoning tokens in the output tokens; the total shows it. */
struct llm_usage collect_sum(const struct llm_collected *collected)
{
    struct llm_usage usage = collected->usage;
    struct optional_integer total = usage.input_tokens;

    if (collected->input_is_net) {
        add(&usage.input_tokens, usage.cached_tokens);
        add(&usage.input_tokens, usage.cache_write_tokens);
    }
    add(&total, usage.output_tokens);
    add(&total, usage.reasoning_tokens);
    if (usage.output_tokens.given && usage.reasoning_tokens.given && total.given &&
        collected->total_tokens.given && collected->total_tokens.value == total.value)
        add(&usage.output_tokens, usage.reasoning_tokens);
    return usage;
}

const char *finish_name(const char *reason)
{
    static const struct {
        const char *theirs, *ours;
    } names[] = {
        {"end_turn", "stop"},
        {"stop_sequence", "stop"},
        {"max_tokens", "length"},
        {"tool_use", "tool_calls"},
        {"model_length", "length"},
        {"refusal", "content_filter"},
        {"model_context_window_exceeded", "length"},
        {"STOP", "stop"},
        {"MAX_TOKENS", "length"},
        {"SAFETY", "content_filter"},
        {"RECITATION", "content_filter"},
        {"BLOCKLIST", "content_filter"},
        {"PROHIBITED_CONTENT", "content_filter"},
        {"SPII", "content_filter"},
        {"IMAGE_SAFETY", "content_filter"},
    };

    for (size_t i = 0; reason && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(reason, names[i].theirs) == 0)
            return names[i].ours;
    return reason;
}

bool collect_fault(struct llm_collected *collected, const json_t *error)
{
    const char *text =
        json_string_value(json_is_object(error) ? json_object_get(error, "message") : error);
    size_t length;

    if (!error || json_is_null(error))
        return false;
    if (!text)
        text = "The provider told of a fault.";
    length = strlen(text) < FAULT_MAX ? strlen(text) : FAULT_MAX;
    collected->fault = arena_copy(collected->arena, text, utf8_valid_prefix(text, length));
    return true;
}

/* A string value of a provider, which may also be sent as a number; as text. */
static const char *word_of(struct arena *arena, const json_t *value)
{
    if (json_is_integer(value))
        return arena_print(arena, "%lld", (long long)json_integer_value(value));
    if (!json_is_string(value))
        return NULL;
    return arena_copy(
        arena, json_string_value(value),
        utf8_valid_prefix(json_string_value(value), json_string_length(value) < FAULT_MAX
                                                        ? json_string_length(value)
                                                        : FAULT_MAX));
}

struct llm_refusal collect_refusal(struct arena *arena, const json_t *document)
{
    const json_t *error = json_object_get(document, "error");
    const json_t *about = json_is_object(error) ? error : document;

    return (struct llm_refusal){
        .message =
            word_of(arena, json_is_string(error) ? error : json_object_get(about, "message")),
        .type = word_of(arena, json_object_get(about, "type")),
        .code = word_of(arena, json_object_get(about, "code")),
        .param = word_of(arena, json_object_get(about, "param"))};
}
