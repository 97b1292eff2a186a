/* Schemas of hybrid readings of a running experiment. */
#include "experiments/sequential/hybrid_block.h"

#define OWNER struct live_hybrid_reading
static const struct field reading_fields[] = {
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status,
           .help = "too_few_users (for a reading before the end), continue, efficacy, no_rejection "
                   "(at the end), or not_evaluable."),
    NULLABLE_NUMBER(OWNER, boundary_z, ROUNDED(6),
                    .help =
                        "Rejects beyond it on either side: the boundary of now, or the constant "
                        "of the test at the end once that is taken."),
    NULLABLE_NUMBER(OWNER, z, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, p_value, ROUNDED(8),
                    .help = "The smallest alpha at which this reading rejects, with the same share "
                            "and tuning."),
    NULLABLE_NUMBER(OWNER, effect, ROUNDED(8),
                    .help = "In natural units: proportions, not percentage points."),
    NULLABLE_NUMBER(OWNER, ci_lower, ROUNDED(8),
                    .help = "effect -+ boundary x standard error. All intervals hold together at "
                            "1 - alpha."),
    NULLABLE_NUMBER(OWNER, ci_upper, ROUNDED(8)),
    BOOLEAN(OWNER, is_significant),
};
#undef OWNER
static SCHEMA(reading_schema, struct live_hybrid_reading, "LiveHybridReading", reading_fields);

#define OWNER struct live_hybrid_end
static const struct field end_fields[] = {
    NUMBER(OWNER, information_fraction, ROUNDED(6)),
    INTEGER(OWNER, users),
    STRING(OWNER, taken_at),
    STRING(OWNER, actor, .nullable = true, .help = "Null: the upkeep, at the planned size."),
};
#undef OWNER
static SCHEMA(end_schema, struct live_hybrid_end, "LiveHybridEnd", end_fields);

#define OWNER struct live_hybrid
static const struct field hybrid_fields[] = {
    STRING(OWNER, status,
           .help = "unavailable (the design cannot be sized), running, ended (the one test at the "
                   "end is taken), or plan_changed: it was taken under another plan, and there is "
                   "no verdict until that is restored."),
    NUMBER(OWNER, alpha, .help = "Of one treatment, over all readings and both sides."),
    NUMBER(OWNER, early_share),
    NUMBER(OWNER, tuned_fraction),
    NULLABLE_NUMBER(OWNER, early_error, ROUNDED(8),
                    .help = "What readings before the end use of alpha, however many there are: "
                            "the test at the end has the rest."),
    NULLABLE_NUMBER(OWNER, end_z, ROUNDED(6),
                    .help = "The constant of the test at the end: at the planned size, or where it "
                            "was taken."),
    BOOLEAN(OWNER, end_due,
            .help =
                "The planned users are there. The upkeep or POST .../looks takes the test at the "
                "end once their values had time to come in."),
    OBJECT(OWNER, end, end_schema, .nullable = true),
    OBJECTS(OWNER, comparisons, reading_schema),
};
#undef OWNER
SCHEMA(
    live_hybrid_schema, struct live_hybrid, "LiveHybrid", hybrid_fields,
    .help = "Readings at any time until one test at the planned size; together they keep alpha.");
