/* Lists of strings, and strings without the blanks round them. */
#include "base/string_list.h"
#include "base/text.h"
#include "test.h"

#include <stdlib.h>

TEST(strings_are_found_and_added_once)
{
    const char *items[3] = {"b", "a"};
    struct string_list list = {2, items};

    string_list_add_new(&list, "a");
    CHECK_INT(list.count, 2);
    string_list_add_new(&list, "A");
    CHECK_INT(list.count, 3);
    CHECK(string_list_has(&list, "A"));
    CHECK(!string_list_has(&list, "ab"));
    CHECK(!string_list_has(&list, NULL));
    qsort(list.items, list.count, sizeof list.items[0], string_list_order);
    CHECK_TEXT(list.items[0], "A");
    CHECK_TEXT(list.items[2], "b");
}

TEST(blanks_round_a_text_are_left_out)
{
    struct arena *arena = arena_create(4096);

    CHECK_TEXT(text_trimmed(arena, " \t\r\n\f\va b \n", 11), "a b");
    CHECK_TEXT(text_trimmed(arena, " a,b", 2), "a");
    CHECK_TEXT(text_trimmed(arena, "  ", 2), "");
    CHECK_TEXT(text_trimmed(arena, "", 0), "");
    arena_destroy(arena);
}

TEST_MAIN(CASE(strings_are_found_and_added_once), CASE(blanks_round_a_text_are_left_out))
