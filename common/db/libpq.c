/* Where the pointers to libpq stand once it is loaded. */
#include "db/libpq.h"

#include "base/library.h"

struct libpq pq;

bool libpq_load(void)
{
#define NAME(name) "PQ" #name,
    static const char *const names[] = {LIBPQ_FUNCTIONS(NAME)};

    _Static_assert(sizeof names == sizeof pq, "a name for each member");
    return pq.clear || library_load("libpq.so.5", names, sizeof names / sizeof *names, &pq);
}
