/*
 * Schema contracts: finds a version, compares two, checks a candidate. Also versions of the API:
 * selects the version of a request, and hides members from older ones.
 */
#ifndef ASSAY_LIVEDATA_CATALOG_CONTRACTS_H
#define ASSAY_LIVEDATA_CATALOG_CONTRACTS_H

#include "livedata/catalog/catalog.h"

/* Compares versions, numeric before text: -1, 0, 1. Ignores a leading `v`. */
int contract_compare_versions(const char *a, const char *b);

/* The version (NULL = the latest stable, else the highest). ERROR_NOT_FOUND unknown_contract or
 * unknown_contract_version. */
MUST_CHECK enum error contract_find(const struct catalog *catalog, const char *entity,
                                    const char *version, const struct schema_contract **found,
                                    struct problem *problem);
/* The version shown in lists: of the latest stable contract, or NULL. */
const char *contract_stable_version(const struct catalog *catalog, const char *entity);

struct contract_list {
    OBJECT_LIST(struct schema_contract, contracts);
};
SCHEMA_OF(contract_list_schema, struct contract_list);

/* A contract with the content of its file. */
struct contract_answer {
    const char *entity, *version, *released, *status;
    json_t *fields, *breaking_changes, *source_events, *source_table, *freshness;
};
SCHEMA_OF(contract_schema, struct contract_answer);
struct contract_answer contract_show(struct arena *arena, const struct schema_contract *contract);

struct contract_change {
    const char *type;
    const char *field;
    const char *severity;
    bool breaking;
    const char *from, *to; /* of a type, or NULL */
    struct string_list values;
    json_t *preset; /* or NULL */
};
struct contract_diff {
    const char *entity, *from_version, *to_version;
    OBJECT_LIST(struct contract_change, breaking_changes);
    OBJECT_LIST(struct contract_change, additive_changes);
};
SCHEMA_OF(contract_diff_schema, struct contract_diff);
struct contract_diff contract_compare(struct arena *arena, const struct schema_contract *from,
                                      const struct schema_contract *to);

struct contract_validation {
    const char *entity, *base_version, *candidate_version;
    OBJECT_LIST(struct contract_change, breaking_changes);
    OBJECT_LIST(struct contract_change, safe_changes);
    bool is_breaking, requires_version_bump;
};
SCHEMA_OF(contract_validation_schema, struct contract_validation);

/* ERROR_INVALID schema_entity_mismatch when the candidate is for another entity. */
MUST_CHECK enum error contract_validate(struct arena *arena, const struct catalog *catalog,
                                        const char *entity, const json_t *candidate,
                                        struct contract_validation *validation,
                                        struct problem *problem);

/* NULL when the version does not exist. */
const struct api_version *version_find(const struct catalog *catalog, const char *date);
bool version_is_deprecated(const struct catalog *catalog, const struct api_version *version);
/* The same day a year later; Feb 29 becomes Feb 28. */
void version_end(const struct api_version *version, char day[11]);
/* Whether clients of `version` receive that header. */
bool version_has_header(const struct catalog *catalog, const struct api_version *version,
                        const char *header);
/* The schema of an answer of that kind for clients of `version`: members added by later versions
 * become internal. From the arena, or `schema` itself if nothing is hidden. */
const struct schema *version_schema(struct arena *arena, const struct catalog *catalog,
                                    const struct api_version *version, const char *answer,
                                    const struct schema *schema);

struct changelog {
    const char *latest_version;
    OBJECT_LIST(struct api_version, versions);
};
SCHEMA_OF(changelog_schema, struct changelog);
struct changelog version_changelog(const struct catalog *catalog);

#endif
