/* Extracts and indexes the documents uploaded to the support service, each in a confined process
 * with limits. Rebuilds damaged or outdated segments of the index and merges small ones. `--help`
 * lists the options and exit codes. */
#include "base/clock.h"
#include "base/log.h"
#include "jobs/runner.h"
#include "jobs/worker_pool.h"
#include "support/conversation/answer_cache.h"
#include "support/documents/contexts.h"
#include "support/documents/reindex.h"
#include "support/documents/search_engine.h"
#include "support/documents/task.h"
#include "support/models/models.h"
#include "support/programs/daemon.h"
#include "support/sources/command.h"
#include "support/sources/site_command.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "usage: ingest [--every SECONDS | --reindex]\n"
    "       ingest [OPTION...] FILE|DIRECTORY...\n"
    "       ingest [OPTION...] --watch DIRECTORY\n"
    "       ingest [OPTION...] --site URL\n"
    "\n"
    "Extracts and indexes the documents uploaded to the support service, each in a\n"
    "confined process with limits. Rebuilds damaged or outdated segments of the index\n"
    "and merges small ones. With SEARCH_URL it fills the search engine from the database\n"
    "instead: what is missing there, and all of it when its index was lost.\n"
    "\n"
    "  --every SECONDS  Keep running: several processes index side by side, tenants\n"
    "                   take turns. A process that dies is replaced.\n"
    "  --reindex        Index all stored files again; old versions serve until then.\n"
    "\n"
    "With files or directories it takes them as documents, at once, and reports what was\n"
    "refused and why. With --watch it keeps running, and takes new and changed files of a\n"
    "directory once they are closed; the document of a deleted file is deleted.\n"
    "\n"
    "  --tenant TENANT    Whose documents they are; `default` without it.\n"
    "  --groups GROUPS    Groups that may read new documents, as \"Sales, Personnel\".\n"
    "  --group-by-folder  New documents below DIRECTORY/NAME/ may be read by the group NAME\n"
    "                     too.\n"
    "\n"
    "With --site it takes the HTML pages of a documentation site: those whose address\n"
    "begins like URL up to its last slash, from the sitemap or by links, as robots.txt\n"
    "allows. Running it again takes what has changed, and deletes documents whose page\n"
    "the server says is gone.\n"
    "\n"
    "  --pages N           At most N pages; 2000 without it.\n"
    "  --depth N           At most N links from the first page; 20 without it.\n"
    "  --page-bytes N      A larger page is refused; 5000000 without it.\n"
    "  --page-seconds N    How long to wait for a page; 30 without it.\n"
    "  --minutes N         How long the crawl may take; 120 without it.\n"
    "  --private           The site may have a private address.\n"
    "  --tenant, --groups  As above.\n"
    "\n"
    "Exit codes: 0 done; 1 failed; 2 the command line is wrong; 3 files or\n"
    "pages were refused, or a limit ended the crawl.\n";

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };
enum {
    MEMORY_MAX = 64 * 1024 * 1024,
    ROUND_TASKS = 4,
    BEAT_SECONDS = HEARTBEAT_SECONDS / 5,
    MERGE_SECONDS = 1,
    HOUSEKEEPING_SECONDS = 600
};
enum { PLACE_BEAT, PLACE_TIDY, PLACE_READ }; /* of parallel processes */

struct ingest {
    struct arena *arena;                           /* of indexing, with the size of its setting */
    int64_t merge_at, housekeeping_at, vectors_at; /* monotonic us; next due time */
    struct search_engine_feed feed;
    struct task_place adopted; /* where the search for abandoned tasks continues */
    struct models *models;     /* for writing contexts; NULL = none */
    bool mended;               /* all segments have been checked once */
    bool looked;               /* for tasks of dead workers */
    bool sleeps;               /* while there is no work for several processes */
};

/* Shared by all processes of the program: until when there may be work for more than the first
 * one. */
static _Atomic int64_t *awake_until;

/* Whether the time has come; then also sets the next time. */
static bool is_due(int64_t *at, int seconds)
{
    int64_t now = clock_monotonic_microseconds();

    if (now < *at)
        return false;
    *at = now + (int64_t)seconds * 1000000;
    return true;
}

/* Full-text search works without vectors, so a failure to compute them is not a failure of the
 * program. */
static bool fill_vectors(struct daemon_program *program, struct db *db)
{
    struct ingest *ingest = program->context;
    int64_t now = clock_monotonic_microseconds();
    struct problem problem = {0};
    bool worked = false;

    if (now < ingest->vectors_at)
        return false;
    if (!ingest_vectors(db, ingest->arena, &program->settings, &worked, &problem))
        return worked;
    log_event(LOG_WARNING, "vectors_not_made", problem.text);
    ingest->vectors_at = now + (int64_t)(program->settings.embedding_pause_sec * 1e6);
    return false;
}

static enum error run_housekeeping(struct daemon_program *program, struct db *db)
{
    const struct support_settings *settings = &program->settings;
    struct ingest *ingest = program->context;
    bool more = false;
    enum error error = ERROR_NONE;

    if (!is_due(&ingest->housekeeping_at, HOUSEKEEPING_SECONDS))
        return ERROR_NONE;
    ingest_forget_old_scans(ingest->arena, settings);
    ingest_forget_passing(ingest->arena, settings);
    error = blobs_sweep(db, ingest->arena, settings, &more, &program->problem);
    if (more)
        ingest->housekeeping_at = 0;
    if (error) /* the object store may be away; all else goes on */
        log_event(LOG_WARNING, "shared_files_not_swept", program->problem.text);
    error = task_adopt(db, ingest->arena, settings, &ingest->adopted, &program->problem);
    if (!error)
        error = task_forget(db, ingest->arena, settings, &program->problem);
    if (!error)
        error = answer_cache_forget(db, &program->problem);
    return error ? error : reindex_sweep(db, settings, &program->problem);
}

static enum error mend(struct daemon_program *program, struct db *db)
{
    struct ingest *ingest = program->context;
    int64_t rebuilt = 0;
    enum error error = ERROR_NONE;

    if (ingest->mended)
        return ERROR_NONE;
    error = reindex_mend(db, &program->settings, &rebuilt, &program->problem);
    if (!error)
        error = reindex_warn_mixed(db, &program->settings, &program->problem);
    ingest->mended = !error;
    return error;
}

static enum error feed_engine(struct daemon_program *program, struct db *db, bool *more)
{
    struct ingest *ingest = program->context;
    bool worked;
    enum error error = search_engine_feed(db, ingest->arena, &program->settings, &ingest->feed,
                                          &worked, &program->problem);

    *more |= worked;
    arena_reset(ingest->arena);
    if (!error && ingest->feed.away && !program->stays)
        error = problem_set(&program->problem, ERROR_UNAVAILABLE, "search_unavailable",
                            "the search engine of SEARCH_URL does not answer");
    return error;
}

static enum error tidy(struct daemon_program *program, struct db *db, bool *more)
{
    struct ingest *ingest = program->context;
    enum error error = mend(program, db);

    if (!error && is_due(&ingest->merge_at, MERGE_SECONDS))
        error = reindex_merge(db, &program->settings, &program->problem);
    if (!error)
        error = run_housekeeping(program, db);
    *more = !error && fill_vectors(program, db);
    arena_reset(ingest->arena);
    if (!error)
        error = feed_engine(program, db, more);
    return error;
}

static void wake(int lease)
{
    int64_t until = clock_monotonic_microseconds() + (int64_t)lease * 1000000;

    if (awake_until && *awake_until < until)
        *awake_until = until;
}

static bool is_asleep(const struct ingest *ingest)
{
    return awake_until && ingest->sleeps && ingest->looked &&
           clock_monotonic_microseconds() >= *awake_until;
}

static enum error read_uploads(struct daemon_program *program, struct db *db, bool *more)
{
    struct ingest *ingest = program->context;
    const struct task_runner runner = {&program->settings, ingest->models, wake};
    struct job_counts tally = {0};
    enum error error;

    if (is_asleep(ingest))
        return ERROR_NONE;
    if (ingest->models)
        models_refresh(ingest->models);
    error = task_run_due(db, ingest->arena, &runner, ROUND_TASKS, &tally, &program->problem);
    ingest->looked |= !error;
    *more = !error && tally.claimed > 0;
    arena_reset(ingest->arena);
    return error;
}

/* For a single run: ingests the pending documents, then runs all maintenance. */
static enum error do_all(struct daemon_program *program, struct db *db, bool *more)
{
    enum error error = mend(program, db);

    if (!error)
        error = read_uploads(program, db, more);
    return error || *more ? error : tidy(program, db, more);
}

static enum error say_alive(struct daemon_program *program, struct db *db, bool *more)
{
    *more = false;
    return task_beat(db, program->job, &program->settings, &program->problem);
}

static enum error reindex(struct daemon_program *program, struct db *db, bool *more)
{
    int64_t documents = 0;
    const struct ingest *ingest = program->context;
    enum error error =
        reindex_all(db, &program->settings, ingest->models, &documents, &program->problem);

    *more = false;
    if (!error)
        printf("%lld documents indexed\n", (long long)documents);
    return error;
}

static int work(struct daemon_program *program, daemon_iteration *round, struct ingest *ingest)
{
    enum error error = ERROR_NONE;

    ingest->arena = arena_create((size_t)program->settings.index_memory_bytes);
    if (!ingest->arena)
        return EXIT_FAILED;
    program->context = ingest;
    if (contexts_are_wanted(&program->settings) &&
        models_open(&program->settings, &ingest->models, &program->problem))
        log_event(LOG_ERROR, "registry_not_read", program->problem.text);
    error = daemon_loop(program, round, "ingest_failed");
    models_close(ingest->models);
    arena_destroy(ingest->arena);
    return error && !program->stays ? daemon_fail(program, EXIT_FAILED) : EXIT_DONE;
}

static int work_in_place(void *context, size_t place)
{
    struct daemon_program *program = context;
    struct ingest ingest = {.sleeps = place > PLACE_READ};

    if (place == PLACE_BEAT) {
        program->every = BEAT_SECONDS;
        (void)daemon_loop(program, say_alive, "ingest_failed");
        return EXIT_DONE;
    }
    runner_start(program->settings.state_directory, program->name);
    return work(program, place == PLACE_TIDY ? tidy : read_uploads, &ingest);
}

static void stay(struct daemon_program *program)
{
    worker_function *places[WORKER_POOL_MAX];
    size_t count = PLACE_READ + (size_t)program->settings.ingest_processes;
    void *shared =
        mmap(NULL, sizeof *awake_until, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (shared != MAP_FAILED) /* else all processes poll */
        awake_until = shared;
    for (size_t i = 0; i < count; i++)
        places[i] = work_in_place;
    worker_pool_run(places, count, program);
}

/* A process that reports this program as alive while it runs. */
static pid_t beat_beside(struct daemon_program *program)
{
    pid_t parent = getpid(), child = fork();

    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_DONE);
    program->stays = true;
    _exit(work_in_place(program, PLACE_BEAT));
}

static int run(struct daemon_program *program)
{
    struct ingest ingest = {.arena = NULL};
    pid_t child = -1;
    int status;

    if (program->stays) {
        stay(program);
        return EXIT_DONE;
    }
    if (!program->mode) /* else it ingests no uploads */
        child = beat_beside(program);
    runner_start(program->settings.state_directory, program->name);
    status = work(program, program->mode ? reindex : do_all, &ingest);
    if (child > 0) {
        kill(child, SIGTERM);
        waitpid(child, NULL, 0);
    }
    return status;
}

int main(int argc, char **argv)
{
    const struct daemon_plan plan = {.name = "ingest",
                                     .help = help,
                                     .mode = "--reindex",
                                     .forks = true,
                                     .memory = MEMORY_MAX,
                                     .failed = EXIT_FAILED,
                                     .usage = EXIT_USAGE,
                                     .run = run};

    if (site_is_meant(argc, argv))
        return site_main(argc, argv, help);
    if (sources_are_meant(argc, argv))
        return sources_main(argc, argv, help);
    return daemon_main(argc, argv, &plan);
}
