/* The evaluators, redaction and percentiles. Numbers are those of the golden cases. */
#include "support/answer/graph_state.h"
#include "support/answer/patterns.h"
#include "support/traces/evaluators.h"
#include "support/traces/metrics_snapshot.h"
#include "support/traces/redact.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static struct arena *arena;

static void check(const struct evaluation *evaluation, double score, const char *verdict,
                  const char *part)
{
    CHECK_NEAR(evaluation->score, score, 1e-4);
    CHECK_TEXT(evaluation->verdict, verdict);
    CHECK(strstr(evaluation->metadata, part) != NULL);
}

TEST(citation_coverage)
{
    struct evaluation partial =
        evaluate_citation_coverage(arena, "First claim [1]. Second without. Third too [2].");
    struct evaluation none = evaluate_citation_coverage(arena, "");
    struct evaluation list =
        evaluate_citation_coverage(arena, "1. Take the receipt [1]. 2. Call support [1].");

    check(&partial, 0.6667, "partial", "\"sentence_count\":3,\"cited_sentences\":2");
    check(&none, 0, "missing", "\"sentence_count\":0,\"cited_sentences\":0");
    check(&list, 1, "ok", "\"sentence_count\":2");
}

TEST(length)
{
    struct evaluation odd = evaluate_length(arena, 60, 20, 10);
    struct evaluation edge = evaluate_length(arena, 40, 20, 10);
    struct evaluation unknown = evaluate_length(arena, 7, 20, 0);

    check(&odd, 1, "anomaly", "\"z_score\":4.0");
    check(&edge, 0, "ok", "\"z_score\":2.0");
    check(&unknown, 0, "unknown", "\"z_score\":0.0");
}

TEST(hit_rate)
{
    const struct optional_number some[] = {
        GIVEN_NUMBER(0.9), GIVEN_NUMBER(0.6), GIVEN_NUMBER(0.2), {.given = false}};
    const struct optional_number half[] = {GIVEN_NUMBER(0.5), GIVEN_NUMBER(0.5)};
    struct evaluation partial = evaluate_hit_rate(arena, some, 4);
    struct evaluation low = evaluate_hit_rate(arena, half, 2);
    struct evaluation unknown = evaluate_hit_rate(arena, some + 3, 1);

    check(&partial, 0.6667, "partial",
          "\"retrieved_docs\":4,\"scored_docs\":3,\"relevant_docs\":2");
    check(&low, 0, "low", "\"relevant_docs\":0");
    check(&unknown, 0, "unknown", "\"scored_docs\":0}");
}

TEST(tools)
{
    struct evaluation wasteful = evaluate_tool_use(arena, 20, (const int[]){50, 30}, 2);
    struct evaluation free_of_tools = evaluate_tool_use(arena, 20, NULL, 0);
    struct evaluation nothing = evaluate_tool_use(arena, 0, NULL, 0);

    check(&wasteful, 0.2, "inefficient", "\"tool_tokens\":80");
    check(&free_of_tools, 1, "efficient", "\"tool_call_count\":0");
    check(&nothing, 0, "inefficient", "\"answer_final_tokens\":0");
}

TEST(personal_data)
{
    struct evaluation both = evaluate_pii(arena, "+1 (555) 123-45-67 or support@example.com");
    struct evaluation order = evaluate_pii(arena, "Your order 1234567890 is on its way.");
    struct evaluation card = evaluate_pii(arena, "Card 4111 1111 1111 1111.");
    struct evaluation no_card = evaluate_pii(arena, "Part 4111111111111112.");

    check(&both, 1, "suspicious", "[\"email\",\"phone\"]");
    check(&order, 0, "ok", "[]");
    CHECK(strstr(card.metadata, "\"card\"") != NULL);
    CHECK(strstr(no_card.metadata, "\"card\"") == NULL);
}

TEST(languages)
{
    struct evaluation other =
        evaluate_language(arena, "Как вернуть заказ?", "Please contact support manager.");
    struct evaluation short_ones = evaluate_language(arena, "Что делать?", "Call us");

    check(&other, 1, "mismatch", "\"query_words\":3,\"answer_words\":4");
    check(&short_ones, 0, "low_confidence", "\"answer_words\":2");
}

TEST(refusals)
{
    struct evaluation own = evaluate_refusal(arena, answer_refusal(arena, TEXT_RU, NULL));
    struct evaluation answer = evaluate_refusal(arena, "The warranty is 12 months [1].");

    check(&own, 1, "refusal", "ответить нельзя");
    check(&answer, 0, "ok", "\"matches\":[]");
    answer = evaluate_refusal(arena, "Contact support by telephone, or the service centre [1].");
    CHECK_TEXT(answer.verdict, "ok"); /* advice is no refusal */
    for (int i = 0; i < TEXT_LANGUAGE__MAX; i++) {
        struct evaluation one =
            evaluate_refusal(arena, answer_refusal(arena, (enum text_language)i, "e401"));

        CHECK_TEXT(one.verdict, "refusal"); /* in every language, and when it names a code */
    }
}

static char folder[] = "/tmp/assay-patterns-XXXXXX";

static enum error use_patterns(const char *content, struct problem *problem)
{
    struct support_settings settings = {.data_directory = folder, .patterns_path = "p.yml"};
    const char *path = arena_print(arena, "%s/p.yml", folder);
    enum error error;
    FILE *file;

    if (content) {
        file = fopen(path, "we");
        CHECK(file && fputs(content, file) >= 0 && fclose(file) == 0);
    }
    error = patterns_load(arena, &settings, problem);
    if (content)
        CHECK(unlink(path) == 0);
    return error;
}

TEST(patterns_of_a_file)
{
    static const char *const wrong[] = {
        "[]",         "refusal: text\n", "refusal: [1]\n",  "refusal: [\" \"]\n",
        "pii: [a]\n", "pii: {a: 1}\n",   "refusals: [a]\n", "refusal: ["};
    struct problem problem = {0};
    struct evaluation one;

    CHECK(mkdtemp(folder) != NULL);
    CHECK(!use_patterns("refusal: [\"Ask The Owl\"]\n"
                        "pii:\n  order: 'ORD-\\d{3}'\n  broken: '(('\n  empty: 'x*'\n",
                        &problem));
    one = evaluate_refusal(arena, "Better ask the OWL.");
    check(&one, 1, "refusal", "[\"ask the owl\"]");
    CHECK(answer_is_refusal(arena, "Better ask the OWL."));
    CHECK(!answer_is_refusal(arena, "I don't know."));
    one = evaluate_pii(arena, "ord-123, support@example.com");
    check(&one, 1, "suspicious", "[\"order\"]");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        problem = (struct problem){0};
        CHECK(use_patterns(wrong[i], &problem) == ERROR_INVALID);
        CHECK(strstr(problem.text, "EVALUATOR_PATTERNS_PATH: ") != NULL);
        CHECK(strstr(problem.text, "p.yml") != NULL);
        CHECK(answer_is_refusal(arena, "ask the owl")); /* those in force stay */
    }
    /* a file with one member leaves the other one as it is built in; no file: no patterns */
    CHECK(!use_patterns("refusal: []\n", &problem));
    CHECK(!answer_is_refusal(arena, "I don't know."));
    CHECK_TEXT(evaluate_pii(arena, "support@example.com").verdict, "suspicious");
    CHECK(!use_patterns("{}\n", &problem));
    CHECK(answer_is_refusal(arena, "I don't know."));
    CHECK(!use_patterns(NULL, &problem));
    CHECK(!answer_is_refusal(arena, "I don't know."));
    CHECK_TEXT(evaluate_pii(arena, "support@example.com").verdict, "ok");
    CHECK(!use_patterns("{}\n", &problem));
    CHECK(rmdir(folder) == 0);
}

TEST(redaction)
{
    static const struct {
        const char *text, *redacted;
    } rows[] = {
        {"8 999 123 45 67", "+7-***-***-**-**"},
        {"ИНН 7707083893", "ИНН ** ** ******"},
        {"ИНН 500100732259", "ИНН ************"},
        {"session:ac82345678901ef", "session:ac82345678901ef"},
        {"mail jane.doe+x@example.co.uk now", "mail ***@***.*** now"},
        {"4111 1111 1111 1111", "****-****-****-****"},
        {"8 999\n123 45 67", "+7-***-***-**-**"},
        {"اتصل ٠٥٠١٢٣٤٥٦٧", "اتصل ** ** ******"},
        {"4111\u00a01111\u00a01111\u00a01111", "****-****-****-****"},
        {"nothing to see", "nothing to see"},
        {"12, 34, 56, 78: 0.123456", "12, 34, 56, 78: 0.123456"},
    };
    static const char *const clean = "{\"quality\":0.12345678901,\"question\":\"[1] in 2005\"}";

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(redact_text(arena, rows[i].text), rows[i].redacted);
    CHECK_TEXT(redact_state(arena, "{\"question\":\"a@b.co\",\"started\":1234567890,"
                                   "\"trace_id\":\"1234567890\"}"),
               "{\"question\":\"***@***.***\",\"started\":1234567890,\"trace_id\":\"1234567890\"}");
    CHECK_TEXT(redact_state(arena, "{\"question\":\"\\\"8 999\\n123 45 67\\\"\"}"),
               "{\"question\":\"\\\"+7-***-***-**-**\\\"\"}");
    CHECK_TEXT(redact_state(arena, "{\"answer\":\"اتصل ٠٥٠١٢٣٤٥٦٧\"}"),
               "{\"answer\":\"اتصل ** ** ******\"}");
    CHECK(redact_state(arena, clean) == clean);
}

TEST(percentiles)
{
    double four[] = {1, 2, 3, 4}, twenty[20];

    for (int i = 0; i < 20; i++)
        twenty[i] = i + 1;
    CHECK_NEAR(metrics_percentile(four, 4, 0.5), 2, 0);
    CHECK_NEAR(metrics_percentile(four, 4, 0.95), 4, 0);
    CHECK_NEAR(metrics_percentile(four, 4, 0.99), 4, 0);
    CHECK_NEAR(metrics_percentile(twenty, 20, 0.5), 10, 0);
    CHECK_NEAR(metrics_percentile(twenty, 20, 0.95), 19, 0);
    CHECK_NEAR(metrics_percentile(twenty, 20, 0.99), 20, 0);
}

TEST(tokens_and_routes)
{
    const struct support_settings settings = {
        .quality_threshold = 80, .fact_verification_min_score = 70, .self_rag_max_iterations = 2};

    CHECK_INT(models_estimate_tokens(""), 0);
    CHECK_INT(models_estimate_tokens("abcd"), 1);
    CHECK_INT(models_estimate_tokens("abcde"), 2);
    CHECK_INT(graph_route(80, 0.8, true, 0, 0, &settings), ROUTE_AUTO);
    CHECK_INT(graph_route(79, 0.79, true, 0, 0, &settings), ROUTE_NONE);
    CHECK_INT(graph_route(79, 0.79, true, 0, 2, &settings), ROUTE_HUMAN);
    CHECK_INT(graph_route(95, 0.95, false, 69, 2, &settings), ROUTE_HUMAN);
    CHECK_TEXT(graph_complexity("How long is it?"), "simple");
    CHECK_TEXT(graph_complexity("Why is it so?"), "complex");
    CHECK_TEXT(graph_complexity("Which topics are there?"), "global");
}

int main(void)
{
    static const struct test_case cases[] = {CASE(citation_coverage), CASE(length),
                                             CASE(hit_rate),          CASE(tools),
                                             CASE(personal_data),     CASE(languages),
                                             CASE(refusals),          CASE(redaction),
                                             CASE(percentiles),       CASE(tokens_and_routes),
                                             CASE(patterns_of_a_file)};
    int failed;

    arena = arena_create((size_t)1 << 26);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
