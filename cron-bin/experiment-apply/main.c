/*
 * Shows the changes of an experiment, stages it, or makes it the default.
 *
 *   experiment-apply ID [--mode dry-run|stage|deploy] [--activate] [--force]
 *
 * Exit codes: 0 done, 1 failed or not allowed, 2 invalid command line.
 */
#include "support/candidates/deploy.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"

#include <stdio.h>
#include <string.h>

enum { LOCK_WAIT_MS = 5000 };

struct arguments {
    const char *id, *mode;
    bool activate, force;
};

/* Warns about settings that do not take effect with the next question. */
static enum error warn(struct batch_program *program, const char *id)
{
    static const char *const when[] = {[OVERLAY_INGESTION] = "acts when documents are read anew",
                                       [OVERLAY_START] = "acts when the service starts",
                                       [OVERLAY_NONE] = "changes nothing in this engine"};
    struct experiment experiment;
    enum error error =
        experiment_read(program->arena, &program->settings, id, &experiment, &program->problem);

    for (size_t i = 0; i < overlay_key_count && !error; i++)
        if (overlay_keys[i].reach != OVERLAY_AT_ONCE &&
            json_object_get(experiment.settings, overlay_keys[i].name))
            fprintf(stderr, "%s: %s %s\n", program->name, overlay_keys[i].name,
                    when[overlay_keys[i].reach]);
    return error;
}

static enum error apply(struct batch_program *program, const struct candidate_call *call,
                        const struct arguments *arguments)
{
    struct deployment deployment;
    const char *difference;
    enum error error = warn(program, arguments->id);

    if (error)
        return error;
    if (strcmp(arguments->mode, "stage") == 0) {
        error = candidate_stage(call, arguments->id, arguments->activate);
        if (!error)
            puts(data_file_path(program->arena, &program->settings, experiment_override_path));
    } else if (strcmp(arguments->mode, "deploy") == 0) {
        error = candidate_deploy(call, arguments->id, arguments->force, &deployment);
        if (!error)
            printf("Updated %s\nUpdated %s/%s.yaml\nUpdated %s\n", experiment_deployed_path,
                   experiment_folder, arguments->id, "experiment_deployments");
    } else {
        error = candidate_difference(call, arguments->id, &difference);
        if (!error)
            fputs(difference, stdout);
    }
    return error;
}

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    const struct candidate_call call = {program->db, program->arena, &program->settings,
                                        &program->problem};
    struct arena_guard *lock = NULL;
    enum error error = data_file_lock(program->arena, &program->settings, candidates_lock,
                                      LOCK_WAIT_MS, &lock, &program->problem);

    if (!error)
        error = apply(program, &call, arguments);
    data_file_unlock(lock);
    return error ? batch_fail(program, 1) : 0;
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"dry-run", "stage", "deploy", NULL};
    struct arguments arguments = {NULL, "dry-run", false, false};
    const struct batch_option options[] = {{.name = "ID",
                                            .help = "The experiment.",
                                            .text = &arguments.id,
                                            .positional = true,
                                            .required = true},
                                           {.name = "--mode",
                                            .help = "dry-run, stage or deploy.",
                                            .text = &arguments.mode,
                                            .choices = modes},
                                           {.name = "--activate",
                                            .help = "Staged changes are in force from now on.",
                                            .flag = &arguments.activate},
                                           {.name = "--force",
                                            .help = "Deploy without a green regression run.",
                                            .flag = &arguments.force}};
    const struct batch_plan plan = {.name = "experiment-apply",
                                    .summary = "Shows, stages or deploys an experiment.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .failed = 1,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
