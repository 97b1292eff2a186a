/* The schema of the checks of an experiment's data. */
#include "experiments/live_results/quality.h"

#define OWNER struct quality_ratio
static const struct field ratio_fields[] = {
    STRING(
        OWNER, status,
        .help =
            "ok, mismatch, insufficient_data, or not_applicable (adaptive shares; users who come "
            "in clusters)."),
    INTEGERS(OWNER, observed, .help = "Users per arm."),
    NULLABLE_NUMBER(OWNER, e_value, ROUNDED(6), .help = "The largest at the end of a day so far."),
    NULLABLE_NUMBER(OWNER, p_value, ROUNDED(6), .help = "Valid at every look."),
    BOOLEAN(OWNER, is_mismatch, .help = "p_value is below 0.001."),
    STRING(OWNER, since, .nullable = true, .help = "The day at whose end it was first seen."),
};
#undef OWNER
static SCHEMA(ratio_schema, struct quality_ratio, "QualitySampleRatio", ratio_fields);

#define OWNER struct quality_fall
static const struct field fall_fields[] = {
    STRING(OWNER, date),
    STRING(OWNER, what,
           .help = "users: new ones; events: users with their first event, for the new users of "
                   "the day."),
    NULLABLE_INTEGER(OWNER, variation_index, .help = "null: all arms together."),
    INTEGER(OWNER, count),
    NUMBER(OWNER, usual, ROUNDED(2), .help = "The median of up to 14 days before."),
};
#undef OWNER
static SCHEMA(fall_schema, struct quality_fall, "QualityFall", fall_fields,
              .help = "Less than half of what is usual, with a probability below 0.0001.");

#define OWNER struct quality_silence
static const struct field silence_fields[] = {
    STRING(OWNER, metric),
    INTEGER(OWNER, variation_index),
    NUMBER(OWNER, expected, ROUNDED(2),
           .help = "Users with an event, at the rate of the other arms."),
};
#undef OWNER
static SCHEMA(silence_schema, struct quality_silence, "QualitySilence", silence_fields);

#define OWNER struct quality_contamination
static const struct field contamination_fields[] = {
    INTEGER(OWNER, variation_index),
    INTEGER(OWNER, users),
    INTEGER(OWNER, in_several_arms),
    NULLABLE_NUMBER(OWNER, share, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(contamination_schema, struct quality_contamination, "QualityContamination",
              contamination_fields);

#define OWNER struct quality_contamination_day
static const struct field contamination_day_fields[] = {
    STRING(OWNER, date),
    INTEGER(OWNER, users, .help = "Exposed first on that day."),
    INTEGER(OWNER, in_several_arms),
};
#undef OWNER
static SCHEMA(contamination_day_schema, struct quality_contamination_day, "QualityContaminationDay",
              contamination_day_fields);

#define OWNER struct quality_contamination_course
static const struct field contamination_course_fields[] = {
    STRING(OWNER, status, .help = "ok, contaminated or insufficient_data."),
    NULLABLE_NUMBER(OWNER, e_value, ROUNDED(6),
                    .help = "Evidence that more than 0.1 % of users see several arms: the largest "
                            "at the end of a day so far."),
    NULLABLE_NUMBER(OWNER, p_value, ROUNDED(6), .help = "Valid at every look."),
    BOOLEAN(OWNER, is_contaminated, .help = "p_value is at most 0.001."),
    STRING(OWNER, since, .nullable = true, .help = "The day at whose end it was first seen."),
    OBJECTS(OWNER, days, contamination_day_schema, .help = "Those with users in several arms."),
};
#undef OWNER
static SCHEMA(contamination_course_schema, struct quality_contamination_course,
              "QualityContaminationCourse", contamination_course_fields);

#define OWNER struct quality_balance
static const struct field balance_fields[] = {
    STRING(OWNER, covariate),
    INTEGER(OWNER, treatment_index),
    NUMBER(OWNER, control_mean, ROUNDED(6)),
    NUMBER(OWNER, treatment_mean, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, standardized_difference, ROUNDED(6),
                    .help = "In standard deviations of one user."),
    NULLABLE_NUMBER(OWNER, p_value, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, p_value_adjusted, ROUNDED(6),
                    .help = "Holm's, over all covariates and treatments."),
    BOOLEAN(OWNER, is_unbalanced, .help = "The adjusted p-value is at most 0.01."),
};
#undef OWNER
static SCHEMA(balance_schema, struct quality_balance, "QualityBalance", balance_fields);

#define OWNER struct quality_weekday
static const struct field weekday_fields[] = {
    STRING(OWNER, weekday),
    INTEGER(OWNER, days),
    NULLABLE_NUMBER(OWNER, mean_effect, ROUNDED(6),
                    .help = "On what a day brings per user seen so far."),
};
#undef OWNER
static SCHEMA(weekday_schema, struct quality_weekday, "QualityWeekday", weekday_fields);

#define OWNER struct quality_weekdays
static const struct field weekdays_fields[] = {
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status, .help = "ok, or too_short: two of each weekday are needed."),
    INTEGER(OWNER, complete_days),
    NULLABLE_NUMBER(OWNER, p_value, ROUNDED(6),
                    .help = "Kruskal-Wallis over the effects of days, by weekday."),
    BOOLEAN(OWNER, differs, .help = "p_value is at most 0.01."),
    OBJECTS(OWNER, weekdays, weekday_schema),
};
#undef OWNER
static SCHEMA(weekdays_schema, struct quality_weekdays, "QualityWeekdays", weekdays_fields);

#define OWNER struct quality_novelty_day
static const struct field novelty_day_fields[] = {
    INTEGER(OWNER, day, .help = "Since the exposure; 0: the 24 hours after it."),
    INTEGER(OWNER, control_users, .help = "Whose day is over."),
    INTEGER(OWNER, treatment_users),
    NUMBER(OWNER, effect, ROUNDED(6), .help = "On what a user does on that day."),
    NUMBER(OWNER, ci_lower, ROUNDED(6), .help = "95 %, of this day alone."),
    NUMBER(OWNER, ci_upper, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(novelty_day_schema, struct quality_novelty_day, "QualityNoveltyDay",
              novelty_day_fields);

#define OWNER struct quality_novelty
static const struct field novelty_fields[] = {
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status,
           .help = "ok, too_short (three days with 100 users per arm are needed), ratio, clusters, "
                   "adaptive, values_too_large or zero_variance."),
    STRING(OWNER, unit, .help = "rate or mean: of a user and day."),
    NULLABLE_NUMBER(OWNER, slope, ROUNDED(6), .help = "Of the effect, per day since exposure."),
    NULLABLE_NUMBER(OWNER, ci_lower, ROUNDED(6), .help = "95 %."),
    NULLABLE_NUMBER(OWNER, ci_upper, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, p_value, ROUNDED(6), .help = "Of one look."),
    NULLABLE_NUMBER(OWNER, p_value_adjusted, ROUNDED(6), .help = "Holm's, over the treatments."),
    BOOLEAN(OWNER, changes, .help = "p_value_adjusted is at most 0.001."),
    OBJECTS(OWNER, days, novelty_day_schema),
};
#undef OWNER
static SCHEMA(novelty_schema, struct quality_novelty, "QualityNovelty", novelty_fields);

#define OWNER struct quality_alarm
static const struct field alarm_fields[] = {
    STRING(OWNER, code,
           .help = "SAMPLE_RATIO, USERS_FELL, EVENTS_FELL, SILENT_ARM, SEVERAL_ARMS, CONTAMINATED, "
                   "UNBALANCED, WEEKDAYS_DIFFER, EFFECT_CHANGES."),
    STRING(OWNER, severity, .help = "high: do not trust the results; medium: look into it."),
};
#undef OWNER
static SCHEMA(alarm_schema, struct quality_alarm, "QualityAlarm", alarm_fields);

#define OWNER struct live_quality
static const struct field quality_fields[] = {
    STRING(OWNER, experiment_id),
    STRING(OWNER, status,
           .help = "ok, or pending: days of a large experiment are not computed yet."),
    BOOLEAN(OWNER, is_current, .help = "The days are those of the current data."),
    INTEGER(OWNER, step_days, .help = "What is seen by day needs 1 here."),
    OBJECTS(OWNER, alarms, alarm_schema),
    OBJECT(OWNER, sample_ratio, ratio_schema),
    OBJECTS(OWNER, falls, fall_schema, .help = "At most 20, the newest last."),
    OBJECTS(OWNER, silent_arms, silence_schema),
    OBJECTS(OWNER, contamination, contamination_schema),
    OBJECT(OWNER, contamination_course, contamination_course_schema),
    OBJECTS(OWNER, balance, balance_schema,
            .help = "Of the covariates in use, among users that have all of them."),
    OBJECTS(OWNER, weekday_effects, weekdays_schema),
    OBJECTS(OWNER, novelty, novelty_schema, .help = "The effect by days since the exposure."),
};
#undef OWNER
SCHEMA(live_quality_schema, struct live_quality, "LiveQuality", quality_fields,
       .help = "Whether the data of an experiment can be trusted.");
