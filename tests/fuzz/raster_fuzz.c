/* Any bytes as the picture of a page: it is copied in its size, or refused. The reader frees
 * nothing, so each input has a process of its own. */
#include "fuzz.h"

#include "documents/raster.h"

#include <sys/wait.h>
#include <unistd.h>

enum { OTHER_SIZE = 2 };

static _Noreturn void read_picture(const uint8_t *data, size_t size)
{
    FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");
    char *copy = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&copy, &length);
    bool fine = in && out && raster_remove_lines(in, out);

    if (out)
        fclose(out);
    _exit(fine && length > size + 64 ? OTHER_SIZE : EXIT_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int status = 0;
    pid_t child;

    if (!size)
        return 0;
    child = fork();
    if (child == 0)
        read_picture(data, size);
    if (child > 0)
        waitpid(child, &status, 0);
    PROMISE(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS,
            "a picture is copied in its size or refused");
    return 0;
}
