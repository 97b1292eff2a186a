/* The differences of two documents, path by path. */
#include "experiments/audit/audit_store.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

enum { DIFF_BYTES_MAX = 16 * 1024 * 1024 };

struct leaf {
    const char *path;
    const json_t *value;
};

struct leaves {
    struct arena *arena;
    size_t count;
    struct leaf *items;
};

static void add_leaf(struct leaves *leaves, const char *path, const json_t *value)
{
    *LIST_ADD(leaves->arena, leaves) = (struct leaf){path, value};
}

/* Objects are walked, everything else is a leaf; an empty object gives none. */
static void flatten(struct leaves *leaves, const char *path, const json_t *value)
{
    json_t *object = (json_t *)(uintptr_t)value; /* iterated, not changed */

    if (!json_is_object(value)) {
        add_leaf(leaves, path, value);
        return;
    }
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        const char *key = json_object_iter_key(at);

        flatten(leaves, *path ? arena_print(leaves->arena, "%s.%s", path, key) : key,
                json_object_iter_value(at));
    }
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct leaf *)a)->path, ((const struct leaf *)b)->path);
}

static struct leaves sorted_leaves(struct arena *arena, const json_t *document)
{
    struct leaves leaves = {.arena = arena};

    if (document)
        flatten(&leaves, "", document);
    if (leaves.count)
        qsort(leaves.items, leaves.count, sizeof leaves.items[0], by_path);
    return leaves;
}

static void write_side(struct json_writer *writer, const json_t *value)
{
    if (value)
        writer_value(writer, value);
    else
        writer_null(writer);
}

/* A side that is missing counts as null. */
static bool is_same(const json_t *before, const json_t *after)
{
    if (!before || !after)
        return json_is_null(before ? before : after);
    return json_equal(before, after);
}

static void write_change(struct json_writer *writer, const char *path, const json_t *before,
                         const json_t *after)
{
    if (is_same(before, after))
        return;
    writer_key(writer, path);
    writer_open_array(writer);
    write_side(writer, before);
    write_side(writer, after);
    writer_close_array(writer);
}

const char *audit_diff(struct arena *arena, const json_t *before, const json_t *after)
{
    struct leaves old = sorted_leaves(arena, before), new = sorted_leaves(arena, after);
    struct text text;
    struct json_writer writer;
    size_t i = 0, j = 0;

    text_start(&text, arena, DIFF_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    while (i < old.count || j < new.count) {
        int order = i == old.count   ? 1
                    : j == new.count ? -1
                                     : strcmp(old.items[i].path, new.items[j].path);
        const struct leaf *left = order <= 0 ? &old.items[i++] : NULL;
        const struct leaf *right = order >= 0 ? &new.items[j++] : NULL;

        write_change(&writer, left ? left->path : right->path, left ? left->value : NULL,
                     right ? right->value : NULL);
    }
    writer_close_object(&writer);
    return text.length > 2 && !text.overflowed ? text.bytes : NULL;
}
