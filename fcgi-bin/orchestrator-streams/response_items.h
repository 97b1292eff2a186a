/*
 * The output of /v1/responses while it is built: pieces of an answer become items (messages, calls
 * of functions, reasoning), and each step is an event of the stream, if there is one.
 */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_RESPONSE_ITEMS_H
#define ASSAY_ORCHESTRATOR_STREAMS_RESPONSE_ITEMS_H

#include "orchestrator-streams/exchange.h"
#include "orchestrator-streams/response_rows.h"

enum item_kind { ITEM_MESSAGE, ITEM_CALL, ITEM_THOUGHT };

/* An item. The last one is open until the next begins; calls stay open until all have ended, for
 * their pieces may alternate. */
struct output_item {
    enum item_kind kind;
    const char *id;
    bool is_done, has_part;
    bool is_refusal;      /* of a message: the part is a refusal */
    struct text text;     /* of the part, of the arguments, of the summary */
    struct text logprobs; /* JSON objects, with commas between them */
    size_t tool_index;
    const char *call_id, *name;
    const char *seal; /* of reasoning; NULL */
};

struct response_items {
    struct exchange_call *exchange;
    const char *key; /* a text that the ids of the items are made of */
    size_t count;
    struct output_item *items;
    int64_t sequence; /* number of the next event */
};

/* Takes a piece of the answer. False when the client has left. */
bool response_items_take(struct response_items *items, const struct llm_delta *delta);

/* Ends all items. */
void response_items_end(struct response_items *items);

/* The items as a JSON array. */
const char *response_items_json(const struct response_items *items, struct arena *arena);

/* Sends an event with its number. */
bool response_send(struct response_items *items, const struct schema *schema,
                   struct response_event *event);

#endif
