/*
 * Webhooks: signed events POSTed to addresses that users have registered, once for the whole
 * suite. An event is enqueued in the transaction that makes it, as a job (jobs/job.h); runners
 * deliver it, one concurrency group per webhook, and record every cycle of attempts. The service
 * keeps the registrations and decides which events go to which webhook.
 *
 * A cycle is some attempts with short pauses; cycles follow the schedule of the job. The id of a
 * delivery stays the same when a runner dies and its cycle is repeated, so that a receiver that
 * stores ids takes each event once.
 *
 * Tables: sql/kits/jobs_1.sql, jobs_2.sql and webhooks_1.sql.
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
    WEBHOOK_ROUNDS_MAX = 1000,  /* a job is dead after so many cycles, whatever the settings say */
    WEBHOOK_SIGNATURE_TEXT = 72 /* "sha256=", 64 digits, NUL */
};

/* Bytes of what a receiver answers. */
struct webhook_answer_limits {
    int64_t read;
    int64_t kept; /* of those, with a mark at the end where the answer was longer than `read` */
};

/* The receiver of events, as it is at the time of delivery. From the arena. */
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
    char delivery_id[WEBHOOK_DELIVERY_ID]; /* of this round */
    char shown_id[WEBHOOK_DELIVERY_ID];    /* to the receiver */
    bool success;                          /* a 2xx */
    struct optional_integer status_code;
    const char *error;  /* or NULL; names no address */
    const char *answer; /* the beginning of the body that is kept, valid UTF-8 */
    uint32_t attempts;  /* of this round */
    bool broken_off;    /* by the watch of the config: nothing is known, and nothing else is set */
};

/* One use of webhooks by a service; constant. `job` is made by WEBHOOK_JOB(). */
struct webhook_kind {
    struct job_kind job;
    const char *event_header; /* "X-Live-Event"; as the other two, NULL = is not sent */
    const char *signature_header;
    const char *delivery_header;
    bool one_id; /* the header names the delivery, the same in each round; else the round */
    const char *user_agent;
    double attempt_seconds;
    uint32_t tries; /* attempts of a round */
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

/* Growing pauses between rounds for WEBHOOK_JOB(), in seconds; the last one repeats. */
#define WEBHOOK_PAUSES 1, 5, 30, 300, 1800, 3600

void webhook_perform(struct job *job, struct job_verdict *verdict);
enum error webhook_record(struct job *job, const struct job_verdict *verdict,
                          struct problem *problem);

/* Enqueues an event for one webhook in the caller's transaction. The same event for the same
 * webhook is enqueued once. */
MUST_CHECK enum error webhook_enqueue(struct db *db, struct arena *arena,
                                      const struct webhook_kind *kind,
                                      const struct webhook_event *event, struct problem *problem);

/* The context of jobs of webhooks: who delivers. */
struct webhook_delivery_config {
    const struct webhook_kind *kind;
    const struct egress_policy *egress;
    struct webhook_answer_limits answers;
    struct shm_region *region;       /* or NULL */
    const struct fetch_watch *watch; /* breaks off what is being sent: it is sent again; or NULL */
    double retry_seconds; /* rounds begin up to so long after the first; 0 = the job's attempts */
    const struct string_list *brands; /* each header "X-<product>-…" is sent as "X-<brand>-…", too;
                                       * at most WEBHOOK_BRANDS_MAX; or NULL */
};

/* Breaks off when the program has to stop (program.h). */
extern const struct fetch_watch webhook_until_stopped;

/* Has an event that was given up delivered after all, with all its rounds. ERROR_NOT_FOUND
 * delivery_not_found, ERROR_CONFLICT delivery_not_failed. */
MUST_CHECK enum error webhook_send_again(struct db *db, struct arena *arena,
                                         const struct webhook_kind *kind, const char *webhook_id,
                                         const char *event_id, struct problem *problem);

/* Whether a job whose round has failed so many times is given up: the plan's next round would begin
 * more than `seconds` after the first. */
bool webhook_is_over(const struct job_kind *kind, int64_t failures, double seconds);

/* Delivers what is due, as job_run_due() with this config. */
MUST_CHECK enum error webhook_deliver_due(struct db *db, struct arena *arena,
                                          struct webhook_delivery_config *config, int64_t most,
                                          struct job_tally *tally, struct problem *problem);

/* One round now, written down as any other, past the queue: a test of a webhook. A failure of the
 * receiver is a result, not an error. Not inside a transaction. */
MUST_CHECK enum error webhook_send_now(struct db *db, struct arena *arena,
                                       const struct webhook_delivery_config *config,
                                       const struct webhook_target *target,
                                       const struct webhook_event *event,
                                       struct webhook_result *result, struct problem *problem);

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
