/* Lineage of entities and timelines of orders, from the journal. */
#ifndef ASSAY_LIVEDATA_READS_TRACES_H
#define ASSAY_LIVEDATA_READS_TRACES_H

#include "livedata/reads/answers.h"

struct lineage_node {
    const char *layer, *system, *table_or_topic;
    int64_t processed_at;
    struct optional_number quality_score;
};
struct lineage {
    const char *entity_type, *entity_id;
    OBJECT_LIST(struct lineage_node, lineage);
    struct optional_number freshness_seconds, event_age_seconds;
    bool validated, enriched;
};
SCHEMA_OF(lineage_schema, struct lineage);

/* ERROR_FORBIDDEN entity_forbidden; ERROR_NOT_FOUND unknown_entity_type, lineage_not_found. */
MUST_CHECK enum error lineage_read(const struct reading *reading, const char *type_name,
                                   const char *id, struct lineage *lineage);

struct timeline_stage {
    const char *current;
    int64_t entered_at;
    double in_stage_seconds;
    struct optional_number sla_minutes;
    struct optional_boolean breached;
    const char *clock; /* "journal", or "fallback": the time of creation */
};
struct timeline_status {
    const char *status;
    int64_t at;
};
struct timeline_step {
    const char *event_id, *topic, *event_type;
    struct optional_integer latency_ms;
    int64_t processed_at;
};
struct timeline_actions {
    const char *replay, *dismiss;
};
struct timeline_exception {
    const char *event_id, *failure_reason, *status;
    int64_t occurred_at;
    const struct timeline_actions *actions;
};
struct timeline {
    const char *order; /* JSON object: the columns of the entity */
    const struct timeline_stage *stage;
    OBJECT_LIST(struct timeline_status, stage_history);
    OBJECT_LIST(struct timeline_step, pipeline_trail);
    struct optional_number freshness_seconds, event_age_seconds;
    const char *customer; /* JSON object; NULL = the key may not read it, or it does not exist */
    OBJECT_LIST(struct timeline_exception, exceptions);
};
SCHEMA_OF(timeline_schema, struct timeline);

/* ERROR_FORBIDDEN entity_forbidden; ERROR_NOT_FOUND entity_not_found. */
MUST_CHECK enum error timeline_read(const struct reading *reading, const char *order_id,
                                    struct timeline *timeline);

#endif
