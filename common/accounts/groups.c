/* Names of groups: checked, sorted, printed. */
#include "accounts/groups.h"

#include "base/json.h"
#include "base/string_list.h"
#include "base/text.h"
#include "text/fold.h"

#include <stdlib.h>
#include <string.h>

enum { JSON_MAX = 1 << 16, TEXT_MAX = 1 << 14 };

static bool is_name(struct arena *arena, const char *text)
{
    char *filled = arena_copy_string(arena, text);

    for (char *at = filled; *at; at++)
        if (*at == ' ')
            *at = '_';
    return *filled && !strchr(filled, ',') && !text_has_invisible(filled) &&
           utf8_count(filled) <= GROUP_NAME_MAX;
}

void groups_sort(struct string_list *names)
{
    size_t kept = 0;

    if (names->count)
        qsort(names->items, names->count, sizeof *names->items, string_list_order);
    for (size_t i = 0; i < names->count; i++)
        if (!kept || strcmp(names->items[kept - 1], names->items[i]) != 0)
            names->items[kept++] = names->items[i];
    names->count = kept;
}

enum error groups_read(struct arena *arena, const struct string_list *names,
                       struct string_list *groups, struct problem *problem)
{
    struct string_list list = {0, ARENA_ARRAY(arena, const char *, names->count + 1)};

    for (size_t i = 0; i < names->count; i++) {
        const char *name = text_trimmed(arena, names->items[i], strlen(names->items[i]));

        if (!is_name(arena, name))
            return problem_set(problem, ERROR_INVALID, "group_invalid",
                               "the name of a group has 1 to %d characters and no comma",
                               GROUP_NAME_MAX);
        list.items[list.count++] = name;
    }
    groups_sort(&list);
    if (list.count > GROUPS_MAX)
        return problem_set(problem, ERROR_INVALID, "group_invalid", "at most %d groups",
                           GROUPS_MAX);
    *groups = list;
    return ERROR_NONE;
}

enum error groups_of_text(struct arena *arena, const char *text, struct string_list *groups,
                          struct problem *problem)
{
    size_t most = strlen(text) + 1;
    struct string_list names = {0, ARENA_ARRAY(arena, const char *, most)};
    const char *trimmed = text_trimmed(arena, text, strlen(text));

    if (!*trimmed || strcmp(trimmed, "none") == 0)
        return groups_read(arena, &names, groups, problem);
    for (const char *at = trimmed;; at++) {
        size_t length = strcspn(at, ",");

        names.items[names.count++] = arena_copy(arena, at, length);
        at += length;
        if (!*at)
            break;
    }
    return groups_read(arena, &names, groups, problem);
}

const char *groups_text(struct arena *arena, const struct string_list *groups)
{
    struct text text;

    if (!groups->count)
        return "none";
    text_start(&text, arena, TEXT_MAX);
    for (size_t i = 0; i < groups->count; i++) {
        text_append_string(&text, i ? ", " : "");
        text_append_string(&text, groups->items[i]);
    }
    return text.bytes;
}

const char *groups_json(struct arena *arena, const struct string_list *groups)
{
    return json_of_strings(arena, JSON_MAX, groups->items, groups->count);
}
