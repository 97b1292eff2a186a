/* A cluster of tickets: the first ticket and later ones that share a fifth of its words. */
#include "support/trends/article_generation.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/schema.h"
#include "db/query.h"
#include "support/answer/graph.h"
#include "support/documents/draft_store.h"
#include "support/traces/redact.h"
#include "text/words.h"

#include <string.h>

enum {
    TICKETS_MOST = 2000,
    TOKENS_MOST = 64,
    WORD_LEAST = 3,
    CLUSTER_LEAST = 3,
    SHOWN_MOST = 10, /* tickets of a cluster, to the model */
    MESSAGE_MOST = 1 << 18,
    TOPIC_CHARACTERS = 120,
    TOPIC_MOST = 255,
    CONTENT_CHARACTERS = 20000,
    DRAFT_SECONDS = 120,
    SECONDS_A_DAY = 86400
};
static const double alike_from = 0.2;

static const char instructions[] =
    "You write articles of a knowledge base. You are given questions of customers and what the "
    "support team answered. Write one article that answers them, from these answers alone. Leave "
    "out names and data of people. Reply with JSON only: {\"topic\": \"...\", \"content\": "
    "\"...\"}.";

static const struct statement read_tickets = {
    .name = "article_tickets",
    .sql =
        "SELECT id, tenant_id AS tenant, user_question AS question, operator_response AS response"
        " FROM escalated_tickets"
        " WHERE status = 'resolved' AND resolved_at >= {now_plus:?}"
        " AND operator_response IS NOT NULL ORDER BY tenant_id, resolved_at, id LIMIT ?",
};
static const struct statement read_used = {
    .name = "article_used_tickets",
    .sql = "SELECT source_ticket_ids FROM kb_drafts WHERE tenant_id = ? ORDER BY created_at DESC,"
           " id LIMIT ?",
};

struct ticket {
    const char *id, *tenant, *question, *response;
    const char *tokens[TOKENS_MOST];
    size_t token_count;
    bool taken;
};

#define OWNER struct ticket
static const struct field ticket_fields[] = {STRING(OWNER, id), STRING(OWNER, tenant),
                                             STRING(OWNER, question), STRING(OWNER, response)};
#undef OWNER
static SCHEMA(ticket_text_schema, struct ticket, "ResolvedTicket", ticket_fields);

static bool has(const struct ticket *ticket, const char *token)
{
    for (size_t i = 0; i < ticket->token_count; i++)
        if (strcmp(ticket->tokens[i], token) == 0)
            return true;
    return false;
}

static void read_tokens(struct arena *arena, struct ticket *ticket)
{
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, ticket->question, strlen(ticket->question));
    while (ticket->token_count < TOKENS_MOST && word_next(&reader, &word))
        if (utf8_count(word.text) >= WORD_LEAST && !has(ticket, word.text))
            ticket->tokens[ticket->token_count++] = arena_copy_string(arena, word.text);
}

/* Jaccard 1901. */
static bool are_alike(const struct ticket *a, const struct ticket *b)
{
    size_t shared = 0, all;

    for (size_t i = 0; i < a->token_count; i++)
        shared += has(b, a->tokens[i]);
    all = a->token_count + b->token_count - shared;
    return all && (double)shared / (double)all >= alike_from;
}

static enum error read_all(const struct trace_call *call, struct ticket *tickets, size_t *count)
{
    struct query *query = db_query(call->db, &read_tickets);

    query_bind_number(query, -7.0 * SECONDS_A_DAY);
    query_bind_integer(query, TICKETS_MOST);
    for (*count = 0; *count < TICKETS_MOST && query_next(query); ++*count) {
        tickets[*count] = (struct ticket){0};
        query_read(query, &ticket_text_schema, &tickets[*count], call->arena);
        if (tickets[*count].response)
            read_tokens(call->arena, &tickets[*count]);
    }
    return query_end(query, call->problem);
}

static void take_used(const struct trace_call *call, const char *ids, struct ticket *tickets,
                      size_t count)
{
    struct json_fault fault;
    json_t *list = NULL;
    const json_t *id;
    size_t i;

    if (json_read(call->arena, ids, strlen(ids), 2, &list, &fault))
        return;
    json_array_foreach(list, i, id)
    {
        for (size_t j = 0; j < count; j++)
            if (json_is_string(id) && strcmp(json_string_value(id), tickets[j].id) == 0)
                tickets[j].taken = true;
    }
}

/* A ticket that is in any draft, whatever its status, is in no other. */
static enum error leave_out_used(const struct trace_call *call, struct ticket *tickets,
                                 size_t count)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < count && !error; i++) {
        struct query *query;

        if (i && strcmp(tickets[i].tenant, tickets[i - 1].tenant) == 0)
            continue;
        query = db_query(call->db, &read_used);
        query_bind_text(query, tickets[i].tenant);
        query_bind_integer(query, DRAFTS_MOST);
        while (query_next(query))
            take_used(call, query_json(query, 0, call->arena), tickets, count);
        error = query_end(query, call->problem);
    }
    return error;
}

struct cluster {
    struct ticket **members;
    size_t count;
};

static size_t find_clusters(struct arena *arena, struct ticket *tickets, size_t count,
                            struct cluster *clusters)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        struct cluster cluster = {ARENA_ARRAY(arena, struct ticket *, count - i), 0};

        if (tickets[i].taken)
            continue;
        for (size_t j = i; j < count && strcmp(tickets[j].tenant, tickets[i].tenant) == 0; j++)
            if (!tickets[j].taken && (j == i || are_alike(&tickets[i], &tickets[j]))) {
                tickets[j].taken = true;
                cluster.members[cluster.count++] = &tickets[j];
            }
        if (cluster.count >= CLUSTER_LEAST)
            clusters[found++] = cluster;
    }
    return found;
}

static const char *ask_for(const struct trace_call *call, const struct cluster *cluster)
{
    struct text text;

    text_start(&text, call->arena, MESSAGE_MOST);
    for (size_t i = 0; i < cluster->count && i < SHOWN_MOST; i++)
        text_append_format(&text, "Question: %s\nAnswer: %s\n\n",
                           redact_text(call->arena, cluster->members[i]->question),
                           redact_text(call->arena, cluster->members[i]->response));
    return text.bytes;
}

static const char *ids_of(struct arena *arena, const struct cluster *cluster)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, MESSAGE_MOST);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < cluster->count; i++)
        writer_string(&writer, cluster->members[i]->id);
    writer_close_array(&writer);
    return text.bytes;
}

/* Parses the model's reply; a reply that is not such JSON is used as the content. */
static enum error keep(const struct trace_call *call, const struct cluster *cluster,
                       const char *reply)
{
    const struct document_call documents = {call->db, call->arena, cluster->members[0]->tenant,
                                            call->problem};
    const char *begin = strchr(reply, '{'), *end = strrchr(reply, '}'), *topic = NULL,
               *content = NULL, *id;
    struct json_fault fault;
    json_t *document = NULL;

    if (begin && end > begin &&
        !json_read(call->arena, begin, (size_t)(end - begin) + 1, 8, &document, &fault)) {
        topic = json_string_value(json_object_get(document, "topic"));
        content = json_string_value(json_object_get(document, "content"));
    }
    if (!topic || !*topic || !content || !*content) {
        topic = utf8_copy_prefix(call->arena, cluster->members[0]->question, TOPIC_CHARACTERS);
        content = reply;
    }
    return draft_add(
        &documents, utf8_copy_prefix(call->arena, redact_text(call->arena, topic), TOPIC_MOST),
        utf8_copy_prefix(call->arena, redact_text(call->arena, content), CONTENT_CHARACTERS),
        ids_of(call->arena, cluster), &id);
}

static enum error draft(const struct trace_call *call, const struct support_settings *settings,
                        struct models *models, const struct cluster *cluster)
{
    struct models_run run = {.models = models,
                             .db = call->db,
                             .arena = call->arena,
                             .deadline =
                                 clock_monotonic_microseconds() + (int64_t)DRAFT_SECONDS * 1000000};
    const struct llm_message messages[] = {{.role = "system", .content = instructions},
                                           {.role = "user", .content = ask_for(call, cluster)}};
    const struct model_call model_call = {.node = MODEL_GENERATE,
                                          .messages = messages,
                                          .message_count = 2,
                                          .max_tokens = settings->answer_tokens};
    struct models_reply reply;
    bool answered = models_serve(&run, MODEL_GENERATE) && models_ask(&run, &model_call, &reply);
    enum error error = models_book(&run, "drafts", call->problem);

    if (error)
        return error;
    if (!answered)
        return problem_set(call->problem, ERROR_UNAVAILABLE, "no_model",
                           "no model can be reached (LLM_PROVIDER_PROFILE, LLM_NODES)");
    return keep(call, cluster, reply.text);
}

enum error articles_generate(const struct trace_call *call, const struct support_settings *settings,
                             struct models *models, articles_progress *progress, int64_t *created)
{
    struct ticket *tickets = ARENA_ARRAY(call->arena, struct ticket, TICKETS_MOST);
    struct cluster *clusters = ARENA_ARRAY(call->arena, struct cluster, TICKETS_MOST);
    size_t count = 0, found;
    enum error error = read_all(call, tickets, &count);

    *created = 0;
    if (!error)
        error = leave_out_used(call, tickets, count);
    if (error)
        return error;
    found = find_clusters(call->arena, tickets, count, clusters);
    for (size_t i = 0; i < found && !error; i++) {
        error = draft(call, settings, models, &clusters[i]);
        *created += !error;
        if (progress)
            progress(i + 1, found);
    }
    return error;
}
