/*
 * Has drafts of documents written out of the tickets that were resolved in the last week.
 *
 *   kb-builder
 *
 * Exit codes: 0 done (also when another one is at it), 1 failed, or no model can be reached, 2 the
 * command line is wrong.
 */
#include "support/programs/batch.h"
#include "support/trends/article_generation.h"

#include <stdio.h>

enum { EXIT_DONE, EXIT_FAILED };

static void tell(size_t done, size_t of)
{
    fprintf(stderr, "\r%zu of %zu drafts%s", done, of, done == of ? "\n" : "");
}

static int run(struct batch_program *program)
{
    const struct trace_call call = {program->db, program->arena, "all", &program->problem};
    struct models *models = NULL;
    struct text text;
    struct json_writer writer;
    int64_t created = 0;
    enum error error = models_open(&program->settings, &models, &program->problem);

    if (!error)
        error = articles_generate(&call, &program->settings, models, tell, &created);
    if (models)
        models_close(models);
    if (error)
        return batch_fail(program, EXIT_FAILED);
    batch_open_object(program, &text, &writer);
    writer_key_string(&writer, "status", "ok");
    writer_key_integer(&writer, "drafts_created", created);
    batch_print(&writer);
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
