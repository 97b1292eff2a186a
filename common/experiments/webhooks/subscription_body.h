/* Private to common/experiments/webhooks: the request body for an audit entry. */
#ifndef ASSAY_EXPERIMENTS_WEBHOOKS_SUBSCRIPTION_BODY_H
#define ASSAY_EXPERIMENTS_WEBHOOKS_SUBSCRIPTION_BODY_H

#include "experiments/webhooks/subscription_store.h"

/* Whether webhooks report an action. */
bool subscription_reports(const char *action);

/* The bytes of the request body. From the arena. */
const char *subscription_body(struct arena *arena, enum subscription_format format,
                              const struct audit_row *event);

#endif
