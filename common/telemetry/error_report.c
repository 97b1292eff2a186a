/* Envelopes of Sentry (develop.sentry.dev/sdk/data-model/envelopes), one event each. */
#include "telemetry/error_report.h"

#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "base/text.h"
#include "crypto/token.h"
#include "net/fetch.h"
#include "telemetry/outbox.h"

#include <stdlib.h>
#include <string.h>

enum {
    WAIT_MILLISECONDS = 500,
    MESSAGES_MAX = 64, /* at a time */
    EVENT_MAX = 16384,
    ENVELOPE_MAX = 2 * EVENT_MAX,
    MEMORY = 4 * 1024 * 1024,
    ANSWER_MAX = 4096,
    RECENT_MAX = 32,
    RECENT_MICROSECONDS = 1000000,
    PAUSE_SECONDS = 60, /* after 429 without a time */
    ID_TEXT = 33
};

/* An event that was sent, so that a storm of the same error is one report a second. */
struct recent_event {
    uint64_t hash;
    int64_t sent_at; /* monotonic microseconds */
};

struct error_reporter {
    const struct error_report_settings *settings;
    struct inbox *inbox;
    struct arena *arena;  /* of an event */
    char *url, *key;      /* of the envelopes */
    int64_t silent_until; /* monotonic microseconds */
    uint64_t lost;        /* events since the last one that was sent */
    struct recent_event recent[RECENT_MAX];
    size_t next_recent;
};

#define OWNER struct error_event
static const struct field event_fields[] = {
    STRING(OWNER, code),
    STRING(OWNER, message, .nullable = true),
    STRING(OWNER, service),
    STRING(OWNER, family),
    STRING(OWNER, method, .nullable = true),
    STRING(OWNER, route, .nullable = true),
    INTEGER(OWNER, status),
    STRING(OWNER, request_id, .nullable = true),
    STRING(OWNER, trace_id, .nullable = true),
    NUMBER(OWNER, timestamp),
};
#undef OWNER
static SCHEMA(event_schema, struct error_event, "ErrorEvent", event_fields);

/* What Sentry takes. */
struct sentry_message {
    const char *formatted;
};
struct sentry_tags {
    const char *code, *service, *family, *request_id, *trace_id;
    int64_t status;
};
struct sentry_event {
    const char *event_id, *platform, *level, *logger, *environment, *release, *transaction;
    double timestamp;
    const struct sentry_message *message;
    const struct sentry_tags *tags;
    struct string_list fingerprint; /* what groups events to an issue */
};

#define OWNER struct sentry_message
static const struct field message_fields[] = {STRING(OWNER, formatted)};
#undef OWNER
static SCHEMA(message_schema, struct sentry_message, "SentryMessage", message_fields);

#define OWNER struct sentry_tags
static const struct field tags_fields[] = {
    STRING(OWNER, code),
    STRING(OWNER, service),
    STRING(OWNER, family),
    STRING(OWNER, request_id, .nullable = true),
    STRING(OWNER, trace_id, .nullable = true),
    INTEGER(OWNER, status),
};
#undef OWNER
static SCHEMA(tags_schema, struct sentry_tags, "SentryTags", tags_fields);

#define OWNER struct sentry_event
static const struct field sentry_fields[] = {
    STRING(OWNER, event_id),
    NUMBER(OWNER, timestamp),
    STRING(OWNER, platform),
    STRING(OWNER, level),
    STRING(OWNER, logger),
    STRING(OWNER, environment),
    STRING(OWNER, release),
    STRING(OWNER, transaction, .nullable = true),
    OBJECT(OWNER, message, message_schema),
    OBJECT(OWNER, tags, tags_schema),
    STRINGS(OWNER, fingerprint),
};
#undef OWNER
static SCHEMA(sentry_schema, struct sentry_event, "SentryEvent", sentry_fields);

const char *error_event_write(struct arena *arena, const struct error_event *event)
{
    return schema_json(arena, EVENT_MAX, &event_schema, event);
}

/* scheme://KEY[:SECRET]@HOST[/PATH]/PROJECT becomes scheme://HOST[/PATH]/api/PROJECT/envelope/. */
static bool read_dsn(struct error_reporter *reporter)
{
    const char *dsn = reporter->settings->dsn;
    const char *scheme_end = strstr(dsn, "://"), *at = strchr(dsn, '@');
    const char *slash = strrchr(dsn, '/'), *key, *key_end;

    if (!scheme_end || !at || at < scheme_end + 3 || !slash || slash < at || !slash[1])
        return false;
    key = scheme_end + 3;
    key_end = key + strcspn(key, ":@");
    reporter->key = strndup(key, (size_t)(key_end - key));
    return key_end > key &&
           asprintf(&reporter->url, "%.*s://%.*s/api/%s/envelope/", (int)(scheme_end - dsn), dsn,
                    (int)(slash - at - 1), at + 1, slash + 1) > 0 &&
           reporter->key;
}

enum error error_reporter_open(const struct error_report_settings *settings,
                               const char *run_directory, const char *socket_name,
                               struct error_reporter **reporter, struct problem *problem)
{
    struct error_reporter *made = calloc(1, sizeof *made);
    enum error error = ERROR_NONE;

    *reporter = made;
    if (!made)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    made->settings = settings;
    made->arena = arena_create(MEMORY);
    if (!made->arena)
        error = problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    else if (!read_dsn(made))
        error = problem_set(problem, ERROR_INVALID, "error_tracking_dsn",
                            "the DSN is not https://KEY@HOST/PROJECT");
    if (!error)
        error = inbox_open(run_directory, socket_name, &made->inbox, problem);
    if (error) {
        error_reporter_close(made);
        *reporter = NULL;
    }
    return error;
}

void error_reporter_close(struct error_reporter *reporter)
{
    if (!reporter)
        return;
    inbox_close(reporter->inbox);
    arena_destroy(reporter->arena);
    free(reporter->url);
    free(reporter->key);
    free(reporter);
}

/* FNV-1a of what groups events. */
static uint64_t hash_of(const struct error_event *event)
{
    const char *const parts[] = {event->code, event->route, event->method};
    uint64_t hash = 14695981039346656037U;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (const char *at = parts[i]; at && *at; at++)
            hash = (hash ^ (unsigned char)*at) * 1099511628211U;
    return hash;
}

static bool was_sent_just_now(struct error_reporter *reporter, const struct error_event *event)
{
    uint64_t hash = hash_of(event);
    int64_t now = clock_monotonic_microseconds();
    struct recent_event *recent = NULL;

    for (size_t i = 0; i < RECENT_MAX && !recent; i++)
        if (reporter->recent[i].hash == hash)
            recent = &reporter->recent[i];
    if (recent && now - recent->sent_at < RECENT_MICROSECONDS)
        return true;
    if (!recent)
        recent = &reporter->recent[reporter->next_recent++ % RECENT_MAX];
    *recent = (struct recent_event){hash, now};
    return false;
}

static void make_id(char id[ID_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[(ID_TEXT - 1) / 2];

    token_random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        id[2 * i] = digits[bytes[i] >> 4];
        id[2 * i + 1] = digits[bytes[i] & 15];
    }
    id[ID_TEXT - 1] = '\0';
}

static const char *compose_event(const struct error_reporter *reporter, const char *id,
                                 const struct error_event *event)
{
    struct arena *arena = reporter->arena;
    const struct sentry_message message = {event->message ? event->message : event->code};
    const struct sentry_tags tags = {.code = event->code,
                                     .service = event->service,
                                     .family = event->family,
                                     .request_id = event->request_id,
                                     .trace_id = event->trace_id,
                                     .status = event->status};
    const char *transaction =
        event->route ? arena_print(arena, "%s %s", event->method, event->route) : NULL;
    const char *groups[] = {event->service, transaction ? transaction : "", event->code};

    return schema_json(arena, EVENT_MAX, &sentry_schema,
                       &(struct sentry_event){.event_id = id,
                                              .timestamp = event->timestamp,
                                              .platform = "native",
                                              .level = "error",
                                              .logger = "assay",
                                              .environment = reporter->settings->environment,
                                              .release = reporter->settings->release,
                                              .transaction = transaction,
                                              .message = &message,
                                              .tags = &tags,
                                              .fingerprint = {3, groups}});
}

static void post(struct error_reporter *reporter, const struct text *envelope)
{
    const struct error_report_settings *settings = reporter->settings;
    struct fetch_request request = {
        .url = reporter->url,
        .method = "POST",
        .body = envelope->bytes,
        .body_length = envelope->length,
        .headers = {{"Content-Type", "application/x-sentry-envelope"},
                    {"X-Sentry-Auth",
                     arena_print(reporter->arena,
                                 "Sentry sentry_version=7, sentry_client=assay/%s, sentry_key=%s",
                                 assay_version, reporter->key)}},
        .header_count = 2,
        .answer_max = ANSWER_MAX,
        .may_be_cut = true,
        .private_too = true,
        .policy = {.connect_seconds = settings->timeout_seconds,
                   .attempt_seconds = settings->timeout_seconds,
                   .total_seconds = settings->timeout_seconds,
                   .attempts = 1}};
    struct fetch_answer answer;
    int64_t now;

    fetch(reporter->arena, &request, &answer);
    now = clock_monotonic_microseconds();
    if (answer.outcome == FETCH_ANSWERED && answer.status / 100 == 2) {
        reporter->lost = 0;
        return;
    }
    if (!reporter->lost++)
        log_event(LOG_WARNING, "error_not_reported", fetch_outcome_name(answer.outcome));
    if (answer.status == 429)
        reporter->silent_until =
            now + (int64_t)((answer.retry_after > 0 ? answer.retry_after : PAUSE_SECONDS) * 1e6);
}

static void take(const void *bytes, size_t length, void *context)
{
    struct error_reporter *reporter = context;
    struct error_event event = {0};
    struct text envelope;
    const char *message, *document;
    char id[ID_TEXT];

    arena_reset(reporter->arena);
    message = arena_copy(reporter->arena, bytes, length);
    if (clock_monotonic_microseconds() < reporter->silent_until ||
        !schema_from_json(reporter->arena, &event_schema, message, &event) ||
        was_sent_just_now(reporter, &event))
        return;
    make_id(id);
    document = compose_event(reporter, id, &event);
    if (!document)
        return;
    text_start(&envelope, reporter->arena, ENVELOPE_MAX);
    text_append_format(&envelope,
                       "{\"event_id\":\"%s\"}\n{\"type\":\"event\",\"length\":%zu}\n%s\n", id,
                       strlen(document), document);
    post(reporter, &envelope);
}

void error_reporter_run(struct error_reporter *reporter)
{
    (void)inbox_receive(reporter->inbox, WAIT_MILLISECONDS, MESSAGES_MAX, take, reporter);
}
