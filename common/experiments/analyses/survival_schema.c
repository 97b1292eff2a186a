/* Schemas of a survival analysis and the rules that span their fields. */
#include "experiments/analyses/survival_schema.h"

enum { SUBJECTS_MAX = 1000 }; /* per arm */

const char *const survival_test_names[SURVIVAL_TEST__MAX] = {
    [SURVIVAL_LOG_RANK] = "log_rank",
    [SURVIVAL_FLEMING_HARRINGTON] = "fleming_harrington",
    [SURVIVAL_COX] = "cox",
};

#define OWNER struct survival_arm
static const struct field arm_fields[] = {
    NUMBERS(OWNER, durations, .required = true, .min_length = 1, .max_length = SUBJECTS_MAX,
            .help = "How long each subject was watched, in any unit; 0 or more."),
    BOOLEANS(OWNER, events_observed, .required = true, .min_length = 1, .max_length = SUBJECTS_MAX,
             .help = "Whether the event ended that; false where only the watching ended."),
};
#undef OWNER

static bool lengths_match(const void *object)
{
    const struct survival_arm *arm = object;

    return arm->durations.count == arm->events_observed.count;
}

static bool durations_are_not_negative(const void *object)
{
    const struct number_list *durations = &((const struct survival_arm *)object)->durations;

    for (size_t i = 0; i < durations->count; i++)
        if (!(durations->items[i] >= 0))
            return false;
    return true;
}

static const struct schema_rule arm_rules[] = {
    {"errors.schemas.survival_length_mismatch", lengths_match},
    {"errors.schemas.survival_durations_non_negative", durations_are_not_negative},
};

static SCHEMA(arm_schema, struct survival_arm, "SurvivalArm", arm_fields,
              .help = "One entry per subject in each list.", RULES(arm_rules));

#define OWNER struct survival_request
static const struct field request_fields[] = {
    OBJECT(OWNER, control_arm, arm_schema, .required = true),
    OBJECT(OWNER, treatment_arm, arm_schema, .required = true),
    OBJECTS(OWNER, additional_arms, arm_schema, .max_length = SURVIVAL_ARMS_MAX - 2,
            .help = "Further arms; cox takes none."),
    CHOICE(OWNER, test_type, survival_test_names, .choice_count = SURVIVAL_TEST__MAX,
           .default_value = SURVIVAL_LOG_RANK,
           .help = "log_rank and fleming_harrington ask whether all arms share one hazard, cox how "
                   "large the ratio of two is."),
    NUMBER(OWNER, fh_rho, .lower = AT_LEAST(0), .upper = AT_MOST(4), .default_value = 1,
           .help =
               "fleming_harrington weighs each time by S^rho (1 - S)^gamma, S the share that is "
               "left: a high rho looks at early differences."),
    NUMBER(OWNER, fh_gamma, .lower = AT_LEAST(0), .upper = AT_MOST(4), .default_value = 0,
           .help = "A high gamma looks at late differences."),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.1), .default_value = 0.05,
           .help = "Two-sided significance level."),
};
#undef OWNER

static bool cox_has_two_arms(const void *object)
{
    const struct survival_request *observed = object;

    return observed->test_type != SURVIVAL_COX || observed->additional_arms.count == 0;
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.survival_cox_two_arms_only", cox_has_two_arms},
};

SCHEMA(survival_request_schema, struct survival_request, "SurvivalRequest", request_fields,
       .help = "Times until an event, or until the watching ended.", RULES(request_rules),
       .example = "{\"control_arm\":{\"durations\":[5,8,12,3,9],"
                  "\"events_observed\":[true,true,false,true,true]},"
                  "\"treatment_arm\":{\"durations\":[11,15,7,20,18],"
                  "\"events_observed\":[true,false,true,false,true]},\"test_type\":\"log_rank\"}");

#define OWNER struct survival_arm_summary
static const struct field summary_fields[] = {
    INTEGER(OWNER, n, .help = "Subjects."),
    INTEGER(OWNER, observed, .help = "Events."),
    NUMBER(OWNER, expected, ROUNDED(4), .help = "Events, had all arms shared one hazard."),
};
#undef OWNER
static SCHEMA(summary_schema, struct survival_arm_summary, "SurvivalArmSummary", summary_fields);

#define OWNER struct survival_point
static const struct field point_fields[] = {
    NUMBER(OWNER, time),
    NUMBER(OWNER, survival, ROUNDED(6), .help = "Kaplan-Meier estimate from this time on."),
    INTEGER(OWNER, at_risk, .help = "Watched at least until this time."),
    INTEGER(OWNER, n_events),
    NUMBER(OWNER, std_error, ROUNDED(6), .help = "Greenwood's."),
    NUMBER(OWNER, ci_lower, ROUNDED(6)),
    NUMBER(OWNER, ci_upper, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(point_schema, struct survival_point, "SurvivalPoint", point_fields);

static const struct field curve_item = {.type = FIELD_OBJECTS, .schema = &point_schema};

#define OWNER struct survival_reply
static const struct field reply_fields[] = {
    NUMBER(OWNER, chi_square, ROUNDED(4), .help = "cox: Wald's, the square of z."),
    INTEGER(OWNER, degrees_of_freedom),
    NUMBER(OWNER, p_value, ROUNDED(6)),
    BOOLEAN(OWNER, is_significant, .help = "From the p-value before rounding."),
    STRING(OWNER, test_type),
    NULLABLE_NUMBER(OWNER, fh_rho, .help = "fleming_harrington only."),
    NULLABLE_NUMBER(OWNER, fh_gamma),
    NULLABLE_NUMBER(OWNER, hazard_ratio, ROUNDED(4),
                    .help = "cox only: treatment's hazard over control's."),
    NULLABLE_NUMBER(OWNER, hazard_ratio_ci_lower, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, hazard_ratio_ci_upper, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, log_hazard_ratio, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, log_hazard_ratio_se, ROUNDED(6)),
    INTEGER(OWNER, observed_control, .help = "Events."),
    NUMBER(OWNER, expected_control, ROUNDED(4),
           .help = "Events, had all arms shared one hazard; never weighted."),
    INTEGER(OWNER, observed_treatment),
    NUMBER(OWNER, expected_treatment, ROUNDED(4)),
    INTEGER(OWNER, n_control, .help = "Subjects."),
    INTEGER(OWNER, n_treatment),
    OBJECTS(OWNER, arm_summaries, summary_schema,
            .help = "Control, treatment and the additional arms."),
    OBJECTS(OWNER, control_curve, point_schema,
            .help = "A point per time with an event; empty when all were censored."),
    OBJECTS(OWNER, treatment_curve, point_schema),
    LISTS(OWNER, additional_arm_curves, &curve_item),
    STRING(OWNER, verdict),
    STRING(OWNER, interpretation),
};
#undef OWNER
SCHEMA(survival_reply_schema, struct survival_reply, "SurvivalReply", reply_fields,
       .help = "What the test showed, and the curves of the arms.");

int64_t survival_request_subjects(const struct survival_request *observed)
{
    const struct survival_arm *additional = observed->additional_arms.items;
    size_t subjects =
        observed->control_arm->durations.count + observed->treatment_arm->durations.count;

    for (size_t i = 0; i < observed->additional_arms.count; i++)
        subjects += additional[i].durations.count;
    return (int64_t)subjects;
}
