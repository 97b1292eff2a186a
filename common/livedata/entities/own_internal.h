/* Private to common/livedata/entities: rows of domains with what the fold needs to know of them. */
#ifndef ASSAY_LIVEDATA_ENTITIES_OWN_INTERNAL_H
#define ASSAY_LIVEDATA_ENTITIES_OWN_INTERNAL_H

#include "livedata/entities/own.h"

/* A row; without one, its columns are null, and 0 where events add. */
struct own_row {
    bool found;
    struct row_value before[OWN_COLUMNS_MAX]; /* as it was read */
    struct row_value values[OWN_COLUMNS_MAX];
    const char *stamps[OWN_COLUMNS_MAX]; /* of the event that set it; NULL = none has */
    const char *newest;                  /* stamp of the newest event that was no deletion */
    int64_t event_at;                    /* its own time */
    int64_t events;                      /* how many were applied to the row */
};
MUST_CHECK enum error own_row_read(const struct storage_call *call, const struct event *event,
                                   struct own_row *row);
MUST_CHECK enum error own_row_write(const struct storage_call *call, const struct event *event,
                                    const struct own_row *row);
MUST_CHECK enum error own_row_remove(const struct storage_call *call, const struct event *event,
                                     const struct own_row *row);

/* The stamp of the newest deletion of the entity, or NULL. */
MUST_CHECK enum error own_read_deleted(const struct storage_call *call, const struct event *event,
                                       const char **stamp);
MUST_CHECK enum error own_note_deleted(const struct storage_call *call, const struct event *event);

int64_t own_add(int64_t a, int64_t b); /* stops at the ends of 64 bits */

/* What an event had added that this one replaces. `stays`: that one has a higher version, and this
 * one adds nothing. Otherwise this one's additions are stored in its place. */
struct own_counted {
    bool found;
    bool stays;
    const char *stamp;
    int64_t amounts[OWN_COLUMNS_MAX];
};
MUST_CHECK enum error own_counted_replace(const struct storage_call *call,
                                          const struct event *event, struct own_counted *before);
/* Adds amounts of new columns to what is stored of the event; `holds` says whether that is there,
 * and not what has replaced it. */
MUST_CHECK enum error own_counted_widen(const struct storage_call *call, const struct event *event,
                                        const bool *wanted, bool *holds);
/* Sets the columns that are added to: sums over what is newer than `after`. */
MUST_CHECK enum error own_counted_sum(const struct storage_call *call, const struct event *event,
                                      const char *after, struct own_row *row);

#endif
