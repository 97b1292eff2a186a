/*
 * Conversations in the database: sessions and their messages, votes on answers, and tickets for
 * humans to answer. The client chooses the id of a session, which is unique in its tenant. A
 * session belongs to the user who began it.
 */
#ifndef ASSAY_SUPPORT_CONVERSATION_CONVERSATION_H
#define ASSAY_SUPPORT_CONVERSATION_CONVERSATION_H

#include "base/schema.h"
#include "db/db.h"
#include "support/answer/graph.h"

enum { SESSION_ID_MAX = 100 };

struct conversation_call {
    struct db *db;
    struct arena *arena;
    const char *tenant;
    struct problem *problem;
    const char *subject; /* the user, owner of the sessions created here; NULL = anonymous */
    bool own_only;       /* sessions of other users are not found */
    const struct document_reader *reader; /* whose answers are shown; NULL = all */
};

/* A new id: 32 hexadecimal digits of a secure generator. */
const char *session_new_id(struct arena *arena);
/* Whether an id has that form, so that nobody guesses it. */
bool session_id_is_secret(const char *id);

/* ERROR_NOT_FOUND `session_not_found` for another user's session. An unknown session is allowed. */
MUST_CHECK enum error session_check(const struct conversation_call *call, const char *id);

/* The same error for an unknown session. */
MUST_CHECK enum error session_require(const struct conversation_call *call, const char *id);

/* The last GRAPH_HISTORY_MAX messages of a session, oldest first: what the next answer may build
 * on. Answers that stand on a document which has been deleted or hidden from the reader since are
 * left out; questions stay, a next one may refer to them. None for an unknown session. */
MUST_CHECK enum error session_history(const struct conversation_call *call, const char *id,
                                      struct graph_message **messages, size_t *count);

/* A question and its answer. */
struct session_turn {
    const char *question, *answer, *trace_id;
    const char *shown; /* the answer as the customer saw it, as JSON (answer_reply.h) */
};
/* Adds a turn; creates a new session if needed. In the caller's transaction or its own. */
MUST_CHECK enum error session_add_turn(const struct conversation_call *call, const char *id,
                                       const struct session_turn *turn);

/* Adds the reply of a person, `author`: the session has one more unread reply. */
MUST_CHECK enum error session_add_reply(const struct conversation_call *call, const char *id,
                                        const char *author, const char *content,
                                        const char *trace_id);

/* Creates the session if it does not exist. An empty session receives `question`, unless that is
 * empty too. In the caller's transaction. */
MUST_CHECK enum error session_ensure(const struct conversation_call *call, const char *id,
                                     const char *question);

/* Adds what a customer has written to the team, which nobody answers at once. In the caller's
 * transaction. */
MUST_CHECK enum error session_add_words(const struct conversation_call *call, const char *id,
                                        const char *words);

/* The owner has read all replies; has no effect for anybody else. */
MUST_CHECK enum error session_mark_read(const struct conversation_call *call, const char *id);

/* The same messages with all stored members: for display, not for answering. */
struct session_message {
    const char *role, *content, *created_at, *trace_id; /* the last may be NULL */
    bool from_person;                                   /* a reply of the support team */
    const char *author; /* who wrote it; NULL for all other messages, and for customers */
    const char *vote;   /* up or down; NULL = none */
    json_t *answer;     /* the answer as it was shown; NULL for other messages */
    bool withheld;      /* without content: it quotes what the call's reader may not read */
};
SCHEMA_OF(session_message_schema, struct session_message);
MUST_CHECK enum error session_messages(const struct conversation_call *call, const char *id,
                                       struct object_list *rows);

/* The action that a session has to confirm: the text of a ticket; NULL = none. */
MUST_CHECK enum error session_pending(const struct conversation_call *call, const char *id,
                                      const char **ticket);
/* Stores or (NULL) clears the action; the session must exist. */
MUST_CHECK enum error session_set_pending(const struct conversation_call *call, const char *id,
                                          const char *ticket);

struct session_row {
    const char *session_id;
    int64_t message_count;
    const char *title; /* the beginning of the first question; NULL without one */
    const char *last_access;
    int64_t unread;         /* replies that the customer has not read */
    const char *started_by; /* or NULL */
};
SCHEMA_OF(session_schema, struct session_row);

struct session_filter {
    const char *words; /* that a message contains; "" = any */
    int64_t limit, offset;
};
/* Most recently used first: struct session_row. */
MUST_CHECK enum error session_list(const struct conversation_call *call,
                                   const struct session_filter *filter, struct object_list *rows);

/* Deletes a session and its messages. ERROR_NOT_FOUND `session_not_found`. */
MUST_CHECK enum error session_delete(const struct conversation_call *call, const char *id);

/* Sessions of all tenants used within the last `seconds`. */
MUST_CHECK enum error session_count_active(struct db *db, int64_t seconds, int64_t *count,
                                           struct problem *problem);

/* ERROR_NOT_FOUND `trace_not_found` where `own_only` is set and somebody else asked; with
 * `session_id` also for an answer of another session. An unknown answer is allowed. */
MUST_CHECK enum error feedback_check(const struct conversation_call *call, const char *trace_id,
                                     const char *session_id);

/* Stores a vote; a session's second vote on a trace replaces the first. It is linked to the trace
 * if that belongs to this tenant. */
MUST_CHECK enum error feedback_add(const struct conversation_call *call, const char *trace_id,
                                   const char *session_id, const char *rating, const char *reason);

struct feedback_count {
    const char *route; /* route of the trace; "unknown" without one */
    int64_t up, down;
};
/* Votes of the last `days` by route: struct feedback_count. A NULL tenant in the call counts all.
 */
MUST_CHECK enum error feedback_counts(const struct conversation_call *call, int64_t days,
                                      struct object_list *rows);

struct ticket {
    const char *id, *tenant_id, *session_id, *trace_id, *user_question, *ai_draft,
        *operator_response, *status, *created_at, *resolved_at, *assignee;
    const char *email; /* the customer's address when he writes by e-mail; else NULL */
};
SCHEMA_OF(ticket_schema, struct ticket);
SCHEMA_OF(similar_ticket_schema, struct ticket);

/* Statuses of a ticket that waits for a person. */
#define TICKET_OPEN "open"
#define TICKET_PENDING "pending_response" /* the customer has got no answer at all */

/* A ticket, unless the session has one with the same question and status. */
MUST_CHECK enum error ticket_open(const struct conversation_call *call, const char *session_id,
                                  const char *question, const char *draft, const char *trace_id,
                                  const char *status);

struct ticket_filter {
    const char *status;   /* "" = any, TICKET_WAITING = any but resolved */
    const char *assignee; /* "" = any, TICKET_UNASSIGNED = nobody */
    const char *words;    /* that question or reply contain; "" = any */
    int64_t limit, offset;
};
#define TICKET_UNASSIGNED "-"
#define TICKET_WAITING "waiting"
/* Newest first: struct ticket. `total` without limit and offset. */
MUST_CHECK enum error ticket_list(const struct conversation_call *call,
                                  const struct ticket_filter *filter, struct object_list *rows,
                                  int64_t *total);

/* Tickets that wait for a reply, in the three ways in which people look for them. */
struct ticket_counts {
    int64_t waiting, unassigned, mine;
    const char *caller; /* who `mine` is about */
};
SCHEMA_OF(ticket_counts_schema, struct ticket_counts);
MUST_CHECK enum error ticket_count(const struct conversation_call *call,
                                   struct ticket_counts *counts);

/* Names to give tickets to: accounts of the tenant that answer customers, and everybody who has had
 * a ticket. */
struct team_member {
    const char *name;
};
SCHEMA_OF(team_member_schema, struct team_member);
MUST_CHECK enum error ticket_team(const struct conversation_call *call, struct object_list *rows);

/* The id of the session's oldest ticket that waits for a reply; NULL = none does. */
MUST_CHECK enum error ticket_waits(const struct conversation_call *call, const char *session_id,
                                   const char **id);

/* ERROR_NOT_FOUND `ticket_not_found`, also for another tenant's. */
MUST_CHECK enum error ticket_find(const struct conversation_call *call, const char *id,
                                  struct ticket *ticket);
/* Gives the ticket to a person; NULL = to nobody. */
MUST_CHECK enum error ticket_assign(const struct conversation_call *call, const char *id,
                                    const char *assignee, struct ticket *ticket);
/* Resolves the ticket and adds the caller's answer to the conversation; to a customer who writes by
 * e-mail it is sent. */
MUST_CHECK enum error ticket_respond(const struct conversation_call *call, const char *id,
                                     const char *response, struct ticket *ticket);
/* Resolved tickets with common words, best first: struct ticket. */
MUST_CHECK enum error ticket_similar(const struct conversation_call *call,
                                     const struct ticket *ticket, size_t most,
                                     struct object_list *rows);

#endif
