/* Hides personal data of requests, and shows it in answers. */
#include "orchestrator/dispatch/redacted_calls.h"

#include "base/list.h"

#include <string.h>

enum { PIECE_MAX = 64 << 20 };

/* The pieces of one text of an answer. */
struct relayed_text {
    struct llm_delta last; /* whose text it is */
    struct redaction_stream stream;
};

/* Between a call and whoever takes its pieces: the context of the call. */
struct relay {
    struct run *run;
    const struct call_request *wanted;
    size_t count;
    struct relayed_text *items;
};

static bool is_relayed(enum llm_delta_kind kind)
{
    return kind != LLM_DELTA_SIGNATURE && kind != LLM_DELTA_SEALED;
}

static struct relayed_text *text_of(struct relay *relay, const struct llm_delta *delta)
{
    struct relayed_text *item;

    for (size_t i = 0; i < relay->count; i++) {
        const struct llm_delta *last = &relay->items[i].last;

        if (last->choice == delta->choice && last->kind == delta->kind &&
            (delta->kind != LLM_DELTA_TOOL_CALL || last->tool_index == delta->tool_index))
            return &relay->items[i];
    }
    item = LIST_ADD(relay->run->arena, relay);
    item->stream = (struct redaction_stream){.redaction = relay->run->redaction,
                                             .is_json = delta->kind == LLM_DELTA_TOOL_CALL};
    return item;
}

static bool pass_on(const struct relay *relay, struct llm_delta delta, const struct text *text)
{
    delta.text = text->bytes;
    delta.length = text->length;
    return relay->wanted->on_delta(&delta, relay->wanted->context);
}

/* Sends what waits of the texts of a choice that go on no longer: all but those of `kind`. */
static bool end_others(struct relay *relay, size_t choice, int kind)
{
    bool goes_on = true;

    for (size_t i = 0; goes_on && i < relay->count; i++) {
        struct relayed_text *item = &relay->items[i];
        struct text text;

        if (!item->stream.length || item->last.choice != choice || (int)item->last.kind == kind)
            continue;
        text_start(&text, relay->run->arena, PIECE_MAX);
        redaction_stream_end(&item->stream, &text);
        item->last.logprobs = NULL;
        goes_on = pass_on(relay, item->last, &text);
    }
    return goes_on;
}

static bool relay_delta(const struct llm_delta *delta, void *context)
{
    struct relay *relay = context;
    struct relayed_text *item;
    struct text text;

    if (!end_others(relay, delta->choice, (int)delta->kind))
        return false;
    if (!is_relayed(delta->kind))
        return relay->wanted->on_delta(delta, relay->wanted->context);
    item = text_of(relay, delta);
    item->last = *delta;
    if (delta->kind == LLM_DELTA_TOOL_CALL) { /* these live only as long as the piece */
        item->last.tool_id = arena_copy_string(relay->run->arena, delta->tool_id);
        item->last.tool_name = arena_copy_string(relay->run->arena, delta->tool_name);
    }
    text_start(&text, relay->run->arena, PIECE_MAX);
    redaction_stream_take(&item->stream, delta->text, delta->length, &text);
    if (!text.length && delta->length && !delta->logprobs && delta->kind != LLM_DELTA_TOOL_CALL)
        return true;
    return pass_on(relay, *delta, &text);
}

/* What a person may have typed of a request: only texts count, for that is where it stays. */
static void note_typed(struct redaction *redaction, const struct call_request *wanted)
{
    const struct llm_request *request = wanted->request;

    redaction_note_typed(redaction, wanted->prompt);
    for (size_t i = 0; request && i < request->message_count; i++) {
        const struct llm_message *message = &request->messages[i];

        redaction_note_typed(redaction, message->content);
        for (size_t j = 0; j < message->part_count; j++)
            redaction_note_typed(redaction, message->parts[j].text);
        for (size_t j = 0; j < message->tool_call_count; j++)
            redaction_note_typed(redaction, message->tool_calls[j].arguments);
    }
}

static const struct llm_part *hide_parts(const struct run *run, const struct llm_message *message)
{
    struct llm_part *parts = ARENA_ARRAY(run->arena, struct llm_part, message->part_count);

    for (size_t i = 0; i < message->part_count; i++) {
        parts[i] = message->parts[i];
        parts[i].text = redaction_hide(run->redaction, parts[i].text);
        parts[i].name = redaction_hide(run->redaction, parts[i].name);
        parts[i].more = redaction_hide_value(run->redaction, parts[i].more);
    }
    return parts;
}

static const struct llm_tool_call *hide_calls(const struct run *run,
                                              const struct llm_message *message)
{
    struct llm_tool_call *calls =
        ARENA_ARRAY(run->arena, struct llm_tool_call, message->tool_call_count);

    for (size_t i = 0; i < message->tool_call_count; i++) {
        calls[i] = message->tool_calls[i];
        calls[i].arguments = redaction_hide_json(run->redaction, calls[i].arguments, true);
    }
    return calls;
}

static const struct llm_thought *hide_thoughts(const struct run *run,
                                               const struct llm_message *message)
{
    struct llm_thought *thoughts =
        ARENA_ARRAY(run->arena, struct llm_thought, message->thought_count);

    for (size_t i = 0; i < message->thought_count; i++) {
        thoughts[i] = message->thoughts[i];
        thoughts[i].text = redaction_hide(run->redaction, thoughts[i].text);
    }
    return thoughts;
}

static const struct llm_message *hide_messages(const struct run *run,
                                               const struct llm_request *request)
{
    struct llm_message *messages =
        ARENA_ARRAY(run->arena, struct llm_message, request->message_count);

    for (size_t i = 0; i < request->message_count; i++) {
        messages[i] = request->messages[i];
        messages[i].content = redaction_hide(run->redaction, messages[i].content);
        messages[i].parts = hide_parts(run, &request->messages[i]);
        messages[i].tool_calls = hide_calls(run, &request->messages[i]);
        messages[i].thoughts = hide_thoughts(run, &request->messages[i]);
        messages[i].more = redaction_hide_value(run->redaction, messages[i].more);
    }
    return messages;
}

static const struct llm_tool *hide_tools(const struct run *run, const struct llm_request *request)
{
    struct llm_tool *tools = ARENA_ARRAY(run->arena, struct llm_tool, request->tool_count);

    for (size_t i = 0; i < request->tool_count; i++) {
        tools[i] = request->tools[i];
        tools[i].description = redaction_hide(run->redaction, tools[i].description);
        tools[i].parameters = redaction_hide_json(run->redaction, tools[i].parameters, false);
        tools[i].more = redaction_hide_value(run->redaction, tools[i].more);
    }
    return tools;
}

static const struct llm_embedding *hide_embedding(const struct run *run,
                                                  const struct llm_embedding *embedding)
{
    struct llm_embedding *copy;

    if (!embedding)
        return NULL;
    copy = ARENA_NEW(run->arena, struct llm_embedding);
    *copy = *embedding;
    copy->input = redaction_hide_value(run->redaction, embedding->input);
    return copy;
}

static const struct llm_request *hide_request(const struct run *run,
                                              const struct llm_request *request)
{
    struct llm_request *copy;
    const char **stop;

    if (!request)
        return NULL;
    copy = ARENA_NEW(run->arena, struct llm_request);
    *copy = *request;
    copy->messages = hide_messages(run, request);
    copy->tools = hide_tools(run, request);
    copy->embedding = hide_embedding(run, request->embedding);
    copy->response_format = redaction_hide_json(run->redaction, request->response_format, false);
    copy->user = redaction_hide(run->redaction, request->user);
    copy->more = redaction_hide_value(run->redaction, request->more);
    stop = ARENA_ARRAY(run->arena, const char *, request->stop.count);
    for (size_t i = 0; i < request->stop.count; i++)
        stop[i] = redaction_hide(run->redaction, request->stop.items[i]);
    copy->stop.items = stop;
    return copy;
}

const struct call_request *redacted_calls(struct run *run, const struct call_request *requests,
                                          size_t count)
{
    struct call_request *calls;

    if (!run->redaction)
        return requests;
    calls = ARENA_ARRAY(run->arena, struct call_request, count);
    for (size_t i = 0; i < count; i++)
        note_typed(run->redaction, &requests[i]);
    for (size_t i = 0; i < count; i++) {
        struct relay *relay = ARENA_NEW(run->arena, struct relay);

        *relay = (struct relay){.run = run, .wanted = &requests[i]};
        calls[i] = requests[i];
        calls[i].prompt = redaction_hide(run->redaction, requests[i].prompt);
        calls[i].request = hide_request(run, requests[i].request);
        calls[i].on_delta = requests[i].on_delta ? relay_delta : NULL;
        calls[i].context = relay;
    }
    return calls;
}

static const struct llm_tool_call *show_calls(const struct run *run,
                                              const struct llm_tool_call *hidden, size_t count)
{
    struct llm_tool_call *calls = ARENA_ARRAY(run->arena, struct llm_tool_call, count);

    for (size_t i = 0; i < count; i++) {
        calls[i] = hidden[i];
        calls[i].arguments = redaction_show_json(run->redaction, hidden[i].arguments);
    }
    return calls;
}

static void show_choice(const struct run *run, struct llm_choice *choice)
{
    struct llm_thought *thoughts =
        ARENA_ARRAY(run->arena, struct llm_thought, choice->thought_count);

    choice->text = redaction_show(run->redaction, choice->text);
    choice->length = strlen(choice->text);
    choice->refusal = redaction_show(run->redaction, choice->refusal);
    choice->stopped_by = redaction_show(run->redaction, choice->stopped_by);
    choice->tool_calls = show_calls(run, choice->tool_calls, choice->tool_call_count);
    for (size_t i = 0; i < choice->thought_count; i++) {
        thoughts[i] = choice->thoughts[i];
        thoughts[i].text = redaction_show(run->redaction, thoughts[i].text);
    }
    choice->thoughts = thoughts;
}

static void show_result(const struct run *run, struct result *result)
{
    struct llm_choice *choices = ARENA_ARRAY(run->arena, struct llm_choice, result->choice_count);

    result->text = redaction_show(run->redaction, result->text);
    result->refusal = redaction_show(run->redaction, result->refusal);
    result->failure_message = redaction_show(run->redaction, result->failure_message);
    result->tool_calls = show_calls(run, result->tool_calls, result->tool_call_count);
    for (size_t i = 0; i < result->choice_count; i++) {
        choices[i] = result->choices[i];
        show_choice(run, &choices[i]);
    }
    result->choices = choices;
}

void redacted_calls_end(struct run *run, const struct call_request *calls, size_t count,
                        struct result *results)
{
    if (!run->redaction)
        return;
    run->refusal.words.message = redaction_show(run->redaction, run->refusal.words.message);
    for (size_t i = 0; i < count; i++) {
        struct relay *relay = calls[i].context;
        bool goes_on = calls[i].on_delta && !run->was_cancelled;

        for (size_t choice = 0; goes_on && choice < LLM_CHOICES_MAX; choice++)
            goes_on = end_others(relay, choice, -1);
        show_result(run, &results[i]);
    }
}
