/*
 * Clusters the questions of the last week that the documents do not answer, and stores topics with
 * at least five questions.
 *
 *   kb-gaps
 *
 * Exit codes: 0 done (also when another process does it), 1 failed, 2 invalid command line.
 */
#include "support/programs/batch.h"
#include "support/trends/gaps.h"

enum { EXIT_DONE, EXIT_FAILED };

struct output {
    const char *status;
    int64_t questions, gaps_created, gaps_updated;
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status), INTEGER(OWNER, questions),
                                             INTEGER(OWNER, gaps_created),
                                             INTEGER(OWNER, gaps_updated)};
#undef OWNER
static SCHEMA(output_schema, struct output, "GapsBuilt", output_fields);

static int run(struct batch_program *program)
{
    const struct trace_call call = {program->db, program->arena, "all", &program->problem};
    struct gap_counts counts;

    if (gaps_build(&call, &counts))
        return batch_fail(program, EXIT_FAILED);
    batch_print(program, &output_schema,
                &(struct output){.status = "ok",
                                 .questions = counts.questions,
                                 .gaps_created = counts.created,
                                 .gaps_updated = counts.updated});
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
