/* Buttons of messages, and events of the platform. */
#ifndef ASSAY_EXPERIMENTS_CHAT_INTERACTION_H
#define ASSAY_EXPERIMENTS_CHAT_INTERACTION_H

#include "experiments/chat/chat_jobs.h"

/* Performs the action of a button, once; `reply` is the answer as JSON, which also goes to the
 * response URL. Unknown buttons are noted. ERROR_UNAVAILABLE chatapp_not_configured where a review
 * is requested and the app is not installed; errors of the database. */
MUST_CHECK enum error chat_press(const struct chat_session *session, const char *action,
                                 const char *value, const char **reply);

/* Takes an event, an object: installations that the platform has ended are forgotten. The same
 * event again is taken and changes nothing. */
MUST_CHECK enum error chat_take_event(const struct chat_session *session, const json_t *event);

#endif
