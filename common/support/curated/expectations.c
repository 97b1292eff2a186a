/* The expectations of a case, in a fixed order; reports every failure. */
#include "support/curated/expectations.h"
#include "support/curated/phrases.h"
#include "text/fold.h"

#include <stdio.h>
#include <string.h>

enum { FAILURES_FIXED = 8, TEXT_MOST = 1 << 20 };

static bool plainly(struct arena *arena, const char *text, const char *needle)
{
    return strstr(text_lower(arena, text), text_lower(arena, needle)) != NULL;
}

/* Matches whole words: "day one" is not in "Friday one". */
static bool has_words(struct arena *arena, const char *text, const char *words)
{
    return *words && strstr(arena_print(arena, " %s ", text), arena_print(arena, " %s ", words));
}

bool expectation_found(struct arena *arena, const char *text, const char *needle)
{
    return plainly(arena, text, needle) ||
           has_words(arena, phrase_token_form(arena, text), phrase_token_form(arena, needle)) ||
           has_words(arena, phrase_made_form(arena, text), phrase_made_form(arena, needle));
}

bool execution_is_infrastructure(struct arena *arena, const struct execution *execution)
{
    return plainly(arena, execution->answer, "[provider_unavailable]") ||
           plainly(arena, execution->answer, "[model_mismatch]");
}

/* ['a', 'b'] */
static const char *shown(struct arena *arena, const struct string_list *options)
{
    struct text text;

    text_start(&text, arena, TEXT_MOST);
    for (size_t i = 0; i < options->count; i++)
        text_append_format(&text, "%s'%s'", i ? ", " : "", options->items[i]);
    return text.bytes;
}

bool expectation_met(struct arena *arena, const char *text, const struct string_list *options)
{
    bool any = false;

    for (size_t i = 0; i < options->count; i++) {
        if (!*options->items[i])
            continue;
        any = true;
        if (expectation_found(arena, text, options->items[i]))
            return true;
    }
    return !any;
}

static void check_scores(struct arena *arena, const struct curated_expected *expected,
                         const struct execution *execution, struct string_list *failures)
{
    if (expected->route && strcmp(expected->route, execution->route) != 0)
        failures->items[failures->count++] = arena_print(arena, "route expected '%s' but got '%s'",
                                                         expected->route, execution->route);
    if (expected->min_quality.given && execution->quality_score < expected->min_quality.value)
        failures->items[failures->count++] =
            arena_print(arena, "quality %g below minimum %g", execution->quality_score,
                        expected->min_quality.value);
    if (expected->min_factuality.given &&
        execution->factuality_score < expected->min_factuality.value)
        failures->items[failures->count++] =
            arena_print(arena, "factuality %g below minimum %g", execution->factuality_score,
                        expected->min_factuality.value);
    if (expected->citations_least.given &&
        execution->citation_count < expected->citations_least.value)
        failures->items[failures->count++] = arena_print(
            arena, "citations %lld below minimum %lld", (long long)execution->citation_count,
            (long long)expected->citations_least.value);
}

struct string_list expectations_failed(struct arena *arena, const struct curated_expected *expected,
                                       const struct execution *execution)
{
    struct string_list failures = {0,
                                   ARENA_ARRAY(arena, const char *,
                                               expected->contains.count + expected->any_count +
                                                   expected->contains_not.count + FAILURES_FIXED)};

    check_scores(arena, expected, execution, &failures);
    for (size_t i = 0; i < expected->contains.count; i++)
        if (!expectation_found(arena, execution->answer, expected->contains.items[i]))
            failures.items[failures.count++] =
                arena_print(arena, "answer missing '%s'", expected->contains.items[i]);
    for (size_t i = 0; i < expected->any_count; i++)
        if (!expectation_met(arena, execution->answer, &expected->any[i]))
            failures.items[failures.count++] =
                arena_print(arena, "answer missing one of [%s]", shown(arena, &expected->any[i]));
    for (size_t i = 0; i < expected->contains_not.count; i++)
        if (plainly(arena, execution->answer, expected->contains_not.items[i]))
            failures.items[failures.count++] = arena_print(arena, "answer contains forbidden '%s'",
                                                           expected->contains_not.items[i]);
    return failures;
}
