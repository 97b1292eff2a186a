/* The weekly report: metrics of a tenant's week compared with the week before. */
#ifndef ASSAY_SUPPORT_TRENDS_WEEKLY_H
#define ASSAY_SUPPORT_TRENDS_WEEKLY_H

#include "support/settings.h"
#include "support/traces/trace_store.h"

/* Iterates over the tenants with questions in the last two weeks: the one after the call's; NULL at
 * the end. */
MUST_CHECK enum error weekly_next_tenant(const struct trace_call *call, const char **tenant);

/* The report of the call's tenant on the seven days before `now` (microseconds), in Markdown. */
MUST_CHECK enum error weekly_report(const struct trace_call *call,
                                    const struct support_settings *settings, int64_t now,
                                    const char **markdown);

/* The change of a metric: `+12.5%`, `n/a` without a previous value. From the arena. */
const char *weekly_change(struct arena *arena, double now, double before);
/* The change of two shares or means, of which one may be unknown, as in a week without questions:
 * `+2.0 pp`, `n/a`. */
const char *weekly_change_of_share(struct arena *arena, struct optional_number now,
                                   struct optional_number before);

/* Posts it to REPORT_CHATAPP_WEBHOOK, if that is set. ERROR_UNAVAILABLE report_not_sent. */
MUST_CHECK enum error weekly_send(const struct trace_call *call,
                                  const struct support_settings *settings, const char *markdown);

#endif
