/* When a replica may answer, and how old its data is. */
#include "db/replica.h"

#include "base/clock.h"
#include "base/log.h"
#include "db/db_internal.h"
#include "db/identity.h"

#include <string.h>

enum {
    MOMENTS = 16,          /* of the primary that are kept */
    MOMENTS_PER_AGE = 10,  /* taken while data grows as old as it may */
    WAIT_MS = 1000,        /* with a replica that is away or hangs */
    REST_MS = 5000,        /* before it is tried again */
    SLOT_WAIT_MS = 200,    /* for a connection: the primary answers as well */
    SPACING_MOST = 1000000 /* microseconds between two moments */
};

/* Where the primary's log ended. */
struct moment {
    int64_t taken; /* before the primary was asked: monotonic microseconds; 0 = never */
    int64_t clock; /* of the primary, Unix microseconds */
    int64_t position;
    int64_t timeline;
};

/* How far the replica has come. */
struct progress {
    bool follows; /* it has not been promoted */
    int64_t position;
    int64_t clock; /* of the primary, at the last commit that was repeated; 0 = unknown */
    int64_t timeline;
};

struct replica {
    struct db *db;
    int64_t max_age; /* microseconds */
    struct moment moments[MOMENTS];
    size_t last;        /* of them */
    int64_t connects;   /* of the handle, when it was looked at */
    int64_t rest_until; /* monotonic */
    const char *reason; /* why it did not answer; NULL = it did. As it was logged */
};

/* A flushed position: what is visible on the primary is not beyond it, unless commits do not wait
 * for the disk. The function fails on a server that follows another. */
static const struct statement primary_moment = {
    .name = "primary_moment",
    .postgres = "SELECT CAST(pg_wal_lsn_diff(lsn, '0/0') AS BIGINT),"
                " CAST(CAST('x' || substr(pg_walfile_name(lsn), 1, 8) AS BIT(32)) AS BIGINT),"
                " CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"
                " FROM pg_current_wal_flush_lsn() AS lsn"};

/* The timeline is that of the last restart point, which is never ahead: after a promotion elsewhere
 * the replica is not asked until it has made one. */
static const struct statement replica_progress = {
    .name = "replica_progress",
    .postgres =
        "SELECT CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END,"
        " COALESCE(CAST(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') AS BIGINT), 0),"
        " COALESCE(CAST(extract(epoch FROM pg_last_xact_replay_timestamp()) * 1000000 AS BIGINT),"
        " 0), CAST(timeline_id AS BIGINT) FROM pg_control_checkpoint()"};

/* What was written, also if it has not been flushed. */
static const struct statement written_position = {
    .name = "written_position",
    .postgres = "SELECT CAST(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS BIGINT)"};

static enum error refuse(const char *setting, const char *text, struct problem *problem)
{
    return problem_set(problem, ERROR_INVALID, "setting_invalid", "%s must be usable, but %s",
                       setting, text);
}

static struct db_options options_of(struct arena *arena, const struct store_plan *plan)
{
    struct db_options options = plan->options;

    options.identity_file = db_identity_path(arena, plan);
    options.connect_timeout_ms = WAIT_MS;
    options.reconnect_first_ms = options.reconnect_most_ms = REST_MS;
    options.pool_timeout_ms = SLOT_WAIT_MS;
    return options;
}

static bool is_server(const char *target)
{
    return strstr(target, "://") && strncmp(target, "sqlite:", 7) != 0;
}

enum error replica_open(struct arena *arena, const struct store_plan *plan,
                        const struct replica_settings *settings, const char *setting,
                        struct replica **replica, struct problem *problem)
{
    struct db_options options = options_of(arena, plan);
    struct problem own;

    *replica = NULL;
    if (!settings->url)
        return ERROR_NONE;
    if (!is_server(plan->target))
        return refuse(setting, "the database is no PostgreSQL", problem);
    if (!is_server(settings->url))
        return refuse(setting, "it is no URL of PostgreSQL", problem);
    *replica = ARENA_NEW(arena, struct replica);
    (*replica)->max_age = (int64_t)(settings->max_age_seconds * 1e6);
    if (!db_open(settings->url, &options, &(*replica)->db, &own))
        return ERROR_NONE;
    *replica = NULL;
    return refuse(setting, own.text, problem);
}

void replica_close(struct replica *replica)
{
    if (replica)
        db_close(replica->db);
}

void replica_end_of_request(struct replica *replica)
{
    if (replica)
        (void)db_end_of_request(replica->db);
}

void replica_release(struct replica *replica)
{
    if (replica)
        db_release(replica->db);
}

static enum error read_moment(struct db *primary, struct moment *moment, struct problem *problem)
{
    struct query *query = db_query(primary, &primary_moment);

    *moment = (struct moment){.taken = clock_monotonic_microseconds()};
    if (query_next(query)) {
        moment->position = query_integer(query, 0);
        moment->timeline = query_integer(query, 1);
        moment->clock = query_integer(query, 2);
    }
    return query_end(query, problem);
}

static enum error read_progress(struct db *db, struct progress *progress, struct problem *problem)
{
    struct query *query = db_query(db, &replica_progress);

    *progress = (struct progress){0};
    if (query_next(query)) {
        progress->follows = query_integer(query, 0) != 0;
        progress->position = query_integer(query, 1);
        progress->clock = query_integer(query, 2);
        progress->timeline = query_integer(query, 3);
    }
    return query_end(query, problem);
}

/* Asks the primary when the last moment is some time ago. One that is away leaves the moments as
 * they are: the age grows. */
static void keep_moments(struct replica *replica, struct db *primary)
{
    int64_t spacing = replica->max_age / MOMENTS_PER_AGE;
    const struct moment *last = &replica->moments[replica->last];
    struct problem problem;
    struct moment moment;

    if (spacing > SPACING_MOST)
        spacing = SPACING_MOST;
    if (last->taken && clock_monotonic_microseconds() - last->taken < spacing)
        return;
    if (read_moment(primary, &moment, &problem))
        return;
    replica->last = (replica->last + 1) % MOMENTS;
    replica->moments[replica->last] = moment;
}

/* The least age that the moments and the time of the last repeated commit prove; INT64_MAX = no
 * moment proves any. */
static int64_t age_of(const struct replica *replica, const struct progress *progress)
{
    const struct moment *last = &replica->moments[replica->last];
    int64_t now = clock_monotonic_microseconds(), age = INT64_MAX;

    for (size_t i = 0; i < MOMENTS; i++) {
        const struct moment *moment = &replica->moments[i];

        if (moment->taken && moment->position <= progress->position && now - moment->taken < age)
            age = now - moment->taken;
    }
    if (last->taken && progress->clock) {
        int64_t since = last->clock + (now - last->taken) - progress->clock;

        if (since >= 0 && since < age)
            age = since;
    }
    return age;
}

/* Why the replica does not answer; NULL = it does. */
static const char *obstacle(struct replica *replica, const struct progress *progress,
                            int64_t position, int64_t *age)
{
    const struct moment *last = &replica->moments[replica->last];

    if (!progress->follows)
        return "it follows no server";
    if (last->taken && last->timeline != progress->timeline)
        return "it is on another timeline";
    *age = age_of(replica, progress);
    if (*age > replica->max_age)
        return "its data may be too old";
    return position > progress->position ? "it has not reached the position of the request" : NULL;
}

/* Logs a change, but not of requests whose own write is on its way. */
static void note(struct replica *replica, const char *reason)
{
    struct log_line line;

    if (reason == replica->reason)
        return;
    log_begin(&line, reason ? LOG_WARNING : LOG_INFO, reason ? "replica_left" : "replica_asked");
    log_text(&line, "database", db_shown_target(replica->db));
    log_text(&line, "detail", reason);
    log_write(&line);
    replica->reason = reason;
}

static enum error look(struct replica *replica, struct progress *progress)
{
    struct problem problem;
    enum error error;

    replica->db->answer_within_ms = WAIT_MS;
    error = read_progress(replica->db, progress, &problem);
    replica->db->answer_within_ms = 0;
    replica->connects = db_counters(replica->db).connects;
    return error;
}

bool replica_answers(struct replica *replica, struct db *primary, int64_t position, struct db **db,
                     int64_t *age)
{
    struct progress progress;
    const char *reason;

    *db = replica->db;
    if (clock_monotonic_microseconds() < replica->rest_until)
        return false;
    keep_moments(replica, primary);
    if (look(replica, &progress)) {
        (void)db_end_of_request(replica->db);
        replica->rest_until = clock_monotonic_microseconds() + (int64_t)REST_MS * 1000;
        note(replica, "it does not answer");
        return false;
    }
    reason = obstacle(replica, &progress, position, age);
    if (!reason || position <= progress.position)
        note(replica, reason);
    return !reason;
}

bool replica_stayed(const struct replica *replica)
{
    return db_counters(replica->db).connects == replica->connects;
}

enum error replica_position(struct db *primary, int64_t *position, struct problem *problem)
{
    struct query *query = db_query(primary, &written_position);

    *position = 0;
    if (query_next(query))
        *position = query_integer(query, 0);
    return query_end(query, problem);
}
