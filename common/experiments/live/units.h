/*
 * The user ids of a batch in memory, grouped into subjects: an alias belongs to its canonical id,
 * over one link only. No SQL here; live_store.h reads and writes the units.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_UNITS_H
#define ASSAY_EXPERIMENTS_LIVE_UNITS_H

#include "base/arena.h"
#include "math/sum.h"

#include <stdbool.h>
#include <stdint.h>

/* The squares of values beyond this are not finite; such values are counted separately. */
#define LIVE_VALUE_MAX 1e150

/* The counted events: all, those after the subject's exposure, or those within a number of
 * microseconds after it. */
enum { LIVE_WINDOW_ALL = 0, LIVE_WINDOW_OPEN = -1 };

/* Events of one metric. Early: before the subject's exposure; late: more than the horizon after it.
 * Without an exposure no event is early or late. */
struct live_values {
    int64_t metric;
    int64_t events;
    int64_t huge; /* events that `sum` omits */
    int64_t early;
    int64_t late;
    struct sum sum;
    int64_t counted, counted_huge; /* inside the experiment's window, if it has one */
    struct sum counted_sum;
    bool stored, changed;
};

struct live_covariate {
    int64_t number;
    double value;
    bool stored;
};

/* One user id. */
struct live_unit {
    const char *user_id;
    int64_t number;
    bool stored, changed;

    bool exposed;
    int64_t variation;
    int64_t occurred_at, exposed_at, exposure_sequence; /* order of exposures */
    const char *dimensions;                             /* slices, as numbers; NULL = none */
    bool crossed;                                       /* sent in another arm later */
    int64_t cluster;                                    /* its number; 0 = sent without one */
    bool cluster_crossed;                               /* sent in another cluster later */

    const char *canonical_id; /* NULL = not an alias */
    int64_t linked_at;

    const char *exclusion_reason; /* NULL = not excluded */
    int64_t excluded_at;

    int64_t stratum; /* 0 = none */
    int64_t stratified_at, stratum_sequence;

    size_t value_count, value_capacity;
    struct live_values *values;
    size_t covariate_count, covariate_capacity;
    struct live_covariate *covariates;

    struct live_unit *root;       /* root of the subject; the unit itself when it is not an alias */
    struct live_unit *aliases;    /* a root's aliases */
    struct live_unit *next_alias; /* next alias of the same root */
    bool open;                    /* of a root: its contribution is subtracted for now */
    bool retime;                  /* of a root: its events must be classified by time again */
};

struct live_units {
    struct arena *arena;
    size_t count, capacity;
    struct live_unit **items; /* in the order of arrival */
    size_t slot_count;
    struct live_unit **slots;
};

void live_units_start(struct live_units *units, struct arena *arena, size_t expected);

/* NULL when it does not exist. */
struct live_unit *live_units_find(const struct live_units *units, const char *user_id);

/* 64-bit FNV-1a over the bytes, folded once. Buckets depend on it (bucket_store.h). */
uint64_t live_hash(const char *text);

/* Finds or adds; a new one is its own root and has no number. The unit refers to the caller's
 * text. */
struct live_unit *live_units_add(struct live_units *units, const char *user_id);

/* Makes `alias` an alias of `root`. */
void live_unit_join(struct live_unit *alias, struct live_unit *root);

/* The values of a metric of a unit; adds zeroed ones when they are missing. */
struct live_values *live_unit_values(struct live_units *units, struct live_unit *unit,
                                     int64_t metric);

/* NULL when the unit has no value for the covariate. */
struct live_covariate *live_unit_covariate(const struct live_unit *unit, int64_t number);
void live_unit_add_covariate(struct live_units *units, struct live_unit *unit, int64_t number,
                             double value, bool stored);

/* The first exposure of the subject. NULL when there is none. */
const struct live_unit *live_subject_exposure(const struct live_unit *root);

/* The first stratum sent for the subject; 0 = none. */
int64_t live_subject_stratum(const struct live_unit *root);

/* Seen in more than one arm, the holdout included. */
bool live_subject_crossed(const struct live_unit *root);

/* Seen in a cluster other than that of its first exposure. */
bool live_subject_cluster_crossed(const struct live_unit *root);

bool live_subject_excluded(const struct live_unit *root);

/* Iterates over the root and its aliases. NOLINTBEGIN(bugprone-macro-parentheses): `unit` is a
 * name. */
#define FOR_EACH_UNIT(unit, root)                                                                  \
    for (const struct live_unit *unit = (root); unit;                                              \
         unit = unit == (root) ? (root)->aliases : unit->next_alias)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Adds the value of an event. */
void live_values_count(struct live_values *values, double value);

/* Adds an event at its time, relative to the exposure of its subject (NULL = none). */
struct live_timed_value {
    double value;
    int64_t at;
    int64_t window; /* of the experiment */
};
void live_values_classify(struct live_values *values, const struct live_timed_value *moment,
                          const struct live_unit *exposure);

#endif
