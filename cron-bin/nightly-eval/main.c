/*
 * Measures the quality of the last day's answers and their drift from the week before.
 *
 *   nightly-eval
 *
 * Exit codes: 0 done (also when there were too few answers, or another process does it), 1 failed,
 * 2 invalid command line.
 */
#include "support/programs/batch.h"
#include "support/trends/nightly.h"

enum { EXIT_DONE, EXIT_FAILED };

struct output {
    const char *status;
    int64_t sample_size;
    const struct answered_measures *results, *drift; /* NULL = too few answers */
};

#define OWNER struct output
static const struct field output_fields[] = {
    STRING(OWNER, status), INTEGER(OWNER, sample_size),
    OBJECT(OWNER, results, answered_measures_schema, .omit_if_null = true),
    OBJECT(OWNER, drift, answered_measures_schema, .omit_if_null = true)};
#undef OWNER
static SCHEMA(output_schema, struct output, "NightlyEvaluation", output_fields);

static int run(struct batch_program *program)
{
    const struct trace_call call = {program->db, program->arena, "all", &program->problem};
    struct nightly_result result;

    if (nightly_run(&call, &result))
        return batch_fail(program, EXIT_FAILED);
    for (int i = 0; i < MEASURE__ANSWERED && !result.skipped; i++)
        metric_set(program->metrics, METRIC_EVAL_DRIFT, &measure_names[i], result.drifts.values[i]);
    batch_print(program, &output_schema,
                &(struct output){.status = result.skipped ? "skipped" : "ok",
                                 .sample_size = result.sample_size,
                                 .results = result.skipped ? NULL : &result.values,
                                 .drift = result.skipped ? NULL : &result.drifts});
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    const struct batch_plan plan = {.name = "nightly-eval",
                                    .summary = "Measures the answers of the last day.",
                                    .locks = true,
                                    .failed = EXIT_FAILED,
                                    .memory = 64 << 20,
                                    .run = run};

    return batch_main(argc, argv, &plan);
}
