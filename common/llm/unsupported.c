/* Finds the members that a protocol does not support, so that no member is dropped silently. */
#include "llm/llm_internal.h"

#include <string.h>

enum {
    OPENAI = 1U << LLM_OPENAI,
    ANTHROPIC = 1U << LLM_ANTHROPIC,
    MISTRAL = 1U << LLM_MISTRAL,
    OLLAMA = 1U << LLM_OLLAMA,
    EVERY_PROTOCOL = OPENAI | ANTHROPIC | MISTRAL | OLLAMA
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

/* The first of the further members that is not empty, with its path; NULL when there is none. */
static const char *first_of(struct arena *arena, const char *where, const json_t *more)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)more, key, value)
    {
        if (!json_is_null(value) && !json_is_false(value))
            return arena_print(arena, "%s%s", where, key);
    }
    return NULL;
}

static const char *find_more(struct arena *arena, const struct llm_request *request)
{
    const char *found = first_of(arena, "", request->more);

    for (size_t i = 0; !found && i < request->message_count; i++)
        found = first_of(arena, arena_print(arena, "messages.%zu.", i), request->messages[i].more);
    for (size_t i = 0; !found && i < request->tool_count; i++)
        found =
            first_of(arena, arena_print(arena, "tools.%zu.function.", i), request->tools[i].more);
    return found;
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
        {"max_tokens", request->max_tokens.given, EVERY_PROTOCOL},
        {"stop", request->stop.count > 0, EVERY_PROTOCOL},
        {"tools", request->tool_count > 0, EVERY_PROTOCOL},
        {"messages", has_tool_calls(request), EVERY_PROTOCOL},
        {"response_format", request->response_format != NULL, EVERY_PROTOCOL},
        {"presence_penalty", request->presence_penalty.given, OPENAI | MISTRAL | OLLAMA},
        {"frequency_penalty", request->frequency_penalty.given, OPENAI | MISTRAL | OLLAMA},
        {"seed", request->seed.given, OPENAI | MISTRAL | OLLAMA},
        {"tool_choice", request->tool_choice != NULL,
         OPENAI | MISTRAL | (request->tool_count ? ANTHROPIC : 0) |
             (is_auto(request->tool_choice) ? ANTHROPIC | OLLAMA : 0)},
        {"parallel_tool_calls", request->parallel_tool_calls.given,
         OPENAI | MISTRAL | ANTHROPIC | (request->parallel_tool_calls.value ? OLLAMA : 0)},
        {"user", request->user != NULL, OPENAI | MISTRAL | ANTHROPIC},
    };
    unsigned self = 1U << protocol;

    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (members[i].is_given && !(members[i].takers & self))
            return members[i].name;
    return self & (OPENAI | MISTRAL) ? NULL : find_more(arena, request);
}
