/* Knowledge bases in a worker. */
#include "support/answer/knowledge.h"
#include "base/schema.h"
#include "base/text.h"
#include "support/documents/ingest.h"
#include "support/documents/search_engine_view.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MAX = 32, REPAIRS_MAX = 32, ENTRY_BYTES = 96 };

/* Readers with different documents have different indexes over the same mapped files. */
struct entry {
    char name[ENTRY_BYTES]; /* the tenant, and the mark of the reader if he may not read all */
    struct search_index *index;
    int64_t version; /* -1 = not read yet */
    uint64_t used;
    size_t readers; /* questions that have it open, one of which may wait for a model */
    bool removed;   /* from the cache: the last reader frees it */
};

struct knowledge_cache {
    struct entry *entries[ENTRIES_MAX];
    uint64_t clock;
    struct engine_cache *engine;
    struct shm_region *region;
};

struct knowledge_cache *knowledge_cache_create(void)
{
    struct knowledge_cache *cache = calloc(1, sizeof *cache);

    if (cache)
        cache->engine = engine_cache_create();
    if (cache && !cache->engine) {
        free(cache);
        return NULL;
    }
    return cache;
}

void knowledge_cache_share(struct knowledge_cache *cache, struct shm_region *region)
{
    cache->region = region;
}

static void free_entry(struct entry *entry)
{
    search_index_destroy(entry->index);
    free(entry);
}

static void remove_entry(struct entry *entry)
{
    if (!entry)
        return;
    entry->removed = true;
    if (!entry->readers)
        free_entry(entry);
}

/* At the end of a question. */
static void leave_entry(void *thing)
{
    struct entry *entry = thing;

    entry->readers--;
    if (entry->removed && !entry->readers)
        free_entry(entry);
}

void knowledge_cache_destroy(struct knowledge_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < ENTRIES_MAX; i++)
        remove_entry(cache->entries[i]);
    engine_cache_destroy(cache->engine);
    free(cache);
}

/* NULL when out of memory. */
static struct entry *create_entry(const char *name, const char *folder)
{
    struct entry *entry = calloc(1, sizeof *entry);

    if (!entry)
        return NULL;
    memcpy(entry->name, name, strnlen(name, ENTRY_BYTES - 1));
    entry->version = -1;
    entry->index = search_index_create(folder);
    if (entry->index)
        return entry;
    free(entry);
    return NULL;
}

/* The entry of that name, or a new one in place of the least recently used one. NULL when out of
 * memory. */
static struct entry *entry_of(struct knowledge_cache *cache, const char *name, const char *folder)
{
    struct entry **oldest = &cache->entries[0];

    for (size_t i = 0; i < ENTRIES_MAX; i++) {
        struct entry **entry = &cache->entries[i];

        if (*entry && strcmp((*entry)->name, name) == 0) {
            (*entry)->used = ++cache->clock;
            return *entry;
        }
        if (*oldest && (!*entry || (*entry)->used < (*oldest)->used))
            oldest = entry;
    }
    remove_entry(*oldest);
    *oldest = create_entry(name, folder);
    if (*oldest)
        (*oldest)->used = ++cache->clock;
    return *oldest;
}

/* The entry stays until the memory of the question is given back. */
static void read_entry(struct entry *entry, struct arena *arena)
{
    struct arena_guard *guard = arena_guard(arena, leave_entry);

    guard->thing = entry;
    entry->readers++;
}

static int by_value(const void *left, const void *right)
{
    const int64_t one = *(const int64_t *)left, other = *(const int64_t *)right;

    return (one > other) - (one < other);
}

/* What the reader may not read is dead to him. `hidden` is sorted. */
static bool is_dead(const struct segment_row *row, size_t place, const struct integer_list *hidden)
{
    return row->dead[place] ||
           (hidden->count && bsearch(&row->document[place], hidden->items, hidden->count,
                                     sizeof *hidden->items, by_value));
}

static struct search_segment *as_segments(struct arena *arena, const struct segment_rows *rows,
                                          const struct integer_list *hidden)
{
    struct search_segment *segments = ARENA_ARRAY(arena, struct search_segment, rows->count + 1);

    for (size_t i = 0; i < rows->count; i++) {
        const struct segment_row *row = &rows->items[i];
        uint32_t *dead = ARENA_ARRAY(arena, uint32_t, row->count + 1);

        segments[i] = (struct search_segment){.name = row->name, .bytes = row->bytes, .dead = dead};
        for (size_t place = 0; place < row->count; place++) {
            if (is_dead(row, place, hidden))
                dead[segments[i].dead_count++] = (uint32_t)place;
        }
    }
    return segments;
}

/* As one snapshot. */
static enum error read_state(const struct document_call *call, int64_t *version,
                             struct segment_rows *rows, struct integer_list *hidden)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = document_segments(call, version, rows);
    if (!error)
        error = document_hidden_keys(call, hidden);
    return db_finish(call->db, error, call->problem);
}

/* One that came while the search engine was used was never written. Building all of them would take
 * a question too long while the engine is filled; `ingest` does it where it is not used any more.
 */
static bool is_written(const struct segment_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (!rows->items[i].bytes)
            return false;
    return true;
}

static enum error not_indexed(struct problem *problem)
{
    return problem_set(problem, ERROR_UNAVAILABLE, "retrieval_unavailable",
                       "retrieval_unavailable: documents are being indexed");
}

/* A missing segment may have been merged since the rows were read, so the rows are read again
 * first; a segment missing twice is rebuilt. */
static enum error refresh(struct entry *entry, const struct document_call *call,
                          const struct support_settings *settings)
{
    const char *missing = "";

    for (int round = 0; round < REPAIRS_MAX; round++) {
        struct segment_rows rows;
        struct integer_list hidden = {0};
        int64_t version;
        size_t damaged = 0;
        enum error error = read_state(call, &version, &rows, &hidden);

        if (error)
            return error;
        if (search_engine_is_used(settings) && !is_written(&rows))
            return not_indexed(call->problem);
        error = search_index_update(entry->index, as_segments(call->arena, &rows, &hidden),
                                    rows.count, &damaged, call->problem);
        if (!error) {
            entry->version = version;
            return ERROR_NONE;
        }
        entry->version = -1;
        if (error != ERROR_NOT_FOUND)
            return error;
        if (strcmp(missing, rows.items[damaged].name) == 0)
            error = ingest_rebuild(call, settings, &rows.items[damaged]);
        else
            missing = rows.items[damaged].name, error = ERROR_NONE;
        if (error)
            return error;
    }
    return problem_set(call->problem, ERROR_UNAVAILABLE, "index_unavailable",
                       "the knowledge base is being rebuilt");
}

static enum error open_embedded(struct knowledge_cache *cache, const char *name,
                                const struct support_settings *settings,
                                struct knowledge *knowledge)
{
    const struct document_call *call = knowledge->call;
    struct entry *entry =
        entry_of(cache, name, ingest_index_folder(call->arena, settings, call->tenant));
    int64_t version;
    enum error error;

    if (!entry)
        return problem_set(call->problem, ERROR_SYSTEM, "out_of_memory", "no memory for the index");
    read_entry(entry, call->arena);
    error = document_kb_version(call, &version);
    if (!error && entry->version != version)
        error = refresh(entry, call, settings);
    knowledge->index = entry->index;
    knowledge->version = entry->version;
    return error;
}

enum error knowledge_open(struct knowledge_cache *cache, const struct document_call *call,
                          const struct support_settings *settings, struct knowledge *knowledge)
{
    const char *name = arena_print(call->arena, "%s%s%s", call->tenant, call->reader ? ":" : "",
                                   call->reader ? call->reader->mark : "");
    struct engine_view opened = {.view = NULL};
    enum error error = ERROR_NONE;

    *knowledge = (struct knowledge){.call = call};
    if (search_engine_is_used(settings))
        error = engine_view_open(cache->engine, name, call, settings, cache->region, &opened);
    if (error)
        return error;
    if (!opened.view)
        return open_embedded(cache, name, settings, knowledge);
    knowledge->view = opened.view;
    knowledge->index = opensearch_view_index(opened.view);
    knowledge->version = opened.version;
    return ERROR_NONE;
}

enum error knowledge_error(const struct knowledge *knowledge)
{
    return knowledge->view ? engine_view_error(knowledge->view, knowledge->call->problem)
                           : ERROR_NONE;
}

/* What is known of a chunk beside its text. */
struct chunk_metadata {
    const char *source, *doc_id, *title, *file_type, *context_header;
    int64_t chunk_index, version;
    const char *last_updated;
    struct optional_integer page;
    const char *categories; /* JSON */
};

#define OWNER struct chunk_metadata
static const struct field metadata_fields[] = {STRING(OWNER, source),
                                               STRING(OWNER, doc_id),
                                               STRING(OWNER, title),
                                               STRING(OWNER, file_type),
                                               STRING(OWNER, context_header),
                                               INTEGER(OWNER, chunk_index),
                                               INTEGER(OWNER, version),
                                               STRING(OWNER, last_updated),
                                               NULLABLE_INTEGER(OWNER, page, .omit_if_null = true),
                                               WRITTEN_JSON(OWNER, categories)};
#undef OWNER
static SCHEMA(metadata_schema, struct chunk_metadata, "ChunkMetadata", metadata_fields);

static const char *metadata_of(struct arena *arena, const struct chunk_row *row)
{
    return schema_json(arena, 65536, &metadata_schema,
                       &(struct chunk_metadata){.source = row->source,
                                                .doc_id = row->doc_id,
                                                .title = row->title,
                                                .file_type = row->file_type,
                                                .context_header = row->header,
                                                .chunk_index = row->chunk_index,
                                                .version = row->version,
                                                .last_updated = row->last_updated,
                                                .page = row->page,
                                                .categories = row->categories});
}

static void as_chunk(struct arena *arena, const struct chunk_row *row,
                     struct knowledge_chunk *chunk)
{
    *chunk = (struct knowledge_chunk){.key = row->key,
                                      .document = row->document_key,
                                      .doc_id = row->doc_id,
                                      .title = row->title,
                                      .source = row->source,
                                      .language = language_by_code(row->language),
                                      .chunk_index = (int)row->chunk_index,
                                      .page = row->page.given ? (int)row->page.value : 0,
                                      .header = row->header,
                                      .body = row->body,
                                      .metadata = metadata_of(arena, row)};
}

enum error knowledge_read(const struct knowledge *knowledge, int64_t chunk_key,
                          struct knowledge_chunk *chunk, bool *found)
{
    struct chunk_row row;
    enum error error = document_chunk(knowledge->call, chunk_key, &row, found);

    if (!error && *found)
        as_chunk(knowledge->call->arena, &row, chunk);
    return error;
}

/* Adds the neighbors of one chunk, in document order, while they fit. */
struct neighbourhood {
    const struct chunk_row *rows;
    size_t count;
    bool *taken;
};

/* Keys of chunks that are already part of a text. */
struct used_keys {
    int64_t *keys;
    size_t count;
};

static bool is_used(const struct used_keys *used, int64_t key)
{
    for (size_t i = 0; i < used->count; i++) {
        if (used->keys[i] == key)
            return true;
    }
    return false;
}

static void take_neighbours(const struct neighbourhood *around, int middle,
                            const struct expansion *expansion, size_t room, struct used_keys *used)
{
    for (int distance = 1; distance <= expansion->window; distance++) {
        for (int side = -1; side <= 1; side += 2) {
            for (size_t i = 0; i < around->count; i++) {
                const struct chunk_row *row = &around->rows[i];
                size_t length;

                if (row->chunk_index != middle + side * distance || is_used(used, row->key))
                    continue;
                length = utf8_count(row->body);
                if (length > room)
                    continue;
                room -= length;
                around->taken[i] = true;
                used->keys[used->count++] = row->key;
            }
        }
    }
}

static const char *join(struct arena *arena, const struct neighbourhood *around,
                        const struct knowledge_chunk *chunk, bool *expanded)
{
    struct text text;

    text_start(&text, arena, (size_t)1 << 24);
    for (size_t i = 0; i < around->count; i++) {
        bool is_self = around->rows[i].key == chunk->key;

        if (!is_self && !around->taken[i])
            continue;
        if (text.length)
            text_append_string(&text, "\n\n");
        text_append_string(&text, around->rows[i].body);
        *expanded |= !is_self;
    }
    return text.length ? text.bytes : chunk->body;
}

enum error knowledge_expand(const struct knowledge *knowledge,
                            const struct found_chunk *const *chunks, size_t count,
                            const struct expansion *expansion, const char **texts, bool *expanded)
{
    struct arena *arena = knowledge->call->arena;
    struct used_keys used = {
        ARENA_ARRAY(arena, int64_t, count * (size_t)(2 * expansion->window + 1) + 1), 0};

    for (size_t i = 0; i < count; i++)
        used.keys[used.count++] = chunks[i]->chunk.key;
    for (size_t i = 0; i < count; i++) {
        const struct knowledge_chunk *chunk = &chunks[i]->chunk;
        size_t length = utf8_count(chunk->body);
        struct object_list rows;
        struct neighbourhood around;
        enum error error = document_chunks(knowledge->call, chunk->document,
                                           chunk->chunk_index - expansion->window,
                                           chunk->chunk_index + expansion->window, &rows);

        if (error)
            return error;
        around = (struct neighbourhood){rows.items, rows.count,
                                        ARENA_ARRAY(arena, bool, rows.count + 1)};
        if (length < (size_t)expansion->most)
            take_neighbours(&around, chunk->chunk_index, expansion,
                            (size_t)expansion->most - length, &used);
        expanded[i] = false;
        texts[i] = join(arena, &around, chunk, &expanded[i]);
    }
    return ERROR_NONE;
}
