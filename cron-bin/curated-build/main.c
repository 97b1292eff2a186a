/*
 * Adds the confirmed review cases to the curated dataset.
 *
 *   curated-build [--tenant all] [--since DATE] [--out FILE] [--include-bad] [--prune]
 *
 * Exit codes: 0 done (also when another process does it), 1 failed, 2 invalid command line.
 */
#include "base/timestamp.h"
#include "support/curated/curated.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"

#include <stdio.h>
#include <string.h>

enum { MEMORY = 512 * 1024 * 1024 };

struct arguments {
    const char *tenant, *since, *out;
    bool include_bad, prune;
    int64_t from;
};

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    const char *path = data_file_path(program->arena, &program->settings, curated_default_path);
    const struct trace_call call = {
        program->db, program->arena,
        strcmp(arguments->tenant, "all") == 0 ? NULL : arguments->tenant, &program->problem};
    const struct curated_plan plan = {.path = arguments->out ? arguments->out : path,
                                      .since = arguments->from,
                                      .include_bad = arguments->include_bad,
                                      .prune = arguments->prune};
    struct curated_built built;

    if (curated_build(&call, &plan, &built))
        return batch_fail(program, 1);
    curated_show(program->arena, &program->settings, program->metrics);
    built.out = plan.path;
    batch_print(program, &curated_built_schema, &built);
    return 0;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {"all", NULL, NULL, false, false, INT64_MIN};
    const struct batch_option options[] = {
        {.name = "--tenant", .help = "One tenant, or `all`.", .text = &arguments.tenant},
        {.name = "--since",
         .help = "Leave out cases made before a date or time (UTC).",
         .text = &arguments.since,
         .moment = &arguments.from},
        {.name = "--out", .help = "The file; the one below DATA_DIR.", .text = &arguments.out},
        {.name = "--include-bad",
         .help = "Answers judged bad as well.",
         .flag = &arguments.include_bad},
        {.name = "--prune",
         .help = "Take out cases that are not confirmed any more.",
         .flag = &arguments.prune}};
    const struct batch_plan plan = {.name = "curated-build",
                                    .summary = "Puts confirmed cases into the curated data.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .locks = true,
                                    .failed = 1,
                                    .memory = MEMORY,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
