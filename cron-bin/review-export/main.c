/*
 * Exports review cases into a file, one object per line, for offline review and `review-import`. It
 * contains customers' texts: only its owner can read it.
 *
 *   review-export [--status pending] [--tenant all] [--limit 50] [--out FILE]
 *
 * Exit codes: 0 done, 1 failed, 2 invalid command line.
 */
#include "base/clock.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/review/review_batch.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH_MAX = 48 * 1024 * 1024, MEMORY = 256 * 1024 * 1024 };

struct arguments {
    const char *status, *tenant, *out;
    int64_t limit;
};

static bool is_any(const char *text)
{
    return !*text || strcmp(text, "*") == 0 || strcmp(text, "all") == 0;
}

static const char *default_path(struct batch_program *program, int64_t now)
{
    return data_file_path(program->arena, &program->settings,
                          arena_print(program->arena, ".review_local/review_batch_%s.jsonl",
                                      data_file_stamp(program->arena, now)));
}

static const char *absolute(struct batch_program *program, const char *path)
{
    char *whole = realpath(path, NULL);
    const char *kept = whole ? arena_copy_string(program->arena, whole) : path;

    free(whole);
    return kept;
}

static enum error export_cases(struct batch_program *program, const struct arguments *arguments,
                               const char *path, const char *exported_at, int64_t *count)
{
    const char *slash = strrchr(path, '/');
    const struct trace_call call = {program->db, program->arena,
                                    is_any(arguments->tenant) ? NULL : arguments->tenant,
                                    &program->problem};
    const struct review_filter filter = {
        .status = is_any(arguments->status) ? "" : arguments->status,
        .reason = "",
        .limit = arguments->limit < 1                 ? 1
                 : arguments->limit > REVIEW_LIST_MAX ? REVIEW_LIST_MAX
                                                      : arguments->limit};
    struct text text;
    enum error error;

    text_start(&text, program->arena, BATCH_MAX);
    text_append_format(&text,
                       "# review_batch exported %s - fill the review object on each line, then "
                       "run: review-import %s\n",
                       exported_at, slash ? slash + 1 : path);
    error = review_export(&call, &filter, exported_at, &text, count);
    return error
               ? error
               : data_file_write(program->arena, path, text.bytes, text.length, &program->problem);
}

struct output {
    const char *status;
    int64_t count;
    const char *out, *exported_at;
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status), INTEGER(OWNER, count),
                                             STRING(OWNER, out), STRING(OWNER, exported_at)};
#undef OWNER
static SCHEMA(output_schema, struct output, "ReviewExported", output_fields);

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    int64_t now = clock_unix_microseconds(), count = 0;
    const char *exported_at = batch_time(program->arena, now),
               *path = arguments->out ? arguments->out : default_path(program, now);

    if (export_cases(program, arguments, path, exported_at, &count))
        return batch_fail(program, 1);
    batch_print(program, &output_schema,
                &(struct output){.status = "ok",
                                 .count = count,
                                 .out = absolute(program, path),
                                 .exported_at = exported_at});
    return 0;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {"pending", "all", NULL, 50};
    const struct batch_option options[] = {
        {.name = "--status",
         .help = "pending, another status, or `all`.",
         .text = &arguments.status},
        {.name = "--tenant", .help = "One tenant, or `all`.", .text = &arguments.tenant},
        {.name = "--limit",
         .help = "Cases, 1 to 500 (50).",
         .integer = &arguments.limit,
         .least = INT64_MIN},
        {.name = "--out", .help = "The file; a new one below DATA_DIR.", .text = &arguments.out}};
    const struct batch_plan plan = {.name = "review-export",
                                    .summary = "Writes cases for review into a file.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .failed = 1,
                                    .memory = MEMORY,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
