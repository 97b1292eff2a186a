/* The table of settings of the live-data service, and the rules that span several of them. */
#include "livedata/settings.h"
#include "db/common_settings.h"

#include "base/demo_files.h"
#include "base/log.h"
#include "base/number.h"
#include "base/string_list.h"
#include "db/db.h"
#include "kafka/kafka_settings.h"
#include "livedata/timestamp.h"
#include "net/redis.h"
#include "webhook/webhook.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define AT(member) offsetof(struct livedata_settings, member)

#define DEMO_KEY "demo-key"               /* published: for demonstrations on a local machine */
#define PUBLISHED_PEPPER "assay-livedata" /* of earlier versions */

static const char *const profile_names[] = {"demo", "dev", "production", NULL};
static const char *const node_roles[] = {"standalone", "center", "edge", NULL};
static const char *const columnar_names[] = {"large", "all", NULL};
static const char *const as_of_names[] = {"versions", "current", NULL};

const struct setting livedata_settings_table[] = {
    {"LIVE_APP_NAME", SETTING_TEXT, AT(app_name), "Live Data API",
     .help = "Title of the API document."},
    {"LIVE_APP_VERSION", SETTING_TEXT, AT(app_version), "2.0.0",
     .help = "Version in the API document."},
    {"LIVE_PROFILE", SETTING_CHOICE, AT(profile), "dev", .choices = profile_names,
     .help = "`production` hides the API document and refuses demo mode."},
    COMMON_SETTINGS("LIVE_", "LIVE_", "8010", "268435456"),
    ACCOUNTS_SETTINGS,
    CLOCK_SETTINGS,
    SYNCHRONOUS_SETTING("LIVE_"),
    {"LIVE_DATABASE_URL", SETTING_TEXT, AT(database_url), NULL, .secret = true,
     .help = "`postgresql://user:password@host/name`, or `sqlite:///absolute/path`; unset uses "
             "LIVE_DB_PATH."},
    REPLICA_SETTINGS("LIVE_"),
    {"LIVE_DB_PATH", SETTING_TEXT, AT(db_path), "data/livedata.sqlite3", .required = true,
     .help = "SQLite file; its folder is made. `nginx/stack` puts it below the stack's directory."},
    {"LIVE_DB_POOL_SIZE", SETTING_INTEGER, AT(db_pool_size), "16", 1, 1000,
     .help = "PostgreSQL connections that all workers of this host may hold together."},
    {"LIVE_INGEST_PAGE_CACHE_KIB", SETTING_INTEGER, AT(ingest_cache_kib), "16384", 0, 1048576,
     .help =
         "Pages of the SQLite file that a worker of the family `events` keeps in memory, so that "
         "a batch does not read them again; 0: 2 MB, as all others have."},
    {"LIVE_CONFIG_DIR", SETTING_LIST, AT(config_folders), "",
     .help = "Folders of the files that declare entities, metrics, contracts, SLOs and versions, "
             "one for each domain, with commas between; versions are those of the first. Unset: "
             "`config/livedata` beside ASSAY_SQL_DIR, which is the shop; with "
             "LIVE_DEMO_LANGUAGE also `config/demo/machines` and `machine_metrics`."},
    {"LIVE_ENTITY_CONTRACTS_DIR", SETTING_TEXT, AT(entities_directory), NULL,
     .help = "Folder of the entity files; unset: `entities` below the first folder of "
             "LIVE_CONFIG_DIR."},
    {"LIVE_CONTRACTS_DIR", SETTING_TEXT, AT(contracts_directory), NULL,
     .help = "Folder of the schema contracts; unset: `contracts` below the first folder of "
             "LIVE_CONFIG_DIR."},
    {"LIVE_METRICS_DIR", SETTING_TEXT, AT(metrics_directory), NULL,
     .help = "Folder of the metric files; unset: `metrics` below the first folder of "
             "LIVE_CONFIG_DIR."},
    {"LIVE_SLO_FILE", SETTING_TEXT, AT(slo_file), NULL,
     .help = "The SLO definitions; unset: `slo.yaml` below the first folder of "
             "LIVE_CONFIG_DIR."},
    {"LIVE_API_VERSIONS_FILE", SETTING_TEXT, AT(versions_file), NULL,
     .help = "The API versions; unset: `api_versions.yaml` below the first folder of "
             "LIVE_CONFIG_DIR."},
    {"LIVE_TENANTS_FILE", SETTING_TEXT, AT(tenants_file), NULL,
     .help = "The tenants with their domains, limits and pins; its existence makes reads without a "
             "tenant fail closed."},
    {"LIVE_AUTH_DISABLED", SETTING_BOOLEAN, AT(auth_disabled), "false",
     .help = "Answer everybody, without keys."},
    {"LIVE_API_KEYS", SETTING_TEXT, AT(api_keys), NULL, .secret = true,
     .help = "Keys of the tenant `default`, as `key:name,key:name`."},
    {"LIVE_API_KEYS_FILE", SETTING_TEXT, AT(keys_file), NULL,
     .help = "YAML file of keys, imported at start."},
    {"LIVE_ADMIN_KEY", SETTING_TEXT, AT(admin_key), NULL, 8, .secret = true,
     .help = "Opens /v1/admin; unset: nobody may."},
    {"LIVE_KEY_LOOKUP_PEPPER", SETTING_TEXT, AT(lookup_pepper), NULL, .secret = true,
     .help = "Keys the digests under which API keys are stored. Unset, it is the one that "
             "`nginx/stack` makes for a new installation (`state/livedata-pepper`); an older one, "
             "and one on PostgreSQL, goes on with the published value. Hosts that share a database "
             "share it."},
    {"LIVE_RATE_LIMIT_RPM", SETTING_INTEGER, AT(rate_limit_rpm), "120", 1, 100000,
     .help = "Requests a minute of keys that say nothing else."},
    {"LIVE_MAX_FAILED_AUTH_PER_IP_PER_HOUR", SETTING_INTEGER, AT(failed_auth_limit), "10", 1,
     100000, .help = "Failures to authenticate after which an address is refused for an hour."},
    {"LIVE_ROTATION_GRACE_PERIOD_SECONDS", SETTING_INTEGER, AT(rotation_grace_seconds), "86400", 1,
     31536000, .help = "How long the old key works after a rotation."},
    {"LIVE_DEMO_MODE", SETTING_BOOLEAN, AT(demo_mode), "false",
     .help = "Read-only demonstration with a public key."},
    {"LIVE_SEED_ON_BOOT", SETTING_BOOLEAN, AT(seed_on_boot), "false",
     .help = "Fill an empty store with the demonstration's data."},
    DEMO_SETTING("LIVE_"),
    {"DEMO_API_KEY", SETTING_TEXT, AT(demo_key), DEMO_KEY,
     .help = "The public key of the demo mode."},
    {"LIVE_CORS_ORIGINS", SETTING_LIST, AT(cors_origins), "http://localhost:3000",
     .help = "Origins whose pages may call the API."},
    {"LIVE_COMPAT_BRANDS", SETTING_LIST, AT(compat_brands), "",
     .help = "Words W for which X-W-… headers are understood and sent beside X-Live-…."},
    {"LIVE_EGRESS_ALLOWED_HOSTS", SETTING_LIST, AT(egress_hosts), "",
     .help = "Host names that webhooks may name although they are not public."},
    {"LIVE_TRUSTED_PROXIES", SETTING_LIST, AT(trusted_proxies), "",
     .help = "Peers whose X-Forwarded-For is believed."},
    {"LIVE_REQUEST_SIZE_LIMIT_BYTES", SETTING_INTEGER, AT(max_body_bytes), "1048576", 1024,
     268435456, .help = "Largest request body."},
    {"LIVE_INGEST_MAX_BATCH", SETTING_INTEGER, AT(ingest_max_batch), "500", 1, 10000,
     .help = "Events in one request."},
    {"LIVE_MAX_CLOCK_AHEAD_SECONDS", SETTING_INTEGER, AT(max_clock_ahead_seconds), "300", 0, 86400,
     .help = "How far in the future the time of an event may lie."},
    {"LIVE_SOURCES_MAX", SETTING_INTEGER, AT(sources_max), "1000", 1, 100000,
     .help = "Sources of a tenant that send heartbeats. One that has sent none for "
             "LIVE_JOURNAL_RETENTION_DAYS is forgotten."},
    {"FRESHNESS_SLA_SECONDS", SETTING_NUMBER, AT(freshness_sla_seconds), "30", 0.1, 86400,
     .help = "Age of the newest event up to which the data is fresh."},
    {"LIVE_SLO_MIN_EVENTS", SETTING_INTEGER, AT(slo_min_events), "5", 0, 1000000,
     .help = "Requests, events or checks that a window of a service level needs for a burn rate; "
             "with fewer "
             "there is not enough traffic. A level of the file may set its own `min_events`."},
    {"LIVE_SLO_MIN_FAILURES", SETTING_INTEGER, AT(slo_min_failures), "1", 0, 1000000,
     .help =
         "Failed requests, events or checks below which a service level is neither breached nor at "
         "risk, whatever its share. A level of the file may set its own `min_failures`."},
    {"LIVE_HEALTH_CACHE_TTL_SECONDS", SETTING_NUMBER, AT(health_cache_seconds), "5", 0, 3600,
     .help = "How long a health report is kept."},
    {"CACHE_TTL_SECONDS", SETTING_NUMBER, AT(cache_ttl_seconds), "30", 0, 86400,
     .help = "How long a cached metric is served when nothing changes."},
    {"LIVE_ENTITY_CACHE_TTL_SECONDS", SETTING_NUMBER, AT(entity_cache_ttl_seconds), "5", 0, 86400,
     .help = "How long a cached entity is served when nothing changes."},
    {"LIVE_CACHE_POLL_SECONDS", SETTING_NUMBER, AT(cache_poll_seconds), "0.2", 0.01, 60,
     .help =
         "How old a cached answer may be for changes that other hosts have made, when it is not "
         "heard of them (PostgreSQL)."},
    {"LIVE_CACHE_LISTEN", SETTING_BOOLEAN, AT(cache_listen), "true",
     .help = "Hear of other hosts' changes by LISTEN on PostgreSQL; not possible behind a pooler "
             "that lends connections by transaction."},
    {"REDIS_URL", SETTING_TEXT, AT(redis_url), NULL, .secret = true,
     .help = "`redis://[user:password@]host[:port][/database]`: hosts tell each other there, too, "
             "what was changed; unset: none."},
    KAFKA_SETTINGS("LIVE_", "live-serving-bridge", "256"),
    {"LIVE_BRIDGE_TOPICS", SETTING_LIST, AT(bridge_topics), "events.validated",
     .help = "Topics of Kafka that `livedata-bridge` applies, events as POST /v1/events takes them "
             "or rows as Debezium writes them; `^` begins a pattern. Of a tenant with "
             "`kafka_topic_prefix` in LIVE_TENANTS_FILE also `<prefix>.<topic>`."},
    {"LIVE_INTAKE", SETTING_CHOICE, AT(intake), "database", .choices = kafka_intake_names,
     .help = "Where events go that come to POST /v1/events: `database`, or `kafka`, where they are "
             "published and answered with 202 when all replicas have them."},
    {"LIVE_INTAKE_TOPIC", SETTING_TEXT, AT(intake_topic), "events.validated", 1, 200,
     .required = true,
     .help = "Topic that LIVE_INTAKE=kafka publishes to; of a tenant with `kafka_topic_prefix` "
             "`<prefix>.<topic>`. LIVE_BRIDGE_TOPICS has to name it."},
    {"CLICKHOUSE_HOST", SETTING_TEXT, AT(clickhouse_host), NULL,
     .help = "ClickHouse with copies of the tables that LIVE_COLUMNAR_TABLES names, which answers "
             "their metrics; unset: none."},
    {"CLICKHOUSE_PORT", SETTING_INTEGER, AT(clickhouse_port), "8123", 1, 65535,
     .help = "Port of its HTTP interface."},
    {"CLICKHOUSE_USER", SETTING_TEXT, AT(clickhouse_user), "default", .required = true,
     .help = "User there; may create databases and tables."},
    {"CLICKHOUSE_PASSWORD", SETTING_TEXT, AT(clickhouse_password), NULL, .secret = true,
     .help = "Password of that user; unset: none."},
    {"CLICKHOUSE_DATABASE", SETTING_TEXT, AT(clickhouse_database), "assay_livedata", 1, 60,
     .required = true,
     .help = "Database there, of lower-case letters, digits and _; it is created. Each "
             "installation needs its own."},
    {"CLICKHOUSE_SECURE", SETTING_BOOLEAN, AT(clickhouse_secure), "false",
     .help = "Use HTTPS; the certificate is checked."},
    {"CLICKHOUSE_TIMEOUT_SECONDS", SETTING_NUMBER, AT(clickhouse_timeout_seconds), "10", .1, 600,
     .help = "How long ClickHouse may take for an insert or an answer."},
    {"LIVE_COLUMNAR_TABLES", SETTING_CHOICE, AT(columnar_tables), "large",
     .choices = columnar_names,
     .help = "Which entities of domains are copied to ClickHouse: those whose file says `large: "
             "true`, or all."},
    {"LIVE_COLUMNAR_FALLBACK_ROWS", SETTING_INTEGER, AT(columnar_fallback_rows), "200000", 0,
     1000000000,
     .help = "The database itself answers a metric while ClickHouse cannot, if the tenant has at "
             "most so many rows in the table; else the answer is 503."},
    {"LIVE_COLUMNAR_LAG_SECONDS", SETTING_NUMBER, AT(columnar_lag_seconds), "60", .1, 86400,
     .help = "How far the copy may lag behind before it no longer answers. Until then answers say "
             "how old they are."},
    {"LIVE_COLUMNAR_BLOCK_ROWS", SETTING_INTEGER, AT(columnar_block_rows), "10000", 1, 500000,
     .help = "Rows that are sent to ClickHouse in one insert."},
    {"LIVE_COLUMNAR_QUEUE_LINES", SETTING_INTEGER, AT(columnar_queue_lines), "20000000", 1000,
     1000000000000,
     .help = "Changes of a table that wait for ClickHouse. Beyond that the copy is given up, and "
             "filled anew when ClickHouse is back."},
    {"LIVE_METRIC_AS_OF", SETTING_CHOICE, AT(metric_as_of), "versions", .choices = as_of_names,
     .help = "Whether historical order metrics see orders as they were then, or as they are now."},
    {"LIVE_CURRENCY", SETTING_TEXT, AT(currency), "RUB", 3, 3, .required = true,
     .help = "Default currency, ISO 4217: sums of money are in it, and add orders in it."},
    {"LIVE_CURRENCY_RATES", SETTING_LIST, AT(currency_rate_list), "",
     .help = "Currencies that are added too, with their worth in the default one: "
             "`USD=90.50,EUR=98.20`. Others are listed beside the sum."},
    {"LIVE_TIME_ZONE", SETTING_TEXT, AT(time_zone), "UTC", .required = true,
     .help = "Time zone of today, yesterday, months and dates in questions, as in `Europe/Berlin`; "
             "`time_zone` in the tenants file sets that of one tenant."},
    {"LIVE_QUERY_TIMEOUT_MS", SETTING_INTEGER, AT(query_timeout_ms), "5000", 10, 600000,
     .help = "How long a query may run."},
    {"LIVE_WAITS_PER_FAMILY", SETTING_INTEGER, AT(waits_per_family), "1", 0, 256,
     .help = "How many requests of a family wait (wait=) at a time, each in a worker; fewer than "
             "the family has."},
    {"LIVE_QUERY_ROWS_MAX", SETTING_INTEGER, AT(query_rows_max), "1000", 1, 10000,
     .help = "Rows of an answer that has no pages."},
    {"ORCH_URL", SETTING_TEXT, AT(orchestrator_url), NULL,
     .help = "Orchestrator that translates questions which the rules do not know; unset: none."},
    {"ORCH_NL_SQL_MODEL", SETTING_TEXT, AT(orchestrator_model), "claude-sonnet-5",
     .help = "Model that it is asked for."},
    {"ORCH_TIMEOUT_SECONDS", SETTING_NUMBER, AT(orchestrator_timeout_seconds), "60", 0.1, 600,
     .help = "How long it may take."},
    {"LIVE_SSE_MAX_STREAMS_PER_TENANT", SETTING_INTEGER, AT(streams_per_tenant), "5", 1, 1000,
     .help = "Event streams that a tenant may hold open."},
    {"LIVE_STREAM_LOOK_ROWS", SETTING_INTEGER, AT(stream_look_rows), "10000", 100, 1000000,
     .help = "Rows of the journal that opening a stream looks at; a stream that has missed more is "
             "told from where to go on, and ends."},
    {"LIVE_ANALYZE_SECONDS", SETTING_NUMBER, AT(analyze_seconds), "600", 1, 604800,
     .help = "How often `livedata-worker` refreshes the statistics of the database's planner."},
    {"LIVE_JOURNAL_RETENTION_DAYS", SETTING_INTEGER, AT(journal_retention_days), "90", 1, 36500,
     .help = "How long journal rows are kept; the last version of each entity stays."},
    {"LIVE_SERIES_DAYS", SETTING_INTEGER, AT(series_days), "90", 0, 3650,
     .help = "How far back the points of series are kept, so that they are not computed from rows "
             "each time; 0 = none are. The same on all hosts of a database."},
    {"LIVE_LOG_RETENTION_DAYS", SETTING_INTEGER, AT(log_retention_days), "30", 1, 36500,
     .help = "How long usage, delivery history and kept answers stay."},
    {"LIVE_PURGE_ROWS", SETTING_INTEGER, AT(purge_rows), "2000", 100, 100000,
     .help = "Rows of each kind that `livedata-worker` forgets a minute when they are old; where "
             "more come in, tables grow."},
    {"LIVE_WEBHOOK_RUNNERS", SETTING_INTEGER, AT(webhook_runners), "4", 1, 64,
     .help = "Deliveries at a time."},
    {"LIVE_WEBHOOK_ROUND_DELIVERIES", SETTING_INTEGER, AT(webhook_round_deliveries), "50", 1, 10000,
     .help = "Deliveries that a process of `livedata-worker` makes before it looks at the alerts "
             "again; those of alerts are counted apart."},
    {"LIVE_WEBHOOK_RETRY_HOURS", SETTING_NUMBER, AT(webhook_retry_hours), "24", 0.001, 720,
     .help = "How long after the first attempt a webhook that fails is still tried, with growing "
             "pauses."},
    {"LIVE_WEBHOOK_ANSWER_BYTES", SETTING_INTEGER, AT(webhook_answer_bytes), "65536", 1024, 1048576,
     .help = "How much of a receiver's answer is read; the connection is closed then."},
    {"LIVE_WEBHOOK_ANSWER_KEPT_BYTES", SETTING_INTEGER, AT(webhook_answer_kept_bytes), "2048", 0,
     65536, .help = "How much of it is kept with the delivery; 0 = nothing."},
    {"LIVE_WEBHOOKS_MAX", SETTING_INTEGER, AT(webhooks_max), "200", 1, 1000,
     .help = "Webhooks that a tenant may have."},
    {"LIVE_ALERTS_MAX", SETTING_INTEGER, AT(alerts_max), "200", 1, 1000,
     .help = "Alerts that a tenant may have."},
    {"LIVE_ALERT_CHANGE_ATTEMPTS", SETTING_INTEGER, AT(alert_change_attempts), "20", 1, 1000,
     .help = "How often a change of an alert begins anew because others changed it meanwhile; then "
             "409."},
    {"LIVE_ALERT_SECONDS", SETTING_NUMBER, AT(alert_seconds), "60", 0.1, 86400,
     .help = "How often an alert is looked at when nothing happens."},
    {"LIVE_ALERT_EVENT_SECONDS", SETTING_NUMBER, AT(alert_event_seconds), "1", 0, 86400,
     .help = "Least time between two looks at an alert whose metric is moved by events."},
    {"LIVE_OPS_ORDERS_SCAN_LIMIT", SETTING_INTEGER, AT(ops_orders_scan_limit), "20000", 1, 1000000,
     .help = "Open orders that a look for stuck ones takes in."},
    {"LIVE_OPS_INBOX_SCAN_LIMIT", SETTING_INTEGER, AT(ops_inbox_scan_limit), "20000", 1, 20000,
     .help = "Exceptions of a kind that a list of them takes in."},
    {"LIVE_CONTROLPLANE_LEASE_SECONDS", SETTING_INTEGER, AT(replay_lease_seconds), "300", 1, 86400,
     .help = "How long a replay may be under way before it counts as an exception."},
    {"LIVE_NODE_ROLE", SETTING_CHOICE, AT(node_role), "standalone", .choices = node_roles,
     .help = "`center` takes the events of its branches, `edge` hands on to a centre what is "
             "applied here."},
    {"LIVE_NODE_TOKEN", SETTING_TEXT, AT(node_token), NULL, .secret = true,
     .help = "What edges show the centre; both need it."},
    {"LIVE_NODE_BRANCHES", SETTING_LIST, AT(node_branches), "",
     .help = "Branches whose events the centre takes."},
    {"LIVE_NODE_LIVE_SECONDS", SETTING_NUMBER, AT(node_live_seconds), "60", 1, 86400,
     .help = "How long after its last event a branch counts as live."},
    {"LIVE_NODE_CENTER_URL", SETTING_TEXT, AT(node_center_url), NULL,
     .help = "Address of the centre, for an edge."},
    {"LIVE_NODE_BRANCH", SETTING_TEXT, AT(node_branch), NULL,
     .help = "What an edge calls itself: one of the centre's branches."},
    {"LIVE_NODE_PUSH_SECONDS", SETTING_NUMBER, AT(node_push_seconds), "1", 0.05, 3600,
     .help = "How often an edge looks for what it has to hand on."},
    {"LIVE_NODE_PUSH_BATCH", SETTING_INTEGER, AT(node_push_batch), "100", 1, 500,
     .help = "Events that it hands on at a time."},
};

const size_t livedata_settings_count =
    sizeof livedata_settings_table / sizeof livedata_settings_table[0];

/* The shop; in the demonstration machines, too, and their metrics. */
static struct string_list domains_unless_given(const struct livedata_settings *settings,
                                               struct arena *arena)
{
    static const char *const demo_folders[] = {"machines", "machine_metrics"};
    struct string_list folders = {1, ARENA_ARRAY(arena, const char *, 3)};

    folders.items[0] = arena_print(arena, "%s/../config/livedata", settings->sql_directory);
    for (size_t i = 0; settings->demo_language && i < COUNT_OF(demo_folders); i++)
        folders.items[folders.count++] =
            arena_print(arena, "%s/../config/demo/%s", settings->sql_directory, demo_folders[i]);
    return folders;
}

/* Whether the first folder is that of the shop. */
static bool begins_with_shop(const struct livedata_settings *settings, struct arena *arena)
{
    const char *shop = arena_print(arena, "%s/../config/livedata", settings->sql_directory);
    struct stat ours, first;

    return stat(shop, &ours) == 0 && stat(settings->config_directory, &first) == 0 &&
           ours.st_dev == first.st_dev && ours.st_ino == first.st_ino;
}

static void fill_paths(struct livedata_settings *settings, struct arena *arena)
{
    const struct {
        const char **path;
        const char *name;
    } below[] = {{&settings->entities_directory, "entities"},
                 {&settings->contracts_directory, "contracts"},
                 {&settings->metrics_directory, "metrics"},
                 {&settings->slo_file, "slo.yaml"},
                 {&settings->versions_file, "api_versions.yaml"}};

    if (!settings->config_folders.count)
        settings->config_folders = domains_unless_given(settings, arena);
    settings->config_directory = settings->config_folders.items[0];
    /* The demonstration's shop has fewer orders than the contracts promise. */
    if (settings->demo_language && !settings->contracts_directory &&
        begins_with_shop(settings, arena))
        settings->contracts_directory =
            arena_print(arena, "%s/../config/demo/contracts", settings->sql_directory);
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++)
        if (!*below[i].path)
            *below[i].path = arena_print(arena, "%s/%s", settings->config_directory, below[i].name);
}

static bool is_currency(const char *text)
{
    return strlen(text) == 3 && strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3;
}

/* `USD=90.50`: the rate stays as it was written, for it goes into statements. */
static bool read_rate(struct arena *arena, const char *text, struct currency_rate *rate)
{
    const char *worth = strchr(text, '=');
    double number;

    if (!worth)
        return false;
    rate->currency = arena_copy(arena, text, (size_t)(worth - text));
    rate->text = worth + 1;
    return is_currency(rate->currency) && strlen(rate->text) <= 20 &&
           strspn(rate->text, "0123456789.") == strlen(rate->text) &&
           number_parse(rate->text, &number) && number > 0;
}

static enum error read_rates(struct livedata_settings *settings, struct arena *arena,
                             struct problem *problem)
{
    const struct string_list *list = &settings->currency_rate_list;
    struct currency_rates *rates = &settings->currency_rates;

    if (!is_currency(settings->currency))
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "LIVE_CURRENCY must be three capital letters, as in EUR");
    rates->items = ARENA_ARRAY(arena, struct currency_rate, list->count);
    for (size_t i = 0; i < list->count; i++, rates->count++)
        if (list->count > CURRENCY_RATES_MAX ||
            !read_rate(arena, list->items[i], &rates->items[i]) ||
            strcmp(rates->items[i].currency, settings->currency) == 0)
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "LIVE_CURRENCY_RATES: '%.40s' is not like USD=90.50, with another "
                               "currency than LIVE_CURRENCY",
                               list->items[i]);
    return ERROR_NONE;
}

static enum error refuse(struct problem *problem, const char *text)
{
    return problem_set(problem, ERROR_INVALID, "setting_invalid", "%s", text);
}

static enum error check_redis(const struct livedata_settings *settings, struct arena *arena,
                              struct problem *problem)
{
    struct problem why;
    struct redis *redis;

    if (redis_open(arena, settings->redis_url, LIVE_REDIS_TIMEOUT, &redis, &why))
        return problem_set(problem, ERROR_INVALID, "setting_invalid", "REDIS_URL %s", why.text);
    if (settings->profile == PROFILE_PRODUCTION && !redis_is_local(redis))
        return refuse(problem, "REDIS_URL is not encrypted: with LIVE_PROFILE=production it must "
                               "name this machine");
    return ERROR_NONE;
}

/* The name stands in statements. */
static enum error check_clickhouse(const struct livedata_settings *settings,
                                   struct problem *problem)
{
    const char *name = settings->clickhouse_database, *host = settings->clickhouse_host;
    bool local;

    if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
        return refuse(problem, "CLICKHOUSE_DATABASE is of lower-case letters, digits and _");
    if (!*host || strpbrk(host, "/@?# "))
        return refuse(problem, "CLICKHOUSE_HOST is a name or an address, without port and scheme");
    local = strcmp(host, "localhost") == 0 || strcmp(host, "127.0.0.1") == 0;
    if (settings->profile == PROFILE_PRODUCTION && !settings->clickhouse_secure && !local)
        return refuse(problem, "CLICKHOUSE_SECURE is needed with LIVE_PROFILE=production, unless "
                               "CLICKHOUSE_HOST is this machine");
    return ERROR_NONE;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whether the connection, and the token on it, can be read by others on the network. */
static bool is_in_the_clear(const char *url)
{
    return !starts_with(url, "https://") && !starts_with(url, "http://127.") &&
           !starts_with(url, "http://localhost") && !starts_with(url, "http://[::1]");
}

static enum error check_edge(const struct livedata_settings *settings, struct problem *problem)
{
    const char *url = settings->node_center_url;

    if (!url || (!starts_with(url, "https://") && !starts_with(url, "http://")))
        return refuse(problem, "LIVE_NODE_ROLE=edge needs LIVE_NODE_CENTER_URL, http or https");
    if (!settings->node_branch)
        return refuse(problem, "LIVE_NODE_ROLE=edge needs LIVE_NODE_BRANCH");
    if (settings->profile == PROFILE_PRODUCTION && is_in_the_clear(url))
        return refuse(problem, "LIVE_NODE_CENTER_URL is not encrypted: with "
                               "LIVE_PROFILE=production it must be https, or this machine");
    return ERROR_NONE;
}

/* These become parts of header names. */
static enum error check_brands(const struct string_list *brands, struct problem *problem)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";

    if (brands->count > WEBHOOK_BRANDS_MAX)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "LIVE_COMPAT_BRANDS has at most %d words", WEBHOOK_BRANDS_MAX);
    for (size_t i = 0; i < brands->count; i++)
        if (!*brands->items[i] || brands->items[i][strspn(brands->items[i], letters)])
            return refuse(problem,
                          "LIVE_COMPAT_BRANDS has words of letters, digits and dashes only");
    return ERROR_NONE;
}

static enum error check_node(const struct livedata_settings *settings, struct problem *problem)
{
    if (settings->node_role == NODE_STANDALONE)
        return ERROR_NONE;
    if (!settings->node_token)
        return refuse(problem, "LIVE_NODE_ROLE=center and =edge need LIVE_NODE_TOKEN");
    if (strcmp(settings->node_token, settings->demo_key) == 0)
        return refuse(problem, "LIVE_NODE_TOKEN must differ from DEMO_API_KEY");
    return settings->node_role == NODE_EDGE ? check_edge(settings, problem) : ERROR_NONE;
}

/* A pattern might take the beginning of the topic for a tenant's prefix. */
static enum error check_intake(const struct livedata_settings *settings, struct problem *problem)
{
    const struct string_list *read = &settings->bridge_topics;

    if (settings->intake != KAFKA_INTAKE_KAFKA)
        return ERROR_NONE;
    if (!settings->kafka.brokers)
        return refuse(problem, "LIVE_INTAKE is kafka, and KAFKA_BOOTSTRAP_SERVERS is not set");
    for (size_t i = 0; i < read->count; i++)
        if (strcmp(read->items[i], settings->intake_topic) == 0)
            return ERROR_NONE;
    return refuse(problem, "LIVE_INTAKE_TOPIC is not among LIVE_BRIDGE_TOPICS: nobody would apply "
                           "the events");
}

const char *livedata_open_by(const struct livedata_settings *settings)
{
    if (settings->auth_disabled)
        return "LIVE_AUTH_DISABLED is set";
    if (settings->demo_mode && strcmp(settings->demo_key, DEMO_KEY) == 0)
        return "LIVE_DEMO_MODE is set and DEMO_API_KEY is the published one";
    return NULL;
}

/* The demonstration's amounts are in the currency of its language, unless the settings name one. */
static enum error choose_currency(struct livedata_settings *settings, struct arena *arena,
                                  const char *(*lookup)(const char *name), struct problem *problem)
{
    const struct demo_files files = {settings->sql_directory, settings->demo_language};
    const char *given = lookup ? lookup("LIVE_CURRENCY") : getenv("LIVE_CURRENCY");
    struct demo_currency currency;
    enum error error;

    if (!settings->demo_language || (given && *given))
        return ERROR_NONE;
    error = demo_currency_read(arena, &files, &currency, problem);
    if (!error)
        settings->currency = currency.code;
    return error ? ERROR_INVALID : ERROR_NONE;
}

/* Keys that were issued before there was a pepper of one's own have the published one. */
static void fill_pepper(struct livedata_settings *settings, struct arena *arena)
{
    if (!settings->lookup_pepper)
        settings->lookup_pepper =
            settings_made_secret(arena, settings->state_directory, "livedata-pepper");
    if (!settings->lookup_pepper)
        settings->lookup_pepper = PUBLISHED_PEPPER;
}

enum error livedata_settings_load(struct livedata_settings *settings, struct arena *arena,
                                  const char *(*lookup)(const char *name), struct problem *problem)
{
    enum error error = settings_load(livedata_settings_table, livedata_settings_count, settings,
                                     arena, lookup, problem);

    if (error)
        return error;
    fill_paths(settings, arena);
    fill_pepper(settings, arena);
    if (choose_currency(settings, arena, lookup, problem))
        return ERROR_INVALID;
    if (read_rates(settings, arena, problem))
        return ERROR_INVALID;
    if (!zone_is_known(settings->time_zone))
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "LIVE_TIME_ZONE: '%.60s' is no time zone, as Europe/Berlin is",
                           settings->time_zone);
    if (settings->demo_mode && settings->profile == PROFILE_PRODUCTION)
        return refuse(problem, "LIVE_DEMO_MODE must not be set with LIVE_PROFILE=production");
    if (settings_check_origins("LIVE_CORS_ORIGINS", &settings->cors_origins,
                               settings->auth_disabled ? "LIVE_AUTH_DISABLED is set" : NULL,
                               problem))
        return ERROR_INVALID;
    if (string_list_has(&settings->cors_origins, "*") && settings->profile != PROFILE_DEMO)
        return refuse(problem, "LIVE_CORS_ORIGINS may be * with LIVE_PROFILE=demo only");
    if (settings->redis_url && check_redis(settings, arena, problem))
        return ERROR_INVALID;
    if (settings->clickhouse_host && check_clickhouse(settings, problem))
        return ERROR_INVALID;
    if (check_intake(settings, problem))
        return ERROR_INVALID;
    if (check_node(settings, problem) || check_brands(&settings->compat_brands, problem))
        return ERROR_INVALID;
    if (settings->journal_retention_days < 30)
        return refuse(problem, "LIVE_JOURNAL_RETENTION_DAYS must cover the windows of SLOs: 30");
    return ERROR_NONE;
}
