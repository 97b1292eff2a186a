/*
 * Compares the thresholds with the verdicts on answers; prints the analysis as JSON and writes a
 * report.
 *
 *   threshold-analyze [--tenant all] [--days 30] [--out reports/threshold_recommendations.md]
 *                     [--risk SHARE] [--confidence SHARE]
 *
 * Exit codes: 0 done (also when another process does it), 1 failed, 2 invalid command line.
 */
#include "base/number.h"
#include "support/programs/batch.h"
#include "support/trends/threshold_report.h"

#include <stdio.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };

struct options {
    const char *tenant, *out, *risk, *confidence;
    int64_t days;
};

static bool read_share(const char *text, double *share)
{
    return !text || (number_parse(text, share) && *share > 0 && *share < 1);
}

static int run(struct batch_program *program)
{
    const struct options *options = program->context;
    struct threshold_request request = {
        .settings = &program->settings, .days = options->days, .path = options->out};
    const struct trace_call call = {program->db, program->arena, options->tenant,
                                    &program->problem};
    struct threshold_analysis analysis;

    if (!read_share(options->risk, &request.risk) ||
        !read_share(options->confidence, &request.confidence)) {
        fprintf(stderr, "threshold-analyze: --risk and --confidence lie between 0 and 1\n");
        return EXIT_USAGE;
    }
    if (threshold_analyse(&call, &request, &analysis))
        return batch_fail(program, EXIT_FAILED);
    batch_print(program, &threshold_analysis_schema, &analysis);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct options options = {
        .tenant = "all", .out = "reports/threshold_recommendations.md", .days = 30};
    const struct batch_option table[] = {
        {"--tenant", .help = "whose answers; all = everybody's (default)", .text = &options.tenant},
        {"--days", .help = "how far back (30)", .integer = &options.days, .least = 1,
         .most = 36500},
        {"--out", .help = "the report, below DATA_DIR", .text = &options.out},
        {"--risk", .help = "share of wrong answers that is to be kept", .text = &options.risk},
        {"--confidence", .help = "how sure that has to be", .text = &options.confidence},
    };
    const struct batch_plan plan = {.name = "threshold-analyze",
                                    .summary = "Holds the thresholds against verdicts.",
                                    .options = table,
                                    .option_count = sizeof table / sizeof table[0],
                                    .locks = true,
                                    .failed = EXIT_FAILED,
                                    .run = run,
                                    .context = &options};

    return batch_main(argc, argv, &plan);
}
