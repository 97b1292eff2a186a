/*
 * Scoping: restricts a statement accepted by the guard to one tenant's rows and the columns of the
 * catalog, by common table expressions around it. The tenant is a literal in the text, so that the
 * displayed statement can be run unchanged.
 */
#ifndef ASSAY_LIVEDATA_SANDBOX_SCOPE_H
#define ASSAY_LIVEDATA_SANDBOX_SCOPE_H

#include "db/sandbox.h"
#include "livedata/catalog/catalog.h"
#include "livedata/storage_call.h"

enum { SCOPED_SQL_MAX = 60000 };

struct scope {
    enum db_engine engine;
    const char *tenant;            /* in the syntax of tenants: letters, digits and ._- */
    struct string_list tables;     /* names in the catalog, */
    const struct catalog *catalog; /* which has them; NULL = those of the shop and the journal */
    /* or, for metrics, this one, also of a domain: its rows with a time in this range; 0 = open. */
    const struct serving_table *table;
    const char *time_column;
    int64_t from, to;
    int64_t orders_as_of; /* orders as of that time, from the journal; 0 = current state */
};

/* `SELECT * FROM (WITH … SELECT * FROM (<sql>) AS question) AS answer`; NULL when too long. */
const char *scope_sql(struct arena *arena, const struct scope *scope, const char *sql,
                      size_t length);

/* The sandbox rules for scoped SQL: the physical tables of the scope, the guard's functions and
 * those used by scoping. */
struct sandbox_rules scope_rules(struct arena *arena, const struct scope *scope, int timeout_ms,
                                 size_t rows_max);

/* Tables of the catalog that the holder of a key may read: those of its types, all for NULL. */
struct string_list scope_allowed_tables(struct arena *arena, const struct catalog *catalog,
                                        const struct string_list *allowed_types);

/* One value as JSON; boolean columns are recognized by name. */
void scope_write_cell(struct json_writer *writer, const char *column,
                      const struct sandbox_cell *cell);

#endif
