/*
 * Answers the fixed questions as the service would now, and says whether the answers are good
 * enough for a release.
 *
 *   eval-gate [--require-live] [--cases FILE] [--tenant default]
 *
 * Exit codes: 0 passed, or skipped because a model is to answer and none can be reached; 1 not
 * passed, or failed; 2 skipped with --require-live, or the command line is wrong.
 */
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/regression/engine.h"
#include "support/regression/eval_gate.h"

enum { EXIT_PASSED, EXIT_FAILED, EXIT_SKIPPED };
#define MEMORY ((size_t)1 << 30)

struct arguments {
    const char *cases, *tenant;
    bool require_live;
};

static void write_figures(struct json_writer *writer, const double values[MEASURE__ANSWERED])
{
    writer_open_object(writer);
    for (int i = 0; i < MEASURE__ANSWERED; i++)
        writer_key_number(writer, measure_names[i], values[i]);
    writer_close_object(writer);
}

static void write_cases(struct json_writer *writer, const struct eval_gate *gate)
{
    writer_key(writer, "per_question");
    writer_open_array(writer);
    for (size_t i = 0; i < gate->count; i++) {
        const struct eval_gate_case *judged = &gate->cases[i];

        writer_open_object(writer);
        writer_key_string(writer, "question", judged->question->question);
        writer_key_string(writer, "category", judged->question->category);
        writer_key_string(writer, "route", judged->route);
        writer_key_boolean(writer, "right", judged->right);
        writer_key(writer, "scores");
        write_figures(writer, judged->scores);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static void print(struct batch_program *program, const struct eval_gate *gate)
{
    struct text text;
    struct json_writer writer;

    batch_open_object(program, &text, &writer);
    writer_key_string(&writer, "status",
                      gate->skipped          ? "skipped"
                      : gate->failures.count ? "failed"
                                             : "passed");
    if (gate->skipped) {
        writer_key_string(&writer, "reason", gate->reason);
    } else {
        writer_key(&writer, "aggregate");
        write_figures(&writer, gate->values);
        writer_key_strings(&writer, "failures", &gate->failures);
        write_cases(&writer, gate);
    }
    writer_key_string(&writer, "output", eval_gate_result_path);
    batch_print(&writer);
}

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    struct regression_tools tools;
    struct eval_gate gate;
    enum error error = engine_open(program->arena, &program->settings, &tools, &program->problem);

    tools.db = program->db;
    tools.on_case = batch_report_cases;
    if (!error)
        error = eval_gate_run(&tools,
                              data_file_path(program->arena, &program->settings, arguments->cases),
                              arguments->tenant, &gate);
    engine_close(&tools);
    if (error)
        return batch_fail(program, EXIT_FAILED);
    print(program, &gate);
    if (gate.skipped)
        return arguments->require_live ? EXIT_SKIPPED : EXIT_PASSED;
    return gate.failures.count ? EXIT_FAILED : EXIT_PASSED;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.cases = fixed_questions_path, .tenant = "default"};
    const struct batch_option options[] = {
        {.name = "--require-live",
         .help = "A run that no model has answered does not pass.",
         .flag = &arguments.require_live},
        {.name = "--cases",
         .help = "The questions (evaluation/test_cases.json).",
         .text = &arguments.cases},
        {.name = "--tenant", .help = "Whose documents.", .text = &arguments.tenant}};
    const struct batch_plan plan = {.name = "eval-gate",
                                    .summary = "Says whether answers are good enough.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .failed = EXIT_FAILED,
                                    .memory = MEMORY,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
