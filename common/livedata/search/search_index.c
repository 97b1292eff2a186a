/* Maintains the index: one document per row, with the words that its row has in addition to those
 * of its type. */
#include "base/string_list.h"
#include "livedata/search/search.h"
#include "livedata/search/search_words.h"

#include "db/query.h"

#include <stdlib.h>
#include <string.h>

static const struct statement read_doc = {
    .name = "search_doc_read",
    .sql = "SELECT id, words, snippet FROM search_docs WHERE tenant_id = ? AND entity_type = ?"
           " AND entity_id = ?",
};
static const struct statement add_doc = {
    .name = "search_doc_add",
    .sql = "INSERT INTO search_docs (tenant_id, entity_type, entity_id, snippet, words)"
           " VALUES (?, ?, ?, ?, ?) RETURNING id",
};
static const struct statement change_doc = {
    .name = "search_doc_change",
    .sql = "UPDATE search_docs SET snippet = ?, words = ? WHERE tenant_id = ? AND id = ?",
};
static const struct statement put_term = {
    .name = "search_term_put",
    .sql = "INSERT INTO search_terms (tenant_id, term, doc_id, entity_type, times)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT (tenant_id, term, doc_id) DO UPDATE"
           " SET times = excluded.times",
};
static const struct statement drop_term = {
    .name = "search_term_drop",
    .sql = "DELETE FROM search_terms WHERE tenant_id = ? AND term = ? AND doc_id = ?",
};
static const struct statement forget_doc = {
    .name = "search_doc_forget",
    .sql = "DELETE FROM search_docs WHERE tenant_id = ? AND id = ?",
};

struct term {
    const char *word;
    int64_t times;
};
struct terms {
    size_t count;
    struct term *items;
};

/* Distinct words with their counts, sorted. */
static struct terms count_terms(struct arena *arena, struct string_list words)
{
    struct terms terms = {.items = ARENA_ARRAY(arena, struct term, words.count)};

    qsort(words.items, words.count, sizeof words.items[0], string_list_order);
    for (size_t i = 0; i < words.count; i++) {
        if (terms.count && strcmp(terms.items[terms.count - 1].word, words.items[i]) == 0)
            terms.items[terms.count - 1].times++;
        else
            terms.items[terms.count++] = (struct term){words.items[i], 1};
    }
    return terms;
}

static const char *join_terms(struct arena *arena, const struct terms *terms)
{
    struct text text;

    text_start(&text, arena, 1 << 17);
    for (size_t i = 0; i < terms->count; i++)
        text_append_format(&text, "%s %lld ", terms->items[i].word,
                           (long long)terms->items[i].times);
    return text.bytes;
}

static struct terms split_terms(struct arena *arena, const char *joined)
{
    struct terms terms = {.items = ARENA_ARRAY(arena, struct term, strlen(joined) / 4 + 1)};

    while (*joined) {
        size_t length = strcspn(joined, " ");
        char *end;

        terms.items[terms.count].word = arena_copy(arena, joined, length);
        terms.items[terms.count++].times = strtoll(joined + length, &end, 10);
        joined = *end ? end + 1 : end;
    }
    return terms;
}

struct indexing {
    const struct storage_call *call;
    const char *entity_type;
    int64_t doc;
};

static enum error write_term(const struct indexing *indexing, const struct term *term)
{
    struct query *query = db_query(indexing->call->db, &put_term);

    query_bind_text(query, indexing->call->tenant);
    query_bind_text(query, term->word);
    query_bind_integer(query, indexing->doc);
    query_bind_text(query, indexing->entity_type);
    query_bind_integer(query, term->times);
    return query_end(query, indexing->call->problem);
}

static enum error remove_term(const struct indexing *indexing, const struct term *term)
{
    struct query *query = db_query(indexing->call->db, &drop_term);

    query_bind_text(query, indexing->call->tenant);
    query_bind_text(query, term->word);
    query_bind_integer(query, indexing->doc);
    return query_end(query, indexing->call->problem);
}

/* Both lists are sorted: only what differs is written. */
static enum error write_difference(const struct indexing *indexing, const struct terms *old,
                                   const struct terms *new)
{
    enum error error = ERROR_NONE;
    size_t i = 0, j = 0;

    while (!error && (i < old->count || j < new->count)) {
        int order = i == old->count   ? 1
                    : j == new->count ? -1
                                      : strcmp(old->items[i].word, new->items[j].word);

        if (order < 0) {
            error = remove_term(indexing, &old->items[i++]);
        } else if (order > 0) {
            error = write_term(indexing, &new->items[j++]);
        } else {
            if (old->items[i].times != new->items[j].times)
                error = write_term(indexing, &new->items[j]);
            i++;
            j++;
        }
    }
    return error;
}

static enum error insert_doc(struct indexing *indexing, const char *entity_id, const char *snippet,
                             const char *words)
{
    struct query *query = db_query(indexing->call->db, &add_doc);

    query_bind_text(query, indexing->call->tenant);
    query_bind_text(query, indexing->entity_type);
    query_bind_text(query, entity_id);
    query_bind_text(query, snippet);
    query_bind_text(query, words);
    indexing->doc = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, indexing->call->problem);
}

static enum error update_doc(const struct indexing *indexing, const char *snippet,
                             const char *words)
{
    struct query *query = db_query(indexing->call->db, &change_doc);

    query_bind_text(query, snippet);
    query_bind_text(query, words);
    query_bind_text(query, indexing->call->tenant);
    query_bind_integer(query, indexing->doc);
    return query_end(query, indexing->call->problem);
}

struct stored_doc {
    const char *words; /* NULL = there is none */
    const char *snippet;
};

static enum error find_doc(struct indexing *indexing, const char *id, struct stored_doc *doc)
{
    const struct storage_call *call = indexing->call;
    struct query *query = db_query(call->db, &read_doc);

    *doc = (struct stored_doc){NULL};
    query_bind_text(query, call->tenant);
    query_bind_text(query, indexing->entity_type);
    query_bind_text(query, id);
    if (query_next(query)) {
        indexing->doc = query_integer(query, 0);
        doc->words = query_text(query, 1, call->arena);
        doc->snippet = query_text(query, 2, call->arena);
    }
    return query_end(query, call->problem);
}

enum error search_index_row(const struct storage_call *call, const struct entity_type *type,
                            const struct entity_row *row)
{
    struct arena *arena = call->arena;
    const char *snippet = search_row_snippet(arena, type, row);
    const char *id = entity_row_value(row, type->primary_key)->text;
    struct terms new = count_terms(arena, search_tokens(arena, search_row_text(arena, type, row)));
    struct terms old = {0};
    const char *words = join_terms(arena, &new);
    struct indexing indexing = {call, type->name, 0};
    struct stored_doc had;
    enum error error = find_doc(&indexing, id, &had);

    if (error || (had.words && strcmp(had.words, words) == 0 && strcmp(had.snippet, snippet) == 0))
        return error;
    if (had.words)
        old = split_terms(arena, had.words);
    error = had.words ? update_doc(&indexing, snippet, words)
                      : insert_doc(&indexing, id, snippet, words);
    return error ? error : write_difference(&indexing, &old, &new);
}

enum error search_forget_row(const struct storage_call *call, const struct entity_type *type,
                             const char *id)
{
    struct indexing indexing = {call, type->name, 0};
    struct terms old, none = {0};
    struct stored_doc had;
    enum error error = find_doc(&indexing, id, &had);
    struct query *query;

    if (error || !had.words)
        return error;
    old = split_terms(call->arena, had.words);
    error = write_difference(&indexing, &old, &none);
    if (error)
        return error;
    query = db_query(call->db, &forget_doc);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, indexing.doc);
    return query_end(query, call->problem);
}
