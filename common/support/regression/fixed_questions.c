/* Reading the file of fixed questions. */
#include "support/regression/fixed_questions.h"
#include "base/json.h"
#include "support/programs/data_files.h"

enum { DEPTH = 8 };

const char fixed_questions_path[] = "evaluation/test_cases.json";

/* Where in the file a case stands, for what is wrong with it. */
struct place {
    const char *path;
    size_t number;
    struct problem *problem;
};

static enum error wrong(const struct place *place, const char *field, const char *what)
{
    return problem_set(place->problem, ERROR_MALFORMED, "cases_malformed",
                       "case %zu of %s: %s must be %s", place->number, place->path, field, what);
}

static enum error read_text(const struct place *place, const json_t *object, const char *field,
                            const char *otherwise, const char **text)
{
    const json_t *value = json_object_get(object, field);

    *text = otherwise;
    if (!value || json_is_null(value))
        return ERROR_NONE;
    if (!json_is_string(value))
        return wrong(place, field, "a text");
    *text = json_string_value(value);
    return ERROR_NONE;
}

static enum error read_keywords(struct arena *arena, const struct place *place,
                                const json_t *object, struct string_list *keywords)
{
    static const char field[] = "expected_keywords";
    const json_t *list = json_object_get(object, field), *item;
    size_t i;

    *keywords =
        (struct string_list){0, ARENA_ARRAY(arena, const char *, json_array_size(list) + 1)};
    if (list && !json_is_array(list))
        return wrong(place, field, "a list of texts");
    json_array_foreach(list, i, item)
    {
        if (!json_is_string(item))
            return wrong(place, field, "a list of texts");
        keywords->items[keywords->count++] = json_string_value(item);
    }
    return ERROR_NONE;
}

static enum error read_case(struct arena *arena, const struct place *place, const json_t *object,
                            struct fixed_question *question)
{
    enum error error = json_is_object(object) ? ERROR_NONE : wrong(place, "it", "an object");

    if (!error)
        error = read_text(place, object, "question", "", &question->question);
    if (!error)
        error = read_text(place, object, "expected_answer", "", &question->expected_answer);
    if (!error)
        error = read_text(place, object, "category", "uncategorized", &question->category);
    if (!error)
        error = read_text(place, object, "grounding_doc", NULL, &question->document);
    return error ? error : read_keywords(arena, place, object, &question->keywords);
}

enum error fixed_questions_read(struct arena *arena, const char *path,
                                struct fixed_questions *questions, struct problem *problem)
{
    struct place place = {.path = path, .problem = problem};
    struct fixed_question *items;
    struct json_fault fault;
    json_t *list = NULL;
    size_t length = 0;
    char *bytes;
    enum error error = data_file_read(arena, path, &bytes, &length, problem);

    *questions = (struct fixed_questions){NULL, 0};
    if (error)
        return error;
    if (json_read(arena, bytes, length, DEPTH, &list, &fault) || !json_is_array(list))
        return problem_set(problem, ERROR_MALFORMED, "cases_malformed", "%s is no JSON list", path);
    items = ARENA_ARRAY(arena, struct fixed_question, json_array_size(list) + 1);
    for (size_t i = 0; i < json_array_size(list) && !error; i++) {
        place.number = i + 1;
        error = read_case(arena, &place, json_array_get(list, i), &items[i]);
    }
    if (!error)
        *questions = (struct fixed_questions){items, json_array_size(list)};
    return error;
}
