/* The catalog as clients see it, and search answered with it. */
#ifndef ASSAY_LIVEDATA_READS_DISCOVERY_H
#define ASSAY_LIVEDATA_READS_DISCOVERY_H

#include "livedata/reads/answers.h"

void write_catalog(struct json_writer *writer, const struct catalog *catalog);

/* `types` NULL = all; given, metrics are left out. */
MUST_CHECK enum error write_search(struct json_writer *writer, const struct reading *reading,
                                   const char *text, int64_t limit,
                                   const struct string_list *types);

#endif
