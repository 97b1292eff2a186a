/*
 * Imports verdicts from a file written by `review-export`. Skips cases that are no longer pending.
 *
 *   review-import PATH [--dry-run] [--confirm] [--tenant-override TENANT]
 *
 * REVIEWER_EMAIL names the reviewer. Exit codes: 0 done (also when nothing was confirmed), 1
 * failed, 2 invalid command line.
 */
#include "support/accounts/accounts.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/review/review_batch.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { ASK_ABOVE = 10, MEMORY = 256 * 1024 * 1024 };

struct arguments {
    const char *path, *tenant;
    bool dry_run, confirm;
};

static bool is_yes(struct batch_program *program, size_t count)
{
    char line[64];
    const char *answer;

    fprintf(stderr, "%zu verdicts would be applied. Go on? [y/N] ", count);
    if (!fgets(line, sizeof line, stdin))
        return false;
    answer = text_trimmed(program->arena, line, strlen(line));
    return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0;
}

struct output {
    const char *status;
    int64_t updated, skipped, errored;
    struct string_list warnings;
    bool dry_run;
    int64_t would_update;
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status),       INTEGER(OWNER, updated),
                                             INTEGER(OWNER, skipped),     INTEGER(OWNER, errored),
                                             STRINGS(OWNER, warnings),    BOOLEAN(OWNER, dry_run),
                                             INTEGER(OWNER, would_update)};
#undef OWNER
static SCHEMA(output_schema, struct output, "ReviewImported", output_fields);

static void print(struct batch_program *program, const char *status,
                  const struct review_imported *imported, bool dry_run)
{
    batch_print(program, &output_schema,
                &(struct output){.status = status,
                                 .updated = imported->updated,
                                 .skipped = imported->skipped,
                                 .errored = imported->errored,
                                 .warnings = imported->warnings,
                                 .dry_run = dry_run,
                                 .would_update = imported->would_update});
}

static enum error look_up(struct batch_program *program, struct accounts *accounts, const char **id)
{
    const char *email = program->settings.reviewer_email;
    struct accounts_call people;
    enum error error = accounts_prepare(accounts, &program->problem);

    if (!error)
        error = accounts_begin(accounts, program->arena, &program->problem, &people);
    return error ? error
                 : account_id(&people, text_trimmed(program->arena, email, strlen(email)), id);
}

static enum error find_reviewer(struct batch_program *program, const char **id)
{
    const struct support_settings *settings = &program->settings;
    struct accounts *accounts;
    enum error error = ERROR_NONE;

    *id = NULL;
    if (settings->reviewer_email)
        error = accounts_open(program->arena, &settings->accounts, settings->sql_directory,
                              settings->state_directory, NULL, &accounts, &program->problem);
    if (!error && settings->reviewer_email) {
        error = look_up(program, accounts, id);
        accounts_close(accounts);
    }
    if (error || *id)
        return error;
    return problem_set(&program->problem, ERROR_INVALID, "reviewer_unknown",
                       "REVIEWER_EMAIL must be the username of a person");
}

static int import(struct batch_program *program, const struct arguments *arguments,
                  const struct review_batch *batch)
{
    const struct trace_call call = {program->db, program->arena, NULL, &program->problem};
    struct review_imported imported;
    const char *reviewer;
    enum error error = find_reviewer(program, &reviewer);

    if (!error)
        error =
            review_import(&call, batch, arguments->tenant, reviewer, arguments->dry_run, &imported);
    if (error)
        return batch_fail(program, 1);
    review_show(program->db, program->arena, program->metrics);
    print(program, "ok", &imported, arguments->dry_run);
    return 0;
}

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    struct review_batch batch;
    char *bytes = NULL;
    size_t length = 0;
    enum error error =
        data_file_read(program->arena, arguments->path, &bytes, &length, &program->problem);

    if (!error)
        error = review_read_batch(program->arena, bytes, length, &batch, &program->problem);
    if (error)
        return batch_fail(program, 1);
    if (batch.actionable > ASK_ABOVE && !arguments->confirm && !is_yes(program, batch.actionable)) {
        print(program, "aborted", &(struct review_imported){.skipped = (int64_t)batch.actionable},
              arguments->dry_run);
        return 0;
    }
    return import(program, arguments, &batch);
}

int main(int argc, char **argv)
{
    struct arguments arguments = {NULL, NULL, false, false};
    const struct batch_option options[] = {
        {.name = "PATH",
         .help = "The file with verdicts.",
         .text = &arguments.path,
         .positional = true,
         .required = true},
        {.name = "--dry-run", .help = "Say what would be done.", .flag = &arguments.dry_run},
        {.name = "--confirm", .help = "Do not ask, however many.", .flag = &arguments.confirm},
        {.name = "--tenant-override",
         .help = "Look the cases up with this tenant.",
         .text = &arguments.tenant}};
    const struct batch_plan plan = {.name = "review-import",
                                    .summary = "Takes verdicts back from a file.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .failed = 1,
                                    .memory = MEMORY,
                                    .run = run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
