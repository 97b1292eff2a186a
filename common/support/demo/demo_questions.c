/* Twelve questions in six categories. Documents hold the answers to four; a good service refuses
 * the others. */
#include "base/json.h"
#include "support/demo/demo.h"

enum { KEYWORDS_MOST = 4, FILE_MOST = 65536, LEAST_SCORE = 70 };

struct demo_question {
    const char *category, *question;
    const char *keywords[KEYWORDS_MOST]; /* that the answer has to hold; NULL at the end */
    const char *answer;
    const char *document; /* NULL = none of them says */
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

static void write_keywords(struct json_writer *writer, const char *key,
                           const struct demo_question *question)
{
    writer_key(writer, key);
    writer_open_array(writer);
    for (size_t i = 0; i < KEYWORDS_MOST && question->keywords[i]; i++)
        writer_string(writer, question->keywords[i]);
    writer_close_array(writer);
}

const char *demo_questions(struct arena *arena)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, FILE_MOST);
    writer_start(&writer, &text);
    writer.indent = 2;
    writer_open_array(&writer);
    for (size_t i = 0; i < QUESTIONS; i++) {
        writer_open_object(&writer);
        writer_key_string(&writer, "question", questions[i].question);
        write_keywords(&writer, "expected_keywords", &questions[i]);
        writer_key_string(&writer, "expected_answer", questions[i].answer);
        writer_key_string(&writer, "category", questions[i].category);
        writer_key_string(&writer, "grounding_doc", questions[i].document);
        writer_close_object(&writer);
    }
    writer_close_array(&writer);
    text_append_byte(&text, '\n');
    return text.bytes;
}

/* What has no document is to reach a person, with nothing cited. */
static void write_expected(struct json_writer *writer, const struct demo_question *question)
{
    writer_key(writer, "expected");
    writer_open_object(writer);
    write_keywords(writer, "answer_contains", question);
    writer_key_string(writer, "route", question->document ? "auto" : "human");
    if (question->document) {
        writer_key_integer(writer, "min_quality", LEAST_SCORE);
        writer_key_integer(writer, "min_factuality", LEAST_SCORE);
        writer_key_integer(writer, "citations_min_count", 1);
    }
    writer_close_object(writer);
}

const char *demo_curated_cases(struct arena *arena)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, FILE_MOST);
    for (size_t i = 0; i < QUESTIONS; i++) {
        writer_start(&writer, &text);
        writer_open_object(&writer);
        writer_key_string(&writer, "case_id", arena_print(arena, "demo-%zu", i + 1));
        writer_key_string(&writer, "tenant_id", "default");
        writer_key_string(&writer, "query", questions[i].question);
        write_expected(&writer, &questions[i]);
        writer_key_string(&writer, "human_verdict", "good");
        writer_close_object(&writer);
        text_append_byte(&text, '\n');
    }
    return text.bytes;
}
