/* The files of experiments. Scalars are written as JSON, which is valid YAML. */
#include "support/candidates/experiment.h"
#include "base/clock.h"
#include "base/yaml.h"
#include "support/programs/data_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 1 << 22, LIST_MOST = 10000, DATE_LENGTH = 10 };

const char experiment_folder[] = "evaluation/experiments",
           experiment_override_path[] = "config/experiment_override.yaml",
           experiment_deployed_path[] = "config/deployed_defaults.yaml";

bool experiment_is_id(const char *text)
{
    size_t length = strlen(text);

    if (length <= DATE_LENGTH + 1 || length > EXPERIMENT_ID_MAX)
        return false;
    for (size_t i = 0; i < length; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9', letter = text[i] >= 'a' && text[i] <= 'z';

        if (i == 4 || i == 7 || i == DATE_LENGTH ? text[i] != '-'
            : i < DATE_LENGTH
                ? !digit
                : !digit && !letter && (text[i] != '-' || text[i - 1] == '-' || i + 1 == length))
            return false;
    }
    return true;
}

const char *experiment_path(struct arena *arena, const struct support_settings *settings,
                            const char *id)
{
    return data_file_path(arena, settings, arena_print(arena, "%s/%s.yaml", experiment_folder, id));
}

static const char *text_of(const json_t *document, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(document, key));

    return text ? text : otherwise;
}

static bool is_status(const char *text)
{
    static const char *const names[] = {"draft", "running", "completed", "deployed", "archived"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], text) == 0)
            return true;
    return false;
}

static const json_t *map_of(const json_t *document, const char *key)
{
    const json_t *map = json_object_get(document, key);

    return json_object_size(map) ? map : NULL;
}

static enum error take(struct arena *arena, const json_t *document, const char *id,
                       struct experiment *experiment, struct problem *problem)
{
    *experiment =
        (struct experiment){.id = text_of(document, "id", ""),
                            .name = text_of(document, "name", ""),
                            .created_at = text_of(document, "created_at", ""),
                            .created_by = text_of(document, "created_by", "system"),
                            .description = text_of(document, "description", ""),
                            .prompts = map_of(document, "prompt_overrides"),
                            .settings = map_of(document, "settings_overrides"),
                            .parent = text_of(document, "parent_experiment_id", NULL),
                            .status = text_of(document, "status", ""),
                            .tags = json_strings(arena, json_object_get(document, "tags"))};
    if (strcmp(experiment->id, id) != 0)
        return problem_set(problem, ERROR_INVALID, "experiment_invalid",
                           "%s.yaml: id must be the name of the file", id);
    if (!is_status(experiment->status))
        return problem_set(problem, ERROR_INVALID, "experiment_invalid",
                           "%s.yaml: status is none of draft, running, completed, deployed, "
                           "archived",
                           id);
    return overlay_check(json_object_get(document, "settings_overrides"),
                         json_object_get(document, "prompt_overrides"), problem);
}

enum error experiment_read(struct arena *arena, const struct support_settings *settings,
                           const char *id, struct experiment *experiment, struct problem *problem)
{
    json_t *document = NULL;
    enum error error = ERROR_NOT_FOUND;

    if (experiment_is_id(id))
        error = yaml_read_file(arena, experiment_path(arena, settings, id), &document, problem);
    if (error == ERROR_NOT_FOUND)
        return problem_set(problem, ERROR_NOT_FOUND, "experiment_not_found",
                           "experiment not found");
    return error ? error : take(arena, document, id, experiment, problem);
}

static void scalar(struct text *out, const json_t *value)
{
    struct json_writer writer;

    writer_start(&writer, out);
    writer_value(&writer, value);
}

void experiment_yaml_text(struct text *out, const char *key, const char *value)
{
    struct json_writer writer;

    text_append_format(out, "%s: ", key);
    writer_start(&writer, out);
    writer_string(&writer, value);
    text_append_byte(out, '\n');
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void experiment_yaml_map(struct text *out, const char *key, const json_t *map)
{
    const char **names = ARENA_ARRAY(out->arena, const char *, json_object_size(map) + 1), *name;
    const json_t *value;
    size_t count = 0;

    text_append_format(out, "%s:%s\n", key, json_object_size(map) ? "" : " {}");
    json_object_foreach((json_t *)map, name, value) names[count++] = name;
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; i++) {
        text_append_format(out, "  %s: ", names[i]);
        scalar(out, json_object_get(map, names[i]));
        text_append_byte(out, '\n');
    }
}

enum error experiment_write(struct arena *arena, const struct support_settings *settings,
                            const struct experiment *experiment, struct problem *problem)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, FILE_MOST);
    experiment_yaml_text(&text, "id", experiment->id);
    experiment_yaml_text(&text, "name", experiment->name);
    experiment_yaml_text(&text, "created_at", experiment->created_at);
    experiment_yaml_text(&text, "created_by", experiment->created_by);
    experiment_yaml_text(&text, "description", experiment->description);
    experiment_yaml_map(&text, "prompt_overrides", experiment->prompts);
    experiment_yaml_map(&text, "settings_overrides", experiment->settings);
    experiment_yaml_text(&text, "parent_experiment_id", experiment->parent);
    experiment_yaml_text(&text, "status", experiment->status);
    text_append_string(&text, "tags: ");
    writer_start(&writer, &text);
    writer_strings(&writer, experiment->tags.items, experiment->tags.count);
    text_append_byte(&text, '\n');
    if (text.overflowed)
        return problem_set(problem, ERROR_TOO_LARGE, "experiment_too_large",
                           "the experiment is too large");
    return data_file_write(arena, experiment_path(arena, settings, experiment->id), text.bytes,
                           text.length, problem);
}

static struct string_list file_names(struct arena *arena, const char *folder)
{
    struct string_list names = {0, ARENA_ARRAY(arena, const char *, LIST_MOST)};
    struct arena_guard *guard = arena_guard(arena, arena_close_directory);
    DIR *directory = guard->thing = opendir(folder);
    const struct dirent *entry;

    while (directory && names.count < LIST_MOST && (entry = readdir(directory))) {
        size_t length = strlen(entry->d_name);

        if (length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0)
            names.items[names.count++] = arena_copy_string(arena, entry->d_name);
    }
    arena_guard_end(guard);
    qsort(names.items, names.count, sizeof *names.items, compare_names);
    return names;
}

enum error experiment_list(struct arena *arena, const struct support_settings *settings,
                           struct object_list *experiments, struct object_list *invalid,
                           struct problem *problem)
{
    const struct string_list names =
        file_names(arena, data_file_path(arena, settings, experiment_folder));
    struct experiment *good = ARENA_ARRAY(arena, struct experiment, names.count + 1);
    struct experiment_invalid *bad = ARENA_ARRAY(arena, struct experiment_invalid, names.count + 1);

    *experiments = (struct object_list){0, good};
    *invalid = (struct object_list){0, bad};
    for (size_t i = 0; i < names.count; i++) {
        const char *id = arena_copy(arena, names.items[i], strlen(names.items[i]) - 5);

        if (!experiment_read(arena, settings, id, &good[experiments->count], problem))
            experiments->count++;
        else
            bad[invalid->count++] = (struct experiment_invalid){
                names.items[i], arena_copy_string(arena, problem->text)};
    }
    return ERROR_NONE;
}

static const char *words_of(struct arena *arena, const char *name)
{
    const char *slug = data_file_slug(arena, name);
    bool any = false;

    for (const char *at = name; *at && !any; at++)
        any =
            (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
    return any ? slug : NULL;
}

/* A map of everything that may be changed, with the current values. */
static const json_t *settings_now(struct arena *arena, const struct overlay *overlay)
{
    struct text text;
    struct json_writer writer;
    struct json_fault fault;
    json_t *map = NULL;

    text_start(&text, arena, FILE_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < overlay_key_count; i++) {
        const json_t *value = overlay_value(arena, overlay, &overlay_keys[i]);

        if (value) {
            writer_key(&writer, overlay_keys[i].name);
            writer_value(&writer, value);
        }
    }
    writer_close_object(&writer);
    return json_read(arena, text.bytes, text.length, 4, &map, &fault) ? NULL : map;
}

static const json_t *prompts_now(struct arena *arena, const struct overlay *overlay)
{
    struct text text;
    struct json_writer writer;
    struct json_fault fault;
    json_t *map = NULL;

    text_start(&text, arena, FILE_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < PROMPT__MAX; i++)
        writer_key_string(&writer, prompt_ids[i], overlay->prompts[i]);
    writer_close_object(&writer);
    return json_read(arena, text.bytes, text.length, 4, &map, &fault) ? NULL : map;
}

/* `below` with the members of `above` replacing its own. */
static const json_t *merged(struct arena *arena, const json_t *below, const json_t *above)
{
    struct text text;
    struct json_writer writer;
    struct json_fault fault;
    json_t *map = NULL;
    const char *name;
    const json_t *value;

    text_start(&text, arena, FILE_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    json_object_foreach((json_t *)below, name, value)
    {
        if (json_object_get(above, name))
            continue;
        writer_key(&writer, name);
        writer_value(&writer, value);
    }
    json_object_foreach((json_t *)above, name, value)
    {
        writer_key(&writer, name);
        writer_value(&writer, value);
    }
    writer_close_object(&writer);
    return json_read(arena, text.bytes, text.length, 8, &map, &fault) ? NULL : map;
}

static enum error take_parent(struct arena *arena, const struct support_settings *settings,
                              const struct experiment_request *request,
                              struct experiment *experiment, struct problem *problem)
{
    struct experiment parent;
    struct overlay overlay;
    enum error error;

    if (strcmp(request->from, "current") == 0) {
        overlay_of_files(arena, settings, &overlay);
        experiment->settings = request->bare ? NULL : settings_now(arena, &overlay);
        experiment->prompts = request->bare ? NULL : prompts_now(arena, &overlay);
        return ERROR_NONE;
    }
    error = experiment_read(arena, settings, request->from, &parent, problem);
    if (error)
        return error;
    experiment->settings = parent.settings;
    experiment->prompts = parent.prompts;
    experiment->parent = parent.id;
    return ERROR_NONE;
}

enum error experiment_new(struct arena *arena, const struct support_settings *settings,
                          const struct experiment_request *request, struct experiment *experiment,
                          struct problem *problem)
{
    char now[CLOCK_TEXT_MAX];
    const char *words = words_of(arena, request->name);
    enum error error;

    if (!words)
        return problem_set(problem, ERROR_INVALID, "experiment_name",
                           "experiment name must contain letters or numbers");
    clock_format(clock_unix_microseconds(), now);
    *experiment = (struct experiment){.id = arena_print(arena, "%.10s-%s", now, words),
                                      .name = request->name,
                                      .created_at = arena_print(arena, "%.19sZ", now),
                                      .created_by = request->created_by,
                                      .description = request->description,
                                      .status = "draft"};
    if (!experiment_is_id(experiment->id))
        return problem_set(problem, ERROR_INVALID, "experiment_name",
                           "experiment name is too long");
    if (data_file_exists(experiment_path(arena, settings, experiment->id)))
        return problem_set(problem, ERROR_CONFLICT, "experiment_exists",
                           "experiment already exists: %s", experiment->id);
    error = take_parent(arena, settings, request, experiment, problem);
    if (!error)
        error = overlay_check(request->settings, request->prompts, problem);
    if (error)
        return error;
    experiment->settings = merged(arena, experiment->settings, request->settings);
    experiment->prompts = merged(arena, experiment->prompts, request->prompts);
    return experiment_write(arena, settings, experiment, problem);
}

const char *experiment_active(struct arena *arena, const struct support_settings *settings)
{
    struct problem problem = {0};
    char *bytes;
    size_t length;
    const char *id;

    if (settings->experiment_id)
        return settings->experiment_id;
    if (data_file_read(arena, data_file_path(arena, settings, settings->experiment_id_file), &bytes,
                       &length, &problem))
        return NULL;
    id = text_trimmed(arena, bytes, strcspn(bytes, "\n"));
    return *id ? id : NULL;
}
