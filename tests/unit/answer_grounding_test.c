/* Which sentences of a model's answer the documents support. */
#include "support/answer/grounding.h"
#include "support/answer/model_nodes.h"
#include "test.h"

#include <string.h>

static struct arena *arena;

static const char plans[] =
    "# Plans\n\nPlan S costs 5 EUR a month and plan L costs 9 EUR a month. Payment is by card or "
    "invoice.\n\n| Plan | Seats |\n|---|---|\n| S | 3 |\n| L | 20 |\n\nOpened batteries are not "
    "covered by the warranty. Shipping takes 3 days within Germany and 5 days to other EU "
    "countries. Items can be returned within two weeks. Error E20 means that the Duralux pump is "
    "blocked.\n";
static const char german[] =
    "Die Garantie beträgt 24 Monate ab dem Kaufdatum. Der Versand kostet 4,90 Euro.\n";

static struct grounding *read_documents(void)
{
    const struct grounding_source sources[] = {{plans, "Plans and prices", TEXT_EN},
                                               {german, "Garantie", TEXT_DE}};

    return grounding_read(arena, sources, 2);
}

TEST(sentences_are_held_against_the_documents)
{
    static const struct {
        const char *text;
        enum grounding_kind kind;
    } rows[] = {
        {"Plan S costs 5 EUR a month.", GROUNDING_SUPPORTED},
        {"Plan S costs 5 EUR and plan L costs 9 EUR a month [1].", GROUNDING_SUPPORTED},
        {"Plan S costs 9 EUR a month.", GROUNDING_NUMBER},
        {"Plan S costs 9 EUR and plan L costs 5 EUR.", GROUNDING_NUMBER},
        {"Plan S costs 7 EUR a month.", GROUNDING_NUMBER},
        {"Plan L has 20 seats.", GROUNDING_SUPPORTED},
        {"Plan S has 20 seats.", GROUNDING_NUMBER},
        {"Shipping to other EU countries takes 5 days.", GROUNDING_SUPPORTED},
        {"Shipping within Germany takes 5 days.", GROUNDING_NUMBER},
        {"Within 2 weeks items can be returned.", GROUNDING_SUPPORTED},
        {"Items can be returned within three weeks.", GROUNDING_NUMBER},
        {"Items can not be returned within two weeks.", GROUNDING_WORDS},
        {"Opened batteries are covered by the warranty.", GROUNDING_WORDS},
        {"No, opened batteries are not covered by the warranty.", GROUNDING_SUPPORTED},
        {"Payment is by card or by invoice.", GROUNDING_SUPPORTED},
        {"Payment is by card, invoice or Paypal.", GROUNDING_NAME},
        {"Error E20 means that the Duralux pump is blocked.", GROUNDING_SUPPORTED},
        {"Error E21 means that the pump is blocked.", GROUNDING_NUMBER},
        {"Elephants are grey.", GROUNDING_WORDS},
        {"Yes.", GROUNDING_FILLER},
        {"Here is what the documents say:", GROUNDING_FILLER},
        {"Please note that opened batteries are not covered.", GROUNDING_SUPPORTED},
        {"Leider beträgt die Garantie laut Dokument 24 Monate.", GROUNDING_SUPPORTED},
        {"- **Payment:** by card, or by *invoice*", GROUNDING_SUPPORTED},
        {"2. Payment is by card.", GROUNDING_SUPPORTED},
        {"Die Garantie beträgt 24 Monate.", GROUNDING_SUPPORTED},
        {"Die Garantie beträgt 36 Monate.", GROUNDING_NUMBER},
        {"Der Versand kostet 4.90 Euro.", GROUNDING_SUPPORTED},
        {"La garantie est de 24 mois.", GROUNDING_WORDS},
        {"The warranty is 24 months [2] and plan L has 20 seats [1].", GROUNDING_NUMBER},
        {"Plan L has 20 seats [1], die Garantie beträgt 24 Monate [2].", GROUNDING_SUPPORTED},
    };
    struct grounding *grounding = read_documents();

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct grounding_result result =
            grounding_check(grounding, rows[i].text, strlen(rows[i].text));

        if (result.kind != rows[i].kind)
            CHECK_TEXT(grounding_reasons[result.kind], rows[i].text);
        CHECK_INT(result.kind, rows[i].kind);
    }
}

TEST(a_quote_stands_in_the_documents)
{
    struct grounding *grounding = read_documents();

    CHECK(grounding_is_quote(grounding, "Die Garantie beträgt 24 Monate"));
    CHECK(!grounding_is_quote(grounding, "Die Garantie beträgt 36 Monate"));
    CHECK(!grounding_is_quote(grounding, "24 Monate"));
    CHECK(!grounding_is_quote(grounding, "Plan S costs 5 EUR, 20 seats and shipping"));
}

static bool collect(const char *text, size_t length, void *context)
{
    text_append(context, text, length);
    return true;
}

/* However a stream is cut, its supported beginning goes on, and always the same. */
TEST(a_stream_goes_on_up_to_the_first_sentence_without_support)
{
    static const char answer[] = "Yes. Plan S costs 5 EUR a month. [1] Payment is by card.\n"
                                 "Elephants are grey. Plan L has 20 seats. More";
    struct grounding *grounding = read_documents();

    for (size_t piece = 1; piece < sizeof answer; piece++) {
        struct sentence_gate gate = {.pass = collect};
        struct text passed;

        text_start(&passed, arena, 1000);
        sentence_gate_start(&gate, arena, grounding);
        gate.context = &passed;
        for (size_t at = 0; at < sizeof answer - 1; at += piece)
            CHECK(sentence_gate_take(&gate, answer + at,
                                     sizeof answer - 1 - at < piece ? sizeof answer - 1 - at
                                                                    : piece));
        CHECK_TEXT(passed.bytes, "Yes. Plan S costs 5 EUR a month. [1] Payment is by card.");
    }
}

/* Words of the documents beyond what is compared at once, and then something else. */
TEST(a_part_that_is_too_long_to_check_is_not_supported)
{
    static const char supported[] = "Payment is by card or invoice and ";
    struct grounding *grounding = read_documents();
    struct text text;

    text_start(&text, arena, 1 << 16);
    for (int i = 0; i < 10; i++)
        text_append_string(&text, supported);
    CHECK_INT(grounding_check(grounding, text.bytes, text.length).kind, GROUNDING_SUPPORTED);
    for (int i = 0; i < 90; i++)
        text_append_string(&text, supported);
    text_append_string(&text, "elephants are grey");
    CHECK_INT(grounding_check(grounding, text.bytes, text.length).kind, GROUNDING_WORDS);
    CHECK(!grounding_is_quote(grounding, text.bytes));
}

static const char *grounded(const char *text, enum unsupported_action unsupported)
{
    const struct support_settings settings = {.unsupported = unsupported};
    const struct graph_tools tools = {.settings = &settings};
    struct graph_outcome *outcome = ARENA_NEW(arena, struct graph_outcome);
    struct graph_state *state = ARENA_NEW(arena, struct graph_state);

    outcome->language = TEXT_EN;
    *state = (struct graph_state){
        .tools = &tools, .outcome = outcome, .arena = arena, .grounding = read_documents()};
    return model_ground(state, text);
}

/* A model that refuses and states something in the same breath. */
TEST(a_refusal_carries_nothing_with_it)
{
    static const char refusal[] =
        "This question cannot be answered from the documents; please contact support.";
    static const struct {
        const char *text, *grounded;
    } rows[] = {
        {"I don't know, but elephants are grey.", refusal},
        {"Plan L has 20 seats. I don't know, but elephants are grey.\n\nI don't know whether "
         "elephants dance.",
         "Plan L has 20 seats. This question cannot be answered from the documents; please contact "
         "support."},
        {"I don't know the rest.\n\nPlan L has 20 seats.",
         "This question cannot be answered from the documents; please contact support.\n\n"
         "Plan L has 20 seats."},
        {refusal, refusal},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_TEXT(grounded(rows[i].text, UNSUPPORTED_DROP), rows[i].grounded);
        CHECK_TEXT(grounded(rows[i].text, UNSUPPORTED_MARK), rows[i].grounded);
        CHECK_TEXT(grounded(rows[i].text, UNSUPPORTED_KEEP), rows[i].text);
    }
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(sentences_are_held_against_the_documents),
        CASE(a_quote_stands_in_the_documents),
        CASE(a_stream_goes_on_up_to_the_first_sentence_without_support),
        CASE(a_part_that_is_too_long_to_check_is_not_supported),
        CASE(a_refusal_carries_nothing_with_it),
    };
    int failed;

    arena = arena_create((size_t)1 << 26);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
