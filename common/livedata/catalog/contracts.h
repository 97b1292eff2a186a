/*
 * Schema contracts: finding a version, comparing two, judging a candidate. And the versions of the
 * API itself: which one a request gets, and what an older one does not show. All answers are
 * written as JSON.
 */
#ifndef ASSAY_LIVEDATA_CATALOG_CONTRACTS_H
#define ASSAY_LIVEDATA_CATALOG_CONTRACTS_H

#include "livedata/catalog/catalog.h"

/* Numeric before text: -1, 0, 1. A leading `v` does not count. */
int contract_compare_versions(const char *a, const char *b);

/* The version (NULL = the latest stable, else the highest). ERROR_NOT_FOUND unknown_contract or
 * unknown_contract_version. */
MUST_CHECK enum error contract_find(const struct catalog *catalog, const char *entity,
                                    const char *version, const struct schema_contract **found,
                                    struct problem *problem);
/* The version that lists show: of the latest stable contract, or NULL. */
const char *contract_stable_version(const struct catalog *catalog, const char *entity);

void contract_write_list(const struct catalog *catalog, struct json_writer *writer);
void contract_write(const struct schema_contract *contract, struct json_writer *writer);
void contract_write_diff(struct arena *arena, const struct schema_contract *from,
                         const struct schema_contract *to, struct json_writer *writer);

/* ERROR_INVALID schema_entity_mismatch when the candidate is of another entity. */
MUST_CHECK enum error contract_validate(struct arena *arena, const struct catalog *catalog,
                                        const char *entity, const json_t *candidate,
                                        struct json_writer *writer, struct problem *problem);

/* NULL when there is no such version. */
const struct api_version *version_find(const struct catalog *catalog, const char *date);
bool version_is_deprecated(const struct catalog *catalog, const struct api_version *version);
/* The day a year later; Feb 29 becomes Feb 28. */
void version_end(const struct api_version *version, char day[11]);
/* Whether clients of `version` are shown the dotted path ("meta.health") or the header. */
bool version_shows(const struct catalog *catalog, const struct api_version *version,
                   const char *name);
void version_write_changelog(const struct catalog *catalog, struct json_writer *writer);

#endif
