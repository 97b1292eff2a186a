/*
 * SQL of units: reads the units of a batch and writes them back. Aggregates are in rollup_store.h.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_LIVE_STORE_H
#define ASSAY_EXPERIMENTS_LIVE_LIVE_STORE_H

#include "experiments/live/rollup.h"

/* A growing list of texts in an arena. */
struct live_names {
    struct arena *arena;
    size_t count;
    const char **items;
};
void live_names_add(struct live_names *names, const char *name);

/*
 * Fills `units` with the requested ids, the other ids of their subjects, and their stored
 * values. Unknown ids are skipped unless `create` says to number them.
 */
struct live_load {
    const struct live_call *call;
    struct live_experiment *experiment;
    struct live_units *units;
    bool linked;     /* the batch may add aliases */
    bool create;     /* assign numbers to new ids */
    bool covariates; /* load values from before the experiment */
};
MUST_CHECK enum error live_load_units(const struct live_load *load,
                                      const struct live_names *user_ids);

/* Classifies all events of the subjects marked `retime` again by time, from the raw rows. */
MUST_CHECK enum error live_load_times(const struct live_load *load);

/* Recomputes the values of every subject from the raw rows, replaces the stored values, and counts
 * the subjects whose values differed. */
MUST_CHECK enum error live_load_values_again(const struct live_load *load, int64_t *differences);

/* Calls `event` with every raw event of the loaded units, in no order. */
typedef void live_event_visitor(struct live_unit *unit, int64_t metric,
                                const struct live_timed_value *event, void *context);
MUST_CHECK enum error live_visit_events(const struct live_load *load, live_event_visitor *event,
                                        void *context);

/* Writes new and changed units. */
MUST_CHECK enum error live_save_units(const struct live_call *call,
                                      const struct live_experiment *experiment,
                                      const struct live_units *units);

/* An event as stored. */
struct live_event {
    const struct live_unit *unit;
    int64_t sequence, metric;
    double value;
    int64_t occurred_at;
    const char *idempotency_key;
};
MUST_CHECK enum error live_save_events(const struct live_call *call,
                                       const struct live_experiment *experiment, int64_t now,
                                       const struct live_event *events, size_t count);

/* The keys that already have a stored event: adds them to `taken`. */
MUST_CHECK enum error live_find_keys(const struct live_call *call,
                                     const struct live_experiment *experiment,
                                     const struct live_names *keys, struct live_names *taken);

/* The next ids that are not aliases, in bytewise order after `after`: for iterating over all
 * subjects. */
MUST_CHECK enum error live_next_roots(const struct live_call *call, int64_t experiment,
                                      const char *after, int64_t limit, struct live_names *roots);

/* The exposure stored under exactly this id. */
MUST_CHECK enum error live_find_exposure(const struct live_call *call, int64_t experiment,
                                         const char *user_id, struct optional_integer *variation);

#endif
