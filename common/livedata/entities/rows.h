/*
 * Rows of the serving tables as clients see them: read by key, written as JSON objects in the order
 * of the contract's fields. Every statement here contains the tenant.
 */
#ifndef ASSAY_LIVEDATA_ENTITIES_ROWS_H
#define ASSAY_LIVEDATA_ENTITIES_ROWS_H

#include "livedata/catalog/catalog.h"
#include "livedata/journal/ages.h"
#include "livedata/storage_call.h"

enum { ROW_COLUMNS_MAX = 48 };

struct row_value {
    bool null;
    int64_t integer; /* also for hundredths, microseconds and flags */
    const char *text;
};

struct entity_row {
    const struct serving_table *table;
    struct row_value values[ROW_COLUMNS_MAX]; /* as the columns of the table */
    int64_t updated_at;                       /* 0 = imported, unknown */
    int64_t last_event_at;                    /* of a session */
    int64_t event_at; /* own time of the last event that changed it; 0 = unknown */
};

/* `found` says whether the row exists. */
MUST_CHECK enum error entity_row_read(const struct storage_call *call,
                                      const struct serving_table *table, const char *id,
                                      struct entity_row *row, bool *found);

/* All of a tenant and table, at most `most`, in the order of their keys, after `after` ("" = all).
 */
struct entity_rows {
    size_t count;
    struct entity_row *items;
};
MUST_CHECK enum error entity_rows_list(const struct storage_call *call,
                                       const struct serving_table *table, const char *after,
                                       int64_t most, struct entity_rows *rows);

/* NULL when the table has no such column. */
const struct row_value *entity_row_value(const struct entity_row *row, const char *column);

/* Writes the members of the object; `now` decides whether a session has ended. */
void entity_row_write(struct json_writer *writer, const struct entity_type *type,
                      const struct entity_row *row, int64_t now);
const char *entity_row_json(struct arena *arena, const struct entity_type *type,
                            const struct entity_row *row, int64_t now);

/* When the row was last changed: its own timestamp, else the first of its times. 0 = none. */
int64_t entity_row_last_updated(const struct entity_row *row, int64_t now);

/* The last event that changed it; for imported rows only the row's own times are known. */
struct event_mark entity_row_mark(const struct entity_row *row, int64_t now);

/* Whether any tenant other than `default` has a row; then each read needs a tenant. */
MUST_CHECK enum error storage_has_tenants(const struct storage_call *call, bool *has);

#endif
