/* The arena: zeroed, aligned, limited, and a jump instead of NULL when memory runs out. */
#include "base/arena.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>

TEST(memory_is_zeroed_and_aligned)
{
    struct arena *arena = arena_create(1 << 20);

    for (size_t size = 0; size < 300; size += 7) {
        unsigned char *memory = arena_alloc(arena, size);

        CHECK((uintptr_t)memory % 16 == 0);
        for (size_t i = 0; i < size; i++)
            CHECK(memory[i] == 0);
        memset(memory, 0xff, size);
    }
    arena_destroy(arena);
}

TEST(reset_gives_everything_back)
{
    struct arena *arena = arena_create(200000);

    for (int round = 0; round < 100; round++) {
        char *memory = arena_alloc(arena, 150000);

        CHECK(memory[149999] == 0);
        memory[149999] = 1;
        arena_reset(arena);
        CHECK_INT(arena_used(arena), 0);
    }
    arena_destroy(arena);
}

TEST(limit_jumps_to_the_recovery_point)
{
    struct arena *arena = arena_create(4096);
    jmp_buf recovery;
    volatile int jumped = 0;

    if (setjmp(recovery) == 0) {
        arena_on_exhausted(arena, &recovery);
        for (;;)
            arena_alloc(arena, 1000);
    } else {
        jumped = 1;
    }
    CHECK(jumped);
    CHECK(arena_used(arena) <= 4096);
    CHECK(arena_try_alloc(arena, 4096) == NULL);
    CHECK(arena_try_alloc(arena, SIZE_MAX) == NULL);
    arena_destroy(arena);
}

TEST(array_overflow_is_exhaustion)
{
    struct arena *arena = arena_create(SIZE_MAX);
    jmp_buf recovery;
    volatile int jumped = 0;

    if (setjmp(recovery) == 0) {
        arena_on_exhausted(arena, &recovery);
        arena_alloc_array(arena, SIZE_MAX / 2, 4);
    } else {
        jumped = 1;
    }
    CHECK(jumped);
    arena_destroy(arena);
}

TEST(the_nth_allocation_can_be_made_to_fail)
{
    struct arena *arena = arena_create(1 << 20);

    arena_fail_after(arena, 3);
    CHECK(arena_try_alloc(arena, 1) != NULL);
    CHECK(arena_try_alloc(arena, 1) != NULL);
    CHECK(arena_try_alloc(arena, 1) == NULL);
    CHECK(arena_try_alloc(arena, 1) != NULL);
    arena_destroy(arena);
}

TEST(strings_are_copied_and_printed)
{
    struct arena *arena = arena_create(1 << 20);
    char *text = arena_print(arena, "%s-%d", "x", 42);
    char *padded = arena_print(arena, "%1000d", 7);

    CHECK_TEXT(text, "x-42");
    CHECK_INT(strlen(padded), 1000);
    CHECK_TEXT(arena_copy(arena, "abcdef", 3), "abc");
    arena_destroy(arena);
}

TEST_MAIN(CASE(memory_is_zeroed_and_aligned), CASE(reset_gives_everything_back),
          CASE(limit_jumps_to_the_recovery_point), CASE(array_overflow_is_exhaustion),
          CASE(the_nth_allocation_can_be_made_to_fail), CASE(strings_are_copied_and_printed))
