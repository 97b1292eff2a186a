/* Tables of counts: tables close to independence, limits, and the document with its rules. */
#include "base/json.h"
#include "experiments/analyses/contingency_analysis.h"
#include "test.h"

static struct arena *arena;
static struct problem problem;

enum { COLUMNS_MAX = 7, ROWS_MAX = 3 };

static enum contingency_fault run(size_t rows, size_t columns,
                                  const int64_t counts[ROWS_MAX][COLUMNS_MAX],
                                  enum contingency_method method, struct contingency_result *result)
{
    struct integer_list lists[ROWS_MAX];
    struct contingency_table table = {rows, lists};

    for (size_t i = 0; i < rows; i++)
        lists[i] = (struct integer_list){columns, (int64_t *)(uintptr_t)counts[i]}; /* only read */
    return contingency_test(&table, method, 0.05, result);
}

/* One user more than independence in a corner of five million: G and chi-square agree to the last
 * digits, where O ln(O / E) summed as it stands has lost them all. */
TEST(close_to_independence)
{
    static const int64_t counts[ROWS_MAX][COLUMNS_MAX] = {{1250001, 1250000}, {1250000, 1249999}};
    struct contingency_result chi = {0}, g = {0};

    CHECK_INT(run(2, 2, counts, CONTINGENCY_CHI_SQUARE, &chi), CONTINGENCY_FINE);
    CHECK_INT(run(2, 2, counts, CONTINGENCY_G_TEST, &g), CONTINGENCY_FINE);
    /* the excess is 1 in each cell of O N - r c */
    CHECK_RELATIVE(chi.statistic, 5000000.0 / (2500001.0 * 2500001 * 2499999 * 2499999), 1e-14);
    CHECK_RELATIVE(g.statistic, chi.statistic, 1e-6);
}

TEST(tables_without_a_test)
{
    static const int64_t empty[ROWS_MAX][COLUMNS_MAX] = {{0, 0}, {0, 0}};
    static const int64_t empty_row[ROWS_MAX][COLUMNS_MAX] = {{0, 0}, {5, 5}};
    static const int64_t empty_column[ROWS_MAX][COLUMNS_MAX] = {{5, 0}, {5, 0}};
    static const int64_t full[ROWS_MAX][COLUMNS_MAX] = {{4999999, 0}, {0, 1}};
    static const int64_t one_more[ROWS_MAX][COLUMNS_MAX] = {{4999999, 1}, {0, 1}};
    static const int64_t huge[ROWS_MAX][COLUMNS_MAX] = {{INT64_MAX, INT64_MAX}, {1, 1}};
    /* 2^64 + 11 users */
    static const int64_t wrapping[ROWS_MAX][COLUMNS_MAX] = {{INT64_MAX, INT64_MAX, 7}, {1, 2, 3}};
    struct contingency_result result;

    CHECK_INT(run(2, 2, empty, CONTINGENCY_G_TEST, &result), CONTINGENCY_EMPTY);
    CHECK_INT(run(2, 2, empty_row, CONTINGENCY_G_TEST, &result), CONTINGENCY_EMPTY_LINE);
    CHECK_INT(run(2, 2, empty_column, CONTINGENCY_G_TEST, &result), CONTINGENCY_EMPTY_LINE);
    CHECK_INT(run(2, 2, full, CONTINGENCY_G_TEST, &result), CONTINGENCY_FINE);
    CHECK_INT(run(2, 2, one_more, CONTINGENCY_G_TEST, &result), CONTINGENCY_TOO_LARGE);
    CHECK_INT(run(2, 2, huge, CONTINGENCY_G_TEST, &result), CONTINGENCY_TOO_LARGE);
    CHECK_INT(run(2, 3, wrapping, CONTINGENCY_G_TEST, &result), CONTINGENCY_TOO_LARGE);
}

/* The request, or NULL with the key of the broken rule, or "a field". */
static struct categorical_request *read_request(const char *json, const char **broken)
{
    struct categorical_request *request = ARENA_NEW(arena, struct categorical_request);
    struct schema_errors errors;
    struct json_fault fault;
    json_t *document;

    *broken = "malformed";
    if (json_read(arena, json, strlen(json), 32, &document, &fault))
        return NULL;
    *broken = NULL;
    if (!schema_decode(&categorical_request_schema, document, "body", request, &errors, arena))
        return request;
    *broken = errors.items[0].rule ? errors.items[0].rule->key : "a field";
    return NULL;
}

TEST(rules_in_their_order)
{
    static const struct {
        const char *json, *broken;
    } rows[] = {
        {"{\"table\":[[1],[1,2,-3]]}", "errors.schemas.categorical_min_columns"},
        {"{\"table\":[[],[]]}", "errors.schemas.categorical_min_columns"},
        {"{\"table\":[[1,2],[1,2,-3]]}", "errors.schemas.categorical_rectangular"},
        {"{\"table\":[[1,2],[1,-3]]}", "errors.schemas.categorical_non_negative"},
        {"{\"table\":[[1,2]]}", "a field"},
        {"{\"table\":[[1,2],[1,2.5]]}", "a field"},
        {"{\"table\":[[1,2],[1,2]],\"alpha\":0.5}", "a field"},
        {"{\"table\":[[1,2],[1,2]],\"test_type\":\"fisher\"}", "a field"},
    };
    const char *broken, *wide = "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1";

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CHECK(!read_request(rows[i].json, &broken));
        CHECK_TEXT(broken, rows[i].broken);
    }
    CHECK(read_request(arena_print(arena, "{\"table\":[[%s,%s],[%s,%s]]}", wide, wide, wide, wide),
                       &broken));
    CHECK(!read_request(arena_print(arena, "{\"table\":[[%s,%s,1],[1,1]]}", wide, wide), &broken));
    CHECK_TEXT(broken, "errors.schemas.categorical_max_columns");
}

static enum error analyze(const char *json, enum language language,
                          struct categorical_reply *answer)
{
    const struct results_call call = {locale_get(language), arena, &problem};
    const char *broken;
    struct categorical_request *request = read_request(json, &broken);

    return request ? categorical_analyze(&call, request, answer) : ERROR_MALFORMED;
}

TEST(words)
{
    struct categorical_reply answer = {0};

    CHECK_INT(analyze("{\"table\":[[10,20,30],[30,20,10]]}", LANGUAGE_EN, &answer), ERROR_NONE);
    CHECK_TEXT(answer.test_type, "chi_square");
    CHECK_TEXT(answer.verdict, "Association detected");
    CHECK_TEXT(answer.interpretation,
               "Among 120 users in a table of 2 rows and 3 columns, the association of rows and "
               "columns is statistically significant: chi-square = 20.0000, 2 degrees of freedom, "
               "p = 4.5e-05. Its strength is Cramér's V = 0.4082.");
    CHECK(!answer.low_expected_warning);
    CHECK_INT(
        analyze("{\"table\":[[3,5],[4,5]],\"test_type\":\"g_test\"}", language_find("ru"), &answer),
        ERROR_NONE);
    CHECK(strstr(answer.interpretation, "G-критерий"));
    CHECK(answer.low_expected_warning);
    for (int language = 0; language < language_count(); language++) {
        CHECK_INT(analyze("{\"table\":[[3,5],[4,5]],\"test_type\":\"g_test\"}",
                          (enum language)language, &answer),
                  ERROR_NONE);
        CHECK(!strstr(answer.interpretation, "{{") && !strstr(answer.verdict, "results."));
        CHECK(strstr(answer.interpretation, "Cramér's V"));
    }
}

TEST(refusals)
{
    struct categorical_reply answer;

    CHECK_INT(analyze("{\"table\":[[0,0],[0,0]]}", LANGUAGE_EN, &answer), ERROR_INVALID);
    CHECK_TEXT(problem.reason, "categorical_empty");
    CHECK_INT(analyze("{\"table\":[[0,0],[1,0]]}", LANGUAGE_EN, &answer), ERROR_INVALID);
    CHECK_TEXT(problem.reason, "categorical_empty_line");
    CHECK_INT(analyze("{\"table\":[[5000000,1],[1,0]]}", LANGUAGE_EN, &answer), ERROR_TOO_LARGE);
    CHECK_TEXT(problem.reason, "categorical_too_large");
    CHECK_TEXT(problem.text, "table may count at most 5000000 users");
}

TEST(costs)
{
    struct integer_list rows[50] = {{.count = 2}};
    struct categorical_request request = {.table = {2, rows}};

    CHECK_INT(categorical_cost_units(&request), 2);
    request.table.count = 41;
    CHECK_INT(categorical_cost_units(&request), 5);
    rows[0].count = 50;
    request.table.count = 50;
    CHECK_INT(categorical_cost_units(&request), 125);
}

static const struct test_case cases[] = {
    CASE(close_to_independence),
    CASE(tables_without_a_test),
    CASE(rules_in_their_order),
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
