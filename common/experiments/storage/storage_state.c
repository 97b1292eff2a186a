/* Looking at the database from outside its tables, and counting what is in them. */
#include "experiments/storage/storage_state.h"
#include "db/query.h"

#define PROJECTS_COUNTED                                                                           \
    "SELECT (SELECT coalesce(sum(projects), 0) FROM project_totals WHERE archived = 0),"           \
    " (SELECT coalesce(sum(projects), 0) FROM project_totals WHERE archived = 1),"
#define NEWEST                                                                                     \
    " (SELECT max(newest) FROM"                                                                    \
    " (SELECT max(updated_at) AS newest FROM projects WHERE archived = 0"                          \
    " UNION ALL SELECT max(updated_at) FROM projects WHERE archived = 1) AS of_each)"

/* A server adds up what projects know of their histories: their documents lie apart, and it would
 * read every row of a history to count it. SQLite has the documents between, and counts the
 * entries of an index. */
static const struct statement count_rows = {
    .name = "storage_count",
    .sqlite = PROJECTS_COUNTED
    " (SELECT count(*) FROM analysis_runs), (SELECT count(*) FROM export_events),"
    " (SELECT count(*) FROM project_revisions)," NEWEST,
    .postgres = PROJECTS_COUNTED
    " histories.runs, histories.exports, histories.revisions," NEWEST
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
        *counts = (struct storage_counts){.projects_total = query_integer(query, 0),
                                          .archived_projects_total = query_integer(query, 1),
                                          .analysis_runs_total = query_integer(query, 2),
                                          .export_events_total = query_integer(query, 3),
                                          .project_revisions_total = query_integer(query, 4),
                                          .latest_project_updated_at =
                                              query_text_or_null(query, 5, arena)};
    return query_end(query, problem);
}
