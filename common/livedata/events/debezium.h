/* Change data in the envelopes of Debezium, as events of domains. */
#ifndef ASSAY_LIVEDATA_EVENTS_DEBEZIUM_H
#define ASSAY_LIVEDATA_EVENTS_DEBEZIUM_H

#include "livedata/events/event.h"

/* Whether it is such an envelope, with its schema around it or without. */
bool event_is_debezium(const json_t *payload);

/* Reads it: id, time, source, type and the row. A snapshot, an insert and an update state the whole
 * row. False with the verdict filled in. */
bool event_read_debezium(struct arena *arena, const json_t *payload, const struct catalog *catalog,
                         struct event *event, struct event_verdict *verdict);

#endif
