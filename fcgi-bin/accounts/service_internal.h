/* Private to fcgi-bin/accounts: declarations shared by its files. */
#ifndef ASSAY_ACCOUNTS_SERVICE_INTERNAL_H
#define ASSAY_ACCOUNTS_SERVICE_INTERNAL_H

#include "accounts/caller.h"
#include "accounts/service.h"

extern const struct wire_format accounts_wire_format;

/* Lives as long as the worker; `caller` is of the current request. */
struct service {
    struct accounts_service_settings settings;
    struct accounts *accounts;
    struct account_caller caller;
    struct arena *arena;      /* as long as the worker */
    struct oidc_client *oidc; /* NULL until it is asked for */
};

/* access.c: of struct http_service */
bool service_authenticate(struct request *request, struct http_refusal *refusal);
const char *service_access(const struct route *route);
void service_refuse(const struct request *request, struct http_refusal *refusal);
size_t service_buckets(struct request *request, struct http_bucket buckets[HTTP_BUCKETS_MAX]);

#endif
