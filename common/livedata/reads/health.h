/* Health of the service: its components, and the status word in every answer. */
#ifndef ASSAY_LIVEDATA_READS_HEALTH_H
#define ASSAY_LIVEDATA_READS_HEALTH_H

#include "base/schema.h"
#include "livedata/cache/live_cache.h"
#include "livedata/journal/ages.h"
#include "livedata/settings.h"
#include "livedata/storage_call.h"
#include "telemetry/health_fault.h"

enum health_word { HEALTHY, DEGRADED, UNHEALTHY, HEALTH_WORD__MAX };
extern const char *const health_words[HEALTH_WORD__MAX];

struct health_component {
    const char *name;
    enum health_word status;
    const char *message;
    const char *source;               /* "live", or "placeholder": there is no data to check */
    const char *metrics;              /* JSON object: the inputs of the check */
    const struct health_fault *fault; /* NULL = none */

    bool placeholder;
    struct optional_number last_event_age_seconds, event_age_seconds, sla_seconds, pass_rate;
    struct optional_integer total_events, rejected_events, lag_records;
    const char *backend;
};

struct health_report {
    enum health_word status;
    int64_t checked_at;
    size_t count;
    struct health_component all[6]; /* the last one is the pool: health_show() adds it */
    OBJECT_LIST(struct health_component, components); /* for answers: those of `all` */
};
SCHEMA_OF(health_schema, struct health_report);

/* Never fails: a store that does not answer is part of the report. */
void health_inspect(const struct storage_call *call, const struct livedata_settings *settings,
                    struct health_report *report);

/* Only the status word, cached for the time of the settings. */
enum health_word health_now(const struct storage_call *call,
                            const struct livedata_settings *settings, struct live_cache *cache);

/* The ages of the tenant's newest applied event; false when the store does not answer. */
bool ages_now(const struct storage_call *call, struct live_cache *cache, struct data_ages *ages);

/* Converts the report into an answer. The public one has no messages and few metrics; `whole` shows
 * everything. Connections are a separate component, which does not affect the overall status. */
void health_show(struct arena *arena, struct health_report *report, bool whole,
                 const struct db_pool_figures *pool);

#endif
