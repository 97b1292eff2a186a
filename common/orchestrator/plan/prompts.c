/* Prompts around a prompt. */
#include "orchestrator/plan/prompts.h"

#include "base/json.h"
#include "orchestrator/plan/assess.h"

#include <string.h>

enum { PROMPT_MAX = 8 * 1024 * 1024, COMPARED_MAX = 1000, RANKED_MAX = 500 };

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

    if (!count)
        return prompt;
    text_start(&context, arena, PROMPT_MAX);
    for (size_t i = 0; i < count; i++)
        text_append_format(&context, "%s[Turn %zu]\nUser: %s\nAssistant: %s", i ? "\n\n" : "",
                           i + 1, turns[i].prompt,
                           turns[i].output ? turns[i].output : "(no response)");
    return arena_print(arena, "%s\n\n[Current]\nUser: %s",
                       last_lines(arena, context.bytes, max_chars), prompt);
}

const char *prompt_to_split(struct arena *arena, const char *question)
{
    return arena_print(arena,
                       "Split the question below into sub-questions that can be answered "
                       "independently of each other. Reply with a JSON array of texts and nothing "
                       "else.\n\nQuestion:\n%s",
                       question);
}

/* What stands in the one fence of a reply; the whole reply when there is none. */
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

const char *prompt_to_synthesize(struct arena *arena, const char *question,
                                 const char *const *questions, const char *const *answers,
                                 size_t count)
{
    struct text text;

    text_start(&text, arena, PROMPT_MAX);
    text_append_format(&text,
                       "Answer the question below completely, out of the answers to its "
                       "sub-questions.\n\nQuestion:\n%s\n\n",
                       question);
    for (size_t i = 0; i < count; i++)
        text_append_format(&text, "%sSub-question %zu: %s\nAnswer: %s", i ? "\n\n---\n\n" : "",
                           i + 1, questions[i], answers[i]);
    return text.bytes;
}

const char *prompt_variation(struct arena *arena, const char *prompt, size_t n)
{
    static const char *const ways[VARIATIONS] = {
        "",
        "Work through this step by step.\n\n",
        "Look at this from several points of view before you answer.\n\n",
        "Name the key facts first, then answer.\n\n",
        "Give a detailed analysis.\n\n",
        "Answer by what is known today.\n\n",
        "Answer as an expert of the field would.\n\n",
        "Break this down into its parts, then answer.\n\n",
        "Give a comprehensive answer.\n\n",
    };

    return arena_print(arena, "%s%s", ways[n % VARIATIONS], prompt);
}

const char *prompt_for_position(struct arena *arena, const char *topic)
{
    return arena_print(arena, "Take a clear position on this topic and give your reasons.\n\n%s",
                       topic);
}

const char *prompt_to_challenge(struct arena *arena, const char *topic, const char *answer)
{
    return arena_print(
        arena,
        "Topic: %s\n\nAnswer:\n%s\n\nAct as devil's advocate: list the weaknesses of "
        "this answer, one by one.",
        topic, answer);
}

const char *prompt_to_defend(struct arena *arena, const char *topic, const char *answer,
                             const char *critique)
{
    return arena_print(
        arena,
        "Topic: %s\n\nAnswer:\n%s\n\nCritique:\n%s\n\nMend what the critique is right "
        "about, defend the rest, and return the improved answer.",
        topic, answer, critique);
}

const char *prompt_to_cross(struct arena *arena, const char *question, const char *top,
                            const char *answer)
{
    return arena_print(arena,
                       "Question: %s\n\nThe answer that most agree on:\n%s\n\nAnother answer:\n%s"
                       "\n\nRewrite the other answer in the light of the first. Keep what only it "
                       "has seen.",
                       question, top, answer);
}

const char *prompt_to_compare(struct arena *arena, const char *question, const char *const *models,
                              const char *const *answers, size_t count)
{
    struct text text;

    text_start(&text, arena, PROMPT_MAX);
    text_append_format(&text, "Question: %s\n\n", question);
    for (size_t i = 0; i < count; i++)
        text_append_format(&text, "[%s]: %s\n\n", models[i],
                           text_beginning(arena, answers[i], COMPARED_MAX));
    text_append_string(&text, "Compare these answers: where they differ, what each does well and "
                              "badly, and which one is best.");
    return text.bytes;
}

const char *prompt_to_rank(struct arena *arena, const char *question, const char *const *answers,
                           size_t count)
{
    struct text text;

    text_start(&text, arena, PROMPT_MAX);
    text_append_format(&text, "Question: %s\n\n", question);
    for (size_t i = 0; i < count; i++)
        text_append_format(&text, "[Answer %zu]: %s\n\n", i + 1,
                           text_beginning(arena, answers[i], RANKED_MAX));
    text_append_string(&text, "Rank these answers from best to worst. Reply with their numbers "
                              "alone, separated by commas.");
    return text.bytes;
}

const char *prompt_to_continue(struct arena *arena, const char *prompt, const char *so_far)
{
    return arena_print(arena,
                       "%s\n\nAn answer to the above was begun and broke off. Go on exactly where "
                       "it stops, without repeating any of it:\n\n%s",
                       prompt, so_far);
}
