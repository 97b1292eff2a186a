/*
 * Creates the draft of an experiment: a file to edit.
 *
 *   experiment-new --name NAME [--from current|ID] [--description TEXT]
 *
 * Prints its path. Exit codes: 0 done, 1 failed, 2 invalid command line.
 */
#include "support/candidates/deploy.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"

#include <stdio.h>
#include <stdlib.h>

enum { LOCK_WAIT_MS = 5000 };

struct arguments {
    const char *name, *from, *description;
};

static const char *person(void)
{
    static const char *const names[] = {"USEREMAIL", "GIT_AUTHOR_EMAIL", "EMAIL", "USERNAME",
                                        "USER"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);

        if (value && *value)
            return value;
    }
    return "system";
}

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    const struct experiment_request request = {.name = arguments->name,
                                               .from = arguments->from,
                                               .description = arguments->description,
                                               .created_by = person()};
    struct experiment experiment;
    struct arena_guard *lock = NULL;
    enum error error = data_file_lock(program->arena, &program->settings, candidates_lock,
                                      LOCK_WAIT_MS, &lock, &program->problem);

    if (!error)
        error = experiment_new(program->arena, &program->settings, &request, &experiment,
                               &program->problem);
    data_file_unlock(lock);
    if (error)
        return batch_fail(program, 1);
    puts(experiment_path(program->arena, &program->settings, experiment.id));
    return 0;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {NULL, "current", ""};
    const struct batch_option options[] = {
        {.name = "--name", .help = "Its name.", .text = &arguments.name, .required = true},
        {.name = "--from", .help = "`current`, or an experiment.", .text = &arguments.from},
        {.name = "--description", .help = "What it is for.", .text = &arguments.description}};
    const struct batch_plan plan = {.name = "experiment-new",
                                    .summary = "Makes the draft of an experiment.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .failed = 1,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
