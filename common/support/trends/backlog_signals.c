/* The sources of signals: one statement or two for each source; rows are grouped while reading. */
#include "support/trends/backlog_signals.h"
#include "base/number.h"
#include "base/schema.h"
#include "base/timestamp.h"
#include "db/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS_START = 256, TOPIC_WORDS = 6, TOPIC_BYTES = 200, DETAILS_MOST = 65536 };

#define OF_TENANT(column) "(? = 'all' OR " column " = ?)"
static const struct statement read_bad = {
    .name = "backlog_bad",
    .sql = "SELECT r.tenant_id, r.trace_id, coalesce(r.reviewed_at, r.created_at), r.reason,"
           " t.categories, t.question FROM review_queue r LEFT JOIN traces t"
           " ON t.trace_id = r.trace_id WHERE r.status = 'confirmed_bad' AND " OF_TENANT(
               "r.tenant_id") " AND coalesce(r.reviewed_at, r.created_at) >= ?"
                              " AND coalesce(r.reviewed_at, r.created_at) < ? ORDER BY r.id",
    .streams = true,
};
static const struct statement read_votes = {
    .name = "backlog_votes",
    .sql = "SELECT f.tenant_id, f.trace_id, f.ts, NULL, t.categories, t.question FROM feedback f"
           " LEFT JOIN traces t ON t.trace_id = f.trace_id AND f.linked = 1"
           " WHERE f.rating = 'down' AND " OF_TENANT(
               "f.tenant_id") " AND f.ts >= ? AND f.ts < ?"
                              " AND (t.origin IS NULL OR t.origin = 'live') ORDER BY f.id",
    .streams = true,
};
static const struct statement read_gaps = {
    .name = "backlog_gaps",
    .sql = "SELECT tenant_id, topic_summary, question_count, created_at, cluster_id,"
           " sample_questions FROM knowledge_gaps WHERE " OF_TENANT(
               "tenant_id") " AND created_at >= ? AND created_at < ? AND resolved_at IS NULL"
                            " ORDER BY question_count DESC, created_at DESC, topic_summary LIMIT ?",
};
#define IN_WEEK                                                                                    \
    " FROM traces WHERE " OF_TENANT(                                                               \
        "tenant_id") " AND started_at >= ? AND started_at < ?"                                     \
                     " AND origin = 'live' AND duration_ms IS NOT NULL"
static const struct statement count_durations = {
    .name = "backlog_durations",
    .sql = "SELECT count(*), coalesce(sum(CASE WHEN duration_ms > ? THEN 1 ELSE 0 END), 0)" IN_WEEK,
};
static const struct statement read_p95 = {
    .name = "backlog_p95",
    .sql = "SELECT duration_ms" IN_WEEK " ORDER BY duration_ms LIMIT 1 OFFSET ?",
};
static const struct statement read_slow = {
    .name = "backlog_slow",
    .sql = "SELECT trace_id, started_at" IN_WEEK " AND duration_ms > ?"
           " ORDER BY started_at DESC, trace_id LIMIT ?",
};
static const struct statement read_slow_tenant = {
    .name = "backlog_slow_tenant",
    .sql = "SELECT tenant_id" IN_WEEK " AND duration_ms > ?"
           " GROUP BY tenant_id ORDER BY count(*) DESC, tenant_id LIMIT 1",
};
static const struct statement read_stale = {
    .name = "backlog_stale",
    .sql = "SELECT d.tenant_id, d.title, s.citation_count, s.last_cited_at, d.doc_id,"
           " d.last_updated FROM document_stats s JOIN kb_documents d ON d.tenant_id = s.tenant_id"
           " AND d.doc_id = s.doc_id WHERE " OF_TENANT(
               "d.tenant_id") " AND d.last_updated < ?"
                              " ORDER BY s.citation_count DESC, d.title, d.doc_id LIMIT ?",
};
static const struct statement read_drift = {
    .name = "backlog_drift",
    .sql = "SELECT metric_name, avg(CASE WHEN created_at >= ? THEN value END) AS current_mean,"
           " avg(CASE WHEN created_at < ? THEN value END) AS previous_mean,"
           " sum(CASE WHEN created_at >= ? THEN 1 ELSE 0 END) AS recent, max(created_at) AS latest"
           " FROM eval_results WHERE created_at >= ? AND created_at < ?"
           " GROUP BY metric_name ORDER BY metric_name",
};

static struct query *ask(const struct backlog_window *window, const struct statement *statement)
{
    struct query *query = db_query(window->call->db, statement);

    query_bind_text(query, window->call->tenant);
    query_bind_text(query, window->call->tenant);
    return query;
}

static void bind_week(struct query *query, const struct backlog_window *window)
{
    query_bind_text(query, window->from);
    query_bind_text(query, window->to);
}

static int64_t moment_of(const char *text, int64_t otherwise)
{
    int64_t moment;

    return text && timestamp_from_text(text, &moment) ? moment : otherwise;
}

/* Signals accumulated while rows are read, found by tenant and topic. */
struct groups {
    struct arena *arena;
    struct backlog_signal **slots; /* open addressing; a power of two */
    size_t capacity, count;
};

static size_t hash_of(const char *tenant, const char *title)
{
    size_t hash = 1469598103934665603u; /* FNV-1a */

    for (const char *byte = tenant; *byte; byte++)
        hash = (hash ^ (unsigned char)*byte) * 1099511628211u;
    for (const char *byte = title; *byte; byte++)
        hash = (hash ^ (unsigned char)*byte) * 1099511628211u;
    return hash ^ (hash >> 29);
}

static struct backlog_signal **slot_of(struct groups *groups, const char *tenant, const char *title)
{
    size_t at = hash_of(tenant, title) & (groups->capacity - 1);

    while (groups->slots[at] && (strcmp(groups->slots[at]->tenant, tenant) != 0 ||
                                 strcmp(groups->slots[at]->title, title) != 0))
        at = (at + 1) & (groups->capacity - 1);
    return &groups->slots[at];
}

static void grow(struct groups *groups)
{
    struct groups wider = {groups->arena, NULL,
                           groups->capacity ? groups->capacity * 2 : GROUPS_START, groups->count};

    wider.slots = ARENA_ARRAY(groups->arena, struct backlog_signal *, wider.capacity);
    for (size_t i = 0; i < groups->capacity; i++) {
        struct backlog_signal *signal = groups->slots[i];

        if (signal)
            *slot_of(&wider, signal->tenant, signal->title) = signal;
    }
    *groups = wider;
}

/* `tenant` and `title` are copied for a new one only. */
static struct backlog_signal *group_of(struct groups *groups, const char *tenant, const char *title)
{
    struct backlog_signal **slot;

    if (groups->count * 2 >= groups->capacity)
        grow(groups);
    slot = slot_of(groups, tenant, title);
    if (*slot)
        return *slot;
    *slot = ARENA_NEW(groups->arena, struct backlog_signal);
    (*slot)->tenant = arena_copy_string(groups->arena, tenant);
    (*slot)->title = arena_copy_string(groups->arena, title);
    (*slot)->details = "{}";
    groups->count++;
    return *slot;
}

static int by_weight(const void *a, const void *b)
{
    const struct backlog_signal *first = *(struct backlog_signal *const *)a,
                                *second = *(struct backlog_signal *const *)b;

    if (first->frequency != second->frequency)
        return first->frequency < second->frequency ? 1 : -1;
    return strcmp(first->title, second->title) ? strcmp(first->title, second->title)
                                               : strcmp(first->tenant, second->tenant);
}

static void take_strongest(struct groups *groups, struct backlog_signal *signals, size_t *count)
{
    struct backlog_signal **all =
        ARENA_ARRAY(groups->arena, struct backlog_signal *, groups->count);
    size_t found = 0;

    for (size_t i = 0; i < groups->capacity; i++)
        if (groups->slots[i])
            all[found++] = groups->slots[i];
    if (found)
        qsort(all, found, sizeof(struct backlog_signal *), by_weight);
    for (*count = 0; *count < found && *count < BACKLOG_SIGNALS_MOST; ++*count)
        signals[*count] = *all[*count];
}

/* The first category that says something. */
static bool category_of(struct arena *scratch, const char *categories, char *topic)
{
    struct json_fault fault;
    json_t *list;
    const char *name;

    if (!categories ||
        json_read(scratch, categories, strlen(categories), JSON_DEPTH_LIMIT, &list, &fault))
        return false;
    name = json_string_value(json_array_get(list, 0));
    if (!name || !*name || strcmp(name, "uncategorized") == 0 || strlen(name) >= TOPIC_BYTES)
        return false;
    memcpy(topic, name, strlen(name) + 1);
    return true;
}

/* The first words of a question. */
static void first_words(const char *question, char *topic)
{
    size_t length = 0;
    int words = 0;

    for (const char *at = question; *at && words < TOPIC_WORDS; words++) {
        size_t blank = strspn(at, " \t\r\n"), word = strcspn(at + blank, " \t\r\n");

        if (word == 0 || length + word + 2 > TOPIC_BYTES)
            break;
        if (length)
            topic[length++] = ' ';
        memcpy(topic + length, at + blank, word);
        length += word;
        at += blank + word;
    }
    topic[length] = '\0';
}

/* Rows of tenant, trace, time, reason, categories, question. */
static enum error read_groups(const struct backlog_window *window,
                              const struct statement *statement, const char *fallback,
                              struct backlog_signal *signals, size_t *count)
{
    struct arena *scratch = arena_create(16 * 1024 * 1024);
    struct groups groups = {.arena = window->call->arena};
    struct query *query = ask(window, statement);

    if (!scratch) {
        enum error error = query_end(query, window->call->problem);

        return error
                   ? error
                   : problem_set(window->call->problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    }
    bind_week(query, window);
    while (query_next(query)) {
        const char *tenant = query_text(query, 0, scratch);
        const char *reason = query_text_or_null(query, 3, scratch);
        const char *question = query_text_or_null(query, 5, scratch);
        struct backlog_signal *signal;
        char topic[TOPIC_BYTES] = "";
        int64_t at;

        if (!category_of(scratch, query_json_or_null(query, 4, scratch), topic) && question)
            first_words(question, topic);
        signal = group_of(&groups, tenant, *topic ? topic : reason ? reason : fallback);
        at = moment_of(query_text(query, 2, scratch), window->start);
        if (signal->frequency++ == 0 && reason)
            signal->details = arena_print(groups.arena, "{\"reason\":\"%s\"}", reason);
        signal->latest = at > signal->latest ? at : signal->latest;
        if (signal->trace_count < BACKLOG_TRACES)
            signal->trace_ids[signal->trace_count++] = query_text(query, 1, groups.arena);
        arena_reset(scratch);
    }
    arena_destroy(scratch);
    take_strongest(&groups, signals, count);
    return query_end(query, window->call->problem);
}

static enum error load_bad(const struct backlog_window *window, struct backlog_signal *signals,
                           size_t *count)
{
    return read_groups(window, &read_bad, "reviewed", signals, count);
}

static enum error load_votes(const struct backlog_window *window, struct backlog_signal *signals,
                             size_t *count)
{
    return read_groups(window, &read_votes, "thumbs_down", signals, count);
}

/* The JSON details of the sources' signals. */
struct gap_details {
    const char *cluster_id, *sample_questions; /* the latter JSON */
};

#define OWNER struct gap_details
static const struct field gap_fields[] = {STRING(OWNER, cluster_id),
                                          WRITTEN_JSON(OWNER, sample_questions)};
#undef OWNER
static SCHEMA(gap_schema, struct gap_details, "GapDetails", gap_fields);

struct slow_details {
    double p95_ms;
    int64_t threshold_ms;
};

#define OWNER struct slow_details
static const struct field slow_fields[] = {NUMBER(OWNER, p95_ms), INTEGER(OWNER, threshold_ms)};
#undef OWNER
static SCHEMA(slow_schema, struct slow_details, "SlowDetails", slow_fields);

struct stale_details {
    const char *doc_id, *last_updated;
    int64_t citation_count;
};

#define OWNER struct stale_details
static const struct field stale_fields[] = {STRING(OWNER, doc_id), STRING(OWNER, last_updated),
                                            INTEGER(OWNER, citation_count)};
#undef OWNER
static SCHEMA(stale_schema, struct stale_details, "StaleDetails", stale_fields);

struct drift_details {
    double current_mean, previous_mean, drop_pct;
};

#define OWNER struct drift_details
static const struct field drift_fields[] = {NUMBER(OWNER, current_mean),
                                            NUMBER(OWNER, previous_mean), NUMBER(OWNER, drop_pct)};
#undef OWNER
static SCHEMA(drift_schema, struct drift_details, "DriftDetails", drift_fields);

/* Rows of the statements above, by the names of their columns. */
struct gap_row {
    const char *tenant_id, *topic_summary;
    int64_t question_count;
    const char *created_at, *cluster_id, *sample_questions;
};

#define OWNER struct gap_row
static const struct field gap_row_fields[] = {
    STRING(OWNER, tenant_id),  STRING(OWNER, topic_summary), INTEGER(OWNER, question_count),
    STRING(OWNER, created_at), STRING(OWNER, cluster_id),    WRITTEN_JSON(OWNER, sample_questions)};
#undef OWNER
static SCHEMA(gap_row_schema, struct gap_row, "GapRow", gap_row_fields);

struct stale_row {
    const char *tenant_id, *title;
    int64_t citation_count;
    const char *last_cited_at, *doc_id, *last_updated;
};

#define OWNER struct stale_row
static const struct field stale_row_fields[] = {
    STRING(OWNER, tenant_id),       STRING(OWNER, title),
    INTEGER(OWNER, citation_count), STRING(OWNER, last_cited_at, .nullable = true),
    STRING(OWNER, doc_id),          STRING(OWNER, last_updated)};
#undef OWNER
static SCHEMA(stale_row_schema, struct stale_row, "StaleRow", stale_row_fields);

struct drift_row {
    const char *metric_name;
    struct optional_number current_mean, previous_mean;
    int64_t recent; /* values of this week */
    const char *latest;
};

#define OWNER struct drift_row
static const struct field drift_row_fields[] = {
    STRING(OWNER, metric_name), NULLABLE_NUMBER(OWNER, current_mean),
    NULLABLE_NUMBER(OWNER, previous_mean), INTEGER(OWNER, recent), STRING(OWNER, latest)};
#undef OWNER
static SCHEMA(drift_row_schema, struct drift_row, "DriftRow", drift_row_fields);

static enum error load_gaps(const struct backlog_window *window, struct backlog_signal *signals,
                            size_t *count)
{
    struct arena *arena = window->call->arena;
    struct query *query = ask(window, &read_gaps);

    bind_week(query, window);
    query_bind_integer(query, BACKLOG_SIGNALS_MOST);
    while (*count < BACKLOG_SIGNALS_MOST && query_next(query)) {
        struct gap_row row = {0};

        query_read(query, &gap_row_schema, &row, arena);
        signals[(*count)++] = (struct backlog_signal){
            .tenant = row.tenant_id,
            .title = row.topic_summary,
            .frequency = row.question_count,
            .latest = moment_of(row.created_at, window->start),
            .details =
                schema_json(arena, DETAILS_MOST, &gap_schema,
                            &(struct gap_details){.cluster_id = row.cluster_id,
                                                  .sample_questions = row.sample_questions})};
    }
    return query_end(query, window->call->problem);
}

static enum error slow_statistics(const struct backlog_window *window, double limit, int64_t *slow,
                                  double *p95)
{
    struct query *query = db_query(window->call->db, &count_durations);
    int64_t all = 0;
    enum error error;

    query_bind_number(query, limit);
    query_bind_text(query, window->call->tenant);
    query_bind_text(query, window->call->tenant);
    bind_week(query, window);
    if (query_next(query)) {
        all = query_integer(query, 0);
        *slow = query_integer(query, 1);
    }
    error = query_end(query, window->call->problem);
    if (error || all == 0)
        return error;
    query = ask(window, &read_p95);
    bind_week(query, window);
    query_bind_integer(query, (int64_t)ceil(.95 * (double)all) - 1);
    *p95 = query_next(query) ? query_number(query, 0) : 0;
    return query_end(query, window->call->problem);
}

static enum error slow_traces(const struct backlog_window *window, double limit,
                              struct backlog_signal *signal)
{
    struct arena *arena = window->call->arena;
    struct query *query = ask(window, &read_slow);
    enum error error;

    bind_week(query, window);
    query_bind_number(query, limit);
    query_bind_integer(query, BACKLOG_TRACES);
    while (signal->trace_count < BACKLOG_TRACES && query_next(query)) {
        if (signal->trace_count == 0)
            signal->latest = moment_of(query_text(query, 1, arena), window->start);
        signal->trace_ids[signal->trace_count++] = query_text(query, 0, arena);
    }
    error = query_end(query, window->call->problem);
    if (error)
        return error;
    query = ask(window, &read_slow_tenant);
    bind_week(query, window);
    query_bind_number(query, limit);
    signal->tenant = query_next(query) ? query_text(query, 0, arena) : window->call->tenant;
    return query_end(query, window->call->problem);
}

/* All answers come from one endpoint. */
static enum error load_slow(const struct backlog_window *window, struct backlog_signal *signals,
                            size_t *count)
{
    double limit = (double)window->settings->slow_trace_ms, p95 = 0;
    int64_t slow = 0;
    enum error error = slow_statistics(window, limit, &slow, &p95);

    if (error || p95 <= limit)
        return error;
    signals[0] = (struct backlog_signal){
        .title = "/api/ask",
        .frequency = slow,
        .details =
            schema_json(window->call->arena, DETAILS_MOST, &slow_schema,
                        &(struct slow_details){.p95_ms = number_round(p95, 1),
                                               .threshold_ms = window->settings->slow_trace_ms})};
    *count = 1;
    return slow_traces(window, limit, &signals[0]);
}

static enum error load_stale(const struct backlog_window *window, struct backlog_signal *signals,
                             size_t *count)
{
    struct arena *arena = window->call->arena;
    struct query *query = ask(window, &read_stale);

    query_bind_text(query, window->stale);
    query_bind_integer(query, BACKLOG_SIGNALS_MOST);
    while (*count < BACKLOG_SIGNALS_MOST && query_next(query)) {
        struct stale_row row = {0};

        query_read(query, &stale_row_schema, &row, arena);
        signals[(*count)++] = (struct backlog_signal){
            .tenant = row.tenant_id,
            .title = row.title,
            .frequency = row.citation_count > 1 ? row.citation_count : 1,
            .latest = moment_of(row.last_cited_at, window->now),
            .details = schema_json(arena, DETAILS_MOST, &stale_schema,
                                   &(struct stale_details){.doc_id = row.doc_id,
                                                           .last_updated = row.last_updated,
                                                           .citation_count = row.citation_count})};
    }
    return query_end(query, window->call->problem);
}

struct drift {
    struct backlog_signal signal;
    double drop;
};

static int by_drop(const void *a, const void *b)
{
    const struct drift *first = a, *second = b;

    return first->drop != second->drop ? (first->drop < second->drop ? 1 : -1)
                                       : strcmp(first->signal.title, second->signal.title);
}

static bool read_drop(struct query *query, const struct backlog_window *window, struct drift *drift)
{
    struct arena *arena = window->call->arena;
    struct drift_row row = {0};
    double now, before;

    query_read(query, &drift_row_schema, &row, arena);
    now = row.current_mean.value;
    before = row.previous_mean.value;
    if (!row.current_mean.given || !row.previous_mean.given || before == 0)
        return false;
    drift->drop = (before - now) / before;
    if (!(drift->drop > 0.10))
        return false;
    drift->signal = (struct backlog_signal){
        .title = row.metric_name,
        .tenant = "all",
        .frequency = row.recent,
        .latest = moment_of(row.latest, window->start),
        .details =
            schema_json(arena, DETAILS_MOST, &drift_schema,
                        &(struct drift_details){.current_mean = number_round(now, 4),
                                                .previous_mean = number_round(before, 4),
                                                .drop_pct = number_round(drift->drop * 100, 1)})};
    return true;
}

/* Evaluations contain answers of all tenants: shown only to callers who may see all. */
static enum error load_drift(const struct backlog_window *window, struct backlog_signal *signals,
                             size_t *count)
{
    enum { METRICS_MOST = 200 };
    struct drift *drifts = ARENA_ARRAY(window->call->arena, struct drift, METRICS_MOST);
    size_t found = 0;
    struct query *query;

    if (strcmp(window->call->tenant, "all") != 0 && strcmp(window->call->tenant, "default") != 0)
        return ERROR_NONE;
    query = db_query(window->call->db, &read_drift);
    query_bind_text(query, window->from);
    query_bind_text(query, window->from);
    query_bind_text(query, window->from);
    query_bind_text(query, window->before);
    query_bind_text(query, window->to);
    while (found < METRICS_MOST && query_next(query))
        found += read_drop(query, window, &drifts[found]);
    if (found)
        qsort(drifts, found, sizeof drifts[0], by_drop);
    for (; *count < found && *count < BACKLOG_SIGNALS_MOST; ++*count)
        signals[*count] = drifts[*count].signal;
    return query_end(query, window->call->problem);
}

#define AT(member) offsetof(struct support_settings, member)
const struct backlog_source backlog_sources[BACKLOG_SOURCES] = {
    {"review", "inspect the bad traces, fix prompt or add a KB entry", AT(backlog_review),
     load_bad},
    {"kb_gap", "write or extend an article for this topic", AT(backlog_thumbs_down), load_gaps},
    {"slow_trace", "profile this endpoint", AT(backlog_slow), load_slow},
    {"freshness", "review and refresh this document", AT(backlog_freshness), load_stale},
    {"evaluator_drift", "check recent prompt and model changes", AT(backlog_drift), load_drift},
    {"thumbs_down", "read the transcripts and fix the repeated complaint", AT(backlog_thumbs_down),
     load_votes},
};
