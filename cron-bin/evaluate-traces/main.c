/*
 * Evaluates stored answers that have no evaluations, with all seven evaluators.
 *
 *   evaluate-traces [--since TIME] [--tenant all] [--force]     --force: also evaluated answers
 *
 * Exit codes: 0 done (also when another process does it), 1 failed, 2 invalid command line.
 */
#include "base/clock.h"
#include "base/timestamp.h"
#include "support/programs/batch.h"
#include "support/trends/snapshot.h"

#include <stdio.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };

struct arguments {
    const char *since, *tenant;
    bool force;
};

struct output {
    const char *status;
    int64_t evaluated;
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status), INTEGER(OWNER, evaluated)};
#undef OWNER
static SCHEMA(output_schema, struct output, "TracesEvaluated", output_fields);

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    const struct trace_call call = {program->db, program->arena, arguments->tenant,
                                    &program->problem};
    char since[CLOCK_TEXT_MAX];
    int64_t moment, evaluated;

    if (arguments->since && !timestamp_from_text(arguments->since, &moment)) {
        fprintf(stderr, "evaluate-traces: --since is a date or a time\n");
        return EXIT_USAGE;
    }
    if (arguments->since)
        clock_format(moment, since);
    if (snapshot_evaluate(&call, arguments->since ? since : NULL, arguments->force, &evaluated))
        return batch_fail(program, EXIT_FAILED);
    batch_print(program, &output_schema, &(struct output){.status = "ok", .evaluated = evaluated});
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.tenant = "all"};
    const struct batch_option options[] = {
        {.name = "--since", .help = "Only answers from then on.", .text = &arguments.since},
        {.name = "--tenant", .help = "One tenant, or `all`.", .text = &arguments.tenant},
        {.name = "--force", .help = "Also those that were evaluated.", .flag = &arguments.force}};
    const struct batch_plan plan = {.name = "evaluate-traces",
                                    .summary = "Evaluates stored answers.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .locks = true,
                                    .failed = EXIT_FAILED,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
