/* The table of settings of the experiments service, and the rules that span several of them. */
#include "experiments/settings.h"
#include "base/log.h"
#include "db/common_settings.h"
#include "db/db.h"
#include "i18n/i18n.h"
#include "kafka/kafka_settings.h"

#include <string.h>
#include <strings.h>

enum { PRODUCTION_TOKEN_MIN = 24 };

#define AT(member) offsetof(struct experiments_settings, member)

const struct setting experiments_settings_table[] = {
    {"AB_APP_NAME", SETTING_TEXT, AT(app_name), "A/B Experiment Service API",
     .help = "Title in health answers and in the API document."},
    {"AB_APP_VERSION", SETTING_TEXT, AT(app_version), "1.3.1",
     .help = "Version in health answers and in the API document."},
    {"AB_BUILD_SHA", SETTING_TEXT, AT(build_sha), "unknown",
     .help = "Commit the binaries were built from; `nginx/stack` fills it in from git."},
    {"AB_ENV", SETTING_TEXT, AT(environment), "local",
     .help = "Name of the environment. `production` or `prod` hides the texts of value errors and "
             "demands tokens."},
    COMMON_SETTINGS("AB_", "AB_", "8008", "536870912"),
    ACCOUNTS_SETTINGS,
    REQUEST_SETTINGS("AB_"),
    CLOCK_SETTINGS,
    SYNCHRONOUS_SETTING("AB_"),
    {"AB_DATABASE_URL", SETTING_TEXT, AT(database_url), NULL, .secret = true,
     .help = "`postgresql://user:password@host/name`, or `sqlite:///absolute/path`; unset uses "
             "AB_DB_PATH."},
    REPLICA_SETTINGS("AB_"),
    {"AB_DB_POOL_SIZE", SETTING_INTEGER, AT(db_pool_size), "10", 1, 1000,
     .help =
         "PostgreSQL connections that all workers of this host may hold together; each holds at "
         "most one."},
    {"AB_DB_PATH", SETTING_TEXT, AT(db_path), "data/projects.sqlite3", .required = true,
     .help = "SQLite file; its folder is made. `nginx/stack` puts it below the stack's directory."},
    {"AB_SQLITE_JOURNAL_MODE", SETTING_CHOICE, AT(sqlite_journal_mode), "WAL",
     .choices = db_journal_mode_names, .help = "SQLite's journal."},
    {"AB_SERVE_FRONTEND_DIST", SETTING_BOOLEAN, AT(serve_frontend_dist), "true",
     .help = "Serve the browser interface beside the API."},
    {"AB_SEED_DEMO_ON_STARTUP", SETTING_BOOLEAN, AT(seed_demo_on_startup), "false",
     .help = "Make three example projects with a run of each at the start, where they are "
             "missing."},
    DEMO_SETTING("AB_"),
    {"AB_FRONTEND_DIST_PATH", SETTING_TEXT, AT(frontend_dist_path), "static/experiments",
     .help = "Folder of the browser interface; readiness looks for its index.html."},
    {"AB_CORS_ORIGINS", SETTING_LIST, AT(cors_origins),
     "http://127.0.0.1:5173,http://localhost:5173",
     .help = "Origins whose pages may call the API."},
    {"AB_CORS_METHODS", SETTING_LIST, AT(cors_methods), "GET,POST,PUT,PATCH,DELETE,OPTIONS",
     .help = "Methods that such pages may use."},
    {"AB_CORS_HEADERS", SETTING_LIST, AT(cors_headers), "Accept,Content-Type",
     .help = "Further request headers that such pages may send."},
    {"AB_API_TOKEN", SETTING_TEXT, AT(api_token), NULL, 8, .secret = true,
     .help = "Token with write scope. In production at least 24 characters, as the next two."},
    {"AB_READONLY_API_TOKEN", SETTING_TEXT, AT(readonly_api_token), NULL, 8, .secret = true,
     .help = "Token for GET, HEAD and OPTIONS only."},
    {"AB_ADMIN_TOKEN", SETTING_TEXT, AT(admin_token), NULL, 8, .secret = true,
     .help = "Token of the operator routes; with it no route is open. Where it is not set, "
             "`nginx/stack` makes one at the first start (`state/experiments-admin-token`), which "
             "leaves an open service open."},
    {"AB_WORKSPACE_SIGNING_KEY", SETTING_TEXT, AT(workspace_signing_key), NULL, 16, .secret = true,
     .help = "Signs workspace bundles; with it, only bundles that it has signed are taken."},
    {"AB_PUBLIC_DEMO", SETTING_BOOLEAN, AT(public_demo), "false",
     .help = "Reading without a token."},
    {"AB_READONLY_COMPUTE", SETTING_BOOLEAN, AT(readonly_compute), "false",
     .help = "Read scope may also POST to the stateless computations."},
    {"AB_ALLOW_INSECURE_PRODUCTION", SETTING_BOOLEAN, AT(allow_insecure_production), "false",
     .help = "Start in production with neither AB_API_TOKEN nor AB_ADMIN_TOKEN nor a key that may "
             "write; logged as insecure_production."},
    {"AB_RATE_LIMIT_ENABLED", SETTING_BOOLEAN, AT(rate_limit_enabled), "true",
     .help = "Limit calls per client, and failed sign-ins."},
    {"AB_RATE_LIMIT_REQUESTS", SETTING_INTEGER, AT(rate_limit_requests), "240", 1, 100000,
     .help = "Calls per client and window."},
    {"AB_RATE_LIMIT_WINDOW_SECONDS", SETTING_INTEGER, AT(rate_limit_window_seconds), "60", 1, 86400,
     .help = "Length of that window."},
    {"AB_PREFLIGHT_RATE_LIMIT_REQUESTS", SETTING_INTEGER, AT(preflight_rate_limit_requests), "240",
     1, 100000, .help = "Preflights (CORS) of pages to the flags in a window, per network."},
    {"AB_HEAVY_RATE_LIMIT_REQUESTS", SETTING_INTEGER, AT(heavy_rate_limit_requests), "30", 1,
     100000, .help = "Calls of the heavy routes per client and window."},
    {"AB_HEAVY_RATE_LIMIT_WINDOW_SECONDS", SETTING_INTEGER, AT(heavy_rate_limit_window_seconds),
     "60", 1, 86400, .help = "Length of that window."},
    {"AB_AUTH_FAILURE_LIMIT", SETTING_INTEGER, AT(auth_failure_limit), "20", 1, 100000,
     .help = "Refused credentials per client and window before the answer is 429."},
    {"AB_AUTH_FAILURE_WINDOW_SECONDS", SETTING_INTEGER, AT(auth_failure_window_seconds), "60", 1,
     86400, .help = "Length of that window."},
    {"AB_MAX_REQUEST_BODY_BYTES", SETTING_INTEGER, AT(max_request_body_bytes), "1048576", 1024,
     1073741824, .help = "Largest request body."},
    {"AB_MAX_WORKSPACE_BODY_BYTES", SETTING_INTEGER, AT(max_workspace_body_bytes), "8388608", 1024,
     1073741824, .help = "Largest workspace bundle; not below AB_MAX_REQUEST_BODY_BYTES."},
    {"AB_MAX_DATA_UPLOAD_BYTES", SETTING_INTEGER, AT(max_data_upload_bytes), "1073741824", 1024,
     68719476736.0, .help = "Largest file of users for POST /api/v1/results/file."},
    {"AB_DATA_UPLOADS", SETTING_INTEGER, AT(data_uploads), "2", 1, 1000,
     .help = "Files of users that this host analyzes at a time; another one is answered with 429 "
             "and Retry-After (AB_COMPUTE_RETRY_AFTER_SECONDS)."},
    {"AB_DATA_TEMPORARY_BYTES", SETTING_INTEGER, AT(data_temporary_bytes), "8589934592", 1048576,
     1099511627776.0,
     .help = "Room on the disk for the numbers of all files that are analyzed: six times the file "
             "are set aside for each. A file that needs more alone is answered with 413."},
    {"AB_DATA_TASKS_BYTES", SETTING_INTEGER, AT(data_tasks_bytes), "8589934592", 1048576,
     1099511627776.0,
     .help = "Room on the disk of this host for files that wait for their task, 1 MiB at least for "
             "each; one more is answered with 429."},
    {"AB_DATA_TASK_SECONDS", SETTING_INTEGER, AT(data_task_seconds), "86400", 60, 31536000,
     .help = "For how long what a task found is kept after its end; a task that has not ended so "
             "long after its order is forgotten, too."},
    {"AB_DATA_TASKS_KEPT", SETTING_INTEGER, AT(data_tasks_kept), "1000", 1, 1000000,
     .help = "Tasks that have ended and are kept; the oldest ones go first."},
    {"AB_MAX_UNPACKED_BODY_BYTES", SETTING_INTEGER, AT(max_unpacked_body_bytes), "8388608", 1024,
     1073741824,
     .help =
         "Largest body of lines that came with Content-Encoding: gzip, unpacked; what is larger "
         "is refused before it is unpacked further."},
    {"AB_MAX_CHATAPP_BODY_BYTES", SETTING_INTEGER, AT(max_chatapp_body_bytes), "65536", 1024,
     1073741824, .help = "Largest body from the chat platform."},
    {"AB_CHATAPP_RATE_LIMIT_REQUESTS", SETTING_INTEGER, AT(chatapp_rate_limit_requests), "60", 1,
     100000, .help = "Calls from the chat platform per client and window."},
    {"AB_CHATAPP_RATE_LIMIT_WINDOW_SECONDS", SETTING_INTEGER, AT(chatapp_rate_limit_window_seconds),
     "60", 1, 86400, .help = "Length of that window."},
    {"AB_CHATAPP_INVALID_SIGNATURE_LIMIT", SETTING_INTEGER, AT(chatapp_invalid_signature_limit),
     "20", 1, 100000,
     .help = "Calls with a wrong signature per client and window before the answer is 429."},
    {"AB_CHATAPP_INVALID_SIGNATURE_WINDOW_SECONDS", SETTING_INTEGER,
     AT(chatapp_invalid_signature_window_seconds), "60", 1, 86400,
     .help = "Length of that window."},
    {"AB_COMPUTE_ADMISSION_ENABLED", SETTING_BOOLEAN, AT(compute_admission_enabled), "true",
     .help = "Admit expensive analyses by their cost; false admits everything."},
    {"AB_COMPUTE_MAX_HEAVY_CONCURRENT", SETTING_INTEGER, AT(compute_max_heavy_concurrent), "2", 1,
     256, .help = "Heavy analyses at a time on this host."},
    {"AB_COMPUTE_MAX_CHEAP_CONCURRENT", SETTING_INTEGER, AT(compute_max_cheap_concurrent), "32", 1,
     256, .help = "Cheap analyses at a time on this host."},
    {"AB_COMPUTE_MAX_COST_UNITS_IN_FLIGHT", SETTING_INTEGER, AT(compute_max_cost_units_in_flight),
     "250", 1, 1000000, .help = "Cost units at a time on this host."},
    {"AB_COMPUTE_ACQUIRE_TIMEOUT_MS", SETTING_INTEGER, AT(compute_acquire_timeout_ms), "50", 0,
     60000, .help = "How long an analysis waits for a free slot."},
    {"AB_COMPUTE_RETRY_AFTER_SECONDS", SETTING_INTEGER, AT(compute_retry_after_seconds), "2", 1,
     3600, .help = "Retry-After of the refusal."},
    {"AB_REPORT_MAX_PAGES", SETTING_INTEGER, AT(report_max_pages), "200", 10, 5000,
     .help = "Pages of a PDF; a report that would have more is refused."},
    {"AB_REPORT_MAX_TEXT_BYTES", SETTING_INTEGER, AT(report_max_text_bytes), "1048576", 65536,
     67108864, .help = "Text of a PDF; a report that has more is refused."},
    {"AB_REPORT_SECONDS", SETTING_INTEGER, AT(report_seconds), "20", 1, 60,
     .help = "How long a PDF may take to lay out."},
    {"AB_SHARE_MAX_DAYS", SETTING_INTEGER, AT(share_max_days), "30", 0, 365,
     .help = "The longest validity of a link that opens the report of a result without signing "
             "in; 0 = no such links, and those that exist open nothing."},
    {"AB_PAGE_MEMORY_BYTES", SETTING_INTEGER, AT(page_memory_bytes), "134217728", 1048576,
     68719476736.0,
     .help = "Memory of a page of a project's history or of templates, some six times the size of "
             "its documents; a page that would need more ends early, and the next begins behind "
             "it."},
    {"AB_WORKSPACE_MEMORY_BYTES", SETTING_INTEGER, AT(workspace_memory_bytes), "4294967296",
     67108864, 1e13,
     .help = "Memory that `workspace` may use for what a file or the database is read into; a "
             "record gets a quarter of it."},
    {"AB_MAX_TEMPLATES", SETTING_INTEGER, AT(max_templates), "500", 1, 10000,
     .help = "Templates that may be kept beside those that come with the product."},
    {"AB_MAX_METRICS", SETTING_INTEGER, AT(max_metrics), "1000", 1, 100000,
     .help = "Metrics that the catalog may hold."},
    {"AB_MAX_SEGMENTS", SETTING_INTEGER, AT(max_segments), "1000", 1, 100000,
     .help = "Segments of users that may be kept."},
    {"AB_SEGMENT_USERS_MAX", SETTING_INTEGER, AT(segment_users_max), "1000000", 1, 100000000,
     .help = "Users that the list of a segment may have."},
    {"AB_MAX_SEGMENT_UPLOAD_BYTES", SETTING_INTEGER, AT(max_segment_upload_bytes), "8388608", 1024,
     1073741824,
     .help = "Largest list of users that is sent to a segment at a time; "
             "AB_MAX_REQUEST_MEMORY_BYTES bounds it, too."},
    {"AB_MAX_WEBHOOKS", SETTING_INTEGER, AT(max_webhooks), "100", 1, 1000,
     .help = "Webhooks that may be registered."},
    {"AB_WEBHOOK_RUNNERS", SETTING_INTEGER, AT(webhook_runners), "4", 1, 64,
     .help = "Processes of `webhook-deliver` that deliver side by side."},
    {"AB_WEBHOOK_ROUND_DELIVERIES", SETTING_INTEGER, AT(webhook_round_deliveries), "50", 1, 10000,
     .help = "Deliveries that a process of `webhook-deliver` makes before it looks after what is "
             "old; also what a single call of it delivers at most."},
    {"AB_WEBHOOK_RETRY_HOURS", SETTING_NUMBER, AT(webhook_retry_hours), "24", 0.001, 720,
     .help = "How long after the first attempt a webhook that fails is still tried, with growing "
             "pauses."},
    {"AB_WEBHOOK_ANSWER_BYTES", SETTING_INTEGER, AT(webhook_answer_bytes), "65536", 1024, 1048576,
     .help = "How much of a receiver's answer is read; the connection is closed then."},
    {"AB_WEBHOOK_ANSWER_KEPT_BYTES", SETTING_INTEGER, AT(webhook_answer_kept_bytes), "2048", 0,
     2048, .help = "How much of it is kept with the delivery; 0 = nothing."},
    {"AB_WEBHOOK_HISTORY_DAYS", SETTING_INTEGER, AT(webhook_history_days), "30", 1, 3650,
     .help = "How long single attempts are remembered after a delivery has ended."},
    {"AB_WEBHOOK_PURGE_ROWS", SETTING_INTEGER, AT(webhook_purge_rows), "5000", 100, 100000,
     .help = "Rows of each kind that `webhook-deliver` forgets at a time when they are old, its "
             "jobs for the chat platform included."},
    {"AB_IDEMPOTENCY_SECONDS", SETTING_INTEGER, AT(idempotency_seconds), "86400", 60, 31536000,
     .help = "For how long the answer to a request with an Idempotency-Key is given again."},
    {"AB_RETENTION_EXPOSURES_DAYS", SETTING_INTEGER, AT(retention_exposures_days), "0", 0, 36500,
     .help = "Days since their receipt after which a purge takes exposures and holdout members of "
             "experiments; 0 keeps them."},
    {"AB_RETENTION_CONVERSIONS_DAYS", SETTING_INTEGER, AT(retention_conversions_days), "0", 0,
     36500, .help = "The same of conversion events, with their idempotency keys."},
    {"AB_RETENTION_WEBHOOK_DELIVERIES_DAYS", SETTING_INTEGER, AT(retention_webhook_deliveries_days),
     "0", 0, 36500,
     .help = "Days since they ended after which a purge takes webhook deliveries; 0 keeps them."},
    {"AB_RETENTION_AUDIT_DAYS", SETTING_INTEGER, AT(retention_audit_days), "0", 0, 36500,
     .help = "Age at which a purge takes audit entries; 0 keeps them."},
    KAFKA_SETTINGS("AB_", "experiments-bridge", "2000"),
    {"AB_KAFKA_TOPIC_PREFIX", SETTING_TEXT, AT(kafka_topic_prefix), "experiments.", 0, 100,
     .may_be_blank = true,
     .help = "What the names of the topics begin with; `exposures`, `conversions`, `identities`, "
             "`exclusions`, `holdout`, `pre-period` or `strata` follows."},
    {"AB_INTAKE", SETTING_CHOICE, AT(intake), "database", .choices = kafka_intake_names,
     .help = "Where records of running experiments go that come over HTTP: `database`, or `kafka`, "
             "where they are published and answered with 202 when all replicas have them."},
    SOURCE_SETTINGS,
    {"AB_LIVE_SPIKE_EVENTS", SETTING_INTEGER, AT(live_spike_events), "100", 1, 1000000000,
     .help = "Conversion events of one person in an experiment, all metrics together, beyond which "
             "the person is taken for a robot and left out. A change recomputes the aggregates of "
             "each experiment when it is next read."},
    {"AB_LIVE_CLUSTERS_MAX", SETTING_INTEGER, AT(live_clusters_max), "10000", 2, 100000,
     .help =
         "Clusters (shops, classes, cities) that an experiment keeps results of; users of further "
         "ones are kept without a cluster."},
    {"AB_OFREP_BULK_FLAGS", SETTING_INTEGER, AT(ofrep_bulk_flags), "200", 1, 10000,
     .help = "Flags that one bulk evaluation evaluates at most; the first by key."},
    {"AB_CLIENT_EVENT_VALUE_MAX", SETTING_NUMBER, AT(client_event_value_max), "1000000", 0, 1e150,
     .help = "The largest value, with either sign, of an event that is sent with a client key, "
             "which everybody can read."},
    {"AB_LIVE_MIXTURE_USERS", SETTING_INTEGER, AT(live_mixture_users), "5000", 2, 1000000000,
     .help = "People per arm that always-valid inference is tuned for in designs that name no "
             "effect."},
    {"AB_LIVE_SETTLING_SECONDS", SETTING_INTEGER, AT(live_settling_seconds), "86400", 0, 31536000,
     .help = "How long the test at the planned size waits for values of a user that was received; "
             "a conversion window of the design is waited for as well."},
    {"AB_INTERACTION_USERS", SETTING_INTEGER, AT(interaction_users), "200000", 1000, 10000000,
     .help = "Users that a request for interactions goes over at most, those of other experiments "
             "counted again; of a larger experiment a sample, of one with ten times as many "
             "nothing."},
    {"AB_ERROR_RATE_RUNS", SETTING_INTEGER, AT(error_rate_runs), "1000", 1, 100000,
     .help = "Times that a measurement of error rates divides the users of an experiment anew, "
             "where the order names no number; an order may name at most ten times as many."},
    {"AB_ERROR_RATE_USERS", SETTING_INTEGER, AT(error_rate_users), "100000", 2, 10000000,
     .help = "Users of the sample that is divided; an order may name fewer. A user takes about "
             "30 bytes of memory, and 16 for each metric with events."},
    {"AB_ERROR_RATE_SECONDS", SETTING_INTEGER, AT(error_rate_seconds), "600", 1, 86400,
     .help = "A measurement that computes for longer ends with the runs that it has made."},
    {"AB_LLM_BASE_URL", SETTING_TEXT, AT(llm_base_url), "http://localhost:8001",
     .may_be_blank = true,
     .help = "Orchestrator that gives advice to callers without a token of a vendor; given but "
             "blank switches it off."},
    {"AB_LLM_PATH", SETTING_TEXT, AT(llm_path), "/api/v1/orchestrate", .required = true,
     .help = "Its route."},
    {"AB_LLM_API_KEY", SETTING_TEXT, AT(llm_api_key), NULL, .secret = true,
     .help = "Key that it is shown as `Authorization: Bearer`."},
    {"AB_LLM_MODEL", SETTING_TEXT, AT(llm_model), "claude-sonnet-4-6", .required = true,
     .help = "Model that it is asked for."},
    {"AB_LLM_TIMEOUT_SECONDS", SETTING_NUMBER, AT(llm_timeout_seconds), "60", 0.001, 110,
     .help = "Longest attempt to get advice, of any provider."},
    {"AB_LLM_CONNECT_TIMEOUT_SECONDS", SETTING_NUMBER, AT(llm_connect_timeout_seconds), "5", 0.001,
     110, .help = "How much of it may go by until the connection stands."},
    {"AB_LLM_DEADLINE_SECONDS", SETTING_NUMBER, AT(llm_deadline_seconds), "90", 0.001, 110,
     .help = "Longest that all attempts of a request and the pauses between them take together."},
    {"AB_LLM_MAX_ATTEMPTS", SETTING_INTEGER, AT(llm_max_attempts), "3", 1, 10,
     .help = "Attempts where a failure may pass."},
    {"AB_LLM_INITIAL_BACKOFF_SECONDS", SETTING_NUMBER, AT(llm_initial_backoff_seconds), "0.1",
     0.001, 60, .help = "Pause before the second attempt."},
    {"AB_LLM_BACKOFF_MULTIPLIER", SETTING_NUMBER, AT(llm_backoff_multiplier), "2", 1, 100,
     .help = "Each further pause is so many times longer."},
    {"AB_LLM_MAX_RETRY_AFTER_SECONDS", SETTING_NUMBER, AT(llm_max_retry_after_seconds), "20", 0.001,
     110, .help = "A provider that asks for a longer pause (Retry-After) is not asked again."},
    {"AB_LLM_MAX_RESPONSE_BYTES", SETTING_INTEGER, AT(llm_max_response_bytes), "1048576", 1024,
     16777216, .help = "Largest answer of a provider."},
    {"AB_LLM_BREAKER_FAILURES", SETTING_INTEGER, AT(llm_breaker_failures), "3", 0, 1000,
     .help = "Failed attempts in a row after which all workers leave a provider alone; 0 = never."},
    {"AB_LLM_BREAKER_SECONDS", SETTING_NUMBER, AT(llm_breaker_seconds), "30", 0.001, 3600,
     .help = "For how long, until one worker tries again."},
    {"AB_OPENAI_BASE_URL", SETTING_TEXT, AT(openai_base_url), "https://api.openai.com",
     .required = true, .help = "Where provider `openai` is called."},
    {"AB_OPENAI_MODEL", SETTING_TEXT, AT(openai_model), "gpt-5.6-luna", .required = true,
     .help = "Model of provider `openai`."},
    {"AB_ANTHROPIC_BASE_URL", SETTING_TEXT, AT(anthropic_base_url), "https://api.anthropic.com",
     .required = true, .help = "Where provider `anthropic` is called."},
    {"AB_ANTHROPIC_MODEL", SETTING_TEXT, AT(anthropic_model), "claude-haiku-4-5-20251001",
     .required = true, .help = "Model of provider `anthropic`."},
    {"AB_MISTRAL_BASE_URL", SETTING_TEXT, AT(mistral_base_url), "https://api.mistral.ai",
     .required = true, .help = "Where provider `mistral` is called."},
    {"AB_MISTRAL_MODEL", SETTING_TEXT, AT(mistral_model), "mistral-small-latest", .required = true,
     .help = "Model of provider `mistral`."},
    {"AB_MISTRAL_API_KEY", SETTING_TEXT, AT(mistral_api_key), NULL, .secret = true,
     .help = "Offers provider `mistral`, and is used when the orchestrator has no advice."},
    {"AB_OUTBOUND_ALLOW_PRIVATE", SETTING_BOOLEAN, AT(outbound_allow_private), "false",
     .help = "Let calls to vendors go to loopback and private addresses also where AB_ENV is not "
             "`local`. The orchestrator may always stand there; link-local addresses are never "
             "called."},
    {"AB_CHATAPP_CLIENT_ID", SETTING_TEXT, AT(chatapp_client_id), NULL,
     .help = "Id of the app on the chat platform. This and the two secrets switch the integration "
             "on."},
    {"AB_CHATAPP_CLIENT_SECRET", SETTING_TEXT, AT(chatapp_client_secret), NULL, .secret = true,
     .help = "Its secret; also seals the tokens of installations, which have to be made again when "
             "it changes."},
    {"AB_CHATAPP_SIGNING_SECRET", SETTING_TEXT, AT(chatapp_signing_secret), NULL, .secret = true,
     .help = "What the platform signs its calls with."},
    {"AB_CHATAPP_BASE_URL", SETTING_TEXT, AT(chatapp_base_url), NULL,
     .help = "Where the platform is, `https://` and its host; without it the app cannot be "
             "installed, and nothing is said to the platform by itself."},
    {"AB_CHATAPP_RESPONSE_HOSTS", SETTING_LIST, AT(chatapp_response_hosts), NULL,
     .help = "Hosts that its response URLs may be on; empty = that of AB_CHATAPP_BASE_URL and "
             "those below it."},
    {"AB_CHATAPP_TEAMS", SETTING_LIST, AT(chatapp_teams), NULL,
     .help = "Ids of the workspaces that may install and use the app; empty = any that the "
             "platform lets install it."},
    {"AB_CHATAPP_REVIEW_CHANNEL", SETTING_TEXT, AT(chatapp_review_channel), NULL,
     .help = "Channel that requests for a review are posted to; unset, there are none."},
    {"AB_CHATAPP_LANGUAGE", SETTING_TEXT, AT(chatapp_language), "en",
     .help =
         "Language of messages in chats and of the analyses that are run from there: the name of "
         "a file of locales/, `de` for example."},
    {"AB_CHATAPP_TIMEOUT_SECONDS", SETTING_NUMBER, AT(chatapp_timeout_seconds), "10", 0.1, 25,
     .help = "Longest call of the platform."},
    {"AB_CHATAPP_SIGNATURE_SECONDS", SETTING_INTEGER, AT(chatapp_signature_seconds), "300", 1, 3600,
     .help = "How far the time of a signed call may be from now."},
    {"AB_CHATAPP_STATE_SECONDS", SETTING_INTEGER, AT(chatapp_state_seconds), "600", 10, 3600,
     .help = "How long an install that was begun may take."},
    {"AB_CHATAPP_PROJECTS_SHOWN", SETTING_INTEGER, AT(chatapp_projects_shown), "10", 1, 50,
     .help = "Projects that `/ab-test projects` lists, the newest first."},
    {"AB_CHATAPP_MESSAGE_BYTES", SETTING_INTEGER, AT(chatapp_message_bytes), "65536", 4096, 131072,
     .help = "Longest text of a message; a list ends with the last line that is whole."},
    {"AB_CHATAPP_NAME_BYTES", SETTING_INTEGER, AT(chatapp_name_bytes), "240", 16, 1000,
     .help = "Longest name of a project, id or reason in a message; what is longer is cut."},
    {"AB_CHATAPP_ATTEMPTS", SETTING_INTEGER, AT(chatapp_attempts), "4", 1, 20,
     .help = "How often a message, a post or an analysis is tried, 1, 5 and then 30 s after a "
             "failure that may pass."},
    {"AB_CHATAPP_ROUND_JOBS", SETTING_INTEGER, AT(chatapp_round_jobs), "20", 1, 1000,
     .help = "Messages, and posts, that `webhook-deliver` sends to the platform before it runs the "
             "next analysis."},
};
const size_t experiments_settings_count =
    sizeof experiments_settings_table / sizeof experiments_settings_table[0];

bool experiments_may_call_private(const struct experiments_settings *settings)
{
    return settings->outbound_allow_private || strcmp(settings->environment, "local") == 0;
}

bool experiments_has_chat(const struct experiments_settings *settings)
{
    return settings->chatapp_client_id && settings->chatapp_client_secret &&
           settings->chatapp_signing_secret;
}

bool experiments_is_production(const struct experiments_settings *settings)
{
    return strcasecmp(settings->environment, "production") == 0 ||
           strcasecmp(settings->environment, "prod") == 0;
}

const char *experiments_open_by(const struct experiments_settings *settings)
{
    if (settings->api_token || settings->readonly_api_token || settings->admin_token ||
        settings->public_demo ||
        (experiments_is_production(settings) && !settings->allow_insecure_production))
        return NULL;
    return "neither AB_API_TOKEN nor AB_ADMIN_TOKEN is set and no key was issued";
}

static enum error check_production(const struct experiments_settings *settings,
                                   struct problem *problem)
{
    const struct {
        const char *name;
        const char *token;
    } tokens[] = {{"AB_API_TOKEN", settings->api_token},
                  {"AB_READONLY_API_TOKEN", settings->readonly_api_token},
                  {"AB_ADMIN_TOKEN", settings->admin_token}};

    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++)
        if (tokens[i].token && strlen(tokens[i].token) < PRODUCTION_TOKEN_MIN)
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "%s must be at least %d characters in production", tokens[i].name,
                               PRODUCTION_TOKEN_MIN);
    return ERROR_NONE;
}

/* The URL must not contain user and password. */
static enum error check_urls(const struct experiments_settings *settings, struct problem *problem)
{
    const struct {
        const char *name;
        const char *url;
    } urls[] = {{"AB_LLM_BASE_URL", settings->llm_base_url},
                {"AB_OPENAI_BASE_URL", settings->openai_base_url},
                {"AB_ANTHROPIC_BASE_URL", settings->anthropic_base_url},
                {"AB_MISTRAL_BASE_URL", settings->mistral_base_url},
                {"AB_CHATAPP_BASE_URL", settings->chatapp_base_url},
                {"AB_LIVEDATA_URL", settings->sources.url}};

    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        const char *url = urls[i].url ? urls[i].url : "";
        bool is_http = strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;

        if (*url && (!is_http || strpbrk(url, "@?# \t")))
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "%s must be http:// or https:// with a host and perhaps a path, "
                               "without user, password or query",
                               urls[i].name);
    }
    if (settings->llm_path[0] != '/')
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "AB_LLM_PATH must begin with a slash");
    return ERROR_NONE;
}

enum error experiments_settings_load(struct experiments_settings *settings, struct arena *arena,
                                     const char *(*lookup)(const char *name),
                                     struct problem *problem)
{
    enum error error = settings_load(experiments_settings_table, experiments_settings_count,
                                     settings, arena, lookup, problem);

    if (error)
        return error;
    settings->operator_token =
        settings->admin_token
            ? settings->admin_token
            : settings_made_secret(arena, settings->state_directory, "experiments-admin-token");
    if (strstr(settings->db_path, "://"))
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "AB_DB_PATH must be the path of a file; a URL goes into "
                           "AB_DATABASE_URL");
    error = check_urls(settings, problem);
    if (!error)
        error = settings_check_origins("AB_CORS_ORIGINS", &settings->cors_origins,
                                       experiments_open_by(settings), problem);
    if (error)
        return error;
    if (settings->max_workspace_body_bytes < settings->max_request_body_bytes)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "AB_MAX_WORKSPACE_BODY_BYTES must be at least "
                           "AB_MAX_REQUEST_BODY_BYTES");
    if (settings->intake == KAFKA_INTAKE_KAFKA && !settings->kafka.brokers)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "AB_INTAKE is kafka, and KAFKA_BOOTSTRAP_SERVERS is not set");
    if (settings->trusted_proxies.count && settings->trusted_proxy_hops == 0)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "AB_TRUSTED_PROXY_HOPS must be at least 1 when AB_TRUSTED_PROXIES is "
                           "set");
    return experiments_is_production(settings) ? check_production(settings, problem) : ERROR_NONE;
}
