/* Buttons of messages, and events of the chat platform. */
#ifndef ASSAY_EXPERIMENTS_CHAT_INTERACTION_H
#define ASSAY_EXPERIMENTS_CHAT_INTERACTION_H

#include "experiments/chat/chat_jobs.h"

/* Performs the action of a button, once; `reply` is the answer as JSON, which is also sent to the
 * response URL. Unknown buttons are logged. ERROR_UNAVAILABLE chatapp_not_configured when a review
 * is requested and the app is not installed; errors of the database. */
MUST_CHECK enum error chat_press(const struct chat_session *session, const char *action,
                                 const char *value, const char **reply);

/* Handles an event, an object: deletes installations that the platform has ended. A repeated event
 * changes nothing. */
MUST_CHECK enum error chat_take_event(const struct chat_session *session, const json_t *event);

#endif
