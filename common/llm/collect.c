/* Builds an answer from a whole body or from stream chunks, and passes pieces of a stream on. */
#include "base/list.h"
#include "llm/compose_internal.h"

#include <ctype.h>
#include <string.h>

static struct choice_build *add_choice(struct llm_collected *collected)
{
    struct choice_build *choice = ARENA_NEW(collected->arena, struct choice_build);

    choice->position = collected->choice_count;
    text_start(&choice->text, collected->arena, collected->maximum);
    text_start(&choice->refusal, collected->arena, LLM_REFUSAL_MAX);
    text_start(&choice->logprobs, collected->arena, LLM_LOGPROBS_MAX);
    collected->choices[collected->choice_count++] = choice;
    return choice;
}

void collect_start(struct llm_collected *collected, struct arena *arena, enum llm_protocol protocol,
                   const struct llm_request *request, size_t maximum)
{
    *collected = (struct llm_collected){.arena = arena, .request = request, .maximum = maximum};
    collected->ends_calls_with_stop = protocol == LLM_OLLAMA || protocol == LLM_GEMINI;
    collected->has_answer_tool =
        request && protocol == LLM_ANTHROPIC && compose_answer_schema(arena, request) != NULL;
    add_choice(collected);
}

struct choice_build *collect_choice(struct llm_collected *collected, const json_t *index)
{
    int64_t wanted = json_is_integer(index) ? json_integer_value(index) : 0;

    if (wanted < 0 || wanted >= LLM_CHOICES_MAX)
        return NULL;
    while (collected->choice_count <= (size_t)wanted)
        add_choice(collected);
    return collected->choices[wanted];
}

/* Gives a piece to the receiver of the stream. */
static void pass_on(struct llm_collected *collected, const struct llm_delta *delta)
{
    const struct llm_request *request = collected->request;

    if (!collected->streams || collected->enough)
        return;
    if (request->on_delta)
        collected->enough = !request->on_delta(delta, request->context);
    else if (delta->kind == LLM_DELTA_TEXT && !delta->choice && delta->length)
        collected->enough = !request->on_text(delta->text, delta->length, request->context);
}

static void keep_logprobs(struct choice_build *choice, const json_t *logprobs)
{
    const json_t *content = json_object_get(logprobs, "content");

    for (size_t i = 0; i < json_array_size(content); i++) {
        if (choice->logprobs.length)
            text_append_byte(&choice->logprobs, ',');
        collect_json(&choice->logprobs, json_array_get(content, i));
    }
}

/* The open thought of a choice. */
static struct thought_build *current_thought(struct llm_collected *collected,
                                             struct choice_build *choice)
{
    struct thought_build *last =
        choice->thought_count ? &choice->thoughts[choice->thought_count - 1] : NULL;

    return last && !last->sealed && !last->signature ? last : collect_thought(collected, choice);
}

void collect_piece(struct llm_collected *collected, struct choice_build *choice,
                   enum llm_delta_kind kind, const json_t *value, const json_t *logprobs)
{
    const char *text = json_string_value(value);
    size_t length = json_string_length(value);
    struct thought_build *thought;

    keep_logprobs(choice, logprobs);
    if (!text || !length)
        return;
    if (kind == LLM_DELTA_TEXT) {
        text_append(&choice->text, text, length);
    } else if (kind == LLM_DELTA_REFUSAL) {
        text_append(&choice->refusal, text, length);
    } else {
        thought = current_thought(collected, choice);
        if (!thought)
            return;
        text_append(&thought->text, text, length);
    }
    pass_on(collected, &(struct llm_delta){.kind = kind,
                                           .choice = choice->position,
                                           .text = text,
                                           .length = length,
                                           .logprobs = logprobs});
}

struct thought_build *collect_thought(struct llm_collected *collected, struct choice_build *choice)
{
    struct thought_build *thought;

    if (choice->thought_count == LLM_THOUGHTS_MAX)
        return NULL;
    thought = ARRAY_ADD(collected->arena, choice->thoughts, choice->thought_count);
    text_start(&thought->text, collected->arena, collected->maximum);
    return thought;
}

void collect_signature(struct llm_collected *collected, struct choice_build *choice,
                       const json_t *signature)
{
    struct thought_build *thought;

    if (!json_string_length(signature))
        return;
    thought = current_thought(collected, choice);
    if (!thought)
        return;
    collect_words(collected, &thought->signature, signature);
    pass_on(collected, &(struct llm_delta){.kind = LLM_DELTA_SIGNATURE,
                                           .choice = choice->position,
                                           .text = thought->signature,
                                           .length = strlen(thought->signature)});
}

void collect_sealed(struct llm_collected *collected, struct choice_build *choice,
                    const json_t *sealed)
{
    struct thought_build *thought =
        json_is_string(sealed) ? collect_thought(collected, choice) : NULL;

    if (!thought)
        return;
    collect_words(collected, &thought->sealed, sealed);
    pass_on(collected, &(struct llm_delta){.kind = LLM_DELTA_SEALED,
                                           .choice = choice->position,
                                           .text = thought->sealed,
                                           .length = strlen(thought->sealed)});
}

struct tool_build *collect_tool(struct llm_collected *collected, struct choice_build *choice)
{
    int64_t index = (int64_t)choice->tool_count;
    struct tool_build *tool;

    if (choice->tool_count == LLM_TOOL_CALLS_MAX)
        return NULL;
    tool = ARRAY_ADD(collected->arena, choice->tools, choice->tool_count);
    *tool = (struct tool_build){.index = index, .id = "", .name = ""};
    text_start(&tool->arguments, collected->arena, LLM_ARGUMENTS_MAX);
    return tool;
}

/* Whether a chunk has a value that differs from the known one. A chunk without a value does not. */
static bool differs(const char *known, const json_t *told)
{
    const char *word = json_string_value(told);

    return word && *word && *known && strcmp(word, known) != 0;
}

static bool has_words(const json_t *value)
{
    return json_is_string(value) && json_string_length(value) > 0;
}

struct tool_build *collect_tool_piece(struct llm_collected *collected, struct choice_build *choice,
                                      int64_t index, const json_t *id, const json_t *name)
{
    struct tool_build *tool = NULL;

    for (size_t i = choice->tool_count; i > 0 && !tool; i--) {
        struct tool_build *known = &choice->tools[i - 1];

        if (index < 0 ? !differs(known->id, id) : known->index == index)
            tool = known;
    }
    if (tool && !differs(tool->id, id) && (has_words(id) || !differs(tool->name, name)))
        return tool;
    tool = collect_tool(collected, choice);
    if (tool && index >= 0)
        tool->index = index;
    return tool;
}

void collect_call(struct llm_collected *collected, struct choice_build *choice,
                  struct tool_build *tool, const json_t *id, const json_t *name,
                  const json_t *arguments)
{
    size_t before;

    if (!tool)
        return;
    if (has_words(id))
        tool->id = arena_copy_string(collected->arena, json_string_value(id));
    if (has_words(name))
        tool->name = arena_copy_string(collected->arena, json_string_value(name));
    if (json_is_string(arguments))
        text_append_string(&tool->arguments, json_string_value(arguments));
    else if (json_is_object(arguments))
        collect_json(&tool->arguments, arguments);
    before = tool->passed_on;
    if (!*tool->name || (tool->is_known && before == tool->arguments.length))
        return; /* a receiver needs the name first */
    tool->passed_on = tool->arguments.length;
    tool->is_known = true;
    pass_on(collected, &(struct llm_delta){.kind = LLM_DELTA_TOOL_CALL,
                                           .choice = choice->position,
                                           .text = tool->arguments.bytes + before,
                                           .length = tool->arguments.length - before,
                                           .tool_index = (size_t)(tool - choice->tools),
                                           .tool_id = tool->id,
                                           .tool_name = tool->name});
}

void collect_json(struct text *out, const json_t *value)
{
    struct json_writer writer;

    writer_start(&writer, out);
    writer_value(&writer, value);
}

void collect_words(struct llm_collected *collected, const char **word, const json_t *value)
{
    if (json_is_string(value))
        *word = arena_copy_string(collected->arena, json_string_value(value));
}

static bool is_blank(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return !*text;
}

static const struct llm_tool_call *calls_of(struct arena *arena, const struct choice_build *choice)
{
    struct llm_tool_call *calls = ARENA_ARRAY(arena, struct llm_tool_call, choice->tool_count);

    for (size_t i = 0; i < choice->tool_count; i++)
        calls[i] = (struct llm_tool_call){.id = choice->tools[i].id,
                                          .name = choice->tools[i].name,
                                          .arguments = choice->tools[i].arguments.bytes};
    return calls;
}

static const struct llm_thought *thoughts_of(struct arena *arena, const struct choice_build *choice)
{
    struct llm_thought *thoughts = ARENA_ARRAY(arena, struct llm_thought, choice->thought_count);

    for (size_t i = 0; i < choice->thought_count; i++)
        thoughts[i] = (struct llm_thought){
            .text = choice->thoughts[i].sealed ? NULL : choice->thoughts[i].text.bytes,
            .signature = choice->thoughts[i].signature,
            .sealed = choice->thoughts[i].sealed};
    return thoughts;
}

/* The call of the answer tool ends a choice like text does. */
static const char *finish_of(const struct llm_collected *collected,
                             const struct choice_build *choice)
{
    const char *finish = finish_name(choice->finish);
    bool calls = choice->tool_count > 0;

    if (collected->ends_calls_with_stop && calls && finish && strcmp(finish, "stop") == 0)
        return "tool_calls";
    if (collected->has_answer_tool && !calls && finish && strcmp(finish, "tool_calls") == 0)
        return "stop";
    return finish;
}

static struct llm_choice choice_of(const struct llm_collected *collected,
                                   const struct choice_build *choice)
{
    struct arena *arena = collected->arena;

    return (struct llm_choice){
        .text = choice->text.bytes,
        .length = choice->text.length,
        .tool_calls = calls_of(arena, choice),
        .tool_call_count = choice->tool_count,
        .finish = finish_of(collected, choice),
        .stopped_by = choice->stopped_by,
        .refusal = choice->refusal.length ? choice->refusal.bytes : NULL,
        .thoughts = thoughts_of(arena, choice),
        .thought_count = choice->thought_count,
        .logprobs =
            choice->logprobs.length
                ? arena_print(arena, "{\"content\":[%s],\"refusal\":null}", choice->logprobs.bytes)
                : NULL};
}

void collect_finish(struct llm_collected *collected, struct llm_answer *answer)
{
    struct llm_choice *choices =
        ARENA_ARRAY(collected->arena, struct llm_choice, collected->choice_count);

    for (size_t i = 0; i < collected->choice_count; i++)
        choices[i] = choice_of(collected, collected->choices[i]);
    answer->choices = choices;
    answer->choice_count = collected->choice_count;
    answer->text = choices[0].text;
    answer->length = choices[0].length;
    answer->tool_calls = choices[0].tool_calls;
    answer->tool_call_count = choices[0].tool_call_count;
    answer->finish = choices[0].finish;
    answer->refusal = choices[0].refusal;
    answer->model = collected->model;
    answer->service_tier = collected->service_tier;
    answer->fault = collected->fault;
    answer->usage = collect_sum(collected);
    answer->result = is_blank(answer->text) && !answer->tool_call_count ? LLM_EMPTY : LLM_ANSWERED;
}
