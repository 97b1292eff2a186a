/* Reading stored tasks back into what answers show. */
#include "orchestrator/task_view.h"

#include <string.h>

static json_t *read(struct arena *arena, const char *json)
{
    struct json_fault fault;
    json_t *value = NULL;

    return json_read(arena, json, strlen(json), JSON_DEPTH_LIMIT, &value, &fault) ? NULL : value;
}

static struct object_list planned(struct arena *arena, const json_t *payload)
{
    const json_t *steps = json_object_get(json_object_get(payload, "execution_plan"), "steps");
    size_t count = json_array_size(steps);
    struct model_name *names = ARENA_ARRAY(arena, struct model_name, count + 1);

    for (size_t i = 0; i < count; i++) {
        const json_t *step = json_array_get(steps, i);
        const char *id = json_string_value(json_object_get(step, "model_id"));
        const char *name = json_string_value(json_object_get(step, "display_name"));

        names[i] =
            (struct model_name){.id = id ? id : "unknown", .display_name = name ? name : "unknown"};
    }
    return (struct object_list){count, names};
}

static struct object_list from_steps(struct arena *arena, const struct step_record *steps,
                                     size_t count)
{
    struct model_name *names = ARENA_ARRAY(arena, struct model_name, count + 1);

    for (size_t i = 0; i < count; i++)
        names[i] = (struct model_name){.id = steps[i].model_id,
                                       .display_name = steps[i].model_display_name};
    return (struct object_list){count, names};
}

static void read_end(struct arena *arena, const struct event_record *event,
                     struct task_summary *summary)
{
    json_t *payload = read(arena, event->payload);
    const json_t *winner = json_object_get(payload, "winning_step_index");
    const char *reason = json_string_value(json_object_get(
        payload, event->event_type == EVENT_TASK_CANCELLED ? "reason" : "cancel_reason"));

    if (json_is_integer(winner))
        summary->winning_step = GIVEN_INTEGER(json_integer_value(winner));
    summary->winning_model_id = json_string_value(json_object_get(payload, "winning_model_id"));
    summary->cancelled_steps = json_object_get(payload, "cancelled_steps");
    summary->cancel_reason = reason;
    summary->details = json_object_get(payload, "details");
}

void task_summary_read(struct arena *arena, const struct event_record *events, size_t count,
                       const struct step_record *steps, size_t step_count,
                       struct task_summary *summary)
{
    *summary = (struct task_summary){0};
    for (size_t i = 0; i < count; i++) {
        if (events[i].event_type == EVENT_TASK_ACCEPTED)
            summary->requested_models = planned(arena, read(arena, events[i].payload));
        else if (events[i].event_type == EVENT_TASK_COMPLETED ||
                 events[i].event_type == EVENT_TASK_FAILED ||
                 events[i].event_type == EVENT_TASK_CANCELLED)
            read_end(arena, &events[i], summary);
    }
    if (!summary->requested_models.count)
        summary->requested_models = from_steps(arena, steps, step_count);
}

const char *task_adapter(struct arena *arena, const struct task_record *task,
                         const struct step_record *steps, size_t count)
{
    static const int order[] = {RUN_SUCCEEDED, RUN_FAILED};
    const char *name = NULL;

    if (task->dry_run)
        return "dry_run";
    for (size_t tier = 0; !name && tier < COUNT_OF(order); tier++) {
        for (size_t i = 0; i < count; i++) {
            const char *own =
                arena_print(arena, "%s.%s", backend_names[steps[i].backend], steps[i].provider);

            if (steps[i].status != order[tier])
                continue;
            if (name && strcmp(name, own) != 0)
                return "multi";
            name = own;
        }
    }
    if (!name && count)
        return arena_print(arena, "%s.%s", backend_names[steps[0].backend], steps[0].provider);
    return name ? name : "unknown";
}

const struct model_name *task_winner(struct arena *arena, const struct task_record *task,
                                     const struct task_summary *summary,
                                     const struct step_record *steps, size_t count)
{
    struct model_name *name;

    if (task->dry_run || task->status != RUN_SUCCEEDED ||
        (task->merge_strategy != MERGE_FIRST_SUCCESS && task->model_count > 1))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (steps[i].status != RUN_SUCCEEDED ||
            (summary->winning_step.given && steps[i].step_index != summary->winning_step.value))
            continue;
        name = ARENA_NEW(arena, struct model_name);
        *name = (struct model_name){.id = steps[i].model_id,
                                    .display_name = steps[i].model_display_name};
        return name;
    }
    return NULL;
}
