/* Reading buckets of service levels from the journal, the request log and metrics. */
#include "livedata/reads/slo_buckets.h"

#include "db/query.h"
#include "livedata/metrics/measure_compute.h"
#include "livedata/timestamp.h"

#include <string.h>

/* Rows of the tenant from a time on and before another, by bucket: the beginning, the length and
 * the last of the buckets, then tenant and times. */
#define OF_TENANT " WHERE tenant_id = ? AND processed_at >= ? AND processed_at < ?"
#define BUCKET "{least}((processed_at - ?) / ?, ?)"
#define SIXTEEN "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_Static_assert(SLO_TYPES_MAX == 16, "as many as the statements have");
#define OF_ENTITIES " AND entity_type IN " SIXTEEN
#define OF_EVENTS " AND event_type IN " SIXTEEN

/* The first event of a bucket has no gap: those between buckets are added when they are read. */
#define FRESHNESS_HEAD                                                                             \
    "SELECT bucket, min(at), max(at), CAST(coalesce(sum(CASE WHEN gap IS NULL THEN 0"              \
    " ELSE {least}(gap, ?) END), 0) AS BIGINT) FROM (SELECT bucket, at, at - lag(at)"              \
    " OVER (PARTITION BY bucket ORDER BY at) AS gap FROM (SELECT processed_at AS at, " BUCKET      \
    " AS bucket FROM pipeline_events" OF_TENANT " AND topic = 'events.validated'"
#define FRESHNESS_END ") AS placed) AS gaps GROUP BY bucket ORDER BY bucket"
#define ERRORS_HEAD                                                                                \
    "SELECT " BUCKET ", count(*), coalesce(sum(CASE WHEN topic = 'events.deadletter' THEN 0"       \
    " ELSE 1 END), 0), count(status_code), coalesce(sum(CASE WHEN status_code < 500 THEN 1"        \
    " ELSE 0 END), 0) FROM pipeline_events" OF_TENANT
#define BY_BUCKET " GROUP BY 1 ORDER BY 1"

static const struct statement latencies = {
    .name = "slo_latency",
    .sql = "SELECT {least}((at - ?) / ?, ?), count(*), coalesce(sum(CASE WHEN duration_us <= ?"
           " THEN 1 ELSE 0 END), 0) FROM api_sessions WHERE tenant_id = ? AND at >= ?"
           " AND at < ?" BY_BUCKET,
};
static const struct statement freshness_of_all = {.name = "slo_freshness",
                                                  .sql = FRESHNESS_HEAD FRESHNESS_END};
static const struct statement freshness_of_entities = {
    .name = "slo_freshness_entities", .sql = FRESHNESS_HEAD OF_ENTITIES FRESHNESS_END};
static const struct statement freshness_of_events = {.name = "slo_freshness_events",
                                                     .sql = FRESHNESS_HEAD OF_EVENTS FRESHNESS_END};
static const struct statement errors_of_all = {.name = "slo_errors", .sql = ERRORS_HEAD BY_BUCKET};
static const struct statement errors_of_entities = {.name = "slo_errors_entities",
                                                    .sql = ERRORS_HEAD OF_ENTITIES BY_BUCKET};
static const struct statement last_of_entity = {
    .name = "slo_last_of_entity",
    .sql = "SELECT processed_at FROM pipeline_events WHERE tenant_id = ? AND entity_type = ?"
           " AND processed_at < ? AND topic = 'events.validated' ORDER BY processed_at DESC"
           " LIMIT 1",
};
static const struct statement last_of_event = {
    .name = "slo_last_of_event",
    .sql = "SELECT processed_at FROM pipeline_events WHERE tenant_id = ? AND event_type = ?"
           " AND processed_at < ? AND topic = 'events.validated' ORDER BY seq DESC LIMIT 1",
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t end_of(const struct slo_buckets *buckets, bool open)
{
    return open ? INT64_MAX : buckets->from + buckets->count * buckets->step;
}

static void bind_bucket(struct query *query, const struct slo_buckets *buckets)
{
    query_bind_integer(query, buckets->from);
    query_bind_integer(query, buckets->step);
    query_bind_integer(query, buckets->count - 1);
}

static void bind_rows(struct query *query, const struct storage_call *call,
                      const struct slo_buckets *buckets, bool open)
{
    query_bind_text(query, call->tenant);
    query_bind_integer(query, buckets->from);
    query_bind_integer(query, end_of(buckets, open));
}

/* As many as the statement has: the last one again and again. */
static void bind_types(struct query *query, const struct string_list *types)
{
    for (size_t i = 0; types->count && i < SLO_TYPES_MAX; i++)
        query_bind_text(query, types->items[i < types->count ? i : types->count - 1]);
}

/* The bucket of the row that was read. */
static struct slo_bucket *bucket_of(const struct slo_buckets *buckets, int64_t index)
{
    struct slo_bucket *bucket = &buckets->items[index];

    bucket->any = true;
    return bucket;
}

/* Of the service's own answers to the tenant, from the request log. */
static enum error read_latency(const struct storage_call *call, bool open,
                               const struct slo_buckets *buckets)
{
    struct query *query = db_query(call->db, &latencies);

    bind_bucket(query, buckets);
    query_bind_integer(query, (int64_t)(buckets->slo->threshold * 1e3));
    bind_rows(query, call, buckets, open);
    while (query_next(query)) {
        struct slo_bucket *bucket = bucket_of(buckets, query_integer(query, 0));

        bucket->counts[COUNT_VALID] = query_integer(query, 1);
        bucket->counts[COUNT_GOOD] = query_integer(query, 2);
    }
    return query_end(query, call->problem);
}

static enum error read_errors(const struct storage_call *call, bool open,
                              const struct slo_buckets *buckets)
{
    struct query *query =
        db_query(call->db, buckets->slo->entity ? &errors_of_entities : &errors_of_all);

    bind_bucket(query, buckets);
    bind_rows(query, call, buckets, open);
    bind_types(query, &buckets->slo->types);
    while (query_next(query)) {
        struct slo_bucket *bucket = bucket_of(buckets, query_integer(query, 0));

        for (int i = 0; i < COUNT__MAX; i++)
            bucket->counts[i] = query_integer(query, i + 1);
    }
    return query_end(query, call->problem);
}

static int64_t fresh_span(const struct slo *slo)
{
    return (int64_t)(slo->threshold * 1e6);
}

/* Fresh is the time up to the threshold after each event. */
static enum error read_freshness(const struct storage_call *call, bool open,
                                 const struct slo_buckets *buckets)
{
    const struct slo *slo = buckets->slo;
    struct query *query = db_query(call->db, slo->entity   ? &freshness_of_entities
                                             : slo->metric ? &freshness_of_events
                                                           : &freshness_of_all);

    query_bind_integer(query, fresh_span(slo));
    bind_bucket(query, buckets);
    bind_rows(query, call, buckets, open);
    bind_types(query, &slo->types);
    while (query_next(query)) {
        struct slo_bucket *bucket = bucket_of(buckets, query_integer(query, 0));

        bucket->first = query_integer(query, 1);
        bucket->last = query_integer(query, 2);
        bucket->fresh = query_integer(query, 3);
    }
    return query_end(query, call->problem);
}

/* The last event before all buckets. */
static enum error read_before(const struct storage_call *call, struct slo_buckets *buckets)
{
    const struct slo *slo = buckets->slo;
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < slo->types.count; i++) {
        struct query *query = db_query(call->db, slo->entity ? &last_of_entity : &last_of_event);

        query_bind_text(query, call->tenant);
        query_bind_text(query, slo->types.items[i]);
        query_bind_integer(query, buckets->from);
        if (query_next(query) && query_integer(query, 0) > buckets->last_before)
            buckets->last_before = query_integer(query, 0);
        error = query_end(query, call->problem);
    }
    return error;
}

static bool is_within(const struct slo *slo, double value)
{
    return (!slo->minimum.given || value >= slo->minimum.value) &&
           (!slo->maximum.given || value <= slo->maximum.value);
}

static struct measure_request request_of(const struct slo *slo)
{
    return measure_request_of(slo->settings, slo->metric->measure, WINDOW_BUCKETS_MAX);
}

/* Buckets from the first on, as many as are computed at a time. */
static enum error check_some(const struct storage_call *call, const struct slo_buckets *buckets,
                             int64_t first, int64_t count)
{
    const struct slo *slo = buckets->slo;
    struct measure_request request = request_of(slo);
    struct measure_rows rows;
    enum error error;

    request.buckets.items = ARENA_ARRAY(call->arena, int64_t, (size_t)count + 1);
    for (int64_t i = 0; i <= count; i++)
        request.buckets.items[request.buckets.count++] =
            buckets->from + (first + i) * buckets->step;
    request.range =
        (struct time_range){request.buckets.items[0], request.buckets.items[(size_t)count]};
    error = measure_compute(call, &request, &rows);
    for (size_t i = 0; !error && i < rows.count; i++) {
        const struct measure_row *row = &rows.items[i];
        struct slo_bucket *bucket = bucket_of(buckets, first + row->bucket);

        bucket->any = !row->undefined;
        bucket->counts[COUNT_VALID] = !row->undefined;
        bucket->counts[COUNT_GOOD] = !row->undefined && is_within(slo, row->value);
    }
    return error;
}

/* A sum or count of no rows is 0, and is checked too, once the metric has had a row. */
static enum error check_empty(const struct storage_call *call, struct slo_buckets *buckets)
{
    struct measure_request request = request_of(buckets->slo);

    for (int64_t i = 0; i < buckets->count; i++)
        if (!buckets->items[i].any) {
            buckets->items[i].counts[COUNT_VALID] = 1;
            buckets->items[i].counts[COUNT_GOOD] = is_within(buckets->slo, 0);
        }
    if (buckets->items[0].any || buckets->from <= 0)
        return ERROR_NONE;
    request.range.to = buckets->from;
    return measure_has_rows(call, &request, &buckets->row_before);
}

/* A metric that cannot be computed leaves the other levels as they are. */
static enum error read_checks(const struct storage_call *call, struct slo_buckets *buckets)
{
    static const char *const reasons[] = {"query_timeout", "contract_differs", "not_materialized"};
    struct storage_call own = *call;
    struct problem problem = {0};
    enum error error = ERROR_NONE;

    own.problem = &problem;
    for (int64_t i = 0; !error && i < buckets->count; i += WINDOW_BUCKETS_MAX)
        error = check_some(&own, buckets, i, least(buckets->count - i, WINDOW_BUCKETS_MAX));
    if (!error && buckets->slo->metric->zero_when_empty)
        error = check_empty(&own, buckets);
    if (!error)
        return ERROR_NONE;
    for (size_t i = 0; i < COUNT_OF(reasons); i++)
        if (strcmp(problem.reason, reasons[i]) == 0)
            buckets->reason = reasons[i];
    if (!buckets->reason)
        *call->problem = problem;
    return buckets->reason ? ERROR_NONE : error;
}

static void add_counts(struct slo_bucket *bucket, const struct slo_bucket *previous)
{
    for (int i = 0; i < COUNT__MAX; i++)
        bucket->sums[i] = bucket->counts[i] + (previous ? previous->sums[i] : 0);
}

/* Sums along the buckets, and which of them have rows. */
static void add_up(const struct slo_buckets *buckets)
{
    int64_t span = fresh_span(buckets->slo), fresh = 0;
    int64_t before = -1, after = buckets->count, last = buckets->last_before;

    for (int64_t i = 0; i < buckets->count; i++) {
        struct slo_bucket *bucket = &buckets->items[i];

        add_counts(bucket, i ? bucket - 1 : NULL);
        before = bucket->any ? i : before;
        bucket->before = before;
        if (!bucket->any)
            continue;
        bucket->fresh_to_first = fresh + (last ? least(bucket->first - last, span) : 0);
        bucket->fresh_to_last = bucket->fresh_to_first + bucket->fresh;
        fresh = bucket->fresh_to_last;
        last = bucket->last;
    }
    for (int64_t i = buckets->count - 1; i >= 0; i--) {
        after = buckets->items[i].any ? i : after;
        buckets->items[i].after = after;
    }
}

enum error slo_buckets_read(const struct storage_call *call, const struct slo *slo, int64_t from,
                            int64_t step, int64_t count, bool open, struct slo_buckets *buckets)
{
    enum error error = ERROR_NONE;

    *buckets = (struct slo_buckets){.slo = slo, .from = from, .step = step, .count = count};
    buckets->items = ARENA_ARRAY(call->arena, struct slo_bucket, (size_t)count);
    if (slo->measurement == SLO_LATENCY)
        error = read_latency(call, open, buckets);
    else if (slo->measurement == SLO_ERRORS)
        error = read_errors(call, open, buckets);
    else if (slo->measurement == SLO_METRIC)
        error = read_checks(call, buckets);
    else
        error = read_freshness(call, open, buckets);
    if (!error && slo->measurement == SLO_FRESHNESS)
        error = read_before(call, buckets);
    if (!error)
        add_up(buckets);
    return error;
}

/* When the last event before a bucket came; 0 = there was none. */
static int64_t last_until(const struct slo_buckets *buckets, int64_t index)
{
    int64_t earlier = index ? buckets->items[index - 1].before : -1;

    return earlier >= 0 ? buckets->items[earlier].last : buckets->last_before;
}

/* Fresh time from the first event of all until the beginning of a bucket. */
static int64_t fresh_until(const struct slo_buckets *buckets, int64_t index)
{
    int64_t earlier = index ? buckets->items[index - 1].before : -1;
    int64_t last = last_until(buckets, index);
    int64_t tail = buckets->from + index * buckets->step - last;

    return last ? (earlier >= 0 ? buckets->items[earlier].fresh_to_last : 0) +
                      least(tail > 0 ? tail : 0, fresh_span(buckets->slo))
                : 0;
}

/* Of an entity or a metric the time begins with the window when there was an event before it, else
 * with the first event; of all events always with the first in the window (the contract). */
static struct slo_window window_of_freshness(const struct slo_buckets *buckets, int64_t first,
                                             int64_t end)
{
    int64_t begins = buckets->from + first * buckets->step,
            ends = buckets->from + end * buckets->step, after = buckets->items[first].after;
    bool any = after < end, whole = buckets->slo->types.count && last_until(buckets, first);
    int64_t start = whole ? begins : any ? buckets->items[after].first : ends;
    int64_t before = whole ? fresh_until(buckets, first)
                     : any ? buckets->items[after].fresh_to_first
                           : 0;
    int64_t valid = ends - start, good = fresh_until(buckets, end) - before;

    if (valid <= 0)
        return (struct slo_window){0};
    good = good < 0 ? 0 : least(good, valid);
    return (struct slo_window){true, (double)good / (double)valid, (double)good / 1e6,
                               (double)valid / 1e6};
}

static int64_t sum_of(const struct slo_buckets *buckets, int64_t first, int64_t end,
                      enum slo_count count)
{
    return buckets->items[end - 1].sums[count] -
           (first ? buckets->items[first - 1].sums[count] : 0);
}

struct slo_window slo_buckets_window(const struct slo_buckets *buckets, int64_t first, int64_t end)
{
    bool coded;
    double good, valid;

    if (first >= end || buckets->reason)
        return (struct slo_window){0};
    if (buckets->slo->measurement == SLO_FRESHNESS)
        return window_of_freshness(buckets, first, end);
    if (buckets->slo->measurement == SLO_METRIC && !buckets->row_before &&
        buckets->items[first].before < 0)
        first = buckets->items[first].after;
    if (first >= end)
        return (struct slo_window){0};
    coded = sum_of(buckets, first, end, COUNT_CODED) > 0;
    valid = (double)sum_of(buckets, first, end, coded ? COUNT_CODED : COUNT_VALID);
    good = (double)sum_of(buckets, first, end, coded ? COUNT_CODED_GOOD : COUNT_GOOD);
    return (struct slo_window){valid > 0, valid > 0 ? good / valid : 0, good, valid};
}
