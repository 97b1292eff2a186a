/* Reading the file of fixed questions. */
#include "support/regression/fixed_questions.h"
#include "support/programs/data_files.h"

enum { DEPTH = 8 };

const char fixed_questions_path[] = "evaluation/test_cases.json";

#define OWNER struct fixed_question
static const struct field question_fields[] = {
    STRING(OWNER, question), STRINGS(OWNER, expected_keywords), STRING(OWNER, expected_answer),
    STRING(OWNER, category), STRING(OWNER, grounding_doc, .nullable = true)};
#undef OWNER
SCHEMA(fixed_question_schema, struct fixed_question, "FixedQuestion", question_fields);

/* The case that is being read, for errors. */
struct position {
    const char *path;
    size_t number;
    struct problem *problem;
};

static enum error wrong(const struct position *position, const char *field, const char *what)
{
    return problem_set(position->problem, ERROR_MALFORMED, "cases_malformed",
                       "case %zu of %s: %s must be %s", position->number, position->path, field,
                       what);
}

static enum error read_text(const struct position *position, const json_t *object,
                            const char *field, const char *otherwise, const char **text)
{
    const json_t *value = json_object_get(object, field);

    *text = otherwise;
    if (!value || json_is_null(value))
        return ERROR_NONE;
    if (!json_is_string(value))
        return wrong(position, field, "a text");
    *text = json_string_value(value);
    return ERROR_NONE;
}

static enum error read_keywords(struct arena *arena, const struct position *position,
                                const json_t *object, struct string_list *keywords)
{
    static const char field[] = "expected_keywords";
    const json_t *list = json_object_get(object, field), *item;
    size_t i;

    *keywords =
        (struct string_list){0, ARENA_ARRAY(arena, const char *, json_array_size(list) + 1)};
    if (list && !json_is_array(list))
        return wrong(position, field, "a list of texts");
    json_array_foreach(list, i, item)
    {
        if (!json_is_string(item))
            return wrong(position, field, "a list of texts");
        keywords->items[keywords->count++] = json_string_value(item);
    }
    return ERROR_NONE;
}

static enum error read_case(struct arena *arena, const struct position *position,
                            const json_t *object, struct fixed_question *question)
{
    enum error error = json_is_object(object) ? ERROR_NONE : wrong(position, "it", "an object");

    if (!error)
        error = read_text(position, object, "question", "", &question->question);
    if (!error)
        error = read_text(position, object, "expected_answer", "", &question->expected_answer);
    if (!error)
        error = read_text(position, object, "category", "uncategorized", &question->category);
    if (!error)
        error = read_text(position, object, "grounding_doc", NULL, &question->grounding_doc);
    return error ? error : read_keywords(arena, position, object, &question->expected_keywords);
}

enum error fixed_questions_read(struct arena *arena, const char *path,
                                struct fixed_questions *questions, struct problem *problem)
{
    struct position position = {.path = path, .problem = problem};
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
        position.number = i + 1;
        error = read_case(arena, &position, json_array_get(list, i), &items[i]);
    }
    if (!error)
        *questions = (struct fixed_questions){items, json_array_size(list)};
    return error;
}
