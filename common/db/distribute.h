/*
 * Spreads the tables of a service over the nodes of a PostgreSQL with the extension Citus. Which
 * tables, and by which column, says the file `distribution` beside the migrations of the service:
 *
 *   reference TABLE           a copy on every node: small, and joined by the others
 *   distributed TABLE COLUMN  rows of one value of the column lie on one node; all such tables of
 *                             a file lie together
 *   distributed TABLE COLUMN KEY
 *                             the same for a table whose primary key is the column KEY alone: the
 *                             key becomes (COLUMN, KEY), and KEY gets an index
 *   named TABLE COLUMN NAMES  distributes each table that is named in the column NAMES of TABLE
 *
 * Tables that the file does not name stay on the node that the service talks to.
 */
#ifndef ASSAY_DB_DISTRIBUTE_H
#define ASSAY_DB_DISTRIBUTE_H

#include "db/db.h"

struct db_distribution {
    int64_t spread;        /* tables, by this call */
    int64_t spread_before; /* by others */
};

/*
 * Spreads what is not spread yet, in the order of the file, each table in a transaction of its own
 * with its row in the table schema_distribution: a call that was interrupted is repeated. Writers
 * of a table wait meanwhile. The schema must be up to date. Must not be called inside a
 * transaction.
 *
 * ERROR_INVALID with `not_distributable`: the database is SQLite, the server has not the extension,
 * or the service has no such file. ERROR_SYSTEM with `distribution_file`, naming the line.
 */
MUST_CHECK enum error db_distribute(struct db *db, const char *directory,
                                    struct db_distribution *distribution, struct problem *problem);

/*
 * Spreads a table that was just made as `beside` is spread, by the same column; does nothing where
 * `beside` is not (on SQLite it never is). In the caller's transaction. The schema must have
 * schema_distribution.
 */
MUST_CHECK enum error db_distribute_table(struct db *db, const char *table, const char *beside,
                                          struct problem *problem);

#endif
