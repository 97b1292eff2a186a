/*
 * Tells the experiments service what splits of live traffic have come to, and reads its decisions;
 * does nothing without AB_BASE_URL and AB_API_KEY.
 *
 *   split-report                  what waits, and all decisions, now; prints what was done as JSON
 *   split-report --every SECONDS  stays
 *
 * One at a time on a host. Exit codes: 0 done (also when another one is at it), 1 failed, 2 the
 * command line is wrong.
 */
#include "base/log.h"
#include "crypto/crypto.h"
#include "jobs/program.h"
#include "support/candidates/split_report.h"
#include "support/improvement/files.h"
#include "support/store.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, MEMORY_MAX = 128 * 1024 * 1024, TOLD_MAX = 512 };

struct program {
    struct arena *arena, *job;
    struct support_settings settings;
    struct store *store;
    struct problem problem;
    struct split_tally tally;
    char told[TOLD_MAX]; /* the last failure: the same one is logged once */
    bool now, busy;
    enum error error; /* of the last round */
};

static enum error open_all(struct program *program)
{
    struct problem *problem = &program->problem;
    enum error error = crypto_start(problem);

    if (!error)
        error = support_settings_load(&program->settings, program->arena, NULL, problem);
    log_open("assay.split-report", (enum log_level)program->settings.log_level,
             (enum log_format)program->settings.log_format);
    return error ? error
                 : support_store_open(program->arena, &program->settings, NULL, &program->store,
                                      problem);
}

static void add(struct split_tally *sum, const struct split_tally *round)
{
    sum->splits = round->splits;
    sum->exposures += round->exposures;
    sum->outcomes += round->outcomes;
    sum->decisions = round->decisions;
    sum->more = round->more;
}

static enum error report(struct program *program)
{
    struct split_tally round = {0};
    struct candidate_call call = {
        .arena = program->job, .settings = &program->settings, .problem = &program->problem};
    int lock = -1;
    enum error error = improvement_lock(program->job, &program->settings, "split-report", 0, &lock,
                                        &program->problem);

    program->busy = error == ERROR_BUSY;
    if (error)
        return program->busy ? ERROR_NONE : error;
    error = store_use(program->store, &call.db, &program->problem);
    if (!error)
        error = split_report(&call, program->now, &round);
    add(&program->tally, &round);
    improvement_unlock(lock);
    return error;
}

static bool run_round(void *context)
{
    struct program *program = context;
    const char *text;

    if (!split_is_reported(&program->settings))
        return false;
    program->error = report(program);
    text = program->error ? program->problem.text : "";
    if (program->error && strcmp(text, program->told) != 0)
        log_event(LOG_WARNING, "split_not_reported", text);
    (void)!snprintf(program->told, sizeof program->told, "%s", text);
    db_end_of_request(store_handle(program->store));
    arena_reset(program->job);
    return program->tally.more && !program->error;
}

static void print(const struct program *program)
{
    const struct split_tally *tally = &program->tally;
    struct text text;
    struct json_writer writer;

    text_start(&text, program->arena, 4096);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "status", program->busy ? "busy" : "ok");
    writer_key_integer(&writer, "splits", tally->splits);
    writer_key_integer(&writer, "exposures", tally->exposures);
    writer_key_integer(&writer, "outcomes", tally->outcomes);
    writer_key_integer(&writer, "decisions", tally->decisions);
    writer_close_object(&writer);
    printf("%s\n", text.bytes);
}

static int run(struct program *program, double every)
{
    enum error error = open_all(program);

    program->now = every <= 0;
    if (!error && every > 0)
        program_rounds(every, run_round, program);
    else if (!error)
        while (run_round(program))
            continue;
    error = error ? error : program->error;
    if (error)
        fprintf(stderr, "split-report: %s\n", program->problem.text);
    else if (program->now)
        print(program);
    if (program->store)
        store_close(program->store);
    return error ? EXIT_FAILED : EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct program program = {.now = false};
    double every = 0;
    int status = EXIT_FAILED;

    if (!program_arguments(argc, argv, "split-report", &every))
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
