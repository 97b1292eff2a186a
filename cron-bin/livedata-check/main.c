/* Compares the journal of live data with its tables; and for domains: reads their files, shows and
 * makes what their tables need, computes tables anew. `--help` lists the options and exit codes. */
#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "livedata/maintenance/check.h"
#include "livedata/maintenance/own_rebuild.h"
#include "livedata/store.h"
#include "livedata/tables/tables.h"
#include "livedata/timestamp.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: livedata-check [--files | --plan | --apply | --rebuild ENTITY...]\n"
    "\n"
    "Compares the journal of live data with its tables and changes nothing. May run\n"
    "while the service serves and writes.\n"
    "\n"
    "  --files    Only read the files of LIVE_CONFIG_DIR; without the database.\n"
    "  --plan     Show what the tables of domains need to fit their files.\n"
    "  --apply    Do it, as the start of the service does. Other than a start, also go\n"
    "             back to a former file.\n"
    "  --rebuild  Compute the tables of these entities of domains anew from the\n"
    "             journal. Rows with events that the journal no longer has stay.\n"
    "\n"
    "Exit codes: 0 they agree; 1 the settings or files are wrong; 2 the command line\n"
    "is wrong; 3 the database failed; 4 they differ, or a change is refused.\n";

enum { EXIT_AGREE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE, EXIT_DIFFER };
enum { MEMORY_MAX = 1024 * 1024 * 1024 };

enum task { TASK_COMPARE, TASK_FILES, TASK_PLAN, TASK_APPLY, TASK_REBUILD, TASK__MAX };
static const char *const task_options[TASK__MAX] = {"", "--files", "--plan", "--apply",
                                                    "--rebuild"};

struct work {
    struct storage_call call;
    struct livedata_settings settings;
    struct catalog catalog;
    enum task task;
    int count; /* of entities to rebuild */
    char **entities;
    bool different;
};

static void show(int64_t seq, int64_t last, void *context)
{
    (void)context;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rrow %lld of %lld of the journal ", (long long)seq, (long long)last);
}

static enum error compare(struct work *work)
{
    struct storage_check check = {.progress = show};
    enum error error = tables_look(&work->call, &work->catalog);

    if (!error)
        error = storage_check(&work->call, &work->catalog, &check);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    if (error)
        return error;
    printf("entities=%lld differences=%lld%s%s\n", (long long)check.checked,
           (long long)check.differing, check.differing ? " first: " : "", check.first);
    work->different = check.differing > 0;
    return ERROR_NONE;
}

/* Columns that came later, and from when they are filled. */
static enum error show_added(struct work *work)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < work->catalog.entity_count; i++) {
        const char *name = work->catalog.entities[i].name;
        struct added_columns added;
        char from[TIMESTAMP_TEXT];

        error = tables_added(&work->call, name, &added);
        for (size_t j = 0; !error && j < added.count; j++) {
            timestamp_format_seconds(added.items[j].filled_from, from);
            printf("%s: column %s is filled from %s on\n", name, added.items[j].column,
                   added.items[j].filled_from ? from : "its first event");
        }
    }
    return error;
}

static enum error plan(struct work *work)
{
    struct table_plan plan;
    enum error error =
        work->task == TASK_APPLY
            ? tables_apply(&work->call, &work->catalog, PLAN_BACK, own_fill_columns, &plan)
            : tables_plan(&work->call, &work->catalog, PLAN_FORWARD, &plan);

    if (error)
        return error;
    for (size_t i = 0; i < plan.count; i++)
        printf("%s: %s%s\n", plan.items[i].type->name, plan.items[i].text,
               plan.items[i].refused ? " (refused)" : "");
    if (!plan.count)
        printf("the tables fit the files\n");
    work->different = plan.refused > 0;
    return show_added(work);
}

static enum error rebuild(struct work *work, const char *name)
{
    const struct entity_type *type = catalog_entity(&work->catalog, name);
    struct own_rebuild done;
    enum error error;

    if (!type || !type->table->own)
        return problem_set(work->call.problem, ERROR_NOT_FOUND, "unknown_entity_type",
                           "%s is no entity of a domain; entities are %s", name,
                           catalog_entity_names(&work->catalog, work->call.arena));
    error = table_served(type->table, work->call.problem);
    if (!error)
        error = own_rebuild(&work->call, &work->catalog, type, &done);
    if (!error)
        printf("%s events=%lld rows=%lld kept=%lld\n", name, (long long)done.events,
               (long long)done.rows, (long long)done.kept);
    return error;
}

static enum error rebuild_all(struct work *work)
{
    enum error error = tables_look(&work->call, &work->catalog);

    for (int i = 0; !error && i < work->count; i++)
        error = rebuild(work, work->entities[i]);
    return error;
}

static enum error with_database(struct work *work)
{
    struct store *store = NULL;
    enum error error =
        livedata_store_open(work->call.arena, &work->settings, NULL, &store, work->call.problem);

    if (error)
        return error;
    error = store_prepare(store, &work->call.db, work->call.problem);
    if (!error)
        error = work->task == TASK_COMPARE   ? compare(work)
                : work->task == TASK_REBUILD ? rebuild_all(work)
                                             : plan(work);
    store_close(store);
    return error;
}

static bool read_arguments(int argc, char **argv, struct work *work)
{
    if (argc == 1)
        return true;
    for (int i = TASK_FILES; i < TASK__MAX; i++)
        if (strcmp(argv[1], task_options[i]) == 0)
            work->task = (enum task)i;
    work->count = argc - 2;
    work->entities = argv + 2;
    return work->task != TASK_COMPARE && (work->task == TASK_REBUILD) == (work->count > 0);
}

/* The service starts with a level that it cannot measure, and says so when it is asked. */
static int show_files(const struct catalog *catalog)
{
    for (size_t i = 0; i < catalog->slo_count; i++)
        if (catalog->slos[i].measurement == SLO_UNSUPPORTED) {
            fprintf(stderr,
                    "livedata-check: level %s of %s: there is no measurement %s; measurements are "
                    "%s\n",
                    catalog->slos[i].name, catalog->slos[i].domain->folder,
                    catalog->slos[i].measurement_name, slo_measurement_names(catalog->arena));
            return EXIT_SETTINGS;
        }
    printf("domains=%zu entities=%zu metrics=%zu levels=%zu: the files are right\n",
           catalog->domain_count, catalog->entity_count, catalog->metric_count, catalog->slo_count);
    return EXIT_AGREE;
}

static int run(struct work *work)
{
    struct problem *problem = work->call.problem;

    if (crypto_start(problem) ||
        livedata_settings_load(&work->settings, work->call.arena, NULL, problem) ||
        catalog_load(work->call.arena, &work->settings, &work->catalog, problem)) {
        fprintf(stderr, "livedata-check: %s\n", problem->text);
        return EXIT_SETTINGS;
    }
    if (work->task == TASK_FILES)
        return show_files(&work->catalog);
    log_open("assay.livedata-check", (enum log_level)work->settings.log_level,
             (enum log_format)work->settings.log_format);
    if (with_database(work)) {
        fprintf(stderr, "livedata-check: %s\n", problem->text);
        return EXIT_DATABASE;
    }
    return work->different ? EXIT_DIFFER : EXIT_AGREE;
}

int main(int argc, char **argv)
{
    struct problem problem = {0};
    struct work work = {.call = {.problem = &problem, .now = clock_unix_microseconds()}};
    int status;

    if (help_given(argc, argv, help))
        return EXIT_AGREE;
    if (!read_arguments(argc, argv, &work)) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    work.call.arena = arena_create(MEMORY_MAX);
    if (!work.call.arena)
        return EXIT_DATABASE;
    status = run(&work);
    arena_destroy(work.call.arena);
    return status;
}
