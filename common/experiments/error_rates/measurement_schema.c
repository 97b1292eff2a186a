/* Schemas of measured error rates, as stored and as answered. */
#include "experiments/error_rates/measurement.h"

static const char *const state_names[ERROR_RATES_STATE__MAX] = {"none", "waiting", "running",
                                                                "done", "failed"};

#define OWNER struct error_tally
static const struct field tally_fields[] = {
    STRING(OWNER, name),        STRING(OWNER, role),  STRING(OWNER, unit),
    NULLABLE_NUMBER(OWNER, at), INTEGER(OWNER, runs), INTEGER(OWNER, wrong),
    INTEGER(OWNER, covered),
};
#undef OWNER
static SCHEMA(tally_schema, struct error_tally, "ErrorTally", tally_fields);

#define OWNER struct error_record
static const struct field record_fields[] = {
    STRING(OWNER, version),
    INTEGER(OWNER, seed),
    INTEGER(OWNER, runs),
    INTEGER(OWNER, runs_done),
    INTEGER(OWNER, users),
    INTEGER(OWNER, people),
    NUMBER(OWNER, alpha),
    INTEGER(OWNER, took),
    INTEGER(OWNER, measured_at),
    OBJECTS(OWNER, metrics, tally_schema),
    INTEGER(OWNER, always_valid_runs),
    INTEGER(OWNER, always_valid_wrong),
    INTEGER(OWNER, verdict_runs),
    INTEGER(OWNER, ships),
    INTEGER(OWNER, stops),
};
#undef OWNER
SCHEMA(error_record_schema, struct error_record, "ErrorRecord", record_fields);

#define OWNER struct error_rates
static const struct field error_rates_fields[] = {
    STRING(OWNER, experiment_id),
    CHOICE(OWNER, state, state_names, .choice_count = ERROR_RATES_STATE__MAX,
           .help = "Of the newest measurement; none when there was none."),
    NULLABLE_INTEGER(OWNER, runs, .help = "That it makes in all."),
    NULLABLE_INTEGER(OWNER, runs_done),
    STRING(OWNER, failure, .nullable = true),
    TIME_OR_NULL(OWNER, requested_at),
    OBJECT(OWNER, measured, measured_error_rates_schema, .nullable = true,
           .help = "The newest finished measurement."),
};
#undef OWNER
SCHEMA(error_rates_schema, struct error_rates, "ErrorRates", error_rates_fields,
       .help = "The measured error rates of an experiment, and how far a measurement is.");
