/* The outbox of an edge, and the process that empties it. */
#include "livedata/nodes/edge.h"

#include "base/clock.h"
#include "base/log.h"
#include "db/query.h"
#include "jobs/main_loop.h"
#include "livedata/store.h"
#include "net/fetch.h"

#include <math.h>
#include <string.h>

enum { ANSWER_MAX = 64 * 1024, FRAME_BYTES = 256, BODIES = 4 };
enum { MEMORY_MAX = 16 * 1024 * 1024 };

static const double longest_pause_seconds = 60, connect_seconds = 5, answer_seconds = 30;

static const struct statement keep_event = {
    .name = "edge_keep",
    .sql = "INSERT INTO node_outbox (payload, added_at) VALUES (?, ?)",
};
static const struct statement read_waiting = {
    .name = "edge_waiting",
    .sql = "SELECT seq, payload FROM node_outbox ORDER BY seq LIMIT ?",
};
static const struct statement drop_sent = {
    .name = "edge_drop",
    .sql = "DELETE FROM node_outbox WHERE seq <= ?",
};
static const struct statement forget_old = {
    .name = "edge_forget",
    .sql = "DELETE FROM node_outbox WHERE seq IN (SELECT seq FROM node_outbox WHERE added_at < ?"
           " ORDER BY seq LIMIT ?)",
};

enum error edge_keep(const struct storage_call *call, const json_t *payload)
{
    struct json_writer writer;
    struct query *query;
    struct text text;
    const char *key;
    json_t *value;

    text_start(&text, call->arena, (size_t)256 << 20);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "tenant", call->tenant);
    json_object_foreach((json_t *)payload, key, value)
    {
        if (strcmp(key, "tenant") == 0)
            continue;
        writer_key(&writer, key);
        writer_value(&writer, value);
    }
    writer_close_object(&writer);
    if (text.overflowed)
        return problem_set(call->problem, ERROR_TOO_LARGE, "event_too_large",
                           "an event is too large to be handed on");
    query = db_query(call->db, &keep_event);
    query_bind_text(query, text.bytes);
    query_bind_integer(query, call->now);
    return query_end(query, call->problem);
}

enum error edge_forget(struct db *db, int64_t before, int64_t most, struct problem *problem)
{
    struct query *query = db_query(db, &forget_old);

    query_bind_integer(query, before);
    query_bind_integer(query, most);
    return query_end(query, problem);
}

struct edge {
    const struct livedata_settings *settings;
    struct arena *arena; /* lives as long as the process */
    struct arena *cycle;
    struct store *store;
    int64_t most;     /* events of the next request; fewer after one that was rejected */
    int64_t failures; /* in a row */
    int64_t not_before;
};

/* The content of one request. */
struct push {
    struct text body;
    int64_t count;
    int64_t last; /* the number of its last event */
    bool more;
};

/* As many events as a request may hold, at most `most`; the first one in any case. */
static enum error gather(struct edge *edge, struct db *db, int64_t most, struct push *push,
                         struct problem *problem)
{
    const struct livedata_settings *settings = edge->settings;
    size_t room = (size_t)settings->max_body_bytes;
    struct query *query = db_query(db, &read_waiting);
    struct json_writer writer;

    *push = (struct push){0};
    text_start(&push->body, edge->cycle, BODIES * room);
    writer_start(&writer, &push->body);
    writer_open_object(&writer);
    writer_key_string(&writer, "origin_branch", settings->node_branch);
    writer_key(&writer, "events");
    writer_open_array(&writer);
    query_bind_integer(query, most);
    while (query_next(query)) {
        const char *payload = query_text(query, 1, edge->cycle);

        push->more = push->count && push->body.length + strlen(payload) + FRAME_BYTES > room;
        if (push->more)
            break;
        writer_raw(&writer, payload);
        push->last = query_integer(query, 0);
        push->count++;
    }
    writer_close_array(&writer);
    writer_close_object(&writer);
    push->more |= push->count == most;
    return query_end(query, problem);
}

static bool is_stopped(void *context)
{
    (void)context;
    return main_loop_must_stop();
}

static void send(struct edge *edge, const struct push *push, struct fetch_answer *answer)
{
    const struct livedata_settings *settings = edge->settings;
    const struct fetch_request request = {
        .url = arena_print(edge->cycle, "%s/v1/node/events", settings->node_center_url),
        .body = push->body.bytes,
        .body_length = push->body.length,
        .headers = {{"Content-Type", "application/json"},
                    {"Authorization", arena_print(edge->cycle, "Bearer %s", settings->node_token)}},
        .header_count = 2,
        .answer_max = ANSWER_MAX,
        .private_too = true,
        .policy = {.connect_seconds = connect_seconds,
                   .attempt_seconds = answer_seconds,
                   .total_seconds = answer_seconds,
                   .attempts = 1,
                   .pause_factor = 1}};

    const struct fetch_watch watch = {.cancelled = is_stopped, .fd = -1};

    if (push->body.overflowed)
        *answer = (struct fetch_answer){
            .outcome = FETCH_ANSWERED, .status = 413, .body = "too large to be sent"};
    else
        fetch_all(edge->cycle, &request, answer, 1, NULL, NULL, &watch);
}

/* The center has read the event and will never accept it. */
static bool is_rejected(const struct fetch_answer *answer)
{
    return answer->outcome == FETCH_ANSWERED &&
           (answer->status == 400 || answer->status == 413 || answer->status == 422);
}

/* Delays between attempts increase; only the first failure in a row is logged. */
static void wait_longer(struct edge *edge, const struct fetch_answer *answer)
{
    double pause = fmin(longest_pause_seconds,
                        edge->settings->node_push_seconds * exp2((double)edge->failures));

    edge->not_before = clock_monotonic_microseconds() + (int64_t)(pause * 1e6);
    if (edge->failures++)
        return;
    log_event(LOG_WARNING, "center_unreachable",
              answer->outcome == FETCH_ANSWERED
                  ? arena_print(edge->cycle, "status %d", answer->status)
                  : fetch_outcome_name(answer->outcome));
}

/* Whether the center refuses this edge itself: then it also rejects a request without events. */
static enum error is_unwelcome(struct edge *edge, struct db *db, bool *unwelcome,
                               struct problem *problem)
{
    struct fetch_answer answer;
    struct push nothing;
    enum error error = gather(edge, db, 0, &nothing, problem);

    if (error)
        return error;
    send(edge, &nothing, &answer);
    *unwelcome = answer.outcome != FETCH_ANSWERED || answer.status != 200;
    return ERROR_NONE;
}

/* Halves the batch after a rejection, down to the one event that the center never accepts. */
static enum error give_way(struct edge *edge, struct db *db, const struct push *push,
                           const struct fetch_answer *answer, bool *settled,
                           struct problem *problem)
{
    bool unwelcome;
    enum error error;

    *settled = false;
    if (push->count > 1) {
        edge->most = push->count / 2;
        return ERROR_NONE;
    }
    error = is_unwelcome(edge, db, &unwelcome, problem);
    if (error)
        return error;
    *settled = !unwelcome;
    if (unwelcome)
        wait_longer(edge, answer);
    else
        log_event(LOG_ERROR, "push_rejected",
                  arena_print(edge->cycle, "status %d: %.300s", answer->status, answer->body));
    return ERROR_NONE;
}

static enum error hand_on(struct edge *edge, struct db *db, bool *more, struct problem *problem)
{
    struct fetch_answer answer;
    struct push push;
    struct query *query;
    bool settled = true;
    enum error error = gather(edge, db, edge->most, &push, problem);

    if (error || !push.count)
        return error;
    db_end_of_request(db);
    send(edge, &push, &answer);
    if (is_rejected(&answer)) {
        error = give_way(edge, db, &push, &answer, &settled, problem);
    } else if (answer.outcome != FETCH_ANSWERED || answer.status != 200) {
        wait_longer(edge, &answer);
        settled = false;
    } else {
        edge->most = edge->settings->node_push_batch;
    }
    *more = !error && (push.more || !settled);
    if (error || !settled)
        return error;
    edge->failures = 0;
    query = db_query(db, &drop_sent);
    query_bind_integer(query, push.last);
    return query_end(query, problem);
}

static bool run_cycle(void *context)
{
    struct edge *edge = context;
    struct problem problem = {0};
    bool more = false;
    struct db *db;
    enum error error = ERROR_NONE;

    if (edge->not_before > clock_monotonic_microseconds())
        return false;
    error = store_prepare(edge->store, &db, &problem);
    if (!error)
        error = hand_on(edge, db, &more, &problem);
    if (error)
        log_event(LOG_ERROR, "round_failed", problem.text);
    db_end_of_request(store_handle(edge->store));
    arena_reset(edge->cycle);
    return !error && more;
}

int edge_run(const struct livedata_settings *settings)
{
    struct edge edge = {.settings = settings,
                        .most = settings->node_push_batch,
                        .arena = arena_create(MEMORY_MAX),
                        .cycle = arena_create((size_t)settings->max_request_memory_bytes)};
    struct problem problem = {0};

    if (!edge.arena || !edge.cycle ||
        livedata_store_open(edge.arena, settings, NULL, &edge.store, &problem)) {
        log_event(LOG_ERROR, "edge_failed", problem.text);
        return 1;
    }
    main_loop_run(settings->node_push_seconds, run_cycle, &edge);
    store_close(edge.store);
    arena_destroy(edge.cycle);
    arena_destroy(edge.arena);
    return 0;
}
