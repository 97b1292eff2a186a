/*
 * Ranks the improvement backlog by the signals of a week; prints it as JSON, stores it for the
 * pages, writes it as Markdown, and sends it to TENANT_ADMIN_EMAIL with BACKLOG_EMAIL_ENABLED.
 *
 *   backlog-generate [--tenant all] [--week YYYY-Www] [--out PATH]     default: last week
 *
 * Exit codes: 0 done (also when another process does it), 1 failed, 2 invalid command line.
 */
#include "base/log.h"
#include "support/programs/batch.h"
#include "support/programs/email.h"
#include "support/trends/backlog.h"

#include <stdio.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };

struct arguments {
    const char *tenant, *week, *out;
};

static const char *subject_of(struct batch_program *program, const struct backlog *backlog)
{
    return arena_print(program->arena, "Improvement backlog — %s", backlog->week);
}

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    const struct trace_call call = {program->db, program->arena, arguments->tenant,
                                    &program->problem};
    const struct backlog_request request = {
        .settings = &program->settings, .week = arguments->week, .out = arguments->out};
    struct backlog backlog;
    enum error error = backlog_generate(&call, &request, &backlog);

    if (error)
        return batch_fail(program, error == ERROR_INVALID ? EXIT_USAGE : EXIT_FAILED);
    batch_print(program, &backlog_schema, &backlog.document);
    if (program->settings.backlog_mail &&
        email_tenant_admin(program->arena, &program->settings, subject_of(program, &backlog),
                           backlog.markdown, &program->problem))
        log_event(LOG_WARNING, "backlog_not_mailed", program->problem.text);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.tenant = "all"};
    const struct batch_option options[] = {
        {.name = "--tenant", .help = "One tenant, or `all`.", .text = &arguments.tenant},
        {.name = "--week", .help = "As 2026-W17 (the week before this).", .text = &arguments.week},
        {.name = "--out", .help = "The report, below DATA_DIR.", .text = &arguments.out}};
    const struct batch_plan plan = {.name = "backlog-generate",
                                    .summary = "Ranks what to improve next.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .locks = true,
                                    .failed = EXIT_FAILED,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
