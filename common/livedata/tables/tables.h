/*
 * The tables of domains: made from the entity files and changed with them, as far as a change is
 * compatible. The contract that a table was made from is in the database, so that hosts with
 * another one notice. docs/develop/livedata.md lists what is compatible.
 */
#ifndef ASSAY_LIVEDATA_TABLES_TABLES_H
#define ASSAY_LIVEDATA_TABLES_TABLES_H

#include "livedata/catalog/own.h"
#include "livedata/storage_call.h"

/* One thing to do, or one reason not to. */
struct table_change {
    const struct entity_type *type;
    const char *text;         /* for people: "column site (text) is added" */
    bool refused;             /* incompatible */
    struct statement execute; /* `sql` NULL = only the contract changes */
    const char *column;       /* that is added; NULL = none */
    bool makes_table;         /* `execute` does */
};
struct table_plan {
    size_t count;
    struct table_change *items;
    size_t refused;
};

/* A file whose contract was replaced by another since is refused: a host that restarts with old
 * files must not undo what newer ones have changed. PLAN_BACK is for people who do go back. */
enum plan_way {
    PLAN_FORWARD,
    PLAN_BACK,
    PLAN_DIFFERENCE /* forward, and only what keeps an entity from being served */
};
/* What would be done; reads only. */
MUST_CHECK enum error tables_plan(const struct storage_call *call, const struct catalog *catalog,
                                  enum plan_way way, struct table_plan *plan);

/* Does it, in a transaction for each entity under the database's locks and without a limit of time.
 * Entities with an incompatible change are left out; one that fails leaves the others done, and the
 * first error is returned. `fill` (NULL = none) is called for an entity with new columns. Then
 * compares as tables_look() does, also after an error. */
typedef enum error table_fill(const struct storage_call *call, const struct catalog *catalog,
                              const struct entity_type *type, const struct string_list *columns);
MUST_CHECK enum error tables_apply(const struct storage_call *call, const struct catalog *catalog,
                                   enum plan_way way, table_fill *fill, struct table_plan *plan);

/* Compares the files with the contracts in the database: own->serving. */
MUST_CHECK enum error tables_look(const struct storage_call *call, const struct catalog *catalog);

/* ERROR_NONE when the table is served; else ERROR_UNAVAILABLE contract_differs with the
 * difference, or not_materialized. Always ERROR_NONE for the shop. */
MUST_CHECK enum error table_served(const struct serving_table *table, struct problem *problem);
/* The same by the database, in a transaction that has locked `livedata.apply`: another host may
 * have changed the table since tables_look(). `checked` is of the transaction: each once. */
struct checked_entities {
    size_t count;
    const struct entity_type **items;
};
MUST_CHECK enum error tables_still_served(const struct storage_call *call,
                                          const struct entity_type *type,
                                          struct checked_entities *checked);

/* The columns that were added to an entity's table later, with the time from which they are filled.
 */
struct added_column {
    const char *column;
    int64_t added_at;
    int64_t filled_from; /* 0 = there was nothing to fill it from */
};
struct added_columns {
    size_t count;
    struct added_column *items;
};
MUST_CHECK enum error tables_added(const struct storage_call *call, const char *entity_type,
                                   struct added_columns *added);
/* Records from when a new column is filled. */
MUST_CHECK enum error tables_note_column(const struct storage_call *call, const char *entity_type,
                                         const char *column, int64_t filled_from);

#endif
