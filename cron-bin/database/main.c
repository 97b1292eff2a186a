/* Creates, checks, backs up, restores and distributes the database of a service. `--help` lists the
 * options and exit codes. */
#include "accounts/copy_users.h"
#include "accounts/settings.h"
#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "db/backup.h"
#include "db/describe.h"
#include "db/distribute.h"
#include "db/identity.h"
#include "experiments/storage/store.h"
#include "jobs/clock_watch.h"
#include "livedata/store.h"
#include "orchestrator/storage/store.h"
#include "support/store.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: database start|look|create|adopt|check|describe|files|distribute [SERVICE]\n"
    "       database backup|verify|restore SERVICE FOLDER\n"
    "\n"
    "Creates, checks, backs up, restores and distributes the database of a service.\n"
    "\n"
    "  start    At each start: create it in a new directory, else find the right one.\n"
    "  look     Would `start` find the right one? Changes nothing.\n"
    "  create   Begin a new database in place of a lost one.\n"
    "  adopt    Take the database that is there as the right one from now on.\n"
    "  check    Is it the right one, and undamaged?\n"
    "  describe  Print its engine, version, schema and settings as a JSON object.\n"
    "  files    Print the folder of the files that belong to it, if any.\n"
    "  distribute  Spread its tables over the nodes of a PostgreSQL with Citus.\n"
    "  backup   Copy it into FOLDER while the service runs.\n"
    "  verify   Is the copy in FOLDER one of this service, and undamaged?\n"
    "  restore  Replace the database by the copy.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong; 2 the command line is wrong, or the\n"
    "service keeps no database; 3 the database cannot be reached; 4 refused.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_UNREACHABLE, EXIT_REFUSED };
enum { MEMORY_MAX = 16 * 1024 * 1024, REPORT_MICROSECONDS = 1000000, DESCRIPTION_MAX = 4096 };

/* One row per service: reads its settings from the environment and returns the location of its
 * database, and the limits of its clock for deletion by age. */
struct service {
    const char *name;
    enum error (*plan)(struct arena *arena, struct store_plan *plan,
                       const struct clock_limits **clock, struct problem *problem);
};

struct command {
    const char *name;
    int (*run)(const struct store_plan *plan, const char *folder);
    bool wants_folder, watches_clock;
};

static enum error plan_experiments(struct arena *arena, struct store_plan *plan,
                                   const struct clock_limits **clock, struct problem *problem)
{
    struct experiments_settings *settings = ARENA_NEW(arena, struct experiments_settings);
    enum error error;

    *settings = (struct experiments_settings){0};
    error = experiments_settings_load(settings, arena, NULL, problem);
    if (error)
        return error;
    log_open("assay.database", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    *clock = &settings->clock;
    experiments_store_plan(arena, settings, plan);
    return ERROR_NONE;
}

static enum error plan_support(struct arena *arena, struct store_plan *plan,
                               const struct clock_limits **clock, struct problem *problem)
{
    struct support_settings *settings = ARENA_NEW(arena, struct support_settings);
    enum error error = support_settings_load(settings, arena, NULL, problem);

    if (error)
        return error;
    log_open("assay.database", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    *clock = &settings->clock;
    support_store_plan(arena, settings, plan);
    return ERROR_NONE;
}

static enum error plan_orchestrator(struct arena *arena, struct store_plan *plan,
                                    const struct clock_limits **clock, struct problem *problem)
{
    struct orchestrator_settings *settings = ARENA_NEW(arena, struct orchestrator_settings);
    enum error error = orchestrator_settings_load(settings, arena, NULL, problem);

    if (error)
        return error;
    log_open("assay.database", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    (void)clock; /* the service deletes nothing by age */
    orchestrator_store_plan(arena, settings, NULL, plan);
    return ERROR_NONE;
}

static enum error plan_livedata(struct arena *arena, struct store_plan *plan,
                                const struct clock_limits **clock, struct problem *problem)
{
    struct livedata_settings *settings = ARENA_NEW(arena, struct livedata_settings);
    enum error error = livedata_settings_load(settings, arena, NULL, problem);

    if (error)
        return error;
    log_open("assay.database", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    *clock = &settings->clock;
    livedata_store_plan(arena, settings, plan);
    return ERROR_NONE;
}

static enum error plan_accounts(struct arena *arena, struct store_plan *plan,
                                const struct clock_limits **clock, struct problem *problem)
{
    struct accounts_service_settings *settings = ARENA_NEW(arena, struct accounts_service_settings);
    enum error error = accounts_settings_load(settings, arena, NULL, problem);

    if (error)
        return error;
    log_open("assay.database", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    (void)clock; /* nothing is deleted by age but what has ended */
    accounts_store_plan(arena, &settings->accounts, settings->sql_directory,
                        settings->state_directory, plan);
    return ERROR_NONE;
}

static const struct service services[] = {{"experiments", plan_experiments},
                                          {"accounts", plan_accounts},
                                          {"livedata", plan_livedata},
                                          {"support", plan_support},
                                          {"orchestrator", plan_orchestrator}};

static int complain(const struct store_plan *plan, enum error error, const struct problem *problem)
{
    fprintf(stderr, "database of %s: %s\n", plan->service, problem->text);
    if (error == ERROR_INVALID)
        return EXIT_SETTINGS;
    /* Waiting does not help against a newer schema. */
    if (problem->reason && strcmp(problem->reason, "schema_newer") == 0)
        return EXIT_REFUSED;
    return error == ERROR_UNAVAILABLE || error == ERROR_BUSY ? EXIT_UNREACHABLE : EXIT_REFUSED;
}

/* Creates the folders above the last slash of `path`. False when they can never be created, unlike
 * on a disk that is unmounted or full. */
static bool make_folders(const char *path)
{
    char part[PATH_MAX];

    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        if (snprintf(part, sizeof part, "%.*s", (int)(slash - path), path) >= (int)sizeof part)
            return false;
        if (mkdir(part, 0700) != 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES ||
                                       errno == EPERM || errno == ELOOP || errno == ENAMETOOLONG))
            return false;
    }
    return true;
}

static int check_folders(const struct store_plan *plan, struct arena *arena)
{
    const char *paths[] = {strstr(plan->target, "://") ? NULL : plan->target,
                           plan->files ? arena_print(arena, "%s/", plan->files) : NULL};

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (paths[i] && strchr(paths[i], '/') && !make_folders(paths[i])) {
            fprintf(stderr, "database of %s: no folder can be made for %s: %s\n", plan->service,
                    paths[i], strerror(errno));
            return EXIT_REFUSED;
        }
    return EXIT_DONE;
}

static int establish(const struct store_plan *plan, enum db_purpose purpose)
{
    struct db_provisioned established;
    struct problem problem = {0};
    enum error error = db_provision(plan, purpose, &established, &problem);

    if (error)
        return complain(plan, error, &problem);
    if (established.created)
        fprintf(stderr, "database of %s: made\n", plan->service);
    else if (established.adopted)
        fprintf(stderr, "database of %s: the one that is there is kept from now on\n",
                plan->service);
    if (established.note[0])
        fprintf(stderr, "database of %s: %s\n", plan->service, established.note);
    return EXIT_DONE;
}

/* Support's database, if there is one already that its record names. */
static bool find_support(struct arena *arena, struct store **support)
{
    struct support_settings *settings = ARENA_NEW(arena, struct support_settings);
    struct store_plan plan;
    struct problem problem;
    const char *record;

    if (support_settings_load(settings, arena, NULL, &problem))
        return false; /* the start of support says what is wrong */
    support_store_plan(arena, settings, &plan);
    record = db_identity_path(arena, &plan);
    return record && access(record, R_OK) == 0 && !store_open(arena, &plan, support, &problem);
}

static enum error copy_users(struct accounts *accounts, struct store *support, struct arena *arena,
                             struct problem *problem)
{
    struct accounts_call call;
    int64_t copied = 0, skipped = 0;
    enum error error = accounts_prepare(accounts, problem);

    if (!error)
        error = accounts_begin(accounts, arena, problem, &call);
    if (!error)
        error = accounts_copy_users(&call, store_handle(support), &copied, &skipped);
    if (!error && copied)
        fprintf(stderr, "database of accounts: %lld people of support were copied\n",
                (long long)copied);
    if (!error && skipped)
        fprintf(stderr,
                "database of accounts: %lld people of support were not copied: others have their "
                "names\n",
                (long long)skipped);
    return error;
}

/* People who signed in to support before there were accounts of the suite. Tried at each start; a
 * failure does not stop it. */
static void copy_people(struct arena *arena)
{
    struct accounts_service_settings *settings = ARENA_NEW(arena, struct accounts_service_settings);
    struct problem problem = {0};
    struct accounts *accounts = NULL;
    struct store *support;
    enum error error = ERROR_NONE;

    if (!find_support(arena, &support))
        return;
    error = accounts_settings_load(settings, arena, NULL, &problem);
    if (!error)
        error = accounts_open(arena, &settings->accounts, settings->sql_directory,
                              settings->state_directory, NULL, &accounts, &problem);
    if (!error)
        error = copy_users(accounts, support, arena, &problem);
    if (error)
        fprintf(stderr, "database of accounts: people of support were not copied: %s\n",
                problem.text);
    if (accounts)
        accounts_close(accounts);
    store_close(support);
}

static int run_start(const struct store_plan *plan, const char *folder)
{
    struct arena *arena = arena_create(MEMORY_MAX);
    int status = arena ? check_folders(plan, arena) : EXIT_REFUSED;

    (void)folder;
    if (status == EXIT_DONE)
        status = establish(plan, DB_START);
    if (status == EXIT_DONE && strcmp(plan->service, "accounts") == 0)
        copy_people(arena);
    arena_destroy(arena);
    return status;
}

static int run_inspect(const struct store_plan *plan, const char *folder)
{
    (void)folder;
    return establish(plan, DB_INSPECT);
}

static int run_create(const struct store_plan *plan, const char *folder)
{
    (void)folder;
    return establish(plan, DB_CREATE);
}

static int run_adopt(const struct store_plan *plan, const char *folder)
{
    (void)folder;
    return establish(plan, DB_ADOPT);
}

static int run_check(const struct store_plan *plan, const char *folder)
{
    struct problem problem = {0};
    enum error error = db_check(plan, &problem);

    (void)folder;
    if (error)
        return complain(plan, error, &problem);
    printf("the database of %s is whole\n", plan->service);
    return EXIT_DONE;
}

static int run_describe(const struct store_plan *plan, const char *folder)
{
    struct problem problem = {0};
    struct arena *arena = arena_create(MEMORY_MAX);
    enum error error;
    struct text out;

    (void)folder;
    if (!arena)
        return EXIT_UNREACHABLE;
    text_start(&out, arena, DESCRIPTION_MAX);
    error = db_describe(arena, plan, &out, &problem);
    if (!error)
        printf("%s\n", out.bytes);
    arena_destroy(arena);
    return error ? complain(plan, error, &problem) : EXIT_DONE;
}

/* Prints the progress of a backup, once a second. */
struct progress {
    const char *service;
    int64_t next;
};

static void report_progress(void *context, int64_t done, int64_t all)
{
    struct progress *progress = context;
    int64_t now = clock_monotonic_microseconds();

    if (now < progress->next)
        return;
    progress->next = now + REPORT_MICROSECONDS;
    if (all)
        fprintf(stderr, "database of %s: %lld of %lld pages\n", progress->service, (long long)done,
                (long long)all);
    else
        fprintf(stderr, "database of %s: %lld bytes\n", progress->service, (long long)done);
}

static int run_backup(const struct store_plan *plan, const char *folder)
{
    struct progress progress = {plan->service,
                                clock_monotonic_microseconds() + REPORT_MICROSECONDS};
    const struct db_backup_watch watch = {report_progress, &progress};
    struct problem problem = {0};
    enum error error = db_backup(plan, folder, &watch, &problem);

    return error ? complain(plan, error, &problem) : EXIT_DONE;
}

static int run_verify(const struct store_plan *plan, const char *folder)
{
    struct problem problem = {0};
    enum error error = db_backup_verify(plan, folder, &problem);

    return error ? complain(plan, error, &problem) : EXIT_DONE;
}

static int run_restore(const struct store_plan *plan, const char *folder)
{
    struct db_provisioned established = {0};
    struct problem problem = {0};
    enum error error = db_restore(plan, folder, &established, &problem);

    if (error)
        return complain(plan, error, &problem);
    fprintf(stderr, "database of %s: restored%s%s\n", plan->service,
            established.note[0] ? "; " : "", established.note);
    return EXIT_DONE;
}

static int run_files(const struct store_plan *plan, const char *folder)
{
    (void)folder;
    if (plan->files)
        printf("%s\n", plan->files);
    return EXIT_DONE;
}

/* Brings the schema up to date first: what a new version adds is spread by the same call. */
static enum error distribute(const struct store_plan *plan, struct arena *arena,
                             struct db_distribution *done, struct problem *problem)
{
    struct store *store;
    struct db *db;
    enum error error = store_open(arena, plan, &store, problem);

    if (error)
        return error;
    error = store_prepare(store, &db, problem);
    if (!error)
        error = db_distribute(db, plan->schema.directory, done, problem);
    store_close(store);
    return error;
}

static int run_distribute(const struct store_plan *plan, const char *folder)
{
    struct db_distribution done = {0};
    struct problem problem = {0};
    struct arena *arena = arena_create(MEMORY_MAX);
    enum error error;

    (void)folder;
    if (!arena)
        return EXIT_UNREACHABLE;
    error = distribute(plan, arena, &done, &problem);
    arena_destroy(arena);
    if (error && problem.reason && strcmp(problem.reason, "not_distributable") == 0) {
        fprintf(stderr, "database of %s: %s\n", plan->service, problem.text);
        return EXIT_REFUSED;
    }
    if (error)
        return complain(plan, error, &problem);
    printf("database of %s: %lld tables were distributed, %lld were so before\n", plan->service,
           (long long)done.spread, (long long)done.spread_before);
    return EXIT_DONE;
}

static const struct command commands[] = {{"start", run_start, false, .watches_clock = true},
                                          {"look", run_inspect, false},
                                          {"create", run_create, false},
                                          {"adopt", run_adopt, false},
                                          {"check", run_check, false},
                                          {"describe", run_describe, false},
                                          {"files", run_files, false},
                                          {"distribute", run_distribute, false},
                                          {"backup", run_backup, true},
                                          {"verify", run_verify, true},
                                          {"restore", run_restore, true}};

static const struct service *find_service(const char *name)
{
    for (size_t i = 0; i < sizeof services / sizeof services[0]; i++)
        if (!name || strcmp(services[i].name, name) == 0)
            return &services[i];
    return NULL;
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int run(struct arena *arena, const struct service *service, const struct command *command,
               const char *folder)
{
    struct problem problem = {0}, moved;
    const struct clock_limits *clock = NULL;
    struct store_plan plan;
    int status;

    if (crypto_start(&problem) || service->plan(arena, &plan, &clock, &problem)) {
        fprintf(stderr, "database: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    if (strcmp(plan.target, ":memory:") == 0) {
        fprintf(stderr, "database: the service %s keeps none\n", plan.service);
        return EXIT_USAGE;
    }
    if (!plan.state_directory || !plan.state_directory[0]) {
        fprintf(stderr, "database: ASSAY_STATE_DIR must not be blank\n");
        return EXIT_SETTINGS;
    }
    status = command->run(&plan, folder);
    /* Confined workers cannot write the clock reading. */
    if (status == EXIT_DONE && command->watches_clock && clock &&
        clock_check(plan.state_directory, plan.service, clock, &moved))
        fprintf(stderr, "database of %s: %s\n", plan.service, moved.text);
    return status;
}

static int usage(void)
{
    help_print_usage(help);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;
    const struct service *service = find_service(argc > 2 ? argv[2] : NULL);
    struct arena *arena;
    int status;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!command || !service || (command->wants_folder ? argc != 4 : argc > 3))
        return usage();
    arena = arena_create(MEMORY_MAX);
    if (!arena)
        return EXIT_UNREACHABLE;
    status = run(arena, service, command, command->wants_folder ? argv[3] : NULL);
    arena_destroy(arena);
    return status;
}
