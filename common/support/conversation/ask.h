/*
 * Answers a question: loads the conversation, runs the answer graph, and stores the trace,
 * messages, evaluations, citations and, where a person has to answer, a ticket.
 */
#ifndef ASSAY_SUPPORT_CONVERSATION_ASK_H
#define ASSAY_SUPPORT_CONVERSATION_ASK_H

#include "support/answer/graph.h"
#include "support/traces/evaluators.h"
#include "support/traces/trace_store.h"

struct ask {
    const char *question;   /* trimmed, not blank */
    const char *session_id; /* NULL or "" = a new one */
    const char *user_id, *request_id, *channel;
    bool own_only;                   /* sessions of others are not found */
    struct optional_boolean confirm; /* what is said to the confirmation that was asked for */
    bool (*is_cancelled)(void *context);
    /* Of a streamed answer, as in struct graph_request; NULL = the whole at once. */
    bool (*on_answer)(const char *text, size_t length, void *context);
    void (*on_answer_void)(void *context);
    void *context;
};

struct asked {
    struct graph_outcome outcome;
    const char *session_id, *trace_id; /* the trace is "" when it could not be written */
    struct evaluation evaluations[EVALUATORS];
    size_t evaluation_count; /* 0 = the answer was not judged */
    bool history_lost;       /* what was said before could not be read */
    bool not_kept;           /* what became of the question was not written down */
    double seconds;          /* that all of it took */
    bool cache_asked;        /* whether the answer could have been a cached one */
};

/* Answers; only what keeps it from answering at all (no database) is an error. */
MUST_CHECK enum error ask_question(const struct graph_tools *tools, const struct ask *ask,
                                   struct asked *asked);

/* A person is asked for: a ticket, and a line in the inbox file. */
MUST_CHECK enum error ask_escalate(const struct graph_tools *tools, const char *session_id,
                                   const char *question, const char *reason);

struct ask_ballot {
    const char *trace_id, *session_id;
    const char *rating; /* up or down */
    const char *reason;
};
/* A vote on an answer, and what it says of a split of traffic. */
MUST_CHECK enum error ask_vote(const struct trace_call *call, const struct ask_ballot *ballot);

#endif
