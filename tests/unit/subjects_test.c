/* Where documents without headings change their subject, and the chunks that this makes. */
#include "support/documents/chunk.h"
#include "test.h"

#include <string.h>

static struct arena *arena;

static const char two_subjects[] =
    "The warranty lasts two years. The warranty covers faults of the material. A fault must be "
    "reported under the warranty in writing. The warranty ends when the material was opened. "
    "Parcels leave our depot at noon. A parcel within the city arrives at noon of the next day. "
    "Parcels abroad leave the depot on Monday. Each parcel has a number from the depot.";

TEST(words_tell_where_the_subject_changes)
{
    const struct subject_meter words = {NULL, NULL};
    struct subject_list list = subjects_of(arena, two_subjects, strlen(two_subjects), &words);

    CHECK_INT(list.count, 2);
    CHECK_INT(strncmp(two_subjects + list.starts[1], "Parcels leave", 13), 0);
    list = subjects_of(arena, "One. Two. Three.", 16, &words);
    CHECK_INT(list.count, 1);
    list = subjects_of(arena, "", 0, &words);
    CHECK_INT(list.count, 1);
}

/* Distances of a model: the third sentence is unlike the second. */
static bool measure(void *context, struct arena *memory, const char *const *texts, size_t count,
                    double *distances)
{
    (void)memory, (void)texts;
    for (size_t i = 0; i + 1 < count; i++)
        distances[i] = i == 1 ? 0.9 : 0.1;
    return *(bool *)context;
}

TEST(vectors_decide_where_there_are_some)
{
    bool works = true;
    const struct subject_meter vectors = {measure, &works};
    const struct chunk_options options = {800, 200, false, &vectors};
    const struct chunk_options by_headings = {800, 200, true, &vectors};
    struct chunk_list list = {0};

    chunk_text(arena, two_subjects, strlen(two_subjects), 0, &options, &list);
    CHECK_INT(list.count, 2);
    CHECK_INT(strncmp(list.items[1].body, "A fault must", 12), 0);
    works = false;
    list.count = 0;
    chunk_text(arena, two_subjects, strlen(two_subjects), 7, &options, &list);
    CHECK_INT(list.count, 2);
    CHECK_INT(strncmp(list.items[1].body, "Parcels leave", 13), 0);
    CHECK_INT(list.items[1].page, 7);
    list.count = 0;
    chunk_text(arena, two_subjects, strlen(two_subjects), 0, &by_headings, &list);
    CHECK_INT(list.count, 1);
}

TEST(long_parts_are_split_as_others_are)
{
    const struct subject_meter words = {NULL, NULL};
    const struct chunk_options options = {120, 20, false, &words};
    struct chunk_list list = {0};

    chunk_text(arena, two_subjects, strlen(two_subjects), 0, &options, &list);
    CHECK(list.count >= 4);
    for (size_t i = 0; i < list.count; i++)
        CHECK(list.items[i].length <= 120 &&
              !(strstr(list.items[i].body, "arranty") && strstr(list.items[i].body, "arcel")));
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(words_tell_where_the_subject_changes),
        CASE(vectors_decide_where_there_are_some),
        CASE(long_parts_are_split_as_others_are),
    };
    int failed;

    arena = arena_create((size_t)1 << 26);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
