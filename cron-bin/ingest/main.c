/*
 * Reads and indexes the documents that were uploaded to the support service, each in a process of
 * its own that is confined and limited. Segments of the index that an older version wrote, or that
 * are damaged or missing, are built anew first.
 *
 *   ingest                  what is due, once
 *   ingest --every SECONDS  again and again, until told to stop
 *   ingest --reindex        everything anew from the stored files; old versions serve until then
 *
 * Exit codes: 0 done, 1 failed.
 */
#include "base/clock.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "jobs/program.h"
#include "jobs/runner.h"
#include "support/conversation/answer_cache.h"
#include "support/documents/reindex.h"
#include "support/documents/task.h"
#include "support/store.h"

#include <stdio.h>
#include <string.h>

enum {
    MEMORY_MAX = 64 * 1024 * 1024,
    ROUND_JOBS = 4,
    BEAT_SECONDS = HEARTBEAT_SECONDS / 5,
    HOUSEKEEPING_SECONDS = 600
};

struct program {
    struct arena *settings_arena, *arena;
    struct support_settings settings;
    struct store *store;
    int64_t beat_at, housekeeping_at, vectors_at; /* monotonic microseconds; the next one is due */
    bool mended;                                  /* segments have been looked through once */
    bool failed;
};

static bool fail(struct program *program, const struct problem *problem)
{
    log_event(LOG_ERROR, "ingest_failed", problem->text);
    program->failed = true;
    return false;
}

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
static bool fill_vectors(struct program *program, struct db *db)
{
    int64_t now = clock_monotonic_microseconds();
    struct problem problem = {0};
    bool worked = false;

    if (now < program->vectors_at)
        return false;
    if (!ingest_vectors(db, program->arena, &program->settings, &worked, &problem))
        return worked;
    log_event(LOG_WARNING, "vectors_not_made", problem.text);
    program->vectors_at = now + (int64_t)(program->settings.embedding_pause_sec * 1e6);
    return false;
}

/* A round says whether there was anything to do. */
static bool run_round(void *context)
{
    struct program *program = context;
    struct job_tally tally = {0};
    struct problem problem = {0};
    bool worked;
    struct db *db;
    enum error error = store_use(program->store, &db, &problem);

    if (!error)
        error = runner_take_up(db, &problem);
    if (!error && is_due(&program->beat_at, BEAT_SECONDS))
        error = task_beat(db, &problem);
    if (!error && !program->mended) {
        int64_t rebuilt = 0;

        error = reindex_mend(db, &program->settings, &rebuilt, &problem);
        program->mended = !error;
    }
    if (!error)
        error = task_run_due(db, program->arena, &program->settings, ROUND_JOBS, &tally, &problem);
    if (!error && is_due(&program->housekeeping_at, HOUSEKEEPING_SECONDS)) {
        error = task_forget(db, &problem);
        if (!error)
            error = answer_cache_forget(db, &problem);
        if (!error)
            error = reindex_sweep(db, program->arena, &program->settings, &problem);
    }
    worked = !error && fill_vectors(program, db);
    arena_reset(program->arena);
    db_end_of_request(store_handle(program->store));
    return error ? fail(program, &problem) : tally.claimed > 0 || worked;
}

static bool open_store(struct program *program)
{
    struct problem problem = {0};
    enum error error = crypto_start(&problem);

    if (!error)
        error = support_settings_load(&program->settings, program->settings_arena, NULL, &problem);

    log_open("assay.ingest", (enum log_level)program->settings.log_level,
             (enum log_format)program->settings.log_format);
    if (!error)
        error = support_store_open(program->settings_arena, &program->settings, NULL,
                                   &program->store, &problem);
    if (error)
        fprintf(stderr, "ingest: %s\n", problem.text);
    return !error;
}

static int run_reindex(struct program *program)
{
    struct problem problem = {0};
    struct db *db;
    int64_t documents = 0;
    enum error error = store_use(program->store, &db, &problem);

    if (!error)
        error = reindex_all(db, &program->settings, &documents, &problem);
    if (error)
        fprintf(stderr, "ingest: %s\n", problem.text);
    else
        printf("%lld documents indexed\n", (long long)documents);
    return error ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct program program = {.settings_arena = arena_create(MEMORY_MAX)};
    bool reindex = argc == 2 && strcmp(argv[1], "--reindex") == 0;
    double every = 0;

    if ((!reindex && !program_arguments(argc, argv, "ingest", &every)) || !open_store(&program))
        return 1;
    program.arena = arena_create((size_t)program.settings.index_memory_bytes);
    if (reindex)
        return run_reindex(&program);
    runner_start(program.settings.state_directory, "ingest");
    program_rounds(every, run_round, &program);
    store_close(program.store);
    arena_destroy(program.arena);
    arena_destroy(program.settings_arena);
    return every == 0 && program.failed ? 1 : 0;
}
