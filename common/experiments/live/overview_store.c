/* Lists experiments with the stored figures of each. Those of a metric of live data are outdated by
 * time, too: when its rows are no longer fresh, and when they are read again after that. */
#include "experiments/live/overview_store.h"

#include "base/clock.h"
#include "base/list.h"
#include "db/query.h"
#include "experiments/live/bucket_store.h"
#include "text/fold.h"

#include <string.h>

const char *const overview_state_names[OVERVIEW__MAX] = {"not_started", "collecting", "ready",
                                                         "decided", "archived"};

#define STATE                                                                                      \
    "CASE WHEN p.archived = 1 THEN 'archived' WHEN p.decision IS NOT NULL THEN 'decided'"          \
    " WHEN e.first_exposed_at IS NULL OR s.headline = 'not_started' THEN 'not_started'"            \
    " WHEN s.verdict IN ('ship', 'no_ship') THEN 'ready' ELSE 'collecting' END"
#define FROM                                                                                       \
    " FROM projects p LEFT JOIN live_experiments e ON e.experiment_id = p.id"                      \
    " LEFT JOIN live_summaries s ON s.experiment_id = p.id"                                        \
    " WHERE (? IS NULL OR p.metric_type = ?)"                                                      \
    " AND (? IS NULL OR p.search_folded LIKE ? ESCAPE '\\') AND (? IS NULL OR p.owner = ?)"
#define COLUMNS                                                                                    \
    "SELECT p.id, p.project_name, p.hypothesis, p.metric_type, p.owner, " STATE " AS state,"       \
    " p.decision, p.decided_at, s.verdict, s.headline, coalesce(s.people, 0) AS people,"           \
    " s.planned, s.variation_index, s.effect_relative, e.first_exposed_at, e.last_exposed_at,"     \
    " CASE WHEN p.last_analysis_run_id IS NULL THEN 0 ELSE 1 END AS has_analysis_snapshot,"        \
    " p.duration_days, p.created_at, p.updated_at"
/* Of one state, or of all that are not archived. */
#define PAGE(order)                                                                                \
    COLUMNS FROM " AND CASE WHEN ? IS NULL THEN p.archived = 0 ELSE " STATE " = ? END"             \
                 " ORDER BY " order " LIMIT ? OFFSET ?"
#define TIES ", p.updated_at DESC, p.id DESC"
#define RANK                                                                                       \
    "CASE " STATE " WHEN 'ready' THEN 0 WHEN 'collecting' THEN 1 WHEN 'not_started' THEN 2 ELSE 3" \
    " END"

static const struct statement pages[OVERVIEW_SORT__MAX][2] = {
    [OVERVIEW_BY_STATE] = {{"overview_state_desc", PAGE(RANK " DESC" TIES)},
                           {"overview_state_asc", PAGE(RANK " ASC" TIES)}},
    [OVERVIEW_BY_UPDATE] = {{"overview_update_desc", PAGE("p.updated_at DESC, p.id DESC")},
                            {"overview_update_asc", PAGE("p.updated_at ASC, p.id DESC")}},
    [OVERVIEW_BY_NAME] = {{"overview_name_desc", PAGE("p.name_folded DESC" TIES)},
                          {"overview_name_asc", PAGE("p.name_folded ASC" TIES)}},
    [OVERVIEW_BY_PEOPLE] = {{"overview_people_desc", PAGE("coalesce(s.people, 0) DESC" TIES)},
                            {"overview_people_asc", PAGE("coalesce(s.people, 0) ASC" TIES)}},
};
static const struct statement count_states = {
    .name = "overview_count",
    .sql = "SELECT " STATE " AS state, count(*)" FROM " GROUP BY 1",
};
static const struct statement outdated = {
    .name = "overview_outdated",
    .sql = "SELECT e.experiment_id FROM live_experiments e"
           " JOIN projects p ON p.id = e.experiment_id"
           " LEFT JOIN live_summaries s ON s.experiment_id = e.experiment_id"
           " WHERE p.archived = 0 AND e.first_exposed_at IS NOT NULL AND (s.version IS NULL"
           " OR s.version <> e.version OR s.design_at <> p.updated_at"
           " OR (s.fresh_until < ? AND p.decided_at IS NULL)"
           " OR (s.fresh_until IS NULL AND s.source_at IS NOT NULL AND s.source_at <> coalesce("
           "(SELECT x.complete_at FROM catalog_metric_uses u JOIN experiment_sources x"
           " ON x.project_id = u.project_id AND x.metric_id = u.metric_id"
           " WHERE u.project_id = p.id), 0))) LIMIT ?",
};
static const struct statement put_summary = {
    .name = "overview_put",
    .sql = "INSERT INTO live_summaries (experiment_id, version, design_at, verdict, headline,"
           " people, planned, variation_index, effect_relative, source_at, fresh_until)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (experiment_id) DO UPDATE SET version = excluded.version,"
           " design_at = excluded.design_at, verdict = excluded.verdict,"
           " headline = excluded.headline, people = excluded.people, planned = excluded.planned,"
           " variation_index = excluded.variation_index,"
           " effect_relative = excluded.effect_relative, source_at = excluded.source_at,"
           " fresh_until = excluded.fresh_until",
};

#define OWNER struct overview_item
static const struct field item_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, project_name),
    STRING(OWNER, hypothesis, .nullable = true),
    CHOICE(OWNER, metric_type, metric_type_names, .choice_count = METRIC__MAX, .nullable = true),
    STRING(OWNER, owner, .nullable = true, .help = "Who created the project."),
    CHOICE(OWNER, state, overview_state_names, .choice_count = OVERVIEW__MAX),
    STRING(OWNER, decision, .nullable = true, .help = "ship or stop, once somebody has decided."),
    STRING(OWNER, decided_at, .nullable = true),
    STRING(OWNER, verdict, .nullable = true, .help = "As in the decision; null without events."),
    STRING(OWNER, headline, .nullable = true, .help = "As in the decision."),
    INTEGER(OWNER, people, .help = "In the arms of the design."),
    NULLABLE_INTEGER(OWNER, planned, .help = "People in all arms by the plan."),
    NULLABLE_NUMBER(OWNER, progress, ROUNDED(4),
                    .help = "people / planned; more than 1 beyond the plan."),
    NULLABLE_INTEGER(OWNER, variation_index, .help = "The treatment with the largest gain."),
    NULLABLE_NUMBER(OWNER, effect_relative, ROUNDED(2),
                    .help = "Its effect in percent of the control."),
    TIME_OR_NULL(OWNER, first_exposed_at, .time = TIME_Z),
    TIME_OR_NULL(OWNER, last_exposed_at, .time = TIME_Z),
    BOOLEAN(OWNER, has_analysis_snapshot),
    NULLABLE_INTEGER(OWNER, duration_days, .help = "Of the newest analysis run."),
    STRING(OWNER, created_at),
    STRING(OWNER, updated_at),
};
#undef OWNER
SCHEMA(overview_item_schema, struct overview_item, "ExperimentListItem", item_fields,
       .help = "An experiment at a glance.");

/* What the filter binds, NULL where it does not filter. */
struct bound_filter {
    const char *metric_type, *pattern, *owner;
};

static struct bound_filter bound_of(const struct live_call *call,
                                    const struct overview_filter *filter)
{
    static const char spaces[] = " \t\r\n";
    const char *text = filter->q ? text_fold(call->arena, filter->q) : "";
    size_t length;

    text += strspn(text, spaces);
    length = strlen(text);
    while (length && strchr(spaces, text[length - 1]))
        length--;
    return (struct bound_filter){
        .metric_type = filter->metric_type < 0 ? NULL : metric_type_names[filter->metric_type],
        .pattern =
            length ? db_like_contains(call->arena, arena_copy(call->arena, text, length)) : NULL,
        .owner = filter->owner};
}

static void bind_filter(struct query *query, struct bound_filter bound)
{
    query_bind_text(query, bound.metric_type);
    query_bind_text(query, bound.metric_type);
    query_bind_text(query, bound.pattern);
    query_bind_text(query, bound.pattern);
    query_bind_text(query, bound.owner);
    query_bind_text(query, bound.owner);
}

static enum error count(const struct live_call *call, struct bound_filter bound,
                        int64_t counts[OVERVIEW__MAX])
{
    struct query *query = db_query(call->db, &count_states);

    memset(counts, 0, OVERVIEW__MAX * sizeof counts[0]);
    bind_filter(query, bound);
    while (query_next(query)) {
        const char *state = query_text(query, 0, call->arena);

        for (int i = 0; i < OVERVIEW__MAX; i++)
            if (strcmp(overview_state_names[i], state) == 0)
                counts[i] = query_integer(query, 1);
    }
    return query_end(query, call->problem);
}

static enum error read_page(const struct live_call *call, const struct overview_filter *filter,
                            struct bound_filter bound, struct object_list *items)
{
    struct query *query = db_query(call->db, &pages[filter->sort_by][filter->ascending]);
    const char *state = filter->state < 0 ? NULL : overview_state_names[filter->state];
    struct overview_item *found = NULL;

    *items = (struct object_list){0};
    bind_filter(query, bound);
    query_bind_text(query, state);
    query_bind_text(query, state);
    query_bind_integer(query, filter->limit);
    query_bind_integer(query, filter->offset);
    while (query_next(query)) {
        struct overview_item *item = ARRAY_ADD(call->arena, found, items->count);

        query_read(query, &overview_item_schema, item, call->arena);
        if (item->planned.value > 0)
            item->progress = GIVEN_NUMBER((double)item->people / (double)item->planned.value);
    }
    items->items = found;
    return query_end(query, call->problem);
}

enum error overview_list(const struct live_call *call, const struct overview_filter *filter,
                         struct object_list *items, int64_t counts[OVERVIEW__MAX])
{
    struct bound_filter bound = bound_of(call, filter);
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = count(call, bound, counts);
    if (!error)
        error = read_page(call, filter, bound, items);
    return db_finish(call->db, error, call->problem);
}

enum error overview_outdated(const struct live_call *call, int64_t limit, struct string_list *ids)
{
    const char **items = ARENA_ARRAY(call->arena, const char *, (size_t)limit);
    enum error error = live_gather_buckets(call);
    struct query *query;

    *ids = (struct string_list){0, items};
    if (error)
        return error;
    query = db_query(call->db, &outdated);
    query_bind_integer(query, clock_unix_microseconds());
    query_bind_integer(query, limit);
    while (ids->count < (size_t)limit && query_next(query))
        items[ids->count++] = query_text(query, 0, call->arena);
    return query_end(query, call->problem);
}

enum error overview_save(const struct live_call *call, const char *id,
                         const struct overview_summary *summary)
{
    struct query *query = db_query(call->db, &put_summary);

    query_bind_text(query, id);
    query_bind_integer(query, summary->version);
    query_bind_text(query, summary->design_at);
    query_bind_text(query, summary->verdict);
    query_bind_text(query, summary->headline);
    query_bind_integer(query, summary->people);
    query_bind_optional_integer(query, summary->planned);
    query_bind_optional_integer(query, summary->variation_index);
    query_bind_optional_number(query, summary->effect_relative);
    query_bind_optional_integer(query, summary->source_at);
    query_bind_optional_integer(query, summary->fresh_until);
    return query_end(query, call->problem);
}
