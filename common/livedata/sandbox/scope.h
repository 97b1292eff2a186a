/*
 * Scoping: a statement that the guard has passed is given tables that hold one tenant's rows and
 * the columns of the catalog, and nothing else, as common table expressions around it. The tenant
 * is part of the text, so that what is shown can be run as it is.
 */
#ifndef ASSAY_LIVEDATA_SANDBOX_SCOPE_H
#define ASSAY_LIVEDATA_SANDBOX_SCOPE_H

#include "db/sandbox.h"
#include "livedata/catalog/catalog.h"
#include "livedata/storage_call.h"

enum { SCOPED_SQL_MAX = 60000 };

struct scope {
    enum db_engine engine;
    const char *tenant; /* of the grammar of tenants: letters, digits and ._- */
    struct string_list tables;
    /* Of metrics: only rows of the (single) table whose time lies here; 0 = open. */
    const char *time_column;
    int64_t from, to;
    int64_t orders_as_of; /* orders as they were then, out of the journal; 0 = as they are */
};

/* `SELECT * FROM (WITH … SELECT * FROM (<sql>) AS question) AS answer`; NULL when too long. */
const char *scope_sql(struct arena *arena, const struct scope *scope, const char *sql,
                      size_t length);

/* The rules under which scoped SQL runs: the physical tables of the scope, the guard's functions
 * and those that scoping uses. */
struct sandbox_rules scope_rules(struct arena *arena, const struct scope *scope, int timeout_ms,
                                 size_t rows_max);

/* Tables that the holder of a key may ask about: those of its types, all for NULL. */
struct string_list scope_allowed_tables(struct arena *arena, const struct catalog *catalog,
                                        const struct string_list *allowed_types);

/* One value as JSON, with names of boolean columns known. */
void scope_write_cell(struct json_writer *writer, const char *column,
                      const struct sandbox_cell *cell);

#endif
