/* SQL of snapshots: one project and one of its analyses, read in one transaction. */
#include "experiments/projects/snapshot_store.h"
#include "experiments/projects/project_rows.h"

static const struct statement read_project = {
    .name = "snapshot_project",
    .sql = "SELECT " PROJECT_COLUMNS PROJECT_DOCUMENT " FROM projects WHERE id = ?",
};
static const struct statement newest_run = {
    .name = "snapshot_newest_run",
    .sql = "SELECT id, project_id, created_at, analysis_json AS analysis FROM analysis_runs WHERE "
           "project_id = ?"
           " ORDER BY created_at DESC, id DESC LIMIT 1",
};
static const struct statement named_run = {
    .name = "snapshot_named_run",
    .sql = "SELECT id, project_id, created_at, analysis_json AS analysis FROM analysis_runs WHERE "
           "project_id = ?"
           " AND id = ?",
};

static enum error not_found(const struct project_call *call, const char *what)
{
    return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "%s not found", what);
}

static enum error unreadable(const struct project_call *call, const char *id)
{
    return problem_set(call->problem, ERROR_SYSTEM, "stored_document",
                       "project %s: a stored document cannot be read", id);
}

static enum error read_one_project(const struct project_call *call, const char *id,
                                   const struct snapshot_choice *choice,
                                   struct project_snapshot *snapshot)
{
    struct query *query = db_query(call->db, &read_project);
    enum error error;
    bool found;

    query_bind_text(query, id);
    found = query_next(query);
    if (found) {
        project_row(query, call->arena, &snapshot->project);
        if (snapshot->project.document)
            snapshot->payload = project_payload(snapshot->project.document, call->arena);
    }
    error = query_end(query, call->problem);
    if (error)
        return error;
    if (!found || (snapshot->project.is_archived && !choice->archived_too))
        return not_found(call, "Project");
    return snapshot->payload ? ERROR_NONE : unreadable(call, id);
}

static enum error read_run(const struct project_call *call, const char *id, const char *run_id,
                           struct analysis_run *run)
{
    struct query *query = db_query(call->db, run_id ? &named_run : &newest_run);
    enum error error;
    bool found;

    query_bind_text(query, id);
    if (run_id)
        query_bind_text(query, run_id);
    error = query_read_one(query, &analysis_run_schema, run, call->arena, &found, call->problem);
    if (error)
        return error;
    if (!found)
        return run_id ? not_found(call, "Analysis run") : ERROR_NONE;
    return ERROR_NONE;
}

enum error snapshot_read(const struct project_call *call, const char *id,
                         const struct snapshot_choice *choice, struct project_snapshot *snapshot)
{
    enum error error;

    *snapshot = (struct project_snapshot){0};
    if (!store_is_id(id))
        return not_found(call, "Project");
    error = db_begin(call->db, DB_READ, call->problem);
    if (error)
        return error;
    error = read_one_project(call, id, choice, snapshot);
    if (!error && choice->run_id && !store_is_id(choice->run_id))
        error = not_found(call, "Analysis run");
    if (!error)
        error = read_run(call, id, choice->run_id, &snapshot->run);
    return db_finish(call->db, error, call->problem);
}

enum error snapshot_read_analysed(const struct project_call *call, const char *id,
                                  bool archived_too, struct project_snapshot *snapshot)
{
    const struct snapshot_choice choice = {.archived_too = archived_too};
    enum error error = snapshot_read(call, id, &choice, snapshot);

    if (!error && !snapshot->run.id)
        return problem_set(call->problem, ERROR_NOT_FOUND, "not_found",
                           "Project %s has no saved analysis snapshot", id);
    return error;
}
