/* The week of a tenant in figures beside the week before, for people. */
#ifndef ASSAY_SUPPORT_TRENDS_WEEKLY_H
#define ASSAY_SUPPORT_TRENDS_WEEKLY_H

#include "support/settings.h"
#include "support/traces/trace_store.h"

/* Of those who asked anything within the last two weeks, the one behind the call's; NULL = there is
 * none. */
MUST_CHECK enum error weekly_next_tenant(const struct trace_call *call, const char **tenant);

/* The report of the call's tenant on the seven days before `now` (microseconds), in Markdown. */
MUST_CHECK enum error weekly_report(const struct trace_call *call,
                                    const struct support_settings *settings, int64_t now,
                                    const char **markdown);

/* How a figure changed: `+12.5%`, `n/a` without any before or after. From the arena. */
const char *weekly_change(struct arena *arena, double now, double before);
/* The same of two shares or means, of which one may not be known, as in a week without questions:
 * `+2.0 pp`, `n/a`. */
const char *weekly_change_of_share(struct arena *arena, struct optional_number now,
                                   struct optional_number before);

/* Posts it to REPORT_CHATAPP_WEBHOOK, where that is set. ERROR_UNAVAILABLE report_not_sent. */
MUST_CHECK enum error weekly_send(const struct trace_call *call,
                                  const struct support_settings *settings, const char *markdown);

#endif
