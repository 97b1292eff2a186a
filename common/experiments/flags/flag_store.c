/* SQL of flags: reads them by project and by key, and replaces one with its audit row. */
#include "experiments/flags/flag_store.h"

#include "db/query.h"
#include "experiments/adaptive/adaptive_store.h"
#include "experiments/flags/flag_layers.h"
#include "experiments/projects/project_slug.h"
#include "experiments/projects/project_store.h"

#include <string.h>

#define FLAG_COLUMNS                                                                               \
    "f.experiment_id, f.slug, f.enabled, f.settings, f.updated_at, p.archived,"                    \
    " p.live_bucket_count FROM flags f JOIN projects p ON p.id = f.experiment_id"

static const struct statement read_flag = {
    .name = "flag_read",
    .sql = "SELECT " FLAG_COLUMNS " WHERE f.experiment_id = ?",
};
static const struct statement find_flag = {
    .name = "flag_find",
    .sql = "SELECT " FLAG_COLUMNS " WHERE f.slug = ? AND f.settings IS NOT NULL",
};
static const struct statement list_flags = {
    .name = "flag_list",
    .sql = "SELECT " FLAG_COLUMNS " WHERE f.settings IS NOT NULL ORDER BY f.slug LIMIT ?",
};
static const struct statement list_flags_of_project = {
    .name = "flag_list_of_project",
    .sql = "SELECT " FLAG_COLUMNS
           " WHERE f.settings IS NOT NULL AND f.experiment_id = ? ORDER BY f.slug LIMIT ?",
};
static const struct statement lock_project = {
    .name = "flag_project_lock",
    .sql = "SELECT project_name, archived, payload_json FROM projects WHERE id = ? {for_update}",
};
static const struct statement find_owner = {
    .name = "flag_key_owner",
    .sql = "SELECT experiment_id FROM flags WHERE slug = ?",
};
static const struct statement update_flag = {
    .name = "flag_update",
    .sql = "UPDATE flags SET slug = ?, enabled = ?, settings = ?, updated_at = ?"
           " WHERE experiment_id = ?",
};

static void flag_row(struct query *query, struct arena *arena, struct flag *flag)
{
    const char *settings = query_json_or_null(query, 3, arena);
    struct flag_settings *decoded = NULL;

    if (settings) {
        decoded = ARENA_NEW(arena, struct flag_settings);
        if (!schema_from_json(arena, &flag_settings_schema, settings, decoded))
            decoded = NULL;
    }
    *flag = (struct flag){.experiment_id = query_text(query, 0, arena),
                          .key = query_text(query, 1, arena),
                          .enabled = query_boolean(query, 2),
                          .settings = decoded,
                          .updated_at = query_text_or_null(query, 4, arena),
                          .archived = query_boolean(query, 5),
                          .buckets = query_integer(query, 6)};
}

static enum error fetch(const struct flag_call *call, const struct statement *statement,
                        const char *value, struct flag *flag, bool *found)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, value);
    *found = query_next(query);
    if (*found)
        flag_row(query, call->arena, flag);
    return query_end(query, call->problem);
}

enum error flag_read(const struct flag_call *call, const char *experiment_id, struct flag *flag)
{
    bool found = false;
    enum error error = fetch(call, &read_flag, experiment_id, flag, &found);

    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Experiment not found");
}

enum error flag_of_project(const struct flag_call *call, const char *experiment_id,
                           struct flag *flag, bool *found)
{
    return fetch(call, &read_flag, experiment_id, flag, found);
}

enum error flag_find(const struct flag_call *call, const char *key, struct flag *flag, bool *found)
{
    enum error error = fetch(call, &find_flag, key, flag, found);

    *found = *found && flag->settings;
    return error;
}

enum error flag_list(const struct flag_call *call, const char *experiment_id, int64_t limit,
                     struct object_list *flags)
{
    struct query *query = db_query(call->db, experiment_id ? &list_flags_of_project : &list_flags);
    struct flag *items = ARENA_ARRAY(call->arena, struct flag, (size_t)limit);
    size_t count = 0;

    if (experiment_id)
        query_bind_text(query, experiment_id);
    query_bind_integer(query, limit);
    while (count < (size_t)limit && query_next(query)) {
        flag_row(query, call->arena, &items[count]);
        if (items[count].settings)
            count++;
    }
    *flags = (struct object_list){.count = count, .items = items};
    return query_end(query, call->problem);
}

/* The row of the project, locked. */
struct owner {
    const char *name;
    bool archived;
    const char *payload;
};

static enum error lock(const struct flag_call *call, const char *id, struct owner *owner)
{
    struct query *query = db_query(call->db, &lock_project);
    bool found;
    enum error error;

    query_bind_text(query, id);
    found = query_next(query);
    if (found)
        *owner = (struct owner){.name = query_text(query, 0, call->arena),
                                .archived = query_boolean(query, 1),
                                .payload = query_json(query, 2, call->arena)};
    error = query_end(query, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "project_not_found", "Project not found");
}

static enum error check_variants(const struct flag_call *call,
                                 const struct experiment_payload *design, size_t given)
{
    if (design->setup->variants_count == (int64_t)given)
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_INVALID, "flag_variants",
                       "variants must name the %lld variations of the design, not %zu",
                       (long long)design->setup->variants_count, given);
}

static enum error check_owner(const struct flag_call *call, const char *id,
                              const struct owner *owner, const struct flag_document *document)
{
    const struct experiment_payload *design = project_payload(owner->payload, call->arena);
    enum error error;

    if (owner->archived)
        return problem_set(call->problem, ERROR_INVALID, "project_archived",
                           "Project is archived; restore it first");
    error = design ? check_variants(call, design, document->settings.variants.count) : ERROR_NONE;
    if (error)
        return error;
    return design && document->enabled && !document->settings.fixed_variation.given
               ? flag_check_layer(call, id, design)
               : ERROR_NONE;
}

/* The round has one of the places. */
static enum error check_dimensions(const struct flag_call *call, const char *id,
                                   const struct flag_document *document)
{
    const struct adaptive_call rounds = {call->db, call->arena, call->problem};
    struct adaptive adaptive = {0};
    enum error error = ERROR_NONE;

    if (document->settings.dimensions.count == FLAG_DIMENSIONS_MAX)
        error = adaptive_find(&rounds, id, 0, &adaptive);
    if (error || !adaptive.found)
        return error;
    return problem_set(call->problem, ERROR_INVALID, "adaptive_dimensions",
                       "dimensions: the experiment is adaptive, and its round takes the place of "
                       "one of %d",
                       FLAG_DIMENSIONS_MAX);
}

enum error flag_lock(const struct flag_call *call)
{
    return db_lock(call->db, "flags", call->problem);
}

enum error flag_check_design(const struct flag_call *call, const char *experiment_id,
                             const char *document)
{
    const struct experiment_payload *design;
    bool found = false;
    struct flag flag;
    enum error error = fetch(call, &read_flag, experiment_id, &flag, &found);

    if (error || !found || !flag.enabled || !flag.settings || flag.settings->fixed_variation.given)
        return error;
    design = project_payload(document, call->arena);
    if (!design)
        return ERROR_NONE;
    error = check_variants(call, design, flag.settings->variants.count);
    return error ? error : flag_check_layer(call, experiment_id, design);
}

/* Under the lock of all flags, so that two writers cannot take the same key. */
static enum error check_key(const struct flag_call *call, const char *id, const char *key)
{
    struct query *query = db_query(call->db, &find_owner);
    bool taken = false;
    enum error error;

    query_bind_text(query, key);
    if (query_next(query))
        taken = strcmp(query_text(query, 0, call->arena), id) != 0;
    error = query_end(query, call->problem);
    if (error || !taken)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "flag_key_taken",
                       "Another project has the key %s", key);
}

static enum error update(const struct flag_call *call, const struct flag_document *document)
{
    struct query *query = db_query(call->db, &update_flag);

    query_bind_text(query, document->key);
    query_bind_boolean(query, document->enabled);
    query_bind_json(query, schema_json(call->arena, FLAG_SETTINGS_BYTES_MAX, &flag_settings_schema,
                                       &document->settings));
    query_bind_text(query, document->updated_at);
    query_bind_text(query, document->experiment_id);
    return query_end(query, call->problem);
}

static void write_before_after(struct json_writer *writer, const char *key, const char *before,
                               const char *after)
{
    writer_key(writer, key);
    writer_open_array(writer);
    writer_string(writer, before);
    writer_string(writer, after);
    writer_close_array(writer);
}

/* Key and state of the flag as a difference of the audit log. */
static const char *difference(const struct flag_call *call, const struct flag *before,
                              const struct flag_document *after)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, call->arena, 4096);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    write_before_after(&writer, "flag.key", before->key, after->key);
    write_before_after(&writer, "flag.enabled", before->enabled ? "true" : "false",
                       after->enabled ? "true" : "false");
    writer_close_object(&writer);
    return text.bytes;
}

const char *flag_version(const char *updated_at)
{
    return updated_at ? updated_at : FLAG_NEVER_SET;
}

/* A document that was read before the guard held the ramp says that it goes on. */
static bool lets_ramp_go_on(const struct flag *before, const struct flag_document *document)
{
    return before->settings && before->settings->ramp_held_at.given &&
           !document->settings.ramp_held_at.given && document->settings.ramp.count > 0;
}

static enum error check_match(const struct flag_call *call, const char *if_match,
                              const struct flag *before, const struct flag_document *document)
{
    const char *version = flag_version(before->updated_at);

    if (!if_match && lets_ramp_go_on(before, document))
        return problem_set(call->problem, ERROR_CONFLICT, "flag_conflict",
                           "ramp_held_at: the ramp is held at step %lld; to let it go on, read the "
                           "flag and send its ETag as If-Match",
                           (long long)before->settings->ramp_held_at.value);
    if (!if_match || strcmp(if_match, "*") == 0 || project_names_version(if_match, version))
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_CONFLICT, "flag_conflict",
                       "The flag has changed since it was read: its version is %s", version);
}

static enum error write_locked(const struct flag_call *call, const char *id, const char *if_match,
                               struct flag_document *document)
{
    struct owner owner = {0};
    struct flag before;
    enum error error = flag_lock(call);

    if (!error)
        error = lock(call, id, &owner);
    if (!error)
        error = check_owner(call, id, &owner, document);
    if (!error)
        error = check_dimensions(call, id, document);
    if (!error) /* there is one, unless the project was not added by the service */
        error = project_add_slug(call->db, call->arena, id, owner.name, call->problem);
    if (!error)
        error = flag_read(call, id, &before);
    if (!error)
        error = check_match(call, if_match, &before, document);
    if (error)
        return error;
    document->experiment_id = id;
    document->updated_at = store_now(call->arena);
    if (!document->key)
        document->key = before.key;
    error = check_key(call, id, document->key);
    if (!error)
        error = update(call, document);
    if (error)
        return error;
    return audit_record(call->db, call->arena, call->actor,
                        &(struct audit_event){.action = "flag.update",
                                              .project_id = id,
                                              .project_name = owner.name,
                                              .diff = difference(call, &before, document)},
                        call->problem);
}

enum error flag_write(const struct flag_call *call, const char *experiment_id, const char *if_match,
                      struct flag_document *document)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error
                 : db_finish(call->db, write_locked(call, experiment_id, if_match, document),
                             call->problem);
}

static enum error take_back_locked(const struct flag_call *call, const char *id, int64_t now,
                                   bool *taken)
{
    struct flag_document document = {0};
    struct owner owner = {0};
    struct flag flag;
    int64_t step;
    enum error error = lock(call, id, &owner);

    if (!error)
        error = flag_read(call, id, &flag);
    if (error || !flag.settings || flag.settings->ramp_held_at.given)
        return error;
    step = flag_ramp_step(flag.settings, now);
    if (step < 0)
        return ERROR_NONE;
    document = (struct flag_document){.experiment_id = id,
                                      .key = flag.key,
                                      .enabled = flag.enabled,
                                      .settings = *flag.settings,
                                      .updated_at = store_now(call->arena)};
    document.settings.ramp_held_at = GIVEN_INTEGER(step - 1);
    *taken = true;
    error = update(call, &document);
    if (error)
        return error;
    return audit_record(call->db, call->arena, call->actor,
                        &(struct audit_event){.action = "flag.ramp_back",
                                              .project_id = id,
                                              .project_name = owner.name},
                        call->problem);
}

enum error flag_take_ramp_back(const struct flag_call *call, const char *experiment_id, int64_t now,
                               bool *taken)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    *taken = false;
    return error ? error
                 : db_finish(call->db, take_back_locked(call, experiment_id, now, taken),
                             call->problem);
}
