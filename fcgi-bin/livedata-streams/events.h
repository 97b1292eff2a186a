/* The stream of applied events. */
#ifndef ASSAY_LIVEDATA_STREAMS_EVENTS_H
#define ASSAY_LIVEDATA_STREAMS_EVENTS_H

#include "http/hub.h"
#include "livedata/service.h"

SCHEMA_OF(stream_query_schema, struct stream_query);
extern const struct hub stream_hub;

enum error stream_handle(struct request *request, struct reply *reply);

#endif
