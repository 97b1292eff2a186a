/*
 * Makes cases for review of the support service's weak answers: voted down, of low quality, handed
 * to a person, not supported by documents, slow.
 *
 *   review-build [--days 1] [--tenant all]
 *
 * Any number may run. Exit codes: 0 done, 1 failed, 2 the command line is wrong.
 */
#include "support/programs/batch.h"
#include "support/review/review_store.h"

#include <string.h>

struct arguments {
    int64_t days;
    const char *tenant;
};

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    const struct trace_call call = {
        program->db, program->arena,
        strcmp(arguments->tenant, "all") == 0 ? NULL : arguments->tenant, &program->problem};
    struct review_built built;
    struct text text;
    struct json_writer writer;

    if (review_build(&call, &program->settings, arguments->days, &built))
        return batch_fail(program, 1);
    review_show(program->db, program->arena, program->metrics);
    batch_open_object(program, &text, &writer);
    writer_key_string(&writer, "status", program->settings.review_queue ? "ok" : "disabled");
    writer_key_integer(&writer, "matched", built.matched);
    writer_key_integer(&writer, "inserted", built.inserted);
    writer_key_integer(&writer, "upgraded", built.upgraded);
    batch_print(&writer);
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
