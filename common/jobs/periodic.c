/* Jobs named after the interval they belong to: the database refuses the second of one name. */
#include "jobs/periodic.h"
#include "base/text.h"
#include "crypto/token.h"
#include "db/query.h"

static const struct statement read_clock = {
    .name = "periodic_clock",
    .sql = "SELECT {now_microseconds}",
};

static enum error add(struct db *db, const struct job_kind *kind, const char *name, const char *key,
                      struct problem *problem)
{
    const struct job_spec order = {.key = key, .lane = name, .payload = "{}"};

    return job_add(db, kind, &order, NULL, problem);
}

enum error periodic_add(struct db *db, struct arena *arena, const struct job_kind *kind,
                        const char *name, int64_t interval_seconds, struct problem *problem)
{
    struct query *query = db_query(db, &read_clock);
    int64_t now = query_next(query) ? query_integer(query, 0) : 0;
    enum error error = query_end(query, problem);

    return error ? error
                 : add(db, kind, name,
                       arena_print(arena, "%s:%lld", name,
                                   (long long)(now / 1000000 / interval_seconds)),
                       problem);
}

enum error periodic_add_now(struct db *db, struct arena *arena, const struct job_kind *kind,
                            const char *name, struct problem *problem)
{
    char id[TOKEN_UUID_TEXT];

    token_uuid(id);
    return add(db, kind, name, arena_print(arena, "%s:%s", name, id), problem);
}
