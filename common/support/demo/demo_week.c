/* Asks the questions of the week, votes, hands over and replies. */
#include "support/demo/demo_week.h"

#include "base/clock.h"
#include "support/conversation/ask.h"
#include "support/conversation/conversation.h"
#include "support/demo/demo_store.h"

#include <string.h>

static const int64_t hour_us = 3600000000, minute_us = 60000000, reply_us = 1500000000;

/* What a week is asked with: tickets are opened where the file says so. */
struct week {
    const struct demo_call *call;
    const struct support_settings *settings;
    struct graph_tools tools;
    struct conversation_call conversations;
    struct trace_call traces;
    int64_t now;
};

static enum error vote(const struct week *week, const struct demo_turn *turn,
                       const struct asked *asked)
{
    const struct ask_ballot ballot = {.trace_id = asked->trace_id,
                                      .session_id = asked->session_id,
                                      .rating = turn->vote,
                                      .reason = turn->reason ? turn->reason : ""};

    return turn->vote ? ask_vote(&week->traces, &ballot) : ERROR_NONE;
}

static enum error ask_turn(struct week *week, const struct demo_conversation *conversation,
                           const struct demo_turn *turn, const char *session_id, int64_t at,
                           struct asked *asked)
{
    const struct ask ask = {.question = turn->question,
                            .session_id = session_id,
                            .user_id = conversation->customer,
                            .channel = "web"};
    enum error error = ask_question(&week->tools, &ask, asked);

    if (!error && asked->not_kept)
        error = problem_set(week->call->documents->problem, ERROR_SYSTEM, "demo_answer",
                            "an answer was not kept");
    if (!error)
        error = vote(week, turn, asked);
    return error ? error : demo_store_move_turn(week->call->documents, asked->trace_id, at);
}

static enum error reply(const struct week *week, const char *session_id, const char *text)
{
    const struct ticket_filter filter = {"open", "", "", 100, 0};
    struct object_list open;
    struct ticket ticket;
    int64_t total;
    enum error error = ticket_list(&week->conversations, &filter, &open, &total);
    const struct ticket *tickets = open.items;

    for (size_t i = 0; !error && i < open.count; i++)
        if (strcmp(tickets[i].session_id, session_id) == 0)
            return ticket_respond(&week->conversations, tickets[i].id, text, &ticket);
    return error;
}

static enum error hand_over(const struct week *week, const struct demo_conversation *conversation,
                            const char *question, const struct asked *asked)
{
    enum error error;

    if (!conversation->handed_over)
        return ERROR_NONE;
    error = ticket_open(&week->conversations, asked->session_id, question, asked->outcome.answer,
                        asked->trace_id, TICKET_OPEN);
    if (error || !conversation->reply)
        return error;
    return reply(week, asked->session_id, conversation->reply);
}

static enum error hold(struct week *week, const struct demo_conversation *conversation,
                       const char *session_id, double hours_ago)
{
    const struct demo_turn *turns = conversation->turns.items;
    const size_t count = conversation->turns.count;
    int64_t first = week->now - (int64_t)(hours_ago * (double)hour_us);
    int64_t last = first + (int64_t)(count - 1) * minute_us;
    int64_t handed_over = conversation->handed_over ? last + minute_us / 2 : 0;
    struct asked *asked = ARENA_NEW(week->call->documents->arena, struct asked);
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < count && !error; i++)
        error = ask_turn(week, conversation, &turns[i], session_id, first + (int64_t)i * minute_us,
                         asked);
    if (!error)
        error = hand_over(week, conversation, turns[count - 1].question, asked);
    return error ? error
                 : demo_store_move_session(week->call->documents, session_id, first, last,
                                           handed_over, conversation->reply ? last + reply_us : 0);
}

static enum error hold_all(struct week *week, const struct demo_support *demo, int64_t *count)
{
    struct arena *arena = week->call->documents->arena;
    const struct demo_conversation *conversations = demo->conversations.items;
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < demo->conversations.count && !error; i++)
        for (size_t j = 0; j < conversations[i].hours_ago.count && !error; j++) {
            error = hold(week, &conversations[i], arena_print(arena, "demo-%zu-%zu", i + 1, j + 1),
                         conversations[i].hours_ago.items[j]);
            *count += !error;
        }
    return error;
}

enum error demo_add_week(const struct demo_call *call, const struct regression_tools *tools,
                         const struct demo_support *demo, int64_t *count)
{
    const struct document_call *documents = call->documents;
    struct support_settings settings = *call->settings;
    struct week week = {
        .call = call,
        .settings = &settings,
        .tools = {.cache = tools->cache,
                  .call = documents,
                  .settings = &settings,
                  .synonyms = tools->synonyms},
        .conversations = {.db = documents->db,
                          .arena = documents->arena,
                          .tenant = documents->tenant,
                          .problem = documents->problem},
        .traces = {documents->db, documents->arena, documents->tenant, documents->problem},
        .now = clock_unix_microseconds()};
    bool has_week;
    enum error error = demo_store_has_week(documents, &has_week);

    *count = 0;
    if (error || has_week)
        return error;
    settings.auto_ticket_on_human = false;
    error = db_begin(documents->db, DB_WRITE, documents->problem);
    return error ? error
                 : db_finish(documents->db, hold_all(&week, demo, count), documents->problem);
}
