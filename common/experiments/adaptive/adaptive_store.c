/* SQL of adaptive experiments: one row of settings, and one for each round. */
#include "experiments/adaptive/adaptive_store.h"

#include "db/query.h"
#include "experiments/projects/project_store.h"

enum { LISTED_MAX = 10000 };

#define ADAPTIVE_COLUMNS                                                                           \
    "SELECT a.floor_share, a.update_minutes, a.paused, a.round, r.round, r.started_at, r.users,"   \
    " r.shares FROM adaptive_experiments a JOIN adaptive_rounds r"                                 \
    " ON r.experiment_id = a.experiment_id"

static const struct statement find_newest = {
    .name = "adaptive_newest",
    .sql = ADAPTIVE_COLUMNS " AND r.round = a.round WHERE a.experiment_id = ?",
};
static const struct statement find_round = {
    .name = "adaptive_round",
    .sql = ADAPTIVE_COLUMNS " WHERE a.experiment_id = ? AND r.round = ?",
};
static const struct statement list_rounds = {
    .name = "adaptive_rounds",
    .sql = "SELECT round, started_at, users, shares FROM adaptive_rounds WHERE experiment_id = ?"
           " ORDER BY round DESC",
};
static const struct statement list_ids = {
    .name = "adaptive_list",
    .sql = "SELECT a.experiment_id FROM adaptive_experiments a JOIN projects p"
           " ON p.id = a.experiment_id WHERE a.paused = 0 AND p.archived = 0"
           " ORDER BY a.experiment_id LIMIT ?",
};
static const struct statement lock_row = {
    .name = "adaptive_lock",
    .sql = "SELECT round FROM adaptive_experiments WHERE experiment_id = ? {for_update}",
};
static const struct statement save_settings = {
    .name = "adaptive_save",
    .sql = "INSERT INTO adaptive_experiments (floor_share, update_minutes, paused, round,"
           " experiment_id) VALUES (?, ?, ?, ?, ?) ON CONFLICT (experiment_id) DO UPDATE SET"
           " floor_share = excluded.floor_share, update_minutes = excluded.update_minutes,"
           " paused = excluded.paused",
};
static const struct statement insert_round = {
    .name = "adaptive_round_add",
    .sql = "INSERT INTO adaptive_rounds (round, started_at, users, shares, experiment_id)"
           " VALUES (?, ?, ?, ?, ?)",
};
static const struct statement set_round = {
    .name = "adaptive_round_set",
    .sql = "UPDATE adaptive_experiments SET round = ? WHERE experiment_id = ?",
};
static const struct statement delete_rounds = {
    .name = "adaptive_rounds_delete",
    .sql = "DELETE FROM adaptive_rounds WHERE experiment_id = ?",
};
static const struct statement delete_settings = {
    .name = "adaptive_delete",
    .sql = "DELETE FROM adaptive_experiments WHERE experiment_id = ?",
};

static void read_round(struct query *query, int first, struct arena *arena,
                       struct adaptive_shares *shares, struct adaptive_round *round)
{
    *shares = (struct adaptive_shares){0};
    *round = (struct adaptive_round){.round = query_integer(query, first),
                                     .started_at = query_integer(query, first + 1),
                                     .users = query_integer(query, first + 2)};
    if (adaptive_shares_read(query_json(query, first + 3, arena), arena, shares))
        round->shares = adaptive_share_list(shares, arena);
}

enum error adaptive_find(const struct adaptive_call *call, const char *experiment_id, int64_t round,
                         struct adaptive *adaptive)
{
    struct query *query = db_query(call->db, round ? &find_round : &find_newest);

    *adaptive = (struct adaptive){.settings = {.experiment_id = experiment_id}};
    query_bind_text(query, experiment_id);
    if (round)
        query_bind_integer(query, round);
    if (query_next(query)) {
        adaptive->settings.floor = query_number(query, 0);
        adaptive->settings.update_minutes = query_integer(query, 1);
        adaptive->settings.paused = query_boolean(query, 2);
        adaptive->settings.round = query_integer(query, 3);
        read_round(query, 4, call->arena, &adaptive->shares, &adaptive->newest);
        adaptive->found = adaptive->shares.count > 0;
    }
    return query_end(query, call->problem);
}

enum error adaptive_read_rounds(const struct adaptive_call *call, const char *experiment_id,
                                struct object_list *rounds)
{
    struct query *query = db_query(call->db, &list_rounds);
    struct adaptive_round *items =
        ARENA_ARRAY(call->arena, struct adaptive_round, ADAPTIVE_ROUNDS_MAX);
    struct adaptive_shares shares;
    size_t count = 0;

    query_bind_text(query, experiment_id);
    while (count < ADAPTIVE_ROUNDS_MAX && query_next(query))
        read_round(query, 0, call->arena, &shares, &items[count++]);
    *rounds = (struct object_list){count, items};
    return query_end(query, call->problem);
}

enum error adaptive_list(const struct adaptive_call *call, struct string_list *ids)
{
    struct query *query = db_query(call->db, &list_ids);

    *ids = (struct string_list){0, ARENA_ARRAY(call->arena, const char *, LISTED_MAX)};
    query_bind_integer(query, LISTED_MAX);
    while (ids->count < LISTED_MAX && query_next(query))
        ids->items[ids->count++] = query_text(query, 0, call->arena);
    return query_end(query, call->problem);
}

enum error adaptive_lock(const struct adaptive_call *call, const char *experiment_id,
                         int64_t *round)
{
    struct query *query = db_query(call->db, &lock_row);

    *round = 0;
    query_bind_text(query, experiment_id);
    if (query_next(query))
        *round = query_integer(query, 0);
    return query_end(query, call->problem);
}

enum error adaptive_save(const struct adaptive_call *call, const struct adaptive_document *settings)
{
    struct query *query = db_query(call->db, &save_settings);

    query_bind_number(query, settings->floor);
    query_bind_integer(query, settings->update_minutes);
    query_bind_boolean(query, settings->paused);
    query_bind_integer(query, settings->round);
    query_bind_text(query, settings->experiment_id);
    return query_end(query, call->problem);
}

enum error adaptive_add_round(const struct adaptive_call *call, const char *experiment_id,
                              const struct adaptive_round *round,
                              const struct adaptive_shares *shares)
{
    struct query *query = db_query(call->db, &insert_round);
    enum error error;

    query_bind_integer(query, round->round);
    query_bind_integer(query, round->started_at);
    query_bind_integer(query, round->users);
    query_bind_json(query, adaptive_shares_json(shares, call->arena));
    query_bind_text(query, experiment_id);
    error = query_end(query, call->problem);
    if (error)
        return error;
    query = db_query(call->db, &set_round);
    query_bind_integer(query, round->round);
    query_bind_text(query, experiment_id);
    return query_end(query, call->problem);
}

static enum error delete_of(const struct adaptive_call *call, const struct statement *statement,
                            const char *experiment_id)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, experiment_id);
    return query_end(query, call->problem);
}

enum error adaptive_forget(const struct adaptive_call *call, const char *experiment_id)
{
    enum error error = delete_of(call, &delete_rounds, experiment_id);

    return error ? error : delete_of(call, &delete_settings, experiment_id);
}

enum error adaptive_fits(const struct adaptive_call *call, const struct experiment_payload *design,
                         size_t arms)
{
    if (design->setup->variants_count != (int64_t)arms)
        return problem_set(call->problem, ERROR_INVALID, "adaptive_variants",
                           "setup.variants_count: an adaptive experiment keeps its %zu variations",
                           arms);
    if (design->metrics->metric_type == METRIC_RATIO)
        return problem_set(call->problem, ERROR_INVALID, "adaptive_metric",
                           "metrics.metric_type: an adaptive experiment needs a metric of single "
                           "users, not a ratio");
    if (design->metrics->goals)
        return problem_set(call->problem, ERROR_INVALID, "adaptive_metric",
                           "metrics.goals: the shares of an adaptive experiment follow its primary "
                           "metric alone");
    if (design->setup->clusters)
        return problem_set(call->problem, ERROR_INVALID, "adaptive_metric",
                           "setup.clusters: an adaptive experiment assigns single users");
    return ERROR_NONE;
}

enum error adaptive_check_design(const struct adaptive_call *call, const char *experiment_id,
                                 const char *document)
{
    const struct experiment_payload *design;
    struct adaptive adaptive;
    enum error error = adaptive_find(call, experiment_id, 0, &adaptive);

    if (error || !adaptive.found)
        return error;
    design = project_payload(document, call->arena);
    return design ? adaptive_fits(call, design, adaptive.shares.count) : ERROR_NONE;
}
