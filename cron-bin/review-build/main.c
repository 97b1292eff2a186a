/*
 * Creates review cases for weak answers of the support service: voted down, of low quality,
 * escalated to a human, not supported by documents, slow.
 *
 *   review-build [--days 1] [--tenant all]
 *
 * Any number of copies may run. Exit codes: 0 done, 1 failed, 2 invalid command line.
 */
#include "support/programs/batch.h"
#include "support/review/review_store.h"

#include <string.h>

struct arguments {
    int64_t days;
    const char *tenant;
};

struct output {
    const char *status;
    int64_t matched, inserted, upgraded;
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status), INTEGER(OWNER, matched),
                                             INTEGER(OWNER, inserted), INTEGER(OWNER, upgraded)};
#undef OWNER
static SCHEMA(output_schema, struct output, "ReviewBuilt", output_fields);

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    const struct trace_call call = {
        program->db, program->arena,
        strcmp(arguments->tenant, "all") == 0 ? NULL : arguments->tenant, &program->problem};
    struct review_built built;

    if (review_build(&call, &program->settings, arguments->days, &built))
        return batch_fail(program, 1);
    review_show(program->db, program->arena, program->metrics);
    batch_print(program, &output_schema,
                &(struct output){.status = program->settings.review_queue ? "ok" : "disabled",
                                 .matched = built.matched,
                                 .inserted = built.inserted,
                                 .upgraded = built.upgraded});
    return 0;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {1, "all"};
    const struct batch_option options[] = {
        {.name = "--days",
         .help = "Days to look back (1).",
         .integer = &arguments.days,
         .least = INT64_MIN,
         .most = 36500},
        {.name = "--tenant", .help = "One tenant, or `all`.", .text = &arguments.tenant}};
    const struct batch_plan plan = {.name = "review-build",
                                    .summary = "Makes cases for review of weak answers.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .locks = true,
                                    .failed = 1,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
