/* Tenants: the syntax of their names, and their entries in the tenants file. */
#ifndef ASSAY_LIVEDATA_ACCESS_TENANTS_H
#define ASSAY_LIVEDATA_ACCESS_TENANTS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"
#include "livedata/catalog/catalog.h"

struct tenant {
    const char *id;
    const char *display_name;
    int64_t events_per_day; /* 0 = unlimited, like the next one */
    int64_t keys_most;
    const struct string_list *types; /* NULL = all */
    const char *version_pin;         /* or NULL */
    const char *topic_prefix;        /* its topics of Kafka are `<prefix>.<topic>`; NULL = none */
    const char *time_zone;           /* of its calendar; NULL = the one of the settings */
    struct string_list domains;      /* that it lists */
    const struct catalog *catalog;   /* what it sees: these domains, or all without a list */
};

struct tenants {
    bool declared; /* the file exists: reads without a tenant fail */
    size_t count;
    struct tenant *items;
};

/* A letter or digit, then up to 63 of letters, digits and ._- */
bool tenant_is_name(const char *text);

/* `path` NULL = no file. ERROR_INVALID, _MALFORMED... naming it. */
MUST_CHECK enum error tenants_load(struct arena *arena, const char *path,
                                   const struct catalog *catalog, struct tenants *tenants,
                                   struct problem *problem);

/* NULL when the file has no entry for it. */
const struct tenant *tenant_find(const struct tenants *tenants, const char *id);

/* What a tenant sees of the catalog: all of it without an entry. */
const struct catalog *tenant_catalog(const struct tenants *tenants, const char *id,
                                     const struct catalog *catalog);

#endif
