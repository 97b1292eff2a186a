/*
 * The user ids of a batch in memory, folded into subjects: an alias belongs to its canonical id,
 * one hop and no further. No SQL here; live_store.h fills this in and writes it back.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_UNITS_H
#define ASSAY_EXPERIMENTS_LIVE_UNITS_H

#include "base/arena.h"
#include "math/sum.h"

#include <stdbool.h>
#include <stdint.h>

/* Values beyond this have no finite square; they are counted apart. */
#define LIVE_VALUE_MAX 1e150

/* Which events count: all, those after the exposure of the subject, or those in so many
 * microseconds after it. */
enum { LIVE_WINDOW_ALL = 0, LIVE_WINDOW_OPEN = -1 };

/* Events of one metric. Early: before the exposure of the subject; late: more than the horizon
 * after it. Nobody is early or late without an exposure. */
struct live_values {
    int64_t metric;
    int64_t events;
    int64_t huge; /* events that `sum` omits */
    int64_t early;
    int64_t late;
    struct sum sum;
    int64_t counted, counted_huge; /* inside the window of the experiment, where it has one */
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
    int64_t occurred_at, exposed_at, exposure_sequence; /* exposures are compared in this order */
    const char *dimensions;                             /* slices, as numbers; NULL = none */
    bool crossed;                                       /* sent in another arm later */

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

    struct live_unit *root;       /* whose subject it is; itself when it is no alias */
    struct live_unit *aliases;    /* of a root */
    struct live_unit *next_alias; /* of an alias */
    bool open;                    /* of a root: its contribution is taken out for now */
    bool retime;                  /* of a root: its events are to be put in time again */
};

struct live_units {
    struct arena *arena;
    size_t count, capacity;
    struct live_unit **items; /* in the order in which they came */
    size_t slot_count;
    struct live_unit **slots;
};

void live_units_start(struct live_units *units, struct arena *arena, size_t expected);

/* NULL when it is not there. */
struct live_unit *live_units_find(const struct live_units *units, const char *user_id);

/* Finds or adds; a new one is its own root and has no number. The text is borrowed. */
struct live_unit *live_units_add(struct live_units *units, const char *user_id);

/* Makes `alias` belong to `root`. */
void live_unit_join(struct live_unit *alias, struct live_unit *root);

/* The values of a metric of a unit, added as zeros when there are none. */
struct live_values *live_unit_values(struct live_units *units, struct live_unit *unit,
                                     int64_t metric);

/* NULL when the unit has no value for the covariate. */
struct live_covariate *live_unit_covariate(const struct live_unit *unit, int64_t number);
void live_unit_add_covariate(struct live_units *units, struct live_unit *unit, int64_t number,
                             double value, bool stored);

/* The exposure that counts for the subject: the first one. NULL when there is none. */
const struct live_unit *live_subject_exposure(const struct live_unit *root);

/* The stratum of the subject: the first one that was sent; 0 = none. */
int64_t live_subject_stratum(const struct live_unit *root);

/* Seen in more than one arm, the holdout included. */
bool live_subject_crossed(const struct live_unit *root);

bool live_subject_excluded(const struct live_unit *root);

/* Goes over the root and its aliases. NOLINTBEGIN(bugprone-macro-parentheses): `unit` is a name. */
#define FOR_EACH_UNIT(unit, root)                                                                  \
    for (const struct live_unit *unit = (root); unit;                                              \
         unit = unit == (root) ? (root)->aliases : unit->next_alias)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Counts the value of an event. */
void live_values_count(struct live_values *values, double value);

/* An event with its time, relative to the exposure of its subject (NULL = none). */
struct live_timed_value {
    double value;
    int64_t at;
    int64_t window; /* of the experiment */
};
void live_values_classify(struct live_values *values, const struct live_timed_value *moment,
                          const struct live_unit *exposure);

#endif
