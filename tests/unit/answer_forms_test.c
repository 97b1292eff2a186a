/* The form of answers: sentences, tables, yes and no, versions, ids and what a question follows, in
 * the languages of the answerer. */
#include "answer_base.h"
#include "support/answer/verdict.h"
#include "support/answer/versions.h"
#include "support/questions/asks.h"
#include "test.h"

static const struct file files[] = {
    {"plans.md", "# Mobile plans\n\nAll plans can be cancelled with one month's notice.\n\n"
                 "| Plan | Price per month | Data |\n|---|---|---|\n| Plan S | 9.90 EUR | 5 GB |\n"
                 "| Plan M | 19.90 EUR | 20 GB |\n| Plan L | 29.90 EUR | 60 GB |\n"},
    {"tools.md", "# Cordless drills\n\n| Model | Article | Voltage | Weight | Price |\n"
                 "|---|---|---|---|---|\n| XR-300 | 48213 | 12V | 1.1kg | 89.00 EUR |\n"
                 "| XR-500 | 48215 | 18V | 1.6kg | 1,299.00 EUR |\n"},
    {"travel-2022.md", "# Travel policy 2022\n\nHotels are refunded up to 90 EUR a night.\n"},
    {"order 1001.md", "# Order 1001\n\nThe parcel of this order was sent on Monday.\n"},
    {"order 1002.md", "# Order 1002\n\nThe parcel of this order was sent on Friday.\n"},
    {"travel-2024.md", "# Travel policy 2024\n\nHotels are refunded up to 120 EUR a night.\n"},
    {"archive.md",
     "# Rooms\n\nThe blue archive keeps paper records in room four. The blue archive keeps film "
     "records in room nine. Visitors hang their coats in the hall and ask at the counter for a "
     "reader's ticket. Lockers work with a coin that comes back. Photographs without a flash are "
     "welcome everywhere.\n"},
    {"shop.md",
     "# Shop\n\n## Returns\n\nYou can return goods within 30 days of receiving them. The goods "
     "must "
     "be unused, complete and in their original packaging with all of the accessories that were "
     "delivered with them. Sale items and vouchers are excluded from returns. For large goods we "
     "send a carrier who collects them at your home.\n\n## Opening hours\n\nOur shop is open from "
     "9 "
     "to 18 on weekdays. Room 900 is closed.\n"},
};

/* Questions and answers as plain text: with and without blank lines, numbered, and a title without
 * a mark. */
static const struct file texts[] = {
    {"help.txt", "How long is the warranty?\nThe warranty is two years. It covers faults in "
                 "material.\nHow much is shipping?\nFive euros\nWhich tools do I need?\n"
                 "- a hammer\n- a saw\n\nHow do I cancel an order?\n\nChoose Cancel on the order "
                 "page.\n\nI have forgotten my password\n\nOpen the sign-in page and choose "
                 "Forgot password.\n\n7. How do I return a bottle?\nBring it to any branch of "
                 "ours.\n8. Are gift cards sold?\nAt the till.\n"},
    {"hilfe.txt", "Wie lange gilt der Gutschein?\nEr gilt drei Jahre.\nWo ist die Filiale?\nAm "
                  "Marktplatz 3.\n"},
    {"aide.txt", "Combien coûte la livraison ?\nElle est gratuite.\nOù est le magasin ?\nPlace "
                 "du marché 3.\n"},
    {"ayuda.txt", "¿Cuánto cuesta el envío?\nEs gratis.\n¿Dónde está la tienda?\nEn la plaza "
                  "mayor.\n"},
    {"help-ru.txt", "Сколько стоит доставка?\nОна бесплатна.\nГде находится магазин?\nНа рыночной "
                    "площади.\n"},
    {"help-ar.txt", "كم تكلفة الشحن؟\nالشحن مجاني.\nأين يقع المتجر؟\nفي ساحة السوق.\n"},
    {"help-zh.txt", "运费是多少？\n全部免费。\n商店在哪里？\n在市场广场。\n"},
};

static const struct file forms[] = {
    {"order.md",
     "# Order form\n\n- Order number: K-4711\n- Article: Garden lamp\n- Net price: 17.50 "
     "EUR\n- Shipping weight: 3.2 kg\n- Serial number: 8831\n"},
    {"sheet.md", "# Data sheet of the Aurora kettle\n\nTechnical data:\n- Weight: 1.4 kg\n- Rated "
                 "power: 2200 W\n- Water tank: 1.7 l\n- Cable length: 0.75 m\n"},
    {"blatt.md", "# Datenblatt der Kaffeemühle Bora\n\n- Gewicht: 2,1 kg\n- Leistung: 150 W\n- "
                 "Kabellänge: 1,2 m\n- Fassungsvermögen: 250 g\n"},
    {"list.ru.md",
     "# Паспорт насоса Вега\n\n- Масса: 12 кг\n- Мощность: 750 Вт\n- Длина кабеля: 10 "
     "м\n"},
    {"bare.txt",
     "Order number: K-4712\nArticle: Desk fan\nNet price: 21.90 EUR\nShipping weight: 4.8 "
     "kg\n\nOrder number: K-4713\nArticle: Wall clock\nNet price: 8.20 EUR\nShipping "
     "weight: 0.6 kg\n"},
    {"parted.md", "# Delivery note\n\nThe parcel left the store.\n\nOrder number: K-4714\n\nNet "
                  "price: 33.10 EUR\n\nShipping weight: 9.7 kg\n\nThank you.\n"},
    {"list.zh.md", "# 星河风扇参数\n\n- 重量：3.5公斤\n- 功率：45瓦\n- 电缆长度：1.8米\n"},
};

static const struct file sectioned[] = {
    {"hosting.md",
     "# Hosting\n\nAll plans can be ended each month.\n\n## Plan S\n\nThe price is 3.90 euros a "
     "month.\n\nDisk space: 25 GB.\n\n## Plan M\n\nThe price is 7.90 euros a month.\n\nDisk "
     "space: 100 GB.\n\n## Plan L\n\nThe price is 14.90 euros a month.\n\nDisk space: 500 GB.\n"},
    {"mower-basic.md", "# Lawn mower Basic\n\nIt weighs 12 kg and cuts 32 cm wide.\n"},
    {"mower-turbo.md", "# Lawn mower Turbo\n\nIt weighs 19 kg and cuts 46 cm wide.\n"},
    {"shop.md", "# Payment\n\nWe take cards and vouchers.\n\n# Delivery\n\nWe deliver in three "
                "days.\n"},
};

static struct base section_base = {.files = sectioned,
                                   .file_count = sizeof sectioned / sizeof sectioned[0]};
static struct base form_base = {.files = forms, .file_count = sizeof forms / sizeof forms[0]};
static struct base plain_base = {.files = texts, .file_count = sizeof texts / sizeof texts[0]};
static struct base base = {.files = files, .file_count = sizeof files / sizeof files[0]};
static struct arena *arena, *kept;
static struct synonyms synonyms;

static const struct answer *ask_base(struct base *asked_base, const char *question,
                                     const char *before)
{
    struct asked *asked = ARENA_NEW(arena, struct asked);
    const char *broken;

    base_ask(asked_base, arena, &synonyms, question, before, 0.45, asked);
    broken = base_broken_promise(arena, &asked->answer);
    CHECK_TEXT(broken ? broken : "", "");
    return &asked->answer;
}

static const struct answer *ask(const char *question, const char *before)
{
    return ask_base(&base, question, before);
}

TEST(sentences_that_answer_as_well_are_quoted_together)
{
    CHECK_TEXT(ask("Where does the blue archive keep records?", NULL)->text,
               "The blue archive keeps paper records in room four [1]. The blue archive keeps film "
               "records in room nine [1].");
    arena_reset(arena);
}

TEST(a_question_is_never_the_answer)
{
    static const char *const rows[][2] = {
        {"How long is the warranty?",
         "The warranty is two years [1]. It covers faults in material [1]."},
        {"How much is shipping?", "Five euros [1]"},
        {"Which tools do I need?", "Which tools do I need [1]?\n- a hammer\n- a saw [1]"},
        {"How do I cancel an order?", "Choose Cancel on the order page [1]."},
        {"I have forgotten my password", "Open the sign-in page and choose Forgot password [1]."},
        {"How do I return a bottle?", "Bring it to any branch of ours [1]."},
        {"Wie lange gilt der Gutschein?", "Er gilt drei Jahre [1]."},
        {"Wo ist die Filiale?", "Am Marktplatz 3 [1]."},
        {"Combien coûte la livraison ?", "Elle est gratuite [1]."},
        {"Où est le magasin ?", "Place du marché 3 [1]."},
        {"¿Cuánto cuesta el envío?", "Es gratis [1]."},
        {"¿Dónde está la tienda?", "En la plaza mayor [1]."},
        {"Сколько стоит доставка?", "Она бесплатна [1]."},
        {"Где находится магазин?", "На рыночной площади [1]."},
        {"كم تكلفة الشحن؟", "الشحن مجاني [1]."},
        {"أين يقع المتجر؟", "في ساحة السوق [1]."},
        {"运费是多少？", "全部免费 [1]。"},
        {"商店在哪里？", "在市场广场 [1]。"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(ask_base(&plain_base, rows[i][0], NULL)->text, rows[i][1]);
    arena_reset(arena);
}

TEST(the_sentence_that_answers_is_quoted_and_not_the_paragraph)
{
    CHECK_TEXT(ask("Are sale items excluded from returns?", NULL)->text,
               "Sale items and vouchers are excluded from returns [1].");
    arena_reset(arena);
}

TEST(a_field_of_a_form_is_its_line)
{
    static const char *const rows[][2] = {
        {"What is the net price of order K-4711?",
         "- Order number: K-4711\n- Net price: 17.50 EUR [1]"},
        {"What is the shipping weight of the garden lamp?",
         "- Article: Garden lamp\n- Shipping weight: 3.2 kg [1]"},
        {"What is the net price of order K-4713?",
         "- Order number: K-4713\n- Net price: 8.20 EUR [1]"},
        {"What is the shipping weight of order K-4714?",
         "- Order number: K-4714\n- Shipping weight: 9.7 kg [1]"},
        {"What is the rated power of the Aurora kettle?",
         "Technical data:\n- Rated power: 2200 W [1]"},
        {"Welche Leistung hat die Kaffeemühle Bora?", "Leistung: 150 W [1]"},
        {"Какая мощность у насоса Вега?", "Мощность: 750 Вт [1]"},
        {"星河风扇的功率是多少？", "功率：45瓦 [1]"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(ask_base(&form_base, rows[i][0], NULL)->text, rows[i][1]);
    CHECK(strstr(ask_base(&form_base, "What are the data of the Aurora kettle?", NULL)->text,
                 "- Cable length: 0.75 m"));
    arena_reset(arena);
}

TEST(one_thing_of_a_table_is_its_row)
{
    CHECK_TEXT(
        ask("How much does plan M cost?", NULL)->text,
        "| Plan | Price per month | Data |\n|---|---|---|\n| Plan M | 19.90 EUR | 20 GB [1] |");
    CHECK_TEXT(ask("What does the drill with 18 V cost?", NULL)->text,
               "| Model | Article | Voltage | Weight | Price |\n|---|---|---|---|---|\n"
               "| XR-500 | 48215 | 18V | 1.6kg | 1,299.00 EUR [1] |");
    arena_reset(arena);
}

TEST(lists_and_comparisons_are_rows_of_one_table)
{
    const char *all = ask("Which plans are there and what do they cost?", NULL)->text;
    const char *both = ask("Compare plan S and plan L", NULL)->text;

    CHECK(strstr(all, "| Plan S |") && strstr(all, "| Plan M |") && strstr(all, "| Plan L |"));
    CHECK(strstr(both, "| Plan S |") && !strstr(both, "| Plan M |") && strstr(both, "| Plan L |"));
    arena_reset(arena);
}

TEST(things_with_sections_of_their_own_are_listed_and_compared)
{
    CHECK_TEXT(ask_base(&section_base, "Which plans are there and what do they cost?", NULL)->text,
               "**Plan S**\n\nThe price is 3.90 euros a month [1].\n\n**Plan M**\n\nThe price is "
               "7.90 euros a month [2].\n\n**Plan L**\n\nThe price is 14.90 euros a month [3].");
    CHECK_TEXT(ask_base(&section_base, "Compare plan S and plan L", NULL)->text,
               "**Plan S**\n\nThe price is 3.90 euros a month [1].\n\nDisk space: 25 GB "
               "[1].\n\n**Plan L**\n\nThe price is 14.90 euros a month [2].\n\nDisk space: 500 GB "
               "[2].");
    CHECK_TEXT(
        ask_base(&section_base, "What is the difference between the Basic and the Turbo?", NULL)
            ->text,
        "**Lawn mower Basic**\n\nIt weighs 12 kg and cuts 32 cm wide [1].\n\n**Lawn mower "
        "Turbo**\n\nIt weighs 19 kg and cuts 46 cm wide [2].");
    CHECK(ask_base(&section_base, "Compare the warranty of plan S and plan L", NULL)->refused);
    CHECK_TEXT(ask_base(&section_base, "Which cards do you take?", NULL)->text,
               "We take cards and vouchers [1].");
    arena_reset(arena);
}

TEST(an_id_that_is_nowhere_with_its_name_is_refused)
{
    static const char *const unknown[][2] = {
        {"What does the XR-900 weigh?", "XR-900"},
        {"What does the XR900 weigh?", "XR900"},
        {"Where is order 48213?", "48213"},
    };

    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        const struct answer *answer = ask(unknown[i][0], NULL);

        CHECK(answer->refused && strstr(answer->text, unknown[i][1]));
    }
    CHECK(!ask("How heavy is the XR500?", NULL)->refused);
    CHECK(!ask("What does article 48213 cost?", NULL)->refused);
    arena_reset(arena);
}

TEST(the_newer_of_two_versions_is_quoted_and_the_older_named)
{
    const struct answer *answer = ask("Up to which amount are hotels refunded a night?", NULL);

    CHECK(strstr(answer->text, "120 EUR") && !strstr(answer->text, "90 EUR"));
    CHECK(strstr(answer->text, "travel-2022.md [2]"));
    CHECK_INT(answer->cited_count, 2);
    answer = ask("Up to which amount were hotels refunded a night in 2022?", NULL);
    CHECK(strstr(answer->text, "90 EUR") && !strstr(answer->text, "120 EUR"));
    CHECK_INT(answer->cited_count, 1);
    arena_reset(arena);
}

TEST(like_files_are_no_versions)
{
    CHECK_TEXT(ask("When was the parcel of order 1001 sent?", NULL)->text,
               "The parcel of this order was sent on Monday [1].");
    arena_reset(arena);
}

TEST(versions_are_told_apart_by_their_names)
{
    static const struct {
        const char *a, *b;
        int newer;
    } rows[] = {
        {"policy-2025.pdf", "policy-2023.pdf", 1},
        {"Policy v2", "Policy v10", -1},
        {"Preise 01.02.2024", "Preise 15.01.2024", 1},
        {"Preise 01.02.2024", "Preise 15.01.2023", 1},
        {"Terms (as of 2024-03)", "terms 2024-01", 1},
        {"Reglement Fassung 3", "Reglement Fassung 2", 1},
        {"政策2024版", "政策2023版", 1},
        {"policy-2025.pdf", "terms-2023.pdf", 0},
        {"policy.pdf", "policy.pdf", 0},
        {"policy-2025.pdf", "policy.pdf", 0},
        {"2024.pdf", "2023.pdf", 0},
        {"policy 2024-03-15.md", "policy 2024-03-02.md", 1},
        {"Catalogue (3rd) edition 4", "Catalogue (3rd) edition 2", 1},
        {"manual rev 7.docx", "manual rev 12.docx", -1},
        {"手册第3版", "手册第2版", 1},
        {"手册第3章", "手册第2章", 0},
        {"Прайс от 01.03.2024", "Прайс от 01.03.2023", 1},
        {"XR-300.md", "XR-500.md", 0},
        {"datasheet XR500.pdf", "datasheet XR300.pdf", 0},
        {"order 1002.pdf", "order 1001.pdf", 0},
        {"invoice-2024-0017.pdf", "invoice-2024-0016.pdf", 0},
        {"columns-12.pdf", "columns-11.pdf", 0},
        {"report q2 2024", "report q1 2024", 0},
        {"report-2026-02.pdf", "report-2026-01.pdf", 0},
        {"Umsatz 2026-02.xlsx", "Umsatz 2025-12.xlsx", 0},
        {"minutes 2026-02-03", "minutes 2026-01-06", 0},
        {"report-2026.pdf", "report-2025.pdf", 1},
        {"Report as of 2026-02", "Report as of 2026-01", 1},
        {"plan-a-2024.md", "plan-b-2023.md", 0},
        {"table 2.csv", "table 1.csv", 0},
        {"1.csv", "2.csv", 0},
        {NULL, "policy 2024.pdf", 0},
        {NULL, NULL, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct knowledge_chunk a = {.document = 1, .title = rows[i].a, .source = "a"};
        const struct knowledge_chunk b = {.document = 2, .title = rows[i].b, .source = "b"};

        CHECK_INT(versions_compare(arena, &a, &b), rows[i].newer);
        CHECK_INT(versions_compare(arena, &b, &a), -rows[i].newer);
    }
    arena_reset(arena);
}

TEST(figures_are_compared)
{
    static const struct {
        const char *question, *text;
        enum verdict verdict;
    } rows[] = {
        {"Is the warranty longer than one year?", "The warranty is 24 months.", VERDICT_YES},
        {"Is the warranty longer than 2 years?", "The warranty is 24 months.", VERDICT_NO},
        {"Is the warranty two years?", "The warranty is 24 months.", VERDICT_YES},
        {"Can I return it after 40 days?", "Return goods within 30 days.", VERDICT_NO},
        {"Can I return it within 3 weeks?", "Return goods within 30 days.", VERDICT_YES},
        {"Does it weigh less than 3 kg?", "It weighs 2,900 g.", VERDICT_YES},
        {"Does it cost more than 1000 EUR?", "It costs 1,299.00 EUR.", VERDICT_YES},
        {"Does it cost more than 1000 USD?", "It costs 1,299.00 EUR.", VERDICT_NONE},
        {"Does it take less than 4 days?", "It takes 3 to 5 days.", VERDICT_NONE},
        {"Does it take less than 6 days?", "It takes 3 to 5 working days.", VERDICT_YES},
        {"Does it take at least 3 days?", "It takes 3 to 5 days.", VERDICT_YES},
        {"Is it longer than one year?", "It is long.", VERDICT_NONE},
        {"Ist die Garantie länger als ein Jahr?", "Die Garantie beträgt 24 Monate.", VERDICT_YES},
        {"Wiegt es weniger als 2,5 kg?", "Gewicht: 2,6kg", VERDICT_NO},
        {"Kann ich nach 40 Tagen zurückgeben?", "Rückgabe innerhalb von 30 Tagen.", VERDICT_NO},
        {"La garantie dure-t-elle plus d'un an ?", "La garantie est de 24 mois.", VERDICT_YES},
        {"Pèse-t-il moins de 2 kg ?", "Il pèse 1,6 kg.", VERDICT_YES},
        {"¿La garantía dura más de dos años?", "La garantía es de 24 meses.", VERDICT_NO},
        {"¿Cuesta menos de 1 300 euros?", "Cuesta 1.299,00 €.", VERDICT_YES},
        {"Гарантия больше года?", "Гарантия 24 месяца.", VERDICT_YES},
        {"Он весит не более 2 кг?", "Вес 1,6кг.", VERDICT_YES},
        {"هل الضمان أطول من سنة؟", "مدة الضمان 24 شهرًا.", VERDICT_YES},
        {"هل الضمان أطول من سنتين؟", "مدة الضمان 24 شهرًا.", VERDICT_NO},
        {"هل وزنه أقل من ٢ كغ؟", "الوزن 1.6 كغ.", VERDICT_YES},
        {"保修期超过一年吗？", "保修期为24个月。", VERDICT_YES},
        {"重量低于2公斤吗？", "重量为2.6公斤。", VERDICT_NO},
        {"40天后还能退货吗？", "您可以在收货后30天内退货。", VERDICT_NO},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int before = test_failures_here;

        CHECK_INT(verdict_of(arena, rows[i].question, rows[i].text), rows[i].verdict);
        if (test_failures_here > before)
            printf("... %s %s\n", rows[i].question, rows[i].text);
    }
    arena_reset(arena);
}

TEST(yes_and_no_stand_before_the_figure)
{
    CHECK(strncmp(ask("Can I return goods after 40 days?", NULL)->text, "No: You can return goods ",
                  25) == 0);
    CHECK(strncmp(ask("Does the XR-500 weigh less than 2 kg?", NULL)->text, "Yes [1].\n\n| Model |",
                  19) == 0);
    CHECK(strncmp(ask("How much does plan M cost?", NULL)->text, "| Plan |", 8) == 0);
    arena_reset(arena);
}

TEST(kinds_of_questions_in_every_language)
{
    static const struct {
        const char *question;
        struct asks asks;
    } rows[] = {
        {"How many days do I have?", {.figure = true}},
        {"Why is it late?", {.reason = true}},
        {"Is it more than 3 kg?", {.yes_no = true}},
        {"Ist das erlaubt?", {.yes_no = true}},
        {"Warum geht das nicht?", {.reason = true}},
        {"Vergleiche S und L", {.yes_no = true, .compare = true}},
        {"Pourquoi est-il en retard ?", {.reason = true}},
        {"¿Cuándo llega?", {.figure = true}},
        {"Почему так дорого?", {.reason = true}},
        {"Можно ли вернуть товар?", {.yes_no = true}},
        {"هل يمكن الإرجاع؟", {.yes_no = true}},
        {"为什么这么贵？", {.reason = true}},
        {"可以退货吗？", {.yes_no = true}},
        {"ทำไมช้า", {.reason = true}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct asks asks = question_asks(arena, rows[i].question);
        int before = test_failures_here;

        CHECK_INT(asks.figure, rows[i].asks.figure);
        CHECK_INT(asks.reason, rows[i].asks.reason);
        CHECK_INT(asks.yes_no, rows[i].asks.yes_no);
        CHECK_INT(asks.compare, rows[i].asks.compare);
        if (test_failures_here > before)
            printf("... %s\n", rows[i].question);
    }
    arena_reset(arena);
}

TEST(questions_that_follow_another)
{
    static const char *const following[] = {
        "And for children?", "What about plan L?", "Und für Kinder?", "Et pour les enfants ?",
        "¿Y para niños?",    "А для детей?",       "وللأطفال؟",       "那儿童票呢？"};

    for (size_t i = 0; i < sizeof following / sizeof following[0]; i++) {
        struct question question;

        question_read(&question, arena, following[i], "day ticket", &synonyms);
        CHECK(question.follows && question.before);
    }
    CHECK(strstr(ask("And plan L?", "How much does plan M cost?")->text, "29.90"));
    arena_reset(arena);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(the_sentence_that_answers_is_quoted_and_not_the_paragraph),
        CASE(sentences_that_answer_as_well_are_quoted_together),
        CASE(a_question_is_never_the_answer),
        CASE(a_field_of_a_form_is_its_line),
        CASE(one_thing_of_a_table_is_its_row),
        CASE(lists_and_comparisons_are_rows_of_one_table),
        CASE(things_with_sections_of_their_own_are_listed_and_compared),
        CASE(an_id_that_is_nowhere_with_its_name_is_refused),
        CASE(the_newer_of_two_versions_is_quoted_and_the_older_named),
        CASE(like_files_are_no_versions),
        CASE(versions_are_told_apart_by_their_names),
        CASE(figures_are_compared),
        CASE(yes_and_no_stand_before_the_figure),
        CASE(kinds_of_questions_in_every_language),
        CASE(questions_that_follow_another),
    };
    int failed;

    arena = arena_create((size_t)1 << 27);
    kept = arena_create((size_t)1 << 27);
    synonyms = synonyms_read(kept, synonyms_built_in);
    base_make(&base, kept);
    base_make(&plain_base, kept);
    base_make(&form_base, kept);
    base_make(&section_base, kept);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    base_drop(&base);
    base_drop(&plain_base);
    base_drop(&form_base);
    base_drop(&section_base);
    arena_destroy(arena);
    arena_destroy(kept);
    return failed;
}
