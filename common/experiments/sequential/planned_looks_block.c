/* Schemas of planned looks. */
#include "experiments/sequential/planned_looks_block.h"

#define OWNER struct live_look_reading
static const struct field reading_fields[] = {
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status,
           .help = "no_look, continue, efficacy, futility, no_rejection (at the end), or "
                   "not_evaluable. By the looks that were taken."),
    NULLABLE_NUMBER(OWNER, efficacy_z, ROUNDED(6),
                    .help = "The boundary of a look now; with two sides also its negative. Null "
                            "when there are no new users since the last look, no alpha to spend, "
                            "or a boundary was crossed."),
    NULLABLE_NUMBER(OWNER, futility_z, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, z, ROUNDED(6), .help = "Of all data so far."),
    NULLABLE_NUMBER(OWNER, effect, ROUNDED(8),
                    .help = "Of all data so far, in natural units: proportions, not percentage "
                            "points."),
    NULLABLE_NUMBER(OWNER, ci_lower, ROUNDED(8),
                    .help = "Repeated interval of a look now: effect -+ boundary x standard "
                            "error."),
    NULLABLE_NUMBER(OWNER, ci_upper, ROUNDED(8)),
    OBJECT(OWNER, reading, sequential_monitor_reply_schema, .nullable = true,
           .help = "What the looks say, intervals in natural units: once a boundary is crossed the "
                   "adjusted p-value, interval and median-unbiased estimate, before that the "
                   "conditional power. Looks after a crossing make the figures more precise "
                   "(deletion method)."),
};
#undef OWNER
static SCHEMA(reading_schema, struct live_look_reading, "LiveLookReading", reading_fields);

#define OWNER struct live_look_taken
static const struct field taken_fields[] = {
    INTEGER(OWNER, look),
    NUMBER(OWNER, information_fraction, ROUNDED(6)),
    INTEGER(OWNER, users),
    STRING(OWNER, taken_at),
    STRING(OWNER, actor, .nullable = true, .help = "Null: the upkeep, at a planned look."),
};
#undef OWNER
static SCHEMA(taken_schema, struct live_look_taken, "LiveLookTaken", taken_fields);

#define OWNER struct live_planned_looks
static const struct field looks_fields[] = {
    STRING(OWNER, status,
           .help = "unavailable (the design cannot be sized), running, ended (for every "
                   "treatment), or plan_changed: looks were taken under another plan, and there "
                   "is no verdict until it is restored."),
    INTEGER(OWNER, sides),
    NUMBER(OWNER, alpha, .help = "Of one treatment, over all looks and sides."),
    STRING(OWNER, alpha_spending),
    STRING(OWNER, futility),
    NUMBERS(OWNER, planned_fractions),
    NULLABLE_NUMBER(OWNER, next_fraction, .help = "Of the next planned look."),
    BOOLEAN(OWNER, look_due,
            .help = "Its users are there. The upkeep takes the look, or POST .../looks now."),
    OBJECTS(OWNER, looks, taken_schema),
    OBJECTS(OWNER, comparisons, reading_schema),
};
#undef OWNER
SCHEMA(live_planned_looks_schema, struct live_planned_looks, "LivePlannedLooks", looks_fields,
       .help = "Looks by a spending function.");
