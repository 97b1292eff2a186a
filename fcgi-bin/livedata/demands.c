/* What a caller demands of freshness, waited for and met. */
#include "base/clock.h"
#include "http/replica.h"
#include "livedata/service_internal.h"
#include "livedata/timestamp.h"
#include "shm/semaphore.h"

#include <poll.h>
#include <string.h>

enum {
    LOOK_MS = 4,           /* into the cache, which notifications of other hosts invalidate */
    POLL_EVERY_US = 100000 /* the database, should no notification come */
};

static enum error meet(struct request *request, const struct string_list *tables,
                       struct reading *reading)
{
    struct service *service = service_of(request);
    int64_t kept = service->settings.journal_retention_days * us_per_day;

    reading->cache = service_reading_cache(request);
    reading->storage.now = service_clock(request);
    reading->fresh.data_age = request_data_age(request);
    return bounds_meet(&reading->storage, &reading->cache, tables, reading->storage.now - kept,
                       &reading->fresh);
}

static bool may_help(const struct request *request)
{
    const char *reason = request->problem.reason;

    return reason &&
           (strcmp(reason, "source_silent") == 0 || strcmp(reason, "events_too_old") == 0);
}

/* Looks again until the bounds are met, the time is over, or the client has left. Sources change
 * the cache by their events and heartbeats on this host, and by notifications of others. */
static enum error wait_until_met(struct request *request, const struct string_list *tables,
                                 struct reading *reading, enum error error)
{
    int64_t end = request_started(request) + reading->fresh.bounds.wait, now, polled = 0;

    while (error && may_help(request) && !request_gone(request)) {
        now = clock_monotonic_microseconds();
        if (now >= end)
            break;
        db_release_before_wait(reading->storage.db);
        (void)poll(NULL, 0, LOOK_MS);
        if (now - polled > POLL_EVERY_US) {
            polled = now;
            (void)live_cache_follow(service_cache(request), &reading->storage);
        }
        error = meet(request, tables, reading);
    }
    return error;
}

/* As it was, but for the text. */
static enum error refuse_wait(struct request *request, enum error error, int64_t most)
{
    const char *text = arena_copy_string(request->arena, request->problem.text);

    return problem_set(&request->problem, error, request->problem.reason,
                       "%s Not waited for: %lld other requests wait (LIVE_WAITS_PER_FAMILY).", text,
                       (long long)most);
}

/* Each that waits holds a worker, so others go on answering. */
static enum error wait_in_turn(struct request *request, const struct string_list *tables,
                               struct reading *reading, enum error error)
{
    const char *family = request->server->family->name;
    const struct semaphore_request wanted = {
        .name = arena_print(request->arena, "livedata-wait-%s", family),
        .count_max = service_settings(request)->waits_per_family};
    struct semaphore_ticket ticket = {0};
    struct semaphore_usage usage;

    if (!error || !reading->fresh.bounds.wait || !may_help(request))
        return error;
    if (reading->fresh.data_age) /* the database itself is asked next, and may wait */
        return error;
    if (!wanted.count_max ||
        semaphore_try(request->server->region, &wanted, &ticket, &usage) != SEMAPHORE_ACQUIRED)
        return refuse_wait(request, error, wanted.count_max);
    error = wait_until_met(request, tables, reading, error);
    semaphore_release(request->server->region, &ticket);
    return error;
}

static const char *bound_text(const struct bound_texts *texts, const char *name)
{
    return strcmp(name, "at_least") == 0        ? texts->at_least
           : strcmp(name, "max_staleness") == 0 ? texts->max_staleness
           : strcmp(name, "max_event_age") == 0 ? texts->max_event_age
                                                : texts->wait;
}

enum error service_demand(struct request *request, struct reply *reply, const char *where,
                          const struct bound_texts *texts, const struct string_list *tables,
                          struct reading *reading)
{
    struct service *service = service_of(request);
    const struct watermark *watermark = &reading->fresh.watermark;
    const char *wrong = bounds_parse(texts, &reading->fresh.bounds);
    enum error error;

    if (wrong)
        return request_fault_in(request, where, wrong, bound_text(texts, wrong), "value_error",
                                strcmp(wrong, "at_least") == 0
                                    ? "Input should be a position that POST /v1/events gave"
                                    : "Input should be a duration such as 200ms, 2s or 5m");
    service->asking.unmet_age = (struct optional_number){0};
    error = meet(request, tables, reading);
    error = wait_in_turn(request, tables, reading, error);
    if (reading->fresh.mark.position.seq)
        (void)service_position(request, reply, reading->fresh.mark.position);
    if (error && watermark->at)
        service->asking.unmet_age =
            GIVEN_NUMBER(timestamp_seconds(watermark->at, reading->storage.now));
    return error;
}
