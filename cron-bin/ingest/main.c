/*
 * Reads and indexes the documents that were uploaded to the support service, each in a process of
 * its own that is confined and limited. Segments of the index that an older version wrote, or that
 * are damaged or missing, are built anew first.
 *
 *   ingest                  what is due, once
 *   ingest --every SECONDS  again and again, until told to stop
 *   ingest --reindex        everything anew from the stored files; old versions serve until then
 *
 * Exit codes: 0 done, 1 failed, 2 the command line is wrong.
 */
#include "base/clock.h"
#include "base/log.h"
#include "support/conversation/answer_cache.h"
#include "support/documents/contexts.h"
#include "support/documents/reindex.h"
#include "support/documents/task.h"
#include "support/improvement/resident.h"
#include "support/models/models.h"

#include <stdio.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };
enum {
    MEMORY_MAX = 64 * 1024 * 1024,
    ROUND_JOBS = 4,
    BEAT_SECONDS = HEARTBEAT_SECONDS / 5,
    MERGE_SECONDS = 1,
    HOUSEKEEPING_SECONDS = 600
};

struct reader {
    struct arena *arena; /* of indexing, as large as its setting says */
    int64_t beat_at, merge_at, housekeeping_at, vectors_at; /* monotonic us; the next one is due */
    struct models *models; /* that write contexts; NULL = none do */
    bool mended;           /* segments have been looked through once */
};

/* Whether the time has come; then also when it comes next. */
static bool is_due(int64_t *at, int seconds)
{
    int64_t now = clock_monotonic_microseconds();

    if (now < *at)
        return false;
    *at = now + (int64_t)seconds * 1000000;
    return true;
}

/* Searching by words goes on without vectors, so failing to get them is not the program's. */
static bool fill_vectors(struct resident *program, struct db *db)
{
    struct reader *reader = program->context;
    int64_t now = clock_monotonic_microseconds();
    struct problem problem = {0};
    bool worked = false;

    if (now < reader->vectors_at)
        return false;
    if (!ingest_vectors(db, reader->arena, &program->settings, &worked, &problem))
        return worked;
    log_event(LOG_WARNING, "vectors_not_made", problem.text);
    reader->vectors_at = now + (int64_t)(program->settings.embedding_pause_sec * 1e6);
    return false;
}

static enum error keep_house(struct resident *program, struct db *db)
{
    struct reader *reader = program->context;
    enum error error = ERROR_NONE;

    if (!is_due(&reader->housekeeping_at, HOUSEKEEPING_SECONDS))
        return ERROR_NONE;
    error = task_forget(db, &program->problem);
    if (!error)
        error = answer_cache_forget(db, &program->problem);
    return error ? error : reindex_sweep(db, &program->settings, &program->problem);
}

static enum error read_uploads(struct resident *program, struct db *db, bool *more)
{
    struct reader *reader = program->context;
    struct job_tally tally = {0};
    int64_t rebuilt = 0;
    enum error error = ERROR_NONE;

    if (reader->models)
        models_refresh(reader->models);
    if (is_due(&reader->beat_at, BEAT_SECONDS))
        error = task_beat(db, &program->problem);
    if (!error && !reader->mended) {
        error = reindex_mend(db, &program->settings, &rebuilt, &program->problem);
        if (!error)
            error = reindex_tell_mixed(db, &program->settings, &program->problem);
        reader->mended = !error;
    }
    if (!error)
        error = task_run_due(db, reader->arena, &program->settings, reader->models, ROUND_JOBS,
                             &tally, &program->problem);
    if (!error && is_due(&reader->merge_at, MERGE_SECONDS))
        error = reindex_merge(db, &program->settings, &program->problem);
    if (!error)
        error = keep_house(program, db);
    *more = !error && (fill_vectors(program, db) || tally.claimed > 0);
    arena_reset(reader->arena);
    return error;
}

static enum error reindex(struct resident *program, struct db *db, bool *more)
{
    int64_t documents = 0;
    const struct reader *reader = program->context;
    enum error error =
        reindex_all(db, &program->settings, reader->models, &documents, &program->problem);

    *more = false;
    if (!error)
        printf("%lld documents indexed\n", (long long)documents);
    return error;
}

static int run(struct resident *program)
{
    struct reader reader = {.arena = arena_create((size_t)program->settings.index_memory_bytes)};
    enum error error = ERROR_NONE;

    if (!reader.arena)
        return EXIT_FAILED;
    program->context = &reader;
    if (contexts_are_wanted(&program->settings) &&
        models_open(&program->settings, &reader.models, &program->problem))
        log_event(LOG_ERROR, "registry_not_read", program->problem.text);
    error = resident_rounds(program, program->mode ? reindex : read_uploads, "ingest_failed");
    models_close(reader.models);
    arena_destroy(reader.arena);
    return error && !program->stays ? resident_fail(program, EXIT_FAILED) : EXIT_DONE;
}

int main(int argc, char **argv)
{
    const struct resident_plan plan = {.name = "ingest",
                                       .mode = "--reindex",
                                       .memory = MEMORY_MAX,
                                       .failed = EXIT_FAILED,
                                       .usage = EXIT_USAGE,
                                       .run = run};

    return resident_main(argc, argv, &plan);
}
