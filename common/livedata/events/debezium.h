/* Change data in the envelopes of Debezium, as events of domains. */
#ifndef ASSAY_LIVEDATA_EVENTS_DEBEZIUM_H
#define ASSAY_LIVEDATA_EVENTS_DEBEZIUM_H

#include "livedata/events/event.h"

/* Whether it is such an envelope, with its schema around it or without. */
bool event_is_debezium(const json_t *payload);

/* Reads it: id, time, source, type and the row. A snapshot, an insert and an update state the whole
 * row. False with the verdict filled in. */
bool event_read_debezium(struct arena *arena, const json_t *payload,
                         const struct event_rules *rules, struct event *event,
                         struct event_verdict *verdict);

/* A time of a column. A number is of the unit that the schema of the row (`fields`, or NULL) says;
 * without one, milliseconds or microseconds of the years 1973 to 2099, which its size tells apart.
 */
bool debezium_time(const json_t *fields, const char *member, const json_t *value, int64_t *time);

/* A decimal of a column as a whole number of units of 10^-scale. Where the schema of the row says
 * that it is org.apache.kafka.connect.data.Decimal, it is the bytes of a whole number in base64,
 * whose places the schema has; an object has bytes and places itself
 * (io.debezium.data.VariableScaleDecimal). Else it is own_decimal(). False when it is none, has
 * more places or does not fit. */
bool debezium_decimal(struct arena *arena, const json_t *fields, const char *member,
                      const json_t *value, int scale, int64_t *units);

/* The field of that name in the schema of a row (NULL = there is none). */
const json_t *debezium_field(const json_t *fields, const char *name);

#endif
