/* The text exposition, written from the counters and histograms of shared memory at each scrape, so
 * that nothing is counted twice. */
#include "experiments-system/metrics.h"
#include "base/number.h"
#include "experiments/service.h"
#include "experiments/webhooks/subscription_store.h"
#include "shm/histogram.h"

static void add_head(struct text *out, const char *name, const char *kind, const char *help)
{
    text_append_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind);
}

static void add_number(struct text *out, double value)
{
    char number[NUMBER_TEXT_MAX];

    number_format(value, number);
    text_append_format(out, " %s\n", number);
}

struct total {
    const char *name, *help;
    enum http_counter counter;
};

static void add_requests(struct text *out, const struct shm_region *region)
{
    static const char name[] = "ab_http_requests_total";
    static const struct {
        const char *label;
        enum http_counter counter;
    } classes[] = {{"success", COUNTER_SUCCESS},
                   {"client_error", COUNTER_CLIENT_ERROR},
                   {"server_error", COUNTER_SERVER_ERROR}};

    add_head(out, name, "counter", "Requests that were answered, by family and kind of answer.");
    for (size_t i = 0; i < shm_family_count(region); i++) {
        const struct shm_family *family = shm_family_at(region, i);

        for (size_t j = 0; j < COUNT_OF(classes); j++)
            text_append_format(out, "%s{class=\"%s\",family=\"%s\"} %llu\n", name, classes[j].label,
                               shm_family_name(family),
                               (unsigned long long)counters_read(family, classes[j].counter));
    }
}

static void add_totals(struct text *out, const struct shm_region *region)
{
    static const struct total totals[] = {
        {"ab_auth_rejections_total", "Requests whose credentials were wrong.",
         COUNTER_AUTH_REJECTION},
        {"ab_rate_limited_total", "Requests above a rate limit.", COUNTER_RATE_LIMITED},
        {"ab_body_rejections_total", "Requests with a body that is too large.",
         COUNTER_BODY_REJECTION},
        {"ab_capacity_rejections_total", "Computations refused because too many were running.",
         COUNTER_CAPACITY_REJECTION}};

    for (size_t i = 0; i < COUNT_OF(totals); i++) {
        add_head(out, totals[i].name, "counter", totals[i].help);
        text_append_format(out, "%s %llu\n", totals[i].name,
                           (unsigned long long)counters_total(region, totals[i].counter));
    }
}

static void add_family_times(struct text *out, const char *name, const struct shm_family *family)
{
    static const double bounds[] = {.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10};
    const char *label = shm_family_name(family);
    struct histogram_view view = {0};
    char bound[NUMBER_TEXT_MAX];

    histogram_add_family(&view, family, HISTOGRAM_REQUEST);
    for (size_t i = 0; i < COUNT_OF(bounds); i++) {
        number_format(bounds[i], bound);
        text_append_format(
            out, "%s_bucket{family=\"%s\",le=\"%s\"} %llu\n", name, label, bound,
            (unsigned long long)histogram_count_at_most(&view, (uint64_t)(bounds[i] * 1e6)));
    }
    text_append_format(out, "%s_bucket{family=\"%s\",le=\"+Inf\"} %llu\n", name, label,
                       (unsigned long long)view.count);
    text_append_format(out, "%s_sum{family=\"%s\"}", name, label);
    add_number(out, (double)view.sum / 1e6);
    text_append_format(out, "%s_count{family=\"%s\"} %llu\n", name, label,
                       (unsigned long long)view.count);
}

static void add_times(struct text *out, const struct shm_region *region)
{
    static const char name[] = "ab_http_request_duration_seconds";

    add_head(out, name, "histogram", "Time from the request to its answer.");
    for (size_t i = 0; i < shm_family_count(region); i++)
        add_family_times(out, name, shm_family_at(region, i));
}

static void add_deliveries(struct text *out, struct db *db)
{
    static const char name[] = "ab_webhook_deliveries", age[] = "ab_webhook_oldest_due_seconds";
    static const char *const states[DELIVERY__MAX] = {[DELIVERY_PENDING] = "pending",
                                                      [DELIVERY_RETRYING] = "retrying",
                                                      [DELIVERY_DELIVERED] = "delivered",
                                                      [DELIVERY_FAILED] = "failed"};
    int64_t counts[DELIVERY__MAX];
    struct problem problem;
    double oldest;

    if (subscription_metrics(db, counts, &oldest, &problem))
        return;
    add_head(out, name, "gauge", "Deliveries of webhooks that are kept, by state.");
    for (int state = 0; state < DELIVERY__MAX; state++)
        if (states[state])
            text_append_format(out, "%s{state=\"%s\"} %lld\n", name, states[state],
                               (long long)counts[state]);
    add_head(out, age, "gauge", "Age of the oldest delivery that is due.");
    text_append_string(out, age);
    add_number(out, oldest > 0 ? oldest : 0);
}

static void add_gauge(struct text *out, const char *name, const char *help, double value)
{
    add_head(out, name, "gauge", help);
    text_append_string(out, name);
    add_number(out, value);
}

enum error experiments_metrics_handle(struct request *request, struct reply *reply)
{
    const struct shm_region *region = request->server->region;
    struct text *out = &reply->body;
    struct problem problem;
    struct db *db;
    bool reached = !store_database(service_store(request), &db, &problem);

    add_requests(out, region);
    add_times(out, region);
    add_totals(out, region);
    add_gauge(out, "ab_database_up", "1 when the database answers.", reached);
    if (reached)
        add_deliveries(out, db);
    add_gauge(out, "ab_last_request_timestamp_seconds", "When a request was answered last.",
              (double)stamps_latest(region, STAMP_LAST_REQUEST) / 1e6);
    return ERROR_NONE;
}
