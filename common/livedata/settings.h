/* The settings of the live-data service: one table, read from LIVE_* variables at start. */
#ifndef ASSAY_LIVEDATA_SETTINGS_H
#define ASSAY_LIVEDATA_SETTINGS_H

#define LIVE_REDIS_TIMEOUT .15 /* seconds */

#include "accounts/store.h"
#include "base/confine.h"
#include "base/settings.h"
#include "db/replica.h"
#include "jobs/clock_watch.h"
#include "kafka/kafka_settings.h"

enum { CURRENCY_RATES_MAX = 32 };

/* Value of one unit of a currency in the default currency. */
struct currency_rate {
    const char *currency;
    const char *text; /* digits with at most one point */
};
struct currency_rates {
    size_t count;
    struct currency_rate *items;
};

struct livedata_settings {
    const char *app_name;
    const char *app_version;
    int profile; /* enum livedata_profile */
    const char *host;
    int64_t port;

    const char *database_url; /* NULL = the SQLite file */
    const char *db_path;
    struct replica_settings replica;
    int64_t db_pool_size;
    int64_t sqlite_busy_timeout_ms;
    int sqlite_synchronous; /* enum db_synchronous */
    int64_t ingest_cache_kib;
    const char *sql_directory;
    const char *state_directory; /* of the record of the database's identity; NULL = no record */
    struct accounts_settings accounts; /* of the store that all services share */
    struct clock_limits clock;         /* limits for deletion by age */
    struct string_list config_folders; /* a domain each */
    const char *config_directory;      /* the first of them */
    const char *entities_directory;    /* NULL = below config_directory, as the next four */
    const char *contracts_directory;
    const char *metrics_directory;
    const char *slo_file;
    const char *versions_file;
    const char *tenants_file; /* NULL = single tenant */

    bool auth_disabled;
    const char *api_keys; /* "key:name,key:name"; NULL = none */
    const char *keys_file;
    const char *admin_key;
    const char *lookup_pepper;
    int64_t rate_limit_rpm;
    int64_t failed_auth_limit;
    int64_t rotation_grace_seconds;
    bool demo_mode;
    bool seed_on_boot;
    const char *demo_language; /* NULL = no demonstration */
    const char *demo_key;

    struct string_list cors_origins;
    struct string_list compat_brands;
    struct string_list egress_hosts;
    struct string_list trusted_proxies;

    int64_t max_body_bytes;
    int64_t max_request_memory_bytes;
    int64_t ingest_max_batch;
    int64_t max_clock_ahead_seconds;
    int64_t sources_max;

    double freshness_sla_seconds;
    int64_t slo_min_events;
    int64_t slo_min_failures;
    double health_cache_seconds;
    double cache_ttl_seconds;
    double entity_cache_ttl_seconds;
    double cache_poll_seconds;
    int metric_as_of; /* enum livedata_as_of */

    const char *currency; /* the default currency */
    struct string_list currency_rate_list;
    struct currency_rates currency_rates; /* the same, parsed */
    const char *time_zone;

    int64_t query_timeout_ms;
    int64_t waits_per_family;
    int64_t query_rows_max;
    bool cache_listen;
    const char *redis_url; /* NULL = none */
    struct kafka_settings kafka;
    struct string_list bridge_topics;
    int intake; /* enum kafka_intake */
    const char *intake_topic;

    const char *clickhouse_host; /* NULL = none */
    int64_t clickhouse_port;
    const char *clickhouse_user;
    const char *clickhouse_password; /* NULL = none */
    const char *clickhouse_database;
    bool clickhouse_secure;
    double clickhouse_timeout_seconds;
    int columnar_tables; /* enum columnar_tables */
    int64_t columnar_fallback_rows;
    double columnar_lag_seconds;
    int64_t columnar_block_rows;
    int64_t columnar_queue_lines;

    const char *orchestrator_url; /* NULL = only rules translate questions */
    const char *orchestrator_model;
    double orchestrator_timeout_seconds;

    int64_t streams_per_tenant;
    int64_t stream_look_rows;
    double analyze_seconds;

    int64_t journal_retention_days;
    int64_t series_days;
    int64_t log_retention_days;
    int64_t purge_rows;
    int64_t webhook_runners;
    int64_t webhook_round_deliveries;
    double webhook_retry_hours;
    int64_t webhook_answer_bytes;
    int64_t webhook_answer_kept_bytes;
    int64_t webhooks_max;
    int64_t alerts_max;
    int64_t alert_change_attempts;
    double alert_seconds;
    double alert_event_seconds;

    int64_t ops_orders_scan_limit;
    int64_t ops_inbox_scan_limit;
    int64_t replay_lease_seconds;

    int node_role;          /* enum livedata_node_role */
    const char *node_token; /* shown by edges; NULL with NODE_STANDALONE */
    struct string_list node_branches;
    double node_live_seconds;
    const char *node_center_url; /* for edges, like the next one */
    const char *node_branch;
    double node_push_seconds;
    int64_t node_push_batch;

    int confine;    /* enum confine_mode */
    int log_level;  /* enum log_level */
    int log_format; /* enum log_format */
};

enum livedata_profile { PROFILE_DEMO, PROFILE_DEV, PROFILE_PRODUCTION };
enum livedata_node_role { NODE_STANDALONE, NODE_CENTER, NODE_EDGE };
enum columnar_tables { COLUMNAR_LARGE, COLUMNAR_ALL };
enum livedata_as_of { AS_OF_VERSIONS, AS_OF_CURRENT };

extern const struct setting livedata_settings_table[];
extern const size_t livedata_settings_count;

/* The setting that allows access without a key or with a published key; NULL when there is none. */
const char *livedata_open_by(const struct livedata_settings *settings);

/* Loads the table, checks rules across several settings and fills in derived values. ERROR_INVALID
 * names the variable. */
MUST_CHECK enum error livedata_settings_load(struct livedata_settings *settings,
                                             struct arena *arena,
                                             const char *(*lookup)(const char *name),
                                             struct problem *problem);

#endif
