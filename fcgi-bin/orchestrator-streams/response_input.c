/* Items of /v1/responses, out of JSON. */
#include "orchestrator-streams/response_input.h"

#include "base/list.h"
#include "orchestrator-streams/part.h"
#include "orchestrator-streams/response_body.h"
#include "orchestrator-streams/template_use.h"
#include "orchestrator/service.h"
#include "orchestrator/storage/response_store.h"

#include <string.h>

enum { ITEMS_MAX = 10000, TEXT_MAX = 8 << 20, INPUT_MAX = 64 << 20, DEPTH_MAX = 60 };

static const char signed_mark[] = "signed:", sealed_mark[] = "sealed:";

/* The messages while items are read. Calls and thoughts in a row belong to one message. */
struct reading {
    struct arena *arena;
    struct request *request;
    const char *owner;
    struct message_list {
        size_t count;
        struct llm_message *items;
    } messages;
    struct call_list {
        size_t count;
        struct llm_tool_call *items;
    } calls;
    struct thought_list {
        size_t count;
        struct llm_thought *items;
    } thoughts;
};

const char *response_seal(struct arena *arena, const struct llm_thought *thought)
{
    if (thought->sealed)
        return arena_print(arena, "%s%s", sealed_mark, thought->sealed);
    return thought->signature ? arena_print(arena, "%s%s", signed_mark, thought->signature) : NULL;
}

/* Ends the message of the assistant that calls and thoughts are collected for. */
static void end_assistant(struct reading *reading)
{
    struct llm_message *last =
        reading->messages.count ? &reading->messages.items[reading->messages.count - 1] : NULL;

    if (!reading->calls.count && !reading->thoughts.count)
        return;
    if (!last || strcmp(last->role, "assistant") != 0 || last->tool_call_count) {
        last = LIST_ADD(reading->arena, &reading->messages);
        *last = (struct llm_message){.role = "assistant"};
    }
    last->tool_calls = reading->calls.items;
    last->tool_call_count = reading->calls.count;
    if (reading->thoughts.count) {
        last->thoughts = reading->thoughts.items;
        last->thought_count = reading->thoughts.count;
    }
    reading->calls = (struct call_list){0};
    reading->thoughts = (struct thought_list){0};
}

/* A text, or a list of parts; parts of text alone become one text. */
static bool read_content(struct arena *arena, const json_t *content, struct llm_message *message)
{
    size_t count = json_array_size(content);
    struct llm_part *parts = ARENA_ARRAY(arena, struct llm_part, count);
    bool has_more = false;
    struct text text;

    message->content = json_string_value(content);
    if (!json_is_array(content))
        return message->content != NULL;
    text_start(&text, arena, TEXT_MAX);
    for (size_t i = 0; i < count; i++) {
        const json_t *json = json_array_get(content, i);
        const char *refusal = json_string_value(json_object_get(json, "refusal"));

        if (refusal)
            parts[i] = (struct llm_part){.text = refusal};
        else if (!part_read(arena, json, &parts[i]))
            return false;
        has_more = has_more || parts[i].kind != LLM_PART_TEXT;
        if (text.length && parts[i].text)
            text_append_byte(&text, '\n');
        if (parts[i].text)
            text_append_string(&text, parts[i].text);
    }
    message->content = text.bytes;
    if (has_more) {
        message->parts = parts;
        message->part_count = count;
    }
    return true;
}

static bool is_role(const char *role)
{
    static const char *const roles[] = {"user", "assistant", "system", "developer"};

    for (size_t i = 0; role && i < COUNT_OF(roles); i++)
        if (strcmp(role, roles[i]) == 0)
            return true;
    return false;
}

static bool read_message(struct reading *reading, const json_t *item)
{
    struct llm_message message = {.role = json_string_value(json_object_get(item, "role"))};

    if (!is_role(message.role) ||
        !read_content(reading->arena, json_object_get(item, "content"), &message))
        return false;
    if (strcmp(message.role, "assistant") == 0 && !reading->calls.count) {
        message.thoughts = reading->thoughts.items;
        message.thought_count = reading->thoughts.count;
        reading->thoughts = (struct thought_list){0};
    }
    end_assistant(reading);
    *LIST_ADD(reading->arena, &reading->messages) = message;
    return true;
}

static bool read_call(struct reading *reading, const json_t *item)
{
    struct llm_tool_call call = {.id = json_string_value(json_object_get(item, "call_id")),
                                 .name = json_string_value(json_object_get(item, "name")),
                                 .arguments =
                                     json_string_value(json_object_get(item, "arguments"))};

    if (!call.id || !call.name || !call.arguments)
        return false;
    *LIST_ADD(reading->arena, &reading->calls) = call;
    return true;
}

static bool read_call_output(struct reading *reading, const json_t *item)
{
    struct llm_message message = {
        .role = "tool", .tool_call_id = json_string_value(json_object_get(item, "call_id"))};

    if (!message.tool_call_id ||
        !read_content(reading->arena, json_object_get(item, "output"), &message))
        return false;
    end_assistant(reading);
    *LIST_ADD(reading->arena, &reading->messages) = message;
    return true;
}

/* The texts of a summary, or of the whole thought. */
static const char *thought_text(struct arena *arena, const json_t *list)
{
    const char *all = NULL;

    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_object_get(json_array_get(list, i), "text"));

        if (text)
            all = all ? arena_print(arena, "%s\n%s", all, text) : text;
    }
    return all;
}

static bool read_thought(struct reading *reading, const json_t *item)
{
    const char *seal = json_string_value(json_object_get(item, "encrypted_content"));
    const char *text = thought_text(reading->arena, json_object_get(item, "content"));
    struct llm_thought *thought = LIST_ADD(reading->arena, &reading->thoughts);

    if (!text)
        text = thought_text(reading->arena, json_object_get(item, "summary"));
    *thought = (struct llm_thought){.text = text};
    if (seal && strncmp(seal, signed_mark, sizeof signed_mark - 1) == 0)
        thought->signature = seal + sizeof signed_mark - 1;
    if (seal && strncmp(seal, sealed_mark, sizeof sealed_mark - 1) == 0)
        thought->sealed = seal + sizeof sealed_mark - 1;
    return true;
}

static bool read_item(struct reading *reading, const json_t *item);

/* Ids of items contain that of the task of their answer: fc_TASK_0, msg_TASK_in_0. */
static const char *response_of(struct arena *arena, const char *item_id)
{
    const char *task = item_id ? strchr(item_id, '_') : NULL;
    const char *end = task ? strchr(task + 1, '_') : NULL;

    return end ? arena_print(arena, "resp_%.*s", (int)(end - task - 1), task + 1) : NULL;
}

static const json_t *find_item(struct arena *arena, const char *json, const char *member,
                               const char *id)
{
    struct json_fault fault;
    json_t *document;
    const json_t *items;

    if (json_read(arena, json, strlen(json), DEPTH_MAX, &document, &fault))
        return NULL;
    items = member ? json_object_get(document, member) : document;
    for (size_t i = 0; i < json_array_size(items); i++) {
        const char *known = json_string_value(json_object_get(json_array_get(items, i), "id"));

        if (known && strcmp(known, id) == 0)
            return json_array_get(items, i);
    }
    return NULL;
}

/* An item of a stored answer, by its id. */
static bool read_reference(struct reading *reading, const json_t *item)
{
    const char *id = json_string_value(json_object_get(item, "id"));
    const char *response_id = response_of(reading->arena, id);
    struct problem problem = {0};
    struct stored_response stored;
    const char *type;
    const json_t *found;
    struct db *db;

    if (!response_id || service_database(reading->request, &db) ||
        response_find(db, reading->arena, reading->owner, response_id, &stored, &problem))
        return false;
    found = find_item(reading->arena, stored.answer, "output", id);
    if (!found)
        found = find_item(reading->arena, stored.input, NULL, id);
    type = json_string_value(json_object_get(found, "type"));
    return found && !(type && strcmp(type, "item_reference") == 0) && read_item(reading, found);
}

static bool read_item(struct reading *reading, const json_t *item)
{
    static const struct {
        const char *type;
        bool (*read)(struct reading *reading, const json_t *item);
    } kinds[] = {{"message", read_message},
                 {"function_call", read_call},
                 {"function_call_output", read_call_output},
                 {"reasoning", read_thought},
                 {"item_reference", read_reference}};
    const char *type = json_string_value(json_object_get(item, "type"));

    if (!type)
        return read_message(reading, item);
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (strcmp(type, kinds[i].type) == 0)
            return kinds[i].read(reading, item);
    return false;
}

static enum error read_input(struct request *request, struct reading *reading, const json_t *input)
{
    if (json_is_string(input)) {
        end_assistant(reading);
        *LIST_ADD(reading->arena, &reading->messages) =
            (struct llm_message){.role = "user", .content = json_string_value(input)};
        return ERROR_NONE;
    }
    if (!json_array_size(input) || json_array_size(input) > ITEMS_MAX)
        return request_fault(request, "body", "input", "value_error",
                             "input should be text, or a list of 1 to 10000 items");
    for (size_t i = 0; i < json_array_size(input); i++)
        if (!read_item(reading, json_array_get(input, i)))
            return request_fault(request, "body", arena_print(request->arena, "input.%zu", i),
                                 "value_error",
                                 "this should be a message, a function_call with its output, "
                                 "reasoning, or a reference to a stored one, of parts of text, "
                                 "images and files");
    end_assistant(reading);
    return ERROR_NONE;
}

/* What was stored by this service is read again. */
static void read_stored(struct reading *reading, const char *json, const char *member)
{
    struct json_fault fault;
    json_t *document;
    const json_t *items;

    if (json_read(reading->arena, json, strlen(json), DEPTH_MAX, &document, &fault))
        return;
    items = member ? json_object_get(document, member) : document;
    for (size_t i = 0; i < json_array_size(items); i++)
        (void)read_item(reading, json_array_get(items, i));
}

static enum error read_chain(struct request *request, const char *owner, struct reading *reading)
{
    const struct response_body *body = request->body;
    const struct stored_response *rows;
    struct object_list chain;
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error = response_chain(db, request->arena, owner, body->previous_response_id, &chain,
                               &request->problem);
    if (error)
        return service_storage_error(request, error, "get_response");
    rows = chain.items;
    if (!chain.count || rows[0].previous_id)
        return request_fault(request, "body", "previous_response_id", "value_error",
                             chain.count ? "an answer that this one builds on was deleted"
                                         : "Previous response not found");
    for (size_t i = 0; i < chain.count; i++) {
        read_stored(reading, rows[i].input, NULL);
        read_stored(reading, rows[i].answer, "output");
        end_assistant(reading);
    }
    return ERROR_NONE;
}

static bool is_given(const json_t *value)
{
    return value && !json_is_null(value);
}

/* The messages of the prompt of the request, if it has one. */
static enum error read_prompt(struct request *request, struct reading *reading,
                              struct gateway_call *call)
{
    const struct response_body *body = request->body;
    const struct template_reference prompt = {body->prompt, "prompt", "id"};
    const json_t *messages = NULL;
    enum error error;

    if (!is_given(body->prompt))
        return ERROR_NONE;
    error = prompt_template_use(request, &prompt, NULL, &messages, &call->template_version);
    for (size_t i = 0; !error && i < json_array_size(messages); i++)
        if (!read_message(reading, json_array_get(messages, i)))
            error =
                request_fault(request, "body", "prompt", "value_error", "this template is damaged");
    return error;
}

enum error response_read_items(struct request *request, const char *owner,
                               struct gateway_call *call)
{
    struct llm_request *conversation = &call->request;
    const struct response_body *body = request->body;
    struct reading reading = {.arena = request->arena, .request = request, .owner = owner};
    enum error error;

    if (body->instructions)
        *LIST_ADD(reading.arena, &reading.messages) =
            (struct llm_message){.role = "system", .content = body->instructions};
    error = read_prompt(request, &reading, call);
    if (!error && body->previous_response_id)
        error = read_chain(request, owner, &reading);
    if (!error && !is_given(body->input) && !is_given(body->prompt))
        error = request_fault(request, "body", "input", "missing", "Field required");
    if (!error && is_given(body->input))
        error = read_input(request, &reading, body->input);
    conversation->messages = reading.messages.items;
    conversation->message_count = reading.messages.count;
    return error;
}

/* An item with an id of its own before its members. */
static void write_item(struct json_writer *writer, const json_t *item, const char *id)
{
    const char *key;
    json_t *value;

    writer_open_object(writer);
    if (!json_object_get(item, "id"))
        writer_key_string(writer, "id", id);
    if (!json_object_get(item, "type"))
        writer_key_string(writer, "type", "message");
    json_object_foreach((json_t *)item, key, value)
    {
        writer_key(writer, key);
        writer_value(writer, value);
    }
    writer_close_object(writer);
}

const char *response_input(struct arena *arena, const json_t *input, const char *response_id)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, INPUT_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    if (json_is_string(input)) {
        writer_open_object(&writer);
        writer_key_string(&writer, "id", arena_print(arena, "msg_%s_in_0", response_id + 5));
        writer_key_string(&writer, "type", "message");
        writer_key_string(&writer, "role", "user");
        writer_key(&writer, "content");
        writer_value(&writer, input);
        writer_close_object(&writer);
    }
    for (size_t i = 0; i < json_array_size(input); i++)
        write_item(&writer, json_array_get(input, i),
                   arena_print(arena, "msg_%s_in_%zu", response_id + 5, i));
    writer_close_array(&writer);
    return text.overflowed ? "[]" : text.bytes;
}
