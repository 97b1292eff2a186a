/* Tools: document lookup, order status, and tickets for humans. */
#include "support/answer/tool_flow.h"
#include "base/json.h"
#include "base/text.h"
#include "support/answer/citations.h"
#include "support/answer/tool_phrases.h"
#include "support/models/prompts.h"

#include <string.h>

enum {
    LOOKED_UP = 3, /* documents per lookup */
    SHOWN_CHARACTERS = 240,
    SUMMARY_CHARACTERS = 120,
    ORDER_DIGITS = 10,
    CALLS_A_TURN = 4, /* tool calls beyond this are not answered */
    TURNS_MAX = 20,
    MESSAGES_MAX = 2 + TURNS_MAX * (1 + CALLS_A_TURN),
    MESSAGE_BYTES = 1 << 16,
    ARGUMENTS_DEPTH = 4,
    QUALITY_EXECUTED = 90,
    QUALITY_TOOL = 85,
    QUALITY_WAITING = 80 /* also for a canceled action and a fallback */
};

static const struct llm_tool tools[] = {
    {"search_kb", "Searches the documents of the support desk.",
     "{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\"}},"
     "\"required\":[\"query\"]}"},
    {"check_order_status", "Says how an order stands.",
     "{\"type\":\"object\",\"properties\":{\"order_id\":{\"type\":\"string\","
     "\"description\":\"Digits only\"}},\"required\":[\"order_id\"]}"},
    {"create_ticket", "Asks a person to take over. The customer is asked to confirm it first.",
     "{\"type\":\"object\",\"properties\":{\"summary\":{\"type\":\"string\"},\"priority\":"
     "{\"type\":\"string\",\"enum\":[\"low\",\"normal\",\"high\"]}},\"required\":[\"summary\"]}"},
};

/* Beginnings of folded words. */
static const char *const ticket_words[] = {"ticket",   "operator", "escalat", "тикет",
                                           "оператор", "эскалац",  NULL};
static const char *const order_words[] = {"order",   "deliver", "status", "заказ",
                                          "доставк", "статус",  NULL};
static const char *const price_words[] = {"deliver", "price", "cost", "доставк",
                                          "цен",     "стоим", NULL};

static bool begins_one_of(const struct word *word, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (strncmp(word->text, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

static bool is_order_id(const char *text)
{
    size_t length = strlen(text);

    return length && length <= ORDER_DIGITS && strspn(text, "0123456789") == length;
}

/* Guesses the requested tool from the words of a question. */
struct wish {
    bool ticket, order, documents;
    const char *order_id; /* NULL = no order number */
    const char *rest;     /* the words that are not about the order itself */
};

static struct wish wish_of(struct arena *arena, const char *question)
{
    struct wish wish = {.order_id = NULL};
    struct word_reader reader;
    struct word word;
    struct text rest;

    text_start(&rest, arena, MESSAGE_BYTES);
    word_reader_start(&reader, question, strlen(question));
    while (word_next(&reader, &word)) {
        bool orders = begins_one_of(&word, order_words), prices = begins_one_of(&word, price_words);

        wish.ticket |= begins_one_of(&word, ticket_words);
        wish.order |= orders;
        wish.documents |= prices;
        if (!wish.order_id && is_order_id(word.text))
            wish.order_id = arena_copy_string(arena, word.text);
        else if (!orders || prices)
            text_append_format(&rest, "%s ", word.text);
    }
    wish.rest = rest.bytes;
    return wish;
}

static const struct tool_phrases *phrases_for(const struct graph_state *state)
{
    return tool_phrases_of(state->outcome->language);
}

/* `text` with its one %s filled in. */
static const char *fill_in(struct arena *arena, const char *text, const char *value)
{
    const char *place = strstr(text, "%s");
    struct text filled;

    text_start(&filled, arena, MESSAGE_BYTES);
    text_append(&filled, text, (size_t)(place - text));
    text_append_string(&filled, value);
    text_append_string(&filled, place + 2);
    return filled.bytes;
}

static void end(struct graph_state *state, const char *node, const char *answer, int quality,
                enum route_kind route)
{
    struct graph_outcome *outcome = state->outcome;

    outcome->answer = citation_drop_orphans(state->arena, answer, (int)outcome->source_count);
    outcome->quality = quality;
    outcome->relevance = quality / 100.0;
    outcome->quality_source = "fixed";
    outcome->route = route;
    outcome->verification_skipped = true;
    outcome->factuality = 100;
    state->scored = true;
    graph_mark_cited(outcome);
    graph_record(state, node);
}

/* Nothing is done before the user has confirmed. */
static void ask_to_confirm(struct graph_state *state, const char *node, const char *summary)
{
    struct graph_outcome *outcome = state->outcome;

    outcome->source_count = 0;
    outcome->requires_confirmation = true;
    outcome->pending_ticket = summary;
    outcome->action_summary =
        arena_print(state->arena, "create a ticket for: %s",
                    utf8_copy_prefix(state->arena, summary, SUMMARY_CHARACTERS));
    end(state, node,
        fill_in(state->arena, phrases_for(state)->confirm,
                utf8_copy_prefix(state->arena, summary, SUMMARY_CHARACTERS)),
        QUALITY_WAITING, ROUTE_AGENTIC);
}

static void settle_pending(struct graph_state *state)
{
    const struct graph_request *request = state->request;

    if (!request->confirm.given) {
        ask_to_confirm(state, "await_confirmation", request->pending_ticket);
    } else if (request->confirm.value) {
        graph_record(state, "confirmation_gate");
        state->outcome->create_ticket = request->pending_ticket;
        end(state, "create_ticket", phrases_for(state)->created, QUALITY_EXECUTED, ROUTE_AUTO);
    } else {
        end(state, "confirmation_cancelled", phrases_for(state)->cancelled, QUALITY_WAITING,
            ROUTE_AUTO);
    }
}

/* Demonstration data; replace this function by a call of the shop's system. */
static const char *order_status(const struct graph_state *state, const char *id)
{
    const char *number = id + strspn(id, "0");
    int kind = strcmp(number, "42") == 0 ? 0 : strcmp(number, "7") == 0 ? 1 : 2;

    return fill_in(state->arena, phrases_for(state)->order[kind], id);
}

/* Looks up documents, adds them to the sources of the answer, and returns each with its number. */
static const char *search_documents(struct graph_state *state, const char *query)
{
    int numbers[LOOKED_UP];
    size_t count = graph_search(state, query, numbers, LOOKED_UP);
    struct text text;

    graph_record(state, "search_kb");
    if (!count)
        return phrases_for(state)->nothing;
    text_start(&text, state->arena, MESSAGE_BYTES);
    for (size_t i = 0; i < count; i++)
        text_append_format(
            &text, "%s[%d] %s", i ? "\n" : "", numbers[i],
            citation_escape(state->arena,
                            utf8_copy_prefix(state->arena,
                                             state->outcome->sources[numbers[i] - 1].text,
                                             SHOWN_CHARACTERS)));
    return text.bytes;
}

static const char *string_member(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text && *text ? text : NULL;
}

/* The conversation between a model and the tools. Tool results go to the model only: the customer
 * sees the model's text, or a sentence written for customers. */
struct talk {
    struct llm_message messages[MESSAGES_MAX];
    size_t count;
    bool learnt;        /* a tool succeeded */
    const char *status; /* order text for the customer; NULL = the last tool gave none */
};

/* The result of a tool for the model; NULL when the user must confirm first. */
static const char *run_tool(struct graph_state *state, struct talk *talk,
                            const struct llm_tool_call *call)
{
    struct json_fault fault;
    json_t *arguments;
    const char *value;

    talk->status = NULL;
    if (json_read(state->arena, call->arguments, strlen(call->arguments), ARGUMENTS_DEPTH,
                  &arguments, &fault))
        return "The arguments are not JSON.";
    if (strcmp(call->name, "search_kb") == 0) {
        value = string_member(arguments, "query");
        if (!value)
            return "query is missing.";
        value = search_documents(state, value);
        talk->learnt |= state->outcome->source_count > 0;
        return value;
    }
    if (strcmp(call->name, "check_order_status") == 0) {
        value = string_member(arguments, "order_id");
        if (!value || !is_order_id(value))
            return "order_id must be 1 to 10 digits.";
        talk->status = order_status(state, value);
        talk->learnt = true;
        graph_record(state, "check_order_status");
        return talk->status;
    }
    if (strcmp(call->name, "create_ticket") == 0) {
        value = string_member(arguments, "summary");
        if (!value)
            return "summary is missing.";
        ask_to_confirm(state, "confirmation_gate",
                       utf8_copy_prefix(state->arena, value, SUMMARY_MAX));
        return NULL;
    }
    return "There is no tool of that name.";
}

/* Answers the tool calls of a model; false when this ends the question. */
static bool answer_calls(struct graph_state *state, struct talk *talk,
                         const struct models_reply *reply)
{
    size_t calls = reply->tool_call_count < CALLS_A_TURN ? reply->tool_call_count : CALLS_A_TURN;

    talk->messages[talk->count++] =
        (struct llm_message){.role = "assistant",
                             .content = reply->text && *reply->text ? reply->text : NULL,
                             .tool_calls = reply->tool_calls,
                             .tool_call_count = calls};
    for (size_t i = 0; i < calls; i++) {
        const char *told = run_tool(state, talk, &reply->tool_calls[i]);

        if (!told)
            return false;
        talk->messages[talk->count++] = (struct llm_message){
            .role = "tool", .content = told, .tool_call_id = reply->tool_calls[i].id};
    }
    return true;
}

/* A model selects the tools. Its answer is rejected if it used no tool result or is a refusal; if
 * it does not finish, there is no answer. Such a question goes to the documents, and then to a
 * human. */
static bool model_chooses(struct graph_state *state)
{
    struct talk *talk = ARENA_NEW(state->arena, struct talk);
    struct model_call order = {.node = MODEL_GENERATE,
                               .messages = talk->messages,
                               .tools = tools,
                               .tool_count = sizeof tools / sizeof tools[0]};
    const char *const *texts = state->tools->prompts ? state->tools->prompts : prompt_texts;
    int64_t turns = state->tools->settings->tool_loops;
    struct models_reply reply;

    talk->messages[0] = (struct llm_message){.role = "system", .content = texts[PROMPT_TOOLS]};
    talk->messages[1] = (struct llm_message){.role = "user", .content = state->request->question};
    talk->count = 2;
    for (int64_t turn = 0; turn < turns && turn < TURNS_MAX; turn++) {
        order.message_count = talk->count;
        if (!models_ask(&state->models, &order, &reply))
            break;
        if (reply.tool_call_count) {
            if (!answer_calls(state, talk, &reply))
                return true;
        } else if (talk->learnt && !answer_is_refusal(state->arena, reply.text)) {
            end(state, "agentic_answer", reply.text, QUALITY_TOOL, ROUTE_AGENTIC);
            return true;
        } else {
            return false;
        }
    }
    if (talk->status)
        end(state, "agentic_fallback", talk->status, QUALITY_WAITING, ROUTE_AGENTIC);
    return talk->status != NULL;
}

/* Without a model, keywords select the tool. */
static bool words_choose(struct graph_state *state)
{
    struct wish wish = wish_of(state->arena, state->request->question);
    const char *answer;

    if (wish.ticket) {
        ask_to_confirm(state, "confirmation_gate",
                       utf8_copy_prefix(state->arena, state->request->question, SUMMARY_MAX));
        return true;
    }
    if (!wish.order_id || !wish.order)
        return false;
    answer = order_status(state, wish.order_id);
    graph_record(state, "check_order_status");
    if (wish.documents) {
        const char *found = graph_quote(state, wish.rest);

        graph_record(state, "search_kb");
        if (found)
            answer = arena_print(state->arena, "%s\n\n%s", answer, found);
    }
    end(state, "agentic_answer", answer, QUALITY_TOOL, ROUTE_AGENTIC);
    return true;
}

bool tool_flow(struct graph_state *state)
{
    if (state->request->pending_ticket) {
        settle_pending(state);
        return true;
    }
    if (models_use_tools(&state->models, MODEL_GENERATE)) {
        if (model_chooses(state))
            return true;
        state->outcome->source_count = 0;
        if (!state->models.fallback_count)
            return false; /* the model decided that no tool is needed */
    }
    return words_choose(state);
}
