/* Chooses the answers of the simulated models. */
#include "orchestrator/demo/simulated.h"

#include "text/fold.h"
#include "text/words.h"

#include <string.h>

enum { PROMPT_SHOWN = 160, ANSWERS_RANKED_MAX = 9 };

#define TEXT(member) STRING(OWNER, member, .required = true, .min_length = 1)
#define OWNER struct simulated_answers
static const struct field answers_fields[] = {TEXT(swift), TEXT(scribe), TEXT(sage)};
#undef OWNER
static SCHEMA(answers_schema, struct simulated_answers, "SimulatedAnswers", answers_fields);

#define OWNER struct simulated_topic
static const struct field topic_fields[] = {
    TEXT(prompt), STRINGS(OWNER, words, .required = true, .min_length = 1),
    OBJECT(OWNER, answers, answers_schema, .required = true)};
#undef OWNER
static SCHEMA(topic_schema, struct simulated_topic, "SimulatedTopic", topic_fields);

#define OWNER struct simulated_texts
static const struct field texts_fields[] = {
    TEXT(comparison), OBJECT(OWNER, other, answers_schema, .required = true),
    OBJECTS(OWNER, topics, topic_schema, .required = true, .min_length = 1)};
#undef OWNER
static SCHEMA(texts_schema, struct simulated_texts, "SimulatedTexts", texts_fields);

enum error simulated_texts_read(struct arena *arena, const struct demo_files *files,
                                struct simulated_texts *texts, struct problem *problem)
{
    enum error error = demo_file_read(arena, files, "models.yaml", &texts_schema, texts, problem);

    texts->locale = locale_get(language_find(files->language));
    return error;
}

static const char *say_swift(const struct simulated_answers *answers)
{
    return answers->swift;
}

static const char *say_scribe(const struct simulated_answers *answers)
{
    return answers->scribe;
}

static const char *say_sage(const struct simulated_answers *answers)
{
    return answers->sage;
}

static const struct simulated_model models[] = {
    {"simulated-swift", 180, 22, false, say_swift},
    {"simulated-scribe", 420, 30, false, say_scribe},
    {"simulated-sage", 900, 42, false, say_sage},
    {"simulated-drift", 350, 30, true, say_swift},
};

const struct simulated_model *simulated_find(const char *id)
{
    for (size_t i = 0; i < COUNT_OF(models); i++)
        if (strcmp(models[i].id, id) == 0)
            return &models[i];
    return NULL;
}

int64_t simulated_tokens(const char *text)
{
    int64_t bytes = (int64_t)strlen(text), characters = (int64_t)utf8_count(text);

    /* Some four letters of an alphabet, one and a half of Chinese. */
    return 1 + (bytes > 2 * characters ? characters * 2 / 3 : characters / 4);
}

/* Whether the prompt holds this instruction of the service. */
static bool asks_for(struct arena *arena, const struct simulated_texts *texts, const char *prompt,
                     const char *key)
{
    return strstr(prompt, locale_format(texts->locale, arena, key, NO_TEXT_ARGUMENTS)) != NULL;
}

bool simulated_is_judging(struct arena *arena, const struct simulated_texts *texts,
                          const char *prompt)
{
    return asks_for(arena, texts, prompt, "prompts.rank") ||
           asks_for(arena, texts, prompt, "prompts.compare");
}

/* "1, 2, 3": the numbers of the answers that are in the prompt. */
static const char *ranking(struct arena *arena, const struct simulated_texts *texts,
                           const char *prompt)
{
    const char *order = "1";

    for (int i = 2; i <= ANSWERS_RANKED_MAX; i++) {
        const char *number = arena_print(arena, "%d", i);
        const char *label = locale_format(texts->locale, arena, "prompts.answer_number",
                                          TEXT_ARGUMENTS({"number", number}));

        if (!strstr(prompt, arena_print(arena, "%s>>", label)))
            break;
        order = arena_print(arena, "%s, %s", order, number);
    }
    return order;
}

static const struct simulated_answers *topic_of(struct arena *arena,
                                                const struct simulated_texts *texts,
                                                const char *prompt)
{
    const struct simulated_topic *topics = texts->topics.items;
    const char *folded = text_fold(arena, prompt);

    for (size_t i = 0; i < texts->topics.count; i++)
        for (size_t j = 0; j < topics[i].words.count; j++)
            if (strstr(folded, text_fold(arena, topics[i].words.items[j])))
                return topics[i].answers;
    return texts->other;
}

/* The text with the prompt, or its beginning, in place of {{prompt}}. */
static const char *with_prompt(struct arena *arena, const char *text, const char *prompt)
{
    static const char mark[] = "{{prompt}}";
    const char *at = strstr(text, mark);
    size_t shown = utf8_prefix(prompt, PROMPT_SHOWN);

    if (!at)
        return text;
    return arena_print(arena, "%.*s%.*s%s%s", (int)(at - text), text, (int)shown, prompt,
                       prompt[shown] ? "…" : "", at + strlen(mark));
}

const char *simulated_answer(struct arena *arena, const struct simulated_texts *texts,
                             const struct simulated_model *model, const char *system,
                             const char *prompt)
{
    const char *all = arena_print(arena, "%s\n%s", system ? system : "", prompt);

    if (asks_for(arena, texts, all, "prompts.rank"))
        return ranking(arena, texts, all);
    if (asks_for(arena, texts, all, "prompts.compare"))
        return texts->comparison;
    return with_prompt(arena, model->answer(topic_of(arena, texts, prompt)), prompt);
}

/* Before models without a key, which nobody can ask. Models of the browser stay first. */
static void move_forward(struct arena *arena, struct catalog *catalog, size_t from)
{
    size_t count = catalog->count - from, first = catalog->browser_count;
    struct model *moved = ARENA_ARRAY(arena, struct model, count);

    memcpy(moved, catalog->models + from, count * sizeof *moved);
    memmove(catalog->models + first + count, catalog->models + first,
            (from - first) * sizeof *moved);
    memcpy(catalog->models + first, moved, count * sizeof *moved);
}

enum error simulated_add_models(struct arena *arena, const char *sql_directory, int64_t port,
                                struct catalog *catalog, struct problem *problem)
{
    const char *path = arena_print(arena, "%s/../config/demo/models.json", sql_directory);
    size_t known = catalog->count;
    enum error error = catalog_add_file(arena, path, catalog, problem);

    for (size_t i = known; !error && i < catalog->count; i++)
        catalog_set_access(&catalog->models[i],
                           arena_print(arena, "http://127.0.0.1:%lld/%s/v1", (long long)port,
                                       catalog->models[i].provider),
                           NULL);
    if (!error)
        move_forward(arena, catalog, known);
    return error;
}
