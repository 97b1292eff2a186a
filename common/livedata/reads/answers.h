/*
 * Answers about entities and metrics: from the cache or the tables, with freshness and health, in
 * the schema of the API version that the client has pinned.
 */
#ifndef ASSAY_LIVEDATA_READS_ANSWERS_H
#define ASSAY_LIVEDATA_READS_ANSWERS_H

#include "livedata/catalog/measure.h"
#include "livedata/freshness/bounds.h"
#include "livedata/metrics/metric.h"
#include "livedata/reads/health.h"

/* The caller and the context of a read. */
struct reading {
    struct storage_call storage;
    const struct catalog *catalog;
    const struct livedata_settings *settings;
    struct live_cache *cache;          /* or NULL */
    const struct api_version *version; /* of the API */
    const struct string_list *types;   /* types that the key may read; NULL = all */
    const char *key_name;              /* language of texts */
    struct read_state fresh;           /* bounds of the caller, and how they are met */
};

/* The entity types whose events are seen, as access/types.h has them; NULL = all. Those of domains
 * that the tenant does not list are not, also where the journal has them from before. */
const char *reading_event_types(const struct reading *reading);

enum cache_word { CACHE_UNUSED, CACHE_MISS, CACHE_HIT };

struct entity_answer {
    const struct entity_type *type;
    const char *id;
    const char *data;         /* JSON object */
    const char *status;       /* or NULL */
    struct event_mark newest; /* when the row was last changed */
    int64_t as_of;            /* 0 = now */
    enum cache_word cache;
};

/* ERROR_FORBIDDEN entity_forbidden; ERROR_NOT_FOUND unknown_entity_type, entity_not_found;
 * ERROR_INVALID as_of_future. */
MUST_CHECK enum error read_entity(const struct reading *reading, const char *type_name,
                                  const char *id, int64_t as_of, struct entity_answer *answer);

/* The block shared by both kinds of answers. */
struct answer_meta {
    int64_t as_of; /* 0 = now */
    bool is_historical;
    struct optional_number freshness_seconds, event_age_seconds;
    int health;
    struct optional_boolean stale;
    /* Of metrics only. */
    const char *reason; /* reason why there is no value; or NULL */
    struct optional_boolean mixed_currency;
    struct string_list currencies_not_added;
};
struct entity_reply {
    const char *entity_type, *entity_id, *status;
    const char *data; /* JSON object: the columns of the type */
    int64_t last_updated;
    struct optional_number freshness_seconds, event_age_seconds;
    const struct answer_meta *meta;
    const struct answer_freshness *freshness; /* NULL = not known */
};
SCHEMA_OF(entity_schema, struct entity_reply);
struct entity_reply entity_show(const struct reading *reading, const struct entity_answer *answer,
                                enum health_word health);

/* Unknown for a past time. */
struct data_ages entity_ages(const struct reading *reading, const struct entity_answer *answer);

struct metric_answer {
    struct metric_request request;
    struct metric_value value;
    int64_t computed_at;
    enum cache_word cache;
};

/* ERROR_NOT_FOUND unknown_metric, ERROR_FORBIDDEN metric_forbidden, ERROR_INVALID
 * unsupported_window, as_of_future. */
MUST_CHECK enum error read_metric(const struct reading *reading, const char *name,
                                  const char *window, int64_t as_of, struct metric_answer *answer);

struct metric_group {
    const char *keys; /* JSON object: the columns */
    int64_t at;       /* the beginning of its hour, day...; 0 = not grouped by time */
    struct optional_number value;
    const char *reason; /* why there is no value; or NULL */
};
struct metric_reply {
    const char *metric_name;
    struct optional_number value;
    const char *unit, *window;
    int64_t computed_at;
    const char *components; /* JSON object: the value per currency; or NULL */
    /* Of a period, a filter or groups (reads/measured.h). */
    int64_t from, to; /* 0 = absent */
    const char *time_zone;
    OBJECT_LIST(struct metric_group, groups);
    struct optional_boolean truncated;
    const struct answer_meta *meta;
    const struct answer_freshness *freshness; /* NULL = not known */
};
SCHEMA_OF(metric_schema, struct metric_reply);
struct metric_reply metric_show(const struct reading *reading, const struct metric_answer *answer,
                                enum health_word health);

struct data_ages metric_ages(const struct reading *reading, const struct metric_answer *answer);

/* The metric of that name, if the key may read it and it has the window; errors as above. */
MUST_CHECK enum error reading_metric(const struct reading *reading, const char *name,
                                     const char *window, int64_t as_of,
                                     const struct live_metric **metric);

/* The part about freshness and health of what a metric's events have changed until `newest`. */
struct answer_meta *metric_meta(const struct reading *reading, const struct live_metric *metric,
                                int64_t as_of, struct event_mark newest, enum health_word health);
const struct answer_freshness *metric_freshness(const struct reading *reading,
                                                const struct live_metric *metric);
SCHEMA_OF(metric_meta_schema, struct answer_meta);

/* Whether the key may read the type, or the table. */
bool may_see_type(const struct reading *reading, const char *type);
bool may_see_table(const struct reading *reading, const struct serving_table *table);
/* One that the catalog does not have any more is seen by keys of all types. */
bool may_see_metric(const struct reading *reading, const char *name);
/* Whether it may read all that the metric is computed from (`measure` as in metric_tables()). */
bool may_see_tables_of(const struct reading *reading, const struct live_metric *metric,
                       const struct measure *measure);
/* The type, if the key may read it: ERROR_FORBIDDEN entity_forbidden; ERROR_NOT_FOUND
 * unknown_entity_type. */
MUST_CHECK enum error find_readable_type(const struct reading *reading, const char *name,
                                         const struct entity_type **type);
/* ERROR_NOT_FOUND unknown_metric. */
MUST_CHECK enum error find_metric(const struct reading *reading, const char *name,
                                  const struct live_metric **metric);
/* ERROR_FORBIDDEN metric_forbidden unless may_see_tables_of(). */
MUST_CHECK enum error check_metric_readable(const struct reading *reading,
                                            const struct live_metric *metric,
                                            const struct measure *measure);
MUST_CHECK enum error check_as_of(const struct reading *reading, int64_t as_of); /* as_of_future */
/* The names of what it is computed from. */
struct string_list names_of_tables(struct arena *arena, const struct metric_tables *tables);

#endif
