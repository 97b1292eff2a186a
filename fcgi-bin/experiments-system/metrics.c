/* Metrics as text: what http has counted, and what is true at the moment of the scrape. */
#include "experiments-system/metrics.h"
#include "base/clock.h"
#include "base/number.h"
#include "experiments/service.h"
#include "experiments/webhooks/subscription_store.h"
#include "kafka/offsets.h"
#include "limits/limits.h"

enum {
    SCRAPED_DELIVERIES,
    SCRAPED_OLDEST_DUE,
    SCRAPED_LAG,
    SCRAPED_LAG_SEEN,
    SCRAPED_DATABASE_UP,
    SCRAPED_LAST_REQUEST
};

const struct metric experiments_scraped[EXPERIMENTS_SCRAPED] = {
    [SCRAPED_DELIVERIES] = {"ab_webhook_deliveries", METRIC_GAUGE,
                            "Deliveries of webhooks that are kept, by state.", .labels = {"state"}},
    [SCRAPED_OLDEST_DUE] = {"ab_webhook_oldest_due_seconds", METRIC_GAUGE,
                            "Age of the oldest delivery that is due."},
    [SCRAPED_LAG] = {"ab_live_lag_records", METRIC_GAUGE,
                     "Records in Kafka that are not applied yet.", .labels = {"topic"}},
    [SCRAPED_LAG_SEEN] = {"ab_live_lag_seen_seconds", METRIC_GAUGE,
                          "How long ago the bridge heard of Kafka."},
    [SCRAPED_DATABASE_UP] = {"ab_database_up", METRIC_GAUGE, "1 when the database answers."},
    [SCRAPED_LAST_REQUEST] = {"ab_last_request_timestamp_seconds", METRIC_GAUGE,
                              "When a request was answered last."},
};

static void add_number(struct text *out, double value)
{
    char number[NUMBER_TEXT_MAX];

    number_format(value, number);
    text_append_format(out, " %s\n", number);
}

static void add_gauge(struct text *out, int metric, double value)
{
    metric_write_head(&experiments_scraped[metric], out);
    text_append_string(out, experiments_scraped[metric].name);
    add_number(out, value);
}

static void add_deliveries(struct text *out, struct db *db)
{
    const struct metric *deliveries = &experiments_scraped[SCRAPED_DELIVERIES];
    static const char *const states[DELIVERY__MAX] = {[DELIVERY_PENDING] = "pending",
                                                      [DELIVERY_RETRYING] = "retrying",
                                                      [DELIVERY_DELIVERED] = "delivered",
                                                      [DELIVERY_FAILED] = "failed"};
    int64_t counts[DELIVERY__MAX];
    struct problem problem;
    double oldest;

    if (subscription_metrics(db, counts, &oldest, &problem))
        return;
    metric_write_head(deliveries, out);
    for (int state = 0; state < DELIVERY__MAX; state++)
        if (states[state])
            text_append_format(out, "%s{state=\"%s\"} %lld\n", deliveries->name, states[state],
                               (long long)counts[state]);
    add_gauge(out, SCRAPED_OLDEST_DUE, oldest > 0 ? oldest : 0);
}

/* Only where a bridge has found topics. */
static void add_kafka(struct request *request, struct text *out, struct db *db)
{
    const struct metric *lag = &experiments_scraped[SCRAPED_LAG];
    struct kafka_lag *lags;
    struct problem problem;
    size_t count;

    if (kafka_lags_read(db, request->arena, &lags, &count, &problem) || !count)
        return;
    metric_write_head(lag, out);
    for (size_t i = 0; i < count; i++)
        text_append_format(out, "%s{topic=\"%s\"} %lld\n", lag->name, lags[i].topic,
                           (long long)lags[i].records);
    add_gauge(out, SCRAPED_LAG_SEEN,
              (double)(clock_unix_microseconds() - kafka_lag_of_all(lags, count).seen_at) / 1e6);
}

enum error experiments_metrics_handle(struct request *request, struct reply *reply)
{
    const struct metrics *metrics = request->server->metrics;
    struct text *out = &reply->body;
    struct problem problem;
    struct db *db;
    bool reached = !store_database(service_store(request), &db, &problem);
    struct db_health health;

    /* A file that was lost is noticed by asking, not by having opened it. */
    if (reached) {
        db_health(db, &health);
        reached = health.reachable;
    }

    metrics_write(metrics, out);
    limits_write_metrics(request->server->region, out);
    add_gauge(out, SCRAPED_DATABASE_UP, reached);
    if (reached) {
        add_deliveries(out, db);
        add_kafka(request, out, db);
    }
    add_gauge(out, SCRAPED_LAST_REQUEST,
              metric_read(metrics, HTTP_METRIC_LAST_REQUEST, NULL) / 1e6);
    return ERROR_NONE;
}
