/* The embedded answerer on the two knowledge bases of the golden table: which passages answer, what
 * is refused, what goes out without a person. */
#include "answer_base.h"
#include "test.h"

#include <math.h>

enum { LEAST_AUTO = 80 };

static const struct file files_r[] = {
    {"error_codes.md",
     "# Коды ошибок\n\nE10 — мало воды. Проверьте давление и подключение к водопроводу.\n\n"
     "E20 — вода не сливается. Возможные причины:\n- засорён сливной фильтр;\n- перегнут сливной "
     "шланг;\n- неисправен сливной насос.\n\nE25 — сбой памяти. Перезагрузите устройство, затем "
     "при "
     "необходимости сбросьте его к заводским настройкам.\n\nE30 — критическая ошибка системы. "
     "Отключите устройство от сети и обратитесь в сервисный центр.\n"},
    {"returns_policy.md",
     "# Возврат товара\n\nВернуть исправный товар можно в течение 14 дней с даты покупки.\n\nДля "
     "возврата нужны:\n- чек или другой документ о покупке;\n- целая упаковка и товарный вид;\n- "
     "отсутствие следов эксплуатации.\n\nДеньги возвращаются на ту же карту или счёт в течение 10 "
     "рабочих дней после приёмки товара.\n\nБез чека возврат не оформляется.\n"},
    {"warranty.md",
     "# Гарантия\n\nГарантийный срок на устройство — 12 месяцев со дня покупки.\n\nГарантия "
     "сохраняется, если:\n- устройство эксплуатировали по инструкции;\n- у покупателя есть чек;\n- "
     "корпус не вскрывали.\n\nГарантия не покрывает:\n- механические повреждения;\n- попадание "
     "жидкости внутрь;\n- самостоятельный ремонт.\n\nЧтобы обратиться по гарантии:\n1. Возьмите "
     "устройство и чек.\n2. Обратитесь в сервисный центр или в службу поддержки.\n3. Опишите "
     "неисправность в форме обращения.\n"},
};
static const struct file files_e[] = {
    {"account.md",
     "# Account access\n\n## Password reset\n\nOpen the sign-in page and choose Forgot password. A "
     "reset link is sent to your email and stays valid for 30 minutes.\n\n## Two-factor "
     "authentication\n\nYou can turn on two-factor authentication in Settings, Security.\n"},
    {"billing.md",
     "# Billing\n\nInvoices are issued on the first day of each month.\n\nTo cancel a "
     "subscription open Settings, Billing and choose Cancel plan. Refunds are paid "
     "within 5 business days.\n"},
    {"installation.md",
     "# Installation\n\nDownload the installer from the downloads page.\n\nOn Windows run the .exe "
     "file as administrator and restart the computer. Supported versions: Windows 10 and 11.\n"},
};

static const struct file files_copied[] = {
    {"first.md", "# Warranty\n\nThe warranty covers every device for twelve months.\n"},
    {"second.md", "# Warranty\n\nThe warranty covers every device for twelve months.\n"},
    {"other.md", "# Devices\n\nDevices are cleaned with a dry cloth.\n"},
};

/* How the units of the table begin. */
static const char *const units_r[] = {"",
                                      "Гарантийный срок",
                                      "Гарантия сохраняется",
                                      "Гарантия не покрывает",
                                      "Чтобы",
                                      "Вернуть",
                                      "Для возврата",
                                      "Деньги",
                                      "Без чека",
                                      "E10",
                                      "E20",
                                      "E25",
                                      "E30"};
static const char *const units_e[] = {
    "", "Open the sign-in", "You can turn on", "Invoices", "To cancel", "Download", "On Windows"};

static struct base base_r = {.files = files_r, .file_count = 3, .units = units_r},
                   base_e = {.files = files_e, .file_count = 3, .units = units_e},
                   base_copied = {.files = files_copied, .file_count = 3},
                   meant_r = {.files = files_r, .file_count = 3, .units = units_r, .meant = true},
                   meant_e = {.files = files_e, .file_count = 3, .units = units_e, .meant = true};

static struct arena *arena, *kept;
static struct synonyms synonyms;

static void ask(struct base *base, const char *text, const char *before, struct asked *asked)
{
    base_ask(base, arena, &synonyms, text, before, 0.45, asked);
}

static const struct golden {
    struct base *base;
    const char *question;
    int units[2]; /* 0 = none; no unit at all is a refusal */
    bool automatic;
    const char *code; /* that the refusal names */
} goldens[] = {
    {&base_r, "Сколько длится гарантия?", {1, 0}, true, NULL},
    {&base_r, "Какой срок гарантии на устройство?", {1, 0}, true, NULL},
    {&base_r, "Что нужно, чтобы обратиться по гарантии?", {4, 0}, true, NULL},
    {&base_r, "Сохранится ли гарантия, если вскрыли корпус?", {2, 0}, true, NULL},
    {&base_r, "Попадание жидкости покрывается гарантией?", {3, 0}, true, NULL},
    {&base_r, "В течение какого времени можно вернуть товар?", {5, 0}, true, NULL},
    {&base_r, "Можно ли вернуть товар без чека?", {8, 5}, true, NULL},
    {&base_r, "Через сколько дней вернут деньги?", {7, 0}, true, NULL},
    {&base_r, "На какую карту вернут деньги?", {7, 0}, true, NULL},
    {&base_r, "Что означает ошибка E20?", {10, 0}, true, NULL},
    {&base_r, "Как исправить E20?", {10, 0}, true, NULL},
    {&base_r, "Как устранить ошибку E25?", {11, 0}, true, NULL},
    {&base_r, "Что делать при E30?", {12, 0}, true, NULL},
    {&base_r, "Что означает ошибка E401?", {0, 0}, false, "e401"},
    {&base_r, "Почему появляется код 503?", {0, 0}, false, "503"},
    {&base_r, "Как сбросить пароль?", {0, 0}, false, NULL},
    {&base_r, "Как настроить Wi-Fi на устройстве?", {0, 0}, false, NULL},
    {&base_r, "Сколько стоит этот товар?", {0, 0}, false, NULL},
    {&base_r, "Куда обратиться по гарантии, если чек потерян?", {4, 0}, false, NULL},
    {&base_r, "How long is the warranty?", {1, 0}, true, NULL},
    {&base_r, "What does error E20 mean?", {10, 0}, true, NULL},
    {&base_r, "Что делать?", {0, 0}, false, NULL},
    {&base_e, "How do I reset my password?", {1, 0}, true, NULL},
    {&base_e, "How long is the reset link valid?", {1, 0}, true, NULL},
    {&base_e, "How can I cancel my subscription?", {4, 0}, true, NULL},
    {&base_e, "How do I install it on Windows?", {6, 5}, true, NULL},
    {&base_e, "How long do refunds take?", {4, 0}, true, NULL},
    {&base_e, "How do I enable two-factor authentication?", {2, 0}, true, NULL},
    {&base_e, "What is the warranty period?", {0, 0}, false, NULL},
    {&base_e, "Can I pay with PayPal?", {0, 0}, false, NULL},
};

static void check_answer(const struct golden *golden, const struct asked *asked)
{
    const struct answer *answer = &asked->answer;
    size_t wanted = golden->units[1] ? 2 : 1;
    struct citation_coverage coverage = citation_coverage_of(answer->text);

    CHECK(!answer->refused);
    CHECK_INT(answer->selection.count, wanted);
    for (size_t i = 0; i < wanted && i < answer->selection.count; i++) {
        const char *begins = golden->base->units[golden->units[i]];

        CHECK(strncmp(answer->selection.items[i].passage->passage->text, begins, strlen(begins)) ==
              0);
    }
    CHECK_INT(answer->quality >= LEAST_AUTO, golden->automatic);
    CHECK_INT(coverage.cited, coverage.sentences);
    CHECK_INT(answer->cited_count, 1);
    CHECK(!answer_is_refusal(arena, answer->text));
    CHECK_TEXT(base_broken_promise(arena, answer) ? base_broken_promise(arena, answer) : "", "");
}

static struct base *base_with_vectors(const struct base *base)
{
    return base == &base_r ? &meant_r : &meant_e;
}

static void check_goldens(bool meant)
{
    for (size_t i = 0; i < sizeof goldens / sizeof goldens[0]; i++) {
        const struct golden *golden = &goldens[i];
        struct asked asked;
        int before = test_failures_here;

        ask(meant ? base_with_vectors(golden->base) : golden->base, golden->question, NULL, &asked);
        if (golden->units[0]) {
            check_answer(golden, &asked);
        } else {
            CHECK(asked.answer.refused);
            CHECK(asked.answer.quality >= 1 && asked.answer.quality <= 40);
            CHECK_INT(asked.answer.document_count, 0);
            CHECK(answer_is_refusal(arena, asked.answer.text));
            CHECK(!golden->code || strstr(asked.answer.text, golden->code));
        }
        if (test_failures_here > before)
            printf("... asking: %s (evidence %.3f)\n", golden->question,
                   asked.answer.evidence.value);
        arena_reset(arena);
    }
}

TEST(golden_table)
{
    check_goldens(false);
}

TEST(golden_table_by_meaning)
{
    check_goldens(true);
}

TEST(what_leaves_much_of_the_question_is_looked_at_whatever_its_evidence)
{
    struct asked asked;

    ask(&base_r, "Куда обратиться по гарантии, если чек потерян?", NULL, &asked);
    CHECK(asked.answer.evidence.value > 0.6 && asked.answer.evidence.sure < 0.58);
    CHECK(asked.answer.quality < LEAST_AUTO);
    arena_reset(arena);
}

TEST(four_grams_have_a_margin_of_their_own_where_a_question_has_any)
{
    struct asked asked;

    ask(&base_r, "E20?", NULL, &asked); /* found exactly or not at all */
    CHECK(asked.answer.evidence.margin > 0);
    CHECK_NEAR(asked.answer.evidence.grams, asked.answer.evidence.margin, 0);
    ask(&base_r, "Какой срок гарантии на устройство?", NULL, &asked);
    CHECK(asked.answer.evidence.grams > 0 && asked.answer.evidence.grams <= 1);
    CHECK(fabs(asked.answer.evidence.grams - asked.answer.evidence.margin) > 1e-3);
    arena_reset(arena);
}

TEST(a_copy_of_the_best_chunk_is_no_rival_to_it)
{
    struct asked asked;

    ask(&base_copied, "How long does the warranty cover devices?", NULL, &asked);
    CHECK(asked.answer.evidence.margin > 0.5);
    CHECK(asked.answer.evidence.grams > 0.5);
    arena_reset(arena);
}

/* Here the search puts a chunk first that reads worse. */
TEST(evidence_says_whether_search_and_reading_agree)
{
    struct asked asked;
    struct found_chunk both[2];

    ask(&base_r, "Какой срок гарантии на устройство?", NULL, &asked);
    CHECK_NEAR(asked.answer.evidence.agreement, 1, 0);
    CHECK(asked.count > 1);
    both[0] = asked.found[1];
    both[1] = asked.found[0];
    both[0].lexical = 8;
    both[1].lexical = 2;
    CHECK_NEAR(evidence_weigh(&asked.question, base_r.index, arena, both, 2).agreement, 0.25, 0);
    arena_reset(arena);
}

TEST(markers_stand_before_the_end_of_each_sentence)
{
    struct asked asked;

    ask(&base_r, "Что означает ошибка E20?", NULL, &asked);
    CHECK_TEXT(asked.answer.text,
               "E20 — вода не сливается [1]. Возможные причины:\n- засорён сливной фильтр;\n- "
               "перегнут сливной шланг;\n- неисправен сливной насос [1].");
    arena_reset(arena);
}

TEST(the_same_question_gives_the_same_answer)
{
    struct asked first, second;

    ask(&base_r, "Можно ли вернуть товар без чека?", NULL, &first);
    ask(&base_r, "Можно ли вернуть товар без чека?", NULL, &second);
    CHECK_TEXT(second.answer.text, first.answer.text);
    CHECK(first.answer.evidence.value == second.answer.evidence.value);
    arena_reset(arena);
}

TEST(a_question_that_says_little_takes_over_the_one_before)
{
    struct asked asked;

    ask(&base_r, "А без чека?", "Можно ли вернуть товар?", &asked);
    CHECK(strstr(asked.answer.text, "Без чека возврат не оформляется") != NULL);
    arena_reset(arena);
}

/* Section 11 of what the answers are judged by: cases of coverage. */
TEST(citation_coverage)
{
    static const struct {
        const char *text;
        int sentences, cited;
    } rows[] = {
        {"First claim [1]. Second without. Third too [2].", 3, 2},
        {"", 0, 0},
        {"1. Take the receipt [1]. 2. Call support [1].", 2, 2},
        {"在14天内退货[1]。之后不行。", 2, 1},
        {"Call until 2 p.m. and wait [1]. Städte, z.B. Berlin [2].", 2, 2},
        {"One part [1]\n\nAnother", 2, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct citation_coverage coverage = citation_coverage_of(rows[i].text);

        CHECK_INT(coverage.sentences, rows[i].sentences);
        CHECK_INT(coverage.cited, rows[i].cited);
    }
    CHECK_TEXT(citation_drop_orphans(arena, "One [1]. Two [7]. Three [0][2].", 2),
               "One [1]. Two. Three[2].");
    CHECK_TEXT(citation_strip(arena, "One [1]. Two [12]."), "One. Two.");
    CHECK_TEXT(citation_escape(arena, "Costs[7] of a [b] [ 1] []."), "Costs(7) of a [b] [ 1] [].");
    arena_reset(arena);
}

TEST(markers_stand_at_the_ends_of_whole_sentences)
{
    static const char *const rows[][2] = {
        {"Call until 2 p.m. and pay the costs.", "Call until 2 p.m. and pay the costs [1]."},
        {"Dr. Smith paid. He left!", "Dr. Smith paid [1]. He left [1]!"},
        {"Städte, z.B. Berlin.", "Städte, z.B. Berlin [1]."},
        {"退货须在七天内申请。之后不行", "退货须在七天内申请 [1]。之后不行 [1]"},
        {"वारंटी चौबीस महीने है। फिर नहीं।", "वारंटी चौबीस महीने है [1]। फिर नहीं [1]।"},
        {"هل تعمل؟ نعم.", "هل تعمل [1]؟ نعم [1]."},
        {"1. Take it. 2. Go", "1. Take it [1]. 2. Go [1]"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(citation_mark(arena, rows[i][0], strlen(rows[i][0]), 1), rows[i][1]);
    arena_reset(arena);
}

TEST(wrapped_lines_are_quoted_whole)
{
    static const struct file files[] = {
        {"保修.txt", "产品保\n修期为二十四\n个月。\n"},
        {"kosten.txt", "Die Verwaltungs-\nkosten betragen fünf Euro im\nMonat für jedes Konto.\n"},
    };
    struct base base = {.files = files, .file_count = 2};
    struct asked asked;

    base_make(&base, arena);
    ask(&base, "产品保修期", NULL, &asked);
    CHECK_TEXT(asked.answer.text, "产品保修期为二十四个月 [1]。");
    CHECK_TEXT(asked.answer.excerpts[0], "产品保\n修期为二十四\n个月。");
    ask(&base, "Wie viel Euro betragen die Verwaltungskosten im Monat für ein Konto?", NULL,
        &asked);
    CHECK_TEXT(asked.answer.text,
               "Die Verwaltungskosten betragen fünf Euro im Monat für jedes Konto [1].");
    base_drop(&base);
    arena_reset(arena);
}

TEST(brackets_of_a_document_are_no_citations)
{
    static const struct file file = {
        "costs.md", "# Costs\n\nDelivery costs 4.90 EUR [7] or the hotline [1] may help.\n"};
    struct base base = {.files = &file, .file_count = 1};
    struct asked asked;

    base_make(&base, arena);
    ask(&base, "How much are delivery costs?", NULL, &asked);
    CHECK_TEXT(asked.answer.text, "Delivery costs 4.90 EUR (7) or the hotline (1) may help [1].");
    base_drop(&base);
    arena_reset(arena);
}

TEST(chunks_stand_under_their_headings)
{
    static const struct chunk_options options = {800, 200, true};
    const char *text = "# T\nintro\n## A\nta\n## B\ntb";
    struct chunk_list list = {0};

    chunk_text(arena, text, strlen(text), 0, &options, &list);
    CHECK_INT(list.count, 3);
    for (size_t i = 0; i < list.count; i++)
        CHECK_TEXT(list.items[i].headings[0], "T");
    CHECK_TEXT(list.items[2].headings[1], "B");
    CHECK_TEXT(chunk_header(arena, "a.md", &list.items[2]), "a.md › T › B");
    arena_reset(arena);
}

TEST(every_chunk_of_a_table_has_its_head)
{
    static const struct chunk_options options = {200, 40, true};
    struct chunk_list list = {0};
    struct text text;

    text_start(&text, arena, 1 << 20);
    text_append_string(&text, "# Prices\n\nAll in euros.\n\n| Plan | Month |\n|---|---:|\n");
    for (int i = 0; i < 60; i++)
        text_append_format(&text, "| Plan %d | %d.50 |\n", i, i);
    text_append_string(&text, "\nAfter the table.\n\n| Other | Head |\n|---|---|\n| a | b |\n");
    chunk_text(arena, text.bytes, text.length, 0, &options, &list);
    CHECK(list.count > 5);
    for (size_t i = 1; i < list.count; i++) {
        const char *body = list.items[i].body, *row = strstr(body, "| Plan ");
        const char *head = strstr(body, "| Plan | Month |\n|---|---:|\n| Plan ");

        CHECK(!row || (head && head <= row));
        CHECK(!head || !strstr(head + 1, "| Plan | Month")); /* once */
        CHECK_INT(strlen(body), list.items[i].length);
    }
    CHECK(strstr(list.items[list.count - 1].body, "| Other | Head |\n|---|---|\n| a | b |"));
    CHECK(!strstr(list.items[0].body, "|---|---:|\n| Plan | Month |"));
    arena_reset(arena);
}

TEST(long_texts_are_cut_with_overlap)
{
    static const struct chunk_options options = {80, 20, true};
    struct chunk_list list = {0};
    char text[1000];
    size_t used = 0;

    for (int i = 0; i < 60; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "wort%02d ", i);
    chunk_text(arena, text, used, 0, &options, &list);
    CHECK(list.count > 5);
    for (size_t i = 0; i < list.count; i++) {
        CHECK(list.items[i].length <= 80);
        CHECK(strncmp(list.items[i].body, "wort", 4) == 0); /* no word is cut */
        if (i)
            CHECK(strstr(list.items[i - 1].body, arena_copy(arena, list.items[i].body, 6)) != NULL);
    }
    arena_reset(arena);
}

/* A word of a few letters, so that many pairs of them are alike. */
static struct word made_up_word(uint32_t *draw)
{
    struct word_reader reader;
    struct word word = {.length = 0};
    char text[20];
    size_t length;

    *draw = *draw * 1664525 + 1013904223;
    length = 4 + *draw / 65536 % 15;
    for (size_t i = 0; i < length; i++) {
        *draw = *draw * 1664525 + 1013904223;
        text[i] = (char)('a' + *draw / 65536 % 3);
    }
    word_reader_start(&reader, text, length);
    CHECK(word_next(&reader, &word));
    return word;
}

static double dice(const struct shape *a, const struct shape *b)
{
    size_t same = 0;

    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            same += a->ngrams[i] == b->ngrams[j];
    return 2.0 * (double)same / (double)(a->count + b->count);
}

TEST(likeness_is_dices_coefficient_from_a_half_on)
{
    uint32_t draw = 7;
    int alike = 0;

    for (int i = 0; i < 20000; i++) {
        struct word first = made_up_word(&draw), second = made_up_word(&draw);
        struct shape a, b;
        double wanted;

        shape_of(&first, &a);
        shape_of(&second, &b);
        wanted = dice(&a, &b);
        alike += wanted >= 0.5;
        CHECK(shape_likeness(&a, &b) == (wanted >= 0.5 ? wanted : 0));
    }
    CHECK(alike > 2000 && alike < 18000);
}

static struct ngram_matches wording_of_text(const struct ngram_set *wording, const char *text)
{
    struct ngram_matches held = {{0}};
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, text, strlen(text));
    while (word_next(&reader, &word)) {
        struct ngram_matches more = ngram_matches_of(wording, &word);

        ngram_matches_join(&held, &more);
    }
    return held;
}

/* Of ^abcd$ half of the pieces are ^abce$'s, too: those that both texts hold weigh log(1.2), the
 * others log(2). */
TEST(wording_counts_pieces_by_how_rare_they_are)
{
    struct ngram_set *wording = ARENA_NEW(arena, struct ngram_set);
    struct word_reader reader;
    struct word word;
    struct ngram_matches texts[2];

    word_reader_start(&reader, "abcd", 4);
    CHECK(word_next(&reader, &word));
    ngram_set_add(wording, &word);
    ngram_set_add(wording, &word);
    CHECK_INT(wording->count, 8);
    texts[0] = wording_of_text(wording, "xyz abce");
    texts[1] = wording_of_text(wording, "abcd");
    CHECK_NEAR(ngram_overlap(wording, &texts[0], texts, 2), log(1.2) / (log(1.2) + log(2)), 1e-12);
    CHECK_NEAR(ngram_overlap(wording, &texts[1], texts, 2), 1, 1e-12);

    *wording = (struct ngram_set){.count = 0};
    word_reader_start(&reader, "退货", strlen("退货"));
    while (word_next(&reader, &word))
        ngram_set_add(wording, &word);
    texts[0] = wording_of_text(wording, "货物");
    CHECK_NEAR(ngram_overlap(wording, &texts[0], NULL, 0), 0.5, 1e-12);
    arena_reset(arena);
}

TEST(a_long_text_has_no_more_wording_than_there_is_room_for)
{
    struct ngram_set *wording = ARENA_NEW(arena, struct ngram_set);

    for (int i = 0; i < 26 * 26 * 26; i++) {
        struct word word = {.length = 3, .letters = true};

        word.text[0] = (char)('a' + i / 676);
        word.text[1] = (char)('a' + i / 26 % 26);
        word.text[2] = (char)('a' + i % 26);
        ngram_set_add(wording, &word);
    }
    CHECK_INT(wording->count, NGRAM_SET_MAX);
    wording_of_text(wording, "nothing of this is there: 12345");
    arena_reset(arena);
}

TEST(durations_are_known_in_every_way_they_are_written)
{
    static const char *const durations[] = {
        "за 14 дней", "within 30 Days", "binnen 2 Wochen", "3 Años",
        "12 mois",    "خلال 3 أيام",    "سنة 1 ساعة",      "保修期为24 个月",
    };
    static const char *const others[] = {"for days", "30 metres", "14", "أيام"};
    static const char *const questions[] = {"Сколько действует гарантия?", "WHEN does it end?",
                                            "Wie lange dauert das?", "متى تنتهي؟", "多久能到？"};

    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++)
        CHECK(text_has_duration(durations[i], strlen(durations[i])));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        CHECK(!text_has_duration(others[i], strlen(others[i])));
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        struct question question;

        question_read(&question, arena, questions[i], NULL, &synonyms);
        CHECK(question.asks_duration);
    }
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(golden_table),
        CASE(golden_table_by_meaning),
        CASE(what_leaves_much_of_the_question_is_looked_at_whatever_its_evidence),
        CASE(four_grams_have_a_margin_of_their_own_where_a_question_has_any),
        CASE(a_copy_of_the_best_chunk_is_no_rival_to_it),
        CASE(evidence_says_whether_search_and_reading_agree),
        CASE(markers_stand_before_the_end_of_each_sentence),
        CASE(the_same_question_gives_the_same_answer),
        CASE(a_question_that_says_little_takes_over_the_one_before),
        CASE(citation_coverage),
        CASE(brackets_of_a_document_are_no_citations),
        CASE(markers_stand_at_the_ends_of_whole_sentences),
        CASE(wrapped_lines_are_quoted_whole),
        CASE(chunks_stand_under_their_headings),
        CASE(every_chunk_of_a_table_has_its_head),
        CASE(long_texts_are_cut_with_overlap),
        CASE(durations_are_known_in_every_way_they_are_written),
        CASE(likeness_is_dices_coefficient_from_a_half_on),
        CASE(wording_counts_pieces_by_how_rare_they_are),
        CASE(a_long_text_has_no_more_wording_than_there_is_room_for),
    };
    int failed;

    arena = arena_create((size_t)1 << 28);
    kept = arena_create((size_t)1 << 28);
    synonyms = synonyms_read(kept, synonyms_built_in);
    base_make(&base_r, kept);
    base_make(&base_e, kept);
    base_make(&base_copied, kept);
    base_make(&meant_r, kept);
    base_make(&meant_e, kept);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    base_drop(&base_r);
    base_drop(&base_e);
    base_drop(&base_copied);
    base_drop(&meant_r);
    base_drop(&meant_e);
    arena_destroy(arena);
    arena_destroy(kept);
    return failed;
}
