/* Request bodies of Anthropic's protocol. */
#include "llm/compose_internal.h"

#include <string.h>

enum {
    ANTHROPIC_TOKENS_MAX = 4096, /* the protocol requires a limit */
    THINKING_TOKENS_MIN = 1024
};

static void write_text_block(const struct composition *composition, const char *text,
                             const json_t *more)
{
    writer_open_object(composition->writer);
    writer_key_string(composition->writer, "type", "text");
    writer_key_string(composition->writer, "text", text);
    compose_more(composition, more);
    writer_close_object(composition->writer);
}

static void write_source(struct json_writer *writer, const struct llm_part *part)
{
    bool is_text = part->media_type && strcmp(part->media_type, "text/plain") == 0 && part->text;

    writer_key(writer, "source");
    writer_open_object(writer);
    writer_key_string(writer, "type", is_text ? "text" : part->data ? "base64" : "url");
    if (is_text || part->data)
        writer_key_string(writer, "media_type", part->media_type);
    if (is_text || part->data)
        writer_key_string(writer, "data", is_text ? part->text : part->data);
    else
        writer_key_string(writer, "url", part->url);
    writer_close_object(writer);
}

static void write_part(const struct composition *composition, const struct llm_part *part)
{
    struct json_writer *writer = composition->writer;

    if (part->kind == LLM_PART_TEXT) {
        write_text_block(composition, part->text, part->more);
        return;
    }
    writer_open_object(writer);
    writer_key_string(writer, "type", part->kind == LLM_PART_IMAGE ? "image" : "document");
    write_source(writer, part);
    if (part->kind == LLM_PART_FILE && part->name)
        writer_key_string(writer, "title", part->name);
    compose_more(composition, part->more);
    writer_close_object(writer);
}

static void write_thoughts(struct json_writer *writer, const struct llm_message *message)
{
    for (size_t i = 0; i < message->thought_count; i++) {
        const struct llm_thought *thought = &message->thoughts[i];

        if (!thought->sealed && !thought->signature)
            continue; /* of another provider; Anthropic accepts only its own */
        writer_open_object(writer);
        writer_key_string(writer, "type", thought->sealed ? "redacted_thinking" : "thinking");
        if (thought->sealed) {
            writer_key_string(writer, "data", thought->sealed);
        } else {
            writer_key_string(writer, "thinking", thought->text ? thought->text : "");
            writer_key_string(writer, "signature", thought->signature);
        }
        writer_close_object(writer);
    }
}

static void write_result(const struct composition *composition, const struct llm_message *message)
{
    struct json_writer *writer = composition->writer;

    writer_open_object(writer);
    writer_key_string(writer, "type", "tool_result");
    writer_key_string(writer, "tool_use_id", message->tool_call_id);
    writer_key(writer, "content");
    if (message->part_count) {
        writer_open_array(writer);
        for (size_t i = 0; i < message->part_count; i++)
            write_part(composition, &message->parts[i]);
        writer_close_array(writer);
    } else {
        writer_string(writer, message->content ? message->content : "");
    }
    if (message->is_error)
        writer_key_boolean(writer, "is_error", true);
    compose_more(composition, message->more);
    writer_close_object(writer);
}

static void write_blocks(const struct composition *composition, const struct llm_message *message)
{
    struct json_writer *writer = composition->writer;

    if (message->tool_call_id) {
        write_result(composition, message);
        return;
    }
    write_thoughts(writer, message);
    for (size_t i = 0; i < message->part_count; i++)
        write_part(composition, &message->parts[i]);
    if (!message->part_count && message->content && *message->content)
        write_text_block(composition, message->content, NULL);
    for (size_t i = 0; i < message->tool_call_count; i++) {
        writer_open_object(writer);
        writer_key_string(writer, "type", "tool_use");
        writer_key_string(writer, "id", message->tool_calls[i].id);
        writer_key_string(writer, "name", message->tool_calls[i].name);
        writer_key(writer, "input");
        compose_json(composition, message->tool_calls[i].arguments);
        writer_close_object(writer);
    }
}

/* Messages hold content blocks when there is more than text. */
static bool has_blocks(const struct llm_message *message)
{
    return message->tool_call_count || message->tool_call_id || message->part_count ||
           message->thought_count;
}

/* Results of parallel calls belong into one message. */
static void write_messages(const struct composition *composition)
{
    const struct llm_request *request = composition->request;
    struct json_writer *writer = composition->writer;
    bool open = false; /* a message of tool results */

    writer_key(writer, "messages");
    writer_open_array(writer);
    for (size_t i = 0; i < request->message_count; i++) {
        const struct llm_message *message = &request->messages[i];

        if (compose_is_system(message))
            continue;
        if (open && !message->tool_call_id) {
            writer_close_array(writer);
            writer_close_object(writer);
            open = false;
        }
        if (!open) {
            writer_open_object(writer);
            writer_key_string(writer, "role", message->tool_call_id ? "user" : message->role);
            writer_key(writer, "content");
        }
        if (has_blocks(message)) {
            if (!open)
                writer_open_array(writer);
            write_blocks(composition, message);
            open = message->tool_call_id != NULL;
            if (!open)
                writer_close_array(writer);
        } else {
            writer_string(writer, message->content ? message->content : "");
        }
        if (!open)
            writer_close_object(writer);
    }
    if (open) {
        writer_close_array(writer);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

/* Whether the conversation is in the middle of calls of tools whose thoughts were lost: Anthropic
 * refuses to think on then. */
static bool lacks_thoughts(const struct llm_request *request)
{
    for (size_t i = request->message_count; i-- > 0;) {
        const struct llm_message *message = &request->messages[i];

        if (message->tool_call_count)
            return message->thought_count == 0;
        if (!message->tool_call_id)
            return false;
    }
    return false;
}

static int64_t budget_of(const struct composition *composition)
{
    const struct llm_request *request = composition->request;

    return request->thinking || !lacks_thoughts(request) ? compose_thinking_budget(request) : -1;
}

static void write_choice(const struct composition *composition, bool has_answer_tool)
{
    const struct llm_request *request = composition->request;
    struct optional_boolean parallel = request->parallel_tool_calls;
    struct json_writer *writer = composition->writer;
    const char *word, *name;

    compose_tool_choice(composition->arena, request, &word, &name);
    if (has_answer_tool && budget_of(composition) <= 0 && !name) {
        if (!request->tool_count || (word && strcmp(word, "none") == 0))
            name = LLM_ANSWER_TOOL;
        else
            word = "required";
    }
    if (!word && !name && parallel.given)
        word = "auto";
    if (!word && !name)
        return;
    writer_key(writer, "tool_choice");
    writer_open_object(writer);
    writer_key_string(writer, "type", name ? "tool" : strcmp(word, "required") == 0 ? "any" : word);
    if (name)
        writer_key_string(writer, "name", name);
    if (parallel.given && (name || strcmp(word, "none") != 0))
        writer_key_boolean(writer, "disable_parallel_tool_use", !parallel.value);
    writer_close_object(writer);
}

static void write_tools(const struct composition *composition)
{
    const struct llm_request *request = composition->request;
    const json_t *answer_schema = compose_answer_schema(composition->arena, request);
    struct json_writer *writer = composition->writer;

    if (!request->tool_count && !answer_schema)
        return;
    writer_key(writer, "tools");
    writer_open_array(writer);
    for (size_t i = 0; i < request->tool_count; i++) {
        writer_open_object(writer);
        writer_key_string(writer, "name", request->tools[i].name);
        if (request->tools[i].description)
            writer_key_string(writer, "description", request->tools[i].description);
        writer_key(writer, "input_schema");
        writer_raw(writer, request->tools[i].parameters);
        if (request->tools[i].strict.value)
            writer_key_boolean(writer, "strict", true);
        compose_more(composition, request->tools[i].more);
        writer_close_object(writer);
    }
    if (answer_schema) {
        writer_open_object(writer);
        writer_key_string(writer, "name", LLM_ANSWER_TOOL);
        writer_key_string(writer, "description", "Gives the answer to the user.");
        writer_key(writer, "input_schema");
        writer_value(writer, answer_schema);
        writer_close_object(writer);
    }
    writer_close_array(writer);
    write_choice(composition, answer_schema != NULL);
}

/* The thoughts count as part of the answer, so the limit grows with them unless it was asked for.
 */
static void write_limits(const struct composition *composition, int64_t budget)
{
    const struct llm_request *request = composition->request;
    struct json_writer *writer = composition->writer;
    int64_t most = composition->provider->max_tokens;

    if (!most)
        most = ANTHROPIC_TOKENS_MAX;
    if (budget > 0)
        most += budget;
    if (request->max_tokens.given)
        most = request->max_tokens.value;
    writer_key_integer(writer, "max_tokens", most);
    if (request->temperature.given)
        writer_key_number(writer, "temperature", request->temperature.value);
    if (request->top_p.given)
        writer_key_number(writer, "top_p", request->top_p.value);
    if (request->top_k.given)
        writer_key_integer(writer, "top_k", request->top_k.value);
    if (request->stop.count) {
        writer_key(writer, "stop_sequences");
        writer_strings(writer, request->stop.items, request->stop.count);
    }
    if (request->thinking) {
        writer_key(writer, "thinking");
        writer_value(writer, request->thinking);
        return;
    }
    if (budget <= 0)
        return;
    if (budget >= most)
        budget = most - 1 > THINKING_TOKENS_MIN ? most - 1 : THINKING_TOKENS_MIN;
    writer_key(writer, "thinking");
    writer_open_object(writer);
    writer_key_string(writer, "type", "enabled");
    writer_key_integer(writer, "budget_tokens", budget);
    writer_close_object(writer);
}

/* One system prompt, outside the messages; as blocks if it has further members. */
static void write_system(const struct composition *composition)
{
    const struct llm_request *request = composition->request;
    const char *system = compose_system(composition);
    bool has_parts = false;

    for (size_t i = 0; i < request->message_count; i++)
        has_parts = has_parts ||
                    (compose_is_system(&request->messages[i]) && request->messages[i].part_count);
    if (!system)
        return;
    writer_key(composition->writer, "system");
    if (!has_parts) {
        writer_string(composition->writer, system);
        return;
    }
    writer_open_array(composition->writer);
    for (size_t i = 0; i < request->message_count; i++) {
        const struct llm_message *message = &request->messages[i];

        for (size_t j = 0; compose_is_system(message) && j < message->part_count; j++)
            write_text_block(composition, message->parts[j].text, message->parts[j].more);
        if (compose_is_system(message) && !message->part_count && message->content)
            write_text_block(composition, message->content, NULL);
    }
    writer_close_array(composition->writer);
}

static void write_more(const struct composition *composition)
{
    const struct llm_request *request = composition->request;
    struct json_writer *writer = composition->writer;

    if (request->user) {
        writer_key(writer, "metadata");
        writer_open_object(writer);
        writer_key_string(writer, "user_id", request->user);
        writer_close_object(writer);
    }
    if (request->service_tier)
        writer_key_string(writer, "service_tier",
                          strcmp(request->service_tier, "auto") == 0 ? "auto" : "standard_only");
    compose_more(composition, request->more);
    if (request->on_text || request->on_delta)
        writer_key_boolean(writer, "stream", true);
}

void compose_anthropic(const struct composition *composition)
{
    writer_key_string(composition->writer, "model", composition->provider->model);
    write_limits(composition, budget_of(composition));
    write_system(composition);
    write_messages(composition);
    write_tools(composition);
    write_more(composition);
}
