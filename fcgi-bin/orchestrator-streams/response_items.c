/* Items of an answer, and the events that tell of them. */
#include "orchestrator-streams/response_items.h"

#include "base/list.h"
#include "orchestrator-streams/response_input.h"

#include <string.h>

enum { TEXT_MAX = 64 << 20, ITEM_MAX = 64 << 20, OUTPUT_MAX = 128 << 20 };

bool response_send(struct response_items *items, const struct schema *schema,
                   struct response_event *event)
{
    event->sequence_number = items->sequence++;
    return event_writer_send(&items->exchange->events, event->type, schema, event);
}

static struct arena *arena_of(const struct response_items *items)
{
    return items->exchange->request->arena;
}

static struct part_row part_of(struct arena *arena, const struct output_item *item, bool whole)
{
    if (item->is_refusal)
        return (struct part_row){.type = "refusal", .refusal = whole ? item->text.bytes : ""};
    return (struct part_row){.type = "output_text",
                             .text = whole ? item->text.bytes : "",
                             .annotations = "[]",
                             .logprobs = whole && item->logprobs.length
                                             ? arena_print(arena, "[%s]", item->logprobs.bytes)
                                             : "[]"};
}

/* An item as it stands: with what has come of it, or as it began. */
static const char *item_json(struct arena *arena, const struct output_item *item, bool whole)
{
    static const struct {
        const char *type;
        const struct schema *schema;
    } kinds[] = {[ITEM_MESSAGE] = {"message", &message_item_schema},
                 [ITEM_CALL] = {"function_call", &call_item_schema},
                 [ITEM_THOUGHT] = {"reasoning", &thought_item_schema}};
    struct part_row part = part_of(arena, item, whole);
    struct summary_row summary = {"summary_text", item->text.bytes};
    struct item_row row = {.id = item->id,
                           .type = kinds[item->kind].type,
                           .status = whole ? "completed" : "in_progress",
                           .role = "assistant",
                           .call_id = item->call_id,
                           .name = item->name,
                           .arguments = whole ? item->text.bytes : "",
                           .encrypted_content = whole ? item->seal : NULL};

    if (whole && item->has_part)
        row.content = (struct object_list){1, &part};
    if (whole && item->text.length)
        row.summary = (struct object_list){1, &summary};
    return schema_json(arena, ITEM_MAX, kinds[item->kind].schema, &row);
}

static struct response_event event_of(const struct response_items *items, const char *type,
                                      const struct output_item *item)
{
    return (struct response_event){
        .type = type, .item_id = item->id, .output_index = item - items->items, .logprobs = "[]"};
}

static void send_item(struct response_items *items, const char *type,
                      const struct output_item *item, bool whole)
{
    struct response_event event = event_of(items, type, item);

    event.item = item_json(arena_of(items), item, whole);
    response_send(items, &item_event_schema, &event);
}

static void send_part(struct response_items *items, const char *type,
                      const struct output_item *item, bool whole)
{
    struct part_row part = part_of(arena_of(items), item, whole);
    struct response_event event = event_of(items, type, item);

    event.part = &part;
    response_send(items, &part_event_schema, &event);
}

static void send_summary_part(struct response_items *items, const char *type,
                              const struct output_item *item, const char *text)
{
    const struct summary_row summary = {"summary_text", text};
    struct response_event event = event_of(items, type, item);

    event.summary_part = &summary;
    response_send(items, &summary_part_schema, &event);
}

static void end_message(struct response_items *items, const struct output_item *item)
{
    struct response_event event = event_of(
        items, item->is_refusal ? "response.refusal.done" : "response.output_text.done", item);

    event.text = event.refusal = item->text.bytes;
    if (item->logprobs.length)
        event.logprobs = arena_print(arena_of(items), "[%s]", item->logprobs.bytes);
    response_send(items, item->is_refusal ? &refusal_done_schema : &text_done_schema, &event);
    send_part(items, "response.content_part.done", item, true);
}

static void end_thought(struct response_items *items, const struct output_item *item)
{
    struct response_event event = event_of(items, "response.reasoning_summary_text.done", item);

    if (!item->has_part)
        return;
    event.text = item->text.bytes;
    response_send(items, &summary_done_schema, &event);
    send_summary_part(items, "response.reasoning_summary_part.done", item, item->text.bytes);
}

static void end_call(struct response_items *items, const struct output_item *item)
{
    struct response_event event = event_of(items, "response.function_call_arguments.done", item);

    event.arguments = item->text.bytes;
    event.name = item->name;
    response_send(items, &arguments_done_schema, &event);
}

static void end_item(struct response_items *items, struct output_item *item)
{
    static void (*const enders[])(struct response_items *, const struct output_item *) = {
        [ITEM_MESSAGE] = end_message, [ITEM_CALL] = end_call, [ITEM_THOUGHT] = end_thought};

    if (item->is_done)
        return;
    item->is_done = true;
    enders[item->kind](items, item);
    send_item(items, "response.output_item.done", item, true);
}

void response_items_end(struct response_items *items)
{
    for (size_t i = 0; i < items->count; i++)
        end_item(items, &items->items[i]);
}

static struct output_item *add_item(struct response_items *items, enum item_kind kind)
{
    static const char *const prefixes[] = {
        [ITEM_MESSAGE] = "msg", [ITEM_CALL] = "fc", [ITEM_THOUGHT] = "rs"};
    struct arena *arena = arena_of(items);
    struct output_item *item;

    if (kind != ITEM_CALL)
        response_items_end(items);
    item = LIST_ADD(arena, items);
    item->kind = kind;
    item->id = arena_print(arena, "%s_%s_%zu", prefixes[kind], items->key, items->count - 1);
    text_start(&item->text, arena, TEXT_MAX);
    text_start(&item->logprobs, arena, TEXT_MAX);
    return item;
}

/* The open item of a kind, which may be a new one. */
static struct output_item *open_item(struct response_items *items, enum item_kind kind,
                                     bool is_refusal)
{
    struct output_item *last = items->count ? &items->items[items->count - 1] : NULL;

    if (last && !last->is_done && last->kind == kind && last->is_refusal == is_refusal)
        return last;
    last = add_item(items, kind);
    last->is_refusal = is_refusal;
    send_item(items, "response.output_item.added", last, false);
    return last;
}

static const char *logprobs_of(struct arena *arena, const json_t *logprobs, struct text *all)
{
    const json_t *content = json_object_get(logprobs, "content");
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, TEXT_MAX);
    for (size_t i = 0; i < json_array_size(content); i++) {
        if (text.length)
            text_append_byte(&text, ',');
        writer_start(&writer, &text);
        writer_value(&writer, json_array_get(content, i));
    }
    if (text.length && all->length)
        text_append_byte(all, ',');
    text_append(all, text.bytes, text.length);
    return arena_print(arena, "[%s]", text.bytes);
}

static bool take_text(struct response_items *items, const struct llm_delta *delta)
{
    bool is_refusal = delta->kind == LLM_DELTA_REFUSAL;
    struct output_item *item = open_item(items, ITEM_MESSAGE, is_refusal);
    struct response_event event =
        event_of(items, is_refusal ? "response.refusal.delta" : "response.output_text.delta", item);

    if (!item->has_part)
        send_part(items, "response.content_part.added", item, false);
    item->has_part = true;
    text_append(&item->text, delta->text, delta->length);
    event.delta = event_writer_piece(&items->exchange->events, delta->text, delta->length);
    if (delta->logprobs)
        event.logprobs = logprobs_of(arena_of(items), delta->logprobs, &item->logprobs);
    return response_send(items, is_refusal ? &refusal_delta_schema : &text_delta_schema, &event);
}

static bool take_thought(struct response_items *items, const struct llm_delta *delta)
{
    struct output_item *item = open_item(items, ITEM_THOUGHT, false);
    struct response_event event = event_of(items, "response.reasoning_summary_text.delta", item);

    if (!item->has_part)
        send_summary_part(items, "response.reasoning_summary_part.added", item, "");
    item->has_part = true;
    text_append(&item->text, delta->text, delta->length);
    event.delta = event_writer_piece(&items->exchange->events, delta->text, delta->length);
    return response_send(items, &summary_delta_schema, &event);
}

/* A signature ends the thought before it, a sealed thought is an item of its own. */
static bool take_seal(struct response_items *items, const struct llm_delta *delta)
{
    struct arena *arena = arena_of(items);
    const char *seal = arena_copy(arena, delta->text, delta->length);
    bool is_sealed = delta->kind == LLM_DELTA_SEALED;
    const struct llm_thought thought = {.signature = is_sealed ? NULL : seal,
                                        .sealed = is_sealed ? seal : NULL};
    struct output_item *item;

    if (is_sealed)
        response_items_end(items);
    item = open_item(items, ITEM_THOUGHT, false);
    item->seal = response_seal(arena, &thought);
    end_item(items, item);
    return true;
}

static struct output_item *call_at(struct response_items *items, const struct llm_delta *delta)
{
    struct output_item *item;

    for (size_t i = 0; i < items->count; i++)
        if (items->items[i].kind == ITEM_CALL && items->items[i].tool_index == delta->tool_index)
            return &items->items[i];
    for (size_t i = 0; i < items->count; i++)
        if (items->items[i].kind != ITEM_CALL)
            end_item(items, &items->items[i]);
    item = add_item(items, ITEM_CALL);
    item->tool_index = delta->tool_index;
    item->name = arena_copy_string(arena_of(items), delta->tool_name);
    item->call_id = arena_copy_string(
        arena_of(items), exchange_tool_id(items->exchange, 0, delta->tool_index, delta->tool_id));
    send_item(items, "response.output_item.added", item, false);
    return item;
}

static bool take_call(struct response_items *items, const struct llm_delta *delta)
{
    struct output_item *item = call_at(items, delta);
    struct response_event event = event_of(items, "response.function_call_arguments.delta", item);

    if (!delta->length)
        return true;
    text_append(&item->text, delta->text, delta->length);
    event.delta = event_writer_piece(&items->exchange->events, delta->text, delta->length);
    return response_send(items, &arguments_delta_schema, &event);
}

bool response_items_take(struct response_items *items, const struct llm_delta *delta)
{
    switch (delta->kind) {
    case LLM_DELTA_THOUGHT:
        return take_thought(items, delta);
    case LLM_DELTA_SIGNATURE:
    case LLM_DELTA_SEALED:
        return take_seal(items, delta);
    case LLM_DELTA_TOOL_CALL:
        return take_call(items, delta);
    default:
        return take_text(items, delta);
    }
}

const char *response_items_json(const struct response_items *items, struct arena *arena)
{
    struct text text;

    text_start(&text, arena, OUTPUT_MAX);
    text_append_byte(&text, '[');
    for (size_t i = 0; i < items->count; i++) {
        if (i)
            text_append_byte(&text, ',');
        text_append_string(&text, item_json(arena, &items->items[i], true));
    }
    text_append_byte(&text, ']');
    return text.bytes;
}
