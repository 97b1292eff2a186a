/*
 * Measures how good the answers of the last day were and whether that drifts from the week before.
 *
 *   nightly-eval
 *
 * Exit codes: 0 done (also when there were too few answers, or another one is at it), 1 failed, 2
 * the command line is wrong.
 */
#include "support/programs/batch.h"
#include "support/trends/nightly.h"

enum { EXIT_DONE, EXIT_FAILED };

static void write_values(struct json_writer *writer, const char *key,
                         const double values[MEASURE__ANSWERED])
{
    writer_key(writer, key);
    writer_open_object(writer);
    for (int i = 0; i < MEASURE__ANSWERED; i++)
        writer_key_number(writer, measure_names[i], values[i]);
    writer_close_object(writer);
}

static int run(struct batch_program *program)
{
    const struct trace_call call = {program->db, program->arena, "all", &program->problem};
    struct nightly_result result;
    struct text text;
    struct json_writer writer;

    if (nightly_run(&call, &result))
        return batch_fail(program, EXIT_FAILED);
    batch_open_object(program, &text, &writer);
    writer_key_string(&writer, "status", result.skipped ? "skipped" : "ok");
    writer_key_integer(&writer, "sample_size", result.sample_size);
    for (int i = 0; i < MEASURE__ANSWERED && !result.skipped; i++)
        metric_set(program->metrics, METRIC_EVAL_DRIFT, &measure_names[i], result.drifts[i]);
    if (!result.skipped) {
        write_values(&writer, "results", result.values);
        write_values(&writer, "drift", result.drifts);
    }
    batch_print(&writer);
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
