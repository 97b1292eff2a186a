/*
 * Measures the expected answers of the fixed questions against their own documents, without a
 * model.
 *
 *   offline-benchmark [--cases FILE] [--with-docs] [--output FILE] [--tenant default]
 *
 * Files are below DATA_DIR. Exit codes: 0 done, 1 failed (the previous result is kept), 2 invalid
 * command line.
 */
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/regression/benchmark.h"
#include "support/regression/fixed_questions.h"

#include <string.h>

enum { EXIT_DONE, EXIT_FAILED };

struct arguments {
    const char *cases, *output, *tenant;
    bool with_documents;
};

struct output {
    const char *status;
    int64_t num_cases;
    const char *output;
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status), INTEGER(OWNER, num_cases),
                                             STRING(OWNER, output)};
#undef OWNER
static SCHEMA(output_schema, struct output, "BenchmarkOutput", output_fields);

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    const struct document_call call = {program->db, program->arena, arguments->tenant,
                                       &program->problem};
    const struct benchmark_plan plan = {
        .path = data_file_path(program->arena, &program->settings, arguments->cases),
        .with_documents = arguments->with_documents};
    const char *result;
    size_t count = 0;
    enum error error = benchmark_run(&call, &plan, &result, &count);

    if (!error)
        error = data_file_write(
            program->arena, data_file_path(program->arena, &program->settings, arguments->output),
            result, strlen(result), &program->problem);
    if (error)
        return batch_fail(program, EXIT_FAILED);
    batch_print(
        program, &output_schema,
        &(struct output){.status = "ok", .num_cases = (int64_t)count, .output = arguments->output});
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.cases = fixed_questions_path,
                                  .output = "evaluation/benchmark_results.json",
                                  .tenant = "default"};
    const struct batch_option options[] = {
        {.name = "--cases",
         .help = "The questions (evaluation/test_cases.json).",
         .text = &arguments.cases},
        {.name = "--with-docs",
         .help = "Against the documents they stand on.",
         .flag = &arguments.with_documents},
        {.name = "--output",
         .help = "Where the result goes (evaluation/benchmark_results.json).",
         .text = &arguments.output},
        {.name = "--tenant", .help = "Whose documents.", .text = &arguments.tenant}};
    const struct batch_plan plan = {.name = "offline-benchmark",
                                    .summary = "Measures the expected answers.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .failed = EXIT_FAILED,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
