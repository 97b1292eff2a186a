/* Loading a library by the dynamic linker, whole or not at all. */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

enum { FUNCTIONS_MAX = 64 };

bool library_load(const char *file, const char *const *names, size_t count, void *functions)
{
    void *found[FUNCTIONS_MAX];
    void *library = count <= FUNCTIONS_MAX ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;

    for (size_t i = 0; library && i < count; i++) {
        found[i] = dlsym(library, names[i]);
        if (!found[i]) {
            dlclose(library);
            library = NULL;
        }
    }
    if (library) /* POSIX has pointers to functions look like any others */
        memcpy(functions, found, count * sizeof *found);
    return library != NULL;
}
