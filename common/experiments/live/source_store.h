/*
 * Metrics of the catalog whose events are rows of live data: which project reads which rows, how
 * far it has read, and what was recorded of each row. Contains all SQL about them.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_SOURCE_STORE_H
#define ASSAY_EXPERIMENTS_LIVE_SOURCE_STORE_H

#include "experiments/live/records.h"

/* Never read completely; read, and recent enough; read, and too old by one of its limits. */
enum live_source_state { LIVE_SOURCE_UNREAD, LIVE_SOURCE_FRESH, LIVE_SOURCE_STALE };

/* What a project reads, and how far it is. Texts are from the arena of the call; times are
 * microseconds since 1970, 0 = never. */
struct live_source {
    const char *project_id;
    const char *metric_id;
    const char *event_name;   /* under which values are recorded */
    const char *entity_type;  /* of live data */
    const char *user_column;  /* of an entity */
    const char *value_column; /* NULL = each row counts as 1 */
    const char *time_column;
    bool is_binary; /* the metric counts users, not values */

    const char *position; /* the watermark; NULL = the beginning */
    int64_t read_at;      /* the newest page */
    int64_t complete_at;  /* all changes that were applied by then have been read */
    struct optional_number event_age_seconds;    /* how far live data itself lagged at that time */
    double stale_seconds, event_age_seconds_max; /* limits; the latter 0 = none */
    int64_t rows_read, rows_recorded, rows_unusable;
    int64_t failed_at; /* the newest read that failed, after `read_at` */
    const char *failure;
    int64_t closed_at; /* when the project was archived or decided, the earlier; 0 = neither */
};

/* Until when rows that were read are recent enough, by both limits. */
int64_t live_source_fresh_until(const struct live_source *source);

/* Of an archived or decided project as it was then, with what has been read since. */
enum live_source_state live_source_state(const struct live_source *source, int64_t now);

/* Of a project; `found` is false when its metric is not one of live data. */
MUST_CHECK enum error live_read_source(const struct live_call *call, const char *project_id,
                                       struct live_source *source, bool *found);

/* Of all projects that have events and are not archived, after `after` in the order of their ids,
 * at most `most`. */
struct live_source_list {
    size_t count;
    struct live_source *items;
};
MUST_CHECK enum error live_list_sources(const struct live_call *call, const char *after, int most,
                                        struct live_source_list *sources);

/* Of all projects that were planned with a metric, by their ids, at most `most`; archived ones,
 * too. */
MUST_CHECK enum error live_metric_sources(const struct live_call *call, const char *metric_id,
                                          int most, struct live_source_list *sources);

/* Holds the lock of reading for a project until the caller's transaction ends; before any lock of
 * the experiment. */
MUST_CHECK enum error live_lock_source(const struct live_call *call, const char *project_id);

/* Writes how far the project is with its metric; what is stored of a metric that it had before
 * stays as it was, for the case that it comes back. In the caller's transaction. */
MUST_CHECK enum error live_save_source(const struct live_call *call,
                                       const struct live_source *source);

/* Notes that reading failed; `position` and what was read stay. */
MUST_CHECK enum error live_fail_source(const struct live_call *call,
                                       const struct live_source *source, int64_t now,
                                       const char *failure);

/* Forgets what was read of a project, so that it is read anew; in the caller's transaction. */
MUST_CHECK enum error live_forget_source(const struct live_call *call, const char *project_id);

/* A row of an entity as recorded, or waiting for the exposure of its user. */
struct live_source_row {
    const char *entity_id;
    const char *position; /* of its version */
    const char *user_id;
    double value;
    int64_t occurred_at;
    bool waits;
};
struct live_source_rows {
    size_t count;
    struct live_source_row *items;
};

/* Those of the entities; in the order of their ids. */
MUST_CHECK enum error live_find_source_rows(const struct live_call *call,
                                            const struct live_source *source,
                                            const struct string_list *entities,
                                            struct live_source_rows *rows);

/* Those that wait, after the id `after` in the database's order of ids, at most `most`. */
MUST_CHECK enum error live_waiting_source_rows(const struct live_call *call,
                                               const struct live_source *source, const char *after,
                                               int most, struct live_source_rows *rows);
MUST_CHECK enum error live_put_source_rows(const struct live_call *call,
                                           const struct live_source *source, int64_t now,
                                           const struct live_source_rows *rows);
/* Forgets what was recorded of rows before a moment: their events are taken away. Under the lock of
 * the source. */
MUST_CHECK enum error live_retire_source_rows(const struct live_call *call, const char *project_id,
                                              int64_t before);
MUST_CHECK enum error live_drop_source_rows(const struct live_call *call,
                                            const struct live_source *source,
                                            const struct string_list *entities);

#endif
