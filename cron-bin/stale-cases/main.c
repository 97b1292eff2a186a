/*
 * Answers old curated cases again, and lists the stale ones.
 *
 *   stale-cases [--jsonl FILE] [--stale-days N] [--report FILE] [--apply] [--mock] [--all]
 *
 * The report is written to FILE, below DATA_DIR, or to standard output instead of the JSON object.
 * Exit codes: 0 done (also when another process does it), 1 failed, 2 invalid command line.
 */
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/regression/engine.h"
#include "support/regression/staleness.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_DONE, EXIT_FAILED };
#define MEMORY ((size_t)1 << 30)

struct arguments {
    const char *path, *report;
    int64_t days;
    bool apply, ages, undated;
};

struct output {
    const char *status;
    int64_t evaluated, skipped, stale;
    OBJECT_LIST(struct stale_case, cases);
    const char *report;
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status),
                                             INTEGER(OWNER, evaluated),
                                             INTEGER(OWNER, skipped),
                                             INTEGER(OWNER, stale),
                                             OBJECTS(OWNER, cases, stale_case_schema),
                                             STRING(OWNER, report)};
#undef OWNER
static SCHEMA(output_schema, struct output, "StaleCases", output_fields);

static void print(struct batch_program *program, const struct staleness *staleness)
{
    const struct arguments *arguments = program->context;
    const struct output output = {
        .status = "ok",
        .evaluated = staleness->evaluated,
        .skipped = staleness->skipped,
        .stale = (int64_t)staleness->stale_count,
        .cases = {staleness->stale_count, (struct stale_case *)staleness->stale},
        .report = arguments->report};

    if (arguments->report)
        batch_print(program, &output_schema, &output);
    else
        fputs(staleness->markdown, stdout);
}

static enum error check(struct batch_program *program, struct regression_tools *tools,
                        struct staleness *staleness)
{
    const struct arguments *arguments = program->context;
    const struct staleness_plan plan = {
        .path = arguments->path
                    ? arguments->path
                    : data_file_path(program->arena, &program->settings, curated_default_path),
        .days = arguments->days ? arguments->days : program->settings.curated_stale_days,
        .undated = arguments->undated,
        .ages = arguments->ages,
        .apply = arguments->apply};
    enum error error = staleness_check(tools, &plan, staleness);

    if (error || !arguments->report)
        return error;
    return data_file_write(program->arena,
                           data_file_path(program->arena, &program->settings, arguments->report),
                           staleness->markdown, strlen(staleness->markdown), &program->problem);
}

static int run(struct batch_program *program)
{
    struct regression_tools tools;
    struct staleness staleness;
    enum error error = engine_open(program->arena, &program->settings, &tools, &program->problem);

    tools.db = program->db;
    tools.on_case = batch_report_cases;
    if (!error)
        error = check(program, &tools, &staleness);
    engine_close(&tools);
    if (error)
        return batch_fail(program, EXIT_FAILED);
    print(program, &staleness);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.path = NULL};
    const struct batch_option options[] = {
        {.name = "--jsonl", .help = "The cases; those below DATA_DIR.", .text = &arguments.path},
        {.name = "--stale-days",
         .help = "Age from which a case is old (CURATED_CASE_STALE_DAYS).",
         .integer = &arguments.days,
         .least = 1,
         .most = 36500},
        {.name = "--report", .help = "Where the report goes.", .text = &arguments.report},
        {.name = "--apply", .help = "Keep what was found.", .flag = &arguments.apply},
        {.name = "--mock", .help = "Look at ages alone.", .flag = &arguments.ages},
        {.name = "--all", .help = "Cases without a date, too.", .flag = &arguments.undated}};
    const struct batch_plan plan = {.name = "stale-cases",
                                    .summary = "Says which curated cases hold no more.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .locks = true,
                                    .failed = EXIT_FAILED,
                                    .memory = MEMORY,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
