/*
 * Answers a question: loads the conversation, runs the answer graph, and stores the trace,
 * messages, evaluations, citations and, if a human has to answer, a ticket.
 */
#ifndef ASSAY_SUPPORT_CONVERSATION_ASK_H
#define ASSAY_SUPPORT_CONVERSATION_ASK_H

#include "support/answer/graph.h"
#include "support/traces/evaluators.h"
#include "support/traces/trace_store.h"

struct asked;

struct ask {
    const char *question;   /* trimmed, not blank */
    const char *session_id; /* NULL or "" = a new one */
    const char *user_id, *request_id, *channel;
    bool own_only;                   /* sessions of other users are not found */
    struct optional_boolean confirm; /* the user's reply to a pending confirmation */
    bool (*is_cancelled)(void *context);
    /* For streamed answers, as in struct graph_request; NULL = no streaming. */
    bool (*on_answer)(const char *text, size_t length, void *context);
    void (*on_answer_void)(void *context);
    void *context;
    /* For answers that cannot be taken back, as by e-mail: one that is not certain is not given;
     * the conversation gets the question alone, and a ticket with status `pending_response` the
     * answer as its draft. */
    bool only_certain;
    /* With it: what the question may mean without the words around it, as in a letter. Asked in
     * turn until an answer is certain. */
    struct string_list wordings;
    /* Called last in the transaction that stores the outcome, which its error undoes; NULL = none.
     * `given`: the answer is for the customer. */
    enum error (*on_keep)(const struct asked *asked, bool given, void *context);
};

struct asked {
    struct graph_outcome outcome;
    const char *session_id, *trace_id; /* the trace id is "" when the trace was not stored */
    struct evaluation evaluations[EVALUATORS];
    size_t evaluation_count; /* 0 = not evaluated */
    bool history_lost;       /* the history could not be read */
    bool not_kept;           /* the outcome was not stored */
    double seconds;          /* total duration */
    bool cache_asked;        /* whether the answer was eligible for the cache */
};

/* Answers a question; returns an error only if it cannot answer at all (no database). */
MUST_CHECK enum error ask_question(const struct graph_tools *tools, const struct ask *ask,
                                   struct asked *asked);

struct conversation_call;

/* A user's wish to talk to a person. */
struct handover {
    const char *session_id;
    const char *question; /* what was asked; "" = nothing */
    const char *reason;   /* for the inbox file */
    const char
        *comment; /* what the user adds for the team, a message of the conversation; or NULL */
};

/* Creates a ticket, the conversation if it is new, and a line in the inbox file. */
MUST_CHECK enum error ask_escalate(const struct graph_tools *tools,
                                   const struct conversation_call *conversation,
                                   const struct handover *handover);

struct ask_ballot {
    const char *trace_id, *session_id;
    const char *rating; /* up or down */
    const char *reason;
};
/* Stores a vote on an answer, and reports it to the traffic split. */
MUST_CHECK enum error ask_vote(const struct trace_call *call, const struct ask_ballot *ballot);

#endif
