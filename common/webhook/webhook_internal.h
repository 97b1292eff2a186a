/* Private to common/webhook: one delivery attempt, and its row in the history. */
#ifndef ASSAY_WEBHOOK_WEBHOOK_INTERNAL_H
#define ASSAY_WEBHOOK_WEBHOOK_INTERNAL_H

#include "net/fetch.h"
#include "webhook/webhook.h"

/* Makes one attempt; both ids of the result are given. `final` says that another attempt would not
 * help, `pause` how long the receiver has asked us to wait. */
void webhook_attempt(struct arena *arena, const struct webhook_delivery_config *config,
                     const struct webhook_target *target, const struct webhook_event *event,
                     struct webhook_result *result, bool *final, double *pause);

/* Writes the row, once per delivery id. */
MUST_CHECK enum error webhook_write_history(struct db *db, const struct webhook_kind *kind,
                                            const struct webhook_event *event, int64_t attempt,
                                            const struct webhook_result *result,
                                            struct problem *problem);

#endif
