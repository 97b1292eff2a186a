/* Handlers that every service's system family may name in its table. */
#ifndef ASSAY_HTTP_DOCUMENTS_H
#define ASSAY_HTTP_DOCUMENTS_H

#include "http/request.h"

/* The OpenAPI document of the whole service. The launcher composes it from the parts of all
 * responders. ERROR_NOT_FOUND (`openapi_not_composed`) outside a stack. */
enum error openapi_handle(struct request *request, struct reply *reply);

/* The metrics of the service in the text exposition format: the media type of the row is
 * METRICS_TYPE. A service that sets gauges first calls this at the end of its own handler. */
#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"
enum error metrics_handle(struct request *request, struct reply *reply);

#endif
