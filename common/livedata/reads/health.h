/* How well the service is: its components, and the word that every answer carries. */
#ifndef ASSAY_LIVEDATA_READS_HEALTH_H
#define ASSAY_LIVEDATA_READS_HEALTH_H

#include "livedata/cache/live_cache.h"
#include "livedata/journal/ages.h"
#include "livedata/settings.h"
#include "livedata/storage_call.h"

enum health_word { HEALTHY, DEGRADED, UNHEALTHY };
extern const char *const health_words[];

struct health_component {
    const char *name;
    enum health_word word;
    const char *message;
    bool placeholder; /* there is nothing to judge by */
    struct optional_number age_seconds, event_age_seconds, sla_seconds, pass_rate;
    struct optional_integer total, rejected;
    const char *backend;
};

struct health_report {
    enum health_word word;
    int64_t checked_at;
    size_t count;
    struct health_component components[4]; /* the pool is written by whoever knows it */
};

/* Never fails: a store that does not answer is a report too. */
void health_look(const struct storage_call *call, const struct livedata_settings *settings,
                 struct health_report *report);

/* The word alone, kept for the settings' time. */
enum health_word health_now(const struct storage_call *call,
                            const struct livedata_settings *settings, struct live_cache *cache);

/* The ages of the tenant's newest applied event; false when the store does not say. */
bool ages_now(const struct storage_call *call, struct live_cache *cache, struct data_ages *ages);

/* The public report: no messages, few figures; `whole` shows all of it. Connections are a component
 * of their own, by which nobody is judged. */
void health_write(struct json_writer *writer, const struct health_report *report, bool whole,
                  const struct db_pool_figures *pool);

#endif
