/*
 * Entities of a domain: what a file declares beyond the columns, that is how events change the
 * table, its indexes, and how long rows stay. docs/develop/livedata.md describes the files.
 */
#ifndef ASSAY_LIVEDATA_CATALOG_OWN_H
#define ASSAY_LIVEDATA_CATALOG_OWN_H

#include "db/query.h"
#include "livedata/catalog/catalog.h"

enum {
    OWN_COLUMNS_MAX = 48,
    OWN_ENTITIES_MAX = 60, /* of all domains: each has statements of its own in a handle */
    OWN_INDEXES_MAX = 8,
    OWN_INDEXED_TEXTS_MAX = 4, /* texts in an index: PostgreSQL's entries have 2,700 bytes */
    OWN_INDEXED_TEXT_LONGEST = 512,
    OWN_EVENTS_MAX = 32,
    OWN_SCALE_MAX = 9,
    OWN_DEPTH_MAX = 8 /* members in a path */
};

enum mapping_action {
    MAPPING_INSERT, /* the event has the whole row */
    MAPPING_UPSERT, /* it has the columns that change */
    MAPPING_DELETE,
    MAPPING_COUNT, /* it adds to columns */
    MAPPING__MAX
};
extern const char *const mapping_actions[];

/* Where a column's value, or what is added to it, is in an event. */
struct column_source {
    size_t column;      /* index in the table */
    const char *path;   /* members with dots between; NULL = `amount` is added */
    const char *amount; /* a decimal */
    bool required;
};

struct event_mapping {
    const char *event_type;
    enum mapping_action action;
    const char *key;     /* path, as the next one */
    const char *version; /* of the version, among events of the same time */
    struct column_source *columns;
    size_t column_count;
    bool of_changes;          /* change data of Debezium */
    const json_t *row_fields; /* of such an event: the schema of its row, when it came with it */
};

struct table_index {
    size_t columns[OWN_INDEXES_MAX];
    size_t column_count;
};

/* Whether changes of the table's rows are queued for a copy (outbox/outbox.h): of all, or while it
 * is filled of those up to a key. */
struct own_copy {
    bool live, filling;
    char fill_tenant[256], fill_key[1024];
};

/* Whether this process may serve the entity; tables/tables.h keeps it. */
struct own_serving {
    bool known;  /* the contract in the database was compared */
    bool served; /* and is that of the file */
    char difference[400];
    struct own_copy copy; /* as the database said last */
};

struct own_entity {
    const char *name;             /* of the entity */
    const char *domain;           /* its name */
    size_t key;                   /* index of the column */
    bool counts[OWN_COLUMNS_MAX]; /* columns that events add to; others are set */
    bool indexed[OWN_COLUMNS_MAX];
    bool large; /* `large: true`: a copy in ClickHouse answers its metrics (columnar/) */
    struct event_mapping *events;
    size_t event_count;
    const char *source_table;     /* whose changes are taken from Debezium; NULL = none */
    struct event_mapping changes; /* of them: where values are in a row of the source */
    struct table_index *indexes;
    size_t index_count;
    int64_t retention_days;       /* 0 = rows stay */
    const char *retention_column; /* stored column of a time; NULL = the last event's own time */
    const char *contract;         /* what hosts must agree on, as JSON in one form */
    char fingerprint[65];         /* of the contract, in hexadecimal */
    struct own_serving *serving;

    /* Of this table alone (own_sql.c). */
    struct statement by_key, list, state, put, remove, expire;
    struct statement keys; /* of all tenants, page by page */
    struct statement page; /* the same with all columns, behind the tenant */
    struct statement lost; /* documents of search whose rows are gone */
};

/* The mapping of an event type of a domain, and the entity that it changes; NULL when no domain has
 * such events. */
const struct event_mapping *catalog_own_event(const struct catalog *catalog, const char *event_type,
                                              const struct entity_type **type);

extern const char *const catalog_shop_events[]; /* the ten types of the shop, NULL ends the list */
bool catalog_is_shop_event(const char *event_type);
/* Whether events of the type can be sent: of the shop, if it is there, or of a domain. */
bool catalog_has_event(const struct catalog *catalog, const char *event_type);

/* The stored column that rows go by; NULL = they stay. */
const char *own_age_column(const struct own_entity *own);

/* "site, installed_at" */
const char *own_index_columns(struct arena *arena, const struct serving_table *table,
                              const struct table_index *index);

/* Private to the catalog (own_sql.c): the statements of the entity's table. */
void own_make_statements(struct arena *arena, const struct serving_table *table,
                         struct own_entity *own);
/* Private (own_contract.c): the contract and its fingerprint. */
MUST_CHECK enum error own_make_contract(struct arena *arena, const struct serving_table *table,
                                        struct own_entity *own, struct problem *problem);
/* Private (own_names.c): a lower-case name without SQL words and without what tables have of their
 * own. */
bool own_name_is_good(const char *name, size_t longest);

#endif
