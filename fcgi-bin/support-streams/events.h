/* Event streams of open pages: a customer's own conversation, and the inbox of the support team. */
#ifndef ASSAY_SUPPORT_STREAMS_EVENTS_H
#define ASSAY_SUPPORT_STREAMS_EVENTS_H

#include "http/hub.h"
#include "http/route.h"

extern const struct hub conversation_hub;

/* Replies of the support team in one conversation. */
enum error conversation_stream_handle(struct request *request, struct reply *reply);
/* Tickets that are opened, assigned or resolved, and replies, of the caller's tenant. */
enum error inbox_stream_handle(struct request *request, struct reply *reply);

#endif
