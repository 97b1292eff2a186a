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

static int released;

static void release(void *thing)
{
    released += *(int *)thing;
}

TEST(what_is_open_is_closed_once_at_the_latest_with_the_arena)
{
    struct arena *arena = arena_create(1 << 12);
    struct arena_guard *first = arena_guard(arena, release), *second = arena_guard(arena, release);
    int one = 1, ten = 10;
    jmp_buf exhausted;

    released = 0;
    first->thing = &one;
    arena_guard_end(first);
    arena_guard_end(first);
    CHECK_INT(released, 1);
    second->thing = &ten;
    arena_on_exhausted(arena, &exhausted);
    if (setjmp(exhausted) == 0)
        arena_alloc(arena, 1 << 13);
    CHECK_INT(released, 1);
    arena_reset(arena);
    CHECK_INT(released, 11);
    arena_guard(arena, release); /* nothing is open */
    arena_destroy(arena);
    CHECK_INT(released, 11);
}

TEST(one_below_another_is_exhausted_with_it_and_goes_with_it)
{
    struct arena *arena = arena_create(1 << 16), *below = arena_create_below(arena, 1 << 10);
    jmp_buf exhausted;
    volatile int jumped = 0;
    int one = 1;

    arena_destroy(below); /* not once more with the parent */
    below = arena_create_below(arena, 1 << 10);
    released = 0;
    arena_guard(below, release)->thing = &one;
    arena_on_exhausted(arena, &exhausted);
    if (setjmp(exhausted) == 0)
        arena_alloc(below, 1 << 12);
    else
        jumped = 1;
    CHECK(jumped);
    arena_reset(arena);
    CHECK_INT(released, 1);
    arena_destroy(arena);
}

TEST(who_answers_after_a_jump_gets_memory_when_the_process_has_none)
{
    struct arena *others = arena_create(1 << 20), *arena = arena_create(1 << 20);
    jmp_buf exhausted;
    volatile int jumped = 0;

    arena_alloc(others, 1 << 16);
    arena_limit_process(arena_process_used());
    arena_on_exhausted(arena, &exhausted);
    if (setjmp(exhausted) == 0)
        arena_alloc(arena, 100);
    else
        jumped = 1;
    CHECK(jumped && arena_process_is_full());
    arena_on_exhausted(arena, NULL);
    CHECK(arena_alloc(arena, 100) != NULL);
    arena_limit_process(0);
    arena_destroy(others);
    arena_destroy(arena);
}

TEST_MAIN(CASE(who_answers_after_a_jump_gets_memory_when_the_process_has_none),
          CASE(one_below_another_is_exhausted_with_it_and_goes_with_it),
          CASE(what_is_open_is_closed_once_at_the_latest_with_the_arena),
          CASE(memory_is_zeroed_and_aligned), CASE(reset_gives_everything_back),
          CASE(limit_jumps_to_the_recovery_point), CASE(array_overflow_is_exhaustion),
          CASE(the_nth_allocation_can_be_made_to_fail), CASE(strings_are_copied_and_printed))
