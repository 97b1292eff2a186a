/* Builds internal prompts. */
#include "orchestrator/plan/prompts.h"

#include "base/json.h"
#include "crypto/token.h"
#include "orchestrator/plan/assess.h"
#include "text/language.h"

#include <string.h>

enum { PROMPT_MAX = 64 * 1024 * 1024, DELIMITER_BYTES = 16 };

/* Languages without a catalog get English prompts that request an answer in the user's language.
 * English gets them too, because the language detection may be wrong. */
struct phrasing phrasing_of(struct arena *arena, const char *prompt)
{
    enum language language = language_find(language_codes[language_detect(prompt, strlen(prompt))]);
    struct phrasing phrasing = {.arena = arena,
                                .locale = locale_get(language > 0 ? language : LANGUAGE_EN)};

    phrasing.asks_for_language = locale_language(phrasing.locale) == LANGUAGE_EN;
    token_random_text(DELIMITER_BYTES, phrasing.delimiter, sizeof phrasing.delimiter);
    return phrasing;
}

const char *asking_as_text(struct arena *arena, const struct asking *asking)
{
    if (!asking->system)
        return asking->user;
    return arena_print(arena, "%s\n\n%s", asking->system, asking->user);
}

static const char *words_of(const struct phrasing *phrasing, const char *key)
{
    return locale_format(phrasing->locale, phrasing->arena, key, NO_TEXT_ARGUMENTS);
}

static const char *numbered(const struct phrasing *phrasing, const char *key, size_t number)
{
    return locale_format(phrasing->locale, phrasing->arena, key,
                         TEXT_ARGUMENTS({"number", arena_print(phrasing->arena, "%zu", number)}));
}

/* An instruction of the service. */
static const char *instruct(const struct phrasing *phrasing, const char *words, bool delimited)
{
    struct text text;

    text_start(&text, phrasing->arena, PROMPT_MAX);
    text_append_string(&text, words);
    if (delimited)
        text_append_format(
            &text, "\n%s",
            locale_format(
                phrasing->locale, phrasing->arena, "prompts.material",
                TEXT_ARGUMENTS(
                    {"open", arena_print(phrasing->arena, "<<%s ...>>", phrasing->delimiter)},
                    {"close", arena_print(phrasing->arena, "<</%s>>", phrasing->delimiter)})));
    if (phrasing->asks_for_language)
        text_append_format(&text, "\n%s", words_of(phrasing, "prompts.in_language"));
    return text.bytes;
}

/* A text between delimiters. If it is longer than the budget, its beginning with a mark after it,
 * where the text itself cannot place one. A budget of 0 means none. */
static void append_material(struct text *text, const struct phrasing *phrasing, const char *label,
                            const char *material, size_t budget)
{
    struct arena *arena = phrasing->arena;
    size_t all = utf8_count(material);
    bool is_cut = budget && all > budget;

    text_append_format(
        text, "%s<<%s %s>>\n%s\n<</%s>>", text->length ? "\n\n" : "", phrasing->delimiter, label,
        is_cut ? text_beginning(arena, material, budget) : material, phrasing->delimiter);
    if (is_cut)
        text_append_format(
            text, "\n%s: %s", label,
            locale_format(phrasing->locale, arena, "prompts.shown",
                          TEXT_ARGUMENTS({"shown", arena_print(arena, "%zu", budget)},
                                         {"all", arena_print(arena, "%zu", all)})));
}

static void append_named(struct text *text, const struct phrasing *phrasing, const char *key,
                         const char *material)
{
    append_material(text, phrasing, words_of(phrasing, key), material, 0);
}

const char *text_beginning(struct arena *arena, const char *text, size_t most)
{
    return arena_copy(arena, text, utf8_prefix(text, most));
}

/* Whole lines from the end, as many as fit; each counts one for its break. */
static const char *last_lines(struct arena *arena, const char *text, size_t max_chars)
{
    const char *end = text + strlen(text), *begin = end, *start;
    size_t used = 0;

    if (utf8_count(text) <= max_chars)
        return text;
    for (;; end = start - 1) {
        for (start = end; start > text && start[-1] != '\n';)
            start--;
        used += utf8_count(arena_copy(arena, start, (size_t)(end - start))) + 1;
        if (used > max_chars)
            return begin;
        begin = start;
        if (start == text)
            return begin;
    }
}

const char *prompt_in_context(struct arena *arena, const struct turn *turns, size_t count,
                              size_t max_chars, const char *prompt)
{
    struct text context;
    size_t first = count, used = 0;

    if (!count)
        return prompt;
    /* Earlier turns would be dropped completely. */
    while (first > 0 && used <= max_chars) {
        first--;
        used += utf8_count(turns[first].prompt);
        used += turns[first].output ? utf8_count(turns[first].output) : 0;
    }
    text_start(&context, arena, PROMPT_MAX);
    for (size_t i = first; i < count; i++)
        text_append_format(&context, "%s[Turn %zu]\nUser: %s\nAssistant: %s",
                           i > first ? "\n\n" : "", i + 1, turns[i].prompt,
                           turns[i].output ? turns[i].output : "(no response)");
    return arena_print(arena, "%s\n\n[Current]\nUser: %s",
                       last_lines(arena, context.bytes, max_chars), prompt);
}

struct asking prompt_to_split(const struct phrasing *phrasing, const char *question)
{
    const char *words = locale_format(phrasing->locale, phrasing->arena, "prompts.split",
                                      TEXT_ARGUMENTS({"format", "JSON"}));

    return (struct asking){instruct(phrasing, words, false), question, NULL};
}

/* The content of the only fence of a reply; the whole reply when there is none. */
static const char *without_fence(struct arena *arena, const char *reply)
{
    const char *open = strstr(reply, "```"), *from, *close;

    if (!open)
        return reply;
    from = open + 3 + strcspn(open + 3, "\n[");
    close = strstr(from, "```");
    return close ? arena_copy(arena, from, (size_t)(close - from)) : reply;
}

static const char *as_text(struct arena *arena, const json_t *value)
{
    struct json_writer writer;
    struct text text;

    if (json_is_string(value))
        return json_string_value(value);
    text_start(&text, arena, PROMPT_MAX);
    writer_start(&writer, &text);
    writer_value(&writer, value);
    return text.bytes;
}

struct string_list parse_subtasks(struct arena *arena, const char *reply)
{
    const char *json = without_fence(arena, reply);
    struct string_list list = {.items = ARENA_ARRAY(arena, const char *, SUBTASKS_MAX)};
    struct json_fault fault;
    json_t *document;

    if (json_read(arena, json, strlen(json), 8, &document, &fault) || !json_is_array(document))
        return list;
    for (size_t i = 0; i < json_array_size(document) && list.count < SUBTASKS_MAX; i++) {
        const char *text = as_text(arena, json_array_get(document, i));

        if (!is_blank(text))
            list.items[list.count++] = text;
    }
    return list;
}

struct asking prompt_to_synthesize(const struct phrasing *phrasing, const char *question,
                                   const char *const *questions, const char *const *answers,
                                   size_t count)
{
    struct text text;

    text_start(&text, phrasing->arena, PROMPT_MAX);
    append_named(&text, phrasing, "prompts.question", question);
    for (size_t i = 0; i < count; i++) {
        append_material(&text, phrasing, numbered(phrasing, "prompts.sub_question_number", i + 1),
                        questions[i], 0);
        append_material(&text, phrasing, numbered(phrasing, "prompts.answer_number", i + 1),
                        answers[i], 0);
    }
    return (struct asking){instruct(phrasing, words_of(phrasing, "prompts.synthesize"), true),
                           text.bytes, NULL};
}

struct asking prompt_itself(const struct phrasing *phrasing, const char *prompt)
{
    return (struct asking){NULL, prompt, phrasing->conversation};
}

struct asking prompt_variation(const struct phrasing *phrasing, const char *prompt, size_t n)
{
    static const char *const ways[VARIATIONS] = {
        NULL,
        "prompts.step_by_step",
        "prompts.viewpoints",
        "prompts.key_facts",
        "prompts.detailed",
        "prompts.known_today",
        "prompts.expert",
        "prompts.parts",
        "prompts.comprehensive",
    };
    const char *way = ways[n % VARIATIONS];

    struct asking asking = prompt_itself(phrasing, prompt);

    if (way)
        asking.system = instruct(phrasing, words_of(phrasing, way), false);
    return asking;
}

struct asking prompt_for_position(const struct phrasing *phrasing, const char *topic)
{
    return (struct asking){instruct(phrasing, words_of(phrasing, "prompts.position"), false), topic,
                           NULL};
}

/* An instruction about a question and up to two further texts. */
static struct asking ask_about(const struct phrasing *phrasing, const char *instruction,
                               const char *question, const char *label, const char *material,
                               const char *second_label, const char *second)
{
    struct text text;

    text_start(&text, phrasing->arena, PROMPT_MAX);
    append_named(&text, phrasing, "prompts.question", question);
    append_named(&text, phrasing, label, material);
    if (second)
        append_named(&text, phrasing, second_label, second);
    return (struct asking){instruct(phrasing, words_of(phrasing, instruction), true), text.bytes,
                           NULL};
}

struct asking prompt_to_challenge(const struct phrasing *phrasing, const char *topic,
                                  const char *answer)
{
    return ask_about(phrasing, "prompts.challenge", topic, "prompts.answer", answer, NULL, NULL);
}

struct asking prompt_to_defend(const struct phrasing *phrasing, const char *topic,
                               const char *answer, const char *critique)
{
    return ask_about(phrasing, "prompts.defend", topic, "prompts.answer", answer,
                     "prompts.critique", critique);
}

struct asking prompt_to_cross(const struct phrasing *phrasing, const char *question,
                              const char *top, const char *answer)
{
    return ask_about(phrasing, "prompts.cross", question, "prompts.agreed_answer", top,
                     "prompts.other_answer", answer);
}

struct asking prompt_to_verify(const struct phrasing *phrasing, const char *question,
                               const char *answer)
{
    return ask_about(phrasing, "prompts.verify", question, "prompts.answer", answer, NULL, NULL);
}

static struct asking ask_about_answers(const struct phrasing *phrasing, const char *instruction,
                                       const char *question, const char *const *answers,
                                       const size_t *numbers, size_t count, size_t budget)
{
    struct text text;

    text_start(&text, phrasing->arena, PROMPT_MAX);
    append_named(&text, phrasing, "prompts.question", question);
    for (size_t i = 0; i < count; i++)
        append_material(&text, phrasing,
                        numbered(phrasing, "prompts.answer_number", numbers ? numbers[i] : i + 1),
                        answers[i], budget);
    return (struct asking){instruct(phrasing, words_of(phrasing, instruction), true), text.bytes,
                           NULL};
}

struct asking prompt_to_compare(const struct phrasing *phrasing, const char *question,
                                const char *const *answers, const size_t *numbers, size_t count,
                                size_t budget)
{
    return ask_about_answers(phrasing, "prompts.compare", question, answers, numbers, count,
                             budget);
}

struct asking prompt_to_rank(const struct phrasing *phrasing, const char *question,
                             const char *const *answers, size_t count, size_t budget)
{
    return ask_about_answers(phrasing, "prompts.rank", question, answers, NULL, count, budget);
}

struct asking prompt_to_continue(const struct phrasing *phrasing, const char *prompt,
                                 const char *so_far)
{
    return ask_about(phrasing, "prompts.continue", prompt, "prompts.begun_answer", so_far, NULL,
                     NULL);
}

const char *message_to_continue(const struct phrasing *phrasing)
{
    return words_of(phrasing, "prompts.continue");
}
