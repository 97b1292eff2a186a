/* Ingestion killed at every step, on both engines: at each call that changes a file or talks to the
 * database server. Whatever the moment, the old version is served until the new one is whole, no
 * task seems to run for longer than its lease, and the same upload again heals everything. */
#include "../db/fixture.h"

#include "support/answer/knowledge.h"
#include "support/documents/task.h"

#include "../faults/kill_at_step.h"

#include <dirent.h>

/* -- dying at the n-th call -------------------------------------------------------------------- */

static pid_t victim; /* counts in this process alone, not in its readers */
static int left;

void kill_step(void)
{
    if (victim == getpid() && --left == 0)
        kill(victim, SIGKILL);
}

/* -- what is done ------------------------------------------------------------------------------ */

#define OLD "<h1>Returns</h1><p>Goods can be returned with a receipt."
#define NEW "<h1>Returns</h1><p>Goods can be returned with a voucher.<h2>Paint</h2><p>It is white."

static const struct statement end_leases = {
    .name = "test_end_leases",
    .sql = "UPDATE jobs SET due_at = 0 WHERE state = 'waiting'",
};

struct bench {
    struct support_settings settings;
    struct document_call call;
    struct knowledge_cache *cache;
    const char *path;
};
static struct bench bench;

static const char *nothing(const char *name)
{
    (void)name;
    return NULL;
}

static void bench_make(struct store *store)
{
    static const struct db_schema schema = {.directory = "sql/support"};

    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    bench = (struct bench){.call = {store->db, store->arena, "default", &store->problem}};
    CHECK_OK(support_settings_load(&bench.settings, store->arena, nothing, &store->problem));
    bench.settings.data_directory = arena_print(store->arena, "%s/data", store->directory);
    bench.cache = knowledge_cache_create();
    bench.path = arena_print(store->arena, "%s/a.html",
                             ingest_upload_folder(store->arena, &bench.settings, "default"));
}

/* An upload of these bytes; its task is left to whoever runs. */
static const char *upload(struct store *store, const char *bytes)
{
    FILE *file = fopen(bench.path, "wbe");
    const char *id = "";

    CHECK(file && fputs(bytes, file) >= 0 && fclose(file) == 0);
    CHECK_OK(task_submit(&bench.call, &bench.settings,
                         &(struct ingest_request){.path = bench.path, .doc_id = "a.html"}, &id));
    return id;
}

static enum error run_tasks(struct db *db, struct problem *problem)
{
    struct arena *arena = arena_create((size_t)1 << 28);
    struct job_counts tally = {0};
    const struct task_runner runner = {.settings = &bench.settings};
    enum error error = task_run_due(db, arena, &runner, 10, &tally, problem);

    arena_destroy(arena);
    return error;
}

/* The runner that dies; 0 when it has come to its end. */
static int run_and_die(struct store *store, int step)
{
    static const struct db_options options = DB_OPTIONS_DEFAULT;
    struct db *db = store_connect(store, &options);
    enum error error;

    left = step;
    victim = getpid();
    error = run_tasks(db, &store->problem);
    victim = 0;
    return error ? 1 : 0;
}

static int64_t holding(struct store *store, const char *stem)
{
    struct knowledge knowledge;
    struct search_term term = {stem, strlen(stem), 1};
    struct search_hit hits[50];

    CHECK_OK(knowledge_open(bench.cache, &bench.call, &bench.settings, &knowledge));
    return (int64_t)search_index_best(knowledge.index, store->arena, &term, 1, hits, 50);
}

static const char *status_of(struct store *store, const char *id)
{
    struct task task = {.status = ""};

    CHECK_OK(task_find(&bench.call, id, &task));
    return task.status;
}

/* Segments that nothing names are swept away: as many files stay as there are rows. */
static void check_files(struct store *store)
{
    const char *folder = ingest_index_folder(store->arena, &bench.settings, "default");
    struct segment_rows rows;
    const struct dirent *entry;
    int64_t version;
    size_t files = 0;
    DIR *directory;

    ingest_sweep(&bench.call, &bench.settings, -60);
    directory = opendir(folder);
    CHECK(directory != NULL);
    while ((entry = readdir(directory)))
        files += entry->d_name[0] != '.';
    closedir(directory);
    CHECK_OK(document_segments(&bench.call, &version, &rows));
    CHECK_INT(files, rows.count);
}

static void check_after_death(struct store *store, const char *id)
{
    int64_t old = holding(store, "receipt"), fresh = holding(store, "voucher"),
            rest = holding(store, "white");
    const char *status;

    CHECK_INT(old + fresh, 1);
    CHECK_INT(rest, fresh);
    CHECK_OK(store_run(store, &end_leases)); /* two minutes later */
    status = status_of(store, id);
    CHECK(strcmp(status, "PENDING") == 0 || (strcmp(status, "SUCCESS") == 0 && fresh));
}

static void heal(struct store *store, const char *id)
{
    const char *again = upload(store, NEW);
    struct object_list rows = {0};
    int64_t documents = 0;

    CHECK_OK(run_tasks(store->db, &store->problem));
    CHECK_TEXT(status_of(store, id), "SUCCESS");
    CHECK_TEXT(status_of(store, again), "SUCCESS");
    CHECK_INT(holding(store, "receipt"), 0);
    CHECK_INT(holding(store, "voucher"), 1);
    CHECK_OK(document_list(&bench.call, &(struct document_filter){.words = "", .limit = 1}, &rows,
                           &documents));
    CHECK_INT(documents, 1);
    check_files(store);
}

ON_BOTH(a_runner_killed_at_any_step_loses_nothing)
{
    int status = 1, step = 0;

    bench_make(store);
    while (status != 0 && ++step < 500 && !test_failures_here) {
        const char *id;

        upload(store, OLD);
        CHECK_OK(run_tasks(store->db, &store->problem));
        CHECK_INT(holding(store, "receipt"), 1);
        id = upload(store, NEW);
        status = fixture_wait(fixture_fork(run_and_die, store, step));
        CHECK(status == 0 || status == 128 + SIGKILL);
        check_after_death(store, id);
        heal(store, id);
    }
    printf("killed at %d steps\n", step - 1);
    CHECK(step > 10 && step < 500);
    knowledge_cache_destroy(bench.cache);
}

TEST_MAIN(CASE(a_runner_killed_at_any_step_loses_nothing))
