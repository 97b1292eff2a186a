/* Imports a bundle: adds all records in one transaction, under new ids unless they are to be kept;
 * a metric that the catalog has is used as it is. */
#include "base/timestamp.h"
#include "crypto/token.h"
#include "experiments/audit/audit_store.h"
#include "experiments/projects/project_rows.h"
#include "experiments/projects/segment_uses.h"
#include "experiments/workspace/import_flags.h"
#include "experiments/workspace/import_metrics.h"
#include "experiments/workspace/workspace_store.h"

#include <stdlib.h>
#include <string.h>

static const struct statement insert_project = {
    .name = "workspace_project",
    .sql = "INSERT INTO projects (id, project_name, payload_json, payload_schema_version,"
           " archived_at, last_analysis_at, last_analysis_run_id, last_exported_at, created_at,"
           " updated_at, archived, name_folded, search_folded, hypothesis, metric_type,"
           " revision_count, last_revision_at, analysis_run_count, export_event_count)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (id) DO NOTHING",
};
static const struct statement insert_run = {
    .name = "workspace_run",
    .sql = "INSERT INTO analysis_runs (id, project_id, analysis_json, created_at, number)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
};
static const struct statement note_duration = {
    .name = "workspace_duration",
    .sql = "UPDATE projects SET duration_days = ? WHERE id = ? AND last_analysis_run_id = ?",
};
static const struct statement insert_event = {
    .name = "workspace_event",
    .sql = "INSERT INTO export_events (id, project_id, analysis_run_id, format, created_at, number)"
           " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
};
static const struct statement insert_revision = {
    .name = "workspace_revision",
    .sql = "INSERT INTO project_revisions (id, project_id, number, payload_json, source,"
           " created_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
};

/* A bundle being imported. New ids are listed beside the old ones, in the order of the old. */
struct way_in {
    struct db *db;
    struct bundle_call *call;
    const struct bundle *bundle;
    bool keep_ids;
    const char *at; /* the time of the import */
    struct bundle_ids projects, runs;
    const char **project_ids, **run_ids;
    int64_t *numbers[BUNDLE_LIST__MAX]; /* of each record among those of its project */
    /* Of each project in the order of ids: how many records it has, and its newest revision. */
    int64_t *counts[BUNDLE_LIST__MAX];
    const char **last_revision;
    struct metrics_in metrics;
    struct flags_in flags;
    int64_t added[2][METRIC__MAX]; /* projects, the archived ones apart */
    struct workspace_imported *imported;
};

static const char *new_id(struct way_in *in, struct arena *arena, const char *old)
{
    char *id;

    if (in->keep_ids && store_is_id(old))
        return old;
    id = arena_alloc(arena, TOKEN_UUID_TEXT);
    token_uuid(id);
    return id;
}

static const char **new_ids(struct way_in *in, const struct bundle_ids *ids)
{
    const char **made = ARENA_ARRAY(in->call->arena, const char *, ids->count);

    for (size_t i = 0; i < ids->count; i++)
        made[i] = new_id(in, in->call->arena, ids->items[i]->id);
    return made;
}

static const char *mapped(const struct bundle_ids *ids, const char **made, const char *old)
{
    size_t position;

    return bundle_find_id(ids, old, &position) ? made[position] : NULL;
}

/* A row that must be new. */
static enum error end_insert(struct way_in *in, struct query *query)
{
    int64_t changes = query_changes(query);
    enum error error = query_end(query, in->call->problem);

    if (error || changes == 1)
        return error;
    return problem_set(in->call->problem, ERROR_CONFLICT, "workspace_id_taken",
                       "A record of the bundle is in the database already");
}

static enum error add_revision(struct way_in *in, const char *id, const char *project_id,
                               int64_t number, const char *payload, int source,
                               const char *created_at)
{
    struct query *query = db_query(in->db, &insert_revision);

    query_bind_text(query, id);
    query_bind_text(query, project_id);
    query_bind_integer(query, number);
    query_bind_json(query, payload);
    query_bind_text(query, revision_source_names[source]);
    query_bind_text(query, created_at);
    return end_insert(in, query);
}

/* Every project gets a revision of its import, except in a workspace imported with its ids, which
 * must stay unchanged. A project without any revision always gets one, with the time of its last
 * change. */
static bool is_revised(const struct way_in *in, size_t position)
{
    return !in->keep_ids || !in->counts[BUNDLE_REVISIONS][position];
}

static const char *last_revision(const struct way_in *in, size_t position, const char *updated_at)
{
    struct arena *arena = in->call->piece;

    if (!in->counts[BUNDLE_REVISIONS][position])
        return bundle_moment(arena, updated_at);
    return is_revised(in, position) ? in->at : bundle_moment(arena, in->last_revision[position]);
}

static void bind_project(struct way_in *in, struct query *query, size_t position,
                         const struct bundle_project *project,
                         const struct experiment_payload *payload, const char *document)
{
    struct arena *arena = in->call->piece;
    const char *updated = bundle_moment(arena, project->updated_at);
    int64_t revisions = in->counts[BUNDLE_REVISIONS][position];

    query_bind_text(query, in->project_ids[position]);
    query_bind_text(query, project->project_name);
    query_bind_json(query, document);
    query_bind_integer(query, project->payload_schema_version);
    query_bind_text(query, bundle_moment(arena, project->archived_at));
    query_bind_text(query, bundle_moment(arena, project->last_analysis_at));
    query_bind_text(query, mapped(&in->runs, in->run_ids, project->last_analysis_run_id));
    query_bind_text(query, bundle_moment(arena, project->last_exported_at));
    query_bind_text(query, bundle_moment(arena, project->created_at));
    query_bind_text(query, updated);
    query_bind_boolean(query, project->archived_at != NULL);
    query_bind_text(query, project_sort_name(arena, project->project_name));
    query_bind_text(query, project_search_text(arena, payload));
    query_bind_text(query, payload->hypothesis->hypothesis_statement);
    query_bind_text(query, metric_type_names[payload->metrics->metric_type]);
    query_bind_integer(query, revisions + is_revised(in, position));
    query_bind_text(query, last_revision(in, position, project->updated_at));
    query_bind_integer(query, in->counts[BUNDLE_RUNS][position]);
    query_bind_integer(query, in->counts[BUNDLE_EVENTS][position]);
}

/* The design itself stands for the one before: a bundle may name metrics that it does not
 * have, and another installation has its own segments. */
static enum error note_uses(struct way_in *in, struct flag_owner *owner,
                            const struct experiment_payload *payload)
{
    const struct project_call noting = {
        .db = in->db, .arena = in->call->piece, .problem = in->call->problem};
    enum error error = project_note_uses(&noting, owner->id, payload, payload);

    return error ? error : segment_is_missing(&noting, payload, &owner->lacks_segment);
}

static enum error add_project(struct way_in *in, size_t index, void *record)
{
    const struct bundle_project *project = record;
    struct arena *piece = in->call->piece;
    const struct experiment_payload *design =
        import_metric_name(&in->metrics, piece, project->payload);
    struct flag_owner owner = {.old_id = project->id,
                               .name = project->project_name,
                               .design = payload_to_json(design, piece),
                               .archived = project->archived_at != NULL};
    struct query *query = db_query(in->db, &insert_project);
    size_t position = 0;
    enum error error;

    (void)index;
    bundle_find_id(&in->projects, project->id, &position);
    owner.id = in->project_ids[position];
    bind_project(in, query, position, project, design, owner.design);
    error = end_insert(in, query);
    if (!error)
        error = note_uses(in, &owner, design);
    if (!error)
        error = import_flag(&in->flags, &owner);
    in->added[owner.archived][design->metrics->metric_type]++;
    if (error || !is_revised(in, position))
        return error;
    in->imported->project_revisions++;
    return add_revision(in, new_id(in, piece, ""), owner.id,
                        in->counts[BUNDLE_REVISIONS][position] + 1, owner.design, REVISION_IMPORT,
                        last_revision(in, position, project->updated_at));
}

static enum error add_run(struct way_in *in, size_t index, void *record)
{
    const struct bundle_run *run = record;
    const char *project_id = mapped(&in->projects, in->project_ids, run->project_id);
    const char *id = mapped(&in->runs, in->run_ids, run->id);
    struct query *query = db_query(in->db, &insert_run);
    enum error error;

    query_bind_text(query, id);
    query_bind_text(query, project_id);
    query_bind_json(query, analysis_to_json(run->analysis, in->call->piece));
    query_bind_text(query, bundle_moment(in->call->piece, run->created_at));
    query_bind_integer(query, in->numbers[BUNDLE_RUNS][index]);
    error = end_insert(in, query);
    if (error)
        return error;
    query = db_query(in->db, &note_duration);
    query_bind_integer(query, run->analysis->report->calculations->estimated_duration_days);
    query_bind_text(query, project_id);
    query_bind_text(query, id);
    return query_end(query, in->call->problem);
}

static enum error add_event(struct way_in *in, size_t index, void *record)
{
    const struct bundle_event *event = record;
    struct query *query = db_query(in->db, &insert_event);

    query_bind_text(query, new_id(in, in->call->piece, event->id));
    query_bind_text(query, mapped(&in->projects, in->project_ids, event->project_id));
    query_bind_text(query, mapped(&in->runs, in->run_ids, event->analysis_run_id));
    query_bind_text(query, export_format_names[event->format]);
    query_bind_text(query, bundle_moment(in->call->piece, event->created_at));
    query_bind_integer(query, in->numbers[BUNDLE_EVENTS][index]);
    return end_insert(in, query);
}

static enum error add_kept_revision(struct way_in *in, size_t index, void *record)
{
    const struct bundle_revision *revision = record;
    struct arena *piece = in->call->piece;

    return add_revision(
        in, new_id(in, piece, revision->id),
        mapped(&in->projects, in->project_ids, revision->project_id),
        in->numbers[BUNDLE_REVISIONS][index],
        payload_to_json(import_metric_name(&in->metrics, piece, revision->payload), piece),
        revision->source, bundle_moment(piece, revision->created_at));
}

/* A record on its way to its number. */
struct aged {
    const struct bundle_entry *entry;
    int64_t at;
};

/* Records of a project beside each other, oldest first. */
static int by_project_and_age(const void *left, const void *right)
{
    const struct aged *a = left, *b = right;
    int order = strcmp(a->entry->project_id, b->entry->project_id);

    if (order == 0)
        order = (a->at > b->at) - (a->at < b->at);
    return order ? order : strcmp(a->entry->id, b->entry->id);
}

static struct aged *sort_by_age(struct arena *arena, const struct bundle_list_of_entries *list)
{
    struct aged *sorted = ARENA_ARRAY(arena, struct aged, list->count);

    for (size_t i = 0; i < list->count; i++) {
        sorted[i].entry = &list->items[i];
        timestamp_from_text(list->items[i].created_at, &sorted[i].at);
    }
    if (list->count)
        qsort(sorted, list->count, sizeof *sorted, by_project_and_age);
    return sorted;
}

/* Gives the records of a list their numbers. */
static void number_records(struct way_in *in, enum bundle_list which)
{
    const struct bundle_list_of_entries *list = &in->bundle->lists[which];
    struct arena *arena = in->call->arena;
    const struct aged *sorted = sort_by_age(arena, list);

    in->numbers[which] = ARENA_ARRAY(arena, int64_t, list->count);
    in->counts[which] = ARENA_ARRAY(arena, int64_t, in->projects.count);
    for (size_t i = 0; i < list->count; i++) {
        const struct bundle_entry *entry = sorted[i].entry;
        size_t position = 0;

        bundle_find_id(&in->projects, entry->project_id, &position);
        in->numbers[which][entry - list->items] = ++in->counts[which][position];
        if (which == BUNDLE_REVISIONS)
            in->last_revision[position] = entry->created_at;
    }
}

static enum error add_list(struct way_in *in, enum bundle_list list, int64_t *count,
                           enum error (*add)(struct way_in *in, size_t index, void *record))
{
    static const char *const words[BUNDLE_LIST__MAX] = {[BUNDLE_RUNS] = "import analysis_runs",
                                                        [BUNDLE_EVENTS] = "import export_events",
                                                        [BUNDLE_REVISIONS] =
                                                            "import project_revisions",
                                                        [BUNDLE_PROJECTS] = "import projects"};
    size_t total = in->bundle->lists[list].count;
    union bundle_any record;
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < total; i++) {
        error = bundle_record(in->call, in->bundle, list, i, &record);
        if (!error)
            error = add(in, i, &record);
        arena_reset(in->call->piece);
        ++*count;
        bundle_report_progress(in->call, words[list], (int64_t)i + 1, (int64_t)total);
    }
    return error;
}

/* Updates each row once, at the end, in one order: a server keeps every version of a row until the
 * transaction ends and scans all of them at each change; other processes wait for these rows. */
static enum error count_all(struct way_in *in)
{
    const struct project_call counting = {
        .db = in->db, .arena = in->call->arena, .problem = in->call->problem};
    enum error error = ERROR_NONE;

    for (int archived = 0; archived < 2; archived++)
        for (int metric = 0; metric < METRIC__MAX && !error; metric++)
            if (in->added[archived][metric])
                error =
                    project_count_change(&counting, archived, metric, in->added[archived][metric]);
    return error;
}

static enum error add_all(struct way_in *in, const struct actor *actor)
{
    static const struct audit_event event = {.action = "workspace_imported"};
    struct workspace_imported *imported = in->imported;
    enum error error = import_flags_begin(&in->flags);

    if (!error)
        error = import_metrics(&in->metrics);
    if (!error) /* before the first key of a flag: others hold keys only after it */
        error = db_lock(in->db, SEGMENTS_LOCK, in->call->problem);
    if (!error)
        error = add_list(in, BUNDLE_PROJECTS, &imported->projects, add_project);
    if (!error)
        error = import_flags_end(&in->flags);
    imported->catalog_metrics = in->metrics.added;
    imported->flags = in->flags.added;
    imported->renamed_flags = in->flags.renamed;
    imported->switched_off_flags = in->flags.switched_off;
    if (!error)
        error = add_list(in, BUNDLE_RUNS, &imported->analysis_runs, add_run);
    if (!error)
        error = add_list(in, BUNDLE_EVENTS, &imported->export_events, add_event);
    if (!error)
        error = add_list(in, BUNDLE_REVISIONS, &imported->project_revisions, add_kept_revision);
    if (!error)
        error = count_all(in);
    return error ? error : audit_record(in->db, in->call->arena, actor, &event, in->call->problem);
}

enum error workspace_import(struct db *db, struct bundle_call *call, const struct actor *actor,
                            const struct bundle *bundle, bool keep_ids,
                            struct workspace_imported *imported)
{
    struct way_in in = {.db = db,
                        .at = store_now(call->arena),
                        .call = call,
                        .bundle = bundle,
                        .keep_ids = keep_ids,
                        .projects = bundle_sort_ids(call->arena, bundle, BUNDLE_PROJECTS),
                        .runs = bundle_sort_ids(call->arena, bundle, BUNDLE_RUNS),
                        .metrics = {.db = db, .call = call, .bundle = bundle, .keep_ids = keep_ids},
                        .flags = {.db = db, .call = call, .bundle = bundle, .keep_keys = keep_ids},
                        .imported = imported};
    enum error error;

    *imported = (struct workspace_imported){0};
    in.project_ids = new_ids(&in, &in.projects);
    in.run_ids = new_ids(&in, &in.runs);
    in.last_revision = ARENA_ARRAY(call->arena, const char *, in.projects.count);
    number_records(&in, BUNDLE_RUNS);
    number_records(&in, BUNDLE_EVENTS);
    number_records(&in, BUNDLE_REVISIONS);
    error = db_begin(db, DB_WRITE, call->problem);
    if (error)
        return error;
    return db_finish(db, add_all(&in, actor), call->problem);
}
