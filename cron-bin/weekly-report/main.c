/*
 * Writes the weekly report of each tenant, and sends it if REPORT_CHATAPP_WEBHOOK or
 * REPORT_EMAIL_RECIPIENTS are set.
 *
 *   weekly-report [--tenant T] [--dry-run]     a dry run only prints the reports
 *
 * Exit codes: 0 done (also when another process does it), 1 one failed (the others are done), 2
 * invalid command line.
 */
#include "base/clock.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/programs/email.h"
#include "support/trends/week.h"
#include "support/trends/weekly.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_DONE, EXIT_FAILED, REPORT_MEMORY = 1 << 28 };

struct arguments {
    const char *tenant;
    bool rehearsal;
};

static enum error report(struct batch_program *program, struct arena *arena, const char *tenant,
                         int64_t now)
{
    const struct arguments *arguments = program->context;
    const struct trace_call call = {program->db, arena, tenant, &program->problem};
    const char *markdown, *path;
    enum error error = weekly_report(&call, &program->settings, now, &markdown);

    if (error)
        return error;
    if (arguments->rehearsal) {
        puts(markdown);
        return ERROR_NONE;
    }
    path = arena_print(arena, "reports/weekly/%s-%s.md", data_file_slug(arena, tenant),
                       week_date(arena, now));
    error = data_file_write(arena, data_file_path(arena, &program->settings, path), markdown,
                            strlen(markdown), &program->problem);
    if (!error)
        error = weekly_send(&call, &program->settings, markdown);
    return error ? error
                 : email_report_readers(arena, &program->settings,
                                        arena_print(arena, "Weekly report — %s",
                                                    week_date(arena, now - WEEK_MICROSECONDS)),
                                        markdown, &program->problem);
}

struct output {
    const char *status;
    int64_t processed;
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status), INTEGER(OWNER, processed)};
#undef OWNER
static SCHEMA(output_schema, struct output, "ReportsWritten", output_fields);

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    struct trace_call call = {program->db, program->arena, "", &program->problem};
    struct arena *arena = arena_create_below(program->arena, REPORT_MEMORY);
    const char *tenant = arguments->tenant;
    int64_t now = clock_unix_microseconds();
    size_t processed = 0, failed = 0;

    if (!tenant && weekly_next_tenant(&call, &tenant))
        return batch_fail(program, EXIT_FAILED);
    while (tenant) {
        if (report(program, arena, tenant, now)) {
            fprintf(stderr, "weekly-report: %s: %s\n", tenant, program->problem.text);
            failed++;
        } else {
            processed++;
        }
        arena_reset(arena);
        call.tenant = tenant;
        tenant = NULL;
        if (!arguments->tenant && weekly_next_tenant(&call, &tenant))
            return batch_fail(program, EXIT_FAILED);
    }
    if (!arguments->rehearsal)
        batch_print(program, &output_schema,
                    &(struct output){.status = "ok", .processed = (int64_t)processed});
    return failed ? EXIT_FAILED : EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.tenant = NULL};
    const struct batch_option options[] = {
        {.name = "--tenant", .help = "One tenant; everybody's.", .text = &arguments.tenant},
        {.name = "--dry-run", .help = "Print it, and nothing else.", .flag = &arguments.rehearsal}};
    const struct batch_plan plan = {.name = "weekly-report",
                                    .summary = "Writes the weekly report of each tenant.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .locks = true,
                                    .failed = EXIT_FAILED,
                                    .memory = (size_t)1 << 28,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
