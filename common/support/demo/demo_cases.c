/* The cases as files of the evaluation programs. */
#include "support/demo/demo.h"

#include "support/curated/curated.h"
#include "support/programs/data_files.h"
#include "support/regression/fixed_questions.h"

#include <string.h>

enum { FILE_MOST = 65536, LEAST_SCORE = 70 };

static const char *questions(struct arena *arena, const struct demo_support *demo)
{
    const struct demo_case *cases = demo->cases.items;
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, FILE_MOST);
    writer_start(&writer, &text);
    writer.indent = 2;
    writer_open_array(&writer);
    for (size_t i = 0; i < demo->cases.count; i++)
        schema_write(&writer, &fixed_question_schema,
                     &(struct fixed_question){.question = cases[i].question,
                                              .expected_answer = cases[i].answer,
                                              .category = cases[i].category,
                                              .grounding_doc = cases[i].document,
                                              .expected_keywords = cases[i].keywords});
    writer_close_array(&writer);
    text_append_byte(&text, '\n');
    return text.bytes;
}

struct expected {
    struct string_list answer_contains;
    const char *route;
    struct optional_integer min_quality, min_factuality, citations_min_count;
};

#define OWNER struct expected
static const struct field expected_fields[] = {
    STRINGS(OWNER, answer_contains), STRING(OWNER, route),
    NULLABLE_INTEGER(OWNER, min_quality, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, min_factuality, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, citations_min_count, .omit_if_null = true)};
#undef OWNER
static SCHEMA(expected_schema, struct expected, "DemoExpected", expected_fields);

struct case_line {
    const char *case_id, *tenant_id, *query;
    const struct expected *expected;
    const char *human_verdict;
};

#define OWNER struct case_line
static const struct field case_fields[] = {
    STRING(OWNER, case_id), STRING(OWNER, tenant_id), STRING(OWNER, query),
    OBJECT(OWNER, expected, expected_schema), STRING(OWNER, human_verdict)};
#undef OWNER
static SCHEMA(case_schema, struct case_line, "DemoCase", case_fields);

/* A question without a document must go to a human, without citations. */
static struct expected expected_of(const struct demo_case *item)
{
    if (!item->document)
        return (struct expected){.answer_contains = item->keywords, .route = "human"};
    return (struct expected){.answer_contains = item->keywords,
                             .route = "auto",
                             .min_quality = GIVEN_INTEGER(LEAST_SCORE),
                             .min_factuality = GIVEN_INTEGER(LEAST_SCORE),
                             .citations_min_count = GIVEN_INTEGER(1)};
}

static const char *curated_cases(struct arena *arena, const struct demo_support *demo)
{
    const struct demo_case *cases = demo->cases.items;
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, FILE_MOST);
    for (size_t i = 0; i < demo->cases.count; i++) {
        const struct expected expected = expected_of(&cases[i]);
        const struct case_line item = {.case_id = arena_print(arena, "demo-%zu", i + 1),
                                       .tenant_id = "default",
                                       .query = cases[i].question,
                                       .expected = &expected,
                                       .human_verdict = "good"};

        writer_start(&writer, &text);
        schema_write(&writer, &case_schema, &item);
        text_append_byte(&text, '\n');
    }
    return text.bytes;
}

/* A file below DATA_DIR. */
static enum error put(const struct demo_call *call, const char *path, const char *bytes,
                      bool overwrite)
{
    struct arena *arena = call->documents->arena;

    path = data_file_path(arena, call->settings, path);
    if (data_file_exists(path) && !overwrite)
        return ERROR_NONE;
    return data_file_write(arena, path, bytes, strlen(bytes), call->documents->problem);
}

enum error demo_add_cases(const struct demo_call *call, const struct demo_support *demo,
                          bool overwrite)
{
    struct arena *arena = call->documents->arena;
    enum error error = put(call, fixed_questions_path, questions(arena, demo), overwrite);

    return error ? error : put(call, curated_default_path, curated_cases(arena, demo), false);
}
