/* Handlers and schemas of the webhook routes. */
#ifndef ASSAY_EXPERIMENTS_OPERATIONS_WEBHOOKS_H
#define ASSAY_EXPERIMENTS_OPERATIONS_WEBHOOKS_H

#include "http/route.h"

extern const struct schema webhook_request_schema;
extern const struct schema webhook_change_schema;
extern const struct schema webhook_trial_schema;
extern const struct schema webhooks_schema;
extern const struct schema webhook_deleted_schema;
extern const struct schema webhook_deliveries_query_schema;
extern const struct schema webhook_deliveries_schema;
extern const struct schema webhook_tested_schema;

enum error webhooks_list(struct request *request, struct reply *reply);
enum error webhooks_create(struct request *request, struct reply *reply);
enum error webhooks_read(struct request *request, struct reply *reply);
enum error webhooks_update(struct request *request, struct reply *reply);
enum error webhooks_delete(struct request *request, struct reply *reply);
enum error webhooks_deliveries(struct request *request, struct reply *reply);
enum error webhooks_resend(struct request *request, struct reply *reply);
enum error webhooks_test(struct request *request, struct reply *reply);
enum error webhooks_try(struct request *request, struct reply *reply);

#endif
