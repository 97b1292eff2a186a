/* SQL of single projects. Lists and histories are in project_lists.c. */
#include "experiments/projects/project_store.h"
#include "crypto/token.h"
#include "db/query.h"
#include "experiments/audit/audit_store.h"
#include "experiments/projects/project_rows.h"
#include "experiments/projects/project_slug.h"
#include "experiments/projects/segment_uses.h"
#include "text/fold.h"

#include <string.h>

enum {
    FOLD_BATCH = 50,
    SORT_NAME_BYTES = 512, /* an index entry of PostgreSQL takes no more than 2704 */
};

const char *const export_format_names[EXPORT__MAX] = {"markdown", "html", "pdf"};
const char *const revision_source_names[REVISION__MAX] = {"create", "update", "workspace_import"};

static const struct statement insert_project = {
    .name = "project_insert",
    .sql = "INSERT INTO projects (id, project_name, payload_json, payload_schema_version,"
           " created_at, updated_at, name_folded, search_folded, hypothesis, metric_type,"
           " revision_count, last_revision_at, owner)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)",
};
static const struct statement read_project = {
    .name = "project_read",
    .sql = "SELECT " PROJECT_COLUMNS PROJECT_DOCUMENT " FROM projects WHERE id = ?",
};
static const struct statement lock_project = {
    .name = "project_lock",
    .sql = "SELECT " PROJECT_COLUMNS PROJECT_DOCUMENT " FROM projects WHERE id = ? {for_update}",
};
static const struct statement update_project = {
    .name = "project_update",
    .sql = "UPDATE projects SET project_name = ?, payload_json = ?, payload_schema_version = ?,"
           " updated_at = ?, name_folded = ?, search_folded = ?, hypothesis = ?, metric_type = ?,"
           " revision_count = revision_count + 1, last_revision_at = ? WHERE id = ?",
};
static const struct statement insert_revision = {
    .name = "revision_insert",
    .sql = "INSERT INTO project_revisions (id, project_id, number, payload_json, source,"
           " created_at) VALUES (?, ?, ?, ?, ?, ?)",
};
static const struct statement archive_project = {
    .name = "project_archive",
    .sql = "UPDATE projects SET archived = 1, archived_at = ?, updated_at = ? WHERE id = ?",
};
static const struct statement restore_project = {
    .name = "project_restore",
    .sql = "UPDATE projects SET archived = 0, archived_at = NULL, updated_at = ? WHERE id = ?",
};
static const struct statement delete_project = {
    .name = "project_delete",
    .sql = "DELETE FROM projects WHERE id = ?",
};
static const struct statement insert_run = {
    .name = "analysis_run_insert",
    .sql = "INSERT INTO analysis_runs (id, project_id, analysis_json, created_at, number)"
           " SELECT ?, id, ?, ?, analysis_run_count + 1 FROM projects WHERE id = ?",
};
static const struct statement note_run = {
    .name = "project_note_run",
    .sql = "UPDATE projects SET last_analysis_at = ?, last_analysis_run_id = ?,"
           " duration_days = ?, analysis_run_count = analysis_run_count + 1 WHERE id = ?",
};
static const struct statement find_run = {
    .name = "analysis_run_find",
    .sql = "SELECT 1 FROM analysis_runs WHERE id = ? AND project_id = ?",
};
static const struct statement insert_export = {
    .name = "export_event_insert",
    .sql = "INSERT INTO export_events (id, project_id, analysis_run_id, format, created_at, number)"
           " SELECT ?, id, ?, ?, ?, export_event_count + 1 FROM projects WHERE id = ?",
};
static const struct statement note_export = {
    .name = "project_note_export",
    .sql = "UPDATE projects SET last_exported_at = ?,"
           " export_event_count = export_event_count + 1 WHERE id = ?",
};
static const struct statement count_projects = {
    .name = "project_count_change",
    .sql = "INSERT INTO project_totals (archived, metric_type, shard, projects)"
           " VALUES (?, ?, ?, ?) ON CONFLICT (archived, metric_type, shard)"
           " DO UPDATE SET projects = project_totals.projects + excluded.projects",
};
static const struct statement unfolded_projects = {
    .name = "projects_unfolded",
    .sql = "SELECT id, payload_json FROM projects WHERE archived IN (0, 1) AND name_folded = ''"
           " AND search_folded = '' LIMIT ?",
};
static const struct statement fold_project = {
    .name = "project_fold",
    .sql = "UPDATE projects SET name_folded = ?, search_folded = ?"
           " WHERE id = ? AND search_folded = ''",
};

static const char *new_id(struct arena *arena)
{
    char *id = arena_alloc(arena, TOKEN_UUID_TEXT);

    token_uuid(id);
    return id;
}

/* The three texts that a search covers, one per line; never empty. */
const char *project_search_text(struct arena *arena, const struct experiment_payload *payload)
{
    return text_fold(arena, arena_print(arena, "%s\n%s\n%s", payload->project->project_name,
                                        payload->hypothesis->hypothesis_statement,
                                        payload->hypothesis->change_description));
}

/* What lists are sorted by: the beginning of the folded name. Names that differ only after that are
 * sorted by their age. */
const char *project_sort_name(struct arena *arena, const char *name)
{
    const char *folded = text_fold(arena, name);
    size_t length = strlen(folded);

    if (length <= SORT_NAME_BYTES)
        return folded;
    return arena_copy(arena, folded, utf8_valid_prefix(folded, SORT_NAME_BYTES));
}

/* The row of the counting table that a project is counted in. */
struct tally {
    bool archived;
    int metric_type; /* enum metric_type, -1 = unknown */
};

enum error project_count_change(const struct project_call *call, bool archived, int metric_type,
                                int64_t change)
{
    struct query *query = db_query(call->db, &count_projects);

    query_bind_boolean(query, archived);
    query_bind_text(query, metric_type < 0 ? "" : metric_type_names[metric_type]);
    query_bind_integer(query, store_shard(call->db));
    query_bind_integer(query, change);
    return query_end(query, call->problem);
}

static enum error count_change(const struct project_call *call, struct tally tally, int64_t change)
{
    return project_count_change(call, tally.archived, tally.metric_type, change);
}

/* Always locks the same row first, so that two processes never deadlock. */
static enum error count_move(const struct project_call *call, struct tally from, struct tally to)
{
    bool up = from.archived < to.archived ||
              (from.archived == to.archived && from.metric_type < to.metric_type);
    enum error error;

    if (from.archived == to.archived && from.metric_type == to.metric_type)
        return ERROR_NONE;
    error = up ? count_change(call, from, -1) : count_change(call, to, 1);
    if (error)
        return error;
    return up ? count_change(call, to, 1) : count_change(call, from, -1);
}

static enum error record(const struct project_call *call, const char *action, const char *id,
                         const char *name, const char *diff)
{
    const struct audit_event event = {
        .action = action, .project_id = id, .project_name = name, .diff = diff};

    if (!call->actor)
        return ERROR_NONE;
    return audit_record(call->db, call->arena, call->actor, &event, call->problem);
}

static enum error add_revision(const struct project_call *call, const char *project_id,
                               int64_t number, const char *payload, enum revision_source source,
                               const char *now)
{
    struct query *query = db_query(call->db, &insert_revision);

    query_bind_text(query, new_id(call->arena));
    query_bind_text(query, project_id);
    query_bind_integer(query, number);
    query_bind_json(query, payload);
    query_bind_text(query, revision_source_names[source]);
    query_bind_text(query, now);
    return query_end(query, call->problem);
}

static enum error unknown(const struct project_call *call, const char *reason)
{
    return problem_set(call->problem, ERROR_NOT_FOUND, reason, "Project not found");
}

/* Reads the row, for update inside a transaction. The document is NULL when it cannot be read. */
static enum error fetch_row(const struct project_call *call, const struct statement *statement,
                            const char *id, const char *reason, struct project *project)
{
    struct query *query;
    enum error error;
    bool found;

    if (!store_is_id(id))
        return unknown(call, reason);
    query = db_query(call->db, statement);
    query_bind_text(query, id);
    found = query_next(query);
    if (found) {
        project_row(query, call->arena, project);
        if (project->document)
            project->document = project_document(project->document, call->arena);
    }
    error = query_end(query, call->problem);
    return error || found ? error : unknown(call, reason);
}

static enum error fetch(const struct project_call *call, const struct statement *statement,
                        const char *id, const char *reason, struct project *project)
{
    enum error error = fetch_row(call, statement, id, reason, project);

    if (!error && !project->document)
        return problem_set(call->problem, ERROR_SYSTEM, "stored_document",
                           "project %s: its stored payload cannot be read", id);
    return error;
}

bool project_names_version(const char *list, const char *version)
{
    static const char separators[] = ", \t";
    size_t length = strlen(version);

    while (*(list += strspn(list, separators))) {
        size_t size = strcspn(list, separators);
        const char *tag = list;

        list += size;
        if (size > 2 && strncmp(tag, "W/", 2) == 0)
            tag += 2, size -= 2;
        if (size > 2 && tag[0] == '"' && tag[size - 1] == '"')
            tag += 1, size -= 2;
        if (size == length && memcmp(tag, version, size) == 0)
            return true;
    }
    return false;
}

static enum error check_match(const struct project_call *call, const char *if_match,
                              const struct project *project)
{
    if (!if_match || strcmp(if_match, "*") == 0 ||
        project_names_version(if_match, project->updated_at))
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_CONFLICT, "project_conflict",
                       "The project has changed since it was read: it was updated at %s",
                       project->updated_at);
}

/* Locks the row of a project that may be changed. */
static enum error lock_active(const struct project_call *call, const char *id, const char *if_match,
                              struct project *project)
{
    enum error error = fetch(call, &lock_project, id, "project_not_found", project);

    if (!error && project->is_archived)
        return problem_set(call->problem, ERROR_INVALID, "project_archived",
                           "Project is archived; restore it first");
    return error ? error : check_match(call, if_match, project);
}

/* Locks the row of any project, its payload readable or not. */
static enum error lock_any(const struct project_call *call, const char *id, const char *if_match,
                           struct project *project)
{
    enum error error = fetch_row(call, &lock_project, id, "not_found", project);

    return error ? error : check_match(call, if_match, project);
}

/* A new project, prepared before the transaction begins, because other processes wait during it. */
struct new_project {
    const struct experiment_payload *payload;
    const char *id;
    const char *name;
    const char *document;
    const char *sort_name;
    const char *search_text;
    const char *hypothesis;
    int metric_type;
};

static struct new_project prepare(const struct project_call *call,
                                  const struct experiment_payload *payload)
{
    const char *name = payload->project->project_name;

    return (struct new_project){.payload = payload,
                                .id = new_id(call->arena),
                                .name = name,
                                .document = payload_to_json(payload, call->arena),
                                .sort_name = project_sort_name(call->arena, name),
                                .search_text = project_search_text(call->arena, payload),
                                .hypothesis = payload->hypothesis->hypothesis_statement,
                                .metric_type = payload->metrics->metric_type};
}

static enum error insert(const struct project_call *call, const struct new_project *new,
                         const char *now)
{
    struct query *query = db_query(call->db, &insert_project);
    enum error error;

    query_bind_text(query, new->id);
    query_bind_text(query, new->name);
    query_bind_json(query, new->document);
    query_bind_integer(query, PAYLOAD_SCHEMA_VERSION);
    query_bind_text(query, now);
    query_bind_text(query, now);
    query_bind_text(query, new->sort_name);
    query_bind_text(query, new->search_text);
    query_bind_text(query, new->hypothesis);
    query_bind_text(query, metric_type_names[new->metric_type]);
    query_bind_text(query, now);
    query_bind_text(query, call->actor ? call->actor->name : NULL);
    error = query_end(query, call->problem);
    if (!error)
        error = add_revision(call, new->id, 1, new->document, REVISION_CREATE, now);
    if (!error) /* may wait for the segments, so before what others wait for */
        error = project_note_uses(call, new->id, new->payload, NULL);
    if (!error)
        error = project_add_slug(call->db, call->arena, new->id, new->name, call->problem);
    if (!error)
        error = count_change(call, (struct tally){false, new->metric_type}, 1);
    return error ? error : record(call, "project.create", new->id, new->name, NULL);
}

/* What a reader of the row would find. */
static struct project as_stored(const struct new_project *new, const char *now)
{
    return (struct project){.id = new->id,
                            .project_name = new->name,
                            .payload_schema_version = PAYLOAD_SCHEMA_VERSION,
                            .revision_count = 1,
                            .last_revision_at = now,
                            .created_at = now,
                            .updated_at = now,
                            .document = new->document,
                            .hypothesis = new->hypothesis,
                            .metric_type = new->metric_type};
}

enum error project_create(const struct project_call *call, const struct experiment_payload *payload,
                          struct project *project)
{
    const struct new_project new = prepare(call, payload);
    const char *now;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    now = store_now(call->arena);
    error = insert(call, &new, now);
    *project = as_stored(&new, now);
    return db_finish(call->db, error, call->problem);
}

enum error project_read(const struct project_call *call, const char *id, struct project *project)
{
    enum error error = fetch(call, &read_project, id, "not_found", project);

    if (!error && project->is_archived)
        return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Project not found");
    return error;
}

static const char *difference(const struct project_call *call, const char *before,
                              const char *after)
{
    struct json_fault fault;
    json_t *old, *new;

    if (json_read(call->arena, before, strlen(before), JSON_DEPTH_LIMIT, &old, &fault) ||
        json_read(call->arena, after, strlen(after), JSON_DEPTH_LIMIT, &new, &fault))
        return NULL;
    return audit_diff(call->arena, old, new);
}

/* The parts of a new design that do not depend on stored data: prepared before any lock is
 * taken. */
struct replacement {
    const struct experiment_payload *payload;
    const char *document;
    const char *sort_name;
    const char *search_text;
};

static enum error replace(const struct project_call *call, const struct project *before,
                          const struct replacement *new)
{
    struct query *query = db_query(call->db, &update_project);
    const struct experiment_payload *payload = new->payload;
    const char *document = new->document;
    const char *name = payload->project->project_name;
    const char *now = store_later(call->arena, before->updated_at);
    int metric_type = payload->metrics->metric_type;
    enum error error;

    query_bind_text(query, name);
    query_bind_json(query, document);
    query_bind_integer(query, PAYLOAD_SCHEMA_VERSION);
    query_bind_text(query, now);
    query_bind_text(query, new->sort_name);
    query_bind_text(query, new->search_text);
    query_bind_text(query, payload->hypothesis->hypothesis_statement);
    query_bind_text(query, metric_type_names[metric_type]);
    query_bind_text(query, now);
    query_bind_text(query, before->id);
    error = query_end(query, call->problem);
    if (!error)
        error = add_revision(call, before->id, before->revision_count + 1, document,
                             REVISION_UPDATE, now);
    if (!error) /* likewise */
        error = project_note_uses(call, before->id, payload,
                                  project_payload(before->document, call->arena));
    if (!error)
        error = count_move(call, (struct tally){false, before->metric_type},
                           (struct tally){false, metric_type});
    if (error)
        return error;
    return record(call, "project.update", before->id, name,
                  difference(call, before->document, document));
}

enum error project_update(const struct project_call *call, const char *id, const char *if_match,
                          const struct experiment_payload *payload, struct project *project)
{
    const struct replacement new = {
        .payload = payload,
        .document = payload_to_json(payload, call->arena),
        .sort_name = project_sort_name(call->arena, payload->project->project_name),
        .search_text = project_search_text(call->arena, payload)};
    struct project before;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = lock_active(call, id, if_match, &before);
    if (!error)
        error = replace(call, &before, &new);
    if (!error)
        error = fetch(call, &read_project, id, "project_not_found", project);
    return db_finish(call->db, error, call->problem);
}

static enum error mark_archived(const struct project_call *call, const struct project *project,
                                const char *now)
{
    struct query *query = db_query(call->db, &archive_project);
    enum error error;

    query_bind_text(query, now);
    query_bind_text(query, now);
    query_bind_text(query, project->id);
    error = query_end(query, call->problem);
    return error ? error
                 : count_move(call, (struct tally){false, project->metric_type},
                              (struct tally){true, project->metric_type});
}

enum error project_archive(const struct project_call *call, const char *id, const char *if_match,
                           const char **archived_at)
{
    struct project project;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = lock_any(call, id, if_match, &project);
    if (!error) {
        *archived_at = project.is_archived ? project.archived_at
                                           : store_later(call->arena, project.updated_at);
        if (!project.is_archived)
            error = mark_archived(call, &project, *archived_at);
    }
    if (!error)
        error = record(call, "project.archive", id, project.project_name, NULL);
    return db_finish(call->db, error, call->problem);
}

static enum error mark_restored(const struct project_call *call, const struct project *project)
{
    struct query *query = db_query(call->db, &restore_project);
    enum error error;

    query_bind_text(query, store_later(call->arena, project->updated_at));
    query_bind_text(query, project->id);
    error = query_end(query, call->problem);
    return error ? error
                 : count_move(call, (struct tally){true, project->metric_type},
                              (struct tally){false, project->metric_type});
}

enum error project_restore(const struct project_call *call, const char *id, const char *if_match,
                           struct project *project)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = lock_any(call, id, if_match, project);
    if (!error && project->is_archived)
        error = mark_restored(call, project);
    if (!error)
        error = record(call, "project.restore", id, project->project_name, NULL);
    if (!error)
        error = fetch(call, &read_project, id, "not_found", project);
    return db_finish(call->db, error, call->problem);
}

enum error project_delete(const struct project_call *call, const char *id, const char *if_match)
{
    struct project project;
    struct query *query;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = lock_any(call, id, if_match, &project);
    if (!error) {
        query = db_query(call->db, &delete_project);
        query_bind_text(query, id);
        error = query_end(query, call->problem);
    }
    if (!error)
        error = count_change(call, (struct tally){project.is_archived, project.metric_type}, -1);
    if (!error)
        error = record(call, "project.delete", id, project.project_name, NULL);
    return db_finish(call->db, error, call->problem);
}

static enum error add_run(const struct project_call *call, const struct project *project,
                          const struct analysis_payload *analysis)
{
    const char *run_id = new_id(call->arena);
    const char *now = store_later(call->arena, project->last_analysis_at);
    struct query *query = db_query(call->db, &insert_run);
    enum error error;

    query_bind_text(query, run_id);
    query_bind_json(query, analysis_to_json(analysis, call->arena));
    query_bind_text(query, now);
    query_bind_text(query, project->id);
    error = query_end(query, call->problem);
    if (error)
        return error;
    query = db_query(call->db, &note_run);
    query_bind_text(query, now);
    query_bind_text(query, run_id);
    query_bind_integer(query, analysis->report->calculations->estimated_duration_days);
    query_bind_text(query, project->id);
    error = query_end(query, call->problem);
    return error ? error
                 : record(call, "analysis_run_created", project->id, project->project_name, NULL);
}

enum error project_add_analysis(const struct project_call *call, const char *id,
                                const struct analysis_payload *analysis, struct project *project)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = lock_active(call, id, NULL, project);
    if (!error)
        error = add_run(call, project, analysis);
    if (!error)
        error = fetch(call, &read_project, id, "project_not_found", project);
    return db_finish(call->db, error, call->problem);
}

static enum error check_run(const struct project_call *call, const char *run_id,
                            const char *project_id)
{
    struct query *query = db_query(call->db, &find_run);
    enum error error;
    bool found;

    query_bind_text(query, run_id);
    query_bind_text(query, project_id);
    found = query_next(query);
    error = query_end(query, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_INVALID, "analysis_run_not_found",
                       "analysis_run_id is not a run of this project");
}

static enum error add_event(const struct project_call *call, const struct project *project,
                            enum export_format format, const char *run_id)
{
    const char *now = store_later(call->arena, project->last_exported_at);
    struct query *query = db_query(call->db, &insert_export);
    enum error error;

    query_bind_text(query, new_id(call->arena));
    query_bind_text(query, run_id);
    query_bind_text(query, export_format_names[format]);
    query_bind_text(query, now);
    query_bind_text(query, project->id);
    error = query_end(query, call->problem);
    if (error)
        return error;
    query = db_query(call->db, &note_export);
    query_bind_text(query, now);
    query_bind_text(query, project->id);
    error = query_end(query, call->problem);
    return error ? error : record(call, "export_created", project->id, project->project_name, NULL);
}

enum error project_add_export(const struct project_call *call, const char *id,
                              enum export_format format, const char *analysis_run_id,
                              struct project *project)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = lock_active(call, id, NULL, project);
    if (!error && analysis_run_id)
        error = check_run(call, analysis_run_id, id);
    if (!error)
        error = add_event(call, project, format, analysis_run_id);
    if (!error)
        error = fetch(call, &read_project, id, "project_not_found", project);
    return db_finish(call->db, error, call->problem);
}

static enum error fold_one(struct db *db, struct arena *arena, const char *id, const char *document,
                           struct problem *problem)
{
    const struct experiment_payload *payload = project_payload(document, arena);
    struct query *query = db_query(db, &fold_project);

    query_bind_text(query, payload ? project_sort_name(arena, payload->project->project_name)
                                   : "(unreadable)");
    query_bind_text(query, payload ? project_search_text(arena, payload) : "(unreadable)");
    query_bind_text(query, id);
    return query_end(query, problem);
}

static enum error find_unfolded(struct db *db, struct arena *arena, const char **ids,
                                const char **documents, int *count, struct problem *problem)
{
    struct query *query = db_query(db, &unfolded_projects);

    query_bind_integer(query, FOLD_BATCH);
    for (*count = 0; *count < FOLD_BATCH && query_next(query); (*count)++) {
        ids[*count] = query_text(query, 0, arena);
        documents[*count] = query_json(query, 1, arena);
    }
    return query_end(query, problem);
}

/* Folds the names of one batch; `count` is their number. Rows that another worker has folded or
 * changed meanwhile stay unchanged. */
static enum error fold_batch(struct db *db, struct arena *arena, int *count,
                             struct problem *problem)
{
    const char *ids[FOLD_BATCH], *documents[FOLD_BATCH];
    enum error error = find_unfolded(db, arena, ids, documents, count, problem);

    if (error || *count == 0)
        return error;
    error = db_begin(db, DB_WRITE, problem);
    if (error)
        return error;
    for (int i = 0; !error && i < *count; i++)
        error = fold_one(db, arena, ids[i], documents[i], problem);
    return db_finish(db, error, problem);
}

enum error project_fold_missing(struct db *db, struct problem *problem)
{
    struct arena *arena = arena_create((size_t)1 << 30);
    enum error error = ERROR_NONE;
    int count = 1;

    if (!arena)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    while (!error && count > 0) {
        error = fold_batch(db, arena, &count, problem);
        arena_reset(arena);
    }
    arena_destroy(arena);
    return error;
}
