/* Imports a snapshot: reads and validates everything before the first row changes. */
#include "orchestrator/snapshot/snapshot.h"

#include "base/string_list.h"
#include "crypto/token.h"
#include "orchestrator/storage/times.h"
#include "text/fold.h"

#include <string.h>

/* Limits above any real task: sums of durations and costs rely on them. */
enum {
    MODELS_MOST = 1000, /* also for subtasks, and the number of models of a quorum */
    STEPS_MOST = 100000,
    TOKENS_MOST = 1000000000, /* of a step */
    USD_MOST = 1000000        /* of a step */
};
#define EVENTS_MOST INT64_C(1000000000)
#define MILLISECONDS_MOST (INT64_C(366) * 24 * 3600 * 1000)

/* One JSON object being read; its first error is stored. */
struct reading {
    struct arena *arena;
    const json_t *object;
    const char *position; /* of the object in the snapshot */
    const char *task_id;
    const char *blamed; /* the path of the invalid member */
    struct problem *problem;
    enum error error;
};

static void blame_for(struct reading *reading, const char *key, const char *why)
{
    if (reading->error)
        return;
    reading->blamed = arena_print(reading->arena, "%s.%s", reading->position, key);
    reading->error = problem_set(reading->problem, ERROR_INVALID, "snapshot_invalid",
                                 "task %s: %s %s", reading->task_id, reading->blamed, why);
}

static void blame(struct reading *reading, const char *key)
{
    blame_for(reading, key, "is wrong");
}

static void blame_range(struct reading *reading, const char *key, int64_t least, int64_t most)
{
    blame_for(reading, key,
              arena_print(reading->arena, "does not lie between %lld and %lld", (long long)least,
                          (long long)most));
}

static const char *text(struct reading *reading, const char *key, bool required)
{
    const json_t *value = json_object_get(reading->object, key);

    if (json_is_string(value))
        return json_string_value(value);
    if (required || (value && !json_is_null(value)))
        blame(reading, key);
    return required ? "" : NULL;
}

static struct optional_integer integer(struct reading *reading, const char *key, int64_t least,
                                       int64_t most)
{
    const json_t *value = json_object_get(reading->object, key);

    if (!value || json_is_null(value))
        return (struct optional_integer){0};
    if (!json_is_number(value))
        blame(reading, key);
    else if (!json_is_integer(value) || json_integer_value(value) < least ||
             json_integer_value(value) > most)
        blame_range(reading, key, least, most);
    return GIVEN_INTEGER(json_integer_value(value));
}

static int64_t required_integer(struct reading *reading, const char *key, int64_t least,
                                int64_t most)
{
    struct optional_integer value = integer(reading, key, least, most);

    if (!value.given)
        blame(reading, key);
    return value.value;
}

static struct optional_number dollars(struct reading *reading, const char *key)
{
    const json_t *value = json_object_get(reading->object, key);

    if (!value || json_is_null(value))
        return (struct optional_number){0};
    if (!json_is_number(value))
        blame(reading, key);
    else if (json_number_value(value) < 0 || json_number_value(value) > USD_MOST)
        blame_range(reading, key, 0, USD_MOST);
    return GIVEN_NUMBER(json_number_value(value));
}

static bool boolean(struct reading *reading, const char *key, bool preset)
{
    const json_t *value = json_object_get(reading->object, key);

    if (json_is_boolean(value))
        return json_is_true(value);
    if (value && !json_is_null(value))
        blame(reading, key);
    return preset;
}

static int word(struct reading *reading, const char *key, int found, bool required)
{
    const json_t *value = json_object_get(reading->object, key);

    if (found < 0 && (required || (value && !json_is_null(value))))
        blame(reading, key);
    return found < 0 && required ? 0 : found;
}

static struct optional_integer timestamp(struct reading *reading, const char *key, bool required)
{
    const char *given = text(reading, key, required);
    struct optional_integer time = {.given = given != NULL};

    if (given && !read_time(given, &time.value))
        blame(reading, key);
    return time;
}

static const char *object_text(struct reading *reading, const char *key)
{
    const json_t *value = json_object_get(reading->object, key);
    struct json_writer writer;
    struct text out;

    if (!json_is_object(value)) {
        blame(reading, key);
        return "{}";
    }
    text_start(&out, reading->arena, SNAPSHOT_BYTES_MAX);
    writer_start(&writer, &out);
    writer_value(&writer, value);
    return out.bytes;
}

static void own_task(struct reading *reading)
{
    const char *id = text(reading, "task_id", true);

    if (strcmp(id, reading->task_id) != 0)
        blame_for(reading, "task_id", "is another task's");
}

static struct task_record read_task(struct reading *reading)
{
    struct task_record task = {
        .task_id = text(reading, "task_id", true),
        .accepted_at = timestamp(reading, "accepted_at", true).value,
        .completed_at = timestamp(reading, "completed_at", false),
        .duration_ms = integer(reading, "duration_ms", 0, MILLISECONDS_MOST),
        .prompt = text(reading, "prompt", true),
        .reasoning = boolean(reading, "reasoning", false),
        .dry_run = boolean(reading, "dry_run", true),
        .model_count = required_integer(reading, "model_count", 0, MODELS_MOST),
        .quorum = required_integer(reading, "quorum", 0, MODELS_MOST),
        .cancel_on_quorum = boolean(reading, "cancel_on_quorum", true),
        .failure_message = text(reading, "failure_message", false),
        .output_text = text(reading, "output_text", false),
        .metadata = object_text(reading, "metadata"),
        .retry_of_task_id = text(reading, "retry_of_task_id", false),
        .session_id = text(reading, "session_id", false),
        .was_decomposed = boolean(reading, "was_decomposed", false),
        .subtask_count = integer(reading, "subtask_count", 0, MODELS_MOST).value,
        .decompose = boolean(reading, "decompose", true)};

    task.status = word(reading, "status", status_find(text(reading, "status", true)), true);
    task.execution_mode = word(reading, "execution_mode",
                               execution_mode_find(text(reading, "execution_mode", true)), true);
    task.merge_strategy =
        word(reading, "merge_strategy",
             name_find(merge_strategy_names, text(reading, "merge_strategy", true)), true);
    task.adapter_hint =
        word(reading, "adapter_hint",
             name_find(adapter_hint_names, text(reading, "adapter_hint", true)), true);
    task.failure_code =
        word(reading, "failure_code",
             name_find(failure_code_names, text(reading, "failure_code", false)), false);
    task.prompt_folded = text_fold(reading->arena, task.prompt);
    return task;
}

static struct step_record read_step(struct reading *reading)
{
    struct step_record step = {.step_index = required_integer(reading, "step_index", 0, STEPS_MOST),
                               .model_id = text(reading, "model_id", true),
                               .model_display_name = text(reading, "model_display_name", true),
                               .provider = text(reading, "provider", true),
                               .failure_message = text(reading, "failure_message", false),
                               .output_text = text(reading, "output_text", false),
                               .duration_ms = integer(reading, "duration_ms", 0, MILLISECONDS_MOST),
                               .input_tokens = integer(reading, "input_tokens", 0, TOKENS_MOST),
                               .output_tokens = integer(reading, "output_tokens", 0, TOKENS_MOST),
                               .cost_usd = dollars(reading, "cost_usd"),
                               .executed_model_id = text(reading, "executed_model_id", false),
                               .started_at = timestamp(reading, "started_at", false),
                               .completed_at = timestamp(reading, "completed_at", false)};

    own_task(reading);
    step.backend =
        word(reading, "backend", name_find(backend_names, text(reading, "backend", true)), true);
    step.status = word(reading, "status", status_find(text(reading, "status", true)), true);
    step.failure_code =
        word(reading, "failure_code",
             name_find(failure_code_names, text(reading, "failure_code", false)), false);
    return step;
}

static struct event_record read_event(struct reading *reading)
{
    struct event_record event = {.event_id = text(reading, "event_id", true),
                                 .sequence_no =
                                     required_integer(reading, "sequence_no", 1, EVENTS_MOST),
                                 .created_at = timestamp(reading, "created_at", true).value,
                                 .payload = object_text(reading, "payload")};

    own_task(reading);
    event.event_type = word(reading, "event_type",
                            name_find(event_type_names, text(reading, "event_type", true)), true);
    return event;
}

static void read_steps(struct reading *reading, const char *position, const json_t *steps,
                       struct step_list *list)
{
    list->items = ARENA_ARRAY(reading->arena, struct step_record, json_array_size(steps));
    for (size_t i = 0; !reading->error && i < json_array_size(steps); i++) {
        reading->object = json_array_get(steps, i);
        reading->position = arena_print(reading->arena, "%s.steps[%zu]", position, i);
        list->items[list->count++] = read_step(reading);
        for (size_t j = 0; j < i; j++)
            if (list->items[j].step_index == list->items[i].step_index)
                blame_for(reading, "step_index", "is there twice");
    }
}

static void read_events(struct reading *reading, const char *position, const json_t *events,
                        struct event_list *list)
{
    list->items = ARENA_ARRAY(reading->arena, struct event_record, json_array_size(events));
    for (size_t i = 0; !reading->error && i < json_array_size(events); i++) {
        reading->object = json_array_get(events, i);
        reading->position = arena_print(reading->arena, "%s.events[%zu]", position, i);
        list->items[list->count++] = read_event(reading);
        for (size_t j = 0; j < i; j++)
            if (list->items[j].sequence_no == list->items[i].sequence_no)
                blame_for(reading, "sequence_no", "is there twice");
    }
}

static enum error read_bundle(struct arena *arena, const json_t *json, size_t number,
                              struct task_bundle *bundle, struct snapshot_import *import,
                              struct problem *problem)
{
    const json_t *steps = json_object_get(json, "steps"), *events = json_object_get(json, "events");
    const char *position = arena_print(arena, "tasks[%zu]", number);
    struct reading reading = {.arena = arena,
                              .object = json_object_get(json, "task"),
                              .position = arena_print(arena, "%s.task", position),
                              .task_id = "(one)",
                              .problem = problem};
    const char *id = json_string_value(json_object_get(reading.object, "task_id"));

    if (id)
        reading.task_id = id;
    bundle->task = read_task(&reading);
    if (!token_is_uuid(bundle->task.task_id))
        blame(&reading, "task_id");
    reading.position = position;
    if (!json_is_array(steps))
        blame(&reading, "steps");
    if (!json_is_array(events))
        blame(&reading, "events");
    read_steps(&reading, position, steps, &bundle->steps);
    read_events(&reading, position, events, &bundle->events);
    import->blamed = reading.blamed;
    return reading.error;
}

static bool is_wanted(const struct snapshot_import *import, const char *id)
{
    return !import->task_ids.count || string_list_has(&import->task_ids, id);
}

static bool has_task(const struct task_bundle *bundles, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(bundles[i].task.task_id, id) == 0)
            return true;
    return false;
}

static enum error write_all(struct db *db, const struct task_bundle *bundles, size_t count,
                            const struct snapshot_import *import, struct problem *problem)
{
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    for (size_t i = 0; !error && i < count; i++) {
        if (import->report)
            import->report(import->context, "importing", i, count);
        error = task_replace(db, &bundles[i], problem);
    }
    return db_finish(db, error, problem);
}

enum error snapshot_import(struct arena *arena, struct db *db, const json_t *snapshot,
                           struct snapshot_import *import, struct problem *problem)
{
    const json_t *tasks = json_object_get(snapshot, "tasks");
    struct task_bundle *bundles = ARENA_ARRAY(arena, struct task_bundle, json_array_size(tasks));
    size_t count = 0;
    enum error error = ERROR_NONE;

    import->replaced.items = ARENA_ARRAY(arena, const char *, json_array_size(tasks) + 1);
    import->missing.items = ARENA_ARRAY(arena, const char *, import->task_ids.count + 1);
    for (size_t i = 0; !error && i < json_array_size(tasks); i++) {
        struct task_bundle *bundle = &bundles[count];

        *bundle = (struct task_bundle){0};
        error = read_bundle(arena, json_array_get(tasks, i), i, bundle, import, problem);
        if (error)
            return error;
        if (has_task(bundles, count, bundle->task.task_id))
            return problem_set(problem, ERROR_INVALID, "snapshot_invalid", "task %s is there twice",
                               bundle->task.task_id);
        if (!is_wanted(import, bundle->task.task_id))
            continue;
        import->replaced.items[import->replaced.count++] = bundle->task.task_id;
        import->steps += (int64_t)bundle->steps.count;
        import->events += (int64_t)bundle->events.count;
        count++;
    }
    import->tasks = (int64_t)count;
    for (size_t i = 0; i < import->task_ids.count; i++)
        if (!has_task(bundles, count, import->task_ids.items[i]))
            import->missing.items[import->missing.count++] = import->task_ids.items[i];
    return error || import->dry_run ? error : write_all(db, bundles, count, import, problem);
}
