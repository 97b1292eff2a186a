/* The function pointers of libcrypto after loading. */
#include "crypto/libcrypto.h"

#include "base/library.h"

struct libcrypto libcrypto;

bool libcrypto_load(void)
{
#define NAME(name) #name,
    static const char *const names[] = {LIBCRYPTO_FUNCTIONS(NAME)};

    _Static_assert(sizeof names == sizeof libcrypto, "a name for each member");
    return libcrypto.EVP_PKEY_free ||
           library_load("libcrypto.so.3", names, sizeof names / sizeof *names, &libcrypto);
}
