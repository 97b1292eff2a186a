/* Metrics as text: what http has counted, and what is true at the moment of the scrape. */
#include "experiments-system/metrics.h"
#include "base/clock.h"
#include "base/number.h"
#include "experiments/service.h"
#include "experiments/webhooks/subscription_store.h"
#include "kafka/offsets.h"
#include "limits/limits.h"

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

/* Only where a bridge has found topics. */
static void add_kafka(struct request *request, struct text *out, struct db *db)
{
    static const char name[] = "ab_live_lag_records";
    struct kafka_lag *lags;
    struct problem problem;
    size_t count;

    if (kafka_lags_read(db, request->arena, &lags, &count, &problem) || !count)
        return;
    add_head(out, name, "gauge", "Records in Kafka that are not applied yet.");
    for (size_t i = 0; i < count; i++)
        text_append_format(out, "%s{topic=\"%s\"} %lld\n", name, lags[i].topic,
                           (long long)lags[i].records);
    add_gauge(out, "ab_live_lag_seen_seconds", "How long ago the bridge heard of Kafka.",
              (double)(clock_unix_microseconds() - kafka_lag_of_all(lags, count).seen_at) / 1e6);
}

enum error experiments_metrics_handle(struct request *request, struct reply *reply)
{
    const struct metrics *metrics = request->server->metrics;
    struct text *out = &reply->body;
    struct problem problem;
    struct db *db;
    bool reached = !store_database(service_store(request), &db, &problem);

    metrics_write(metrics, out);
    limits_write_metrics(request->server->region, out);
    add_gauge(out, "ab_database_up", "1 when the database answers.", reached);
    if (reached) {
        add_deliveries(out, db);
        add_kafka(request, out, db);
    }
    add_gauge(out, "ab_last_request_timestamp_seconds", "When a request was answered last.",
              metric_read(metrics, HTTP_METRIC_LAST_REQUEST, NULL) / 1e6);
    return ERROR_NONE;
}
