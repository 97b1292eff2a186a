/* Background runs as jobs, and their results for clients. */
#include "support/programs/background.h"
#include "base/clock.h"
#include "support/cache.h"

#include <string.h>

static const double pauses[] = {1};

struct job_kind background_kind(const char *name, int64_t lease_seconds,
                                void (*perform)(struct job *job, struct job_verdict *verdict),
                                enum error (*record)(struct job *job,
                                                     const struct job_verdict *verdict,
                                                     struct problem *problem))
{
    return (struct job_kind){.name = name,
                             .lease_seconds = (int)lease_seconds,
                             .attempts = 1,
                             .pauses = pauses,
                             .pause_count = 1,
                             .interruptions_max = 0,
                             .lane_most = 1,
                             .perform = perform,
                             .record = record};
}

enum error background_add(struct db *db, const struct job_kind *kind, const char *id,
                          const char *tenant, const char *payload, struct problem *problem)
{
    return job_add(db, kind, &(struct job_spec){.key = id, .lane = tenant, .payload = payload},
                   NULL, problem);
}

static const char *time_text(struct arena *arena, int64_t microseconds)
{
    char text[CLOCK_TEXT_MAX];

    clock_format(microseconds, text);
    return arena_copy_string(arena, text);
}

static const char *progress_key(struct arena *arena, const char *id)
{
    return arena_print(arena, "run:%s", id);
}

static struct background_run as_run(struct arena *arena, const struct job_row *row)
{
    bool lost = row->held && row->due_at <= clock_unix_microseconds(),
         waits = row->state == JOB_WAITING;
    struct background_run run = {
        .id = row->key,
        .tenant = row->lane,
        .payload = row->payload,
        .status = row->state == JOB_IS_DONE           ? "completed"
                  : row->state == JOB_IS_DEAD || lost ? "error"
                  : waits && row->held                ? "running"
                                                      : "queued",
        .created_at = time_text(arena, row->created_at),
        .finished_at = row->finished_at.given ? time_text(arena, row->finished_at.value) : NULL};

    if (strcmp(run.status, "error") == 0)
        run.error =
            lost || row->interruptions || !row->last_error ? "worker lost" : row->last_error;
    return run;
}

static enum error with_progress(struct db *db, struct arena *arena, struct background_run *run,
                                struct problem *problem)
{
    return cache_get(db, arena, run->tenant, progress_key(arena, run->id), &run->progress, problem);
}

enum error background_find(struct db *db, struct arena *arena, const struct job_kind *kind,
                           const char *id, struct background_run *run, struct problem *problem)
{
    struct job_row row;
    enum error error = job_find(db, arena, kind, id, &row, problem);

    if (error)
        return error;
    *run = as_run(arena, &row);
    return with_progress(db, arena, run, problem);
}

enum error background_list(struct db *db, struct arena *arena, const struct job_kind *kind,
                           const char *tenant, bool ended, int most, struct object_list *runs,
                           struct problem *problem)
{
    struct job_rows rows;
    struct background_run *items;
    enum error error = job_list(db, arena, kind, ended ? JOB_IS_DEAD : JOB_WAITING, tenant, 0, most,
                                &rows, problem);

    if (error)
        return error;
    items = ARENA_ARRAY(arena, struct background_run, rows.count + 1);
    for (size_t i = 0; i < rows.count && !error; i++) {
        items[i] = as_run(arena, &rows.items[i]);
        error = with_progress(db, arena, &items[i], problem);
    }
    *runs = (struct object_list){rows.count, items};
    return error;
}

enum error background_say(struct job *job, const char *progress, struct problem *problem)
{
    enum error error = job_extend(job, job->kind->lease_seconds, problem);

    return error ? error
                 : cache_put(job->db, job->lane, progress_key(job->arena, job->key), progress,
                             BACKGROUND_KEPT_SECONDS, problem);
}
