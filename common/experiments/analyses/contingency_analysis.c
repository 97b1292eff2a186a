/* Schema, rules and texts of the analysis of a table of counts. */
#include "experiments/analyses/contingency_analysis.h"

#include "experiments/analyses/report_print.h"

enum {
    LINES_MIN = 2,       /* rows, and columns */
    CELLS_PER_UNIT = 20, /* of cost */
    COST_MIN = 2,
};

static const char *const method_names[CONTINGENCY__MAX] = {
    [CONTINGENCY_CHI_SQUARE] = "chi_square",
    [CONTINGENCY_G_TEST] = "g_test",
};

/* What a row holds. Its length and its signs are rules of the table. */
static const struct field row_field = {.type = FIELD_INTEGERS};

#define OWNER struct categorical_request
static const struct field request_fields[] = {
    LISTS(OWNER, table, &row_field, .required = true, .min_length = LINES_MIN,
          .max_length = CONTINGENCY_LINES_MAX,
          .help = "Users per cell, row by row; 2 to 50 columns, as many in every row. Usually a "
                  "row per variant and a column per outcome."),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.1), .default_value = 0.05,
           .help = "Significance level."),
    CHOICE(OWNER, test_type, method_names, .choice_count = CONTINGENCY__MAX,
           .default_value = CONTINGENCY_CHI_SQUARE,
           .help = "Pearson's chi-square without a correction, or the likelihood ratio."),
};
#undef OWNER

static struct contingency_table table_of(const void *object)
{
    const struct object_list *table = &((const struct categorical_request *)object)->table;

    return (struct contingency_table){table->count, table->items};
}

static bool has_columns(const void *object)
{
    struct contingency_table table = table_of(object);

    for (size_t i = 0; i < table.row_count; i++)
        if (table.rows[i].count < LINES_MIN)
            return false;
    return true;
}

static bool has_not_too_many_columns(const void *object)
{
    struct contingency_table table = table_of(object);

    for (size_t i = 0; i < table.row_count; i++)
        if (table.rows[i].count > CONTINGENCY_LINES_MAX)
            return false;
    return true;
}

static bool is_rectangular(const void *object)
{
    struct contingency_table table = table_of(object);

    for (size_t i = 1; i < table.row_count; i++)
        if (table.rows[i].count != table.rows[0].count)
            return false;
    return true;
}

static bool has_no_negative_count(const void *object)
{
    struct contingency_table table = table_of(object);

    for (size_t i = 0; i < table.row_count; i++)
        for (size_t j = 0; j < table.rows[i].count; j++)
            if (table.rows[i].items[j] < 0)
                return false;
    return true;
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.categorical_min_columns", has_columns},
    {"errors.schemas.categorical_max_columns", has_not_too_many_columns},
    {"errors.schemas.categorical_rectangular", is_rectangular},
    {"errors.schemas.categorical_non_negative", has_no_negative_count},
};

SCHEMA(categorical_request_schema, struct categorical_request, "CategoricalRequest", request_fields,
       .help = "Users by two classifications at once.", RULES(request_rules),
       .example = "{\"table\":[[10,20,30],[30,20,10]],\"test_type\":\"chi_square\"}");

#define OWNER struct categorical_reply
static const struct field reply_fields[] = {
    STRING(OWNER, test_type),
    NUMBER(OWNER, chi_square, ROUNDED(4), .help = "Chi-square, or G."),
    INTEGER(OWNER, degrees_of_freedom),
    NUMBER(OWNER, p_value, ROUNDED(6)),
    BOOLEAN(OWNER, is_significant, .help = "From the p-value before rounding."),
    NUMBER(OWNER, cramers_v, ROUNDED(4),
           .help = "How strong the association is: 0 for none, 1 for a complete one."),
    INTEGER(OWNER, n_total),
    INTEGER(OWNER, num_rows),
    INTEGER(OWNER, num_cols),
    NUMBER(OWNER, min_expected_count, ROUNDED(4),
           .help = "Users in the emptiest cell were rows and columns independent."),
    BOOLEAN(OWNER, low_expected_warning,
            .help = "The emptiest cell expects fewer than 5 users: the p-value is approximate."),
    STRING(OWNER, verdict),
    STRING(OWNER, interpretation),
};
#undef OWNER
SCHEMA(categorical_reply_schema, struct categorical_reply, "CategoricalReply", reply_fields,
       .help = "Whether rows and columns depend on each other.");

static const char *verdict_text(const struct results_call *call,
                                const struct contingency_result *result)
{
    const char *key = result->is_significant ? "results.categorical.verdict_associated"
                                             : "results.categorical.verdict_independent";

    return locale_format(call->locale, call->arena, key, NO_TEXT_ARGUMENTS);
}

static const char *interpretation_text(const struct results_call *call,
                                       const struct categorical_reply *answer,
                                       const struct contingency_result *result,
                                       enum contingency_method method)
{
    const char *key = method == CONTINGENCY_G_TEST ? "results.interpretation.g_test"
                                                   : "results.interpretation.categorical";
    struct arena *arena = call->arena;

    return locale_format(
        call->locale, arena, key,
        TEXT_ARGUMENTS({"chiSquare", report_print_fixed(arena, 4, result->statistic)},
                       {"df", report_print_count(arena, result->degrees_of_freedom)},
                       {"rows", report_print_count(arena, answer->num_rows)},
                       {"cols", report_print_count(arena, answer->num_cols)},
                       {"n", report_print_count(arena, result->total)},
                       {"pValue", report_print_p_value(arena, result->p_value)},
                       {"cramersV", report_print_fixed(arena, 4, result->cramers_v)},
                       {"significance",
                        report_print_significance(call->locale, arena, result->is_significant)}));
}

/* The reason is the last part of its key. */
static enum error refuse(const struct results_call *call, enum contingency_fault fault)
{
    static const struct {
        enum error error;
        const char *reason, *key;
    } refusals[] = {
        [CONTINGENCY_EMPTY] = {ERROR_INVALID, "categorical_empty",
                               "errors.schemas.categorical_empty"},
        [CONTINGENCY_TOO_LARGE] = {ERROR_TOO_LARGE, "categorical_too_large",
                                   "errors.schemas.categorical_too_large"},
        [CONTINGENCY_EMPTY_LINE] = {ERROR_INVALID, "categorical_empty_line",
                                    "errors.schemas.categorical_empty_line"},
    };
    const char *limit = report_print_count(call->arena, CONTINGENCY_TOTAL_MAX);

    return problem_set(call->problem, refusals[fault].error, refusals[fault].reason, "%s",
                       locale_format(call->locale, call->arena, refusals[fault].key,
                                     TEXT_ARGUMENTS({"limit", limit})));
}

enum error categorical_analyze(const struct results_call *call,
                               const struct categorical_request *observed,
                               struct categorical_reply *answer)
{
    struct contingency_table table = table_of(observed);
    enum contingency_method method = (enum contingency_method)observed->test_type;
    struct contingency_result result;
    enum contingency_fault fault = contingency_test(&table, method, observed->alpha, &result);

    if (fault)
        return refuse(call, fault);
    *answer = (struct categorical_reply){.test_type = method_names[method],
                                         .chi_square = result.statistic,
                                         .degrees_of_freedom = result.degrees_of_freedom,
                                         .p_value = result.p_value,
                                         .is_significant = result.is_significant,
                                         .cramers_v = result.cramers_v,
                                         .n_total = result.total,
                                         .num_rows = (int64_t)table.row_count,
                                         .num_cols = (int64_t)table.rows[0].count,
                                         .min_expected_count = result.min_expected,
                                         .low_expected_warning =
                                             result.min_expected < CONTINGENCY_EXPECTED_MIN,
                                         .verdict = verdict_text(call, &result)};
    answer->interpretation = interpretation_text(call, answer, &result, method);
    return ERROR_NONE;
}

int64_t categorical_cost_units(const struct categorical_request *observed)
{
    struct contingency_table table = table_of(observed);
    int64_t cells = (int64_t)(table.row_count * table.rows[0].count);
    int64_t units = (cells + CELLS_PER_UNIT - 1) / CELLS_PER_UNIT;

    return units > COST_MIN ? units : COST_MIN;
}
