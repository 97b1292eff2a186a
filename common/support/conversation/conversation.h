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
};

/* ERROR_NOT_FOUND `session_not_found` for another user's session. An unknown session is allowed. */
MUST_CHECK enum error session_check(const struct conversation_call *call, const char *id);

/* The last GRAPH_HISTORY_MAX messages of a session, oldest first. None for an unknown session. */
MUST_CHECK enum error session_history(const struct conversation_call *call, const char *id,
                                      struct graph_message **messages, size_t *count);

/* Adds a question and its answer; creates a new session if needed. In the caller's transaction or
 * its own. */
MUST_CHECK enum error session_add_turn(const struct conversation_call *call, const char *id,
                                       const char *question, const char *answer,
                                       const char *trace_id);

/* Adds a single message, such as a human's reply. */
MUST_CHECK enum error session_add_message(const struct conversation_call *call, const char *id,
                                          const char *role, const char *content,
                                          const char *trace_id);

/* The same messages with all stored members: for display, not for answering. */
struct session_message {
    const char *role, *content, *created_at, *trace_id; /* the last may be NULL */
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
};
SCHEMA_OF(session_schema, struct session_row);
/* Most recently used first: struct session_row. */
MUST_CHECK enum error session_list(const struct conversation_call *call, int64_t limit,
                                   int64_t offset, struct object_list *rows);

/* Deletes a session and its messages. ERROR_NOT_FOUND `session_not_found`. */
MUST_CHECK enum error session_delete(const struct conversation_call *call, const char *id);

/* Sessions of all tenants used within the last `seconds`. */
MUST_CHECK enum error session_count_active(struct db *db, int64_t seconds, int64_t *count,
                                           struct problem *problem);

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
        *operator_response, *status, *created_at, *resolved_at;
};
SCHEMA_OF(ticket_schema, struct ticket);
SCHEMA_OF(similar_ticket_schema, struct ticket);

/* A ticket with status `open`, unless the session has an open one with the same question. */
MUST_CHECK enum error ticket_open(const struct conversation_call *call, const char *session_id,
                                  const char *question, const char *draft, const char *trace_id);
/* Newest first; `status` NULL = all: struct ticket. */
MUST_CHECK enum error ticket_list(const struct conversation_call *call, const char *status,
                                  int64_t limit, struct object_list *rows);
/* ERROR_NOT_FOUND `ticket_not_found`, also for another tenant's. */
MUST_CHECK enum error ticket_find(const struct conversation_call *call, const char *id,
                                  struct ticket *ticket);
/* Resolves the ticket and adds the answer to the conversation. */
MUST_CHECK enum error ticket_respond(const struct conversation_call *call, const char *id,
                                     const char *response, struct ticket *ticket);
/* Resolved tickets with common words, best first: struct ticket. */
MUST_CHECK enum error ticket_similar(const struct conversation_call *call,
                                     const struct ticket *ticket, size_t most,
                                     struct object_list *rows);

#endif
