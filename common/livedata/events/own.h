/* Events of domains, read by the mapping that the entity's file declares. */
#ifndef ASSAY_LIVEDATA_EVENTS_OWN_H
#define ASSAY_LIVEDATA_EVENTS_OWN_H

#include "livedata/catalog/own.h"
#include "livedata/events/event.h"

/* A value for a column; of an event that counts, what is added to it. */
struct own_value {
    bool given; /* the event has it */
    bool null;
    int64_t integer; /* whole number, units of a decimal, microseconds, 0 or 1 */
    const char *text;
};

struct own_event {
    const struct entity_type *type;
    enum mapping_action action;
    int64_t version;
    const char *stamp;        /* its place in the order of own times, for strcmp() */
    const char *corrects;     /* the event whose additions it replaces; NULL = none */
    struct own_value *values; /* as the columns of the table */
};

/* Reads key, version and values. `event` has id and timestamp. False with the verdict filled in. */
bool event_read_own(struct arena *arena, const json_t *payload, const struct event_mapping *mapping,
                    const struct entity_type *type, struct event *event,
                    struct event_verdict *verdict);

/* Sets the version, and the stamp by it and the event's id. */
void event_set_version(struct arena *arena, struct event *event, int64_t version);

/* A decimal as a whole number of units of 10^-scale, from a text or a JSON number. False when it is
 * none, has more places or does not fit. */
bool own_decimal(const json_t *value, int scale, int64_t *units);
bool own_decimal_text(const char *text, int scale, int64_t *units);
/* Whether the number is surely the one that was sent: with a point it has the digits of a double.
 */
bool own_number_is_exact(const json_t *value);

/* The value at a path of members with dots between; NULL when there is none. */
const json_t *event_member(const json_t *payload, const char *path);

#endif
