/*
 * Webhooks: signed events POSTed to addresses that users have registered, once for the whole
 * suite. A service enqueues an event in the transaction that creates it, as a job (jobs/job.h).
 * Runners deliver it, with one concurrency group per webhook, and store every delivery attempt. The
 * service decides who has registered which webhook and which events it receives.
 *
 * A delivery attempt is a few HTTP calls (`tries`) with short pauses; attempts follow the plan of
 * the job. When a runner dies, the attempt is repeated with the same delivery id, so a receiver
 * that remembers ids processes each event once.
 *
 * Tables: sql/kits/jobs_1.sql to jobs_3.sql and webhooks_1.sql.
 */
#ifndef ASSAY_WEBHOOK_WEBHOOK_H
#define ASSAY_WEBHOOK_WEBHOOK_H

#include "base/optional.h"
#include "jobs/inbox.h"
#include "jobs/job.h"
#include "net/egress.h"

#include <stdbool.h>
#include <stdint.h>

struct fetch_watch; /* net/fetch.h */

struct shm_region;

enum {
    WEBHOOK_DELIVERY_ID = 37, /* a UUID and its NUL */
    WEBHOOK_BRANDS_MAX = 8,
    WEBHOOK_ATTEMPTS_MAX = 1000, /* a job is dead after as many, whatever the settings say */
    WEBHOOK_SIGNATURE_TEXT = 72  /* "sha256=", 64 digits, NUL */
};

/* Bytes of what a receiver answers. */
struct webhook_answer_limits {
    int64_t read;
    int64_t kept; /* of those, with a mark at the end where the answer was longer than `read` */
};

/* Where events go, as it is at the moment of delivery. From the arena. */
struct webhook_target {
    const char *url;
    const char *secret; /* signs the body; NULL = is not signed */
};

struct webhook_event {
    const char *webhook_id;
    const char *event_id;
    const char *event_type; /* printable ASCII */
    const char *body;       /* the bytes that are sent and signed */
};

struct webhook_result {
    char delivery_id[WEBHOOK_DELIVERY_ID]; /* of this attempt */
    char shown_id[WEBHOOK_DELIVERY_ID];    /* to the receiver */
    bool success;                          /* a 2xx */
    struct optional_integer status_code;
    const char *error;  /* or NULL; names no address */
    const char *answer; /* the beginning of the body that is kept, valid UTF-8 */
    uint32_t attempts;  /* HTTP calls of this attempt */
    bool broken_off;    /* by the watch of the config: nothing is known, and nothing else is set */
};

/* One use of webhooks by a service; constant. `job` is made by WEBHOOK_JOB(). */
struct webhook_kind {
    struct job_kind job;
    const char *event_header; /* "X-Live-Event"; as the other two, NULL = is not sent */
    const char *signature_header;
    const char *delivery_header;
    bool one_id; /* the header names the delivery, the same in each attempt; else the attempt */
    const char *user_agent;
    double attempt_seconds;
    uint32_t tries; /* HTTP calls of an attempt */
    double first_pause_seconds;
    double pause_factor;
    bool client_errors_are_final; /* a 4xx makes the job dead, except 408, 425 and 429 */

    /* The target of a webhook; NULL URL when it is gone or switched off: then its events are dead
     * letters. Outside any transaction. */
    enum error (*find)(struct db *db, struct arena *arena, const char *webhook_id,
                       struct webhook_target *target, struct problem *problem);

    /* In the transaction that writes the result down; NULL = nothing more to write. */
    enum error (*after)(struct db *db, const struct webhook_event *event,
                        const struct webhook_result *result, struct problem *problem);
};

#define WEBHOOK_JOB(kind_name, times, pause_list)                                                  \
    {                                                                                              \
        .name = (kind_name), .lease_seconds = 90, .attempts = (times), .pauses = (pause_list),     \
        .pause_count = sizeof(pause_list) / sizeof((pause_list)[0]), .interruptions_max = 100,     \
        .lane_most = 2, .perform = webhook_perform, .record = webhook_record                       \
    }

/* Growing pauses between attempts for WEBHOOK_JOB(), in seconds; the last one repeats. */
#define WEBHOOK_PAUSES 1, 5, 30, 300, 1800, 3600

void webhook_perform(struct job *job, struct job_verdict *verdict);
enum error webhook_record(struct job *job, const struct job_verdict *verdict,
                          struct problem *problem);

/* Enqueues an event for one webhook in the caller's transaction. The same event for the same
 * webhook is enqueued once. */
MUST_CHECK enum error webhook_enqueue(struct db *db, struct arena *arena,
                                      const struct webhook_kind *kind,
                                      const struct webhook_event *event, struct problem *problem);

/* The context of jobs of webhooks. */
struct webhook_delivery_config {
    const struct webhook_kind *kind;
    const struct egress_policy *egress;
    struct webhook_answer_limits answers;
    struct shm_region *region;       /* or NULL */
    const struct fetch_watch *watch; /* breaks off what is being sent: it is sent again; or NULL */
    double retry_seconds; /* attempts begin up to so long after the first; 0 = the job's plan */
    const struct string_list *brands; /* each header "X-<product>-…" is sent as "X-<brand>-…", too;
                                       * at most WEBHOOK_BRANDS_MAX; or NULL */
};

/* Cancels a call when the program is asked to stop (main_loop.h). */
extern const struct fetch_watch webhook_until_stopped;

/* Delivers an event that was given up after all, with all its attempts. ERROR_NOT_FOUND
 * delivery_not_found, ERROR_CONFLICT delivery_not_failed. */
MUST_CHECK enum error webhook_send_again(struct db *db, struct arena *arena,
                                         const struct webhook_kind *kind, const char *webhook_id,
                                         const char *event_id, struct problem *problem);

/* Whether a job that has failed so many times is given up: the plan's next attempt would begin more
 * than `seconds` after the first. */
bool webhook_is_over(const struct job_kind *kind, int64_t failures, double seconds);

/* Delivers what is due, as job_run_due() with this config. */
MUST_CHECK enum error webhook_deliver_due(struct db *db, struct arena *arena,
                                          struct webhook_delivery_config *config, int64_t most,
                                          struct job_counts *counts, struct problem *problem);

/* One attempt now, past the queue, stored as any other: a test of a webhook. A failure of the
 * receiver is a result, not an error. Not inside a transaction. */
MUST_CHECK enum error webhook_send_now(struct db *db, struct arena *arena,
                                       const struct webhook_delivery_config *config,
                                       const struct webhook_target *target,
                                       const struct webhook_event *event,
                                       struct webhook_result *result, struct problem *problem);

/* One attempt now that is stored nowhere, for a webhook that is not registered yet. */
void webhook_try(struct arena *arena, const struct webhook_delivery_config *config,
                 const struct webhook_target *target, const struct webhook_event *event,
                 struct webhook_result *result);

/* The key of the job that delivers an event to a webhook, for job_find() and job_send_again(). */
const char *webhook_job_key(struct arena *arena, const char *webhook_id, const char *event_id);

/* The event of a job's payload; ERROR_MALFORMED for what was never one. From the arena. */
MUST_CHECK enum error webhook_event_of(struct arena *arena, const char *payload,
                                       struct webhook_event *event, struct problem *problem);

/* "sha256=<hex HMAC-SHA-256 of the body>". */
void webhook_sign(const char *secret, const char *body, char signature[WEBHOOK_SIGNATURE_TEXT]);

/* What became of deliveries, newest first. Times in microseconds since 1970. */
struct webhook_history_row {
    const char *delivery_id;
    const char *event_id;
    const char *event_type;
    int64_t attempt;
    struct optional_integer status_code;
    bool success;
    const char *error;  /* or NULL */
    const char *answer; /* or NULL */
    int64_t delivered_at;
};
struct webhook_history {
    size_t count;
    struct webhook_history_row *items;
};
MUST_CHECK enum error webhook_read_history(struct db *db, struct arena *arena,
                                           const struct webhook_kind *kind, const char *webhook_id,
                                           int most, struct webhook_history *history,
                                           struct problem *problem);

/* Forgets at most `most` rows older than `seconds`. */
MUST_CHECK enum error webhook_forget_history(struct db *db, double seconds, int64_t most,
                                             int64_t *count, struct problem *problem);

#endif
