/* Domains as clients see them: entities with their columns and event types, names of metrics; and
 * what the files on the disk would change in the database. */
#ifndef ASSAY_LIVEDATA_READS_DOMAINS_H
#define ASSAY_LIVEDATA_READS_DOMAINS_H

#include "livedata/events/event_types.h"
#include "livedata/tables/tables.h"

struct domain_answers {
    OBJECT_LIST(struct domain_answer, domains);
};
SCHEMA_OF(domains_schema, struct domain_answers);
struct domain_answers domains_show(struct arena *arena, const struct catalog *catalog);

struct plan_answer {
    OBJECT_LIST(struct plan_change, changes);
    const char *fault; /* of a file; NULL = they are right */
};
SCHEMA_OF(plan_schema, struct plan_answer);
/* Reads the files as they are now, and compares them with the database. A file that is wrong is in
 * the answer. */
MUST_CHECK enum error domains_plan(const struct storage_call *call,
                                   const struct livedata_settings *settings,
                                   struct plan_answer *answer);

#endif
