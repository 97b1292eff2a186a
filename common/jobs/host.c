/* The name of a folder, in the file `host-name` in it. */
#include "jobs/host.h"
#include "crypto/token.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES = 12, NAME_TEXT = 17 };

static bool read_name(const char *path, char name[NAME_TEXT])
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, name, NAME_TEXT - 1);

    if (file >= 0)
        close(file);
    name[got < 0 ? 0 : got] = '\0';
    for (ssize_t i = 0; i < got; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("-_", name[i]))
            return false;
    return got == NAME_TEXT - 1;
}

/* The file gets its name after it is written: other processes never read half of it. */
static void write_name(const char *path, const char *beside)
{
    char name[NAME_TEXT];
    int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (file < 0)
        return;
    token_random_text(NAME_BYTES, name, sizeof name);
    if (write(file, name, sizeof name - 1) == (ssize_t)sizeof name - 1 && fsync(file) == 0)
        (void)!link(beside, path); /* another process has named it first */
    close(file);
    unlink(beside);
}

enum error job_host_name(struct arena *arena, const char *folder, const char **name,
                         struct problem *problem)
{
    const char *path = arena_print(arena, "%s/host-name", folder);
    char *text = arena_alloc(arena, NAME_TEXT);

    *name = text;
    if (read_name(path, text))
        return ERROR_NONE;
    mkdir(folder, 0700);
    write_name(path, arena_print(arena, "%s/.host-name-%ld", folder, (long)getpid()));
    if (read_name(path, text))
        return ERROR_NONE;
    return problem_set(problem, ERROR_UNAVAILABLE, "host_not_named", "%s cannot be read or written",
                       path);
}
