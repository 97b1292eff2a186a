/* The stream of applied events. */
#ifndef ASSAY_LIVEDATA_STREAMS_EVENTS_H
#define ASSAY_LIVEDATA_STREAMS_EVENTS_H

#include "http/hub.h"
#include "livedata/service.h"

extern const struct schema stream_query_schema;
extern const struct hub stream_hub;

enum error stream_handle(struct request *request, struct reply *reply);

#endif
