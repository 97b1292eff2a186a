/* Asking: steps before the graph, storage after it, and requests for a human. */
#include "support/conversation/ask.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/schema.h"
#include "base/text.h"
#include "db/store.h"
#include "support/candidates/overlay.h"
#include "support/conversation/answer_cache.h"
#include "support/conversation/answer_reply.h"
#include "support/conversation/conversation.h"
#include "support/traces/evaluator_switch.h"
#include "support/traces/trace_store.h"
#include "support/trends/stale_citations.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHOWN_BYTES_MAX = 1 << 20 };

struct asking {
    const struct graph_tools *tools;
    const struct ask *ask;
    struct asked *asked;
    struct trace_call trace;
    struct conversation_call conversation;
    int64_t started;
    const char *cache_key; /* NULL = the cache is not used for this answer */
    int64_t cache_version; /* of the knowledge base, in it */
    struct split_arm side;
};

static struct asking begin(const struct graph_tools *tools, const struct ask *ask,
                           struct asked *asked)
{
    const struct document_call *call = tools->call;

    asked->session_id =
        ask->session_id && *ask->session_id ? ask->session_id : session_new_id(call->arena);
    asked->trace_id = session_new_id(call->arena);
    return (struct asking){.tools = tools,
                           .ask = ask,
                           .asked = asked,
                           .trace = {call->db, call->arena, call->tenant, call->problem},
                           .conversation = {call->db, call->arena, call->tenant, call->problem,
                                            ask->user_id, ask->own_only, call->reader},
                           .started = clock_monotonic_microseconds()};
}

/* The history; an unreadable store costs the history, not the answer. */
static void read_history(struct asking *asking, struct graph_request *request)
{
    struct graph_message *messages = NULL;

    if (session_history(&asking->conversation, asking->asked->session_id, &messages,
                        &request->history_count)) {
        log_event(LOG_WARNING, "history_not_read", asking->tools->call->problem->text);
        request->history_count = 0;
        asking->asked->history_lost = true;
    }
    request->history = messages;
}

/* The pending confirmation; an unreadable store has none. */
static void read_pending(const struct asking *asking, struct graph_request *request)
{
    if (asking->tools->settings->agentic &&
        session_pending(&asking->conversation, asking->asked->session_id, &request->pending_ticket))
        log_event(LOG_WARNING, "pending_action_not_read", asking->tools->call->problem->text);
}

/* Performs the confirmed action, and stores the next pending one. */
static enum error act(const struct asking *asking, const struct graph_outcome *outcome)
{
    const struct asked *asked = asking->asked;
    enum error error = ERROR_NONE;

    if (!asking->tools->settings->agentic)
        return ERROR_NONE;
    if (outcome->create_ticket)
        error = ticket_open(&asking->conversation, asked->session_id, outcome->create_ticket, NULL,
                            asked->trace_id, TICKET_OPEN);
    return error ? error
                 : session_set_pending(&asking->conversation, asked->session_id,
                                       outcome->pending_ticket);
}

static enum error evaluate(const struct asking *asking, const struct graph_outcome *outcome)
{
    struct optional_number relevances[ANSWER_DOCUMENTS_MAX];
    struct evaluator_off off[EVALUATORS];
    struct asked *asked = asking->asked;
    struct evaluated evaluated = {.question = asking->ask->question,
                                  .answer = outcome->answer,
                                  .relevances = relevances,
                                  .document_count = outcome->found_count,
                                  .answer_tokens = models_estimate_tokens(outcome->answer)};
    enum error error;

    if (!asking->tools->settings->online_evaluators || outcome->small_talk)
        return ERROR_NONE;
    for (size_t i = 0; i < outcome->found_count; i++)
        relevances[i] = (struct optional_number)GIVEN_NUMBER(outcome->found[i].relevance);
    error = trace_length_baseline(&asking->trace, asking->asked->trace_id, &evaluated.words_mean,
                                  &evaluated.words_deviation);
    if (!error)
        error = evaluator_switches(&asking->trace, off);
    if (error)
        return error;
    evaluate_answer(asking->trace.arena, &evaluated, asked->evaluations);
    asked->evaluation_count = evaluations_left(off, asked->evaluations);
    return trace_put_evaluations(&asking->trace, asked->trace_id, asked->evaluations,
                                 asked->evaluation_count);
}

/* Whether the customer gets the answer. */
static bool is_given(const struct asking *asking, const struct graph_outcome *outcome)
{
    return !asking->ask->only_certain ||
           (outcome->route == ROUTE_AUTO &&
            outcome->quality >= asking->tools->settings->quality_threshold);
}

static bool wants_person(const struct asking *asking, const struct graph_outcome *outcome)
{
    return !is_given(asking, outcome) || outcome->route == ROUTE_ERROR_ESCALATION ||
           outcome->small_talk == SMALL_TALK_PERSON ||
           (outcome->route == ROUTE_HUMAN && asking->tools->settings->auto_ticket_on_human);
}

static enum error note_citations(const struct asking *asking, const struct graph_outcome *outcome)
{
    const char *doc_ids[ANSWER_DOCUMENTS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < outcome->source_count; i++)
        if (outcome->sources[i].cited)
            doc_ids[count++] = outcome->sources[i].doc_id;
    return count ? document_note_citations(asking->tools->call, doc_ids, count) : ERROR_NONE;
}

static enum error add_turn(const struct asking *asking)
{
    const struct asked *asked = asking->asked;
    struct arena *arena = asking->tools->call->arena;
    const struct session_turn turn = {.question = asking->ask->question,
                                      .answer = asked->outcome.answer,
                                      .trace_id = asked->trace_id,
                                      .shown = schema_json(arena, SHOWN_BYTES_MAX, &answer_schema,
                                                           answer_reply_of(arena, asked))};

    return is_given(asking, &asked->outcome)
               ? session_add_turn(&asking->conversation, asked->session_id, &turn)
               : session_add_words(&asking->conversation, asked->session_id, turn.question);
}

/* Stores everything of an answer, in one transaction. */
static enum error keep(const struct asking *asking)
{
    const struct asked *asked = asking->asked;
    const struct graph_outcome *outcome = &asked->outcome;
    double milliseconds = (double)(clock_monotonic_microseconds() - asking->started) / 1000;
    struct problem *problem = asking->tools->call->problem;
    struct db *db = asking->tools->call->db;
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    error = trace_finish(&asking->trace, asked->trace_id, outcome, milliseconds);
    if (!error)
        error = add_turn(asking);
    if (!error)
        error = act(asking, outcome);
    if (!error)
        error = note_citations(asking, outcome);
    if (!error)
        error = stale_citations_bind(&asking->trace, asked->trace_id, outcome);
    if (!error && wants_person(asking, outcome))
        error = ticket_open(&asking->conversation, asked->session_id, asking->ask->question,
                            outcome->small_talk ? NULL : outcome->answer, asked->trace_id,
                            is_given(asking, outcome) ? TICKET_OPEN : TICKET_PENDING);
    if (!error && asking->side.split_id && !outcome->small_talk)
        error = split_note_answer(&asking->trace, &asking->side, asked->trace_id, outcome->quality,
                                  outcome->route == ROUTE_HUMAN || wants_person(asking, outcome));
    if (!error && asking->cache_key && answer_cache_wants(outcome) &&
        outcome->kb_version == asking->cache_version)
        error = answer_cache_put(asking->tools, asking->cache_key, asked->trace_id, outcome);
    if (!error)
        error = evaluate(asking, outcome);
    if (!error && asking->ask->on_keep)
        error = asking->ask->on_keep(asked, is_given(asking, outcome), asking->ask->context);
    return db_finish(db, error, problem);
}

/* Only the first question of a conversation does not depend on context. An unreadable cache counts
 * as empty. */
static bool answer_again(struct asking *asking, const struct graph_request *request)
{
    struct asked *asked = asking->asked;
    bool found = false;

    if (!asking->tools->settings->cache || asking->tools->settings->agentic ||
        request->history_count || asked->history_lost)
        return false;
    asking->cache_key =
        answer_cache_key(asking->tools, asking->ask->question, &asking->cache_version);
    if (!asking->cache_key)
        return false;
    asked->cache_asked = true;
    if (answer_cache_get(asking->tools, request, asking->cache_key, &asked->outcome, &found))
        log_event(LOG_WARNING, "cache_not_read", asking->tools->call->problem->text);
    if (found)
        asked->outcome.kb_version = asking->cache_version;
    return found;
}

/* What an outcome that is not used has cost is nowhere else. */
static void book(const struct asking *asking, const struct graph_outcome *outcome)
{
    struct models_run *run = (struct models_run *)(uintptr_t)outcome->models;

    if (run && models_book(run, "wordings", asking->tools->call->problem))
        log_event(LOG_WARNING, "costs_not_booked", asking->tools->call->problem->text);
}

static void try_wordings(struct asking *asking, const struct graph_request *request)
{
    const struct string_list *wordings = &asking->ask->wordings;
    struct graph_outcome *outcome = &asking->asked->outcome;

    for (size_t i = 0; i < wordings->count && !is_given(asking, outcome); i++) {
        struct graph_outcome *other = ARENA_NEW(asking->tools->call->arena, struct graph_outcome);
        struct graph_request reworded = *request;
        bool better;

        reworded.question = wordings->items[i];
        graph_run(asking->tools, &reworded, other);
        better = !other->refused && is_given(asking, other);
        book(asking, better ? outcome : other);
        if (better)
            *outcome = *other;
    }
}

/* The tools with the settings and prompts of the experiment in force for the question. A new
 * conversation has no id yet that identifies it: the user's id is used. */
static struct graph_tools with_overlay(const struct graph_tools *tools, const struct ask *ask,
                                       struct overlay *overlay)
{
    struct graph_tools in_force = *tools;

    overlay_of_question(tools, ask->session_id, ask->user_id, overlay);
    in_force.settings = &overlay->settings;
    in_force.prompts = overlay->prompts;
    in_force.experiment_id = overlay->experiment_id;
    in_force.mark = overlay->mark;
    return in_force;
}

enum error ask_question(const struct graph_tools *tools, const struct ask *ask, struct asked *asked)
{
    struct overlay *overlay = ARENA_NEW(tools->call->arena, struct overlay);
    const struct graph_tools in_force = with_overlay(tools, ask, overlay);
    struct asking asking = begin(&in_force, ask, asked);
    struct graph_request request = {.question = ask->question,
                                    .trace_id = asked->trace_id,
                                    .session_id = asked->session_id,
                                    .user_id = ask->user_id,
                                    .request_id = ask->request_id,
                                    .is_cancelled = ask->is_cancelled,
                                    .on_answer = ask->on_answer,
                                    .on_answer_void = ask->on_answer_void,
                                    .context = ask->context,
                                    .confirm = ask->confirm};
    struct trace_start start = {asked->trace_id,       ask->request_id, asked->session_id,
                                ask->user_id,          ask->question,   ask->channel,
                                overlay->experiment_id};
    enum text_language language;
    enum error error;

    tools = &in_force;
    asking.side = overlay->side;
    request.deadline = asking.started + (ask->on_answer ? tools->settings->streaming_timeout_sec
                                                        : tools->settings->request_timeout_sec) *
                                            1000000;
    read_pending(&asking, &request);
    if (graph_small_talk(tools, &request, &language))
        start.origin = "small_talk"; /* in no list and no figure */
    error = trace_begin(&asking.trace, &start);
    if (error) {
        log_event(LOG_ERROR, "trace_not_written", tools->call->problem->text);
        asked->trace_id = "";
    }
    read_history(&asking, &request);
    if (start.origin || !answer_again(&asking, &request))
        graph_run(tools, &request, &asked->outcome);
    try_wordings(&asking, &request);
    error = *asked->trace_id ? keep(&asking) : error;
    asked->seconds = (double)(clock_monotonic_microseconds() - asking.started) / 1e6;
    if (!error)
        return ERROR_NONE;
    asked->not_kept = true;
    log_event(LOG_ERROR, "answer_not_kept", tools->call->problem->text);
    /* An answer is useful without a stored trace; a promised human reply must be stored. */
    return wants_person(&asking, &asked->outcome) || asked->outcome.create_ticket ||
                   asked->outcome.pending_ticket
               ? error
               : ERROR_NONE;
}

struct inbox_entry {
    const char *entity_id, *question, *route, *reason, *ts;
};

#define OWNER struct inbox_entry
static const struct field inbox_fields[] = {STRING(OWNER, entity_id), STRING(OWNER, question),
                                            STRING(OWNER, route), STRING(OWNER, reason),
                                            STRING(OWNER, ts)};
#undef OWNER
static SCHEMA(inbox_schema, struct inbox_entry, "InboxEntry", inbox_fields);

static const char *inbox_line(const struct graph_tools *tools, const char *session_id,
                              const char *question, const char *reason)
{
    struct arena *arena = tools->call->arena;
    const struct inbox_entry entry = {.entity_id = session_id,
                                      .question = question,
                                      .route = "human_request",
                                      .reason = reason,
                                      .ts = store_now(arena)};

    return arena_print(arena, "%s\n", schema_json(arena, 1 << 20, &inbox_schema, &entry));
}

static bool append_inbox(const struct graph_tools *tools, const char *line)
{
    const char *folder =
        arena_print(tools->call->arena, "%s/inbox", tools->settings->data_directory);
    int fd;
    bool fine;

    mkdir(folder, 0700);
    fd = open(arena_print(tools->call->arena, "%s/support_inbox.jsonl", folder),
              O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    fine = fd >= 0 && write(fd, line, strlen(line)) == (ssize_t)strlen(line);
    if (fd >= 0)
        close(fd);
    return fine;
}

enum error ask_escalate(const struct graph_tools *tools,
                        const struct conversation_call *conversation,
                        const struct handover *handover)
{
    const char *session_id = handover->session_id, *question = handover->question;
    const struct document_call *call = tools->call;
    const struct trace_call trace = {call->db, call->arena, call->tenant, call->problem};
    enum error error;

    if (!append_inbox(tools, inbox_line(tools, session_id, question, handover->reason)))
        return problem_set(call->problem, ERROR_SYSTEM, "escalation_failed", "Escalation failed");
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = session_ensure(conversation, session_id, question); /* the reply goes to its owner */
    if (!error && handover->comment && strcmp(handover->comment, question) != 0)
        error = session_add_words(conversation, session_id, handover->comment);
    if (!error)
        error = split_note_escalation(&trace, session_id);
    if (!error)
        error = ticket_open(conversation, session_id, *question ? question : "(operator requested)",
                            NULL, NULL, TICKET_OPEN);
    return db_finish(call->db, error, call->problem);
}

enum error ask_vote(const struct trace_call *call, const struct ask_ballot *ballot)
{
    const struct conversation_call conversation = {
        .db = call->db, .arena = call->arena, .tenant = call->tenant, .problem = call->problem};
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = feedback_add(&conversation, ballot->trace_id, ballot->session_id, ballot->rating,
                         ballot->reason);
    if (!error)
        error = split_note_vote(call, ballot->trace_id, ballot->rating);
    return db_finish(call->db, error, call->problem);
}
