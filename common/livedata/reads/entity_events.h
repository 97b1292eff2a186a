/* What happened to an entity: its events in the journal. */
#ifndef ASSAY_LIVEDATA_READS_ENTITY_EVENTS_H
#define ASSAY_LIVEDATA_READS_ENTITY_EVENTS_H

#include "livedata/reads/answers.h"

enum { ENTITY_EVENTS_MOST = 200 };

struct entity_event {
    const char *event_id, *event_type, *source; /* the latter two may be NULL */
    struct optional_integer event_at;           /* its own time; of what was applied */
    int64_t processed_at;
    bool applied; /* false = it is a failed event */
};
struct entity_events {
    const char *entity_type, *entity_id;
    OBJECT_LIST(struct entity_event, events); /* newest first */
    bool has_more;
};
SCHEMA_OF(entity_events_schema, struct entity_events);

/* The newest `limit` (1 to ENTITY_EVENTS_MOST) of what the journal keeps; none is no error: the
 * entity may be older than that. ERROR_FORBIDDEN entity_forbidden; ERROR_NOT_FOUND
 * unknown_entity_type. */
MUST_CHECK enum error entity_events_read(const struct reading *reading, const char *type_name,
                                         const char *id, int64_t limit,
                                         struct entity_events *events);

#endif
