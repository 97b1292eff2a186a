/* SQL of slugs, and how they are made of names. */
#include "experiments/projects/project_slug.h"

#include "base/clock.h"
#include "crypto/token.h"
#include "db/query.h"
#include "text/fold.h"

#include <stdio.h>
#include <string.h>

enum {
    NAME_PART_MAX = 60, /* of a slug that is made of a name */
    ID_PART = 8,        /* characters of the id at the end of a slug that was taken */
    SLUG_BATCH = 50
};

static const struct statement insert_slug = {
    .name = "flag_slug_insert",
    .sql = "INSERT INTO flags (experiment_id, slug) VALUES (?, ?) ON CONFLICT DO NOTHING",
};
static const struct statement unnamed_projects = {
    .name = "projects_without_slug", /* in the order of projects_by_creation */
    .sql = "SELECT p.id, p.project_name, p.created_at FROM projects p WHERE p.archived = ?"
           " AND (p.created_at, p.id) > (?, ?) AND NOT EXISTS"
           " (SELECT 1 FROM flags f WHERE f.experiment_id = p.id) ORDER BY p.created_at, p.id"
           " LIMIT ?",
};

static bool is_word(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9');
}

bool slug_is_valid(const char *text)
{
    size_t length = strlen(text);

    if (length > SLUG_MAX || !is_word(text[0]))
        return false;
    for (size_t i = 1; i < length; i++)
        if (!is_word(text[i]) && !strchr("._-", text[i]))
            return false;
    return true;
}

const char *slug_of_name(struct arena *arena, const char *name)
{
    char *slug = arena_alloc(arena, NAME_PART_MAX + 1);
    size_t length = 0;

    for (const char *at = text_fold(arena, name); *at && length < NAME_PART_MAX; at++) {
        if (is_word(*at))
            slug[length++] = *at;
        else if (length && slug[length - 1] != '-')
            slug[length++] = '-';
    }
    while (length && slug[length - 1] == '-')
        length--;
    slug[length] = '\0';
    return length ? slug : "project";
}

static enum error insert(struct db *db, const char *id, const char *slug, int64_t *added,
                         struct problem *problem)
{
    struct query *query = db_query(db, &insert_slug);

    query_bind_text(query, id);
    query_bind_text(query, slug);
    *added = query_changes(query);
    return query_end(query, problem);
}

enum error project_add_slug(struct db *db, struct arena *arena, const char *id, const char *name,
                            struct problem *problem)
{
    const char *slug = slug_of_name(arena, name);
    int64_t added;
    enum error error = insert(db, id, slug, &added, problem);

    if (!error && !added)
        error = insert(db, id, arena_print(arena, "%s-%.*s", slug, ID_PART, id), &added, problem);
    if (!error && !added) /* two ids with the same beginning */
        error = insert(db, id, id, &added, problem);
    return error;
}

/* A way through the projects, batch by batch. It goes on behind the last project that it named: a
 * batch from the beginning would pass over all those before. */
struct walk {
    struct db *db;
    struct arena *arena; /* of one batch */
    bool archived;
    char created_at[CLOCK_TEXT_MAX], id[TOKEN_UUID_TEXT];
    int count; /* of the batch */
};

static enum error find_unnamed(struct walk *walk, const char **ids, const char **names,
                               struct problem *problem)
{
    struct query *query = db_query(walk->db, &unnamed_projects);

    query_bind_boolean(query, walk->archived);
    query_bind_text(query, walk->created_at);
    query_bind_text(query, walk->id);
    query_bind_integer(query, SLUG_BATCH);
    for (walk->count = 0; walk->count < SLUG_BATCH && query_next(query); walk->count++) {
        ids[walk->count] = query_text(query, 0, walk->arena);
        names[walk->count] = query_text(query, 1, walk->arena);
        (void)snprintf(walk->created_at, sizeof walk->created_at, "%s",
                       query_text(query, 2, walk->arena));
    }
    if (walk->count)
        (void)snprintf(walk->id, sizeof walk->id, "%s", ids[walk->count - 1]);
    return query_end(query, problem);
}

/* The oldest projects first: they get the shorter slugs. */
static enum error name_locked(struct walk *walk, struct problem *problem)
{
    const char *ids[SLUG_BATCH], *names[SLUG_BATCH];
    enum error error = db_lock(walk->db, "project_slugs", problem); /* of all workers that start */

    if (!error)
        error = find_unnamed(walk, ids, names, problem);
    for (int i = 0; !error && i < walk->count; i++)
        error = project_add_slug(walk->db, walk->arena, ids[i], names[i], problem);
    return error;
}

static enum error name_all(struct walk *walk, struct problem *problem)
{
    enum error error;

    do {
        error = db_begin(walk->db, DB_WRITE, problem);
        if (!error)
            error = db_finish(walk->db, name_locked(walk, problem), problem);
        arena_reset(walk->arena);
    } while (!error && walk->count == SLUG_BATCH);
    return error;
}

enum error project_slugs_missing(struct db *db, struct problem *problem)
{
    struct arena *arena = arena_create((size_t)1 << 30);
    enum error error = ERROR_NONE;

    if (!arena)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    for (int archived = 0; !error && archived < 2; archived++) {
        struct walk walk = {.db = db, .arena = arena, .archived = archived};

        error = name_all(&walk, problem);
    }
    arena_destroy(arena);
    return error;
}
