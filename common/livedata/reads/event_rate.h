/* How many events were applied, and could not be, over time. */
#ifndef ASSAY_LIVEDATA_READS_EVENT_RATE_H
#define ASSAY_LIVEDATA_READS_EVENT_RATE_H

#include "livedata/reads/answers.h"
#include "livedata/reads/grid.h"

struct event_rate_point {
    int64_t at; /* the beginning of the step */
    int64_t applied, failed;
};
struct event_rate {
    int64_t from, to;
    const char *step;
    int64_t applied, failed; /* in all */
    OBJECT_LIST(struct event_rate_point, points);
};
SCHEMA_OF(event_rate_schema, struct event_rate);

/* Of the entity type, or of all that the key may read (NULL). Every step has a point; the first and
 * the last are cut at the time. ERROR_NOT_FOUND unknown_entity_type, ERROR_FORBIDDEN
 * entity_forbidden, ERROR_INVALID those of grid_choose(). */
MUST_CHECK enum error event_rate_read(const struct reading *reading, const char *entity_type,
                                      const struct grid_query *query, struct event_rate *rate);

#endif
