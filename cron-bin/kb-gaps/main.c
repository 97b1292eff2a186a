/*
 * Takes together the questions of the last week that the documents do not answer, and notes topics
 * that were asked for five times or more.
 *
 *   kb-gaps
 *
 * Exit codes: 0 done (also when another one is at it), 1 failed, 2 the command line is wrong.
 */
#include "support/programs/batch.h"
#include "support/trends/gaps.h"

enum { EXIT_DONE, EXIT_FAILED };

static int run(struct batch_program *program)
{
    const struct trace_call call = {program->db, program->arena, "all", &program->problem};
    struct gap_counts counts;
    struct text text;
    struct json_writer writer;

    if (gaps_build(&call, &counts))
        return batch_fail(program, EXIT_FAILED);
    batch_open_object(program, &text, &writer);
    writer_key_string(&writer, "status", "ok");
    writer_key_integer(&writer, "questions", counts.questions);
    writer_key_integer(&writer, "gaps_created", counts.created);
    writer_key_integer(&writer, "gaps_updated", counts.updated);
    batch_print(&writer);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    const struct batch_plan plan = {.name = "kb-gaps",
                                    .summary = "Notes topics that people asked for in vain.",
                                    .locks = true,
                                    .failed = EXIT_FAILED,
                                    .run = run};

    return batch_main(argc, argv, &plan);
}
