/* Checks a snapshot: its manifest against its content. */
#include "orchestrator/snapshot/snapshot.h"

#include "base/string_list.h"

#include <string.h>

static const char verified[] = "verified", mismatch[] = "mismatch", derived[] = "derived",
                  missing[] = "missing", unknown[] = "unknown", current[] = "current";

static const char *word_for(bool present, bool right, const char *absent)
{
    if (!present)
        return absent;
    return right ? verified : mismatch;
}

static const char *count_word(const json_t *snapshot, const char *key, int64_t found)
{
    const json_t *value = json_object_get(snapshot, key);

    return word_for(value, json_is_integer(value) && json_integer_value(value) == found, derived);
}

static bool equal_lists(const json_t *stated, const struct string_list *found)
{
    if (!json_is_array(stated) || json_array_size(stated) != found->count)
        return false;
    for (size_t i = 0; i < found->count; i++) {
        const char *text = json_string_value(json_array_get(stated, i));

        if (!text || strcmp(text, found->items[i]) != 0)
            return false;
    }
    return true;
}

static void count_bundles(struct arena *arena, const json_t *tasks, struct snapshot_checks *checks)
{
    checks->tasks = (int64_t)json_array_size(tasks);
    checks->exported.items = ARENA_ARRAY(arena, const char *, json_array_size(tasks) + 1);
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        const json_t *bundle = json_array_get(tasks, i);
        const char *id =
            json_string_value(json_object_get(json_object_get(bundle, "task"), "task_id"));

        checks->exported.items[checks->exported.count++] = id ? id : "";
        checks->steps += (int64_t)json_array_size(json_object_get(bundle, "steps"));
        checks->events += (int64_t)json_array_size(json_object_get(bundle, "events"));
    }
}

/* Selected ids that were not exported, in the order of the selection. */
static struct string_list missing_of(struct arena *arena, const json_t *selected,
                                     const struct string_list *exported)
{
    struct string_list list = {.items =
                                   ARENA_ARRAY(arena, const char *, json_array_size(selected) + 1)};

    for (size_t i = 0; i < json_array_size(selected); i++) {
        const char *id = json_string_value(json_array_get(selected, i));

        if (id && !string_list_has(exported, id) && !string_list_has(&list, id))
            list.items[list.count++] = id;
    }
    return list;
}

/* With ids: no limit, the same ids as exported and missing, exported ones in their order. Without:
 * a limit that was kept. */
static const char *check_selection(const json_t *selection, const struct snapshot_checks *checks)
{
    const json_t *ids = json_object_get(selection, "task_ids");
    const json_t *limit = json_object_get(selection, "limit");
    size_t position = 0;

    if (!selection)
        return missing;
    if (!json_is_array(ids))
        return mismatch;
    if (!json_array_size(ids))
        return json_is_integer(limit) && json_integer_value(limit) >= 1 &&
                       checks->tasks <= json_integer_value(limit)
                   ? verified
                   : mismatch;
    if (limit && !json_is_null(limit))
        return mismatch;
    for (size_t i = 0; i < json_array_size(ids); i++) {
        const char *id = json_string_value(json_array_get(ids, i));

        if (id && position < checks->exported.count &&
            strcmp(id, checks->exported.items[position]) == 0)
            position++;
    }
    return position == checks->exported.count ? verified : mismatch;
}

static const char *check_migration(const json_t *snapshot, const struct string_list *known)
{
    const json_t *stated = json_object_get(snapshot, "migration");

    if (!stated)
        return unknown;
    return string_list_has(known, json_string_value(stated)) ? current : mismatch;
}

static const char *check_format(const json_t *snapshot)
{
    const json_t *stated = json_object_get(snapshot, "snapshot_format_version");

    if (!stated)
        return unknown;
    return json_is_integer(stated) && json_integer_value(stated) == SNAPSHOT_VERSION ? current
                                                                                     : mismatch;
}

/* A snapshot may lack its digest, but an unknown member may be the digest with a damaged name. */
static bool has_strange_field(const json_t *snapshot)
{
    static const char *const names[] = {"status",
                                        "snapshot_format_version",
                                        "orch_version",
                                        "migration",
                                        "generated_at",
                                        "backend",
                                        "selection",
                                        "health",
                                        "schema",
                                        "task_count",
                                        "step_count",
                                        "event_count",
                                        "exported_task_ids",
                                        "missing_task_ids",
                                        "tasks"};
    static const struct string_list known = {.items = (const char **)(uintptr_t)names,
                                             .count = sizeof names / sizeof names[0]};
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)snapshot, key,
                        value) if (!string_list_has(&known, key)) return true;
    return false;
}

static const char *check_digest(const json_t *snapshot, const char *digest)
{
    const json_t *stated = json_object_get(snapshot, "snapshot_sha256");
    const char *text = json_string_value(stated);

    if (!stated)
        return has_strange_field(snapshot) ? mismatch : missing;
    return text && strcmp(text, digest) == 0 ? verified : mismatch;
}

void snapshot_check(struct arena *arena, const json_t *snapshot,
                    const struct string_list *known_migrations, struct snapshot_checks *checks)
{
    const json_t *tasks = json_object_get(snapshot, "tasks");
    const json_t *selection = json_object_get(snapshot, "selection");
    const json_t *status = json_object_get(snapshot, "status");
    const char *words[7];
    struct string_list gone;
    bool sound = json_is_array(tasks);

    *checks = (struct snapshot_checks){0};
    count_bundles(arena, tasks, checks);
    snapshot_digest(arena, snapshot, checks->digest);
    gone = missing_of(arena, json_object_get(selection, "task_ids"), &checks->exported);
    checks->not_exported = gone;
    checks->checksum = check_digest(snapshot, checks->digest);
    checks->format = check_format(snapshot);
    checks->migration = check_migration(snapshot, known_migrations);
    words[0] = checks->task_count = count_word(snapshot, "task_count", checks->tasks);
    words[1] = checks->step_count = count_word(snapshot, "step_count", checks->steps);
    words[2] = checks->event_count = count_word(snapshot, "event_count", checks->events);
    words[3] = checks->exported_task_ids = word_for(
        json_object_get(snapshot, "exported_task_ids"),
        equal_lists(json_object_get(snapshot, "exported_task_ids"), &checks->exported), derived);
    words[4] = checks->missing_task_ids =
        word_for(json_object_get(snapshot, "missing_task_ids"),
                 equal_lists(json_object_get(snapshot, "missing_task_ids"), &gone), derived);
    words[5] = checks->status_consistency =
        word_for(status,
                 json_is_string(status) &&
                     strcmp(json_string_value(status), gone.count ? "partial" : "ok") == 0,
                 missing);
    words[6] = checks->selection = check_selection(selection, checks);
    for (size_t i = 0; i < 7; i++)
        sound = sound && words[i] != mismatch;
    checks->manifest = sound ? verified : mismatch;
    checks->import_ready = sound && checks->checksum != mismatch && checks->format != mismatch &&
                           checks->migration != mismatch;
}
