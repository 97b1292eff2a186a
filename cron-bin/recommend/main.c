/*
 * Writes the recommendations.
 *
 *   recommend [--tenant all] [--week YYYY-Www] [--out FILE] [--signals-json FILE]
 *
 * Prints their number and the path. Exit codes: 0 done (also when another process does it), 1
 * failed, 2 invalid command line.
 */
#include "base/clock.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/trends/recommend.h"
#include "support/trends/week.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };

struct arguments {
    const char *tenant, *week, *out, *signals;
};

static enum error read_signals(struct batch_program *program, const char **signals)
{
    const struct arguments *arguments = program->context;
    const struct trace_call call = {program->db, program->arena, arguments->tenant,
                                    &program->problem};
    char *bytes = NULL;
    size_t length;
    enum error error;

    if (!arguments->signals)
        return recommend_signals(&call, &program->settings, signals);
    error = data_file_read(program->arena, arguments->signals, &bytes, &length, &program->problem);
    *signals = bytes;
    return error;
}

static int run(struct batch_program *program)
{
    struct arguments *arguments = program->context;
    struct object_list rows;
    const char *signals, *markdown;
    int64_t start;
    enum error error;

    if (!arguments->week)
        arguments->week = week_of(program->arena, clock_unix_microseconds());
    if (!week_parse(arguments->week, &start)) {
        fprintf(stderr, "recommend: --week: week must be in YYYY-Www format\n");
        return EXIT_USAGE;
    }
    if (!arguments->out)
        arguments->out =
            arena_print(program->arena, "reports/recommendations/%s.md", arguments->week);
    error = read_signals(program, &signals);
    if (!error)
        error = recommend_from(program->arena, signals, &rows, &program->problem);
    if (error)
        return batch_fail(program, EXIT_FAILED);
    markdown = recommend_markdown(program->arena, arguments->week, &rows);
    if (data_file_write(program->arena,
                        data_file_path(program->arena, &program->settings, arguments->out),
                        markdown, strlen(markdown), &program->problem))
        return batch_fail(program, EXIT_FAILED);
    printf("%zu recommendations: %s\n", rows.count, arguments->out);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.tenant = "all"};
    const struct batch_option options[] = {
        {.name = "--tenant", .help = "One tenant, or `all`.", .text = &arguments.tenant},
        {.name = "--week", .help = "YYYY-Www; this one.", .text = &arguments.week},
        {.name = "--out", .help = "Where the report goes, below DATA_DIR.", .text = &arguments.out},
        {.name = "--signals-json",
         .help = "A file in place of what is known.",
         .text = &arguments.signals}};
    const struct batch_plan plan = {.name = "recommend",
                                    .summary = "Writes down what to do next.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .locks = true,
                                    .failed = EXIT_FAILED,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
