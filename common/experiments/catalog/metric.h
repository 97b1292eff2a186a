/*
 * A metric of the catalog: what is measured, which way it should go, and what an effect must reach
 * to be worth it. Projects that name it start from these values. Does not depend on the database.
 */
#ifndef ASSAY_EXPERIMENTS_CATALOG_METRIC_H
#define ASSAY_EXPERIMENTS_CATALOG_METRIC_H

#include "experiments/payloads/payload.h"

enum { CATALOG_NAME_MAX_LENGTH = 120 };

/* Where events of a metric come from that live data has: each row of an entity is one event of the
 * user that it names. */
struct metric_livedata {
    const char *entity_type;
    const char *user_column;
    const char *value_column; /* NULL = each row counts as 1 */
    const char *time_column;  /* when the event happened */
};
SCHEMA_OF(metric_livedata_schema, struct metric_livedata);

/* What people write; every change of it is a version. */
struct metric_definition {
    const char *name;
    const char *description;
    const char *owner;             /* NULL = nobody is named */
    int kind;                      /* enum metric_type */
    int direction;                 /* enum goal_direction */
    const char *event_name;        /* of the events that count; of a ratio its numerator */
    const char *denominator_event; /* of a ratio, else NULL */
    struct optional_number baseline_value;
    struct optional_number std_dev;
    struct optional_number minimum_effect_pct; /* of the baseline, as a size */
    struct optional_number upper_cap;          /* of the value of a user */
    struct optional_number window_days;        /* after the exposure; absent = any time */
    const struct metric_livedata *livedata;    /* NULL = events are sent by clients */
};
SCHEMA_OF(metric_definition_schema, struct metric_definition);
/* The same as stored: unknown members are dropped. */
SCHEMA_OF(metric_definition_stored_schema, struct metric_definition);

/* The part of a design that follows from the definition: names, kind, direction, window, cap, and
 * the numbers that it has. Members that it leaves open are absent. From the arena. */
struct metric_defaults {
    const char *primary_metric_name;
    int metric_type;
    int direction;
    struct optional_number baseline_value;
    struct optional_number std_dev;
    struct optional_number mde_pct; /* negative where the goal is a decrease */
    const char *numerator_metric_name;
    const char *denominator_metric_name;
    int conversion_window; /* enum conversion_window */
    struct optional_number conversion_window_days;
    OBJECT_LIST(struct robust_metric, robust_metrics);
    const struct payload_catalog_metric *catalog_metric;
};
SCHEMA_OF(metric_defaults_schema, struct metric_defaults);

const struct metric_defaults *metric_defaults_of(const struct metric_definition *definition,
                                                 const char *id, int64_t version,
                                                 struct arena *arena);

#endif
