/*
 * The journal of changes that open pages wait for: a person replied to a customer, a ticket was
 * opened, assigned or resolved. Numbers rise in the order in which transactions end. Pages read the
 * conversation or the ticket again; an event only says which one.
 */
#ifndef ASSAY_SUPPORT_CONVERSATION_EVENTS_H
#define ASSAY_SUPPORT_CONVERSATION_EVENTS_H

#include "support/conversation/conversation.h"

enum conversation_event_kind { EVENT_REPLY, EVENT_TICKET, EVENT_KIND__MAX };
extern const char *const conversation_event_names[EVENT_KIND__MAX];

struct conversation_event {
    int64_t seq;
    const char *tenant_id, *session_id, *ticket_id, *kind;
};
SCHEMA_OF(conversation_event_schema, struct conversation_event);

/* In the caller's transaction, after everything else: other writers wait from here on. */
MUST_CHECK enum error conversation_event_add(const struct conversation_call *call,
                                             enum conversation_event_kind kind,
                                             const char *session_id, const char *ticket_id);

/* The last number; 0 when there is none. */
MUST_CHECK enum error conversation_events_newest(struct db *db, int64_t *seq,
                                                 struct problem *problem);

/* The events of all tenants after `after`, in order, at most `most`: struct conversation_event. */
MUST_CHECK enum error conversation_events_after(struct db *db, struct arena *arena, int64_t after,
                                                size_t most, struct object_list *rows,
                                                struct problem *problem);

#endif
