/* The table of settings of the orchestrator, and the rules that span several of them. */
#include "orchestrator/settings.h"

#include "base/zone.h"
#include "db/common_settings.h"

#include "base/log.h"
#include "base/number.h"
#include "db/db.h"
#include "net/address.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const storage_backend_names[STORAGE_BACKEND__MAX + 1] = {"sqlite", "postgres", "memory",
                                                                     NULL};
const char *const browser_driver_names[BROWSER_DRIVER__MAX + 1] = {"null", "scripted", "cdp", NULL};

const char *const answer_cache_names[ANSWER_CACHE__MAX + 1] = {"asked", "steady", "all", NULL};

#define AT(member) offsetof(struct orchestrator_settings, member)

/* The five settings of a provider. */
/* NOLINTBEGIN(bugprone-macro-parentheses): literals are joined to one name */
#define PROVIDER(prefix, member, url, seconds, whom)                                                \
    {prefix "_API_KEY",  SETTING_TEXT,                                                              \
     AT(member.api_key), NULL,                                                                      \
     .secret = true,     .help = "Key of " whom "; without it nothing is called there."},           \
        {prefix "_BASE_URL",  SETTING_TEXT,                                                         \
         AT(member.base_url), url,                                                                  \
         .required = true,    .help = "Where " whom " is called; https, or http on this host."},    \
        {prefix "_TIMEOUT_SECONDS", SETTING_NUMBER, AT(member.timeout_seconds), seconds, 0.1, 3600, \
         .help = "Longest attempt."},                                                               \
        {prefix "_MAX_RETRIES",                                                                     \
         SETTING_INTEGER,                                                                           \
         AT(member.max_retries),                                                                    \
         "0",                                                                                       \
         0,                                                                                         \
         10,                                                                                        \
         .help = "Further attempts where a failure may pass."},                                     \
    {                                                                                               \
        prefix "_RETRY_BACKOFF_SECONDS", SETTING_NUMBER, AT(member.backoff_seconds), "1.0", 0, 60,  \
            .help = "Pause before the second attempt; each further one is twice as long."           \
    }

/* NOLINTEND(bugprone-macro-parentheses) */

const struct setting orchestrator_settings_table[] = {
    {"ORCH_VERSION", SETTING_TEXT, AT(version), "1.0.0",
     .help = "Version in health answers and snapshots."},
    {"ORCH_BUILD_SHA", SETTING_TEXT, AT(build_sha), "unknown",
     .help = "Commit the binaries were built from; `nginx/stack` fills it in from git."},
    {"ORCH_ENV", SETTING_TEXT, AT(environment), "development", .help = "Name of the environment."},
    COMMON_SETTINGS("ORCH_", "ORCH_", "8011", "536870912"),
    ACCOUNTS_SETTINGS,
    REQUEST_SETTINGS("ORCH_"),
    SYNCHRONOUS_SETTING("ORCH_"),
    {"ORCH_MAX_GATEWAY_BODY_BYTES", SETTING_INTEGER, AT(max_gateway_body_bytes), "33554432", 1024,
     1073741824,
     .help =
         "Largest body below /v1, in bytes; images and PDFs are part of it, a third larger than "
         "their files."},
    {"ORCH_RESPONSES_DAYS", SETTING_INTEGER, AT(responses_days), "30", 0, 36500,
     .help = "How long stored answers of /v1/responses are kept, in days; 0 = none is stored."},
    {"ORCH_REDACT_PROMPTS", SETTING_BOOLEAN, AT(redact_prompts), "false",
     .help = "Replace e-mail addresses and numbers of phones, cards, passports and tax payers by "
             "placeholders before a model gets them, and in stored tasks; answers get them back. "
             "For callers without a virtual key: keys have a switch of their own."},
    {"ORCH_ANSWER_CACHE", SETTING_CHOICE, AT(answer_cache), "asked", .choices = answer_cache_names,
     .help = "Which requests below /v1 may be answered by an earlier answer to the same request of "
             "the same caller: `asked`, those with Cache-Control: max-age; `steady`, also those "
             "with temperature 0; `all`."},
    {"ORCH_ANSWER_CACHE_SECONDS", SETTING_INTEGER, AT(answer_cache_seconds), "3600", 0, 2592000,
     .help = "How long an answer is kept for that where the request does not say; 0 = none is kept "
             "at all."},
    {"ORCH_ANSWER_CACHE_ROWS", SETTING_INTEGER, AT(answer_cache_rows), "10000", 1, 1000000,
     .help = "Most answers that are kept; the oldest make room."},
    {"ORCH_ANSWER_CACHE_BYTES", SETTING_INTEGER, AT(answer_cache_bytes), "268435456", 4096,
     1099511627776, .help = "The same in bytes."},
    {"ORCH_API_KEY", SETTING_TEXT, AT(api_key), NULL, .secret = true,
     .help = "Key of the whole API, as `Authorization: Bearer` or `X-API-Key`; unset leaves it "
             "open."},
    {"ORCH_SECRETS_KEY", SETTING_TEXT, AT(secrets_key), NULL, 32, .secret = true,
     .help =
         "Encrypts the keys of providers that administrators store with their models. Unset, it "
         "is the one that `nginx/stack` makes at the first start (`state/orchestrator-secret`). "
         "Hosts that share a database share it; with another one the keys have to be entered "
         "again."},
    {"ORCH_REQUIRE_AUTH", SETTING_BOOLEAN, AT(require_auth), "false",
     .help = "Do not start without a key on an address that others reach."},
    {"ORCH_STORAGE_BACKEND", SETTING_CHOICE, AT(storage), "sqlite",
     .choices = storage_backend_names,
     .help = "Where tasks are kept; `memory` keeps the last 10000 in the run directory until the "
             "stack stops."},
    {"ORCH_DB_PATH", SETTING_TEXT, AT(db_path), "data/orch.sqlite3", .required = true,
     .help = "SQLite file; `nginx/stack` puts it below the stack's directory."},
    {"ORCH_DB_DSN", SETTING_TEXT, AT(db_dsn), NULL, .secret = true,
     .help = "`postgresql://user:password@host/name`; needed for `postgres`."},
    REPLICA_SETTINGS("ORCH_"),
    {"ORCH_DB_CONNECT_TIMEOUT_SECONDS", SETTING_NUMBER, AT(db_connect_timeout_seconds), "5", 0.1,
     300, .help = "How long to wait for PostgreSQL."},
    {"ORCH_DB_POOL_ENABLED", SETTING_BOOLEAN, AT(db_pool_enabled), "false",
     .help = "Let all workers of this host share ORCH_DB_POOL_MAX_SIZE connections; otherwise each "
             "holds one."},
    {"ORCH_DB_POOL_MIN_SIZE", SETTING_INTEGER, AT(db_pool_min_size), "1", 1, 1000,
     .help = "Not above the maximum; connections are made when they are needed."},
    {"ORCH_DB_POOL_MAX_SIZE", SETTING_INTEGER, AT(db_pool_max_size), "5", 1, 1000,
     .help = "Connections of all workers together."},
    {"ORCH_EXECUTION_PROFILE", SETTING_CHOICE, AT(profile), "dry-run",
     .choices = execution_profile_names,
     .help = "`dry-run` calls nobody, whatever is asked; `api-only` calls providers' APIs; "
             "`hybrid` the browser as well."},
    PROVIDER("ORCH_OPENAI", openai, "https://api.openai.com/v1", "60",
             "OpenAI, or of anything that speaks its protocol"),
    PROVIDER("ORCH_ANTHROPIC", anthropic, "https://api.anthropic.com", "120", "Anthropic"),
    PROVIDER("ORCH_MISTRAL", mistral, "https://api.mistral.ai/v1", "30",
             "the embeddings that consensus compares answers by"),
    {"ORCH_MODELS_FILE", SETTING_TEXT, AT(models_file), NULL,
     .help = "JSON file with further models behind APIs; docs/use/orchestrator.md shows one."},
    DEMO_SETTING("ORCH_"),
    {"ORCH_DEMO_PORT", SETTING_INTEGER, AT(demo_port), "8012", 1, 65535,
     .help = "Loopback port of the simulated models of the demonstration."},
    {"ORCH_OUTBOUND_ALLOW_PRIVATE", SETTING_BOOLEAN, AT(outbound_allow_private), "true",
     .help = "Base URLs may lead to loopback and private addresses; only operators set them."},
    {"ORCH_MAX_ANSWER_TOKENS", SETTING_INTEGER, AT(max_answer_tokens), "0", 0, 1000000,
     .help = "Longest answer that a model is allowed where a request does not say; its price is "
             "reserved before the call. 0 = models are not told, their own maximum holds."},
    {"ORCH_ANTHROPIC_MAX_TOKENS", SETTING_INTEGER, AT(anthropic_max_tokens), "4096", 1, 1000000,
     .help = "The same for Anthropic's protocol, which requires a maximum, where neither a request "
             "nor ORCH_MAX_ANSWER_TOKENS says one."},
    {"ORCH_RESERVED_ANSWER_TOKENS", SETTING_INTEGER, AT(reserved_answer_tokens), "4096", 1, 1000000,
     .help = "Tokens of an answer whose price is reserved before a call without a maximum."},
    {"ORCH_MAX_ANSWER_BYTES", SETTING_INTEGER, AT(max_answer_bytes), "4194304", 1024, 67108864,
     .help = "Largest answer of a provider, as it is sent."},
    {"ORCH_MAX_PROMPT_CHARS", SETTING_INTEGER, AT(max_prompt_chars), "160000", 1,
     ORCHESTRATOR_PROMPT_CHARS_MAX,
     .help = "Longest prompt, in characters, files of an upload included. The whole body must fit "
             "into ORCH_MAX_REQUEST_BODY_BYTES, where a character takes up to 6 bytes."},
    {"ORCH_JUDGED_ANSWER_CHARS", SETTING_INTEGER, AT(judged_answer_chars), "40000", 1, 10000000,
     .help = "How much of each model's answer is shown to the model that compares or ranks them, "
             "in characters; what is cut has a mark."},
    {"ORCH_TRACING_ENDPOINT", SETTING_TEXT, AT(tracing_endpoint), NULL,
     .help = "The whole URL of an OpenTelemetry collector that takes traces over HTTP, such as "
             "http://127.0.0.1:4318/v1/traces; without it no spans are made."},
    {"ORCH_TRACING_SERVICE_NAME", SETTING_TEXT, AT(tracing_service_name), "orch",
     .help = "What the service is called there (service.name)."},
    {"ORCH_TRACING_HEADERS", SETTING_LIST, AT(tracing_headers), NULL, .secret = true,
     .help = "Headers of a collector that needs a key, each as name=value."},
    {"ORCH_TRACING_SAMPLE", SETTING_NUMBER, AT(tracing_sample), "1", 0, 1,
     .help = "Share of the requests that are traced, by their trace id. A traceparent of a caller "
             "within ASSAY_OTLP_TRACE_CALLERS decides for its requests."},
    {"ORCH_TRACING_TIMEOUT_SECONDS", SETTING_NUMBER, AT(tracing_timeout), "5", 0.1, 60,
     .help =
         "For the collector, or the endpoint of errors, to take a batch. What does not fit into "
         "that time is dropped; calls never wait."},
    {"ORCH_ERROR_TRACKING_DSN", SETTING_TEXT, AT(error_tracking_dsn), NULL, .secret = true,
     .help = "Where answers with a status of 500 and above are reported, by the protocol of "
             "Sentry: https://KEY@HOST/PROJECT. Reports hold no prompts, headers or addresses."},
    {"ORCH_ERROR_TRACKING_ENVIRONMENT", SETTING_TEXT, AT(error_tracking_environment), "production",
     .help = "The environment that reports name."},
    {"ORCH_VOTES_KEPT", SETTING_INTEGER, AT(votes_kept), "10000", 0, 1000000,
     .help = "Questions whose votes are kept, from which the correlation of the models' errors is "
             "learned; the newest ones."},
    {"ORCH_VOTES_ENOUGH", SETTING_INTEGER, AT(votes_enough), "100", 1, 1000000,
     .help = "Past questions of the same models and the same kind of prompt, from which on others "
             "do not count; else those of the same kind of prompt, else all."},
    {"ORCH_VOTES_GAIN", SETTING_NUMBER, AT(votes_gain), "0.01", 0, 1,
     .help = "A majority of the models that errs less than one model by no more than this "
             "probability is not worth its cost: the answer says that one model would have done."},
    {"ORCH_STREAM_SILENCE_SECONDS", SETTING_NUMBER, AT(stream_silence_seconds), "60", 0.1, 3600,
     .help = "A stream that brings nothing for so long has failed."},
    {"ORCH_STREAM_FALLBACK_MODELS", SETTING_LIST, AT(stream_fallback_models), NULL,
     .help = "Models that go on, in this order, with a stream that has broken off."},
    {"ORCH_API_BREAKER_FAILURES", SETTING_INTEGER, AT(breaker_failures), "5", 0, 1000,
     .help = "Failed attempts in a row after which all workers leave an API alone; 0 = never."},
    {"ORCH_API_BREAKER_SECONDS", SETTING_NUMBER, AT(breaker_seconds), "15", 0.001, 3600,
     .help = "For how long, until one worker tries again."},
    {"ORCH_DAILY_COST_LIMIT_USD", SETTING_NUMBER, AT(daily_cost_limit_usd), "5.0", -1, 1000000,
     .help = "What all calls of a day (UTC) may cost together; 0 or less = no limit."},
    {"ORCH_TIME_ZONE", SETTING_TEXT, AT(time_zone), "UTC", .required = true,
     .help = "Time zone in which hours, days, weeks, months and quarters of budgets begin, and in "
             "which spending is summed by day, as in `Europe/Berlin`."},
    {"ORCH_ALERT_WEBHOOK_URL", SETTING_TEXT, AT(alert_webhook_url), NULL, .secret = true,
     .help = "Where notices of budgets are posted; unset: they wait."},
    {"ORCH_ALERT_WEBHOOK_SECRET", SETTING_TEXT, AT(alert_webhook_secret), NULL, .secret = true,
     .help = "Signs those notices: X-Orch-Signature is the HMAC-SHA-256 of the body."},
    {"ORCH_RETENTION_DAYS", SETTING_INTEGER, AT(retention_days), "0", 0, 36500,
     .help = "Days after which `orch-upkeep` deletes tasks with their prompts and answers; 0 = "
             "never. Sums of spending stay."},
    {"ORCH_RETENTION_EXPORT_DIR", SETTING_TEXT, AT(retention_export_dir), NULL,
     .help = "Directory into which tasks are exported before they are deleted, as snapshots that "
             "`orch-import` reads; unset: they are not exported."},
    {"ORCH_BROWSER_ENABLED", SETTING_BOOLEAN, AT(browser_enabled), "false",
     .help = "Ask models of the web provider through a browser."},
    {"ORCH_BROWSER_AUTOMATION_BACKEND", SETTING_CHOICE, AT(browser_driver), "null",
     .choices = browser_driver_names,
     .help =
         "`cdp` drives Chromium by the program orch-browserd, `scripted` answers by itself, for "
         "tests; `null` refuses."},
    {"ORCH_BROWSER_PROFILE_DIR", SETTING_TEXT, AT(browser_profile_dir), NULL,
     .help = "Directory of the browser's dedicated, signed-in profile."},
    {"ORCH_BROWSER_BASE_URL", SETTING_TEXT, AT(browser_base_url), NULL,
     .help = "Start page of the web provider; https, or http on this host."},
    {"ORCH_BROWSER_CHANNEL", SETTING_TEXT, AT(browser_channel), "chromium", .required = true,
     .help = "The browser: a name in the path, or a path."},
    {"ORCH_BROWSER_HEADLESS", SETTING_BOOLEAN, AT(browser_headless), "false",
     .help = "Run it without a window."},
    {"ORCH_BROWSER_DISPLAY", SETTING_TEXT, AT(browser_display), NULL,
     .help = "DISPLAY of a browser with a window."},
    {"ORCH_BROWSER_EXTRA_ARGS", SETTING_LIST, AT(browser_arguments), NULL,
     .help = "Further arguments of the browser."},
    {"ORCH_BROWSER_SITE_DIR", SETTING_TEXT, AT(browser_site_directory), NULL,
     .help =
         "Folder of `web-provider.json` and `.js`, the words and eyes for the provider's pages; "
         "unset: `config/orchestrator` beside ASSAY_SQL_DIR."},
    {"ORCH_BROWSER_SCREENSHOTS_DIR", SETTING_TEXT, AT(browser_screenshots_dir), NULL,
     .help = "Folder for a picture of each stage of a job; unset: none are taken."},
    {"ORCH_BROWSER_CALL_TIMEOUT_SECONDS", SETTING_NUMBER, AT(browser_call_seconds), "120", 0.1,
     3600, .help = "Longest job, from the session to the answer."},
    {"ORCH_BROWSER_ACTION_SECONDS", SETTING_NUMBER, AT(browser_action_seconds), "5", 0.1, 600,
     .help = "Longest single action: a look, a click, a key."},
    {"ORCH_BROWSER_NAVIGATION_SECONDS", SETTING_NUMBER, AT(browser_navigation_seconds), "30", 0.1,
     600, .help = "Longest way to a page."},
    {"ORCH_BROWSER_START_SECONDS", SETTING_NUMBER, AT(browser_start_seconds), "30", 0.1, 600,
     .help = "How long the browser may take to start."},
    {"ORCH_BROWSER_SHELL_SECONDS", SETTING_NUMBER, AT(browser_shell_seconds), "10", 0.1, 600,
     .help = "How long a page may take until it shows a composer or a sign-in."},
    {"ORCH_BROWSER_POLL_SECONDS", SETTING_NUMBER, AT(browser_poll_seconds), "0.5", 0.01, 60,
     .help = "Between two looks at a page."},
    {"ORCH_BROWSER_STABLE_POLLS", SETTING_INTEGER, AT(browser_stable_polls), "2", 1, 100,
     .help = "Looks in a row that must read the same answer."},
    {"ORCH_BROWSER_MODEL_RETRY_SECONDS", SETTING_NUMBER, AT(browser_retry_seconds), "1.5", 0, 60,
     .help = "Between two tries to choose a model."},
    {"ORCH_BROWSER_HUMAN_ACTION_DELAY_SECONDS", SETTING_NUMBER, AT(browser_human_delay_seconds),
     "1.0", 0, 60, .help = "Pause behind each click."},
    {"ORCH_BROWSER_END_SECONDS", SETTING_NUMBER, AT(browser_end_seconds), "5", 0, 60,
     .help =
         "Wait for the browser to exit by itself, then again after SIGTERM; then it is killed."},
    {"ORCH_BROWSER_MESSAGE_BYTES", SETTING_INTEGER, AT(browser_message_bytes), "33554432", 65536,
     268435456, .help = "Largest message from and to the browser."},
    {"ORCH_BROWSER_QUEUE_MAX", SETTING_INTEGER, AT(browser_queue_max), "16", 1, 48,
     .help = "Jobs that may wait for the browser; one more is refused."},
    {"ORCH_BROWSER_CIRCUIT_BREAKER_ENABLED", SETTING_BOOLEAN, AT(browser_breaker_enabled), "true",
     .help = "Leave the browser alone after failures in a row."},
    {"ORCH_BROWSER_CIRCUIT_BREAKER_FAILURE_THRESHOLD", SETTING_INTEGER,
     AT(browser_breaker_failures), "3", 1, 1000, .help = "After how many."},
    {"ORCH_BROWSER_CIRCUIT_BREAKER_COOLDOWN_SECONDS", SETTING_NUMBER, AT(browser_breaker_seconds),
     "60", 0.01, 86400, .help = "For how long, until one call tries."},
    {"ORCH_MAX_BROWSER_SUBMITS_PER_TASK", SETTING_INTEGER, AT(max_submits_per_task), "0", 0, 100000,
     .help = "Prompts that one task may submit; 0 = no limit."},
    {"ORCH_MAX_BROWSER_SUBMITS_PER_HOUR", SETTING_INTEGER, AT(max_submits_per_hour), "0", 0, 100000,
     .help = "Prompts that all tasks may submit in an hour; 0 = no limit."},
    {"ORCH_BROWSER_SCRIPTED_LOGGED_IN", SETTING_BOOLEAN, AT(scripted_logged_in), "true",
     .help = "Whether the scripted browser is signed in."},
    {"ORCH_BROWSER_SCRIPTED_MODEL_LABEL", SETTING_TEXT, AT(scripted_model_label), NULL,
     .help = "The model that it says is chosen; unset = the one asked for."},
    {"ORCH_BROWSER_SCRIPTED_OUTPUT_TEXT", SETTING_TEXT, AT(scripted_output),
     "scripted browser result", .help = "What it answers."},
    {"ORCH_MODEL_CATALOG_REFRESH_INTERVAL_HOURS", SETTING_NUMBER, AT(catalog_refresh_hours), "24",
     0, 8760,
     .help = "How old the menu of the web provider's models may be; 0 = it is read only when "
             "somebody asks."},
    {"ORCH_DB_ANALYZE_SECONDS", SETTING_NUMBER, AT(analyze_seconds), "600", 1, 604800,
     .help =
         "How often `orch-refresh-catalog` refreshes the statistics of the database's planner."},
    {"ORCH_ENABLE_MODEL_FALLBACK", SETTING_BOOLEAN, AT(model_fallback), "false",
     .help = "Ask the model that stands in when one cannot be reached."},
    {"ORCH_ORCHESTRATE_TIMEOUT_SECONDS", SETTING_NUMBER, AT(orchestrate_timeout_seconds), "0", 0,
     3600, .help = "Longest orchestration; 0 = 120 seconds."},
    {"ORCH_CONTEXT_WINDOW_TURNS", SETTING_INTEGER, AT(context_window_turns), "20", 1, 100,
     .help = "Earlier turns of a session that go before a prompt."},
    {"ORCH_MAX_CONTEXT_CHARS", SETTING_INTEGER, AT(max_context_chars), "50000", 1, 1000000,
     .help = "How long they may be together."},
    {"ORCH_RATE_LIMIT_RPM", SETTING_INTEGER, AT(rate_limit_rpm.value), "60", 0, 1000000,
     .help = "Requests per client and minute, counted on this host; 0 = no limit. Unset, they are "
             "counted in ORCH_CACHE_URL only."},
    {"ORCH_RATE_LIMIT_BURST", SETTING_INTEGER, AT(rate_limit_burst), "10", 0, 1000000,
     .help = "How many more at once."},
    {"ORCH_CACHE_URL", SETTING_TEXT, AT(cache_url), NULL, .secret = true,
     .help = "`redis://[[user]:password@]host[:port][/database]`: requests of a client are counted "
             "there, for all hosts together. While it is away they are counted on this host when "
             "ORCH_RATE_LIMIT_RPM is set, otherwise all are let in."},
    {"ORCH_CACHE_TIMEOUT_SECONDS", SETTING_NUMBER, AT(cache_timeout_seconds), "0.25", 0.01, 10,
     .help = "How long to wait for it."},
    {"ORCH_CACHE_RETRY_SECONDS", SETTING_NUMBER, AT(cache_retry_seconds), "5", 0.1, 3600,
     .help = "How long it is left alone after it has failed."},
    {"ORCH_HEALTH_EXPOSE_DETAILS", SETTING_BOOLEAN, AT(health_exposes_details), "true",
     .help = "Let /health tell more than its status."},
    {"ORCH_USAGE_TELEMETRY_ENABLED", SETTING_BOOLEAN, AT(telemetry_enabled), "false",
     .help = "One line per request into a file, with the digest of its body and never the body."},
    {"ORCH_USAGE_TELEMETRY_PATH", SETTING_TEXT, AT(telemetry_path), "logs/usage.jsonl",
     .help = "That file; `~` is the home directory."},
    {"ORCH_MAX_REQUEST_BODY_BYTES", SETTING_INTEGER, AT(max_request_body_bytes), "1048576", 1024,
     1073741824, .help = "Largest JSON body."},
    {"ORCH_READER_MEMORY_BYTES", SETTING_INTEGER, AT(reader_memory_bytes), "268435456", 67108864,
     1e13, .help = "Memory of the process that reads one uploaded PDF."},
    {"ORCH_READER_SECONDS", SETTING_INTEGER, AT(reader_seconds), "20", 1, 600,
     .help = "Computing time of that process; by the clock it has twice as long."},
    {"ORCH_READER_TEXT_BYTES", SETTING_INTEGER, AT(reader_text_bytes), "4194304", 1024, 67108864,
     .help = "Text that one PDF may hold."},
};
const size_t orchestrator_settings_count =
    sizeof orchestrator_settings_table / sizeof orchestrator_settings_table[0];

bool orchestrator_uses_chromium(const struct orchestrator_settings *settings)
{
    return settings->profile == PROFILE_HYBRID && settings->browser_enabled &&
           settings->browser_driver == BROWSER_CDP;
}

bool orchestrator_is_exposed(const struct orchestrator_settings *settings)
{
    return !address_is_loopback(settings->host);
}

static bool is_boolean_word(const char *value)
{
    static const char *const words[] = {"1", "true", "yes", "on", "0", "false", "no", "off"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(value, words[i]) == 0)
            return true;
    return false;
}

/* The source of settings while they are loaded. */
static const char *(*source)(const char *name);

/* A valid value of the setting; an invalid one counts as unset. */
static const char *look_up_readable(const char *name)
{
    const char *value = source ? source(name) : getenv(name);
    double number;

    if (!value || !*value)
        return NULL;
    for (size_t i = 0; i < orchestrator_settings_count; i++) {
        const struct setting *setting = &orchestrator_settings_table[i];
        bool is_number = setting->type == SETTING_INTEGER || setting->type == SETTING_NUMBER;

        if (strcmp(setting->name, name) != 0)
            continue;
        if ((is_number && !number_parse(value, &number)) ||
            (setting->type == SETTING_BOOLEAN && !is_boolean_word(value))) {
            log_event(LOG_WARNING, "setting_ignored", name);
            return NULL;
        }
    }
    return value;
}

static bool is_loopback_url(const char *url)
{
    static const char *const hosts[] = {"http://127.0.0.1", "http://localhost", "http://[::1]"};

    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        size_t length = strlen(hosts[i]);

        if (strncmp(url, hosts[i], length) == 0 && strchr(":/", url[length]))
            return true;
    }
    return false;
}

static enum error check_urls(const struct orchestrator_settings *settings, struct problem *problem)
{
    const struct {
        const char *name;
        const char *url;
    } urls[] = {{"ORCH_OPENAI_BASE_URL", settings->openai.base_url},
                {"ORCH_ANTHROPIC_BASE_URL", settings->anthropic.base_url},
                {"ORCH_MISTRAL_BASE_URL", settings->mistral.base_url}};

    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++)
        if ((strncmp(urls[i].url, "https://", 8) != 0 && !is_loopback_url(urls[i].url)) ||
            strpbrk(urls[i].url, "@?# \t"))
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "%s must be https://, or http:// on this host, without user, "
                               "password or query",
                               urls[i].name);
    if (settings->browser_base_url && strncmp(settings->browser_base_url, "https://", 8) != 0 &&
        !is_loopback_url(settings->browser_base_url))
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "ORCH_BROWSER_BASE_URL must be https://, or http:// on this host");
    return ERROR_NONE;
}

/* The profile's directory must not leave its parent, contain shell shorthand, or be a user's own
 * profile. */
static enum error check_profile_directory(const char *path, struct problem *problem)
{
    const char *end = path ? path + strlen(path) : NULL;

    if (!path)
        return ERROR_NONE;
    if (strcmp(path, "..") == 0 || strncmp(path, "../", 3) == 0 || strstr(path, "/../") ||
        (end - path >= 3 && strcmp(end - 3, "/..") == 0) || path[0] == '~' || strstr(path, "/~"))
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "ORCH_BROWSER_PROFILE_DIR must not have .. or ~ in it");
    if (end - path >= 8 && strcasecmp(end - 8, "/default") == 0 &&
        (strstr(path, "google-chrome") || strstr(path, "chromium") || strstr(path, "User Data")))
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "ORCH_BROWSER_PROFILE_DIR is somebody's own profile; use a directory "
                           "for this service alone");
    return ERROR_NONE;
}

static enum error check_together(const struct orchestrator_settings *settings,
                                 struct problem *problem)
{
    if (settings->storage == STORAGE_POSTGRES && !settings->db_dsn)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "ORCH_DB_DSN is needed when ORCH_STORAGE_BACKEND is postgres");
    if (strstr(settings->db_path, "://"))
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "ORCH_DB_PATH must be the path of a file; a URL goes into ORCH_DB_DSN");
    if (look_up_readable("ORCH_MAX_PROMPT_CHARS") &&
        settings->max_prompt_chars > settings->max_request_body_bytes)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "ORCH_MAX_PROMPT_CHARS must not be above ORCH_MAX_REQUEST_BODY_BYTES");
    if (settings->db_pool_min_size > settings->db_pool_max_size)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "ORCH_DB_POOL_MIN_SIZE must not be above ORCH_DB_POOL_MAX_SIZE");
    if (settings->trusted_proxies.count && settings->trusted_proxy_hops == 0)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "ORCH_TRUSTED_PROXY_HOPS must be at least 1 when ORCH_TRUSTED_PROXIES "
                           "is set");
    if (settings->require_auth && !settings->api_key && orchestrator_is_exposed(settings))
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "ORCH_API_KEY is needed: ORCH_REQUIRE_AUTH is set and ORCH_HOST is not "
                           "this host alone");
    return ERROR_NONE;
}

enum error orchestrator_settings_load(struct orchestrator_settings *settings, struct arena *arena,
                                      const char *(*lookup)(const char *name),
                                      struct problem *problem)
{
    enum error error;

    source = lookup;
    error = settings_load(orchestrator_settings_table, orchestrator_settings_count, settings, arena,
                          look_up_readable, problem);
    settings->rate_limit_rpm.given = look_up_readable("ORCH_RATE_LIMIT_RPM") != NULL;
    if (!settings->secrets_key)
        settings->secrets_key =
            settings_made_secret(arena, settings->state_directory, "orchestrator-secret");
    /* The simulated models are called. */
    if (settings->demo_language && settings->profile == PROFILE_DRY_RUN &&
        !look_up_readable("ORCH_EXECUTION_PROFILE"))
        settings->profile = PROFILE_API_ONLY;
    if (!error)
        error = check_urls(settings, problem);
    if (!error)
        error = check_profile_directory(settings->browser_profile_dir, problem);
    if (!error && !settings->browser_site_directory)
        settings->browser_site_directory =
            arena_print(arena, "%s/../config/orchestrator", settings->sql_directory);
    if (!error && !zone_is_known(settings->time_zone))
        error = problem_set(problem, ERROR_INVALID, "setting_invalid",
                            "ORCH_TIME_ZONE: '%.60s' is no time zone, as Europe/Berlin is",
                            settings->time_zone);
    if (!error)
        zone_use(settings->time_zone);
    return error ? error : check_together(settings, problem);
}
