/* Signing in to support by an identity provider (contract 2.4): addresses that a browser visits. */
#ifndef ASSAY_SUPPORT_ACCOUNTS_SSO_H
#define ASSAY_SUPPORT_ACCOUNTS_SSO_H

#include "http/request.h"

extern const struct schema sso_providers_schema;

enum error sso_providers_handle(struct request *request, struct reply *reply);
enum error sso_login_handle(struct request *request, struct reply *reply);
enum error sso_callback_handle(struct request *request, struct reply *reply);

#endif
