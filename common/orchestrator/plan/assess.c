/* Words in a prompt. Places of words are looked for as whole words, in lower case. */
#include "orchestrator/plan/assess.h"

#include "base/number.h"
#include "base/schema.h"
#include "text/fold.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { PARTS_MAX = 3 };

/* Parts that follow each other on one line, with at least one character between them. */
struct signal {
    const char *parts[PARTS_MAX];
};

static const struct signal indicators[] = {
    {{"compare"}},
    {{"analyze"}},
    {{"evaluate"}},
    {{"trade-off"}},
    {{"pros and cons"}},
    {{"step by step"}},
    {{"multiple"}},
    {{"different perspectives"}},
    {{"comprehensive"}},
    {{"in-depth"}},
    {{"detailed analysis"}},
    {{"implications"}},
    {{"consequences"}},
    {{"relationship between"}},
    {{"how does ", " affect"}},
    {{"explain the difference"}},
    {{"advantages and disadvantages"}},
    {{"critically assess"}},
};

static const struct signal joins[] = {
    {{"and also"}},
    {{"additionally"}},
    {{"furthermore"}},
    {{"as well as"}},
    {{"along with"}},
    {{"on top of that"}},
    {{"not only ", " but also"}},
    {{"first ", " then ", " finally"}},
    {{"both ", " and"}},
    {{"several"}},
    {{"multiple aspects"}},
};

static const char *const keywords[TASK_GENERAL][20] = {
    [TASK_CODING] = {"code", "function", "class", "debug", "api", "implement", "python",
                     "javascript", "sql", "bug", "error", "refactor", "compile", "runtime"},
    [TASK_MATH] = {"calculate", "equation", "formula", "prove", "theorem", "integral", "derivative",
                   "probability", "algebra", "geometry"},
    [TASK_ANALYSIS] = {"analyze", "evaluate", "assess", "review", "audit", "compare",
                       "pros and cons", "trade-off", "benchmark"},
    [TASK_RESEARCH] = {"research", "study", "paper", "evidence", "literature", "survey", "findings",
                       "methodology"},
    [TASK_CREATIVE] = {"write", "story", "poem", "creative", "design", "imagine", "brainstorm",
                       "narrative", "essay"},
};

bool is_blank(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return !*text;
}

/* Letters of every script count: bytes beyond ASCII are parts of them. */
static bool in_word(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || (unsigned char)byte >= 0x80;
}

/* Where the remaining parts end after `from`, on the same line; NULL when they do not follow. */
static const char *find_rest(const char *from, const char *const *parts, int count, bool whole)
{
    const char *line_end = from + strcspn(from, "\n"), *at = from + 1;

    if (count == 0)
        return whole && in_word(*from) ? NULL : from;
    for (; at < line_end && (at = strstr(at, parts[0])) != NULL && at < line_end; at++) {
        const char *end = find_rest(at + strlen(parts[0]), parts + 1, count - 1, whole);

        if (end)
            return end;
    }
    return NULL;
}

static bool contains(const char *text, const struct signal *signal, bool whole)
{
    int count = 1;

    while (count < PARTS_MAX && signal->parts[count])
        count++;
    for (const char *at = text; (at = strstr(at, signal->parts[0])) != NULL; at++) {
        if (whole && at > text && in_word(at[-1]))
            continue;
        if (find_rest(at + strlen(signal->parts[0]), signal->parts + 1, count - 1, whole))
            return true;
    }
    return false;
}

static int count_words(const char *text)
{
    int words = 0;
    bool inside = false;

    for (; *text; text++) {
        bool blank = isspace((unsigned char)*text);

        words += !blank && !inside;
        inside = !blank;
    }
    return words;
}

struct complexity assess_complexity(struct arena *arena, const char *prompt)
{
    const char *lower = text_lower(arena, prompt);
    struct complexity result = {.words = count_words(lower)};
    int weighing = 0, joining = 0;

    if (is_blank(prompt))
        return (struct complexity){0};
    for (size_t i = 0; i < COUNT_OF(indicators); i++)
        weighing += contains(lower, &indicators[i], true);
    for (size_t i = 0; i < COUNT_OF(joins); i++)
        joining += contains(lower, &joins[i], false);
    result.score = number_round(0.5 * fmin(1, weighing / 4.0) + 0.3 * fmin(1, result.words / 50.0) +
                                    0.2 * fmin(1, joining / 2.0),
                                3);
    result.level = result.score >= 0.6   ? LEVEL_COMPLEX
                   : result.score >= 0.3 ? LEVEL_MODERATE
                                         : LEVEL_SIMPLE;
    result.should_decompose = result.level == LEVEL_COMPLEX || joining >= 2;
    return result;
}

enum task_type assess_task_type(struct arena *arena, const char *prompt)
{
    const char *lower = text_lower(arena, prompt);

    for (int type = 0; type < TASK_GENERAL; type++)
        for (size_t i = 0; i < 20 && keywords[type][i]; i++)
            if (contains(lower, &(struct signal){{keywords[type][i]}}, true))
                return (enum task_type)type;
    return TASK_GENERAL;
}
