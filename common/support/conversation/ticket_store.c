/* Tickets: contains all SQL about them, and the search for similar resolved ones. */
#include "base/text.h"
#include "crypto/token.h"
#include "db/query.h"
#include "search/terms.h"
#include "support/conversation/conversation.h"
#include "support/conversation/events.h"
#include "support/mail/mail_store.h"
#include "support/matching/synonyms.h"
#include "support/traces/readable.h"
#include "text/fold.h"

#include <stdlib.h>
#include <string.h>

#define TICKET_COLUMNS                                                                             \
    "id, tenant_id, session_id, trace_id, user_question, ai_draft, operator_response, status,"     \
    " created_at, resolved_at, assignee, (SELECT e.address FROM email_threads e"                   \
    " WHERE e.tenant_id = escalated_tickets.tenant_id"                                             \
    " AND e.session_id = escalated_tickets.session_id) AS email"

#define OWNER struct ticket
static const struct field ticket_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, tenant_id),
    STRING(OWNER, session_id),
    STRING(OWNER, trace_id, .nullable = true),
    STRING(OWNER, user_question),
    STRING(OWNER, ai_draft, .nullable = true),
    STRING(OWNER, operator_response, .nullable = true),
    STRING(OWNER, status),
    STRING(OWNER, created_at),
    STRING(OWNER, resolved_at, .nullable = true),
    STRING(OWNER, assignee, .nullable = true, .help = "Who works on it."),
    STRING(OWNER, email, .nullable = true,
           .help = "Address of a customer who writes by e-mail; replies are sent to it."),
};
static const struct field similar_ticket_fields[] = {
    STRING(OWNER, id), STRING(OWNER, user_question),
    STRING(OWNER, operator_response, .nullable = true),
    STRING(OWNER, resolved_at, .nullable = true)};
#undef OWNER
SCHEMA(ticket_schema, struct ticket, "Ticket", ticket_fields);
SCHEMA(similar_ticket_schema, struct ticket, "SimilarTicket", similar_ticket_fields);

#define OWNER struct ticket_counts
static const struct field count_fields[] = {
    INTEGER(OWNER, waiting, .help = "Tickets without a reply."),
    INTEGER(OWNER, unassigned, .help = "Those of them that nobody works on."),
    INTEGER(OWNER, mine, .help = "Those of them that the caller works on."),
    STRING(OWNER, caller, .help = "The caller's name, as tickets have it.")};
#undef OWNER
SCHEMA(ticket_counts_schema, struct ticket_counts, "TicketCounts", count_fields);

#define OWNER struct team_member
static const struct field member_fields[] = {STRING(OWNER, name)};
#undef OWNER
SCHEMA(team_member_schema, struct team_member, "TeamMember", member_fields);

static const struct statement insert_ticket = {
    .name = "ticket_insert",
    .sql = "INSERT INTO escalated_tickets (id, tenant_id, session_id, trace_id, user_question,"
           " ai_draft, status, created_at) SELECT ?, ?, ?, ?, ?, ?, ?, {now}"
           " WHERE NOT EXISTS (SELECT 1 FROM escalated_tickets WHERE tenant_id = ?"
           " AND session_id = ? AND user_question = ? AND status = ?)",
};
#define TICKET_FILTER                                                                              \
    " FROM escalated_tickets WHERE tenant_id = ? AND (? = '' OR status = ?"                        \
    " OR (? = 'waiting' AND status <> 'resolved')) AND (? = '' OR coalesce(assignee, '-') = ?) "   \
    "AND (? = '' OR user_question LIKE ? ESCAPE "                                                  \
    "'\\' OR lower(user_question) LIKE ? ESCAPE '\\' OR operator_response LIKE ? ESCAPE '\\')"
static const struct statement list_tickets = {
    .name = "ticket_list",
    .sql = "SELECT " TICKET_COLUMNS TICKET_FILTER " ORDER BY created_at DESC, id LIMIT ? OFFSET ?",
};
static const struct statement count_listed = {
    .name = "ticket_list_count",
    .sql = "SELECT count(*)" TICKET_FILTER,
};
static const struct statement count_waiting = {
    .name = "ticket_count",
    .sql = "SELECT count(*) AS waiting,"
           " coalesce(sum(CASE WHEN assignee IS NULL THEN 1 ELSE 0 END), 0) AS unassigned,"
           " coalesce(sum(CASE WHEN assignee = ? THEN 1 ELSE 0 END), 0) AS mine"
           " FROM escalated_tickets WHERE tenant_id = ? AND status <> 'resolved'",
};
static const struct statement list_team = {
    .name = "ticket_team",
    .sql = "SELECT username AS name FROM users WHERE tenant_id = ? AND is_active = 1"
           " AND role <> 'viewer' UNION SELECT assignee AS name FROM escalated_tickets"
           " WHERE tenant_id = ? AND assignee IS NOT NULL ORDER BY 1 LIMIT 200",
};
static const struct statement find_waiting = {
    .name = "ticket_waits",
    .sql = "SELECT id FROM escalated_tickets WHERE tenant_id = ? AND session_id = ?"
           " AND status <> 'resolved' ORDER BY created_at, id LIMIT 1",
};
static const struct statement assign_ticket = {
    .name = "ticket_assign",
    .sql = "UPDATE escalated_tickets SET assignee = ? WHERE tenant_id = ? AND id = ?",
};
static const struct statement find_ticket = {
    .name = "ticket_find",
    .sql = "SELECT " TICKET_COLUMNS " FROM escalated_tickets WHERE tenant_id = ? AND id = ?",
};
static const struct statement resolve_ticket = {
    .name = "ticket_resolve",
    .sql = "UPDATE escalated_tickets SET operator_response = ?, status = 'resolved',"
           " resolved_at = {now}, assignee = coalesce(assignee, ?) WHERE tenant_id = ? AND id = ?",
};

enum { RESOLVED_LOOKED_AT = 500, STEMS_MAX = 2000, TEAM_MAX = 200 };

static enum error insert(const struct conversation_call *call, const struct ticket *ticket,
                         bool *inserted)
{
    struct query *query = db_query(call->db, &insert_ticket);

    query_bind_text(query, ticket->id);
    query_bind_text(query, call->tenant);
    query_bind_text(query, ticket->session_id);
    query_bind_text(query, ticket->trace_id);
    query_bind_text(query, ticket->user_question);
    query_bind_text(query, ticket->ai_draft);
    query_bind_text(query, ticket->status);
    query_bind_text(query, call->tenant);
    query_bind_text(query, ticket->session_id);
    query_bind_text(query, ticket->user_question);
    query_bind_text(query, ticket->status);
    *inserted = query_changes(query) > 0;
    return query_end(query, call->problem);
}

enum error ticket_open(const struct conversation_call *call, const char *session_id,
                       const char *question, const char *draft, const char *trace_id,
                       const char *status)
{
    char id[TOKEN_UUID_TEXT];
    const struct ticket ticket = {.id = id,
                                  .session_id = session_id,
                                  .trace_id = trace_id,
                                  .user_question = question,
                                  .ai_draft = draft,
                                  .status = status};
    bool inserted = false;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    token_uuid(id);
    error = insert(call, &ticket, &inserted);
    if (!error && inserted)
        error = conversation_event_add(call, EVENT_TICKET, session_id, id);
    return db_finish(call->db, error, call->problem);
}

static void bind_filter(struct query *query, const struct conversation_call *call,
                        const struct ticket_filter *filter)
{
    const char *words = db_like_contains(call->arena, filter->words);

    query_bind_text(query, call->tenant);
    query_bind_text(query, filter->status);
    query_bind_text(query, filter->status);
    query_bind_text(query, filter->status);
    query_bind_text(query, filter->assignee);
    query_bind_text(query, filter->assignee);
    query_bind_text(query, filter->words);
    query_bind_text(query, words);
    query_bind_text(query, db_like_contains(call->arena, text_lower(call->arena, filter->words)));
    query_bind_text(query, words);
}

/* Takes the drafts that quote what the reader may not read. */
static enum error withhold(const struct conversation_call *call, struct ticket *tickets,
                           size_t count)
{
    const struct document_call documents = {call->db, call->arena, call->tenant, call->problem,
                                            call->reader};
    const char **ids = ARENA_ARRAY(call->arena, const char *, count + 1);
    struct readable_traces readable;
    enum error error;

    if (!call->reader)
        return ERROR_NONE;
    for (size_t i = 0; i < count; i++)
        ids[i] = tickets[i].ai_draft ? tickets[i].trace_id : NULL;
    error = readable_traces_find(&documents, ids, count, &readable);
    for (size_t i = 0; !error && i < count; i++)
        if (!trace_is_readable(&readable, tickets[i].trace_id))
            tickets[i].ai_draft = NULL;
    return error;
}

enum error ticket_list(const struct conversation_call *call, const struct ticket_filter *filter,
                       struct object_list *rows, int64_t *total)
{
    struct ticket *items = ARENA_ARRAY(call->arena, struct ticket, (size_t)filter->limit + 1);
    struct query *query = db_query(call->db, &list_tickets);
    enum error error;

    bind_filter(query, call, filter);
    query_bind_integer(query, filter->limit);
    query_bind_integer(query, filter->offset);
    *rows = (struct object_list){.items = items};
    while (rows->count < (size_t)filter->limit && query_next(query))
        query_read(query, &ticket_schema, &items[rows->count++], call->arena);
    error = query_end(query, call->problem);
    if (!error)
        error = withhold(call, items, rows->count);
    if (error)
        return error;
    query = db_query(call->db, &count_listed);
    bind_filter(query, call, filter);
    *total = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

enum error ticket_count(const struct conversation_call *call, struct ticket_counts *counts)
{
    struct query *query = db_query(call->db, &count_waiting);
    bool found;

    counts->caller = call->subject ? call->subject : "";
    query_bind_text(query, counts->caller);
    query_bind_text(query, call->tenant);
    return query_read_one(query, &ticket_counts_schema, counts, call->arena, &found, call->problem);
}

enum error ticket_team(const struct conversation_call *call, struct object_list *rows)
{
    struct team_member *items = ARENA_ARRAY(call->arena, struct team_member, TEAM_MAX + 1);
    struct query *query = db_query(call->db, &list_team);

    query_bind_text(query, call->tenant);
    query_bind_text(query, call->tenant);
    *rows = (struct object_list){.items = items};
    while (rows->count < TEAM_MAX && query_next(query))
        query_read(query, &team_member_schema, &items[rows->count++], call->arena);
    return query_end(query, call->problem);
}

enum error ticket_waits(const struct conversation_call *call, const char *session_id,
                        const char **id)
{
    struct query *query = db_query(call->db, &find_waiting);

    query_bind_text(query, call->tenant);
    query_bind_text(query, session_id);
    *id = query_next(query) ? query_text(query, 0, call->arena) : NULL;
    return query_end(query, call->problem);
}

enum error ticket_find(const struct conversation_call *call, const char *id, struct ticket *ticket)
{
    struct query *query = db_query(call->db, &find_ticket);
    bool found;
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    error = query_read_one(query, &ticket_schema, ticket, call->arena, &found, call->problem);
    if (error || found)
        return error ? error : withhold(call, ticket, 1);
    return problem_set(call->problem, ERROR_NOT_FOUND, "ticket_not_found", "ticket not found");
}

static enum error assign(const struct conversation_call *call, const char *id, const char *assignee)
{
    struct query *query = db_query(call->db, &assign_ticket);

    query_bind_text(query, assignee);
    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    return query_end(query, call->problem);
}

enum error ticket_assign(const struct conversation_call *call, const char *id, const char *assignee,
                         struct ticket *ticket)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = assign(call, id, assignee);
    if (!error)
        error = ticket_find(call, id, ticket);
    if (!error)
        error = conversation_event_add(call, EVENT_TICKET, ticket->session_id, id);
    return db_finish(call->db, error, call->problem);
}

static enum error resolve(const struct conversation_call *call, const char *id,
                          const char *response)
{
    struct query *query = db_query(call->db, &resolve_ticket);

    query_bind_text(query, response);
    query_bind_text(query, call->subject);
    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    return query_end(query, call->problem);
}

enum error ticket_respond(const struct conversation_call *call, const char *id,
                          const char *response, struct ticket *ticket)
{
    const struct mail_call mail = {call->db, call->arena, call->tenant, call->problem};
    const char *author = call->subject ? call->subject : "";
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = ticket_find(call, id, ticket);
    if (!error)
        error = resolve(call, id, response);
    if (!error)
        error = session_add_reply(call, ticket->session_id, author, response, ticket->trace_id);
    if (!error)
        error = mail_queue(&mail, ticket->session_id, response, false);
    if (!error)
        error = ticket_find(call, id, ticket);
    if (!error)
        error = conversation_event_add(call, EVENT_REPLY, ticket->session_id, id);
    return db_finish(call->db, error, call->problem);
}

struct stems {
    uint64_t items[STEMS_MAX];
    size_t count;
};

static void add_stems(struct stems *stems, const char *text)
{
    enum text_language language;
    struct word_reader reader;
    struct word word;
    char stem[WORD_BYTES_MAX + 1];

    if (!text)
        return;
    language = language_detect(text, strlen(text));
    word_reader_start(&reader, text, strlen(text));
    while (stems->count < STEMS_MAX && word_next(&reader, &word)) {
        uint64_t hash;
        bool known = false;

        if (language_is_stop_word(language, word.text))
            continue;
        hash = stem_hash(stem, term_stem(language, &word, stem));
        for (size_t i = 0; i < stems->count && !known; i++)
            known = stems->items[i] == hash;
        if (!known)
            stems->items[stems->count++] = hash;
    }
}

static size_t common_stems(const struct stems *a, const struct stems *b)
{
    size_t same = 0;

    for (size_t i = 0; i < a->count; i++) {
        for (size_t j = 0; j < b->count; j++)
            same += a->items[i] == b->items[j];
    }
    return same;
}

struct likeness {
    struct ticket ticket;
    size_t overlap;
    double jaccard;
};

static int most_alike_first(const void *a, const void *b)
{
    const struct likeness *x = a, *y = b;

    if (x->overlap != y->overlap)
        return x->overlap < y->overlap ? 1 : -1;
    if (x->jaccard < y->jaccard || x->jaccard > y->jaccard)
        return x->jaccard < y->jaccard ? 1 : -1;
    return strcmp(y->ticket.resolved_at ? y->ticket.resolved_at : "",
                  x->ticket.resolved_at ? x->ticket.resolved_at : "");
}

static size_t compare_all(const struct ticket *ticket, const struct object_list *resolved,
                          struct arena *arena, struct likeness *likenesses)
{
    struct stems *own = ARENA_NEW(arena, struct stems), *other = ARENA_NEW(arena, struct stems);
    size_t count = 0;

    add_stems(own, ticket->user_question);
    add_stems(own, ticket->ai_draft);
    for (size_t i = 0; i < resolved->count; i++) {
        const struct ticket *one = &((const struct ticket *)resolved->items)[i];
        size_t overlap;

        other->count = 0;
        add_stems(other, one->user_question);
        add_stems(other, one->operator_response);
        add_stems(other, one->ai_draft);
        overlap = common_stems(own, other);
        if (overlap && strcmp(one->id, ticket->id) != 0)
            likenesses[count++] = (struct likeness){
                *one, overlap, (double)overlap / (double)(own->count + other->count - overlap)};
    }
    return count;
}

enum error ticket_similar(const struct conversation_call *call, const struct ticket *ticket,
                          size_t most, struct object_list *rows)
{
    struct object_list resolved;
    struct likeness *likenesses;
    struct ticket *items = ARENA_ARRAY(call->arena, struct ticket, most + 1);
    size_t count;
    const struct ticket_filter filter = {"resolved", "", "", RESOLVED_LOOKED_AT, 0};
    int64_t total;
    enum error error = ticket_list(call, &filter, &resolved, &total);

    *rows = (struct object_list){.items = items};
    if (error)
        return error;
    likenesses = ARENA_ARRAY(call->arena, struct likeness, resolved.count + 1);
    count = compare_all(ticket, &resolved, call->arena, likenesses);
    qsort(likenesses, count, sizeof *likenesses, most_alike_first);
    for (; rows->count < count && rows->count < most; rows->count++)
        items[rows->count] = likenesses[rows->count].ticket;
    return ERROR_NONE;
}
