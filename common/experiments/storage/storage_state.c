/* Reads the state of the database and counts rows. */
#include "experiments/storage/storage_state.h"
#include "base/schema.h"
#include "db/query.h"

#define OWNER struct storage_counts
static const struct field counts_fields[] = {
    INTEGER(OWNER, projects_total),
    INTEGER(OWNER, archived_projects_total),
    INTEGER(OWNER, analysis_runs_total),
    INTEGER(OWNER, export_events_total),
    INTEGER(OWNER, project_revisions_total),
    STRING(OWNER, latest_project_updated_at, .nullable = true),
};
#undef OWNER
static SCHEMA(counts_schema, struct storage_counts, "StorageCounts", counts_fields);

#define PROJECTS_COUNTED                                                                           \
    "SELECT (SELECT coalesce(sum(projects), 0) FROM project_totals WHERE archived = 0)"            \
    " AS projects_total, (SELECT coalesce(sum(projects), 0) FROM project_totals"                   \
    " WHERE archived = 1) AS archived_projects_total,"
#define NEWEST                                                                                     \
    " (SELECT max(newest) FROM"                                                                    \
    " (SELECT max(updated_at) AS newest FROM projects WHERE archived = 0"                          \
    " UNION ALL SELECT max(updated_at) FROM projects WHERE archived = 1) AS of_each) AS "          \
    "latest_project_updated_at"

/* A server adds up what projects know of their histories: their documents lie apart, and it would
 * read every row of a history to count it. SQLite has the documents between, and counts the
 * entries of an index. */
static const struct statement count_rows = {
    .name = "storage_count",
    .sqlite = PROJECTS_COUNTED
    " (SELECT count(*) FROM analysis_runs) AS analysis_runs_total,"
    " (SELECT count(*) FROM export_events) AS export_events_total,"
    " (SELECT count(*) FROM project_revisions) AS project_revisions_total," NEWEST,
    .postgres = PROJECTS_COUNTED
    " histories.runs AS analysis_runs_total, histories.exports AS export_events_total,"
    " histories.revisions AS project_revisions_total," NEWEST
    " FROM (SELECT coalesce(sum(analysis_run_count), 0) AS runs, coalesce(sum(export_event_count),"
    " 0) AS exports, coalesce(sum(revision_count), 0) AS revisions FROM projects) AS histories",
};

void storage_read_state(struct store *store, struct arena *arena, struct storage_state *state)
{
    struct db *db = store_handle(store);
    struct problem problem = {0};

    *state = (struct storage_state){.engine = db_engine(db)};
    db_health(db, &state->health);
    if (!state->health.reachable) {
        state->schema_detail = "unknown";
        return;
    }
    state->schema_known = !db_schema_state(db, store_schema(store), &state->schema, &problem);
    state->schema_detail = arena_copy_string(arena, problem.text);
}

enum error storage_count(struct db *db, struct arena *arena, struct storage_counts *counts,
                         struct problem *problem)
{
    struct query *query = db_query(db, &count_rows);

    *counts = (struct storage_counts){0};
    if (query_next(query))
        query_read(query, &counts_schema, counts, arena);
    return query_end(query, problem);
}
