/* Any bytes as the answer of a provider, the first byte choosing which. Whatever words are found in
 * it are read as advice and as hypotheses; what is made of them keeps its promises. */
#include "fuzz.h"

#include "experiments/advice/advice_reading.h"
#include "experiments/advice/providers.h"

#include <string.h>

enum { INPUT_MEMORY_MAX = 1 << 28, HYPOTHESES_WANTED = 3 };

static void check_list(const struct string_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        PROMISE(*list->items[i], "no item is empty");
        for (size_t j = 0; j < i; j++)
            PROMISE(strcmp(list->items[i], list->items[j]) != 0, "no item stands twice");
    }
}

static void check_advice(struct arena *arena, const char *text)
{
    struct advice_text advice;

    if (reading_advice(arena, text, &advice))
        return;
    check_list(&advice.key_risks);
    check_list(&advice.design_improvements);
    check_list(&advice.metric_recommendations);
    check_list(&advice.interpretation_pitfalls);
    check_list(&advice.additional_checks);
    PROMISE(*advice.brief_assessment || advice.key_risks.count ||
                advice.design_improvements.count || advice.metric_recommendations.count ||
                advice.interpretation_pitfalls.count || advice.additional_checks.count,
            "advice says something");
}

static void check_hypotheses(struct arena *arena, const char *text)
{
    struct object_list list;
    const struct hypothesis *items;

    if (reading_hypotheses(arena, text, HYPOTHESES_WANTED, &list))
        return;
    items = list.items;
    PROMISE(list.count > 0 && list.count <= HYPOTHESES_WANTED, "no more than were wanted");
    for (size_t i = 0; i < list.count; i++)
        PROMISE(*items[i].change && items[i].rationale && items[i].primary_metric &&
                    (items[i].expected_direction == 0 || items[i].expected_direction == 1),
                "a hypothesis is whole");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_create(INPUT_MEMORY_MAX);
    const struct advice_provider provider = {.is_orchestrator = size && data[0] % 4 == 0,
                                             .protocol = size && data[0] % 4 == 2 ? LLM_ANTHROPIC
                                                                                  : LLM_OPENAI};
    const char *text = NULL;

    if (size && provider_read_text(&provider, (const char *)data + 1, size - 1, arena, &text) ==
                    PROVIDER_TEXT) {
        PROMISE(text && *text, "words that are found are there");
        check_advice(arena, text);
        check_hypotheses(arena, text);
    }
    if (size) { /* and the bytes as the words themselves */
        text = arena_copy(arena, (const char *)data + 1, size - 1);
        check_advice(arena, text);
        check_hypotheses(arena, text);
    }
    arena_destroy(arena);
    return 0;
}
