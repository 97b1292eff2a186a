/* What an answer may build on: the messages before it, without answers that stand on a document
 * which is deleted or hidden from the reader since. */
#include "base/list.h"
#include "base/string_list.h"
#include "support/conversation/conversation.h"
#include "support/traces/readable.h"

#include <string.h>

static bool is_answer(const struct session_message *row)
{
    return strcmp(row->role, "assistant") == 0 && !row->from_person;
}

static struct string_list cited_by(struct arena *arena, const struct session_message *row)
{
    struct string_list list = {0};
    const json_t *citation;
    size_t i;

    json_array_foreach(json_object_get(row->answer, "citations"), i, citation)
    {
        const char *doc_id = json_string_value(json_object_get(citation, "doc_id"));

        if (doc_id && !string_list_has(&list, doc_id))
            *ARRAY_ADD(arena, list.items, list.count) = doc_id;
    }
    return list;
}

static bool has_all(const struct string_list *list, const struct string_list *wanted)
{
    for (size_t i = 0; i < wanted->count; i++)
        if (!string_list_has(list, wanted->items[i]))
            return false;
    return true;
}

/* The cited documents that are still there, and the answers none of whose searches found a document
 * that is now hidden: a model may have written of one without citing it. */
static enum error look_up(const struct conversation_call *call, const struct object_list *rows,
                          struct string_list *cited, struct string_list *there,
                          struct readable_traces *readable)
{
    const struct document_call documents = {call->db, call->arena, call->tenant, call->problem,
                                            call->reader};
    const struct session_message *items = rows->items;
    const char **traces = ARENA_ARRAY(call->arena, const char *, rows->count + 1);
    struct string_list all = {0};
    enum error error;

    for (size_t i = 0; i < rows->count; i++) {
        cited[i] = cited_by(call->arena, &items[i]);
        traces[i] = is_answer(&items[i]) ? items[i].trace_id : NULL;
        for (size_t j = 0; j < cited[i].count; j++)
            *ARRAY_ADD(call->arena, all.items, all.count) = cited[i].items[j];
    }
    error = document_find_present(&documents, &all, there);
    return error ? error : readable_traces_find(&documents, traces, rows->count, readable);
}

enum error session_history(const struct conversation_call *call, const char *id,
                           struct graph_message **messages, size_t *count)
{
    struct string_list *cited = ARENA_ARRAY(call->arena, struct string_list, GRAPH_HISTORY_MAX);
    struct string_list there = {0};
    struct readable_traces readable = {.all = true};
    const struct session_message *items;
    struct object_list rows;
    enum error error = session_messages(call, id, &rows);

    *messages = ARENA_ARRAY(call->arena, struct graph_message, GRAPH_HISTORY_MAX);
    *count = 0;
    if (!error && rows.count)
        error = look_up(call, &rows, cited, &there, &readable);
    items = rows.items;
    for (size_t i = 0; !error && i < rows.count; i++) {
        const struct session_message *row = &items[i];

        if (row->withheld || !has_all(&there, &cited[i]) ||
            (is_answer(row) && !trace_is_readable(&readable, row->trace_id)))
            continue;
        (*messages)[(*count)++] = (struct graph_message){row->role, row->content};
    }
    return error;
}
