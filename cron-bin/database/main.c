/*
 * What is done to the database of a service from outside, by the launcher and by operators.
 *
 *   database start [SERVICE]     at every start: makes it in a new directory, else finds the right
 * one database create [SERVICE]    begins anew, in place of one that is gone database adopt
 * [SERVICE]     from now on the one that is there, whatever was there before database check
 * [SERVICE]     is it the right one, and whole?
 *
 * Exit codes: 0 done, 1 the settings are wrong, 2 the command line is wrong, 3 the database cannot
 * be reached, 4 refused.
 */
#include "base/log.h"
#include "crypto/crypto.h"
#include "db/identity.h"
#include "experiments/storage/store.h"
#include "support/store.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_UNREACHABLE, EXIT_REFUSED };
enum { MEMORY_MAX = 16 * 1024 * 1024 };

/* One row per service: its settings, read from the environment, turned into where it stores. */
struct service {
    const char *name;
    enum error (*plan)(struct arena *arena, struct store_plan *plan, struct problem *problem);
};

struct command {
    const char *name;
    int (*run)(const struct store_plan *plan);
};

static enum error plan_experiments(struct arena *arena, struct store_plan *plan,
                                   struct problem *problem)
{
    struct experiments_settings *settings = ARENA_NEW(arena, struct experiments_settings);
    enum error error;

    *settings = (struct experiments_settings){0};
    error = experiments_settings_load(settings, arena, NULL, problem);
    if (error)
        return error;
    log_open("assay.database", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    experiments_store_plan(arena, settings, plan);
    return ERROR_NONE;
}

static enum error plan_support(struct arena *arena, struct store_plan *plan,
                               struct problem *problem)
{
    struct support_settings *settings = ARENA_NEW(arena, struct support_settings);
    enum error error = support_settings_load(settings, arena, NULL, problem);

    if (error)
        return error;
    log_open("assay.database", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    support_store_plan(arena, settings, plan);
    return ERROR_NONE;
}

static const struct service services[] = {{"experiments", plan_experiments},
                                          {"support", plan_support}};

static int complain(const struct store_plan *plan, enum error error, const struct problem *problem)
{
    fprintf(stderr, "database of %s: %s\n", plan->service, problem->text);
    if (error == ERROR_INVALID)
        return EXIT_SETTINGS;
    return error == ERROR_UNAVAILABLE || error == ERROR_BUSY ? EXIT_UNREACHABLE : EXIT_REFUSED;
}

static int establish(const struct store_plan *plan, enum db_purpose purpose)
{
    struct db_established established;
    struct problem problem = {0};
    enum error error = db_establish(plan, purpose, &established, &problem);

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

static int run_start(const struct store_plan *plan)
{
    return establish(plan, DB_START);
}

static int run_create(const struct store_plan *plan)
{
    return establish(plan, DB_CREATE);
}

static int run_adopt(const struct store_plan *plan)
{
    return establish(plan, DB_ADOPT);
}

static int run_check(const struct store_plan *plan)
{
    struct problem problem = {0};
    enum error error = db_check(plan, &problem);

    if (error)
        return complain(plan, error, &problem);
    printf("the database of %s is whole\n", plan->service);
    return EXIT_DONE;
}

static const struct command commands[] = {
    {"start", run_start}, {"create", run_create}, {"adopt", run_adopt}, {"check", run_check}};

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

static int run(struct arena *arena, const struct service *service, const struct command *command)
{
    struct problem problem = {0};
    struct store_plan plan;

    if (crypto_start(&problem) || service->plan(arena, &plan, &problem)) {
        fprintf(stderr, "database: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    if (!plan.state_directory || !plan.state_directory[0]) {
        fprintf(stderr, "database: ASSAY_STATE_DIR must not be blank\n");
        return EXIT_SETTINGS;
    }
    return command->run(&plan);
}

int main(int argc, char **argv)
{
    const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;
    const struct service *service = find_service(argc > 2 ? argv[2] : NULL);
    struct arena *arena;
    int status;

    if (!command || !service || argc > 3) {
        fprintf(stderr, "usage: database start|create|adopt|check [SERVICE]\n");
        return EXIT_USAGE;
    }
    arena = arena_create(MEMORY_MAX);
    if (!arena)
        return EXIT_UNREACHABLE;
    status = run(arena, service, command);
    arena_destroy(arena);
    return status;
}
