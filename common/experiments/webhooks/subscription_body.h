/* Private to common/experiments/webhooks: the body of an entry of the audit log.
 */
#ifndef ASSAY_EXPERIMENTS_WEBHOOKS_SUBSCRIPTION_BODY_H
#define ASSAY_EXPERIMENTS_WEBHOOKS_SUBSCRIPTION_BODY_H

#include "experiments/webhooks/subscription_store.h"

/* Whether an action is reported to webhooks. */
bool subscription_reports(const char *action);

/* The bytes of a request. From the arena. */
const char *subscription_body(struct arena *arena, enum subscription_format format,
                              const struct audit_row *event);

#endif
