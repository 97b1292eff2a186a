/*
 * Answers the fixed questions as the service would now, and checks whether the answers are good
 * enough for a release.
 *
 *   eval-gate [--require-live] [--cases FILE] [--tenant default]
 *
 * Exit codes: 0 passed, or skipped because a configured model cannot be reached; 1 not passed, or
 * failed; 2 skipped with --require-live, or invalid command line.
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

struct judged_case {
    const char *question, *category, *route;
    bool right;
    const struct answered_measures *scores;
};

#define OWNER struct judged_case
static const struct field case_fields[] = {STRING(OWNER, question), STRING(OWNER, category),
                                           STRING(OWNER, route), BOOLEAN(OWNER, right),
                                           OBJECT(OWNER, scores, answered_measures_schema)};
#undef OWNER
static SCHEMA(case_schema, struct judged_case, "EvalGateCase", case_fields);

struct output {
    const char *status, *reason;
    const struct answered_measures *aggregate;
    struct string_list failures;
    OBJECT_LIST(struct judged_case, per_question);
    const char *output;
};

#define OWNER struct output
static const struct field judged_fields[] = {
    STRING(OWNER, status), OBJECT(OWNER, aggregate, answered_measures_schema),
    STRINGS(OWNER, failures), OBJECTS(OWNER, per_question, case_schema), STRING(OWNER, output)};
static const struct field skipped_fields[] = {STRING(OWNER, status), STRING(OWNER, reason),
                                              STRING(OWNER, output)};
#undef OWNER
static SCHEMA(judged_schema, struct output, "EvalGateOutput", judged_fields);
static SCHEMA(skipped_schema, struct output, "EvalGateSkipped", skipped_fields);

static void print(struct batch_program *program, const struct eval_gate *gate)
{
    struct judged_case *cases = ARENA_ARRAY(program->arena, struct judged_case, gate->count + 1);
    struct output output = {.status = gate->skipped          ? "skipped"
                                      : gate->failures.count ? "failed"
                                                             : "passed",
                            .reason = gate->reason,
                            .aggregate = &gate->values,
                            .failures = gate->failures,
                            .per_question = {gate->count, cases},
                            .output = eval_gate_result_path};

    for (size_t i = 0; i < gate->count; i++) {
        const struct eval_gate_case *judged = &gate->cases[i];

        cases[i] = (struct judged_case){.question = judged->question->question,
                                        .category = judged->question->category,
                                        .route = judged->route,
                                        .right = judged->right,
                                        .scores = &judged->scores};
    }
    batch_print(program, gate->skipped ? &skipped_schema : &judged_schema, &output);
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
