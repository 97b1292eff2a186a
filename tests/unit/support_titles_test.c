/* Titles of a chunk: its headings, and questions in a line of their own. */
#include "test.h"

#include "support/documents/titles.h"

#include <string.h>

static struct arena *arena;

static void expect(const char *body, const char *const *titles)
{
    struct title_list list;
    size_t count = 0;

    titles_of(arena, body, strlen(body), &list);
    for (; titles[count]; count++)
        CHECK_TEXT(count < list.count ? list.items[count] : "none", titles[count]);
    CHECK_INT(list.count, count);
}

TEST(headings_and_questions_are_titles)
{
    expect("## Returns\n\nWithin 14 days.\n", (const char *[]){"Returns", NULL});
    expect("How long is the warranty?\nTwo years.\n\n**Q: Who pays the parcel?**\nWe do.\n",
           (const char *[]){"How long is the warranty?", "Who pays the parcel?", NULL});
    expect("1. Wie lange dauert der Versand?\r\nZwei Tage.\r\n退款需要多长时间？\n五天。\n",
           (const char *[]){"Wie lange dauert der Versand?", "退款需要多长时间？", NULL});
}

TEST(sentences_and_rows_of_tables_are_not)
{
    char line[400];

    memset(line, 'a', sizeof line);
    memcpy(line + sizeof line - 3, "?\n", 3);
    expect("Orders arrive within two days.\n| How? | Why? |\n|---|---|\n", (const char *[]){NULL});
    expect(line, (const char *[]){NULL});
    expect("", (const char *[]){NULL});
    expect("##\n\n-\n", (const char *[]){NULL});
}

TEST(no_more_than_a_chunk_can_have)
{
    struct title_list list;
    char body[200 * 5 + 1] = "";

    for (int i = 0; i < 200; i++)
        memcpy(body + (size_t)i * 5, "# ab\n", 6);
    titles_of(arena, body, strlen(body), &list);
    CHECK_INT(list.count, TITLES_MAX);
}

TEST(a_passage_knows_its_title)
{
    static const char body[] = "## Fees\n\nNone.\n\nWho pays the parcel?\nWe do.\n";
    struct passage_list passages = passages_of(arena, body, strlen(body));

    CHECK_INT(passages.count, 2);
    CHECK(title_is_above("Fees", &passages.items[0]));
    CHECK(!title_is_above("Who pays the parcel?", &passages.items[0]));
    CHECK(title_is_above("Who pays the parcel?", &passages.items[1]));
}

int main(void)
{
    static const struct test_case cases[] = {
        {"titles", test_headings_and_questions_are_titles},
        {"no titles", test_sentences_and_rows_of_tables_are_not},
        {"limit", test_no_more_than_a_chunk_can_have},
        {"passages", test_a_passage_knows_its_title},
    };
    int failed;

    arena = arena_create((size_t)1 << 24);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
