/*
 * Creates the demonstration of the support service in the language of SUPPORT_DEMO_LANGUAGE:
 * documents, cases, and a week of conversations. nginx/stack runs it at the start when that setting
 * is set. What exists is kept.
 *
 *   support-demo [--language TAG]
 *
 * Exit codes: 0 done, 1 failed, 2 invalid command line.
 */
#include "i18n/i18n.h"
#include "support/demo/demo_week.h"
#include "support/programs/batch.h"
#include "support/regression/engine.h"
#include "support/review/review_store.h"
#include "support/trends/gaps.h"

#include <stdio.h>
#include <stdlib.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, DAYS = 8 };

struct arguments {
    const char *language;
};

struct output {
    const char *status;
    int64_t documents, conversations; /* added ones */
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status), INTEGER(OWNER, documents),
                                             INTEGER(OWNER, conversations)};
#undef OWNER
static SCHEMA(output_schema, struct output, "DemoMade", output_fields);

static enum error add_documents(const struct demo_call *call, const struct demo_support *demo,
                                int64_t *count)
{
    const struct demo_document *documents = demo->documents.items;
    enum error error = ERROR_NONE;
    bool written = false;

    for (size_t i = 0; i < demo->documents.count && !error; i++) {
        error = demo_add_document(call, &documents[i], false, &written);
        *count += written;
    }
    if (error)
        return error;
    error = demo_add_manual(call, demo->manual, &written);
    *count += written;
    return error;
}

static enum error add_week(struct batch_program *program, const struct demo_call *call,
                           const struct demo_support *demo, int64_t *count)
{
    struct regression_tools tools;
    enum error error = engine_open(program->arena, &program->settings, &tools, &program->problem);

    if (!error)
        error = demo_add_week(call, &tools, demo, count);
    engine_close(&tools);
    return error;
}

/* What the programs of the schedule would have found in that week. */
static enum error evaluate_week(struct batch_program *program)
{
    const struct trace_call call = {program->db, program->arena, "default", &program->problem};
    struct review_built built;
    struct gap_counts gaps;
    enum error error = review_build(&call, &program->settings, DAYS, &built);

    return error ? error : gaps_build(&call, &gaps);
}

static enum error make(struct batch_program *program, const struct demo_files *files,
                       struct output *output)
{
    const struct document_call documents = {program->db, program->arena, "default",
                                            &program->problem};
    const struct demo_call call = {&documents, &program->settings, files};
    const char *locales = getenv("ASSAY_LOCALES_DIR");
    struct demo_support demo;
    enum error error = demo_support_read(program->arena, files, &demo, &program->problem);

    if (!error)
        error = locale_open_catalogues(locales ? locales : "locales", &program->problem);
    if (!error)
        error = add_documents(&call, &demo, &output->documents);
    if (!error)
        error = demo_add_cases(&call, &demo, false);
    if (!error)
        error = add_week(program, &call, &demo, &output->conversations);
    if (!error && output->conversations)
        error = evaluate_week(program);
    locale_close_catalogues();
    return error;
}

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    const struct demo_files files = {program->settings.sql_directory,
                                     arguments->language ? arguments->language
                                                         : program->settings.demo_language};
    struct output output = {.status = "ok"};

    if (!files.language) {
        fprintf(stderr, "%s: SUPPORT_DEMO_LANGUAGE is not set\n", program->name);
        return EXIT_USAGE;
    }
    if (make(program, &files, &output))
        return batch_fail(program, EXIT_FAILED);
    batch_print(program, &output_schema, &output);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {0};
    const struct batch_option options[] = {
        {.name = "--language",
         .help = "A folder of config/demo, instead of SUPPORT_DEMO_LANGUAGE.",
         .text = &arguments.language}};
    const struct batch_plan plan = {.name = "support-demo",
                                    .summary = "Creates the demonstration's documents and "
                                               "conversations.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .failed = EXIT_FAILED,
                                    .memory = (size_t)1 << 29,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
