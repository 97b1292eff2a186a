/* Private to common/webhook: one round of attempts, and its row in the history. */
#ifndef ASSAY_WEBHOOK_WEBHOOK_INTERNAL_H
#define ASSAY_WEBHOOK_WEBHOOK_INTERNAL_H

#include "net/fetch.h"
#include "webhook/webhook.h"

/* A round, with both ids of the result given. `final` says that another round would not help,
 * `pause` how long the receiver wants to be left alone. */
void webhook_round(struct arena *arena, const struct webhook_delivery_config *config,
                   const struct webhook_target *target, const struct webhook_event *event,
                   struct webhook_result *result, bool *final, double *pause);

/* Writes the row, once per delivery id. */
MUST_CHECK enum error webhook_write_history(struct db *db, const struct webhook_kind *kind,
                                            const struct webhook_event *event, int64_t attempt,
                                            const struct webhook_result *result,
                                            struct problem *problem);

#endif
