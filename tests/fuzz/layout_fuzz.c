/* Any bytes as words with positions: columns, tables and forms are found in them, or not, and the
 * process ends by itself. The first byte says whether they are those of a scan. The reader frees
 * nothing, so each input has a process of its own. */
#include "fuzz.h"

#include "documents/formats.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MOST = 20 };

static _Noreturn void read_words(const uint8_t *data, size_t size)
{
    FILE *in = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "r");
    FILE *out = fopen("/dev/null", "we");

    alarm(SECONDS_MOST);
    if (in && out)
        (void)format_read_words(in, out, data[0] == 's');
    _exit(EXIT_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int status = 0;
    pid_t child;

    if (size < 2)
        return 0;
    child = fork();
    if (child == 0)
        read_words(data, size);
    if (child > 0)
        waitpid(child, &status, 0);
    PROMISE(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS, "words are read to the end");
    return 0;
}
