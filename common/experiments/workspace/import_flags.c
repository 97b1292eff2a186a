/* SQL of flags that come with a bundle. */
#include "experiments/workspace/import_flags.h"

#include "base/list.h"
#include "db/query.h"
#include "experiments/flags/flag_store.h"
#include "experiments/projects/project_slug.h"

static const struct statement insert_flag = {
    .name = "workspace_flag",
    .sql = "INSERT INTO flags (experiment_id, slug, enabled, settings, updated_at)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
};
static const struct statement set_values = {
    .name = "workspace_flag_values",
    .sql = "UPDATE flags SET settings = ?, updated_at = ? WHERE experiment_id = ?",
};

/* A project whose flag needs a key of its own. */
struct flag_waiting {
    const char *id;
    const char *name;
    const struct bundle_entry *entry; /* NULL = the bundle has no flag of it */
};

static struct flag_call call_of(const struct flags_in *in)
{
    return (struct flag_call){.db = in->db, .arena = in->call->piece, .problem = in->call->problem};
}

enum error import_flags_begin(struct flags_in *in)
{
    const struct flag_call call = call_of(in);

    in->ids = bundle_sort_ids(in->call->arena, in->bundle, BUNDLE_FLAGS);
    return in->ids.count ? flag_lock(&call) : ERROR_NONE;
}

static void bind_values(const struct flags_in *in, struct query *query,
                        const struct bundle_flag *flag)
{
    struct arena *piece = in->call->piece;

    query_bind_json(query, flag->settings ? schema_json(piece, FLAG_SETTINGS_BYTES_MAX,
                                                        &flag_settings_schema, flag->settings)
                                          : NULL);
    query_bind_text(query, bundle_moment(piece, flag->updated_at));
}

static enum error insert(struct flags_in *in, const struct flag_owner *owner,
                         const struct bundle_flag *flag, bool *taken)
{
    struct query *query = db_query(in->db, &insert_flag);

    query_bind_text(query, owner->id);
    query_bind_text(query, flag->key);
    query_bind_boolean(query, flag->enabled && !owner->lacks_segment);
    bind_values(in, query, flag);
    *taken = query_changes(query) == 0;
    return query_end(query, in->call->problem);
}

static void wait_for_key(struct flags_in *in, const struct flag_owner *owner,
                         const struct bundle_entry *entry)
{
    struct arena *arena = in->call->arena;

    *ARRAY_ADD(arena, in->waiting, in->waiting_count) =
        (struct flag_waiting){.id = arena_copy_string(arena, owner->id),
                              .name = arena_copy_string(arena, owner->name),
                              .entry = entry};
}

static size_t index_of(const struct flags_in *in, const struct bundle_entry *entry)
{
    return (size_t)(entry - in->bundle->lists[BUNDLE_FLAGS].items);
}

static enum error give_key(struct flags_in *in, const struct flag_waiting *waiting)
{
    struct bundle_flag flag;
    struct query *query;
    enum error error =
        project_add_slug(in->db, in->call->piece, waiting->id, waiting->name, in->call->problem);

    if (error || !waiting->entry)
        return error;
    error = bundle_record(in->call, in->bundle, BUNDLE_FLAGS, index_of(in, waiting->entry), &flag);
    if (error)
        return error;
    in->renamed++;
    query = db_query(in->db, &set_values);
    bind_values(in, query, &flag);
    query_bind_text(query, waiting->id);
    return query_end(query, in->call->problem);
}

/* The rules of flags that are on, with the place of this one before what they say. */
static enum error check(const struct flags_in *in, const struct flag_owner *owner, size_t index)
{
    struct problem found = {0};
    struct flag_call call = call_of(in);
    enum error error;

    call.problem = &found;
    error = owner->archived ? ERROR_NONE : flag_check_design(&call, owner->id, owner->design);
    if (error != ERROR_INVALID && error != ERROR_CONFLICT) {
        if (error)
            *in->call->problem = found;
        return error;
    }
    return problem_set(in->call->problem, error, found.reason, "flags.%zu.enabled: %s", index,
                       found.text);
}

static enum error add(struct flags_in *in, const struct flag_owner *owner,
                      const struct bundle_entry *entry)
{
    struct bundle_flag flag;
    size_t index = index_of(in, entry);
    bool taken = false;
    enum error error = bundle_record(in->call, in->bundle, BUNDLE_FLAGS, index, &flag);

    if (!error)
        error = insert(in, owner, &flag, &taken);
    if (error)
        return error;
    in->added++;
    in->switched_off += flag.enabled && owner->lacks_segment;
    if (!taken)
        return check(in, owner, index);
    if (!in->keep_keys) {
        wait_for_key(in, owner, entry);
        return ERROR_NONE;
    }
    return problem_set(in->call->problem, ERROR_CONFLICT, "workspace_id_taken",
                       "flags.%zu.key: another project has the key %s", index, flag.key);
}

enum error import_flag(struct flags_in *in, const struct flag_owner *owner)
{
    size_t position;

    if (bundle_find_id(&in->ids, owner->old_id, &position))
        return add(in, owner, in->ids.items[position]);
    if (!in->ids.count) /* of an older bundle */
        return project_add_slug(in->db, in->call->piece, owner->id, owner->name, in->call->problem);
    wait_for_key(in, owner, NULL);
    return ERROR_NONE;
}

enum error import_flags_end(struct flags_in *in)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < in->waiting_count; i++) {
        error = give_key(in, &in->waiting[i]);
        arena_reset(in->call->piece);
    }
    return error;
}
