/* Providers of language models: what the registry says of them, and how they do. */
#ifndef ASSAY_SUPPORT_ADMIN_PROVIDERS_H
#define ASSAY_SUPPORT_ADMIN_PROVIDERS_H

#include "http/route.h"

extern const struct schema providers_schema, breaker_reset_query_schema, breaker_reset_schema;

enum error providers_handle(struct request *request, struct reply *reply);
enum error breaker_reset_handle(struct request *request, struct reply *reply);

#endif
