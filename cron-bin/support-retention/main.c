/*
 * Takes away what is older than the retention settings of the support service say, and flags
 * answers whose citations are not in their documents any more.
 *
 *   support-retention                  all of it now; prints what went as JSON
 *   support-retention --dry-run        what would go
 *   support-retention --every SECONDS  stays, and does so once in each interval of the settings;
 *                                      citations are looked at in each round
 *
 * Any number may run: one of them at a time does the work. Exit codes: 0 done (also when somebody
 * else is at it), 1 failed, 2 the command line is wrong.
 */
#include "base/json.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "jobs/program.h"
#include "support/figures.h"
#include "support/store.h"
#include "support/trends/decay.h"
#include "support/upkeep/purge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, MEMORY_MAX = 128 * 1024 * 1024 };

struct program {
    struct arena *arena, *job;
    struct support_settings settings;
    struct store *store;
    struct metrics *metrics; /* NULL where no stack is */
    struct purge_tally counts;
    struct problem problem;
    bool busy, dry_run;
    enum error error; /* of the last round */
};

static enum error open_all(struct program *program)
{
    const char *run_directory = getenv("ASSAY_RUN_DIR");
    struct problem *problem = &program->problem;
    enum error error = crypto_start(problem);

    if (!error)
        error = support_settings_load(&program->settings, program->arena, NULL, problem);
    log_open("assay.support-retention", (enum log_level)program->settings.log_level,
             (enum log_format)program->settings.log_format);
    if (!error)
        error =
            support_store_open(program->arena, &program->settings, NULL, &program->store, problem);
    if (!error && run_directory && *run_directory)
        error = metrics_open(arena_print(program->arena, "%s/support-metrics.shm", run_directory),
                             support_figures, FIGURE__MAX, &program->metrics, problem);
    return error;
}

static enum error check_citations(struct program *program, struct db *db)
{
    const struct trace_call call = {db, program->job, "all", &program->problem};
    struct decay_counts counts;

    return decay_check(&call, &counts);
}

static bool run_round(void *context)
{
    struct program *program = context;
    struct purge_call call = {.arena = program->job,
                              .settings = &program->settings,
                              .metrics = program->metrics,
                              .problem = &program->problem};

    program->error = store_use(program->store, &call.db, &program->problem);
    if (!program->error)
        program->error = purge_due(&call, &program->counts);
    if (!program->error)
        program->error = check_citations(program, call.db);
    if (program->error)
        log_event(LOG_ERROR, "retention_failed", program->problem.text);
    db_end_of_request(store_handle(program->store));
    arena_reset(program->job);
    return false;
}

static void print_counts(const struct program *program)
{
    const struct purge_tally *counts = &program->counts;
    const struct {
        const char *name;
        int64_t count;
    } rows[] = {
        {"traces_deleted", counts->traces},     {"steps_deleted", counts->steps},
        {"feedback_deleted", counts->feedback}, {"evaluations_deleted", counts->evaluations},
        {"audit_deleted", counts->audit},       {"sessions_deleted", counts->sessions},
        {"messages_deleted", counts->messages}};
    struct text text;
    struct json_writer writer;

    text_start(&text, program->arena, 4096);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "status", program->busy ? "busy" : "ok");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        writer_key_integer(&writer, rows[i].name, rows[i].count);
    writer_key_boolean(&writer, "dry_run", program->dry_run);
    writer_close_object(&writer);
    printf("%s\n", text.bytes);
}

static enum error run_once(struct program *program)
{
    struct purge_call call = {.arena = program->job,
                              .settings = &program->settings,
                              .metrics = program->metrics,
                              .problem = &program->problem};
    enum error error = store_use(program->store, &call.db, &program->problem);

    if (!error)
        error = program->dry_run ? purge_count(&call, &program->counts)
                                 : purge_now(&call, &program->counts, &program->busy);
    if (!error && !program->dry_run)
        error = check_citations(program, call.db);
    if (!error)
        print_counts(program);
    return error;
}

static int run(struct program *program, double every)
{
    enum error error = open_all(program);

    if (!error && every > 0)
        program_rounds(every, run_round, program);
    else if (!error)
        error = run_once(program);
    if (error)
        fprintf(stderr, "support-retention: %s\n", program->problem.text);
    if (program->store)
        store_close(program->store);
    metrics_close(program->metrics);
    return error ? EXIT_FAILED : EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct program program = {.dry_run = argc == 2 && strcmp(argv[1], "--dry-run") == 0};
    double every = 0;
    int status = EXIT_FAILED;

    if (!program.dry_run && !program_arguments(argc, argv, "support-retention [--dry-run]", &every))
        return EXIT_USAGE;
    program.arena = arena_create(MEMORY_MAX);
    program.job = arena_create(MEMORY_MAX);
    if (program.arena && program.job)
        status = run(&program, every);
    if (program.job)
        arena_destroy(program.job);
    if (program.arena)
        arena_destroy(program.arena);
    return status;
}
