/* Rows are read in pages by tenant and key. */
#include "livedata/maintenance/own_index.h"

#include "db/query.h"
#include "livedata/search/search.h"

enum { PAGE = 500, PAGE_MEMORY = 256 * 1024 * 1024 };

struct row_key {
    const char *tenant, *key;
};

static enum error read_page(const struct storage_call *call, const struct entity_type *type,
                            const struct row_key *after, struct row_key keys[PAGE], size_t *count)
{
    struct query *query = db_query(call->db, &type->table->own->keys);

    *count = 0;
    query_bind_text(query, after->tenant);
    query_bind_text(query, after->key);
    query_bind_integer(query, PAGE);
    while (*count < PAGE && query_next(query))
        keys[(*count)++] =
            (struct row_key){query_text(query, 0, call->arena), query_text(query, 1, call->arena)};
    return query_end(query, call->problem);
}

static enum error index_row(const struct storage_call *page, const struct entity_type *type,
                            const struct row_key *key)
{
    struct storage_call call = *page;
    struct entity_row row;
    bool found = false;
    enum error error;

    call.tenant = key->tenant;
    error = entity_row_read(&call, type->table, key->key, &row, &found);
    return error || !found ? error : search_index_row(&call, type, &row);
}

/* Beyond the memory of the page. */
static struct row_key keep_key(struct arena *arena, const struct row_key *key)
{
    return (struct row_key){arena_copy_string(arena, key->tenant),
                            arena_copy_string(arena, key->key)};
}

static enum error index_pages(const struct storage_call *call, const struct entity_type *type,
                              struct arena *arena)
{
    struct storage_call page = *call;
    struct row_key after = {"", ""}, keys[PAGE];
    enum error error = ERROR_NONE;
    size_t count = PAGE;

    page.arena = arena;
    while (!error && count == PAGE) {
        error = read_page(&page, type, &after, keys, &count);
        for (size_t i = 0; !error && i < count; i++)
            error = index_row(&page, type, &keys[i]);
        if (!error && count)
            after = keep_key(call->arena, &keys[count - 1]);
        arena_reset(arena);
    }
    return error;
}

static enum error read_lost(const struct storage_call *call, const struct entity_type *type,
                            const struct row_key *after, struct row_key keys[PAGE], size_t *count)
{
    struct query *query = db_query(call->db, &type->table->own->lost);

    *count = 0;
    query_bind_text(query, type->name);
    query_bind_text(query, after->tenant);
    query_bind_text(query, type->name);
    query_bind_text(query, after->key);
    query_bind_integer(query, PAGE);
    while (*count < PAGE && query_next(query))
        keys[(*count)++] =
            (struct row_key){query_text(query, 0, call->arena), query_text(query, 1, call->arena)};
    return query_end(query, call->problem);
}

static enum error forget_lost(const struct storage_call *call, const struct entity_type *type,
                              struct arena *arena)
{
    struct storage_call page = *call;
    struct row_key after = {"", ""}, keys[PAGE];
    enum error error = ERROR_NONE;
    size_t count = PAGE;

    page.arena = arena;
    while (!error && count == PAGE) {
        error = read_lost(&page, type, &after, keys, &count);
        for (size_t i = 0; !error && i < count; i++) {
            page.tenant = keys[i].tenant;
            error = search_forget_row(&page, type, keys[i].key);
        }
        if (!error && count)
            after = keep_key(call->arena, &keys[count - 1]);
        arena_reset(arena);
    }
    return error;
}

enum error own_index_rows(const struct storage_call *call, const struct entity_type *type)
{
    struct arena *arena = arena_create(PAGE_MEMORY);
    enum error error;

    if (!arena)
        return problem_set(call->problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    error = index_pages(call, type, arena);
    if (!error)
        error = forget_lost(call, type, arena);
    arena_destroy(arena);
    return error;
}
