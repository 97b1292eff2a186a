/* The function pointers of libcurl after loading. */
#include "net/libcurl.h"

#include "base/library.h"

struct libcurl curl;

bool libcurl_load(void)
{
#define NAME(name) "curl_" #name,
    static const char *const names[] = {LIBCURL_FUNCTIONS(NAME)};

    _Static_assert(sizeof names == sizeof curl, "a name for each member");
    return curl.free || library_load("libcurl.so.4", names, sizeof names / sizeof *names, &curl);
}
