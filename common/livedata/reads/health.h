/* How well the service is: its components, and the word that every answer carries. */
#ifndef ASSAY_LIVEDATA_READS_HEALTH_H
#define ASSAY_LIVEDATA_READS_HEALTH_H

#include "base/schema.h"
#include "livedata/cache/live_cache.h"
#include "livedata/journal/ages.h"
#include "livedata/settings.h"
#include "livedata/storage_call.h"

enum health_word { HEALTHY, DEGRADED, UNHEALTHY, HEALTH_WORD__MAX };
extern const char *const health_words[HEALTH_WORD__MAX];

struct health_component {
    const char *name;
    enum health_word status;
    const char *message;
    const char *source;  /* "live", or "placeholder": there is nothing to judge by */
    const char *metrics; /* JSON object: what the component was judged by */

    bool placeholder;
    struct optional_number last_event_age_seconds, event_age_seconds, sla_seconds, pass_rate;
    struct optional_integer total_events, rejected_events;
    const char *backend;
};

struct health_report {
    enum health_word status;
    int64_t checked_at;
    size_t count;
    struct health_component all[5]; /* the last is the pool: health_show() adds it */
    OBJECT_LIST(struct health_component, components); /* of answers: those of `all` */
};
SCHEMA_OF(health_schema, struct health_report);

/* Never fails: a store that does not answer is a report too. */
void health_inspect(const struct storage_call *call, const struct livedata_settings *settings,
                    struct health_report *report);

/* The word alone, kept for the settings' time. */
enum health_word health_now(const struct storage_call *call,
                            const struct livedata_settings *settings, struct live_cache *cache);

/* The ages of the tenant's newest applied event; false when the store does not say. */
bool ages_now(const struct storage_call *call, struct live_cache *cache, struct data_ages *ages);

/* Makes an answer of the report. The public one has no messages and few metrics; `whole` shows all
 * of it. Connections are a component of their own, which does not change the overall status. */
void health_show(struct arena *arena, struct health_report *report, bool whole,
                 const struct db_pool_figures *pool);

#endif
