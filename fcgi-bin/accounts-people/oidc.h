/* Signing in by an identity provider: two addresses that a browser visits, no calls of scripts. */
#ifndef ASSAY_ACCOUNTS_PEOPLE_OIDC_H
#define ASSAY_ACCOUNTS_PEOPLE_OIDC_H

#include "accounts/service.h"

extern const struct schema oidc_start_query_schema;

enum error oidc_start_handle(struct request *request, struct reply *reply);
enum error oidc_callback_handle(struct request *request, struct reply *reply);

#endif
