/*
 * Running statements. A statement is a static constant; its address is the key under which a worker
 * keeps it prepared. A query is one run of it: values bound in the order of the `?`, rows read one
 * by one, and query_end(), which must be called once and returns whether all of it succeeded.
 * Errors stick: after the first one binds do nothing, query_next() says false, and query_end()
 * reports it.
 *
 *     struct query *query = db_query(db, &project_by_id);
 *
 *     query_bind_text(query, id);
 *     found = query_next(query);
 *     if (found)
 *         project->name = query_text(query, 0, arena);
 *     error = query_end(query, problem);
 */
#ifndef ASSAY_DB_QUERY_H
#define ASSAY_DB_QUERY_H

#include "base/optional.h"
#include "db/db.h"

struct schema;

enum {
    DB_PARAMETERS_MAX = 64,
    DB_COLUMNS_MAX = 128,
    DB_OPEN_QUERIES_MAX = 16, /* at one time in one handle */
    DB_STATEMENTS_MAX = 768,  /* different ones in one handle */
    DB_ROWS_MAX = 20000       /* of a statement that does not stream */
};

/*
 * `name` stands in error texts. `sql` serves both engines; a text for one engine alone goes into
 * `sqlite` or `postgres` and comes before it. Exactly one statement, values only as `?`.
 *
 * `streams` is for results of any length: PostgreSQL then sends them in pieces through a cursor.
 * Outside a transaction such a query is a DB_READ transaction of its own until query_end().
 */
struct statement {
    const char *name;
    const char *sql;
    const char *sqlite;
    const char *postgres;
    bool streams;
};

struct query;

/* Never NULL: query_end() returns the errors. The handle owns the query. */
struct query *db_query(struct db *db, const struct statement *statement);

/*
 * Each binds the next `?`. Texts, JSON and blobs are borrowed until query_end(). NULL texts and
 * options not given bind NULL. Texts must be UTF-8 without NUL; numbers must be finite. A text
 * stays a text whatever it looks like; only query_bind_json() binds JSON, which must already be
 * valid. Booleans are the integers 0 and 1 on both engines.
 */
void query_bind_integer(struct query *query, int64_t value);
void query_bind_number(struct query *query, double value);
void query_bind_boolean(struct query *query, bool value);
void query_bind_text(struct query *query, const char *text);
void query_bind_bytes(struct query *query, const char *text, size_t length); /* as text */
void query_bind_json(struct query *query, const char *json);
void query_bind_blob(struct query *query, const void *bytes, size_t length);
void query_bind_optional_integer(struct query *query, struct optional_integer value);
void query_bind_optional_number(struct query *query, struct optional_number value);

/* A NULL whose type PostgreSQL has to see from the statement; prefer the typed ones above. */
void query_bind_null(struct query *query);

/* Runs the statement if need be and moves to the next row; false at the end and after an error. */
bool query_next(struct query *query);

/* Runs the statement if need be; how many rows it has inserted, updated or deleted, not counting
 * those of cascades. */
int64_t query_changes(struct query *query);

/*
 * For many rows: each call runs the statement once with the values bound since the last one, which
 * must stay valid until query_end(). PostgreSQL gets them in batches, so errors may show later.
 * `changes`, when not NULL, holds the number of changed rows of that run after query_end(). The
 * statement must give no rows; needs a transaction.
 */
void query_repeat(struct query *query, int64_t *changes);

/*
 * Columns of the current row, counted from 0. Asking for a type the column does not have, or for
 * a NULL where none is expected, is an error of the query; such a call gives 0, false or "".
 * Texts are copied into the arena.
 */
bool query_is_null(struct query *query, int column);
int64_t query_integer(struct query *query, int column);
double query_number(struct query *query, int column); /* also of integers */
bool query_boolean(struct query *query, int column);  /* 0 or 1, or a comparison */
const char *query_text(struct query *query, int column, struct arena *arena);
const char *query_text_or_null(struct query *query, int column, struct arena *arena);
const char *query_json(struct query *query, int column, struct arena *arena);
const char *query_json_or_null(struct query *query, int column, struct arena *arena);
struct optional_integer query_optional_integer(struct query *query, int column);
struct optional_number query_optional_number(struct query *query, int column);

/* The bytes of a text, JSON or blob where they lie, valid until the next call on the query that
 * moves or ends it; NULL bytes for NULL. For exports, which must not fill the arena. */
struct query_bytes {
    const char *bytes;
    size_t length;
};
struct query_bytes query_bytes(struct query *query, int column);

/*
 * Reads the current row into `object`: each column goes into the field of `schema` (base/schema.h)
 * that has its name (`AS name` where the expression has none), converted by the field's type: a
 * choice from its text; a time from microseconds or ISO 8601; lists, objects and any JSON from JSON
 * text, nested ones by their own schema; `.written` ones as the text they are. A column without a
 * field, a NULL where the field takes none (neither nullable nor left out) and a value of another
 * type are errors of the query. Fields without a column keep what they hold. Texts go into the
 * arena.
 */
void query_read(struct query *query, const struct schema *schema, void *object,
                struct arena *arena);

/* For a statement that gives one row or none: reads the row, if there is one, and ends the query.
 */
MUST_CHECK enum error query_read_one(struct query *query, const struct schema *schema, void *object,
                                     struct arena *arena, bool *found, struct problem *problem);

/* Runs the statement if it has not run, ends the query and returns its first error. What a
 * statement outside a transaction wrote is durable only when this returns ERROR_NONE. */
MUST_CHECK enum error query_end(struct query *query, struct problem *problem);

#endif
