/* Where an entity came from and what it went through: lineage, and the time line of an order. */
#ifndef ASSAY_LIVEDATA_READS_TRACES_H
#define ASSAY_LIVEDATA_READS_TRACES_H

#include "livedata/reads/answers.h"

/* ERROR_FORBIDDEN entity_forbidden; ERROR_NOT_FOUND unknown_entity_type, lineage_not_found. */
MUST_CHECK enum error write_lineage(struct json_writer *writer, const struct reading *reading,
                                    const char *type_name, const char *id);

/* ERROR_FORBIDDEN entity_forbidden; ERROR_NOT_FOUND entity_not_found. */
MUST_CHECK enum error write_timeline(struct json_writer *writer, const struct reading *reading,
                                     const char *order_id);

#endif
