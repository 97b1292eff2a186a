/*
 * The state of entities, computed from events. The tables are the same in whatever order the events
 * come: the newest state wins (ties by event id), times are minima and maxima, units and
 * sums are kept by difference.
 */
#ifndef ASSAY_LIVEDATA_ENTITIES_STATE_H
#define ASSAY_LIVEDATA_ENTITIES_STATE_H

#include "livedata/entities/rows.h"
#include "livedata/events/event.h"

/* `accepted` says whether the event is the order's newest state. Its users are brought up to date;
 * `left` is the one whose order it was before, or NULL. */
MUST_CHECK enum error state_apply_order(const struct storage_call *call, const struct event *event,
                                        bool *accepted, const char **left);
MUST_CHECK enum error state_apply_click(const struct storage_call *call, const struct event *event);
/* `moved` are users who prefer another category since. */
MUST_CHECK enum error state_apply_product(const struct storage_call *call,
                                          const struct event *event, struct string_list *moved);

/* Change data put users and sessions as they are, and remove them. Orders and products of change
 * data go through the functions above: `event->row.removes` says that they are gone. */
MUST_CHECK enum error state_change_user(const struct storage_call *call, const struct event *event);
MUST_CHECK enum error state_change_session(const struct storage_call *call,
                                           const struct event *event);

/* Private: changes.c for orders and products. Whether a deletion is newer than the event; notes
 * that the event has deleted its entity. */
MUST_CHECK enum error state_is_deleted(const struct storage_call *call, const struct event *event,
                                       bool *deleted);
MUST_CHECK enum error state_note_deleted(const struct storage_call *call,
                                         const struct event *event);

/* Private: users.c for orders.c and products. */
struct user_change {
    const char *user_id;
    int64_t orders; /* to be added */
    int64_t cents;
    bool units_changed;
    int64_t event_at; /* own time of the event that changes the user */
};
MUST_CHECK enum error users_add_units(const struct storage_call *call, const char *user_id,
                                      const char *product_id, int64_t units, int64_t all_units);
MUST_CHECK enum error users_refresh(const struct storage_call *call,
                                    const struct user_change *change);
MUST_CHECK enum error users_refresh_category(const struct storage_call *call,
                                             const struct event *event, struct string_list *moved);

#endif
