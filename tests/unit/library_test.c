/* A library is loaded whole or not at all. */
#include "test.h"

#include "base/library.h"

struct cosines {
    double (*cos)(double);
    double (*acos)(double);
};

TEST(functions_are_found_in_the_order_of_their_names)
{
    static const char *const names[] = {"cos", "acos"};
    struct cosines math = {0};

    CHECK(library_load("libm.so.6", names, 2, &math));
    CHECK(math.cos && math.cos(0) == 1 && math.acos(1) == 0);
}

TEST(what_is_not_there_fills_nothing)
{
    static const char *const names[] = {"cos", "no_such_function"};
    struct cosines math = {0};

    CHECK(!library_load("libm.so.6", names, 2, &math));
    CHECK(!library_load("libnosuchlibrary.so.1", names, 1, &math));
    CHECK(!math.cos && !math.acos);
}

TEST_MAIN(CASE(functions_are_found_in_the_order_of_their_names),
          CASE(what_is_not_there_fills_nothing))
