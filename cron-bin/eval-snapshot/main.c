/*
 * Writes the evaluations of a day into reports/eval_daily/<date>.json, and checks the guarantees of
 * chosen thresholds.
 *
 *   eval-snapshot [--date YYYY-MM-DD]     yesterday (UTC) by default
 *
 * Exit codes: 0 done (also when another process does it), 1 failed, 2 invalid command line.
 */
#include "support/programs/batch.h"
#include "support/trends/snapshot.h"

#include <stdio.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };

struct promises {
    int64_t checked, broken;
};

#define OWNER struct promises
static const struct field promises_fields[] = {INTEGER(OWNER, checked), INTEGER(OWNER, broken)};
#undef OWNER
static SCHEMA(promises_schema, struct promises, "PromisesChecked", promises_fields);

struct output {
    const char *status, *date, *path;
    int64_t evaluators;
    const struct promises *promises;
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status), STRING(OWNER, date),
                                             STRING(OWNER, path), INTEGER(OWNER, evaluators),
                                             OBJECT(OWNER, promises, promises_schema)};
#undef OWNER
static SCHEMA(output_schema, struct output, "SnapshotTaken", output_fields);

static void print(struct batch_program *program, const struct snapshot_result *result)
{
    const struct promises promises = {.checked = result->promises,
                                      .broken = result->promises_broken};

    batch_print(program, &output_schema,
                &(struct output){.status = "ok",
                                 .date = result->date,
                                 .path = result->path,
                                 .evaluators = result->evaluators,
                                 .promises = &promises});
}

static int run(struct batch_program *program)
{
    const char *const *date = program->context;
    const struct trace_call call = {program->db, program->arena, "all", &program->problem};
    struct snapshot_result result;

    if (*date && !snapshot_is_date(*date)) {
        fprintf(stderr, "eval-snapshot: --date is a day as YYYY-MM-DD\n");
        return EXIT_USAGE;
    }
    if (snapshot_take(&call, &program->settings, *date ? *date : snapshot_yesterday(program->arena),
                      &result))
        return batch_fail(program, EXIT_FAILED);
    print(program, &result);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    const char *date = NULL;
    const struct batch_option options[] = {
        {.name = "--date", .help = "The day (yesterday, UTC).", .text = &date}};
    const struct batch_plan plan = {.name = "eval-snapshot",
                                    .summary = "Writes down what evaluators said on a day.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .locks = true,
                                    .failed = EXIT_FAILED,
                                    .run = run,
                                    .context = &date};

    return batch_main(argc, argv, &plan);
}
