/* The table of settings of the support service, and the rules that span several of them. */
#include "support/settings.h"
#include "accounts/settings.h"

#include "accounts/people.h"
#include "base/confine.h"
#include "base/log.h"
#include "crypto/password.h"
#include "crypto/token.h"
#include "db/common_settings.h"
#include "llm/llm.h"

#include <stdio.h>
#include <string.h>

/* Published in the source, so never accepted. */
#define PUBLISHED_SECRET "assay-development-secret-not-for-production" /* of earlier versions */

enum { SECRET_MIN = 32 };

static const char *const environments[SUPPORT_ENVIRONMENT__MAX + 1] = {"development", "staging",
                                                                       "production", NULL};

const char *const fact_level_names[FACT_LEVEL__MAX + 1] = {"quick", "standard", "high", "maximum",
                                                           NULL};

static const char *const ingest_modes[INGEST__MAX + 1] = {"auto", "always", "never", NULL};

static const char *const embedding_backends[EMBEDDING__MAX + 1] = {"local", "remote", "words",
                                                                   NULL};

static const char *const email_modes[EMAIL_MODE__MAX + 1] = {"disabled", "imap", "webhook", NULL};

#define AT(member) offsetof(struct support_settings, member)

const struct setting support_settings_table[] = {
    {"RAG_ENV", SETTING_CHOICE, AT(environment), "development", .choices = environments,
     .help = "`production` refuses development secrets, hides the API document and sends HSTS."},
    COMMON_SETTINGS("SUPPORT_", "", "8009", "268435456"),
    ACCOUNTS_SETTINGS,
    OIDC_SETTINGS,
    {"GOOGLE_OIDC_CLIENT_ID", SETTING_TEXT, AT(google_client_id), NULL,
     .help = "Client id for sign-in to support with Google accounts."},
    {"GOOGLE_OIDC_CLIENT_SECRET", SETTING_TEXT, AT(google_client_secret), NULL, .secret = true,
     .help = "Its secret."},
    {"AZURE_OIDC_TENANT", SETTING_TEXT, AT(azure_tenant), NULL, 0, 100,
     .help = "Id of the Microsoft Entra tenant whose people sign in to support."},
    {"AZURE_OIDC_CLIENT_ID", SETTING_TEXT, AT(azure_client_id), NULL, .help = "Client id there."},
    {"AZURE_OIDC_CLIENT_SECRET", SETTING_TEXT, AT(azure_client_secret), NULL, .secret = true,
     .help = "Its secret."},
    {"TENANT_EMAIL_DOMAINS", SETTING_LIST, AT(tenant_email_domains), NULL,
     .help = "`DOMAIN:TENANT` for each e-mail domain whose people may sign in with Google or "
             "Microsoft; others are refused. Customers who write by e-mail belong to the tenant of "
             "their domain, else to that of `*:TENANT`, else to `default`."},
    REQUEST_SETTINGS(""),
    CLOCK_SETTINGS,
    DEMO_SETTING("SUPPORT_"),
    {"SHUTDOWN_READY_DELAY_SEC", SETTING_INTEGER, AT(shutdown_ready_delay_seconds), "5", 0, 600,
     .help = "Seconds for which `nginx/stack stop` and `restart` let health and ready answer 503 "
             "before requests are refused, so that a balancer can turn elsewhere; 0 = none."},
    {"DATA_DIR", SETTING_TEXT, AT(data_directory), "data/support", .required = true,
     .help = "Folder of uploads, search segments and the SQLite file; it is made. `nginx/stack` "
             "puts it below the stack's directory."},
    {"DATABASE_URL", SETTING_TEXT, AT(database_url), NULL, .secret = true,
     .help = "`postgresql://user:password@host/name`; unset uses `support.sqlite3` in DATA_DIR."},
    {"DB_POOL_SIZE", SETTING_INTEGER, AT(db_pool_size), "10", 1, 1000,
     .help = "PostgreSQL connections that all workers of this host may hold together."},
    {"API_KEY", SETTING_TEXT, AT(api_key), NULL, 8, .secret = true,
     .help = "Key for programs, sent as X-API-Key: an administrator of tenant `default`."},
    {"ALLOW_ANONYMOUS_ADMIN", SETTING_BOOLEAN, AT(allow_anonymous_admin), "false",
     .help = "Without API_KEY, treat everybody who shows nothing as an administrator, on the "
             "service's own port and until a second person has an account. For one's own machine; "
             "refused in production."},
    {"ADMIN_USERNAME", SETTING_TEXT, AT(admin_username), "admin", .required = true,
     .help = "Name of the administrator whose password is ADMIN_PASSWORD_HASH."},
    {"ADMIN_PASSWORD_HASH", SETTING_TEXT, AT(admin_password_hash), NULL, .secret = true,
     .help = "Hash of that password (bcrypt or yescrypt). Without it admin signs in with the "
             "password that `nginx/stack` makes at the first start "
             "(`state/support-first-password`), and with admin at a loopback address outside "
             "production."},
    {"ADMIN_DEFAULT_TENANT", SETTING_TEXT, AT(admin_default_tenant), "default", .required = true,
     .help = "Tenant of that administrator."},
    {"ALLOW_DEV_ADMIN_LOGIN", SETTING_BOOLEAN, AT(allow_dev_admin_login), "false",
     .help = "Let production start without ADMIN_PASSWORD_HASH: admin signs in with the first "
             "password."},
    SIGN_IN_SETTINGS,
    {"JWT_SECRET", SETTING_TEXT, AT(jwt_secret), NULL, .secret = true, .required = true,
     .help = "Key that signs tokens; in production one of its own, of at least 32 characters. "
             "Elsewhere `nginx/stack` makes one at the first start (`state/support-secret`)."},
    {"JWT_ACCESS_TTL", SETTING_INTEGER, AT(jwt_access_ttl), "3600", 1, 31536000,
     .help = "Seconds for which a sign-in holds."},
    {"JWT_REFRESH_TTL", SETTING_INTEGER, AT(jwt_refresh_ttl), "604800", 1, 31536000,
     .help = "Seconds within which it may be renewed."},
    {"PROMETHEUS_METRICS_REQUIRE_AUTH", SETTING_BOOLEAN, AT(metrics_require_auth), "false",
     .help = "Show `/metrics` to administrators only."},
    {"CORS_ORIGINS", SETTING_LIST, AT(cors_origins), NULL,
     .help = "Origins whose pages may call the API; `*` is everybody's, without credentials: the "
             "default, but with ALLOW_ANONYMOUS_ADMIN, where it is refused as in production."},
    {"HELP_VISITOR_TENANT", SETTING_TEXT, AT(help_visitor_tenant), NULL,
     .help = "Customers without an account may ask the documents of this tenant on the help page "
             "and in the widget. Unset: the help page asks everybody to sign in."},
    {"WIDGET_ALLOWED_ORIGINS", SETTING_LIST, AT(widget_allowed_origins), NULL,
     .help = "Sites that may show the help page in a frame, with `widget.js`: a comma-separated "
             "list of origins such as `https://shop.example`. Unset: none."},
    {"RATE_LIMIT_ENABLED", SETTING_BOOLEAN, AT(rate_limit_enabled), "true",
     .help = "Limit calls per client address: sign-in, uploads, questions, failed credentials."},
    {"AUTH_FAILURE_LIMIT", SETTING_INTEGER, AT(auth_failure_limit), "20", 1, 100000,
     .help = "Refused credentials per client address and window before the answer is 429."},
    {"AUTH_FAILURE_WINDOW_SECONDS", SETTING_INTEGER, AT(auth_failure_window_seconds), "60", 1,
     86400, .help = "Length of that window."},
    {"MAX_REQUEST_BODY_BYTES", SETTING_INTEGER, AT(max_request_body_bytes), "1048576", 1024,
     1073741824, .help = "Largest request body, uploads aside."},
    {"MAX_UPLOAD_BYTES", SETTING_INTEGER, AT(max_upload_bytes), "52428800", 1024, 17179869184.0,
     .help = "Largest uploaded file."},
    {"CHUNK_SIZE", SETTING_INTEGER, AT(chunk_size), "800", 100, 20000,
     .help = "Characters of a chunk, the piece of a document that is searched."},
    {"CHUNK_OVERLAP", SETTING_INTEGER, AT(chunk_overlap), "200", 0, 5000,
     .help = "Characters that a chunk may repeat of the one before."},
    {"RAG_STRUCTURAL_CHUNKING", SETTING_BOOLEAN, AT(structural_chunking), "true",
     .help = "Cut documents at their headings first."},
    {"RAG_CONTEXTUAL_HEADERS", SETTING_BOOLEAN, AT(contextual_headers), "true",
     .help = "Index each chunk under the names of its document and headings as well."},
    {"INGESTION_BATCH_ENABLED", SETTING_BOOLEAN, AT(contexts_by_model), "false",
     .help =
         "Let a model of `transform_query` write the words that each chunk is indexed under, in "
         "place of those names."},
    {"INGESTION_CONTEXTUAL_CONCURRENCY", SETTING_INTEGER, AT(contexts_at_once), "4", 1, 64,
     .help = "How many chunks it is asked about at a time."},
    {"INGEST_ASYNC", SETTING_CHOICE, AT(ingest_async), "auto", .choices = ingest_modes,
     .help = "Leave uploads to the program `ingest`: large ones while it runs (`auto`), `always`, "
             "or `never`. Only it reads formats other than txt, md, csv and json."},
    {"INGEST_ASYNC_MIN_BYTES", SETTING_INTEGER, AT(ingest_async_min_bytes), "262144", 0, 1e12,
     .help = "Files larger than this count as large."},
    {"INGEST_PROCESSES", SETTING_INTEGER, AT(ingest_processes), "4", 1, 32,
     .help = "Processes of `ingest` that read documents side by side."},
    {"INGEST_PROCESSES_PER_TENANT", SETTING_INTEGER, AT(ingest_per_tenant), "2", 1, 32,
     .help = "How many of them may read documents of one tenant at a time."},
    {"READER_MEMORY_BYTES", SETTING_INTEGER, AT(reader_memory_bytes), "1073741824", 67108864, 1e13,
     .help = "Memory of the process that reads one document."},
    {"READER_SECONDS", SETTING_INTEGER, AT(reader_seconds), "20", 1, 3600,
     .help = "Computing time of that process; by the clock it has twice as long."},
    {"READER_TEXT_BYTES", SETTING_INTEGER, AT(reader_text_bytes), "67108864", 1024, 1e11,
     .help = "Text that one document may hold."},
    {"OCR_PAGE_SECONDS", SETTING_INTEGER, AT(scan_seconds), "60", 1, 3600,
     .help = "Computing time of each process that reads a scanned page."},
    {"OCR_PIXELS", SETTING_INTEGER, AT(scan_pixels), "2400", 500, 10000,
     .help = "Pixels of the longer side of a page that is read: 2400 are 205 dpi for A4."},
    {"OCR_PAGES_MAX", SETTING_INTEGER, AT(scan_pages), "500", 0, 1e6,
     .help = "Scanned pages that are read of one document; 0 reads none."},
    {"INDEX_MEMORY_BYTES", SETTING_INTEGER, AT(index_memory_bytes), "2147483648", 16777216, 1e12,
     .help = "Memory that indexing one document may use."},
    {"RAG_RETRIEVAL_TOP_K", SETTING_INTEGER, AT(retrieval_top_k), "20", 1, 100,
     .help = "Chunks that are read closely for a question."},
    {"RAG_RERANK_TOP_K", SETTING_INTEGER, AT(rerank_top_k), "5", 1, 20,
     .help = "Chunks that an answer may stand on."},
    {"RAG_PARENT_CHILD", SETTING_BOOLEAN, AT(parent_child), "false",
     .help =
         "Search children of 300 characters and answer from the parents of 1200 that they stand "
         "in, in place of chunks of CHUNK_SIZE; documents that are there already change with "
         "`ingest --reindex`."},
    {"RAG_PARENT_EXPANSION", SETTING_BOOLEAN, AT(parent_expansion), "true",
     .help = "Show sources with the chunks around them."},
    {"RAG_PARENT_EXPANSION_WINDOW", SETTING_INTEGER, AT(parent_expansion_window), "2", 0, 10,
     .help = "Chunks before and after."},
    {"RAG_PARENT_EXPANSION_MAX_CHARS", SETTING_INTEGER, AT(parent_expansion_max_chars), "3600", 100,
     100000, .help = "Characters of a source with them."},
    {"EMBEDDED_MIN_EVIDENCE", SETTING_NUMBER, AT(embedded_min_evidence), "0.45", 0, 1,
     .help = "Least evidence for an answer; below it the question is refused."},
    {"QUALITY_THRESHOLD", SETTING_INTEGER, AT(quality_threshold), "80", 1, 100,
     .help = "Quality from which an answer goes out without a person."},
    {"FACT_VERIFICATION_ENABLED", SETTING_BOOLEAN, AT(fact_verification), "true",
     .help = "Check each sentence of an answer against the documents."},
    {"FACT_VERIFICATION_MIN_SCORE", SETTING_INTEGER, AT(fact_verification_min_score), "70", 0, 100,
     .help = "Share of supported sentences from which an answer goes out without a person."},
    {"FACT_VERIFY_CONSENSUS_ENABLED", SETTING_BOOLEAN, AT(fact_consensus), "false",
     .help = "Let several verdicts decide whether the documents support a statement of a model's "
             "answer."},
    {"FACT_VERIFY_RELIABILITY_LEVEL", SETTING_CHOICE, AT(fact_reliability_level), "standard",
     .choices = fact_level_names,
     .help = "Whose verdicts: one of a model that must be positive (`quick`); two of models and "
             "one by words, two of three (`standard`); three and one, three of four (`high`); four "
             "and one, four of five (`maximum`)."},
    {"ESCALATION_THRESHOLD", SETTING_NUMBER, AT(escalation_threshold), "0.7", 0, 1,
     .help = "Relevance that the analysis of thresholds holds against verdicts; answering itself "
             "asks for a hundredth of QUALITY_THRESHOLD."},
    {"THRESHOLD_ANALYSIS_MIN_LABELS", SETTING_INTEGER, AT(threshold_labels_least), "20", 1, 1e9,
     .help = "Judged answers below which no threshold is suggested."},
    {"THRESHOLD_RISK", SETTING_NUMBER, AT(threshold_risk), "0.1", 0.0001, 0.9999,
     .help = "Share of wrong answers among those that go out, below which a threshold is to keep "
             "it."},
    {"THRESHOLD_CONFIDENCE", SETTING_NUMBER, AT(threshold_confidence), "0.95", 0.5, 0.999999,
     .help = "How sure that has to be."},
    {"RAG_SELF_RAG_MAX_ITER", SETTING_INTEGER, AT(self_rag_max_iterations), "2", 0, 5,
     .help = "How often a weak answer is tried again with other words."},
    {"SUGGESTED_QUESTIONS_ENABLED", SETTING_BOOLEAN, AT(suggested_questions), "true",
     .help = "Suggest up to three further questions."},
    {"MODEL_ROUTING_ENABLED", SETTING_BOOLEAN, AT(model_routing), "false",
     .help = "Tell simple questions from complex ones first."},
    {"RAG_AGENTIC_MODE", SETTING_BOOLEAN, AT(agentic), "false",
     .help = "Answer with tools: documents, the state of an order, tickets that are confirmed."},
    {"AGENT_MAX_TOOL_LOOPS", SETTING_INTEGER, AT(tool_loops), "5", 1, 20,
     .help = "How often a model may call tools for one question."},
    {"SESSION_TTL_SECONDS", SETTING_INTEGER, AT(session_ttl_seconds), "7200", 1, 1e9,
     .help = "How long after its last question a conversation counts as active."},
    {"TRACE_RETENTION_DAYS", SETTING_INTEGER, AT(trace_retention_days), "90", 0, 36500,
     .help = "Age from which traces go, with their steps, votes and evaluations; 0 keeps them."},
    {"AUDIT_RETENTION_DAYS", SETTING_INTEGER, AT(audit_retention_days), "180", 0, 36500,
     .help = "Age from which entries of the audit log go; 0 keeps them."},
    {"MESSAGE_RETENTION_DAYS", SETTING_INTEGER, AT(message_retention_days), "180", 0, 36500,
     .help = "How long after its last message a conversation goes; 0 keeps them."},
    {"TRACE_PURGE_INTERVAL_SEC", SETTING_INTEGER, AT(trace_purge_interval), "86400", 60, 864000,
     .help = "How often old traces and conversations are looked for."},
    {"AUDIT_PURGE_INTERVAL_SEC", SETTING_INTEGER, AT(audit_purge_interval), "86400", 60, 864000,
     .help = "How often old entries of the audit log are looked for."},
    {"REVIEW_QUEUE_ENABLED", SETTING_BOOLEAN, AT(review_queue), "true",
     .help = "Collect weak answers for review."},
    {"SLOW_TRACE_THRESHOLD_MS", SETTING_INTEGER, AT(slow_trace_ms), "10000", 1, 1e9,
     .help = "Milliseconds above which an answer counts as slow and is to be reviewed."},
    {"REVIEWER_EMAIL", SETTING_TEXT, AT(reviewer_email), NULL,
     .help = "Username of the person whose verdicts `review-import` takes over."},
    {"REGRESSION_GATE_MAX_REGRESSIONS", SETTING_INTEGER, AT(regression_most), "2", 0, 1e9,
     .help = "Cases that a candidate may fail although the baseline passes them."},
    {"REGRESSION_GATE_MIN_PASS_RATE", SETTING_NUMBER, AT(regression_pass_rate), "0.85", 0, 1,
     .help = "Share of cases that a candidate has to pass."},
    {"REGRESSION_GATE_DROP", SETTING_NUMBER, AT(regression_drop), "0.05", 0.001, 1,
     .help = "Fall of the pass rate that a run is wanted to show; its report says how many cases "
             "that takes."},
    {"EVAL_GATE_MIN_CASES", SETTING_INTEGER, AT(eval_gate_cases), "10", 1, 100000,
     .help = "Questions without which `eval-gate` says nothing."},
    {"EVAL_GATE_FAITHFULNESS", SETTING_NUMBER, AT(eval_gate_faithfulness), "0.75", 0, 1,
     .help = "Least share of sentences that have to stand in their documents, for `eval-gate`."},
    {"EVAL_GATE_CONTEXT_PRECISION", SETTING_NUMBER, AT(eval_gate_precision), "0.7", 0, 1,
     .help = "Least share of what was asked for that has to be in what was found."},
    {"EVAL_GATE_ANSWER_RELEVANCY", SETTING_NUMBER, AT(eval_gate_relevancy), "0.7", 0, 1,
     .help = "Least share of the words of a question that its answer has to take up."},
    {"REGRESSION_LEASE_SECONDS", SETTING_INTEGER, AT(regression_lease), "900", 1, 86400,
     .help = "Seconds without a sign of life after which a regression run counts as lost."},
    {"LLM_BENCHMARK_ALLOW_PAID_APIS", SETTING_BOOLEAN, AT(benchmark_calls), "false",
     .help = "Let regression runs call models that are held against each other (otherwise they are "
             "simulated) and paid ones (otherwise the run is refused)."},
    {"EXPERIMENT_ID", SETTING_TEXT, AT(experiment_id), NULL,
     .help = "Experiment whose staged settings are in force, in place of EXPERIMENT_ID_FILE."},
    {"EXPERIMENT_ID_FILE", SETTING_TEXT, AT(experiment_id_file), "config/experiment_id",
     .required = true,
     .help = "File of one line that names it, below DATA_DIR; usually there is none."},
    {"EXPERIMENT_ASSIGNMENT_ENABLED", SETTING_BOOLEAN, AT(experiment_assignment), "false",
     .help = "Answer a part of a tenant's conversations by the experiment assigned to it."},
    {"AB_BASE_URL", SETTING_TEXT, AT(ab_base_url), NULL,
     .help = "Where the experiments service is, which judges the answers of an experiment that has "
             "a share of a tenant's conversations: `http://127.0.0.1:8008`."},
    {"AB_API_KEY", SETTING_TEXT, AT(ab_api_key), NULL, .secret = true,
     .help = "A key of it that may write. Without both, nothing is sent to it."},
    {"AB_TIMEOUT_SEC", SETTING_NUMBER, AT(ab_timeout), "10", 0.05, 600,
     .help = "Longest call to it."},
    {"AB_CONNECT_SEC", SETTING_NUMBER, AT(ab_connect), "3", 0.05, 60,
     .help = "Of that, for connecting."},
    {"AB_MAX_REQUEST_BYTES", SETTING_INTEGER, AT(ab_request_bytes), "1048576", 524288, 67108864,
     .help = "Largest batch of records that is sent to it."},
    {"AB_MAX_RESPONSE_BYTES", SETTING_INTEGER, AT(ab_answer_bytes), "4194304", 65536, 67108864,
     .help = "Largest answer that is read."},
    {"AB_DECISION_INTERVAL_SEC", SETTING_INTEGER, AT(ab_decision_interval), "60", 1, 86400,
     .help = "How often its decision is read while such a share is assigned."},
    {"SPLIT_MDE_PCT", SETTING_NUMBER, AT(split_mde), "5", 0.01, 1000,
     .help = "Smallest change of an answer's quality, in percent, that such an experiment is "
             "planned for."},
    {"SPLIT_MARGIN_PCT", SETTING_NUMBER, AT(split_margin), "25", 0, 10000,
     .help = "Rise of votes against, or of answers handed to a person, in percent of what is "
             "usual, beyond which it harms."},
    {"SPLIT_LOOKS", SETTING_INTEGER, AT(split_looks), "5", 1, 10,
     .help = "Planned looks at its figures."},
    {"AUTO_ROLLBACK_ENABLED", SETTING_BOOLEAN, AT(auto_rollback), "false",
     .help = "Let `rollback-watch` take back a deployed experiment that harms."},
    {"ROLLBACK_DRIFT_THRESHOLD_PCT", SETTING_NUMBER, AT(rollback_drift), "10", 0, 1000,
     .help = "Loss of an evaluator's mean, in percent, from which it does."},
    {"ROLLBACK_TRACE_WINDOW", SETTING_INTEGER, AT(rollback_window), "1000", 1, 1e6,
     .help = "Latest evaluations of each evaluator that are compared."},
    {"ROLLBACK_MIN_EVALUATIONS", SETTING_INTEGER, AT(rollback_least), "30", 1, 1e6,
     .help = "Evaluations on either side below which nothing is concluded."},
    {"CURATED_CASE_STALE_DAYS", SETTING_INTEGER, AT(curated_stale_days), "180", 1, 36500,
     .help = "Age from which a curated case is answered again, by `stale-cases`."},
    {"RECOMMENDATIONS_ENABLED", SETTING_BOOLEAN, AT(recommendations), "true",
     .help = "Say what to do next."},
    {"REPORT_CHATAPP_WEBHOOK", SETTING_TEXT, AT(report_webhook), NULL, .secret = true,
     .help = "Where `weekly-report` posts the reports of tenants; unset: they are written only."},
    {"REPORT_EMAIL_RECIPIENTS", SETTING_LIST, AT(report_readers), NULL,
     .help = "Who gets them by mail, addresses with commas between them."},
    {"TENANT_ADMIN_EMAIL", SETTING_TEXT, AT(tenant_admin_email), NULL,
     .help = "Receives a mail about each rollback by `rollback-watch`."},
    {"BACKLOG_EMAIL_ENABLED", SETTING_BOOLEAN, AT(backlog_mail), "false",
     .help = "Send that address each backlog that `backlog-generate` makes, too."},
    {"SMTP_HOST", SETTING_TEXT, AT(smtp_host), NULL, .help = "Server that takes mail."},
    {"SMTP_PORT", SETTING_INTEGER, AT(smtp_port), "587", 1, 65535,
     .help = "Its port; on 465 all of it is TLS."},
    {"SMTP_USER", SETTING_TEXT, AT(smtp_user), NULL,
     .help = "Who signs in there, over TLS alone; unset: nobody does."},
    {"SMTP_PASS", SETTING_TEXT, AT(smtp_password), NULL, .secret = true, .help = "The password."},
    {"SMTP_FROM_ADDRESS", SETTING_TEXT, AT(smtp_from), "support@example.com", .required = true,
     .help = "Who the mail is from."},
    {"SMTP_CA_FILE", SETTING_TEXT, AT(smtp_ca_file), NULL,
     .help = "File of the certificates that are trusted for it; unset: the system's."},
    {"SMTP_TIMEOUT_SEC", SETTING_NUMBER, AT(smtp_timeout), "15", 0.05, 600,
     .help = "How long sending a letter may take."},
    {"SMTP_PASSWORD", SETTING_TEXT, AT(other_smtp_password), NULL, .secret = true,
     .help = "Another name of SMTP_PASS."},
    {"EMAIL_CHANNEL_MODE", SETTING_CHOICE, AT(email_mode), "disabled", .choices = email_modes,
     .help = "Answer e-mail of customers: `imap` reads a mailbox, `webhook` takes messages that a "
             "mail provider posts. Replies go out by the SMTP settings."},
    {"IMAP_HOST", SETTING_TEXT, AT(imap_host), NULL, .help = "Server of the mailbox."},
    {"IMAP_PORT", SETTING_INTEGER, AT(imap_port), "993", 1, 65535,
     .help = "Its port; on 993 all of it is TLS, on others it begins with STARTTLS."},
    {"IMAP_USER", SETTING_TEXT, AT(imap_user), NULL, .help = "Who signs in there."},
    {"IMAP_PASSWORD", SETTING_TEXT, AT(imap_password), NULL, .secret = true,
     .help = "The password."},
    {"IMAP_PASS", SETTING_TEXT, AT(other_imap_password), NULL, .secret = true,
     .help = "Another name of IMAP_PASSWORD."},
    {"IMAP_FOLDER", SETTING_TEXT, AT(imap_folder), "INBOX", .required = true,
     .help = "The folder whose unseen messages are read."},
    {"IMAP_CA_FILE", SETTING_TEXT, AT(imap_ca_file), NULL,
     .help = "File of the certificates that are trusted for it; unset: the system's."},
    {"IMAP_POLL_INTERVAL_SEC", SETTING_NUMBER, AT(imap_poll_interval), "60", 0.1, 86400,
     .help = "How often the mailbox is read."},
    {"IMAP_TIMEOUT_SEC", SETTING_NUMBER, AT(imap_timeout), "30", 0.05, 600,
     .help = "How long connecting, or one command, may take."},
    {"EMAIL_POLL_BATCH", SETTING_INTEGER, AT(email_poll_batch), "50", 1, 1000,
     .help = "Messages that are read in one go; the next ones follow at once."},
    {"EMAIL_MAX_MESSAGE_BYTES", SETTING_INTEGER, AT(email_max_bytes), "10485760", 4096, 67108864,
     .help = "How much of a message is read. Texts come before attachments, which are not kept."},
    {"EMAIL_QUESTION_MAX_CHARS", SETTING_INTEGER, AT(email_question_max), "2000", 100, 20000,
     .help = "How much of a message's text is the question."},
    {"EMAIL_REPLIES_PER_HOUR", SETTING_INTEGER, AT(email_replies_per_hour), "10", 0, 100000,
     .help = "Automatic replies that an address gets within an hour; further questions go to a "
             "person. It ends loops with programs that do not say that they are programs."},
    {"EMAIL_SEND_ATTEMPTS", SETTING_INTEGER, AT(email_send_attempts), "30", 1, 1000,
     .help = "Attempts to send a message, with growing pauses up to an hour, before its text comes "
             "back to the team as a ticket."},
    {"EMAIL_WEBHOOK_SIGNING_SECRET", SETTING_TEXT, AT(email_webhook_secret), NULL, 8,
     .secret = true,
     .help = "Key of the signature in `X-Signature`, with EMAIL_CHANNEL_MODE=webhook."},
    {"EMAIL_WEBHOOK_SECRET", SETTING_TEXT, AT(other_email_webhook_secret), NULL, 8, .secret = true,
     .help = "Another name of EMAIL_WEBHOOK_SIGNING_SECRET."},
    {"REPORT_SMTP_HOST", SETTING_TEXT, AT(report_smtp_host), NULL,
     .help = "Another server, in place of SMTP_HOST; so for the next three."},
    {"REPORT_SMTP_PORT", SETTING_INTEGER, AT(report_smtp_port), "0", 0, 65535,
     .help = "In place of SMTP_PORT; 0 = that one."},
    {"REPORT_SMTP_USER", SETTING_TEXT, AT(report_smtp_user), NULL,
     .help = "In place of SMTP_USER."},
    {"REPORT_SMTP_PASS", SETTING_TEXT, AT(report_smtp_password), NULL, .secret = true,
     .help = "In place of SMTP_PASS."},
    {"BACKLOG_WEIGHT_REVIEW_BAD", SETTING_NUMBER, AT(backlog_review), "3", 0, 1000,
     .help = "Impact of answers that were judged bad, in the backlog of improvements."},
    {"BACKLOG_WEIGHT_THUMBS_DOWN", SETTING_NUMBER, AT(backlog_thumbs_down), "2", 0, 1000,
     .help = "Of votes against, and of topics that people asked for in vain."},
    {"BACKLOG_WEIGHT_SLOW", SETTING_NUMBER, AT(backlog_slow), "1.5", 0, 1000,
     .help = "Of slow answers."},
    {"BACKLOG_WEIGHT_FRESHNESS", SETTING_NUMBER, AT(backlog_freshness), "1", 0, 1000,
     .help = "Of cited documents that nobody has looked at for long."},
    {"BACKLOG_WEIGHT_EVALUATOR_DRIFT", SETTING_NUMBER, AT(backlog_drift), "2.5", 0, 1000,
     .help = "Of metrics that fell by more than a tenth within a week."},
    {"BACKLOG_MAX_ITEMS", SETTING_INTEGER, AT(backlog_items), "30", 1, 60,
     .help = "Items of the backlog."},
    {"BACKLOG_FRESHNESS_MAX_DAYS", SETTING_INTEGER, AT(backlog_freshness_days), "90", 1, 36500,
     .help = "Age from which a document counts as old there."},
    {"ALERT_WEBHOOK_URL", SETTING_TEXT, AT(alert_webhook_url), NULL, .secret = true,
     .help = "Where alerts are posted; unset: nowhere."},
    {"DB_ANALYZE_INTERVAL_SEC", SETTING_NUMBER, AT(analyze_interval), "600", 1, 604800,
     .help = "How often `support-retention` refreshes the statistics of the database's planner."},
    {"ALERT_CHECK_INTERVAL_SEC", SETTING_INTEGER, AT(alert_check_interval), "300", 1, 86400,
     .help = "How often figures are looked at. A rule fires when it is violated twice in a row."},
    {"ALERT_COOLDOWN_SEC", SETTING_INTEGER, AT(alert_cooldown), "3600", 0, 864000,
     .help = "How long nothing is said again of a rule that goes on firing."},
    {"ALERT_MIN_N", SETTING_INTEGER, AT(alert_least), "10", 1, 1e9,
     .help = "Answers that the rules on escalation, quality and latency need to fire."},
    {"ALERT_ESCALATION_PCT", SETTING_NUMBER, AT(alert_escalation), "35", 0, 100,
     .help = "Share of answers of a day handed to a person, above which it fires."},
    {"ALERT_QUALITY_MIN", SETTING_NUMBER, AT(alert_quality), "65", 0, 100,
     .help = "Mean quality of a week below which it fires."},
    {"ALERT_LOW_QUALITY_PCT", SETTING_NUMBER, AT(alert_low_quality), "30", 0, 100,
     .help = "Share of answers of a week with a quality below 60, above which it fires."},
    {"ALERT_P95_LATENCY_SEC", SETTING_NUMBER, AT(alert_latency), "12", 0, 3600,
     .help = "Seconds that 95 % of a day's answers stay below; above it fires."},
    {"ALERT_THUMBS_DOWN_PCT", SETTING_NUMBER, AT(alert_thumbs_down), "20", 0, 100,
     .help = "Share of votes of a week against, above which it fires."},
    {"ALERT_THUMBS_DOWN_MIN_N", SETTING_INTEGER, AT(alert_thumbs_down_least), "50", 1, 1e9,
     .help = "Votes of a week below which their share says nothing."},
    {"ALERT_STALE_DOCS_MAX", SETTING_INTEGER, AT(alert_stale_documents), "10", 0, 1e9,
     .help = "Much cited documents that nobody has looked at for 90 days, above which it fires."},
    {"REQUEST_TIMEOUT_SEC", SETTING_INTEGER, AT(request_timeout_sec), "30", 1, 3600,
     .help = "Longest answer to a question; then 504."},
    {"MAX_CONCURRENT_PIPELINES", SETTING_INTEGER, AT(max_concurrent_pipelines), "256", 1, 16384,
     .help = "Questions that are answered at the same time, by all workers; most of them wait for "
             "models."},
    {"PIPELINE_ACQUIRE_TIMEOUT_SEC", SETTING_NUMBER, AT(pipeline_acquire_timeout_sec), "0.5", 0, 60,
     .help = "How long a further question waits before it gets 503 with Retry-After."},
    {"AUTO_TICKET_ON_HUMAN", SETTING_BOOLEAN, AT(auto_ticket_on_human), "true",
     .help = "Open a ticket for every answer that a person should look at."},
    {"ONLINE_EVALUATORS_ENABLED", SETTING_BOOLEAN, AT(online_evaluators), "true",
     .help = "Judge every answer by seven evaluators."},
    {"RAG_EMBEDDING_BACKEND", SETTING_CHOICE, AT(embedding_backend), "local",
     .choices = embedding_backends,
     .help =
         "`local` searches by meaning as well once `embedder` has a model (`embedder --fetch`), "
         "`remote` with vectors of RAG_EMBEDDING_REMOTE_URL, `words` by words alone."},
    {"RAG_EMBEDDER_DIR", SETTING_TEXT, AT(embedder_directory), NULL,
     .help =
         "Folder of the model and its engine; unset takes `assay/embedder` in XDG_CACHE_HOME or "
         "`~/.cache`. Clones and versions may share it."},
    {"RAG_EMBEDDER_PROCESSES", SETTING_INTEGER, AT(embedder_processes), "1", 1, 16,
     .help = "Processes of `embedder` for questions; one more makes vectors of documents."},
    {"RAG_EMBEDDING_REMOTE_URL", SETTING_TEXT, AT(embedding_url), NULL,
     .help = "Whole URL of an endpoint for embeddings in OpenAI's protocol."},
    {"RAG_EMBEDDING_REMOTE_MODEL", SETTING_TEXT, AT(embedding_model), "mistral-embed",
     .required = true, .help = "Its model. With another one all vectors are asked for anew."},
    {"RAG_EMBEDDING_REMOTE_API_KEY_ENV", SETTING_TEXT, AT(embedding_api_key_env), "MISTRAL_API_KEY",
     .required = true, .help = "Name of the variable that holds its key."},
    {"RAG_EMBEDDING_REMOTE_BATCH", SETTING_INTEGER, AT(embedding_batch), "32", 1, 2048,
     .help = "Chunks in one call."},
    {"RAG_EMBEDDING_REMOTE_TIMEOUT_SEC", SETTING_NUMBER, AT(embedding_timeout_sec), "60", 0.05, 600,
     .help = "Longest call for documents. A question waits for LLM_STALL_SECONDS at most."},
    {"RAG_EMBEDDING_REMOTE_PAUSE_SEC", SETTING_NUMBER, AT(embedding_pause_sec), "15", 0.1, 3600,
     .help = "How long `ingest` waits after a call that failed before it asks for vectors again."},
    {"RRF_K", SETTING_INTEGER, AT(rrf_k), "60", 1, 10000,
     .help = "Constant of the fusion by rank: smaller ones trust the first places more."},
    {"RAG_HYDE", SETTING_BOOLEAN, AT(hyde), "false",
     .help = "Search with an answer that a model makes up, instead of with the question."},
    {"RAG_RERANKER_URL", SETTING_TEXT, AT(reranker_url), NULL,
     .help =
         "Whole URL of a cross-encoder's endpoint (Cohere's or Jina's protocol), which orders the "
         "chunks found. It has LLM_STALL_SECONDS at most; without it they stay in their order."},
    {"RAG_RERANKER_MODEL", SETTING_TEXT, AT(reranker_model), "BAAI/bge-reranker-v2-m3",
     .required = true, .help = "Its model."},
    {"RAG_RERANKER_API_KEY_ENV", SETTING_TEXT, AT(reranker_api_key_env), "RAG_RERANKER_API_KEY",
     .required = true, .help = "Name of the variable that holds its key."},
    {"LLM_PROVIDER_PROFILE", SETTING_TEXT, AT(provider_profile), NULL,
     .help = "Which models serve: `embedded` is none; others are in PROVIDER_REGISTRY_PATH. Unset "
             "takes the registry's `default_profile`."},
    {"EVALUATOR_PATTERNS_PATH", SETTING_TEXT, AT(patterns_path), NULL,
     .help =
         "YAML file with the phrases by which refusals are known and the regular expressions of "
         "personal data, in place of the built-in ones; below DATA_DIR unless absolute."},
    {"PROVIDER_REGISTRY_PATH", SETTING_TEXT, AT(registry_path), NULL,
     .help =
         "YAML file of providers, prices and profiles in place of the built-in ones; it is read "
         "again when it changes."},
    {"LLM_NODES", SETTING_LIST, AT(model_nodes),
     "generate,transform_query,rewrite_query,verify_facts,evaluate,suggest_questions",
     .help = "Nodes of the answer graph that ask a model; the others, also `classify_complexity` "
             "and `grade_docs`, stay embedded."},
    {"LLM_CHAT_URL", SETTING_TEXT, AT(chat_url), NULL,
     .help = "Base URL of one endpoint of your own; makes the provider and the profile `openai`."},
    {"LLM_CHAT_PROTOCOL", SETTING_CHOICE, AT(chat_protocol), "openai",
     .choices = llm_protocol_names, .help = "What it speaks."},
    {"LLM_CHAT_MODEL", SETTING_TEXT, AT(chat_model), NULL, .help = "Its model for answers."},
    {"LLM_CHAT_FAST_MODEL", SETTING_TEXT, AT(chat_fast_model), NULL,
     .help = "Its model for small things; the same when unset."},
    {"LLM_CHAT_API_KEY_ENV", SETTING_TEXT, AT(chat_api_key_env), "LLM_CHAT_API_KEY",
     .required = true, .help = "Name of the variable that holds its key."},
    {"LLM_CHAT_API_KEY", SETTING_TEXT, AT(chat_api_key), NULL, .secret = true,
     .help = "The key, where that variable is this one; `changeme` counts as none, as everywhere."},
    {"RAG_RERANKER_API_KEY", SETTING_TEXT, AT(reranker_api_key), NULL, .secret = true,
     .help = "Key of RAG_RERANKER_URL, where it wants one."},
    {"MISTRAL_API_KEY", SETTING_TEXT, AT(mistral_api_key), NULL, .secret = true,
     .help = "Key of the provider `mistral`. Keys under names of your own stand in `assay.env`."},
    {"ORCH_API_KEY", SETTING_TEXT, AT(orch_api_key), NULL, .secret = true,
     .help = "Key of the provider `orch`."},
    {"LLM_CHAT_TIMEOUT_SEC", SETTING_NUMBER, AT(chat_timeout_sec), "60", 0.05, 600,
     .help = "Longest attempt of a call to it."},
    {"LLM_INPUT_PRICE_PER_1M_TOKENS", SETTING_NUMBER, AT(input_price), "0", 0, 1e6,
     .help = "Dollars for what is sent to it; a price makes the provider a paid one."},
    {"LLM_OUTPUT_PRICE_PER_1M_TOKENS", SETTING_NUMBER, AT(output_price), "0", 0, 1e6,
     .help = "Dollars for what it writes."},
    {"LLM_MODEL_PRICES", SETTING_TEXT, AT(model_prices), NULL,
     .help = "The same by model, where they differ: `{\"model\":{\"input\":0.1,\"output\":0.2}}`."},
    {"OLLAMA_BASE_URL", SETTING_TEXT, AT(ollama_base_url), "http://localhost:11434",
     .required = true, .help = "Where the provider `ollama` is."},
    {"OLLAMA_MODEL_NAME", SETTING_TEXT, AT(ollama_model), NULL,
     .help = "Its strong model, in place of the registry's."},
    {"OLLAMA_FAST_MODEL_NAME", SETTING_TEXT, AT(ollama_fast_model), NULL,
     .help = "Its fast model, in place of the registry's."},
    {"OLLAMA_REQUEST_TIMEOUT_SEC", SETTING_NUMBER, AT(ollama_timeout_sec), "60", 0.05, 600,
     .help = "Longest attempt of a call to it."},
    {"ORCH_BASE_URL", SETTING_TEXT, AT(orch_base_url), "http://127.0.0.1:8011", .required = true,
     .help = "Where the provider `orch` is: the suite's orchestrator, asked at "
             "`/v1/chat/completions`. Its key stands in ORCH_API_KEY."},
    {"ORCH_REQUEST_TIMEOUT_SEC", SETTING_NUMBER, AT(orch_timeout_sec), "30", 0.05, 600,
     .help = "Longest attempt of a call to it."},
    {"FAILOVER_CHAIN_ENABLED", SETTING_BOOLEAN, AT(failover), "true",
     .help = "Ask the profile's fallback when the first provider fails, before the embedded "
             "engine."},
    {"FAILOVER_FALLBACK_CACHE_SECONDS", SETTING_INTEGER, AT(failover_seconds), "300", 0, 86400,
     .help = "For how long the fallback is then asked first."},
    {"DAILY_COST_LIMIT_USD", SETTING_NUMBER, AT(daily_cost_limit), "5", 0, 1e9,
     .help = "Dollars for paid providers a day (UTC); beyond them the embedded engine answers. 0 "
             "is no limit."},
    {"LLM_QUESTION_COST_LIMIT_USD", SETTING_NUMBER, AT(question_cost_limit), "0", 0, 1e9,
     .help = "Dollars after which one question asks no model any more. 0 is no limit."},
    {"LLM_QUESTION_SECONDS", SETTING_NUMBER, AT(question_seconds), "20", 0.05, 3600,
     .help = "Seconds that all calls of models for one question may take together; the rest of the "
             "graph is then embedded. Never beyond REQUEST_TIMEOUT_SEC."},
    {"LLM_QUESTION_TOKENS", SETTING_INTEGER, AT(question_tokens), "60000", 0, 1e9,
     .help = "Tokens after which one question asks no model any more. 0 is no limit."},
    {"LLM_ANSWER_TOKENS", SETTING_INTEGER, AT(answer_tokens), "800", 16, 1e6,
     .help =
         "Longest text that a model is asked for. The text of one that ignores it is cut at eight "
         "characters a token."},
    {"LLM_STALL_SECONDS", SETTING_NUMBER, AT(stall_seconds), "15", 0.05, 600,
     .help = "Silence of a stream that ends it."},
    {"LLM_CONNECT_SECONDS", SETTING_NUMBER, AT(connect_seconds), "3", 0.05, 60,
     .help = "Longest wait for a connection to a provider."},
    {"LLM_MAX_RESPONSE_BYTES", SETTING_INTEGER, AT(model_answer_bytes), "1048576", 1024, 67108864,
     .help = "Largest answer of a model."},
    {"STREAMING_TIMEOUT_SEC", SETTING_INTEGER, AT(streaming_timeout_sec), "120", 1, 3600,
     .help = "Longest streamed answer. Text that a model is writing then ends with its last whole "
             "sentence."},
    {"LLM_CACHE_ENABLED", SETTING_BOOLEAN, AT(cache), "false",
     .help = "Give an answer again when the same first question comes to an unchanged knowledge "
             "base."},
    {"LLM_CACHE_TTL_SECONDS", SETTING_INTEGER, AT(cache_ttl_seconds), "3600", 1, 31536000,
     .help = "For how long."},
    {"CIRCUIT_BREAKER_ENABLED", SETTING_BOOLEAN, AT(breaker), "true",
     .help = "Stop asking a provider that keeps failing, in all workers."},
    {"CIRCUIT_BREAKER_FAILURE_THRESHOLD", SETTING_INTEGER, AT(breaker_failures), "5", 1, 1000,
     .help = "Failures in a row until then."},
    {"CIRCUIT_BREAKER_RESET_TIMEOUT_SEC", SETTING_NUMBER, AT(breaker_seconds), "30", 0.05, 3600,
     .help = "Seconds until one call may try again."},
    {"OLLAMA_RETRY_MAX_ATTEMPTS", SETTING_INTEGER, AT(retry_attempts), "3", 1, 10,
     .help = "Attempts of one call to any provider, the first included."},
    {"OLLAMA_RETRY_BASE_DELAY_SEC", SETTING_NUMBER, AT(retry_first_delay), "0.5", 0, 60,
     .help = "Pause before the second attempt; each further one is twice as long."},
    {"OLLAMA_RETRY_MAX_DELAY_SEC", SETTING_NUMBER, AT(retry_most_delay), "5", 0, 600,
     .help = "Longest pause. A provider that asks for a longer one by Retry-After is given up."},
    {"OLLAMA_RETRY_JITTER", SETTING_BOOLEAN, AT(retry_jitter), "true",
     .help = "Make pauses half to one and a half times as long, by chance."},
};
const size_t support_settings_count =
    sizeof support_settings_table / sizeof support_settings_table[0];

static bool lists_anybody(const struct string_list *origins)
{
    for (size_t i = 0; i < origins->count; i++)
        if (strcmp(origins->items[i], "*") == 0)
            return true;
    return false;
}

const char *support_open_by(const struct support_settings *settings)
{
    return !settings->api_key && settings->allow_anonymous_admin
               ? "ALLOW_ANONYMOUS_ADMIN is set and API_KEY is not"
               : NULL;
}

/* Pages of any origin may read, unless every client is an administrator, or in production. */
static void default_origins(struct support_settings *settings)
{
    static const char *anybody = "*";

    if (!settings->cors_origins.count && !support_open_by(settings) &&
        settings->environment != SUPPORT_PRODUCTION)
        settings->cors_origins = (struct string_list){1, &anybody};
}

/* Settings that are acceptable on a local machine and a vulnerability in production. */
static enum error check_production(const struct support_settings *settings, struct problem *problem)
{
    const struct {
        bool holds;
        const char *text;
    } rules[] = {
        {settings->cors_origins.count && !lists_anybody(&settings->cors_origins),
         "CORS_ORIGINS must list origins, and not *, in production"},
        {settings->jwt_secret && strlen(settings->jwt_secret) >= SECRET_MIN,
         "JWT_SECRET must be a secret of your own of at least 32 characters in production"},
        {settings->admin_password_hash || settings->allow_dev_admin_login,
         "ADMIN_PASSWORD_HASH must be set in production (or ALLOW_DEV_ADMIN_LOGIN)"},
        {!settings->allow_anonymous_admin, "ALLOW_ANONYMOUS_ADMIN must not be set in production"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (!rules[i].holds)
            return problem_set(problem, ERROR_INVALID, "setting_invalid", "%s", rules[i].text);
    return ERROR_NONE;
}

static bool is_base_url(const char *url)
{
    bool is_http = strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;

    return is_http && !strpbrk(url, "@?# \t");
}

/* The URL must not contain user and password. */
static enum error check_urls(const struct support_settings *settings, struct problem *problem)
{
    const struct {
        const char *name, *url;
    } urls[] = {{"LLM_CHAT_URL", settings->chat_url},
                {"RAG_EMBEDDING_REMOTE_URL", settings->embedding_url},
                {"RAG_RERANKER_URL", settings->reranker_url},
                {"OLLAMA_BASE_URL", settings->ollama_base_url},
                {"ORCH_BASE_URL", settings->orch_base_url}};

    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++)
        if (urls[i].url && !is_base_url(urls[i].url))
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "%s must be http:// or https:// with a host and perhaps a path, "
                               "without user, password or query",
                               urls[i].name);
    if (settings->embedding_backend == EMBEDDING_REMOTE && !settings->embedding_url)
        return problem_set(
            problem, ERROR_INVALID, "setting_invalid",
            "RAG_EMBEDDING_REMOTE_URL must be set with RAG_EMBEDDING_BACKEND=remote");
    if (settings->chat_url && !settings->chat_model)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "LLM_CHAT_MODEL must be set with LLM_CHAT_URL");
    return ERROR_NONE;
}

/* The first name wins where both are set. */
static void fill_second_names(struct support_settings *settings)
{
    if (!settings->smtp_password)
        settings->smtp_password = settings->other_smtp_password;
    if (!settings->imap_password)
        settings->imap_password = settings->other_imap_password;
    if (!settings->email_webhook_secret)
        settings->email_webhook_secret = settings->other_email_webhook_secret;
}

static enum error check_email(const struct support_settings *settings, struct problem *problem)
{
    if (settings->email_mode == EMAIL_DISABLED)
        return ERROR_NONE;
    if (!settings->smtp_host)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "SMTP_HOST must be set with EMAIL_CHANNEL_MODE");
    if (settings->email_mode == EMAIL_IMAP && !settings->imap_host)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "IMAP_HOST must be set with EMAIL_CHANNEL_MODE=imap");
    if (settings->email_mode == EMAIL_WEBHOOK && !settings->email_webhook_secret)
        return problem_set(
            problem, ERROR_INVALID, "setting_invalid",
            "EMAIL_WEBHOOK_SIGNING_SECRET must be set with EMAIL_CHANNEL_MODE=webhook");
    return ERROR_NONE;
}

/* Fills in unset values. Without a stack every process signs with its own secret. */
static void fill_secrets(struct support_settings *settings, struct arena *arena)
{
    char *random;

    if (!settings->admin_password_hash)
        settings->first_password =
            settings_made_secret(arena, settings->state_directory, "support-first-password");
    if (settings->jwt_secret || settings->environment == SUPPORT_PRODUCTION)
        return;
    settings->jwt_secret = settings_made_secret(arena, settings->state_directory, "support-secret");
    if (settings->jwt_secret)
        return;
    random = arena_alloc(arena, TOKEN_TEXT_MAX);
    token_random_text(SECRET_MIN, random, TOKEN_TEXT_MAX);
    settings->jwt_secret = random;
}

enum error support_settings_load(struct support_settings *settings, struct arena *arena,
                                 const char *(*lookup)(const char *name), struct problem *problem)
{
    enum error error = settings_load(support_settings_table, support_settings_count, settings,
                                     arena, lookup, problem);

    if (error)
        return error;
    if (settings->admin_password_hash && !password_is_hash(settings->admin_password_hash))
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "ADMIN_PASSWORD_HASH must be a bcrypt or yescrypt hash");
    if (settings->chunk_overlap >= settings->chunk_size)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "CHUNK_OVERLAP must be less than CHUNK_SIZE");
    if (settings->jwt_secret && strcmp(settings->jwt_secret, PUBLISHED_SECRET) == 0)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "JWT_SECRET must be a secret: this one is published");
    fill_secrets(settings, arena);
    fill_second_names(settings);
    default_origins(settings);
    error = check_urls(settings, problem);
    if (!error)
        error = check_email(settings, problem);
    if (!error)
        error = settings_check_origins("WIDGET_ALLOWED_ORIGINS", &settings->widget_allowed_origins,
                                       NULL, problem);
    if (!error && settings->help_visitor_tenant && !person_is_tenant(settings->help_visitor_tenant))
        error = problem_set(problem, ERROR_INVALID, "setting",
                            "HELP_VISITOR_TENANT must be 1 to 50 letters, digits, _ or -");
    if (!error)
        error = settings_check_origins("CORS_ORIGINS", &settings->cors_origins,
                                       support_open_by(settings), problem);
    if (error)
        return error;
    return settings->environment == SUPPORT_PRODUCTION ? check_production(settings, problem)
                                                       : ERROR_NONE;
}
