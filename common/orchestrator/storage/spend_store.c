/* SQL of held and booked costs. */
#include "orchestrator/storage/spend_store.h"

#include "base/clock.h"
#include "crypto/token.h"
#include "db/query.h"
#include "db/store.h"

#include <stdio.h>
#include <string.h>

static const struct statement sum_booked = {
    .name = "orch_spend_sum",
    .sql = "SELECT CAST(coalesce(sum(nano_usd), 0) AS BIGINT) FROM orch_spend WHERE day = ?",
};
static const struct statement sum_held = {
    .name = "orch_holds_sum",
    .sql = "SELECT CAST(coalesce(sum(nano_usd), 0) AS BIGINT) FROM orch_spend_holds WHERE day = ?",
};
static const struct statement insert_hold = {
    .name = "orch_hold_insert",
    .sql = "INSERT INTO orch_spend_holds (hold_id, task_id, day, provider, nano_usd, expires_at)"
           " VALUES (?, ?, ?, ?, ?, {now_plus:?})",
};
static const struct statement delete_hold = {
    .name = "orch_hold_delete",
    .sql = "DELETE FROM orch_spend_holds WHERE hold_id = ?",
};
static const struct statement book = {
    .name = "orch_spend_book",
    .sql = "INSERT INTO orch_spend (day, provider, nano_usd) VALUES (?, ?, ?)"
           " ON CONFLICT (day, provider) DO UPDATE"
           " SET nano_usd = orch_spend.nano_usd + excluded.nano_usd",
};
static const struct statement book_task = {
    .name = "orch_spend_book_task",
    .sql = "INSERT INTO orch_spend (day, provider, nano_usd)"
           " SELECT day, provider, CAST(sum(nano_usd) AS BIGINT) FROM orch_spend_holds"
           " WHERE task_id = ? GROUP BY day, provider"
           " ON CONFLICT (day, provider) DO UPDATE"
           " SET nano_usd = orch_spend.nano_usd + excluded.nano_usd",
};
static const struct statement drop_task_holds = {
    .name = "orch_holds_drop",
    .sql = "DELETE FROM orch_spend_holds WHERE task_id = ?",
};

void spend_day(char day[SPEND_DAY_MAX])
{
    char now[CLOCK_TEXT_MAX];

    clock_format(clock_unix_microseconds(), now);
    (void)!snprintf(day, SPEND_DAY_MAX, "%.10s", now);
}

static int64_t read_sum(struct db *db, const struct statement *statement, const char *day,
                        enum error *error, struct problem *problem)
{
    struct query *query;
    int64_t sum;

    if (*error)
        return 0;
    query = db_query(db, statement);
    query_bind_text(query, day);
    sum = query_next(query) ? query_integer(query, 0) : 0;
    *error = query_end(query, problem);
    return sum;
}

static enum error settle_one(struct db *db, const struct spend_hold *hold, struct problem *problem)
{
    struct query *query = db_query(db, &delete_hold);
    int64_t changed;
    enum error error;

    query_bind_text(query, hold->hold_id);
    changed = query_changes(query);
    error = query_end(query, problem);
    if (error || !changed ||
        !hold->booked) /* another process found the task abandoned and booked it */
        return error;
    query = db_query(db, &book);
    query_bind_text(query, hold->day);
    query_bind_text(query, hold->provider);
    query_bind_integer(query, hold->booked);
    return query_end(query, problem);
}

enum error spend_settle(struct db *db, struct spend_hold *holds, size_t count,
                        struct problem *problem)
{
    enum error error = ERROR_NONE;
    bool any = false;

    for (size_t i = 0; i < count; i++)
        any = any || (holds[i].hold_id[0] && holds[i].is_over);
    if (!any)
        return ERROR_NONE;
    error = db_begin(db, DB_WRITE, problem);
    if (error)
        return error;
    for (size_t i = 0; !error && i < count; i++)
        if (holds[i].hold_id[0] && holds[i].is_over)
            error = settle_one(db, &holds[i], problem);
    error = db_finish(db, error, problem);
    for (size_t i = 0; !error && i < count; i++)
        if (holds[i].is_over)
            holds[i].hold_id[0] = '\0';
    return error;
}

static enum error write_hold(struct db *db, const char *task_id, double seconds,
                             struct spend_hold *hold, struct problem *problem)
{
    struct query *query = db_query(db, &insert_hold);

    token_uuid(hold->hold_id);
    query_bind_text(query, hold->hold_id);
    query_bind_text(query, task_id);
    query_bind_text(query, hold->day);
    query_bind_text(query, hold->provider);
    query_bind_integer(query, hold->nano_usd);
    query_bind_number(query, seconds);
    return query_end(query, problem);
}

enum error spend_hold(struct db *db, const char *task_id, const char *provider, int64_t nano_usd,
                      int64_t limit, double seconds, struct spend_hold *hold, bool *granted,
                      int64_t *spent, struct spend_hold *done, size_t done_count,
                      struct problem *problem)
{
    enum error error = db_begin(db, DB_WRITE, problem);

    *granted = false;
    *spent = 0;
    *hold = (struct spend_hold){.provider = provider, .nano_usd = nano_usd};
    if (error)
        return error;
    spend_day(hold->day);
    error = db_lock(db, "orch_spend", problem);
    if (!error)
        error = spend_settle(db, done, done_count, problem);
    if (limit > 0) {
        *spent = read_sum(db, &sum_booked, hold->day, &error, problem);
        *spent += read_sum(db, &sum_held, hold->day, &error, problem);
    }
    *granted = !error && (limit <= 0 || *spent + nano_usd <= limit);
    if (*granted)
        error = write_hold(db, task_id, seconds, hold, problem);
    error = db_finish(db, error, problem);
    *granted = *granted && !error;
    if (!*granted)
        hold->hold_id[0] = '\0';
    return error;
}

enum error spend_book_holds(struct db *db, const char *task_id, struct problem *problem)
{
    struct query *query;
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    query = db_query(db, &book_task);
    query_bind_text(query, task_id);
    error = query_end(query, problem);
    if (!error) {
        query = db_query(db, &drop_task_holds);
        query_bind_text(query, task_id);
        error = query_end(query, problem);
    }
    return db_finish(db, error, problem);
}

enum error spend_today(struct db *db, int64_t *booked, int64_t *held, struct problem *problem)
{
    enum error error = ERROR_NONE;
    char day[SPEND_DAY_MAX];

    spend_day(day);
    *booked = read_sum(db, &sum_booked, day, &error, problem);
    *held = read_sum(db, &sum_held, day, &error, problem);
    return error;
}
