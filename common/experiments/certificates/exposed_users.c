/* The SQL of the digest. The buckets of a divided experiment are sorted together. */
#include "experiments/certificates/exposed_users.h"

#include "crypto/digest_stream.h"
#include "db/query.h"

#include <stdio.h>
#include <string.h>

static const struct statement list_users = {
    .name = "certificate_users",
    .sql = "SELECT user_id, variation FROM live_units WHERE experiment = ?"
           " AND variation IS NOT NULL ORDER BY user_id",
    .streams = true,
};
static const struct statement list_divided = {
    .name = "certificate_divided_users",
    .sql = "SELECT user_id, variation FROM live_units WHERE experiment BETWEEN ? AND ?"
           " AND variation IS NOT NULL ORDER BY user_id",
    .streams = true,
};

/* User ids have no NUL. */
static void add(struct digest_stream *digest, struct query *query)
{
    struct query_bytes user = query_bytes(query, 0);
    char arm[24];

    digest_stream_add(digest, user.bytes, user.length);
    digest_stream_add(digest, "", 1);
    snprintf(arm, sizeof arm, "%lld", (long long)query_integer(query, 1));
    digest_stream_add(digest, arm, strlen(arm) + 1);
}

enum error exposed_users_read(const struct live_call *call,
                              const struct live_experiment *experiment, struct exposed_users *users)
{
    int64_t buckets = live_bucket_count(experiment);
    struct digest_stream *digest = digest_stream_start(call->arena, NULL);
    char unused[DIGEST_SHA256_TEXT];
    struct query *query = db_query(call->db, buckets > 1 ? &list_divided : &list_users);

    *users = (struct exposed_users){0};
    /* Buckets count downwards. */
    query_bind_integer(query, live_bucket_number(experiment, buckets - 1));
    if (buckets > 1)
        query_bind_integer(query, live_bucket_number(experiment, 0));
    for (; query_next(query); users->count++)
        add(digest, query);
    digest_stream_end(digest, users->sha256, unused);
    return query_end(query, call->problem);
}
