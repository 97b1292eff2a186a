/*
 * The catalog, from the configuration files: entity types, metrics, schema contracts, versions of
 * the API, SLOs. Read once at start, then constant; an invalid file prevents the start, with an
 * error that names it.
 */
#ifndef ASSAY_LIVEDATA_CATALOG_CATALOG_H
#define ASSAY_LIVEDATA_CATALOG_CATALOG_H

#include "base/json.h"
#include "base/optional.h"
#include "base/schema.h"
#include "livedata/settings.h"

enum column_type {
    COLUMN_TEXT,
    COLUMN_INTEGER,
    COLUMN_NUMBER, /* a decimal */
    COLUMN_BOOLEAN,
    COLUMN_TIME,
    COLUMN_JSON,
    COLUMN__MAX
};
extern const char *const column_type_names[COLUMN__MAX + 1]; /* as in files; NULL is the last */

/* A column as clients see it. `sqlite` and `postgres` are each engine's SQL expression for it over
 * the stored columns.
 *
 * `stored` is the stored column itself, which the engines compute with alike: text, JSON as text, a
 * whole number, 0 or 1, microseconds since 1970 UTC, or for a decimal a whole number of units of
 * 10^-scale. NULL for what is computed (unit_price of order_items). */
struct table_column {
    const char *name;
    enum column_type type;
    const char *sqlite;
    const char *postgres;
    const char *stored;
    int scale;                 /* of a decimal: places after the point */
    const char *description;   /* of a column of a domain; else NULL, as the values */
    struct string_list values; /* that the column may have; empty = any */
};

/* A table available to queries. */
struct serving_table {
    const char *name;
    const char *entity; /* a key must be able to read this type; NULL = unrestricted keys only */
    const char *primary_key;
    const struct table_column *columns;
    size_t column_count;
    const struct own_entity *own; /* of a table made from a domain's file (own.h); NULL = the shop's
                                     and the journal */
};

/* The shop's tables and the journal; those of domains are in the catalog. */
extern const struct serving_table serving_tables[];
extern const size_t serving_table_count;

/* NULL when there is none. */
const struct serving_table *serving_table_find(const char *name);
const struct table_column *serving_column_find(const struct serving_table *table, const char *name);

/* `synonyms` are what people call the column in questions, in any language, and `value_names` what
 * they call its values: an object of lists, or NULL. */
struct entity_field {
    const char *name;
    const char *text;
    const struct table_column *column;
    struct string_list synonyms;
    struct string_list values; /* that the column may have; empty = any */
    const json_t *value_names;
    struct string_list high, low; /* words of degrees: "dearest", "cheaper" */
};

struct entity_stage {
    const char *name;
    struct optional_number sla_minutes;
    bool terminal;
};

/* Rows of the entity name a row of another one: `column` holds its key. */
struct entity_relation {
    const struct entity_type *to;
    const struct table_column *column;
};

/* A folder of configuration files. */
struct domain {
    const char *name;
    const char *folder;
};

struct entity_type {
    const char *name;
    const char *description;
    const struct domain *domain;
    const struct serving_table *table; /* with all columns and the table's name in the database */
    const char *primary_key;
    struct string_list synonyms; /* in questions */
    struct entity_field *fields;
    size_t field_count;
    json_t *relationships;             /* or NULL; as the file has them, for catalog_join() */
    struct entity_relation *relations; /* those whose column is in this table */
    size_t relation_count;
    struct entity_stage *stages;
    size_t stage_count;
};

struct measure;

struct live_metric {
    const char *name;
    const struct domain *domain;
    int64_t order; /* shown in lists */
    const char *description;
    struct string_list synonyms; /* in questions */
    const char *unit;
    const struct serving_table *table;
    const struct measure *measure; /* measure.h; NULL = only its SQL */
    const char *value;             /* aggregate over columns; NULL = only its measure */
    const char *filter;            /* condition over columns; "" = all rows */
    const struct table_column *time;
    struct string_list windows;
    struct string_list source_events;
    bool zero_when_empty; /* a sum or count, 0 without rows; others are undefined without rows */
    const char
        *currency_of; /* the column with the currency, which sums must not mix; NULL = none */
    struct optional_number budget_seconds; /* allowed age of the newest event */
};

struct schema_field {
    const char *name;
    const char *type;
    bool required;
    const json_t *json; /* text of the file */
};

struct schema_contract {
    const struct domain *domain;
    const char *entity;
    const char *version;
    const char *released;
    const char *status;
    struct schema_field *fields;
    size_t field_count;
    const json_t *json;
};

/* An addition of a version: a member of an answer or a response header. */
struct api_addition {
    const char *path;   /* path of the member, with dots; or NULL */
    const char *answer; /* kind of answer that has the member: "entity", "metric"; NULL = all */
    const char *header; /* or NULL */
};

struct api_version {
    const char *date;
    const char *status;
    struct string_list changes; /* description for users */
    struct api_addition *additions;
    size_t addition_count;
};

enum slo_measurement { SLO_LATENCY, SLO_FRESHNESS, SLO_ERRORS, SLO_METRIC, SLO_UNSUPPORTED };
extern const char *const slo_measurements[SLO_UNSUPPORTED]; /* as in files */
/* "p95_latency_ms, freshness_seconds, ..." */
const char *slo_measurement_names(struct arena *arena);
enum { SLO_TYPES_MAX = 16, SLO_CHECKS_MAX = 2000 };

struct slo {
    const char *name;
    const char *description;     /* or NULL */
    const struct domain *domain; /* whose folder has the file */
    const char *measurement_name;
    enum slo_measurement measurement;
    double target;
    double threshold;
    int64_t window_days;
    /* What it takes to be judged by burn rates, and at all; not for freshness. */
    int64_t min_events, min_failures;
    /* Whose events count, both NULL = all events; or, of SLO_METRIC, whose values are checked. */
    const struct entity_type *entity;
    const struct live_metric *metric;
    struct string_list types; /* of SLO_FRESHNESS and SLO_ERRORS: entity types of the journal's rows
                                 that count, or event types for a metric */
    /* Of SLO_METRIC: the bounds of its value over each `every` (microseconds), and what computing
     * it takes. */
    struct optional_number minimum, maximum;
    int64_t every;
    const struct livedata_settings *settings;
};

struct catalog {
    struct arena *arena;         /* of all that it points to */
    const struct catalog *whole; /* that this is a view of; NULL = it is the whole */
    /* A folder has its entities: its tables exist, its events are taken, and questions about it
     * are answered. */
    bool shop;
    struct domain *domains; /* in the order of LIVE_CONFIG_DIR */
    size_t domain_count;
    const struct serving_table **tables; /* serving_tables, then those of domains */
    size_t table_count;
    struct entity_type *entities; /* by name */
    size_t entity_count;
    struct live_metric *metrics; /* by order, then name */
    size_t metric_count;
    struct schema_contract *contracts; /* by entity, then version */
    size_t contract_count;
    struct api_version *versions; /* oldest first */
    size_t version_count;
    const struct api_version *latest;
    bool slo_file_found;
    struct slo *slos; /* in the order of the files */
    size_t slo_count;
};

/* Memory from `arena`, which must live as long as the catalog. ERROR_INVALID, _NOT_FOUND or
 * _MALFORMED with a text that names the file. */
MUST_CHECK enum error catalog_load(struct arena *arena, const struct livedata_settings *settings,
                                   struct catalog *catalog, struct problem *problem);

/* What a tenant sees that lists these domains: their entities, tables, metrics and contracts; what
 * it does not see does not exist for who reads with the view. */
const struct catalog *catalog_view(struct arena *arena, const struct catalog *whole,
                                   const struct string_list *domains);
/* The entities, relations and metrics that need no other tables than these. */
const struct catalog *catalog_of_tables(struct arena *arena, const struct catalog *catalog,
                                        const struct string_list *tables);
const struct domain *catalog_domain(const struct catalog *catalog, const char *name);
/* The name of the domain that has the shop's entities. */
const char *catalog_shop_name(const struct catalog *catalog);
const struct entity_type *catalog_entity(const struct catalog *catalog, const char *name);
const struct live_metric *catalog_metric(const struct catalog *catalog, const char *name);
/* A table of the shop or of a domain; NULL when there is none. */
const struct serving_table *catalog_table(const struct catalog *catalog, const char *name);
/* The entity whose rows the table holds; NULL for order_items and the journal. */
const struct entity_type *catalog_entity_of_table(const struct catalog *catalog,
                                                  const struct serving_table *table);
const struct entity_stage *entity_stage(const struct entity_type *type, const char *name);

/* "['order', 'product', 'session', 'user']" */
const char *catalog_entity_names(const struct catalog *catalog, struct arena *arena);
const char *catalog_metric_names(const struct catalog *catalog, struct arena *arena);
const char *catalog_quoted_list(const struct string_list *list, struct arena *arena);

/* Private to the catalog: readers of its files. The folders of LIVE_CONFIG_DIR with their names,
 * which differ. */
MUST_CHECK enum error catalog_load_domains(struct arena *arena,
                                           const struct livedata_settings *settings,
                                           struct catalog *catalog, struct problem *problem);
/* Whether one of the entities has a table of the migrations. */
bool catalog_has_shop_entity(const struct catalog *catalog);
/* When all entities are read: sorts them, finds whether the shop is there, lists the tables, finds
 * what relations name, and refuses names that are taken twice. */
MUST_CHECK enum error catalog_join(struct arena *arena, struct catalog *catalog,
                                   struct problem *problem);
MUST_CHECK enum error catalog_load_own(struct arena *arena, const char *path, const json_t *file,
                                       struct entity_type *type, struct problem *problem);
MUST_CHECK enum error catalog_load_metrics(struct arena *arena, const char *directory,
                                           struct catalog *catalog, struct problem *problem);
MUST_CHECK enum error catalog_load_contracts(struct arena *arena, const char *directory,
                                             struct catalog *catalog, struct problem *problem);
MUST_CHECK enum error catalog_load_versions(struct arena *arena, const char *path,
                                            struct catalog *catalog, struct problem *problem);
/* The levels of each domain: of the first from LIVE_SLO_FILE, of others from `slo.yaml` in their
 * folder. After entities and metrics. */
MUST_CHECK enum error catalog_load_slos(struct arena *arena,
                                        const struct livedata_settings *settings,
                                        struct catalog *catalog, struct problem *problem);
/* Names of the .yaml, .yml and .json files of a folder, sorted. */
MUST_CHECK enum error catalog_list_files(struct arena *arena, const char *directory,
                                         struct string_list *names, struct problem *problem);
const char *catalog_text(const json_t *object, const char *key, struct arena *arena);
/* What a field's map declares for questions: synonyms, values, value_names, high and low. */
void catalog_read_words(struct arena *arena, const json_t *map, struct entity_field *field);

#endif
