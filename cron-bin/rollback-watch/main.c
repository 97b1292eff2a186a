/*
 * Rolls back a deployed experiment whose answers are worse than those without it, and one with a
 * share of live traffic that is harmful by the decision of the experiments service, if
 * AUTO_ROLLBACK_ENABLED is set.
 *
 *   rollback-watch
 *
 * Prints the findings for each deployment, and sends a mail about rollbacks to TENANT_ADMIN_EMAIL.
 * Exit codes: 0 done, 1 failed, 2 invalid command line.
 */
#include "base/log.h"
#include "support/candidates/split_report.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/programs/email.h"

#include <stdio.h>

enum { LOCK_WAIT_MS = 5000 };

#define OWNER struct watch_finding
static const struct field finding_fields[] = {STRING(OWNER, experiment_id), STRING(OWNER, reason),
                                              NUMBER(OWNER, drop_pct),
                                              STRING(OWNER, worst_evaluator, .nullable = true)};
#undef OWNER
static SCHEMA(finding_schema, struct watch_finding, "RollbackFinding", finding_fields);

static void write_findings(struct batch_program *program, struct json_writer *writer,
                           const struct object_list *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct watch_finding *finding = &((const struct watch_finding *)findings->items)[i];

        schema_write(writer, &finding_schema, finding);
        if (finding->rolled_back)
            metric_add(program->metrics, METRIC_ROLLBACKS,
                       (const char *const[]){finding->experiment_id, finding->reason}, 1);
    }
}

/* Sends a mail about each rollback. A failed mail has no effect. */
static void notify(struct batch_program *program, const struct object_list *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct watch_finding *finding = &((const struct watch_finding *)findings->items)[i];

        if (finding->rolled_back &&
            email_tenant_admin(
                program->arena, &program->settings,
                arena_print(program->arena, "Rolled back: %s", finding->experiment_id),
                arena_print(program->arena, "The experiment %s was taken back by itself: %s.\n",
                            finding->experiment_id, finding->reason),
                &program->problem))
            log_event(LOG_WARNING, "rollback_not_mailed", program->problem.text);
    }
}

static void print(struct batch_program *program, const struct object_list *deployed,
                  const struct object_list *splits)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, program->arena, 1 << 20);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    write_findings(program, &writer, deployed);
    write_findings(program, &writer, splits);
    writer_close_array(&writer);
    puts(text.bytes);
}

static int run(struct batch_program *program)
{
    const struct candidate_call call = {program->db, program->arena, &program->settings,
                                        &program->problem};
    struct object_list deployed = {0, NULL}, splits = {0, NULL};
    struct arena_guard *lock = NULL;
    enum error error = ERROR_NONE;

    if (program->settings.auto_rollback)
        error = data_file_lock(program->arena, &program->settings, candidates_lock, LOCK_WAIT_MS,
                               &lock, &program->problem);
    if (!error && program->settings.auto_rollback)
        error = candidate_watch(&call, &deployed);
    if (!error && program->settings.auto_rollback)
        error = split_watch(&call, &splits);
    data_file_unlock(lock);
    if (error)
        return batch_fail(program, 1);
    print(program, &deployed, &splits);
    notify(program, &deployed);
    notify(program, &splits);
    return 0;
}

int main(int argc, char **argv)
{
    const struct batch_plan plan = {.name = "rollback-watch",
                                    .summary = "Takes back deployed experiments that harm.",
                                    .locks = true,
                                    .failed = 1,
                                    .run = run};

    return batch_main(argc, argv, &plan);
}
