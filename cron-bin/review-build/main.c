/*
 * Creates review cases for weak answers of the support service: voted down, of low quality,
 * escalated to a human, not supported by documents, slow.
 *
 *   review-build [--days 1] [--tenant all] [--choose]
 *
 * Computes of each waiting case how unsure the evaluators are of it. With --choose it also draws
 * answers of each tenant at random and adds those of which the evaluators are least sure
 * (REVIEW_RANDOM_CASES, REVIEW_UNSURE_CASES).
 *
 * Any number of copies may run. Exit codes: 0 done, 1 failed, 2 invalid command line.
 */
#include "support/evaluators/choose_cases.h"
#include "support/programs/batch.h"
#include "support/review/review_store.h"

#include <string.h>

struct arguments {
    int64_t days;
    const char *tenant;
    bool choose;
};

struct output {
    const char *status;
    int64_t matched, inserted, upgraded;
    struct optional_integer drawn, unsure; /* with --choose */
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status),
                                             INTEGER(OWNER, matched),
                                             INTEGER(OWNER, inserted),
                                             INTEGER(OWNER, upgraded),
                                             NULLABLE_INTEGER(OWNER, drawn, .omit_if_null = true),
                                             NULLABLE_INTEGER(OWNER, unsure, .omit_if_null = true)};
#undef OWNER
static SCHEMA(output_schema, struct output, "ReviewBuilt", output_fields);

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    const struct trace_call call = {
        program->db, program->arena,
        strcmp(arguments->tenant, "all") == 0 ? NULL : arguments->tenant, &program->problem};
    const struct support_settings *settings = &program->settings;
    const struct case_choice choice = {.days = arguments->days > 0 ? arguments->days : 0,
                                       .random = arguments->choose ? settings->review_random : 0,
                                       .unsure = arguments->choose ? settings->review_unsure : 0};
    struct cases_chosen chosen;
    struct review_built built;

    if (review_build(&call, settings, arguments->days, &built) ||
        cases_choose(&call, settings, &choice, &chosen))
        return batch_fail(program, 1);
    review_show(program->db, program->arena, program->metrics);
    batch_print(program, &output_schema,
                &(struct output){.status = program->settings.review_queue ? "ok" : "disabled",
                                 .matched = built.matched,
                                 .inserted = built.inserted,
                                 .upgraded = built.upgraded,
                                 .drawn = {arguments->choose, chosen.drawn},
                                 .unsure = {arguments->choose, chosen.unsure}});
    return 0;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {1, "all", false};
    const struct batch_option options[] = {
        {.name = "--days",
         .help = "Days to look back (1).",
         .integer = &arguments.days,
         .least = INT64_MIN,
         .most = 36500},
        {.name = "--tenant", .help = "One tenant, or `all`.", .text = &arguments.tenant},
        {.name = "--choose",
         .help = "Also draw answers at random, and those of which the evaluators are not sure.",
         .flag = &arguments.choose}};
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
