/* Several groups: units, data without an answer, and the document. */
#include "base/json.h"
#include "base/number.h"
#include "experiments/analyses/omnibus_analysis.h"
#include "test.h"

static struct arena *arena;
static struct problem problem;

#define LIST(...)                                                                                  \
    {                                                                                              \
        sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[])                               \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define GROUPS(...)                                                                                \
    (&(struct omnibus_groups){sizeof((struct number_list[]){__VA_ARGS__}) /                        \
                                  sizeof(struct number_list),                                      \
                              (struct number_list[]){__VA_ARGS__}})
TEST(no_median_is_a_negative_zero)
{
    struct omnibus_result result = {0};

    CHECK(omnibus_kruskal(GROUPS(LIST(-0.0, -0.0, 1), LIST(0.0, -0.0, 2)), 0.05, arena, &result));
    CHECK(!signbit(result.groups[0].median.value) && !signbit(result.groups[1].median.value));
}

/* Means a billion from zero and a tenth apart: nothing is lost but what the values themselves have
 * lost. */
TEST(far_from_zero)
{
    struct omnibus_result near = {0}, far = {0};
    const double base = 1e9;

    CHECK(omnibus_welch(GROUPS(LIST(0.5, 0.25, 0.75), LIST(1.5, 1.25, 2), LIST(0, 1.125, 3)), 0.05,
                        arena, &near));
    CHECK(omnibus_welch(GROUPS(LIST(base + 0.5, base + 0.25, base + 0.75),
                               LIST(base + 1.5, base + 1.25, base + 2),
                               LIST(base, base + 1.125, base + 3)),
                        0.05, arena, &far));
    CHECK_RELATIVE(far.statistic, near.statistic, 1e-14);
    CHECK_RELATIVE(far.p_value, near.p_value, 1e-14);
}

TEST(ends_of_the_range)
{
    struct omnibus_result result = {0};

    CHECK(omnibus_welch(GROUPS(LIST(-1.7e308, 1.7e308), LIST(1.7e308, 1.6e308)), 0.05, arena,
                        &result));
    CHECK(isfinite(result.statistic) && result.p_value > 0 && result.p_value < 1);
    CHECK(isfinite(result.groups[0].std.value));
    CHECK(omnibus_welch(GROUPS(LIST(1e-300, 2e-300), LIST(5e-300, 6e-300)), 0.05, arena, &result));
    CHECK_RELATIVE(result.statistic, 32, 1e-12);
    /* beside a large group the other one is nothing: t = 1.2e308 / 4e307 with one degree of freedom
     */
    CHECK(omnibus_welch(GROUPS(LIST(8e307, 1.6e308), LIST(1, 2)), 0.05, arena, &result));
    CHECK_RELATIVE(result.statistic, 9, 1e-12);
    CHECK_RELATIVE(result.df_denominator.value, 1, 1e-12);
    CHECK_RELATIVE(result.p_value, 0.2048327646991335, 1e-12);
    CHECK(omnibus_kruskal(GROUPS(LIST(1.7e308, 1.6e308), LIST(-1.7e308, 5e-324)), 0.05, arena,
                          &result));
    CHECK_NEAR(result.groups[0].median.value, 1.65e308, 1e294);
}

TEST(data_without_an_answer)
{
    struct omnibus_result result;

    CHECK(!omnibus_welch(GROUPS(LIST(1, 1, 1), LIST(1, 2)), 0.05, arena, &result));
    CHECK(!omnibus_kruskal(GROUPS(LIST(0.0, -0.0), LIST(0.0, 0.0)), 0.05, arena, &result));
    CHECK(omnibus_kruskal(GROUPS(LIST(1, 1, 1), LIST(2, 2)), 0.05, arena, &result));
    CHECK_RELATIVE(result.statistic, 4, 1e-15); /* N - 1: all of the variance of the ranks */
    CHECK_RELATIVE(result.effect_size, 1, 1e-15);
}

static struct omnibus_request *read_request(const char *json, const char **broken)
{
    struct omnibus_request *request = ARENA_NEW(arena, struct omnibus_request);
    struct schema_errors errors;
    struct json_fault fault;
    json_t *document;

    *broken = "malformed";
    if (json_read(arena, json, strlen(json), 32, &document, &fault))
        return NULL;
    *broken = NULL;
    if (!schema_decode(&omnibus_request_schema, document, "body", request, &errors, arena))
        return request;
    *broken = errors.items[0].rule ? errors.items[0].rule->key : "a field";
    return NULL;
}

/* `groups` as JSON. */
static enum error analyze(const char *test, const char *groups, enum language language,
                          struct omnibus_reply *answer)
{
    const struct results_call call = {locale_get(language), arena, &problem};
    const char *broken;
    struct omnibus_request *request = read_request(
        arena_print(arena, "{\"test_type\":\"%s\",\"groups\":%s}", test, groups), &broken);

    return request ? omnibus_analyze(&call, request, answer) : ERROR_MALFORMED;
}

TEST(rules)
{
    static const struct {
        const char *json, *broken;
    } rows[] = {
        {"{\"test_type\":\"welch_anova\",\"groups\":[[1,2],[1]]}",
         "errors.schemas.omnibus_min_group_size"},
        {"{\"test_type\":\"welch_anova\",\"groups\":[[1,2]]}", "a field"},
        {"{\"test_type\":\"anova\",\"groups\":[[1,2],[1,3]]}", "a field"},
        {"{\"groups\":[[1,2],[1,3]]}", "a field"},
        {"{\"test_type\":\"welch_anova\",\"groups\":[[1,2],[1,null]]}", "a field"},
    };
    struct text text;
    const char *broken;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CHECK(!read_request(rows[i].json, &broken));
        CHECK_TEXT(broken, rows[i].broken);
    }
    text_start(&text, arena, 1 << 16);
    text_append_string(&text, "{\"test_type\":\"welch_anova\",\"groups\":[[1,2],[0");
    for (int i = 0; i < 1000; i++)
        text_append_format(&text, ",%d", i);
    text_append_string(&text, "]]}");
    CHECK(!read_request(text.bytes, &broken));
    CHECK_TEXT(broken, "errors.schemas.omnibus_group_too_large");
}

#define THREE_GROUPS                                                                               \
    "[[5.1,4.8,6.2,5.5,4.9,5.7,6,5.3],[6.5,7.1,6.8,7.4,6.9,7.7,6.2,7,7.3],"                        \
    "[5.9,6.3,6.7,5.5,6.1,6.4,7.2]]"

TEST(words)
{
    struct omnibus_reply answer = {0};

    CHECK_INT(analyze("welch_anova", THREE_GROUPS, LANGUAGE_EN, &answer), ERROR_NONE);
    CHECK_TEXT(answer.verdict, "Groups differ at alpha=0.050");
    CHECK_TEXT(answer.effect_size_label, "eta squared (η²)");
    CHECK_TEXT(answer.interpretation,
               "The difference between the means of 3 groups (24 values in all) is statistically "
               "significant: Welch's ANOVA, F(2, 13.2251) = 20.6234, p = 8.6e-05. The groups "
               "account for a share of η² = 0.6578 of the variation. Which of them differ is for "
               "pairwise tests to say.");
    CHECK_INT(analyze("kruskal_wallis", THREE_GROUPS, LANGUAGE_EN, &answer), ERROR_NONE);
    CHECK_TEXT(answer.effect_size_label, "epsilon squared (ε²)");
    CHECK_TEXT(answer.interpretation,
               "The difference between the ranks of 3 groups (24 values in all) is statistically "
               "significant: Kruskal–Wallis H = 15.3559, 2 degrees of freedom, p = 0.000463. The "
               "effect size is ε² = 0.6676. Which of them differ is for pairwise tests to say.");
    CHECK_INT(analyze("kruskal_wallis", "[[1,2],[1,2]]", LANGUAGE_EN, &answer), ERROR_NONE);
    CHECK_TEXT(answer.verdict, "No significant difference between groups at alpha=0.050");
    for (int language = 0; language < language_count(); language++) {
        CHECK_INT(analyze("welch_anova", THREE_GROUPS, (enum language)language, &answer),
                  ERROR_NONE);
        CHECK(strstr(answer.interpretation, "20.6234") && !strstr(answer.interpretation, "{{"));
        CHECK(strstr(answer.verdict, "alpha=0.050") && strstr(answer.effect_size_label, "η²"));
        CHECK_INT(analyze("kruskal_wallis", THREE_GROUPS, (enum language)language, &answer),
                  ERROR_NONE);
        CHECK(strstr(answer.interpretation, "15.3559") && !strstr(answer.interpretation, "{{"));
    }
}

TEST(refusals)
{
    struct omnibus_reply answer;

    CHECK_INT(analyze("welch_anova", "[[1,1],[1,2]]", LANGUAGE_EN, &answer), ERROR_INVALID);
    CHECK_TEXT(problem.reason, "welch_anova_degenerate");
    CHECK_INT(analyze("kruskal_wallis", "[[1,1],[1,1]]", LANGUAGE_EN, &answer), ERROR_INVALID);
    CHECK_TEXT(problem.reason, "kruskal_wallis_degenerate");
    CHECK_TEXT(problem.text, "the groups cannot be ranked: all values are equal");
}

TEST(costs)
{
    struct number_list groups[50] = {{.count = 2}, {.count = 2}};
    struct omnibus_request request = {.groups = {2, groups}};

    CHECK_INT(omnibus_cost_units(&request), 2);
    groups[0].count = 450;
    CHECK_INT(omnibus_cost_units(&request), 4);
}

static const struct test_case cases[] = {
    CASE(no_median_is_a_negative_zero),
    CASE(far_from_zero),
    CASE(ends_of_the_range),
    CASE(data_without_an_answer),
    CASE(rules),
    CASE(words),
    CASE(refusals),
    CASE(costs),
};

int main(void)
{
    int status;

    if (locale_open_catalogues("locales", &problem))
        return puts(problem.text), 1;
    arena = arena_create((size_t)16 << 20);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    locale_close_catalogues();
    return status;
}
