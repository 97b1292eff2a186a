/* Finds words in a prompt, in lower case: whole words of English, and the ideas of the prompt's own
 * language (vocabulary.c). */
#include "orchestrator/plan/assess.h"

#include "base/number.h"
#include "base/schema.h"
#include "orchestrator/plan/vocabulary.h"
#include "text/fold.h"
#include "text/words.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum {
    PARTS_MAX = 3,
    MARKS_PER_WEIGHING =
        2, /* for languages without a list: number of marks that count as one idea */
    MARKS_PER_JOINING = 4,
    WORD_PARTS = 12 /* characters of scripts without blanks are counted as parts of a word */
};

/* Parts that must follow each other on one line, with at least one character between them. */
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

/* Letters of every script count: non-ASCII bytes belong to words. */
static bool in_word(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || (unsigned char)byte >= 0x80;
}

/* A part of a signal or an idea. */
struct part {
    const char *bytes;
    size_t length;
};

/* Ends that must be word boundaries. */
struct bounds {
    bool begin, end;
};

static const char *find_part(const char *from, const char *end, const char *text,
                             const struct part *part, struct bounds bounds)
{
    for (; from < end; from++) {
        from = memmem(from, (size_t)(end - from), part->bytes, part->length);
        if (!from)
            return NULL;
        if ((!bounds.begin || from == text || !in_word(from[-1])) &&
            (!bounds.end || !in_word(from[part->length])))
            return from;
    }
    return NULL;
}

/* The end of the parts after the first one, each with a gap before it; NULL when they do not all
 * end before `end`. Taking the earliest match of each part is sufficient. */
static const char *find_rest(const char *from, const char *end, const struct part *parts, int count,
                             bool ends_word)
{
    for (int i = 0; from && i < count; i++) {
        const struct bounds bounds = {false, ends_word && i == count - 1};

        from = find_part(from + 1, end, from, &parts[i], bounds);
        if (from)
            from += parts[i].length;
    }
    return from;
}

/* Searches for all parts on one line. Skips a whole line that has the first part but not the
 * others, so that the time is linear in the length of any text. */
static bool has_parts(const char *text, const struct part *parts, int count, struct bounds bounds)
{
    const struct bounds first = {bounds.begin, bounds.end && count == 1};
    const char *end = text + strlen(text);

    for (const char *at = text; (at = find_part(at, end, text, &parts[0], first)) != NULL;) {
        const char *line_end = at + strcspn(at, "\n");

        if (find_rest(at + parts[0].length, line_end, parts + 1, count - 1, bounds.end))
            return true;
        at = line_end;
    }
    return false;
}

static bool contains(const char *text, const struct signal *signal, bool whole)
{
    struct part parts[PARTS_MAX] = {{NULL, 0}};
    int count = 0;

    for (; count < PARTS_MAX && signal->parts[count]; count++)
        parts[count] = (struct part){signal->parts[count], strlen(signal->parts[count])};
    return count && has_parts(text, parts, count, (struct bounds){whole, whole});
}

/* An alternative of an idea, its parts separated by `~`. */
static bool has_alternative(const char *text, const char *words, const char *end, bool anywhere)
{
    struct part parts[PARTS_MAX] = {{NULL, 0}};
    int count = 0;

    while (count < PARTS_MAX) {
        const char *stop = memchr(words, '~', (size_t)(end - words));

        parts[count++] = (struct part){words, (size_t)((stop ? stop : end) - words)};
        if (!stop)
            break;
        words = stop + 1;
    }
    return has_parts(text, parts, count, (struct bounds){!anywhere, false});
}

/* Whether the text contains one of the alternatives of an idea. */
static bool has_idea(const char *text, const char *idea, bool anywhere)
{
    while (*idea) {
        const char *end = idea + strcspn(idea, "|");

        if (has_alternative(text, idea, end, anywhere))
            return true;
        idea = *end ? end + 1 : end;
    }
    return false;
}

/* A prompt under assessment. */
struct judged {
    const char *lower;
    const struct vocabulary
        *lists[RELATED_MAX]; /* none for English, or for a language without one */
    size_t list_count;
    bool anywhere; /* words of the language are joined, or not separated by blanks */
    int marks;     /* marks between parts of sentences, in languages without a list */
};

static bool joins_words(enum text_language language)
{
    enum script script = language_script(language);

    return script != SCRIPT_LATIN && script != SCRIPT_CYRILLIC && script != SCRIPT_GREEK;
}

/* Commas, semicolons, colons, question marks and the ends of lines, of every script. */
static int count_marks(const char *text)
{
    static const char *const marks[] = {",", ";",  ":",  "?",  "\n", "،",  "؛",
                                        "؟", "、", "，", "；", "：", "？", "।"};
    int count = 0;

    for (size_t i = 0; i < COUNT_OF(marks); i++)
        for (const char *at = text; (at = strstr(at, marks[i])) != NULL; at++)
            count++;
    return count;
}

static struct judged judged_of(struct arena *arena, const char *prompt)
{
    enum text_language language = language_detect(prompt, strlen(prompt));
    struct judged judged = {.lower = text_lower(arena, prompt), .anywhere = joins_words(language)};

    judged.list_count = vocabularies_of(language, judged.lists);
    if (!judged.list_count && language != TEXT_EN && language != TEXT_UNKNOWN)
        judged.marks = count_marks(prompt);
    return judged;
}

/* Number of words that a character of a script without blanks counts as, by the average length of
 * words and of their English translations; 0 for scripts with blanks. */
static int word_parts(int32_t character)
{
    enum script script = script_of(character);

    if (letter_kind(character) != LETTER_UNSPACED || script == SCRIPT_HANGUL)
        return 0;
    if (script == SCRIPT_HAN)
        return 8;
    return script == SCRIPT_KANA ? 4 : 3;
}

/* Runs between blanks; in scripts without blanks by the number of characters. */
static int count_words(const char *text)
{
    int words = 0, parts = 0;

    for (text += strspn(text, " \t\n\v\f\r"); *text; text += strspn(text, " \t\n\v\f\r")) {
        size_t length = strcspn(text, " \t\n\v\f\r");
        int before = parts;

        for (size_t at = 0; at < length;) {
            int32_t character = 0;
            size_t taken = letter_read(text + at, length - at, &character);

            parts += taken ? word_parts(character) : 0;
            at += taken ? taken : 1;
        }
        words += parts == before;
        text += length;
    }
    return words + (parts + WORD_PARTS - 1) / WORD_PARTS;
}

static bool weighs(const struct judged *judged, size_t idea)
{
    for (size_t i = 0; i < judged->list_count; i++)
        if (has_idea(judged->lower, judged->lists[i]->weighing[idea], judged->anywhere))
            return true;
    return contains(judged->lower, &indicators[idea], true);
}

static bool joins_questions(const struct judged *judged, size_t idea)
{
    for (size_t i = 0; i < judged->list_count; i++)
        if (has_idea(judged->lower, judged->lists[i]->joining[idea], judged->anywhere))
            return true;
    return contains(judged->lower, &joins[idea], false);
}

static int count_weighing(const struct judged *judged)
{
    int found = judged->marks / MARKS_PER_WEIGHING;

    _Static_assert(COUNT_OF(indicators) == WEIGHING_IDEAS, "ideas are the same in all languages");
    for (size_t i = 0; i < COUNT_OF(indicators); i++)
        found += weighs(judged, i);
    return found;
}

static int count_joining(const struct judged *judged)
{
    int found = judged->marks / MARKS_PER_JOINING;

    _Static_assert(COUNT_OF(joins) == JOINING_IDEAS, "ideas are the same in all languages");
    for (size_t i = 0; i < COUNT_OF(joins); i++)
        found += joins_questions(judged, i);
    return found;
}

struct complexity assess_complexity(struct arena *arena, const char *prompt)
{
    struct judged judged = judged_of(arena, prompt);
    struct complexity result = {.words = count_words(prompt)};
    int weighing = count_weighing(&judged), joining = count_joining(&judged);

    if (is_blank(prompt))
        return (struct complexity){0};
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
    struct judged judged = judged_of(arena, prompt);

    for (int type = 0; type < TASK_GENERAL; type++) {
        for (size_t i = 0; i < 20 && keywords[type][i]; i++)
            if (contains(judged.lower, &(struct signal){{keywords[type][i]}}, true))
                return (enum task_type)type;
        for (size_t i = 0; i < judged.list_count; i++)
            if (has_idea(judged.lower, judged.lists[i]->kinds[type], judged.anywhere))
                return (enum task_type)type;
    }
    return TASK_GENERAL;
}
