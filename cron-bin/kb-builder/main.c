/*
 * Lets a model write drafts of documents from the tickets resolved in the last week.
 *
 *   kb-builder
 *
 * Exit codes: 0 done (also when another process does it), 1 failed, or no model can be reached, 2
 * invalid command line.
 */
#include "support/programs/batch.h"
#include "support/trends/article_generation.h"

#include <stdio.h>

enum { EXIT_DONE, EXIT_FAILED };

static void report_progress(size_t done, size_t of)
{
    fprintf(stderr, "\r%zu of %zu drafts%s", done, of, done == of ? "\n" : "");
}

struct output {
    const char *status;
    int64_t drafts_created;
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status), INTEGER(OWNER, drafts_created)};
#undef OWNER
static SCHEMA(output_schema, struct output, "DraftsCreated", output_fields);

static int run(struct batch_program *program)
{
    const struct trace_call call = {program->db, program->arena, "all", &program->problem};
    struct models *models = NULL;
    int64_t created = 0;
    enum error error = models_open(&program->settings, &models, &program->problem);

    if (!error)
        error = articles_generate(&call, &program->settings, models, report_progress, &created);
    if (models)
        models_close(models);
    if (error)
        return batch_fail(program, EXIT_FAILED);
    batch_print(program, &output_schema,
                &(struct output){.status = "ok", .drafts_created = created});
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    const struct batch_plan plan = {.name = "kb-builder",
                                    .summary = "Drafts documents out of resolved tickets.",
                                    .locks = true,
                                    .failed = EXIT_FAILED,
                                    .memory = (size_t)1 << 28,
                                    .run = run};

    return batch_main(argc, argv, &plan);
}
