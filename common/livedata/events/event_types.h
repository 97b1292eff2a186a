/* What events of each type have, for people and programs that send them: members with their types,
 * and an example that would be applied. */
#ifndef ASSAY_LIVEDATA_EVENTS_EVENT_TYPES_H
#define ASSAY_LIVEDATA_EVENTS_EVENT_TYPES_H

#include "livedata/catalog/catalog.h"

struct event_member {
    const char *path; /* members with dots between: "data.value" */
    const char *type; /* "text", "decimal"... as in a file of an entity; "list" of order lines */
    bool required;
    struct optional_integer scale; /* of a decimal */
    struct string_list values;     /* that it may have; empty = any */
    const char *description;       /* of the column that it sets; or NULL */
};
SCHEMA_OF(event_member_schema, struct event_member);

struct event_type_answer {
    const char *event_type;
    const char *does; /* "insert"... of a domain; NULL = the service's own rules */
    const char *key;  /* the path of what names the entity: a member, or of the envelope */
    OBJECT_LIST(struct event_member, members);
    const char *example; /* JSON: members without event_id, event_type, timestamp and source */
};
SCHEMA_OF(event_type_schema, struct event_type_answer);

/* The types whose events change rows of the entity. */
struct object_list event_types_of(struct arena *arena, const struct entity_type *type);

#endif
