/* The mapping of columns and the answer of an analysis of a file. */
#include "experiments/datafiles/data_analysis.h"

#include <string.h>

enum { NAME_LONGEST = 500 };

static const char *const format_names[DATA_FORMAT__MAX] = {"auto", "csv", "ndjson"};
static const char *const delimiter_names[] = {"auto", "comma", "semicolon", "tab"};

#define OWNER struct data_mapping
static const struct field mapping_fields[] = {
    CHOICE(OWNER, format, format_names, .choice_count = DATA_FORMAT__MAX),
    CHOICE(OWNER, delimiter, delimiter_names, .choice_count = 4,
           .help = "Of a CSV file; auto takes what its first line has most of. Without commas "
                   "between fields numbers may have a decimal comma."),
    STRING(OWNER, arm, .required = true, .min_length = 1, .max_length = NAME_LONGEST,
           .help = "The column with the label of the user's arm."),
    STRING(OWNER, value, .required = true, .min_length = 1, .max_length = NAME_LONGEST,
           .help = "The column with the outcome, or the numerator of a ratio."),
    STRING(OWNER, denominator, .nullable = true, .max_length = NAME_LONGEST,
           .help = "Required by, and only read by, ratio."),
    STRINGS(OWNER, covariates, .max_length = REGRESSION_COVARIATES_MAX,
            .help = "Columns with what was known before the experiment; empty cells are missing "
                    "values, and the user counts all the same."),
    STRING(OWNER, control, .nullable = true, .max_length = NAME_LONGEST,
           .help = "The label of the control; null is the first label of the file."),
    CHOICE(OWNER, metric_type, metric_type_names, .choice_count = METRIC__MAX, .required = true),
    STRINGS(OWNER, analyses, .max_length = DATA_ANALYSES_MAX,
            .help = "Further analyses of each treatment: mann_whitney and trimmed_t for up to "
                    "500,000 users in an arm, quantile and bootstrap for up to 20,000."),
    CHOICE(OWNER, variance, adjusted_variance_names, .choice_count = VARIANCE__MAX),
    CHOICE(OWNER, distribution, adjusted_distribution_names, .choice_count = 2),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.1), .default_value = 0.05),
    NUMBER(OWNER, quantile, .lower = ABOVE(0), .upper = BELOW(1), .default_value = 0.5),
    NUMBER(OWNER, trim, .lower = AT_LEAST(0), .upper = BELOW(0.5), .default_value = 0.2),
};
#undef OWNER
static bool denominator_fits(const void *object)
{
    const struct data_mapping *mapping = object;

    return (mapping->metric_type == METRIC_RATIO) == (mapping->denominator != NULL);
}

static bool analyses_differ(const void *object)
{
    const struct string_list *analyses = &((const struct data_mapping *)object)->analyses;

    for (size_t i = 0; i < analyses->count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(analyses->items[i], analyses->items[k]) == 0)
                return false;
    return true;
}

static const struct schema_rule mapping_rules[] = {
    {"errors.data.analyses_differ", analyses_differ},
    {"errors.data.denominator", denominator_fits},
};

SCHEMA(data_mapping_schema, struct data_mapping, "DataMapping", mapping_fields,
       .help = "Which column of the file is what.", RULES(mapping_rules),
       .example = "{\"arm\":\"variant\",\"value\":\"revenue\",\"metric_type\":\"continuous\"}");

#define OWNER struct data_bad_row
static const struct field bad_row_fields[] = {
    INTEGER(OWNER, line, .help = "On which the record begins, from 1."),
    STRING(OWNER, column, .nullable = true),
    STRING(OWNER, reason,
           .help = "too_long, unterminated_quote, not_json, no_arm, no_value, not_a_number, "
                   "not_binary or negative."),
};
#undef OWNER
static SCHEMA(bad_row_schema, struct data_bad_row, "DataBadRow", bad_row_fields);

#define OWNER struct data_arm
static const struct field arm_fields[] = {STRING(OWNER, label), INTEGER(OWNER, users)};
#undef OWNER
static SCHEMA(arm_schema, struct data_arm, "DataArm", arm_fields);

#define OWNER struct data_pair_analysis
static const struct field pair_fields[] = {
    INTEGER(OWNER, treatment_index),
    OBJECT(OWNER, analysis, results_reply_schema),
};
#undef OWNER
static SCHEMA(pair_schema, struct data_pair_analysis, "DataPairAnalysis", pair_fields);

#define OWNER struct data_reply
static const struct field reply_fields[] = {
    STRING(OWNER, format),
    STRING(OWNER, delimiter, .nullable = true),
    INTEGER(OWNER, rows, .help = "Records of the file, without the names of a CSV file."),
    INTEGER(OWNER, users, .help = "Records that could be used."),
    INTEGER(OWNER, bad_rows),
    OBJECTS(OWNER, first_bad_rows, bad_row_schema),
    OBJECTS(OWNER, arms, arm_schema, .help = "The control first, then as they came."),
    OBJECT(OWNER, comparison, adjusted_reply_schema,
           .help = "With and without covariates; the same twice when there are none."),
    OBJECTS(OWNER, analyses, pair_schema,
            .help = "The analysis of the metric type, as /results gives it, and those asked for; "
                    "alpha is that of one comparison."),
};
#undef OWNER
SCHEMA(data_reply_schema, struct data_reply, "DataReply", reply_fields,
       .help = "What a file of users shows.");
