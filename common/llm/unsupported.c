/* Finds the members that a protocol does not support, so that no member is dropped silently. */
#include "llm/compose_internal.h"

#include <string.h>

enum {
    OPENAI = 1U << LLM_OPENAI | 1U << LLM_AZURE,
    ANTHROPIC = 1U << LLM_ANTHROPIC,
    MISTRAL = 1U << LLM_MISTRAL,
    OLLAMA = 1U << LLM_OLLAMA,
    GEMINI = 1U << LLM_GEMINI,
    EVERY_PROTOCOL = OPENAI | ANTHROPIC | MISTRAL | OLLAMA | GEMINI
};

static bool is_auto(const char *choice)
{
    return !choice || strcmp(choice, "\"auto\"") == 0;
}

static bool has_tool_calls(const struct llm_request *request)
{
    for (size_t i = 0; i < request->message_count; i++)
        if (request->messages[i].tool_call_count || request->messages[i].tool_call_id)
            return true;
    return false;
}

/* The first of the further members that is not empty, with its path; NULL when there is none. Marks
 * for the provider's cache change nothing but the price, so they never count. */
static const char *first_of(struct arena *arena, const char *where, const json_t *more)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)more, key, value)
    {
        if (!json_is_null(value) && !json_is_false(value) && strcmp(key, "cache_control") != 0)
            return arena_print(arena, "%s%s", where, key);
    }
    return NULL;
}

static const char *find_more_of_parts(struct arena *arena, const struct llm_request *request,
                                      size_t position)
{
    const struct llm_message *message = &request->messages[position];
    const char *found = NULL;

    for (size_t i = 0; !found && i < message->part_count; i++)
        if (message->parts[i].kind != LLM_PART_IMAGE || request->form == LLM_ANTHROPIC)
            found = first_of(arena, arena_print(arena, "messages.%zu.content.%zu.", position, i),
                             message->parts[i].more);
    return found;
}

static const char *path_of_tool(struct arena *arena, const struct llm_request *request,
                                size_t position)
{
    return request->form == LLM_ANTHROPIC ? arena_print(arena, "tools.%zu.", position)
                                          : arena_print(arena, "tools.%zu.function.", position);
}

static const char *find_more(struct arena *arena, const struct llm_request *request)
{
    const char *found = first_of(arena, "", request->more);

    for (size_t i = 0; !found && i < request->message_count; i++)
        found = first_of(arena, arena_print(arena, "messages.%zu.", i), request->messages[i].more);
    for (size_t i = 0; !found && i < request->message_count; i++)
        found = find_more_of_parts(arena, request, i);
    for (size_t i = 0; !found && i < request->tool_count; i++)
        found = first_of(arena, path_of_tool(arena, request, i), request->tools[i].more);
    return found;
}

static const char *find_strict(struct arena *arena, const struct llm_request *request)
{
    for (size_t i = 0; i < request->tool_count; i++)
        if (request->tools[i].strict.value)
            return arena_print(arena, "%sstrict", path_of_tool(arena, request, i));
    return NULL;
}

/* Which protocols take a part of a message. */
static unsigned takers_of(const struct llm_message *message, const struct llm_part *part)
{
    bool is_result = message->tool_call_id != NULL;

    switch (part->kind) {
    case LLM_PART_IMAGE:
        if (is_result)
            return ANTHROPIC;
        return EVERY_PROTOCOL & ~(part->data ? 0U : (unsigned)OLLAMA);
    case LLM_PART_FILE:
        if (is_result || part->text)
            return ANTHROPIC;
        return ANTHROPIC | GEMINI | MISTRAL | (part->data ? (unsigned)OPENAI : 0U);
    default:
        return ~0U;
    }
}

static const char *find_part(struct arena *arena, unsigned self, const struct llm_request *request)
{
    for (size_t i = 0; i < request->message_count; i++)
        for (size_t j = 0; j < request->messages[i].part_count; j++)
            if (!(takers_of(&request->messages[i], &request->messages[i].parts[j]) & self))
                return arena_print(arena, "messages.%zu.content.%zu", i, j);
    return NULL;
}

/* OpenAI's "auto" and "default" are Anthropic's "auto" and "standard_only". */
static bool is_tier_of_anthropic(const struct llm_request *request)
{
    return request->service_tier && (strcmp(request->service_tier, "auto") == 0 ||
                                     strcmp(request->service_tier, "default") == 0);
}

/* Numbers of tokens mean something to OpenAI's models only. */
static bool has_texts(const json_t *input)
{
    for (size_t i = 0; i < json_array_size(input); i++)
        if (!json_is_string(json_array_get(input, i)))
            return false;
    return true;
}

const char *llm_find_unsupported(struct arena *arena, enum llm_protocol protocol,
                                 const struct llm_request *request)
{
    const struct {
        const char *name;
        bool is_given;
        unsigned takers;
    } members[] = {
        {"temperature", request->temperature.given, EVERY_PROTOCOL},
        {"top_p", request->top_p.given, EVERY_PROTOCOL},
        {"top_k", request->top_k.given, EVERY_PROTOCOL},
        {"max_tokens", request->max_tokens.given, EVERY_PROTOCOL},
        {"stop", request->stop.count > 0, EVERY_PROTOCOL},
        {"tools", request->tool_count > 0, EVERY_PROTOCOL},
        {"messages", has_tool_calls(request), EVERY_PROTOCOL},
        {"response_format", request->response_format != NULL, EVERY_PROTOCOL},
        {"reasoning_effort", request->reasoning != NULL,
         OPENAI | MISTRAL | (compose_thinking_budget(request) < 0 ? 0U : (unsigned)EVERY_PROTOCOL)},
        {"thinking", request->thinking != NULL, EVERY_PROTOCOL},
        {"presence_penalty", request->presence_penalty.given, OPENAI | MISTRAL | OLLAMA | GEMINI},
        {"frequency_penalty", request->frequency_penalty.given, OPENAI | MISTRAL | OLLAMA | GEMINI},
        {"seed", request->seed.given, OPENAI | MISTRAL | OLLAMA | GEMINI},
        {"n", request->n.given && request->n.value != 1, OPENAI | MISTRAL | GEMINI},
        {"logprobs", request->logprobs.given && request->logprobs.value, OPENAI},
        {"top_logprobs", request->top_logprobs.given, OPENAI},
        {"service_tier", request->service_tier != NULL,
         OPENAI | (is_tier_of_anthropic(request) ? ANTHROPIC : 0)},
        {"tool_choice", request->tool_choice != NULL,
         OPENAI | MISTRAL | (request->tool_count ? ANTHROPIC | GEMINI : 0) |
             (is_auto(request->tool_choice) ? ANTHROPIC | OLLAMA | GEMINI : 0)},
        {"parallel_tool_calls", request->parallel_tool_calls.given,
         OPENAI | MISTRAL | ANTHROPIC | (request->parallel_tool_calls.value ? OLLAMA | GEMINI : 0)},
        {"user", request->user != NULL, OPENAI | MISTRAL | ANTHROPIC},
    };
    unsigned self = 1U << protocol;
    const unsigned with_vectors = EVERY_PROTOCOL & ~(unsigned)ANTHROPIC;
    bool is_own_form = self & (request->form == LLM_ANTHROPIC ? ANTHROPIC : OPENAI | MISTRAL);
    const char *found;

    if (request->embedding && !(self & with_vectors))
        return "model";
    if (request->embedding && (self & (OLLAMA | GEMINI)) && !has_texts(request->embedding->input))
        return "input";
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (members[i].is_given && !(members[i].takers & self))
            return members[i].name;
    found = find_part(arena, self, request);
    if (!found && !(self & (OPENAI | MISTRAL | ANTHROPIC)))
        found = find_strict(arena, request);
    return found || is_own_form ? found : find_more(arena, request);
}
