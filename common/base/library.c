/* Loads a shared library with all its functions, or not at all. */
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
    if (library) /* POSIX stores pointers to functions like other pointers */
        memcpy(functions, found, count * sizeof *found);
    return library != NULL;
}
