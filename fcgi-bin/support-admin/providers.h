/* Routes of language model providers: their configuration and state. */
#ifndef ASSAY_SUPPORT_ADMIN_PROVIDERS_H
#define ASSAY_SUPPORT_ADMIN_PROVIDERS_H

#include "http/route.h"

extern const struct schema providers_schema, breaker_reset_query_schema, breaker_reset_schema;

enum error providers_handle(struct request *request, struct reply *reply);
enum error breaker_reset_handle(struct request *request, struct reply *reply);

#endif
