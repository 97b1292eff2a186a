/* The changes of the entities of a type, page by page, as an answer. */
#ifndef ASSAY_LIVEDATA_READS_CHANGES_H
#define ASSAY_LIVEDATA_READS_CHANGES_H

#include "livedata/reads/answers.h"
#include "livedata/reads/entity_changes.h"

struct changes_reply {
    const char *entity_type;
    OBJECT_LIST(struct entity_change, changes); /* oldest first */
    const char *position;                       /* `after` of the next page; NULL = the beginning */
    bool has_more;
    const struct answer_freshness *freshness; /* of the table; NULL = not known */
};
SCHEMA_OF(changes_schema, struct changes_reply);

/* Those after a position, at most `limit` (1 to ENTITY_CHANGES_MOST); without a position (seq 0)
 * from the beginning of the journal. ERROR_FORBIDDEN entity_forbidden; ERROR_NOT_FOUND
 * unknown_entity_type; ERROR_INVALID position_unknown. */
MUST_CHECK enum error changes_read(const struct reading *reading, const char *type_name,
                                   struct live_position after, int64_t limit,
                                   struct changes_reply *reply);

#endif
