/* The fold of one event of a domain into its row. own_row.c reads and writes the row, own_counted.c
 * keeps what events have added. */
#include "livedata/entities/own.h"
#include "livedata/entities/own_internal.h"

#include <string.h>

static bool is_newer(const char *stamp, const char *than)
{
    return !than || strcmp(stamp, than) > 0;
}

int64_t own_add(int64_t a, int64_t b)
{
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

static void mark_newest(const struct event *event, struct own_row *row)
{
    if (!row->found || is_newer(event->own->stamp, row->newest)) {
        row->newest = event->own->stamp;
        row->event_at = event->at;
    }
}

/* Sets the columns that the event is the newest for. */
static void set_columns(const struct event *event, const bool *wanted, struct own_row *row)
{
    const struct own_event *own = event->own;

    for (size_t i = 0; i < own->type->table->column_count; i++) {
        const struct own_value *value = &own->values[i];

        if (!value->given || (wanted && !wanted[i]) || !is_newer(own->stamp, row->stamps[i]))
            continue;
        row->values[i] = (struct row_value){value->null, value->integer, value->text};
        row->stamps[i] = own->stamp;
    }
}

static enum error apply_set(const struct storage_call *call, const struct event *event,
                            const bool *wanted, struct own_row *row)
{
    set_columns(event, wanted, row);
    if (!wanted)
        mark_newest(event, row);
    return own_row_write(call, event, row);
}

/* What the event adds, less what it replaces. */
static enum error apply_count(const struct storage_call *call, const struct event *event,
                              const char *deleted, struct own_row *row)
{
    const struct own_event *own = event->own;
    struct own_counted before;
    enum error error = own_counted_replace(call, event, &before);

    if (error)
        return error;
    for (size_t i = 0; i < own->type->table->column_count; i++) {
        if (before.found && is_newer(before.stamp, deleted) && !before.stays)
            row->values[i].integer = own_add(row->values[i].integer, -before.amounts[i]);
        if (!before.stays && own->values[i].given && is_newer(own->stamp, deleted))
            row->values[i].integer = own_add(row->values[i].integer, own->values[i].integer);
    }
    if (!is_newer(own->stamp, deleted))
        return row->found ? own_row_write(call, event, row) : ERROR_NONE;
    mark_newest(event, row);
    return own_row_write(call, event, row);
}

/* Takes back everything older than the event; newer values stay. */
static enum error apply_delete(const struct storage_call *call, const struct event *event,
                               const char *deleted, struct own_row *row)
{
    const struct own_event *own = event->own;
    const struct own_entity *entity = own->type->table->own;
    enum error error = ERROR_NONE;

    if (is_newer(own->stamp, deleted))
        error = own_note_deleted(call, event);
    if (error || !row->found)
        return error;
    if (is_newer(own->stamp, row->newest))
        return own_row_remove(call, event, row);
    for (size_t i = 0; i < own->type->table->column_count; i++)
        if (i != entity->key && !entity->counts[i] && row->stamps[i] &&
            is_newer(own->stamp, row->stamps[i])) {
            row->values[i] = (struct row_value){.null = true};
            row->stamps[i] = NULL;
        }
    if (is_newer(own->stamp, deleted))
        error = own_counted_sum(call, event, own->stamp, row);
    return error ? error : own_row_write(call, event, row);
}

enum error state_apply_own(const struct storage_call *call, const struct event *event)
{
    const char *deleted = NULL;
    struct own_row row;
    enum error error = own_read_deleted(call, event, &deleted);

    if (!error)
        error = own_row_read(call, event, &row);
    if (error)
        return error;
    row.events++;
    if (event->own->action == MAPPING_DELETE)
        return apply_delete(call, event, deleted, &row);
    if (event->own->action == MAPPING_COUNT)
        return apply_count(call, event, deleted, &row);
    if (!is_newer(event->own->stamp, deleted))
        return row.found ? own_row_write(call, event, &row) : ERROR_NONE;
    return apply_set(call, event, NULL, &row);
}

/* An event whose additions were replaced adds nothing to new columns either. */
static enum error fill_count(const struct storage_call *call, const struct event *event,
                             const bool *wanted, const char *deleted, struct own_row *row)
{
    bool holds = false;
    enum error error = own_counted_widen(call, event, wanted, &holds);

    if (error || !holds || !is_newer(event->own->stamp, deleted))
        return error;
    for (size_t i = 0; i < event->own->type->table->column_count; i++)
        if (wanted[i] && event->own->values[i].given)
            row->values[i].integer = own_add(row->values[i].integer, event->own->values[i].integer);
    return own_row_write(call, event, row);
}

enum error state_fill_own(const struct storage_call *call, const struct event *event,
                          const bool *wanted)
{
    const char *deleted = NULL;
    struct own_row row;
    enum error error = own_read_deleted(call, event, &deleted);

    if (!error)
        error = own_row_read(call, event, &row);
    if (error || !row.found)
        return error;
    if (event->own->action == MAPPING_COUNT)
        return fill_count(call, event, wanted, deleted, &row);
    if (event->own->action == MAPPING_DELETE || !is_newer(event->own->stamp, deleted))
        return ERROR_NONE;
    return apply_set(call, event, wanted, &row);
}
