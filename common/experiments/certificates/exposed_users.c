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

static const struct statement find_kept = {
    .name = "certificate_population",
    .sql = "SELECT e.exposures_taken, p.exposures, p.sha256 FROM live_experiments e"
           " LEFT JOIN certificate_populations p ON p.experiment_id = e.experiment_id"
           " AND p.exposures_taken = e.exposures_taken WHERE e.experiment_id = ?",
};
static const struct statement put_kept = {
    .name = "certificate_population_put",
    .sql = "INSERT INTO certificate_populations (experiment_id, exposures_taken, exposures, sha256)"
           " VALUES (?, ?, ?, ?) ON CONFLICT (experiment_id) DO UPDATE SET"
           " exposures_taken = excluded.exposures_taken, exposures = excluded.exposures,"
           " sha256 = excluded.sha256",
};

static const struct statement find_missing = {
    .name = "certificate_populations_missing",
    .sql = "SELECT e.experiment_id FROM live_experiments e JOIN projects p ON p.id ="
           " e.experiment_id WHERE p.decision IS NOT NULL AND p.archived = 0 AND NOT EXISTS"
           " (SELECT 1 FROM certificate_populations c WHERE c.experiment_id = e.experiment_id"
           " AND c.exposures_taken = e.exposures_taken) AND e.experiment_id > ?"
           " ORDER BY e.experiment_id LIMIT ?",
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

enum error exposed_users_find(const struct live_call *call,
                              const struct live_experiment *experiment, int64_t exposures,
                              struct kept_users *kept)
{
    struct query *query = db_query(call->db, &find_kept);
    enum error error;

    *kept = (struct kept_users){0};
    query_bind_text(query, experiment->id);
    if (query_next(query)) {
        kept->taken = query_integer(query, 0);
        if (!query_is_null(query, 1)) {
            kept->users.count = query_integer(query, 1);
            snprintf(kept->users.sha256, sizeof kept->users.sha256, "%s",
                     query_text(query, 2, call->arena));
            kept->fits = kept->users.count == exposures;
        }
    }
    error = query_end(query, call->problem);
    return error || kept->fits ? error : exposed_users_read(call, experiment, &kept->users);
}

enum error exposed_users_keep(const struct live_call *call, const char *id,
                              const struct kept_users *kept)
{
    struct query *query = db_query(call->db, &put_kept);

    query_bind_text(query, id);
    query_bind_integer(query, kept->taken);
    query_bind_integer(query, kept->users.count);
    query_bind_text(query, kept->users.sha256);
    return query_end(query, call->problem);
}

enum error exposed_users_missing(const struct live_call *call, const char *after, int most,
                                 struct live_names *experiments)
{
    struct query *query = db_query(call->db, &find_missing);

    *experiments = (struct live_names){.arena = call->arena};
    query_bind_text(query, after);
    query_bind_integer(query, most);
    while (query_next(query))
        live_names_add(experiments, query_text(query, 0, call->arena));
    return query_end(query, call->problem);
}
