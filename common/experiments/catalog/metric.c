/* Schema and rules of a metric of the catalog, and the design that follows from it. */
#include "experiments/catalog/metric.h"

enum { DESCRIPTION_MAX_LENGTH = 2000, OWNER_MAX_LENGTH = 200, EVENT_MAX_LENGTH = 200 };
enum { COLUMN_MAX_LENGTH = 100 };

#define OWNER struct metric_livedata
#define NAME_OF(member, ...)                                                                       \
    STRING(OWNER, member, .min_length = 1, .max_length = COLUMN_MAX_LENGTH, __VA_ARGS__)
static const struct field livedata_fields[] = {
    NAME_OF(entity_type, .required = true, .help = "Type of the rows, such as `order`."),
    NAME_OF(user_column, .required = true,
            .help = "Column with the user, as exposures name it. A figure without users is an "
                    "alarm of a guardrail, never a metric of arms."),
    NAME_OF(value_column, .nullable = true, .omit_if_null = true,
            .help = "Column with the value; without it a row counts as 1."),
    NAME_OF(time_column, .required = true, .help = "Column with the time of the event."),
};
#undef NAME_OF
#undef OWNER
SCHEMA(metric_livedata_schema, struct metric_livedata, "MetricLivedata", livedata_fields,
       .help = "Rows of live data that are the events of the metric.");

#define OWNER struct metric_definition
static const struct field definition_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = CATALOG_NAME_MAX_LENGTH,
           .help = "What people call the metric; no two have the same."),
    STRING(OWNER, description, .max_length = DESCRIPTION_MAX_LENGTH, .default_text = ""),
    STRING(OWNER, owner, .nullable = true, .max_length = OWNER_MAX_LENGTH,
           .help = "Whom to ask about it."),
    CHOICE(OWNER, kind, metric_type_names, .choice_count = METRIC__MAX, .required = true),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX,
           .help = "Where the metric should go."),
    STRING(OWNER, event_name, .required = true, .min_length = 1, .max_length = EVENT_MAX_LENGTH,
           .help = "Name of the events that count; of a ratio those of its numerator."),
    STRING(OWNER, denominator_event, .nullable = true, .min_length = 1,
           .max_length = EVENT_MAX_LENGTH, .help = "Of a ratio, and of nothing else."),
    NULLABLE_NUMBER(OWNER, baseline_value, .lower = ABOVE(0),
                    .help = "Its value today: a rate between 0 and 1 for binary."),
    NULLABLE_NUMBER(OWNER, std_dev, .lower = ABOVE(0), .help = "Between users."),
    NULLABLE_NUMBER(OWNER, minimum_effect_pct, .lower = ABOVE(0),
                    .help = "The smallest change worth having, in percent of the baseline."),
    NULLABLE_NUMBER(OWNER, upper_cap, .lower = ABOVE(0),
                    .help = "The most that one user counts; not of binary and ratio metrics."),
    NULLABLE_NUMBER(OWNER, window_days, .lower = ABOVE(0), .upper = AT_MOST(3650),
                    .help = "How long after the exposure events count; any time when absent."),
    OBJECT(OWNER, livedata, metric_livedata_schema, .nullable = true, .omit_if_null = true,
           .help = "Read the events from live data; not of ratio metrics. It stays as it is, like "
                   "event_name beside it."),
};
#undef OWNER

static bool ratio_has_denominator(const void *object)
{
    const struct metric_definition *metric = object;

    return (metric->kind == METRIC_RATIO) == (metric->denominator_event != NULL);
}

static bool rate_is_share(const void *object)
{
    const struct metric_definition *metric = object;

    return metric->kind != METRIC_BINARY || !metric->baseline_value.given ||
           metric->baseline_value.value < 1;
}

static bool cap_has_values(const void *object)
{
    const struct metric_definition *metric = object;

    return !metric->upper_cap.given ||
           (metric->kind != METRIC_BINARY && metric->kind != METRIC_RATIO);
}

static bool livedata_is_no_ratio(const void *object)
{
    const struct metric_definition *metric = object;

    return !metric->livedata || metric->kind != METRIC_RATIO;
}

static const struct schema_rule definition_rules[] = {
    {"errors.schemas.catalog_ratio_denominator", ratio_has_denominator},
    {"errors.schemas.catalog_rate_range", rate_is_share},
    {"errors.schemas.catalog_cap_kind", cap_has_values},
    {"errors.schemas.catalog_livedata_kind", livedata_is_no_ratio},
};

SCHEMA(metric_definition_schema, struct metric_definition, "MetricDefinition", definition_fields,
       .help = "A metric that projects share.", RULES(definition_rules),
       .example =
           "{\"name\":\"Checkout conversion\",\"kind\":\"binary\",\"event_name\":\"purchase\","
           "\"owner\":\"Shop team\",\"baseline_value\":0.042,\"minimum_effect_pct\":5,"
           "\"window_days\":14}");
SCHEMA(metric_definition_stored_schema, struct metric_definition, "MetricDefinitionStored",
       definition_fields, .extra = EXTRA_STORED);

#define OWNER struct metric_defaults
static const struct field defaults_fields[] = {
    STRING(OWNER, primary_metric_name),
    CHOICE(OWNER, metric_type, metric_type_names, .choice_count = METRIC__MAX),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX),
    NULLABLE_NUMBER(OWNER, baseline_value, .omit_if_null = true),
    NULLABLE_NUMBER(OWNER, std_dev, .omit_if_null = true),
    NULLABLE_NUMBER(OWNER, mde_pct, .omit_if_null = true),
    STRING(OWNER, numerator_metric_name, .nullable = true, .omit_if_null = true),
    STRING(OWNER, denominator_metric_name, .nullable = true, .omit_if_null = true),
    CHOICE(OWNER, conversion_window, conversion_window_names, .choice_count = WINDOW__MAX),
    NULLABLE_NUMBER(OWNER, conversion_window_days, .omit_if_null = true),
    OBJECTS(OWNER, robust_metrics, robust_schema, .nullable = true, .omit_if_null = true),
    OBJECT(OWNER, catalog_metric, payload_catalog_metric_schema),
};
#undef OWNER
SCHEMA(metric_defaults_schema, struct metric_defaults, "MetricDefaults", defaults_fields,
       .help = "Members of the block `metrics` of a design, as the metric has them.");

static struct optional_number signed_effect(const struct metric_definition *metric)
{
    struct optional_number effect = metric->minimum_effect_pct;

    if (metric->direction == GOAL_DECREASE)
        effect.value = -effect.value;
    return effect;
}

static struct object_list capped_mean(const struct metric_definition *metric, struct arena *arena)
{
    struct robust_metric *capped;

    if (!metric->upper_cap.given)
        return (struct object_list){0};
    capped = ARENA_NEW(arena, struct robust_metric);
    *capped = (struct robust_metric){.name = metric->event_name,
                                     .statistic = ROBUST_CAPPED_MEAN,
                                     .at = metric->upper_cap.value,
                                     .direction = metric->direction};
    return (struct object_list){1, capped};
}

const struct metric_defaults *metric_defaults_of(const struct metric_definition *definition,
                                                 const char *id, int64_t version,
                                                 struct arena *arena)
{
    struct metric_defaults *defaults = ARENA_NEW(arena, struct metric_defaults);
    struct payload_catalog_metric *named = ARENA_NEW(arena, struct payload_catalog_metric);
    bool ratio = definition->kind == METRIC_RATIO;

    *named = (struct payload_catalog_metric){id, version};
    *defaults = (struct metric_defaults){
        .primary_metric_name = definition->event_name,
        .metric_type = definition->kind,
        .direction = definition->direction,
        .baseline_value = definition->baseline_value,
        .std_dev = definition->std_dev,
        .mde_pct = signed_effect(definition),
        .numerator_metric_name = ratio ? definition->event_name : NULL,
        .denominator_metric_name = ratio ? definition->denominator_event : NULL,
        .conversion_window = definition->window_days.given || definition->livedata
                                 ? WINDOW_AFTER_EXPOSURE
                                 : WINDOW_ALL,
        .conversion_window_days = definition->window_days,
        .robust_metrics = capped_mean(definition, arena),
        .catalog_metric = named,
    };
    return defaults;
}
