/* Messages that are no questions, in seven languages and some more, and questions that begin like
 * them. */
#include "support/questions/small_talk.h"
#include "test.h"

static struct arena *arena;

static const struct {
    const char *message;
    enum small_talk kind;
    enum text_language language;
} rows[] = {
    {"Hello!", SMALL_TALK_GREETING, TEXT_EN},
    {"Hi there, how are you?", SMALL_TALK_GREETING, TEXT_EN},
    {"Thank you very much :-)", SMALL_TALK_THANKS, TEXT_EN},
    {"Thanks for your help, bye!", SMALL_TALK_FAREWELL, TEXT_EN},
    {"ok, great, thanks", SMALL_TALK_THANKS, TEXT_EN},
    {"Who are you?", SMALL_TALK_IDENTITY, TEXT_EN},
    {"Hello, are you a bot?", SMALL_TALK_IDENTITY, TEXT_EN},
    {"I want a human", SMALL_TALK_PERSON, TEXT_EN},
    {"Can I please talk to a real person?", SMALL_TALK_PERSON, TEXT_EN},
    {"AGENT", SMALL_TALK_PERSON, TEXT_EN},
    {"Guten Tag", SMALL_TALK_GREETING, TEXT_DE},
    {"Grüß Gott!", SMALL_TALK_GREETING, TEXT_DE},
    {"Vielen Dank für die Hilfe", SMALL_TALK_THANKS, TEXT_DE},
    {"Wer sind Sie?", SMALL_TALK_IDENTITY, TEXT_DE},
    {"Ich möchte bitte mit einem Menschen sprechen.", SMALL_TALK_PERSON, TEXT_DE},
    {"Bonjour à tous", SMALL_TALK_GREETING, TEXT_FR},
    {"Merci beaucoup pour votre aide", SMALL_TALK_THANKS, TEXT_FR},
    {"Qui êtes-vous ?", SMALL_TALK_IDENTITY, TEXT_FR},
    {"Je voudrais parler à un conseiller, s'il vous plaît", SMALL_TALK_PERSON, TEXT_FR},
    {"¡Hola! ¿Qué tal?", SMALL_TALK_GREETING, TEXT_ES},
    {"Muchas gracias", SMALL_TALK_THANKS, TEXT_ES},
    {"¿Eres un robot?", SMALL_TALK_IDENTITY, TEXT_ES},
    {"Quiero hablar con una persona", SMALL_TALK_PERSON, TEXT_ES},
    {"Добрый день!", SMALL_TALK_GREETING, TEXT_RU},
    {"Спасибо большое", SMALL_TALK_THANKS, TEXT_RU},
    {"Кто вы?", SMALL_TALK_IDENTITY, TEXT_RU},
    {"Хочу поговорить с оператором", SMALL_TALK_PERSON, TEXT_RU},
    {"Соедините меня с живым человеком, пожалуйста", SMALL_TALK_PERSON, TEXT_RU},
    {"مرحبًا", SMALL_TALK_GREETING, TEXT_AR},
    {"السلام عليكم ورحمة الله", SMALL_TALK_GREETING, TEXT_AR},
    {"شكراً جزيلاً", SMALL_TALK_THANKS, TEXT_AR},
    {"من أنت؟", SMALL_TALK_IDENTITY, TEXT_AR},
    {"أريد التحدث إلى موظف", SMALL_TALK_PERSON, TEXT_AR},
    {"你好！", SMALL_TALK_GREETING, TEXT_ZH},
    {"谢谢你的帮助", SMALL_TALK_THANKS, TEXT_ZH},
    {"你是谁？", SMALL_TALK_IDENTITY, TEXT_ZH},
    {"我要转人工客服", SMALL_TALK_PERSON, TEXT_ZH},
    {"Buongiorno", SMALL_TALK_GREETING, TEXT_IT},
    {"Muito obrigada", SMALL_TALK_THANKS, TEXT_PT},
    {"Добрий день", SMALL_TALK_GREETING, TEXT_UK},
    {"สวัสดีครับ", SMALL_TALK_GREETING, TEXT_TH},
};

static const char *const questions[] = {
    "Hello, how long is the warranty?",
    "Thanks, but what does E20 mean?",
    "Who are the members of the board?",
    "Can a person of 17 open an account?",
    "How many agents are included in plan L?",
    "How do I contact support?",
    "Guten Tag, was kostet der Versand?",
    "Wie viele Menschen arbeiten hier?",
    "Bonjour, combien coûte la livraison ?",
    "¿Cuántas personas caben?",
    "Здравствуйте, сколько длится гарантия?",
    "Сколько человек может участвовать?",
    "Что делать?",
    "مرحبا، ما هي مدة الضمان؟",
    "你好，保修期多长？",
    "你们的人工费是多少？",
    "",
    "?!",
    "Hilfe bei Fehler E20",
};

TEST(messages_are_recognized_as_a_whole)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum text_language language = TEXT_UNKNOWN;
        int before = test_failures_here;

        CHECK_INT(small_talk_of(arena, rows[i].message, &language), rows[i].kind);
        CHECK_INT(language, rows[i].language);
        if (test_failures_here > before)
            printf("... %s\n", rows[i].message);
        arena_reset(arena);
    }
}

TEST(questions_are_no_small_talk)
{
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        enum text_language language;

        CHECK_INT(small_talk_of(arena, questions[i], &language), SMALL_TALK_NONE);
        if (small_talk_of(arena, questions[i], &language))
            printf("... %s\n", questions[i]);
        arena_reset(arena);
    }
}

TEST(courtesy_around_a_question_is_left_out)
{
    static const char *const pairs[][2] = {
        {"Hello, how long is the warranty? Thanks!", "how long is the warranty?"},
        {"Hi there! Thanks for your answer. What does E20 mean", "What does E20 mean"},
        {"Good morning how long is the warranty", "how long is the warranty"},
        {"Guten Tag, was kostet der Versand? Vielen Dank!", "was kostet der Versand?"},
        {"Bonjour, combien coûte la livraison ? Merci", "combien coûte la livraison ?"},
        {"Hola, ¿cuánto cuesta?", "¿cuánto cuesta?"},
        {"Здравствуйте! Сколько длится гарантия? Спасибо.", "Сколько длится гарантия?"},
        {"مرحبا، ما هي مدة الضمان؟ شكرا", "ما هي مدة الضمان؟"},
        {"你好，保修期多长？谢谢", "保修期多长？"},
        {"How long is the warranty?", "How long is the warranty?"},
        {"Hello!", "Hello!"},
        {"Plan S, plan M, thanks", "Plan S, plan M,"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        CHECK_TEXT(small_talk_strip(arena, pairs[i][0]), pairs[i][1]);
    arena_reset(arena);
}

TEST(every_kind_has_a_reply_in_every_language)
{
    for (int kind = SMALL_TALK_GREETING; kind < SMALL_TALK__MAX; kind++) {
        for (int language = 0; language < TEXT_LANGUAGE__MAX; language++)
            CHECK(*small_talk_reply((enum small_talk)kind, (enum text_language)language));
        CHECK(small_talk_reply((enum small_talk)kind, TEXT_JA) ==
              small_talk_reply((enum small_talk)kind, TEXT_EN));
        CHECK(small_talk_reply((enum small_talk)kind, TEXT_DE) !=
              small_talk_reply((enum small_talk)kind, TEXT_EN));
    }
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(messages_are_recognized_as_a_whole),
        CASE(questions_are_no_small_talk),
        CASE(courtesy_around_a_question_is_left_out),
        CASE(every_kind_has_a_reply_in_every_language),
    };

    int failed;

    arena = arena_create(1 << 20);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
