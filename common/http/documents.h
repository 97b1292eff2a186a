/* Handlers that every service's system family may name in its table. */
#ifndef ASSAY_HTTP_DOCUMENTS_H
#define ASSAY_HTTP_DOCUMENTS_H

#include "http/request.h"

/* The OpenAPI document of the whole service, composed by the launcher of what each responder says
 * of itself. ERROR_NOT_FOUND (`openapi_not_composed`) outside a stack. */
enum error openapi_handle(struct request *request, struct reply *reply);

#endif
