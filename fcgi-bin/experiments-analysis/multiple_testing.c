/* POST /api/v1/multiple-testing: adjusts labeled p-values. */
#include "experiments-analysis/multiple_testing.h"
#include "stats/multiple_testing.h"

enum { METRICS_MAX = 100, LABEL_MAX_LENGTH = 200 };

struct tested_metric {
    const char *label;
    double p_value;
};

struct multiple_testing_request {
    OBJECT_LIST(struct tested_metric, metrics); /* struct tested_metric */
    double level;
    int method; /* enum multiple_testing_method */
};

struct adjusted_metric {
    const char *label;
    double p_value;
    double adjusted_p_value;
    bool rejected;
};

struct multiple_testing_reply {
    const char *method;
    double level;
    int64_t num_tests;
    int64_t num_rejected;
    int64_t threshold_rank;
    double critical_value;
    OBJECT_LIST(struct adjusted_metric, results); /* struct adjusted_metric */
};

#define OWNER struct tested_metric
static const struct field metric_fields[] = {
    STRING(OWNER, label, .required = true, .min_length = 1, .max_length = LABEL_MAX_LENGTH),
    NUMBER(OWNER, p_value, .required = true, .lower = AT_LEAST(0), .upper = AT_MOST(1)),
};
#undef OWNER
static SCHEMA(metric_schema, struct tested_metric, "TestedMetric", metric_fields,
              .help = "One test of several.");

#define OWNER struct multiple_testing_request
static const struct field request_fields[] = {
    OBJECTS(OWNER, metrics, metric_schema, .required = true, .min_length = 1,
            .max_length = METRICS_MAX),
    NUMBER(OWNER, level, .lower = ABOVE(0), .upper = BELOW(1), .default_value = 0.05,
           .help = "False discovery rate for bh, family-wise error rate for holm."),
    CHOICE(OWNER, method, multiple_testing_names, .choice_count = MULTIPLE_TESTING__MAX,
           .help = "bh holds the share of false discoveries below the level, holm the chance of "
                   "any."),
};
#undef OWNER
SCHEMA(multiple_testing_request_schema, struct multiple_testing_request, "MultipleTestingRequest",
       request_fields, .help = "Tests that are read together.",
       .example = "{\"metrics\":[{\"label\":\"conversion\",\"p_value\":0.001},"
                  "{\"label\":\"revenue\",\"p_value\":0.012},{\"label\":\"returns\","
                  "\"p_value\":0.04},{\"label\":\"visits\",\"p_value\":0.6}]}");

#define OWNER struct adjusted_metric
static const struct field result_fields[] = {
    STRING(OWNER, label),
    NUMBER(OWNER, p_value),
    NUMBER(OWNER, adjusted_p_value, ROUNDED(6)),
    BOOLEAN(OWNER, rejected, .help = "The null hypothesis is; the metric moved."),
};
#undef OWNER
static SCHEMA(result_schema, struct adjusted_metric, "AdjustedMetric", result_fields);

#define OWNER struct multiple_testing_reply
static const struct field reply_fields[] = {
    STRING(OWNER, method),
    NUMBER(OWNER, level),
    INTEGER(OWNER, num_tests),
    INTEGER(OWNER, num_rejected),
    INTEGER(OWNER, threshold_rank, .help = "Rank of the largest p-value that is rejected."),
    NUMBER(OWNER, critical_value, ROUNDED(6),
           .help = "The largest p-value that is rejected; 0 when none is."),
    OBJECTS(OWNER, results, result_schema, .help = "In the order of the request."),
};
#undef OWNER
SCHEMA(multiple_testing_reply_schema, struct multiple_testing_reply, "MultipleTestingReply",
       reply_fields, .help = "P-values adjusted for their number.");

enum error multiple_testing_handle(struct request *request, struct reply *reply)
{
    const struct multiple_testing_request *asked = request->body;
    const struct tested_metric *metrics = asked->metrics.items;
    size_t count = asked->metrics.count;
    double *p_values = ARENA_ARRAY(request->arena, double, count);
    struct adjusted_test *tests = ARENA_ARRAY(request->arena, struct adjusted_test, count);
    struct adjusted_metric *results = ARENA_ARRAY(request->arena, struct adjusted_metric, count);
    struct multiple_testing_reply *answer =
        ARENA_NEW(request->arena, struct multiple_testing_reply);
    struct multiple_testing_result result;

    for (size_t i = 0; i < count; i++)
        p_values[i] = metrics[i].p_value;
    result = multiple_testing_adjust((enum multiple_testing_method)asked->method, p_values, count,
                                     asked->level, request->arena, tests);
    for (size_t i = 0; i < count; i++)
        results[i] = (struct adjusted_metric){metrics[i].label, metrics[i].p_value,
                                              tests[i].adjusted_p_value, tests[i].rejected};
    *answer = (struct multiple_testing_reply){.method = multiple_testing_names[asked->method],
                                              .level = asked->level,
                                              .num_tests = (int64_t)count,
                                              .num_rejected = (int64_t)result.rejected_count,
                                              .threshold_rank = (int64_t)result.rejected_count,
                                              .critical_value = result.critical_value,
                                              .results = {count, results}};
    reply->object = answer;
    return ERROR_NONE;
}
