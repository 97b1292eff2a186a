/* Lists that grow in an arena. */
#include "base/list.h"
#include "base/optional.h"
#include "test.h"

TEST(a_list_keeps_its_items_as_it_grows)
{
    struct arena *arena = arena_create(1 << 20);
    struct integer_list list = {0};

    for (int64_t i = 0; i < 1000; i++) {
        int64_t *added = LIST_ADD(arena, &list);

        CHECK_INT(*added, 0);
        *added = i;
    }
    CHECK_INT(list.count, 1000);
    for (int64_t i = 0; i < 1000; i++)
        CHECK_INT(list.items[i], i);
    arena_destroy(arena);
}

TEST(members_of_other_names_grow_alike)
{
    struct arena *arena = arena_create(1 << 20);
    const char **names = NULL;
    size_t count = 0;

    for (size_t i = 0; i < 20; i++)
        *ARRAY_ADD(arena, names, count) = i % 2 ? "odd" : "even";
    CHECK_INT(count, 20);
    CHECK_TEXT(names[0], "even");
    CHECK_TEXT(names[19], "odd");
    arena_destroy(arena);
}

/* Doubling gives up at most as much memory as the list itself takes, and once more. */
TEST(the_copies_of_a_list_are_bounded)
{
    struct arena *arena = arena_create(1 << 20);
    struct integer_list list = {0};

    for (int64_t i = 0; i < 1024; i++)
        *LIST_ADD(arena, &list) = i;
    CHECK(arena_used(arena) <= 2 * 1024 * sizeof *list.items);
    arena_destroy(arena);
}

TEST_MAIN(CASE(a_list_keeps_its_items_as_it_grows), CASE(members_of_other_names_grow_alike),
          CASE(the_copies_of_a_list_are_bounded))
