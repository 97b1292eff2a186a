/* Twelve questions in six categories. The documents answer four of them; a good service refuses the
 * others. */
#include "support/demo/demo.h"
#include "support/regression/fixed_questions.h"

enum { KEYWORDS_MOST = 4, FILE_MOST = 65536, LEAST_SCORE = 70 };

struct demo_question {
    const char *category, *question;
    const char
        *keywords[KEYWORDS_MOST]; /* keywords that the answer must contain; NULL ends the list */
    const char *answer;
    const char *document; /* NULL = no document contains the answer */
};

static const char warranty[] = "warranty.md", errors[] = "error_codes.md";

static const struct demo_question questions[] = {
    {"error_codes",
     "Что означает ошибка E401?",
     {"E401", "обратитесь"},
     "В документах нет кода E401; обратитесь в службу поддержки.",
     NULL},
    {"error_codes",
     "Почему появляется код 503?",
     {"503", "обратитесь"},
     "В документах нет кода 503; обратитесь в службу поддержки.",
     NULL},
    {"error_codes",
     "Как исправить E20?",
     {"E20", "фильтр", "шланг", "насос"},
     "E20 — вода не сливается. Проверьте сливной фильтр, сливной шланг и сливной насос.",
     errors},
    {"reset_password",
     "Как сбросить пароль?",
     {"обратитесь"},
     "В документах нет ответа про пароль; обратитесь в службу поддержки.",
     NULL},
    {"reset_password",
     "Как восстановить доступ к аккаунту?",
     {"обратитесь"},
     "В документах нет ответа про аккаунт; обратитесь в службу поддержки.",
     NULL},
    {"warranty",
     "Какой срок гарантии на устройство?",
     {"срок", "12 месяцев", "покупки"},
     "Гарантийный срок на устройство — 12 месяцев со дня покупки.",
     warranty},
    {"warranty",
     "Сохранится ли гарантия, если вскрыли корпус?",
     {"гарантия сохраняется", "корпус"},
     "Гарантия сохраняется, если корпус не вскрывали.",
     warranty},
    {"installation",
     "Как установить приложение?",
     {"обратитесь"},
     "В документах нет ответа про приложение; обратитесь в службу поддержки.",
     NULL},
    {"installation",
     "Как установить программу на Windows?",
     {"обратитесь"},
     "В документах нет ответа про установку на Windows; обратитесь в службу поддержки.",
     NULL},
    {"billing",
     "Как отменить подписку?",
     {"обратитесь"},
     "В документах нет ответа про подписку; обратитесь в службу поддержки.",
     NULL},
    {"billing",
     "Как изменить способ оплаты?",
     {"обратитесь"},
     "В документах нет ответа про способ оплаты; обратитесь в службу поддержки.",
     NULL},
    {"general",
     "Как обратиться в службу поддержки?",
     {"службу поддержки"},
     "Обратитесь в сервисный центр или в службу поддержки.",
     warranty},
};
enum { QUESTIONS = sizeof questions / sizeof questions[0] };

static struct string_list keywords_of(const struct demo_question *question)
{
    struct string_list keywords = {0, (const char **)question->keywords};

    while (keywords.count < KEYWORDS_MOST && question->keywords[keywords.count])
        keywords.count++;
    return keywords;
}

const char *demo_questions(struct arena *arena)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, FILE_MOST);
    writer_start(&writer, &text);
    writer.indent = 2;
    writer_open_array(&writer);
    for (size_t i = 0; i < QUESTIONS; i++)
        schema_write(&writer, &fixed_question_schema,
                     &(struct fixed_question){.question = questions[i].question,
                                              .expected_answer = questions[i].answer,
                                              .category = questions[i].category,
                                              .grounding_doc = questions[i].document,
                                              .expected_keywords = keywords_of(&questions[i])});
    writer_close_array(&writer);
    text_append_byte(&text, '\n');
    return text.bytes;
}

struct demo_expected {
    struct string_list answer_contains;
    const char *route;
    struct optional_integer min_quality, min_factuality, citations_min_count;
};

#define OWNER struct demo_expected
static const struct field expected_fields[] = {
    STRINGS(OWNER, answer_contains), STRING(OWNER, route),
    NULLABLE_INTEGER(OWNER, min_quality, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, min_factuality, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, citations_min_count, .omit_if_null = true)};
#undef OWNER
static SCHEMA(expected_schema, struct demo_expected, "DemoExpected", expected_fields);

struct demo_case {
    const char *case_id, *tenant_id, *query;
    const struct demo_expected *expected;
    const char *human_verdict;
};

#define OWNER struct demo_case
static const struct field case_fields[] = {
    STRING(OWNER, case_id), STRING(OWNER, tenant_id), STRING(OWNER, query),
    OBJECT(OWNER, expected, expected_schema), STRING(OWNER, human_verdict)};
#undef OWNER
static SCHEMA(case_schema, struct demo_case, "DemoCase", case_fields);

/* A question without a document must go to a human, without citations. */
static struct demo_expected expected_of(const struct demo_question *question)
{
    if (!question->document)
        return (struct demo_expected){.answer_contains = keywords_of(question), .route = "human"};
    return (struct demo_expected){.answer_contains = keywords_of(question),
                                  .route = "auto",
                                  .min_quality = GIVEN_INTEGER(LEAST_SCORE),
                                  .min_factuality = GIVEN_INTEGER(LEAST_SCORE),
                                  .citations_min_count = GIVEN_INTEGER(1)};
}

const char *demo_curated_cases(struct arena *arena)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, FILE_MOST);
    for (size_t i = 0; i < QUESTIONS; i++) {
        const struct demo_expected expected = expected_of(&questions[i]);
        const struct demo_case item = {.case_id = arena_print(arena, "demo-%zu", i + 1),
                                       .tenant_id = "default",
                                       .query = questions[i].question,
                                       .expected = &expected,
                                       .human_verdict = "good"};

        writer_start(&writer, &text);
        schema_write(&writer, &case_schema, &item);
        text_append_byte(&text, '\n');
    }
    return text.bytes;
}
