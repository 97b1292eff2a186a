/* SQL of the row of an experiment, of the names in it, and of the aggregates that its design needs.
 */
#include "experiments/live/metric_rules.h"

#include "base/json.h"
#include "base/list.h"
#include "base/number.h"
#include "db/query.h"
#include "experiments/projects/project_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROBUST_BYTES_MAX = 1024, NAMES_BYTES_MAX = 16 * 1024 * 1024 };

/* The row of an experiment; two of its lists are stored as texts. */
struct experiment_row {
    struct live_experiment experiment;
    const char *robust;
    const char *covariates_used;
    const char *metric_rules;
    const char *cluster_plan;
};

#define NUMBER_COLUMN(column, member)                                                              \
    {                                                                                              \
        .name = (column), .type = FIELD_INTEGER,                                                   \
        .offset = FIELD_OFFSET(struct experiment_row, experiment.member, int64_t),                 \
    }
#define TIME_COLUMN(column, member)                                                                \
    {                                                                                              \
        .name = (column), .type = FIELD_INTEGER, .nullable = true,                                 \
        .offset = FIELD_OFFSET(struct experiment_row, experiment.member, struct optional_integer), \
    }
static const struct field row_fields[] = {
    NUMBER_COLUMN("experiment", number),
    NUMBER_COLUMN("version", version),
    NUMBER_COLUMN("next_unit", next_unit),
    NUMBER_COLUMN("next_sequence", next_sequence),
    NUMBER_COLUMN("metrics", metrics),
    NUMBER_COLUMN("covariates", covariates),
    NUMBER_COLUMN("slices", slices),
    NUMBER_COLUMN("strata", strata),
    NUMBER_COLUMN("links", links),
    NUMBER_COLUMN("alias_exposures", alias_exposures),
    NUMBER_COLUMN("alias_conversions", alias_conversions),
    NUMBER_COLUMN("merged_people", merged_people),
    NUMBER_COLUMN("spike_events", spike_events),
    NUMBER_COLUMN("primary_metric", primary_metric),
    NUMBER_COLUMN("numerator", numerator),
    NUMBER_COLUMN("denominator", denominator),
    {.name = "stale",
     .type = FIELD_BOOLEAN,
     .offset = FIELD_OFFSET(struct experiment_row, experiment.stale, bool)},
    TIME_COLUMN("first_exposed_at", first_exposed_at),
    TIME_COLUMN("last_exposed_at", last_exposed_at),
    STRING(struct experiment_row, robust),
    NUMBER_COLUMN("conversion_window", window),
    NUMBER_COLUMN("buckets", buckets),
    STRING(struct experiment_row, covariates_used),
    STRING(struct experiment_row, metric_rules),
    NUMBER_COLUMN("clusters", clusters),
    STRING(struct experiment_row, cluster_plan),
};
static SCHEMA(row_schema, struct experiment_row, "LiveExperimentRow", row_fields);

#define EXPERIMENT_COLUMNS                                                                         \
    "experiment, version, next_unit, next_sequence, metrics, covariates, slices, strata, links,"   \
    " alias_exposures, alias_conversions, merged_people, spike_events, primary_metric, numerator," \
    " denominator, stale, first_exposed_at, last_exposed_at, robust, conversion_window,"           \
    " covariates_used, metric_rules, buckets, clusters, cluster_plan"

static const struct statement find_project = {
    .name = "live_project",
    .sql = "SELECT archived, live_bucket_count FROM projects WHERE id = ?",
};
static const struct statement find_experiment = {
    .name = "live_experiment",
    .sql = "SELECT " EXPERIMENT_COLUMNS " FROM live_experiments WHERE experiment_id = ?",
};
static const struct statement read_project = {
    .name = "live_project_read",
    .sql = "SELECT updated_at, payload_json FROM projects WHERE id = ?",
};
static const struct statement insert_experiment = {
    .name = "live_experiment_insert",
    .sql = "INSERT INTO live_experiments (experiment_id, spike_events, buckets) VALUES (?, ?, ?)"
           " RETURNING experiment",
};
static const struct statement update_experiment = {
    .name = "live_experiment_update",
    .sql = "UPDATE live_experiments SET version = ?, next_unit = ?, next_sequence = ?,"
           " metrics = ?, covariates = ?, slices = ?, strata = ?, links = ?,"
           " alias_exposures = ?, alias_conversions = ?, merged_people = ?, spike_events = ?,"
           " primary_metric = ?, numerator = ?, denominator = ?, stale = ?, first_exposed_at = ?,"
           " last_exposed_at = ?, robust = ?, conversion_window = ?, covariates_used = ?,"
           " metric_rules = ?, clusters = ?, cluster_plan = ?"
           " WHERE experiment = ?",
};

#define WANTED_NAMES                                                                               \
    " FROM (SELECT value ->> 0 AS dimension, value ->> 1 AS name FROM {json_rows:?}) AS wanted"    \
    " CROSS JOIN "

/* How names of each kind are read, found and added; the dimension is '' where there is none.
 */
static const struct {
    struct statement all, some, insert;
} name_statements[] = {
    [LIVE_METRIC_NAMES] =
        {{"live_metric_names",
          "SELECT metric, '', name FROM live_metrics WHERE experiment = ? ORDER BY name",
          .streams = true},
         {"live_metrics_by_name", "SELECT m.metric, '', m.name" WANTED_NAMES "live_metrics m"
                                  " WHERE m.experiment = ? AND m.name = wanted.name"},
         {"live_metric_insert",
          "INSERT INTO live_metrics (experiment, metric, name) VALUES (?, ?, ?)"}},
    [LIVE_COVARIATE_NAMES] =
        {{"live_covariate_names",
          "SELECT covariate, '', name FROM live_covariates WHERE experiment = ? ORDER BY name",
          .streams = true},
         {"live_covariates_by_name",
          "SELECT c.covariate, '', c.name" WANTED_NAMES "live_covariates c"
          " WHERE c.experiment = ? AND c.name = wanted.name"},
         {"live_covariate_name_insert",
          "INSERT INTO live_covariates (experiment, covariate, name) VALUES (?, ?, ?)"}},
    [LIVE_SLICE_NAMES] =
        {{"live_slice_names",
          "SELECT slice, dimension, name FROM live_slices WHERE experiment = ?"
          " ORDER BY dimension, name",
          .streams = true},
         {"live_slices_by_name",
          "SELECT s.slice, s.dimension, s.name" WANTED_NAMES "live_slices s"
          " WHERE s.experiment = ? AND s.dimension = wanted.dimension AND s.name = wanted.name"},
         {"live_slice_insert",
          "INSERT INTO live_slices (experiment, slice, name, dimension) VALUES (?, ?, ?, ?)"}},
};

static const struct statement list_experiments = {
    .name = "live_experiments",
    .sql = "SELECT experiment_id FROM live_experiments ORDER BY experiment_id",
    .streams = true,
};

static const struct statement slices_of_dimension = {
    .name = "live_slices_of_dimension",
    .sql = "SELECT slice, dimension, name FROM live_slices WHERE experiment = ?"
           " AND dimension = ? ORDER BY name",
    .streams = true,
};

/* `3c200 5b`: metric 3 capped at 200, metric 5 in bins. */
static const char *robust_text(const struct live_experiment *experiment, struct arena *arena)
{
    char number[NUMBER_TEXT_MAX];
    struct text text;

    text_start(&text, arena, ROBUST_BYTES_MAX);
    for (size_t i = 0; i < experiment->robust_count; i++) {
        const struct live_robust *robust = &experiment->robust[i];

        if (i)
            text_append_byte(&text, ' ');
        text_append(&text, number, integer_format(robust->metric, number));
        text_append_byte(&text, robust->capped ? 'c' : 'b');
        if (robust->capped)
            text_append(&text, number, number_format(robust->cap, number));
    }
    return text.bytes;
}

static void read_robust(const char *text, struct live_experiment *experiment)
{
    while (*text && experiment->robust_count < LIVE_ROBUST_MAX) {
        struct live_robust *robust = &experiment->robust[experiment->robust_count++];
        char *end;

        robust->metric = strtoll(text, &end, 10);
        robust->capped = *end == 'c';
        end += *end != '\0';
        if (robust->capped)
            robust->cap = strtod(end, &end);
        text = *end == ' ' ? end + 1 : end;
    }
}

/* Numbers with blanks between them. */
static const char *used_text(const struct live_experiment *experiment, struct arena *arena)
{
    char number[NUMBER_TEXT_MAX];
    struct text text;

    text_start(&text, arena, ROBUST_BYTES_MAX);
    for (size_t i = 0; i < experiment->used_count; i++) {
        if (i)
            text_append_byte(&text, ' ');
        text_append(&text, number, integer_format(experiment->used[i], number));
    }
    return text.bytes;
}

static void read_used(const char *text, struct live_experiment *experiment)
{
    while (*text && experiment->used_count < LIVE_COVARIATES_MAX) {
        char *end;

        experiment->used[experiment->used_count++] = strtoll(text, &end, 10);
        text = *end == ' ' ? end + 1 : end;
    }
}

static bool read_row(struct query *query, const char *id, struct arena *arena,
                     struct live_experiment *experiment)
{
    struct experiment_row row = {
        .robust = "", .covariates_used = "", .metric_rules = "", .cluster_plan = ""};

    if (!query_next(query))
        return false;
    query_read(query, &row_schema, &row, arena);
    *experiment = row.experiment;
    experiment->id = id;
    read_robust(row.robust, experiment);
    read_used(row.covariates_used, experiment);
    experiment->rule_count = live_read_rules(row.metric_rules, experiment->rules);
    live_read_cluster_plan(row.cluster_plan, &experiment->cluster_plan);
    return true;
}

static enum error find_row(const struct live_call *call, const char *id, bool *found,
                           struct live_experiment *experiment)
{
    struct query *query = db_query(call->db, &find_experiment);

    *experiment = (struct live_experiment){.id = id};
    query_bind_text(query, id);
    *found = read_row(query, id, call->arena, experiment);
    return query_end(query, call->problem);
}

/* Before the lock: a request for an unknown experiment should not take it. `buckets`: as the
 * project states. */
static enum error check_project(const struct live_call *call, const char *id, int64_t *buckets)
{
    struct query *query = db_query(call->db, &find_project);
    bool found, archived;
    enum error error;

    query_bind_text(query, id);
    found = query_next(query);
    archived = found && query_boolean(query, 0);
    *buckets = found ? query_integer(query, 1) : 1;
    error = query_end(query, call->problem);
    if (error)
        return error;
    if (!found)
        return problem_set(call->problem, ERROR_NOT_FOUND, "project_not_found",
                           "Project not found");
    if (archived)
        return problem_set(call->problem, ERROR_INVALID, "project_archived", "Project is archived");
    return ERROR_NONE;
}

enum error live_check_experiment(const struct live_call *call, const char *id, int64_t *buckets)
{
    int64_t unused;

    return check_project(call, id, buckets ? buckets : &unused);
}

enum error live_read_design(const struct live_call *call, const char *id,
                            struct live_reading *reading)
{
    struct query *query = db_query(call->db, &read_project);
    const char *document = NULL;
    enum error error;

    query_bind_text(query, id);
    if (query_next(query)) {
        reading->updated_at = query_text(query, 0, call->arena);
        document = query_json(query, 1, call->arena);
    }
    error = query_end(query, call->problem);
    if (error)
        return error;
    if (!document)
        return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Experiment not found");
    reading->design = project_payload(document, call->arena);
    if (!reading->design)
        return problem_set(call->problem, ERROR_SYSTEM, "stored_document",
                           "the stored design of %s cannot be read", id);
    return ERROR_NONE;
}

enum error live_read_experiment(const struct live_call *call, const char *id,
                                struct live_reading *reading)
{
    bool found;
    enum error error = live_read_design(call, id, reading);

    if (!error)
        error = find_row(call, id, &found, &reading->experiment);
    return error ? error : live_sum_buckets(call, &reading->experiment);
}

static const char *name_or_null(const char *name)
{
    return name && *name ? name : NULL;
}

struct live_design_metrics live_design_metrics(const struct experiment_payload *design)
{
    const struct payload_metrics *metrics = design->metrics;

    if (metrics->metric_type == METRIC_RATIO)
        return (struct live_design_metrics){
            .numerator = name_or_null(metrics->numerator_metric_name),
            .denominator = name_or_null(metrics->denominator_metric_name)};
    return (struct live_design_metrics){.primary = name_or_null(metrics->primary_metric_name)};
}

static const double day = 86400e6; /* microseconds */

int64_t live_window_of(int conversion_window, struct optional_number days)
{
    if (conversion_window == WINDOW_ALL)
        return LIVE_WINDOW_ALL;
    return days.given ? (int64_t)fmax(days.value * day, 1) : LIVE_WINDOW_OPEN;
}

int64_t live_design_window(const struct experiment_payload *design)
{
    return live_window_of(design->metrics->conversion_window,
                          design->metrics->conversion_window_days);
}

static enum error make_row(const struct live_call *call, const char *id, int64_t buckets,
                           struct live_experiment *experiment)
{
    struct query *query = db_query(call->db, &insert_experiment);
    struct live_reading reading;
    enum error error;

    query_bind_text(query, id);
    query_bind_integer(query, call->spike_events);
    query_bind_integer(query, buckets);
    *experiment = (struct live_experiment){.id = id,
                                           .next_unit = 1,
                                           .next_sequence = 1,
                                           .spike_events = call->spike_events,
                                           .buckets = buckets};
    if (query_next(query))
        experiment->number = query_integer(query, 0);
    error = query_end(query, call->problem);
    if (!error)
        error = live_make_buckets(call, experiment);
    if (!error)
        error = live_read_design(call, id, &reading);
    if (!error)
        error = live_fit_design(call, reading.design, experiment);
    return error || buckets == 1 ? error : live_save_experiment(call, experiment);
}

enum error live_lock_row(const struct live_call *call, const char *id)
{
    return db_lock(call->db, arena_print(call->arena, "live %s", id), call->problem);
}

/* Under its lock; the project may have stated another number of buckets before it was taken. */
static enum error find_or_make(const struct live_call *call, const char *id,
                               struct live_experiment *experiment)
{
    bool found = false;
    int64_t buckets = 1;
    enum error error = live_lock_row(call, id);

    if (!error)
        error = find_row(call, id, &found, experiment);
    if (!error && !found)
        error = check_project(call, id, &buckets);
    if (!error && !found)
        error = make_row(call, id, buckets, experiment);
    return error;
}

enum error live_open_experiment(const struct live_call *call, const char *id,
                                struct live_experiment *experiment)
{
    bool found = false;
    int64_t buckets = 1;
    enum error error = check_project(call, id, &buckets);

    if (!error && buckets > 1)
        error = find_row(call, id, &found, experiment);
    return error || found ? error : find_or_make(call, id, experiment);
}

enum error live_lock_experiment(const struct live_call *call, const char *id,
                                struct live_reading *reading, struct live_parts *parts)
{
    bool found;
    enum error error = live_lock_row(call, id);

    if (!error)
        error = live_read_design(call, id, reading);
    if (!error)
        error = find_row(call, id, &found, &reading->experiment);
    if (!error && reading->experiment.buckets > 1)
        error = live_lock_buckets(call, &reading->experiment, NULL);
    if (!error && reading->experiment.buckets > 1)
        error = find_row(call, id, &found, &reading->experiment);
    return error ? error : live_read_parts(call, &reading->experiment, NULL, parts);
}

enum error live_find_experiment(const struct live_call *call, const char *id,
                                struct live_experiment *experiment)
{
    bool found;

    return find_row(call, id, &found, experiment);
}

enum error live_save_experiment(const struct live_call *call,
                                const struct live_experiment *experiment)
{
    struct query *query;
    const int64_t values[] = {experiment->version,         experiment->next_unit,
                              experiment->next_sequence,   experiment->metrics,
                              experiment->covariates,      experiment->slices,
                              experiment->strata,          experiment->links,
                              experiment->alias_exposures, experiment->alias_conversions,
                              experiment->merged_people,   experiment->spike_events,
                              experiment->primary_metric,  experiment->numerator,
                              experiment->denominator};

    if (experiment->whole)
        return live_save_bucket(call, experiment);
    query = db_query(call->db, &update_experiment);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        query_bind_integer(query, values[i]);
    query_bind_boolean(query, experiment->stale);
    query_bind_optional_integer(query, experiment->first_exposed_at);
    query_bind_optional_integer(query, experiment->last_exposed_at);
    query_bind_text(query, robust_text(experiment, call->arena));
    query_bind_integer(query, experiment->window);
    query_bind_text(query, used_text(experiment, call->arena));
    query_bind_text(query, live_rules_text(experiment->rules, experiment->rule_count, call->arena));
    query_bind_integer(query, experiment->clusters);
    query_bind_text(query, live_cluster_plan_text(&experiment->cluster_plan, call->arena));
    query_bind_integer(query, experiment->number);
    return query_end(query, call->problem);
}

struct live_name *live_name_entry(struct arena *arena, struct live_name_list *names,
                                  const char *dimension, const char *name)
{
    struct live_name *entry;

    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i].name, name) == 0 &&
            strcmp(names->items[i].dimension, dimension) == 0)
            return &names->items[i];
    entry = LIST_ADD(arena, names);
    *entry = (struct live_name){.dimension = dimension, .name = name};
    return entry;
}

static enum error read_names(const struct live_call *call, struct query *query,
                             struct live_name_list *names)
{
    while (query_next(query))
        *LIST_ADD(call->arena, names) =
            (struct live_name){.dimension = query_text(query, 1, call->arena),
                               .name = query_text(query, 2, call->arena),
                               .number = query_integer(query, 0)};
    return query_end(query, call->problem);
}

enum error live_read_names(const struct live_call *call, int64_t experiment,
                           enum live_name_kind kind, struct live_name_list *names)
{
    struct query *query = db_query(call->db, &name_statements[kind].all);

    query_bind_integer(query, experiment);
    return read_names(call, query, names);
}

enum error live_read_slices(const struct live_call *call, int64_t experiment, const char *dimension,
                            struct live_name_list *names)
{
    struct query *query = db_query(call->db, &slices_of_dimension);

    query_bind_integer(query, experiment);
    query_bind_text(query, dimension);
    return read_names(call, query, names);
}

static const char *names_as_json(const struct live_name_list *names, struct arena *arena)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, NAMES_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < names->count; i++) {
        writer_open_array(&writer);
        writer_string(&writer, names->items[i].dimension);
        writer_string(&writer, names->items[i].name);
        writer_close_array(&writer);
    }
    writer_close_array(&writer);
    return text.bytes;
}

enum error live_find_names(const struct live_call *call, int64_t experiment,
                           enum live_name_kind kind, struct live_name_list *names)
{
    struct query *query;

    if (names->count == 0)
        return ERROR_NONE;
    query = db_query(call->db, &name_statements[kind].some);
    query_bind_json(query, names_as_json(names, call->arena));
    query_bind_integer(query, experiment);
    while (query_next(query)) {
        struct live_name *name =
            live_name_entry(call->arena, names, query_text(query, 1, call->arena),
                            query_text(query, 2, call->arena));

        name->number = query_integer(query, 0);
    }
    return query_end(query, call->problem);
}

static int64_t next_number(struct live_experiment *experiment, enum live_name_kind kind,
                           const struct live_name *name)
{
    switch (kind) {
    case LIVE_METRIC_NAMES:
        return ++experiment->metrics;
    case LIVE_COVARIATE_NAMES:
        return ++experiment->covariates;
    default:
        experiment->strata += !*name->dimension;
        return ++experiment->slices;
    }
}

/* Every bucket has all names. */
static void insert_name(struct query *query, const struct live_experiment *whole,
                        enum live_name_kind kind, const struct live_name *name)
{
    for (int64_t i = 0; i < live_bucket_count(whole); i++) {
        query_bind_integer(query, live_bucket_number(whole, i));
        query_bind_integer(query, name->number);
        query_bind_text(query, name->name);
        if (kind == LIVE_SLICE_NAMES)
            query_bind_text(query, name->dimension);
        query_repeat(query, NULL);
    }
}

enum error live_number_names(const struct live_call *call, struct live_experiment *experiment,
                             enum live_name_kind kind, struct live_name_list *names)
{
    struct live_experiment *whole = experiment->whole ? experiment->whole : experiment;
    struct query *query = NULL;
    enum error error = live_find_names(call, live_bucket_number(experiment, 0), kind, names);

    for (size_t i = 0; !error && i < names->count; i++) {
        struct live_name *name = &names->items[i];

        if (name->number || name->place != LIVE_NAME_OWN)
            continue;
        name->number = next_number(whole, kind, name);
        query = query ? query : db_query(call->db, &name_statements[kind].insert);
        insert_name(query, whole, kind, name);
    }
    return query ? query_end(query, call->problem) : error;
}

int64_t live_name_number(const struct live_name_list *names, const char *name)
{
    for (size_t i = 0; name && i < names->count; i++)
        if (strcmp(names->items[i].name, name) == 0)
            return names->items[i].number;
    return 0;
}

static bool is_same(const struct live_robust *one, const struct live_robust *other)
{
    return one->metric == other->metric && one->capped == other->capped && one->cap == other->cap;
}

size_t live_design_robust(const struct experiment_payload *design,
                          const struct live_name_list *names,
                          struct live_robust robust[LIVE_ROBUST_MAX])
{
    const struct object_list *metrics = &design->metrics->robust_metrics;
    size_t count = 0;

    for (size_t i = 0; i < metrics->count; i++) {
        const struct robust_metric *metric = (const struct robust_metric *)metrics->items + i;
        bool capped = metric->statistic == ROBUST_CAPPED_MEAN, known = false;
        const struct live_robust wanted = {live_name_number(names, metric->name), capped,
                                           capped ? metric->at : 0};

        for (size_t k = 0; k < count; k++)
            known = known || is_same(&robust[k], &wanted);
        if (!known)
            robust[count++] = wanted;
    }
    return count;
}

void live_design_names(const struct experiment_payload *design, struct arena *arena,
                       struct live_name_list *names)
{
    const struct live_design_metrics metrics = live_design_metrics(design);
    const struct object_list *robust = &design->metrics->robust_metrics;
    const struct object_list *rules = &design->metrics->metric_rules;
    const char *const needed[] = {metrics.primary, metrics.numerator, metrics.denominator};

    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (needed[i])
            live_name_entry(arena, names, "", needed[i]);
    for (size_t i = 0; i < robust->count; i++)
        live_name_entry(arena, names, "", ((const struct robust_metric *)robust->items)[i].name);
    for (size_t i = 0; i < rules->count; i++)
        live_name_entry(arena, names, "", ((const struct metric_rule *)rules->items)[i].name);
}

enum error live_fit_design(const struct live_call *call, const struct experiment_payload *design,
                           struct live_experiment *experiment)
{
    const struct live_design_metrics metrics = live_design_metrics(design);
    struct live_name_list names = {0};
    enum error error;

    live_design_names(design, call->arena, &names);
    error = live_number_names(call, experiment, LIVE_METRIC_NAMES, &names);
    experiment->primary_metric = live_name_number(&names, metrics.primary);
    experiment->numerator = live_name_number(&names, metrics.numerator);
    experiment->denominator = live_name_number(&names, metrics.denominator);
    experiment->robust_count = live_design_robust(design, &names, experiment->robust);
    experiment->window = live_design_window(design);
    experiment->rule_count = live_design_rules(design, &names, experiment->rules);
    live_design_clusters(design, &experiment->cluster_plan);
    return error;
}

enum error live_list_experiments(const struct live_call *call, struct live_names *experiments)
{
    struct query *query = db_query(call->db, &list_experiments);

    while (query_next(query))
        live_names_add(experiments, query_text(query, 0, experiments->arena));
    return query_end(query, call->problem);
}
