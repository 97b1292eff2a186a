/* The catalog as clients see it, and search results. */
#ifndef ASSAY_LIVEDATA_READS_DISCOVERY_H
#define ASSAY_LIVEDATA_READS_DISCOVERY_H

#include "livedata/reads/answers.h"
#include "livedata/search/search.h"

struct catalog_answer {
    const char *entities, *metrics; /* JSON objects by name */
    const char *streaming_sources, *audit_sources;
};
SCHEMA_OF(catalog_schema, struct catalog_answer);
struct catalog_answer catalog_show(struct arena *arena, const struct catalog *catalog,
                                   const struct livedata_settings *settings);

struct search_reply {
    const char *query;
    OBJECT_LIST(struct search_hit, results);
    bool partial, degraded; /* always false: the index is complete */
    int64_t indexed_documents;
    struct optional_integer entity_scan_limit; /* always null: there is no fallback */
    struct string_list partial_entity_types, failed_entity_types;
};
SCHEMA_OF(search_schema, struct search_reply);

/* `types` NULL = all; with types, metrics are omitted. */
MUST_CHECK enum error search_read(const struct reading *reading, const char *text, int64_t limit,
                                  const struct string_list *types, struct search_reply *reply);

#endif
