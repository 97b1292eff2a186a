/*
 * Answers the curated cases with the baseline and with a candidate, and decides whether the
 * candidate passes the gate.
 *
 *   regression-eval --baseline X --candidate Y [--dataset FILE] [--tenant all] [--max-cases N]
 *                   [--seed 42] [--allow-paid-apis] [--mock-experiment-runtime] [--no-persist]
 *
 * X and Y are experiments, or `current`, or models or profiles of the registry; --baseline-profile
 * and --candidate-profile are aliases. Exit codes: 0 passed, 1 failed, 2 undecided.
 */
#include "base/clock.h"
#include "crypto/token.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/regression/engine.h"
#include "support/regression/run_store.h"

#include <string.h>

enum { EXIT_INFRASTRUCTURE = 2 };
#define MEMORY ((size_t)1 << 30)

struct arguments {
    const char *baseline, *candidate, *dataset, *tenant;
    int64_t max_cases, seed;
    bool simulated, calls, not_kept;
};

struct failure {
    const char *status, *detail;
};

#define OWNER struct failure
static const struct field failure_fields[] = {STRING(OWNER, status), STRING(OWNER, detail)};
#undef OWNER
static SCHEMA(failure_schema, struct failure, "RegressionFailure", failure_fields);

struct output {
    const char *run_id;
    int64_t exit_code;
    const char *report_markdown, *report_json;
    const char *aggregate, *gate; /* JSON */
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, run_id),
                                             INTEGER(OWNER, exit_code),
                                             STRING(OWNER, report_markdown, .nullable = true),
                                             STRING(OWNER, report_json, .nullable = true),
                                             WRITTEN_JSON(OWNER, aggregate),
                                             WRITTEN_JSON(OWNER, gate)};
#undef OWNER
static SCHEMA(output_schema, struct output, "RegressionOutput", output_fields);

static int fail(struct batch_program *program)
{
    batch_print(program, &failure_schema,
                &(struct failure){.status = "error", .detail = program->problem.text});
    return EXIT_INFRASTRUCTURE;
}

static void print(struct batch_program *program, const struct regression_plan *plan,
                  const struct regression_result *result)
{
    batch_print(program, &output_schema,
                &(struct output){.run_id = plan->run_id,
                                 .exit_code = result->exit_code,
                                 .report_markdown = result->report_markdown,
                                 .report_json = result->report_json,
                                 .aggregate = result->aggregate,
                                 .gate = result->gate});
}

static void make_plan(struct batch_program *program, struct regression_plan *plan)
{
    const struct arguments *arguments = program->context;
    unsigned char bytes[4];

    token_random_bytes(bytes, sizeof bytes);
    regression_plan_start(plan, &program->settings);
    plan->run_id = arena_print(program->arena, "%s-%02x%02x%02x%02x",
                               data_file_stamp(program->arena, clock_unix_microseconds()), bytes[0],
                               bytes[1], bytes[2], bytes[3]);
    plan->baseline = arguments->baseline;
    plan->candidate = arguments->candidate;
    plan->dataset = arguments->dataset
                        ? arguments->dataset
                        : data_file_path(program->arena, &program->settings, curated_default_path);
    plan->tenant = strcmp(arguments->tenant, "all") == 0 ? NULL : arguments->tenant;
    plan->max_cases = arguments->max_cases;
    plan->seed = arguments->seed;
    plan->simulated = arguments->simulated;
    plan->calls |= arguments->calls;
}

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    struct regression_tools tools;
    struct regression_plan plan;
    struct regression_result result;
    enum error error;

    make_plan(program, &plan);
    error = engine_open(program->arena, &program->settings, &tools, &program->problem);
    tools.db = program->db;
    tools.on_case = batch_report_cases;
    if (!error)
        error = regression_run(&tools, &plan, &result);
    if (!error && !arguments->not_kept)
        error = run_keep(program->db, &plan, &result, &program->problem);
    engine_close(&tools);
    run_count(program->metrics, &plan, error ? NULL : &result, !error && !result.exit_code);
    if (error)
        return fail(program);
    print(program, &plan, &result);
    return result.exit_code;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.tenant = "all", .seed = 42};
    const struct batch_option options[] = {
        {.name = "--baseline",
         .other = "--baseline-profile",
         .help = "An experiment, `current`, or a model or profile of the registry.",
         .text = &arguments.baseline,
         .required = true},
        {.name = "--candidate",
         .other = "--candidate-profile",
         .help = "The same.",
         .text = &arguments.candidate,
         .required = true},
        {.name = "--dataset",
         .help = "The cases; those below DATA_DIR.",
         .text = &arguments.dataset},
        {.name = "--tenant", .help = "One tenant, or `all`.", .text = &arguments.tenant},
        {.name = "--max-cases",
         .help = "Draw so many; 0 is all.",
         .integer = &arguments.max_cases,
         .least = INT64_MIN,
         .most = 1000000},
        {.name = "--seed",
         .help = "Of the draw (42).",
         .integer = &arguments.seed,
         .least = INT64_MIN},
        {.name = "--allow-paid-apis",
         .help = "Call providers that are compared, and paid ones.",
         .flag = &arguments.calls},
        {.name = "--mock-experiment-runtime",
         .help = "Take what is expected for the answers.",
         .flag = &arguments.simulated},
        {.name = "--no-persist",
         .help = "Write the report, and no row.",
         .flag = &arguments.not_kept}};
    const struct batch_plan plan = {.name = "regression-eval",
                                    .summary = "Holds a candidate against a baseline.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .failed = EXIT_INFRASTRUCTURE,
                                    .memory = MEMORY,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
