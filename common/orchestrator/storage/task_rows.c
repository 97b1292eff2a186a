/* Rows of tasks, steps and events into structs. */
#include "orchestrator/storage/task_rows.h"

#include <string.h>

static int word_of(struct query *query, int column, struct arena *arena, const char *const *names)
{
    return name_find(names, query_text_or_null(query, column, arena));
}

void task_read_row(struct query *query, struct arena *arena, struct task_record *task)
{
    *task = (struct task_record){
        .task_id = query_text(query, 0, arena),
        .status = word_of(query, 1, arena, run_status_names),
        .accepted_at = query_text(query, 2, arena),
        .completed_at = query_text_or_null(query, 3, arena),
        .duration_ms = query_optional_integer(query, 4),
        .prompt = query_text(query, 5, arena),
        .reasoning = query_boolean(query, 6),
        .execution_mode = word_of(query, 7, arena, execution_mode_names),
        .dry_run = query_boolean(query, 8),
        .model_count = query_integer(query, 9),
        .quorum = query_integer(query, 10),
        .merge_strategy = word_of(query, 11, arena, merge_strategy_names),
        .adapter_hint = word_of(query, 12, arena, adapter_hint_names),
        .cancel_on_quorum = query_boolean(query, 13),
        .failure_code = word_of(query, 14, arena, failure_code_names),
        .failure_message = query_text_or_null(query, 15, arena),
        .output_text = query_text_or_null(query, 16, arena),
        .metadata = query_text(query, 17, arena),
        .retry_of_task_id = query_text_or_null(query, 18, arena),
        .session_id = query_text_or_null(query, 19, arena),
        .was_decomposed = query_boolean(query, 20),
        .subtask_count = query_integer(query, 21),
        .decompose = query_boolean(query, 22),
    };
}

void step_read_row(struct query *query, struct arena *arena, struct step_record *step)
{
    *step = (struct step_record){
        .task_id = query_text(query, 0, arena),
        .step_index = query_integer(query, 1),
        .model_id = query_text(query, 2, arena),
        .model_display_name = query_text(query, 3, arena),
        .backend = word_of(query, 4, arena, backend_names),
        .provider = query_text(query, 5, arena),
        .status = word_of(query, 6, arena, run_status_names),
        .failure_code = word_of(query, 7, arena, failure_code_names),
        .failure_message = query_text_or_null(query, 8, arena),
        .output_text = query_text_or_null(query, 9, arena),
        .duration_ms = query_optional_integer(query, 10),
        .input_tokens = query_optional_integer(query, 11),
        .output_tokens = query_optional_integer(query, 12),
        .cost_usd = query_optional_number(query, 13),
        .executed_model_id = query_text_or_null(query, 14, arena),
        .started_at = query_text_or_null(query, 15, arena),
        .completed_at = query_text_or_null(query, 16, arena),
    };
}

void event_read_row(struct query *query, struct arena *arena, struct event_record *event)
{
    *event = (struct event_record){
        .event_id = query_text(query, 0, arena),
        .task_id = query_text(query, 1, arena),
        .sequence_no = query_integer(query, 2),
        .event_type = word_of(query, 3, arena, event_type_names),
        .created_at = query_text(query, 4, arena),
        .payload = query_text(query, 5, arena),
    };
}

/* Room for one more item: doubled whenever the count is a power of two. */
static void *grow(struct arena *arena, void *items, size_t count, size_t size)
{
    void *larger;

    if (count & (count - 1))
        return items;
    larger = arena_alloc_array(arena, count ? count * 2 : 1, size);
    if (count)
        memcpy(larger, items, count * size);
    return larger;
}

struct task_record *task_list_add(struct arena *arena, struct task_list *list)
{
    list->items = grow(arena, list->items, list->count, sizeof *list->items);
    return &list->items[list->count++];
}

struct step_record *step_list_add(struct arena *arena, struct step_list *list)
{
    list->items = grow(arena, list->items, list->count, sizeof *list->items);
    return &list->items[list->count++];
}

struct event_record *event_list_add(struct arena *arena, struct event_list *list)
{
    list->items = grow(arena, list->items, list->count, sizeof *list->items);
    return &list->items[list->count++];
}
