/* Private to common/support/demo: sets the times of a conversation. Contains all SQL of it. */
#ifndef ASSAY_SUPPORT_DEMO_DEMO_STORE_H
#define ASSAY_SUPPORT_DEMO_DEMO_STORE_H

#include "support/documents/document_store.h"

/* Whether the tenant has a conversation of the demonstration. */
MUST_CHECK enum error demo_store_has_week(const struct document_call *call, bool *has_week);

/* Moves a turn, whose rows name the trace, to a time in microseconds; answered half a second
 * later. */
MUST_CHECK enum error demo_store_move_turn(const struct document_call *call, const char *trace_id,
                                           int64_t at);

/* The first and last time of a session, and the times of its ticket: of the hand-over, and of the
 * person's reply (0 = none). */
MUST_CHECK enum error demo_store_move_session(const struct document_call *call,
                                              const char *session_id, int64_t first, int64_t last,
                                              int64_t handed_over, int64_t replied);

#endif
