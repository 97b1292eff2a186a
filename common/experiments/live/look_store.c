/* Reads and adds looks. */
#include "experiments/live/look_store.h"

#include "base/list.h"
#include "db/query.h"
#include "experiments/live/rollup_store.h"

static const struct statement read_looks = {
    .name = "live_looks_read",
    .sql = "SELECT look, information_fraction, users, plan, actor, taken_at, sums_json"
           " FROM experiment_looks WHERE experiment_id = ? ORDER BY look",
};
static const struct statement read_effects = {
    .name = "live_look_effects_read",
    .sql = "SELECT look, treatment_index, estimate, standard_error FROM experiment_look_effects"
           " WHERE experiment_id = ? ORDER BY look, treatment_index",
};
static const struct statement insert_look = {
    .name = "live_look_insert",
    .sql = "INSERT INTO experiment_looks (experiment_id, look, information_fraction, users, plan,"
           " actor, taken_at, sums_json) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (experiment_id, look) DO NOTHING RETURNING look",
};
static const struct statement insert_effect = {
    .name = "live_look_effect_insert",
    .sql = "INSERT INTO experiment_look_effects (experiment_id, look, treatment_index, estimate,"
           " standard_error) VALUES (?, ?, ?, ?, ?)",
};
static const struct statement note_look = {
    .name = "live_look_note",
    .sql = "UPDATE live_experiments SET version = version + 1 WHERE experiment_id = ?",
};
static const struct statement read_taken = {
    .name = "live_looks_taken",
    .sql = "SELECT exposures_taken FROM live_experiments WHERE experiment_id = ?",
};
static const struct statement find_basis = {
    .name = "live_look_basis",
    .sql = "SELECT 1 FROM live_experiments e JOIN projects p ON p.id = e.experiment_id"
           " WHERE e.experiment_id = ? AND e.exposures_taken = ? AND p.updated_at = ?",
};
static const struct statement clear_looks = {
    .name = "live_looks_clear",
    .sql = "DELETE FROM experiment_looks WHERE experiment_id = ?",
};
static const struct statement list_planned = {
    .name = "live_looks_planned",
    .sql =
        "SELECT e.experiment_id FROM live_experiments e JOIN projects p ON p.id = e.experiment_id"
        " WHERE p.archived = 0 AND p.decision IS NULL"
        " AND (p.payload_json -> 'constraints' ->> 'planned_looks' IS NOT NULL"
        " OR p.payload_json -> 'constraints' ->> 'hybrid' IS NOT NULL)"
        " ORDER BY e.experiment_id",
};

static enum error add_effects(const struct live_call *call, const char *id, struct live_look *looks,
                              size_t count)
{
    struct query *query = db_query(call->db, &read_effects);
    size_t at = 0;

    query_bind_text(query, id);
    while (query_next(query)) {
        int64_t look = query_integer(query, 0);

        while (at < count && looks[at].look < look)
            at++;
        if (at < count && looks[at].look == look && looks[at].effect_count < LIVE_ARMS_MAX)
            looks[at].effects[looks[at].effect_count++] = (struct live_look_effect){
                query_integer(query, 1), query_number(query, 2), query_number(query, 3)};
    }
    return query_end(query, call->problem);
}

static enum error read_exposures_taken(const struct live_call *call, const char *id,
                                       int64_t *exposures_taken)
{
    struct query *query = db_query(call->db, &read_taken);

    query_bind_text(query, id);
    if (query_next(query))
        *exposures_taken = query_integer(query, 0);
    return query_end(query, call->problem);
}

enum error live_read_looks(const struct live_call *call, const char *id,
                           struct live_look_list *looks)
{
    struct query *query = db_query(call->db, &read_looks);
    struct live_look *items = NULL;
    enum error error;

    *looks = (struct live_look_list){0};
    query_bind_text(query, id);
    while (query_next(query))
        *ARRAY_ADD(call->arena, items, looks->count) =
            (struct live_look){.look = query_integer(query, 0),
                               .information_fraction = query_number(query, 1),
                               .users = query_integer(query, 2),
                               .plan = query_text(query, 3, call->arena),
                               .actor = query_text_or_null(query, 4, call->arena),
                               .taken_at = query_text(query, 5, call->arena),
                               .sums = query_text_or_null(query, 6, call->arena)};
    looks->items = items;
    error = query_end(query, call->problem);
    if (!error)
        error = read_exposures_taken(call, id, &looks->exposures_taken);
    return error || !items ? error : add_effects(call, id, items, looks->count);
}

static enum error insert(const struct live_call *call, const char *id, const struct live_look *look,
                         bool *added)
{
    struct query *query = db_query(call->db, &insert_look);

    query_bind_text(query, id);
    query_bind_integer(query, look->look);
    query_bind_number(query, look->information_fraction);
    query_bind_integer(query, look->users);
    query_bind_text(query, look->plan);
    query_bind_text(query, look->actor);
    query_bind_text(query, look->taken_at);
    query_bind_text(query, look->sums);
    *added = query_next(query);
    return query_end(query, call->problem);
}

static enum error insert_effects(const struct live_call *call, const char *id,
                                 const struct live_look *look)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < look->effect_count; i++) {
        const struct live_look_effect *effect = &look->effects[i];
        struct query *query = db_query(call->db, &insert_effect);

        query_bind_text(query, id);
        query_bind_integer(query, look->look);
        query_bind_integer(query, effect->treatment_index);
        query_bind_number(query, effect->estimate);
        query_bind_number(query, effect->standard_error);
        error = query_end(query, call->problem);
    }
    return error;
}

static enum error execute(const struct live_call *call, const struct statement *statement,
                          const char *id)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, id);
    return query_end(query, call->problem);
}

/* Under the lock of the experiment, which whoever takes users away has too. */
static enum error check_basis(const struct live_call *call, const char *id,
                              const struct live_look_basis *basis, bool *holds)
{
    enum error error = live_lock_row(call, id);
    struct query *query;

    if (error)
        return error;
    query = db_query(call->db, &find_basis);
    query_bind_text(query, id);
    query_bind_integer(query, basis->looks->exposures_taken);
    query_bind_text(query, basis->updated_at);
    *holds = query_next(query);
    return query_end(query, call->problem);
}

static enum error add(const struct live_call *call, const char *id,
                      const struct live_look_basis *basis, const struct live_look *look,
                      bool *added)
{
    bool holds = false;
    enum error error = check_basis(call, id, basis, &holds);

    if (!error && holds)
        error = insert(call, id, look, added);
    if (error || !*added)
        return error;
    error = insert_effects(call, id, look);
    return error ? error : execute(call, &note_look, id);
}

enum error live_add_look(const struct live_call *call, const char *id,
                         const struct live_look_basis *basis, const struct live_look *look,
                         bool *added)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    *added = false;
    return error ? error : db_finish(call->db, add(call, id, basis, look, added), call->problem);
}

enum error live_clear_looks(const struct live_call *call, const char *id)
{
    return execute(call, &clear_looks, id);
}

enum error live_list_planned(const struct live_call *call, struct string_list *ids)
{
    struct query *query = db_query(call->db, &list_planned);
    const char **items = NULL;

    *ids = (struct string_list){0};
    while (query_next(query))
        *ARRAY_ADD(call->arena, items, ids->count) = query_text(query, 0, call->arena);
    ids->items = items;
    return query_end(query, call->problem);
}
