/* SQL of lists and histories: pages of projects, runs, export events and revisions. */
#include "experiments/projects/project_rows.h"
#include "text/fold.h"

#include <string.h>

/*
 * A page of projects. Each order has an index that begins with `archived`, so the statements name
 * one side of it; a list of all takes both sides, each as far as the page reaches, and merges them.
 */
#define FILTER                                                                                     \
    " AND (? IS NULL OR metric_type = ?) AND (? IS NULL OR search_folded LIKE ? ESCAPE '\\')"
#define SIDE(columns, side, order)                                                                 \
    "SELECT " columns " FROM projects WHERE archived = " side FILTER " ORDER BY " order " LIMIT ?"
#define PAGE(side, order) SIDE(PROJECT_COLUMNS, side, order) " OFFSET ?"
#define SORTED_COLUMNS PROJECT_COLUMNS ", name_folded"
#define MERGED(order)                                                                              \
    "SELECT " PROJECT_COLUMNS " FROM (SELECT * FROM (" SIDE(                                       \
        SORTED_COLUMNS, "0", order) ") AS active"                                                  \
                                    " UNION ALL SELECT * FROM (" SIDE(                             \
                                        SORTED_COLUMNS, "1", order) ") AS put_away) AS both_sides" \
                                                                    " ORDER BY " order             \
                                                                    " LIMIT ? OFFSET ?"
#define ORDERED(name, order)                                                                       \
    {                                                                                              \
        {"projects_active_" name, PAGE("0", order)},                                               \
            {"projects_archived_" name, PAGE("1", order)}, {"projects_all_" name, MERGED(order)},  \
    }

#define TIES ", updated_at DESC, id DESC"

static const struct statement list_projects[SORT__MAX][2][STATUS__MAX] = {
    [SORT_CREATED_AT] = {ORDERED("created_desc", "created_at DESC, id DESC"),
                         ORDERED("created_asc", "created_at ASC, id DESC")},
    [SORT_UPDATED_AT] = {ORDERED("updated_desc", "updated_at DESC, id DESC"),
                         ORDERED("updated_asc", "updated_at ASC, id DESC")},
    [SORT_NAME] = {ORDERED("name_desc", "name_folded DESC" TIES),
                   ORDERED("name_asc", "name_folded ASC" TIES)},
    [SORT_DURATION_DAYS] = {ORDERED("duration_desc",
                                    "(duration_days IS NULL), duration_days DESC" TIES),
                            ORDERED("duration_asc",
                                    "(duration_days IS NULL), duration_days ASC" TIES)},
};

/* Without a search the totals come from the counting table; a search has to read the rows. */
static const struct statement total_projects = {
    .name = "projects_total",
    .sql = "SELECT coalesce(sum(projects), 0) FROM project_totals WHERE archived IN (?, ?)"
           " AND (? IS NULL OR metric_type = ?)",
};
static const struct statement count_found = {
    .name = "projects_count",
    .sql = "SELECT count(*) FROM projects WHERE archived IN (?, ?)" FILTER,
};

/* A project's items are numbered from 1 by time, and the project stores their number: a page is a
 * range of numbers, at any depth. */
static const struct statement project_exists = {
    .name = "project_exists",
    .sql = "SELECT 1 FROM projects WHERE id = ?",
};
static const struct statement count_runs = {
    .name = "analysis_runs_count",
    .sql = "SELECT analysis_run_count FROM projects WHERE id = ?",
};
static const struct statement list_runs = {
    .name = "analysis_runs_list",
    .sql = "SELECT id, project_id, created_at, analysis_json AS analysis FROM analysis_runs"
           " WHERE project_id = ? AND number <= ? ORDER BY number DESC LIMIT ?",
};
static const struct statement count_events = {
    .name = "export_events_count",
    .sql = "SELECT export_event_count FROM projects WHERE id = ?",
};
static const struct statement list_events = {
    .name = "export_events_list",
    .sql = "SELECT id, project_id, created_at, format, analysis_run_id FROM export_events"
           " WHERE project_id = ? AND number <= ? ORDER BY number DESC LIMIT ?",
};
static const struct statement count_revisions = {
    .name = "revisions_count",
    .sql = "SELECT revision_count FROM projects WHERE id = ?",
};
static const struct statement list_revisions = {
    .name = "revisions_list",
    .sql =
        "SELECT id, project_id, created_at, source, payload_json AS payload FROM project_revisions"
        " WHERE project_id = ? AND number <= ? ORDER BY number DESC LIMIT ?",
};

/* What the filter binds: the metric type and the search pattern, NULL where it does not filter. */
struct bound_filter {
    const char *metric_type;
    const char *pattern;
};

/* The pattern that finds the text in folded text; NULL for text that is blank. Trimmed once it is
 * folded, because folding makes plain spaces of most others. */
static const char *search_pattern(struct arena *arena, const char *text)
{
    static const char spaces[] = " \t\r\n";
    size_t length;

    if (!text)
        return NULL;
    text = text_fold(arena, text);
    text += strspn(text, spaces);
    length = strlen(text);
    while (length && strchr(spaces, text[length - 1]))
        length--;
    return length ? db_like_contains(arena, arena_copy(arena, text, length)) : NULL;
}

static struct bound_filter read_filter(const struct project_filter *filter, struct arena *arena)
{
    return (struct bound_filter){
        .metric_type = filter->metric_type < 0 ? NULL : metric_type_names[filter->metric_type],
        .pattern = search_pattern(arena, filter->q)};
}

static void bind_filter(struct query *query, struct bound_filter bound)
{
    query_bind_text(query, bound.metric_type);
    query_bind_text(query, bound.metric_type);
    query_bind_text(query, bound.pattern);
    query_bind_text(query, bound.pattern);
}

static enum error count_projects(const struct project_call *call,
                                 const struct project_filter *filter, struct bound_filter bound,
                                 int64_t *total)
{
    struct query *query = db_query(call->db, bound.pattern ? &count_found : &total_projects);

    query_bind_boolean(query, filter->status == STATUS_ARCHIVED);
    query_bind_boolean(query, filter->status != STATUS_ACTIVE);
    if (bound.pattern) {
        bind_filter(query, bound);
    } else {
        query_bind_text(query, bound.metric_type);
        query_bind_text(query, bound.metric_type);
    }
    *total = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

static enum error read_projects(const struct project_call *call,
                                const struct project_filter *filter, struct bound_filter bound,
                                struct object_list *projects)
{
    const struct statement *statement =
        &list_projects[filter->sort_by][filter->ascending][filter->status];
    struct query *query = db_query(call->db, statement);
    struct project *items = ARENA_ARRAY(call->arena, struct project, (size_t)filter->limit);

    *projects = (struct object_list){.items = items};
    bind_filter(query, bound);
    if (filter->status == STATUS_ALL) {
        query_bind_integer(query, filter->limit + filter->offset);
        bind_filter(query, bound);
        query_bind_integer(query, filter->limit + filter->offset);
    }
    query_bind_integer(query, filter->limit);
    query_bind_integer(query, filter->offset);
    while (projects->count < (size_t)filter->limit && query_next(query))
        project_row(query, call->arena, &items[projects->count++]);
    return query_end(query, call->problem);
}

enum error project_list(const struct project_call *call, const struct project_filter *filter,
                        struct object_list *projects, int64_t *total)
{
    struct bound_filter bound = read_filter(filter, call->arena);
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = count_projects(call, filter, bound, total);
    *projects = (struct object_list){0};
    if (!error && *total > filter->offset) /* else the page is empty */
        error = read_projects(call, filter, bound, projects);
    return db_finish(call->db, error, call->problem);
}

static enum error check_exists(const struct project_call *call, const char *id)
{
    enum error error = ERROR_NONE;
    bool found = false;
    struct query *query;

    if (store_is_id(id)) {
        query = db_query(call->db, &project_exists);
        query_bind_text(query, id);
        found = query_next(query);
        error = query_end(query, call->problem);
    }
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Project not found");
}

/* How rows of one kind are counted, listed and read. */
struct history {
    const struct statement *count;
    const struct statement *list;
    const struct schema *schema;
};

static const struct history runs = {&count_runs, &list_runs, &analysis_run_schema};
static const struct history events = {&count_events, &list_events, &export_event_schema};
static const struct history revisions = {&count_revisions, &list_revisions, &revision_schema};

/* A page ends where its documents would make an answer too large. */
bool project_page_has_room(const struct project_page *page, size_t used)
{
    return page->items.count < (size_t)page->limit &&
           (page->items.count == 0 || used < (size_t)page->memory_max);
}

static enum error read_items(const struct project_call *call, const struct history *history,
                             const char *id, struct project_page *page)
{
    struct query *query = db_query(call->db, history->list);
    size_t before = arena_used(call->arena), size = history->schema->size;

    page->items =
        (struct object_list){.items = arena_alloc_array(call->arena, (size_t)page->limit, size)};
    query_bind_text(query, id);
    query_bind_integer(query, page->total - page->offset);
    query_bind_integer(query, page->limit);
    while (project_page_has_room(page, arena_used(call->arena) - before) && query_next(query))
        query_read(query, history->schema, (char *)page->items.items + page->items.count++ * size,
                   call->arena);
    return query_end(query, call->problem);
}

static enum error count_items(const struct project_call *call, const struct history *history,
                              const char *id, struct project_page *page)
{
    struct query *query = db_query(call->db, history->count);

    query_bind_text(query, id);
    page->total = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

static enum error read_page(const struct project_call *call, const struct history *history,
                            const char *id, struct project_page *page)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = check_exists(call, id);
    if (!error)
        error = count_items(call, history, id, page);
    if (!error)
        error = read_items(call, history, id, page);
    return db_finish(call->db, error, call->problem);
}

enum error project_analysis_runs(const struct project_call *call, const char *id,
                                 struct project_page *page)
{
    return read_page(call, &runs, id, page);
}

enum error project_export_events(const struct project_call *call, const char *id,
                                 struct project_page *page)
{
    return read_page(call, &events, id, page);
}

enum error project_revisions(const struct project_call *call, const char *id,
                             struct project_page *page)
{
    return read_page(call, &revisions, id, page);
}
