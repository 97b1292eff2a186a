/*
 * The state of entities, computed from events. The result does not depend on the order of the
 * events: the newest state wins (ties by event id), times are minima and maxima, units and sums are
 * updated by differences.
 */
#ifndef ASSAY_LIVEDATA_ENTITIES_STATE_H
#define ASSAY_LIVEDATA_ENTITIES_STATE_H

#include "livedata/entities/rows.h"
#include "livedata/events/event.h"

/* `accepted` says whether the event is the order's newest state. Updates its users; `left` is the
 * previous user of the order, or NULL. */
MUST_CHECK enum error state_apply_order(const struct storage_call *call, const struct event *event,
                                        bool *accepted, const char **left);
MUST_CHECK enum error state_apply_click(const struct storage_call *call, const struct event *event);
/* `moved` are users whose preferred category changed. */
MUST_CHECK enum error state_apply_product(const struct storage_call *call,
                                          const struct event *event, struct string_list *moved);

/* Change data set users and sessions, and delete them. Orders and products of change data use the
 * functions above: `event->row.removes` marks deletions. */
MUST_CHECK enum error state_change_user(const struct storage_call *call, const struct event *event);
MUST_CHECK enum error state_change_session(const struct storage_call *call,
                                           const struct event *event);

/* Private: changes.c for orders and products. Whether a deletion is newer than the event; records
 * that the event has deleted its entity. */
MUST_CHECK enum error state_is_deleted(const struct storage_call *call, const struct event *event,
                                       bool *deleted);
MUST_CHECK enum error state_note_deleted(const struct storage_call *call,
                                         const struct event *event);

/* Private: users.c for orders.c. */
struct user_change {
    const char *user_id;
    int64_t orders; /* amounts to add */
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
