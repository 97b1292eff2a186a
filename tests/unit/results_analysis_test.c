/* The analysis document: every analyzer's words and figures, limits, costs, and the rules on
 * blocks.
 */
#include "base/json.h"
#include "experiments/analyses/results_analysis.h"
#include "test.h"

static struct arena *arena;
static struct problem problem;

static const struct results_request *request_of(const char *json)
{
    struct results_request *request = ARENA_NEW(arena, struct results_request);
    struct schema_errors errors = {.arena = arena};
    struct json_fault fault;
    json_t *document;

    if (json_read(arena, json, strlen(json), 32, &document, &fault) ||
        schema_decode(&results_request_schema, document, "body", request, &errors, arena)) {
        printf("not a request: %s (%s)\n", json,
               errors.count && errors.items[0].rule ? errors.items[0].rule->key : "?");
        test_failures_here++;
        return NULL;
    }
    return request;
}

/* The key of the broken rule, or why there is none. */
static const char *broken_rule(const char *json)
{
    struct results_request *request = ARENA_NEW(arena, struct results_request);
    struct schema_errors errors = {.arena = arena};
    struct json_fault fault;
    json_t *document;

    if (json_read(arena, json, strlen(json), 32, &document, &fault))
        return "malformed";
    if (!schema_decode(&results_request_schema, document, "body", request, &errors, arena))
        return "valid";
    return errors.items[0].rule ? errors.items[0].rule->key : "a field";
}

static struct results_reply analyze_in(enum language language, const char *json)
{
    const struct results_request *request = request_of(json);
    struct results_reply answer = {0};
    const struct results_call call = {locale_get(language), arena, &problem};

    if (!request || results_analyze(&call, request, &answer)) {
        printf("no answer to %s: %s\n", json, problem.text);
        test_failures_here++;
        answer.verdict = answer.interpretation = "";
    }
    return answer;
}

static struct results_reply analyze(const char *json)
{
    return analyze_in(LANGUAGE_EN, json);
}

#define CONTINUOUS(type, extra)                                                                    \
    "{\"metric_type\":\"" type "\",\"continuous\":{\"control_mean\":0,\"control_std\":1,"          \
    "\"control_n\":100,\"treatment_mean\":0.1,\"treatment_std\":1,\"treatment_n\":100" extra "}}"
#define RANKED(type, control, treatment, extra)                                                    \
    "{\"metric_type\":\"" type "\",\"ranked\":{\"control_values\":" control                        \
    ",\"treatment_values\":" treatment extra "}}"
#define BINARY(type, x1, n1, x2, n2)                                                               \
    "{\"metric_type\":\"" type "\",\"binary\":{\"control_conversions\":" #x1                       \
    ",\"control_users\":" #n1 ",\"treatment_conversions\":" #x2 ",\"treatment_users\":" #n2 "}}"
#define COUNT(x1, t1, x2, t2)                                                                      \
    "{\"metric_type\":\"count\",\"count\":{\"control_events\":" #x1 ",\"control_exposure\":" #t1   \
    ",\"treatment_events\":" #x2 ",\"treatment_exposure\":" #t2 "}}"
#define SMALL_RANKED(type) RANKED(type, "[1,2,3,4]", "[5,6,7,8]", "")

/* The four digits of most effects, whatever the schema allows. */
TEST(effects_are_rounded_by_analyzer)
{
    struct results_reply answer = analyze(RANKED("trimmed_t", "[1,2,4]", "[2,3,4]", ",\"trim\":0"));

    CHECK_NEAR(answer.observed_effect, 0.6667, 0);
    CHECK_NEAR(analyze(COUNT(1, 3, 2, 3)).observed_effect, 0.333333, 0);
}

TEST(degenerate_data)
{
    static const char *const bodies[] = {
        RANKED("mann_whitney", "[1,1,1]", "[1,1]", ""),
        RANKED("trimmed_t", "[1,1,1]", "[1,1,1]", ""),
        COUNT(0, 100, 0, 100),
    };

    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        struct results_reply answer = analyze(bodies[i]);

        CHECK_TEXT(answer.verdict, "Cannot compute: zero standard error");
        CHECK(strstr(answer.interpretation, "standard error is zero"));
        CHECK_NEAR(answer.p_value, 1, 0);
        CHECK(!answer.effect_size.given && answer.effect_size_label == NULL);
    }
}

static const char *const bodies[ANALYZER__MAX] = {
    [ANALYZER_BINARY] = BINARY("binary", 8, 10, 1, 6),
    [ANALYZER_CONTINUOUS] = CONTINUOUS("continuous", ""),
    [ANALYZER_EQUIVALENCE] = CONTINUOUS("equivalence", ",\"equivalence_margin\":0.5"),
    [ANALYZER_MANN_WHITNEY] = SMALL_RANKED("mann_whitney"),
    [ANALYZER_BOOTSTRAP] = SMALL_RANKED("bootstrap"),
    [ANALYZER_QUANTILE] = SMALL_RANKED("quantile"),
    [ANALYZER_TRIMMED_T] = SMALL_RANKED("trimmed_t"),
    [ANALYZER_FISHER_EXACT] = BINARY("fisher_exact", 8, 10, 1, 6),
    [ANALYZER_BOSCHLOO_EXACT] = BINARY("boschloo_exact", 8, 10, 1, 6),
    [ANALYZER_BARNARD_EXACT] = BINARY("barnard_exact", 8, 10, 1, 6),
    [ANALYZER_COUNT] = COUNT(10, 100, 25, 100),
};

/* The words that tell the method, in the two languages that clients match. */
TEST(methods_are_named)
{
    static const struct {
        enum analyzer_id analyzer;
        const char *english, *russian;
    } names[] = {
        {ANALYZER_EQUIVALENCE, "equivalence", "эквивалентность"},
        {ANALYZER_MANN_WHITNEY, "Mann", "Медиана"},
        {ANALYZER_BOOTSTRAP, "bootstrap", "средних"},
        {ANALYZER_QUANTILE, "quantile", "квантил"},
        {ANALYZER_TRIMMED_T, "20%", "Юэна"},
        {ANALYZER_FISHER_EXACT, "Fisher", "Фишера"},
        {ANALYZER_BOSCHLOO_EXACT, "Boschloo", "Бошлоо"},
        {ANALYZER_BARNARD_EXACT, "Barnard", "Барнарда"},
        {ANALYZER_COUNT, "Poisson", "Пуассона"},
    };

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *body = bodies[names[i].analyzer];

        CHECK(strstr(analyze(body).interpretation, names[i].english));
        CHECK(strstr(analyze_in(language_find("ru"), body).interpretation, names[i].russian));
    }
}

TEST(every_language_says_all_of_it)
{
    for (int analyzer = 0; analyzer < ANALYZER__MAX; analyzer++) {
        struct results_reply english = analyze(bodies[analyzer]);

        for (int language = 1; language < language_count(); language++) {
            struct results_reply answer = analyze_in((enum language)language, bodies[analyzer]);

            CHECK(strstr(answer.interpretation, "{{") == NULL);
            CHECK(strstr(answer.interpretation, "results.") == NULL);
            CHECK(strcmp(answer.interpretation, english.interpretation) != 0);
            CHECK(strcmp(answer.verdict, english.verdict) != 0);
            CHECK(!english.effect_size_label ||
                  strcmp(answer.effect_size_label, english.effect_size_label) != 0);
            CHECK_NEAR(answer.p_value, english.p_value, 0);
        }
    }
}

TEST(limits)
{
    static const struct {
        const char *within, *beyond, *reason, *figure;
    } limits[] = {
        {BINARY("fisher_exact", 1, 250000, 2, 250000), BINARY("fisher_exact", 1, 300000, 2, 300000),
         "fisher_exact_table_too_large", "500000"},
        {BINARY("boschloo_exact", 40, 100, 55, 100), BINARY("boschloo_exact", 1, 150, 2, 150),
         "unconditional_exact_table_too_large", "200"},
        {BINARY("barnard_exact", 40, 100, 55, 100), BINARY("barnard_exact", 1, 100, 2, 101),
         "unconditional_exact_table_too_large", "200"},
        {COUNT(500000, 10, 500000, 10), COUNT(600000, 10, 600000, 10), "count_events_too_large",
         "1000000"},
    };

    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        const struct results_request *within = request_of(limits[i].within);
        const struct results_request *beyond = request_of(limits[i].beyond);

        CHECK(results_limit_passed(within) == NULL);
        analyze(limits[i].within);
        CHECK_INT(results_cost_units(beyond), 1);
        for (int language = 0; language < language_count(); language++) {
            const struct results_call call = {locale_get((enum language)language), arena, &problem};
            struct results_reply answer;

            CHECK_INT(results_analyze(&call, beyond, &answer), ERROR_TOO_LARGE);
            CHECK_TEXT(problem.reason, limits[i].reason);
            CHECK(strstr(problem.text, limits[i].figure));
            CHECK(strstr(problem.text, "{{") == NULL && strstr(problem.text, "errors.") == NULL);
        }
    }
}

/* An arm of zeros, for the cost of it. */
static struct number_list zeros(size_t count)
{
    return (struct number_list){count, ARENA_ARRAY(arena, double, count)};
}

static int64_t ranked_cost(enum analyzer_id analyzer, size_t n, size_t m)
{
    struct ranked_observation ranked = {zeros(n), zeros(m), 0.05, 0.5, 0.2};
    struct results_request request = {.metric_type = (int)analyzer, .ranked = &ranked};

    return results_cost_units(&request);
}

static int64_t table_cost(enum analyzer_id analyzer, int64_t x1, int64_t n1, int64_t x2, int64_t n2)
{
    struct binary_observation binary = {x1, n1, x2, n2, 0.05};
    struct results_request request = {.metric_type = (int)analyzer, .binary = &binary};

    return results_cost_units(&request);
}

TEST(costs)
{
    CHECK_INT(table_cost(ANALYZER_BINARY, 1, 1000000000, 2, 1000000000), 1);
    CHECK_INT(table_cost(ANALYZER_FISHER_EXACT, 100, 1000, 130, 1000), 40);
    CHECK_INT(table_cost(ANALYZER_FISHER_EXACT, 20, 200, 30, 175), 7);
    CHECK_INT(table_cost(ANALYZER_FISHER_EXACT, 1, 2, 2, 5), 2);
    CHECK_INT(table_cost(ANALYZER_FISHER_EXACT, 100000, 250000, 100000, 250000), 10000 + 100);
    CHECK_INT(table_cost(ANALYZER_BARNARD_EXACT, 40, 100, 55, 100), 205);
    CHECK_INT(table_cost(ANALYZER_BOSCHLOO_EXACT, 1, 5, 2, 5), 12);
    CHECK_INT(ranked_cost(ANALYZER_MANN_WHITNEY, 1000, 1000), 20);
    CHECK_INT(ranked_cost(ANALYZER_MANN_WHITNEY, 100, 100), 3);
    CHECK_INT(ranked_cost(ANALYZER_BOOTSTRAP, 500, 500), 20);
    CHECK_INT(ranked_cost(ANALYZER_BOOTSTRAP, 10, 10), 10);
    CHECK_INT(ranked_cost(ANALYZER_QUANTILE, 1000, 1000), 50);
    CHECK_INT(ranked_cost(ANALYZER_QUANTILE, 10, 10), 12);
    CHECK_INT(ranked_cost(ANALYZER_TRIMMED_T, 1000, 1000), 10);
    CHECK_INT(ranked_cost(ANALYZER_TRIMMED_T, 200, 200), 2);
    CHECK_INT(results_cost_units(request_of(CONTINUOUS("continuous", ""))), 1);
    CHECK_INT(results_cost_units(request_of(COUNT(10, 100, 25, 100))), 2);
    CHECK_INT(results_cost_units(request_of(COUNT(500000, 100, 500000, 100))), 21);
    CHECK_INT(results_cost_units(request_of(COUNT(0, 100, 0, 100))), 1);
}

#define BLOCK_BINARY                                                                               \
    "\"binary\":{\"control_conversions\":1,\"control_users\":10,\"treatment_conversions\":2,"      \
    "\"treatment_users\":10}"
#define BLOCK_CONTINUOUS                                                                           \
    "\"continuous\":{\"control_mean\":0,\"control_std\":1,\"control_n\":10,\"treatment_mean\":1,"  \
    "\"treatment_std\":1,\"treatment_n\":10,\"equivalence_margin\":1}"
#define BLOCK_RANKED "\"ranked\":{\"control_values\":[1,2],\"treatment_values\":[2,3]}"
#define BLOCK_COUNT                                                                                \
    "\"count\":{\"control_events\":1,\"control_exposure\":1,\"treatment_events\":1,"               \
    "\"treatment_exposure\":1}"

static const struct {
    const char *name, *json;
} blocks[] = {
    {"binary", BLOCK_BINARY},
    {"continuous", BLOCK_CONTINUOUS},
    {"ranked", BLOCK_RANKED},
    {"count", BLOCK_COUNT},
};

static const int block_of[ANALYZER__MAX] = {
    [ANALYZER_CONTINUOUS] = 1, [ANALYZER_EQUIVALENCE] = 1, [ANALYZER_MANN_WHITNEY] = 2,
    [ANALYZER_BOOTSTRAP] = 2,  [ANALYZER_QUANTILE] = 2,    [ANALYZER_TRIMMED_T] = 2,
    [ANALYZER_COUNT] = 3,
};

/* Each analyzer with each block: its own is enough, none is too few, another is too many. */
TEST(blocks_go_with_analyzers)
{
    for (int analyzer = 0; analyzer < ANALYZER__MAX; analyzer++) {
        const char *name = results_analyzer_names[analyzer];
        int own = block_of[analyzer];

        CHECK_TEXT(
            broken_rule(arena_print(arena, "{\"metric_type\":\"%s\"}", name)),
            arena_print(arena, "errors.schemas.%s_requires_%s_data", name, blocks[own].name));
        for (int other = 0; other < 4; other++) {
            const char *body =
                other == own
                    ? arena_print(arena, "{\"metric_type\":\"%s\",%s}", name, blocks[own].json)
                    : arena_print(arena, "{\"metric_type\":\"%s\",%s,%s}", name, blocks[own].json,
                                  blocks[other].json);
            const char *rule = other == own
                                   ? "valid"
                                   : arena_print(arena, "errors.schemas.%s_rejects_%s_data", name,
                                                 blocks[other].name);

            CHECK_TEXT(broken_rule(body), rule);
        }
    }
    CHECK_TEXT(broken_rule(CONTINUOUS("equivalence", "")),
               "errors.schemas.equivalence_requires_margin");
    CHECK_TEXT(broken_rule(CONTINUOUS("continuous", ",\"equivalence_margin\":null")), "valid");
}

TEST(rows_have_the_names_of_the_list)
{
    for (int i = 0; i < ANALYZER__MAX; i++)
        CHECK_TEXT(analyzers[i]->name, results_analyzer_names[i]);
}

TEST(rules_have_texts)
{
    for (size_t i = 0; i < results_request_schema.rule_count; i++) {
        const char *key = results_request_schema.rules[i].key;

        for (int language = 0; language < language_count(); language++)
            CHECK(strcmp(locale_format(locale_get((enum language)language), arena, key,
                                       NO_TEXT_ARGUMENTS),
                         key) != 0);
    }
}

static const struct test_case cases[] = {
    CASE(effects_are_rounded_by_analyzer),
    CASE(degenerate_data),
    CASE(methods_are_named),
    CASE(every_language_says_all_of_it),
    CASE(limits),
    CASE(costs),
    CASE(blocks_go_with_analyzers),
    CASE(rows_have_the_names_of_the_list),
    CASE(rules_have_texts),
};

int main(void)
{
    int status;

    if (locale_open_catalogues("locales", &problem))
        return puts(problem.text), 1;
    arena = arena_create((size_t)256 << 20);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    locale_close_catalogues();
    return status;
}
