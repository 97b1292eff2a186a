/* Merges segments to keep a tenant's number of segments small. Each upload adds one; the smallest
 * ones are merged in one transaction, which fails when another process changed them meanwhile. */
#include "search/search.h"
#include "support/documents/ingest.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    MERGE_LEAST = 8,      /* segments at a time */
    MERGE_MOST = 64,      /* at a time, because each is mapped */
    MERGE_BYTES = 1 << 28 /* segments as large as this stay as they are */
};

static int by_bytes(const void *left, const void *right)
{
    const struct segment_row *a = *(const struct segment_row *const *)left;
    const struct segment_row *b = *(const struct segment_row *const *)right;

    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

static int by_name(const void *left, const void *right)
{
    const struct segment_row *a = *(const struct segment_row *const *)left;
    const struct segment_row *b = *(const struct segment_row *const *)right;

    return strcmp(a->name, b->name);
}

/* Selects the smallest segments in the order of their names, as many as needed. */
static const struct segment_row **choose(struct arena *arena, const struct segment_rows *rows,
                                         size_t *count)
{
    const struct segment_row **small =
        ARENA_ARRAY(arena, const struct segment_row *, rows->count + 1);
    size_t wanted = rows->count + 2 - INGEST_SEGMENTS_FEW, found = 0;

    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].bytes < MERGE_BYTES)
            small[found++] = &rows->items[i];
    qsort(small, found, sizeof(struct segment_row *), by_bytes);
    wanted = wanted < MERGE_LEAST ? MERGE_LEAST : wanted > MERGE_MOST ? MERGE_MOST : wanted;
    *count = found < wanted ? found : wanted;
    qsort(small, *count, sizeof(struct segment_row *), by_name);
    return small;
}

/* Deletes the replaced segments; workers that have them mapped keep them. */
static void remove_files(const char *folder, const char *const *names, size_t count,
                         struct arena *arena)
{
    for (size_t i = 0; i < count; i++)
        unlink(arena_print(arena, "%s/%s", folder, names[i]));
}

static enum error swap_merged(const struct document_call *call, const char *folder,
                              const char *const *old, size_t count, const struct search_segment *to,
                              const char *vectors)
{
    struct segment_row fresh = {.name = to->name, .bytes = to->bytes, .vectors = vectors};
    enum error error = search_segment_documents(folder, to, call->arena, &fresh.document,
                                                &fresh.count, call->problem);

    if (!error)
        error = document_swap_segments(call, old, count, &fresh, true);
    if (error || !fresh.count) /* another process was faster, or all documents are tombstoned */
        unlink(arena_print(call->arena, "%s/%s", folder, to->name));
    return error;
}

/* The model if all of them have its vectors; else NULL. */
static const char *same_vectors(const struct segment_row *const *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!rows[i]->vectors || strcmp(rows[i]->vectors, rows[0]->vectors) != 0)
            return NULL;
    return rows[0]->vectors;
}

static enum error merge_rows(const struct document_call *call,
                             const struct support_settings *settings,
                             const struct segment_row *const *rows, size_t count)
{
    const char *folder = ingest_index_folder(call->arena, settings, call->tenant);
    struct search_segment *segments = ARENA_ARRAY(call->arena, struct search_segment, count);
    struct search_segment merged = {.name = ingest_segment_name(call->arena)};
    const char **names = ARENA_ARRAY(call->arena, const char *, count);
    enum error error;

    for (size_t i = 0; i < count; i++) {
        segments[i] = ingest_as_segment(call->arena, rows[i]);
        names[i] = rows[i]->name;
    }
    error = search_merge(folder, segments, count, merged.name, &merged.bytes, call->problem);
    if (!error)
        error = ingest_share_segment(call, settings, merged.name);
    if (!error)
        error = swap_merged(call, folder, names, count, &merged, same_vectors(rows, count));
    if (!error)
        remove_files(folder, names, count, call->arena);
    return error;
}

/* `done` when there was nothing to merge. */
static enum error merge_once(const struct document_call *call,
                             const struct support_settings *settings, bool *done)
{
    const struct segment_row **chosen;
    struct segment_rows rows;
    int64_t version;
    size_t count = 0;
    enum error error = document_segments(call, &version, &rows);

    *done = error || rows.count < INGEST_SEGMENTS_FEW;
    if (*done)
        return error;
    chosen = choose(call->arena, &rows, &count);
    *done = count < 2;
    error = *done ? ERROR_NONE : merge_rows(call, settings, chosen, count);
    return error == ERROR_CONFLICT ? ERROR_NONE : error; /* again, with what is there now */
}

static void close_lock(void *lock)
{
    close((int)(intptr_t)lock);
}

enum error ingest_merge(const struct document_call *call, const struct support_settings *settings,
                        int most)
{
    const char *folder = ingest_index_folder(call->arena, settings, call->tenant);
    const char *path = arena_print(call->arena, "%s/.merging", folder);
    struct arena_guard *guard = arena_guard(call->arena, close_lock);
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool done = false;
    enum error error = ERROR_NONE;

    if (lock < 0)
        return problem_set(call->problem, ERROR_UNAVAILABLE, "index_not_locked",
                           "the folder of the index cannot be written");
    guard->thing = (void *)(intptr_t)lock; /* closing it ends the lock */
    if (flock(lock, LOCK_EX | LOCK_NB) == 0)
        for (int i = 0; !error && !done && (!most || i < most); i++)
            error = merge_once(call, settings, &done);
    arena_guard_end(guard);
    return error;
}
