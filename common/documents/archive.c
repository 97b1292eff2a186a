/* Reads ZIP archives with libzip. */
#include "documents/archive.h"

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>
#include <zip.h>

enum { PART_BYTES = 1 << 16 };

static enum error unreadable(struct problem *problem, const char *member)
{
    return problem_set(problem, ERROR_MALFORMED, "archive_unreadable",
                       "%s cannot be read from the archive", member);
}

static enum error copy(zip_file_t *member, const char *name, int file, int64_t most,
                       struct problem *problem)
{
    char part[PART_BYTES];
    zip_int64_t length;

    while ((length = zip_fread(member, part, sizeof part)) > 0) {
        most -= length;
        if (most < 0)
            return unreadable(problem, name);
        if (write(file, part, (size_t)length) != (ssize_t)length)
            return problem_set(problem, ERROR_SYSTEM, "file_not_written", "%s cannot be written",
                               name);
    }
    return length < 0 ? unreadable(problem, name) : ERROR_NONE;
}

enum error archive_extract(const char *archive, const char *member, const char *path, int64_t most,
                           struct problem *problem)
{
    zip_t *opened = zip_open(archive, ZIP_RDONLY, NULL);
    zip_file_t *part = opened ? zip_fopen(opened, member, 0) : NULL;
    int file = part ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) : -1;
    enum error error = part ? ERROR_NONE : unreadable(problem, member);

    if (!error && file < 0)
        error =
            problem_set(problem, ERROR_SYSTEM, "file_not_written", "%s cannot be written", path);
    if (!error)
        error = copy(part, member, file, most, problem);
    if (file >= 0 && close(file) != 0 && !error)
        error =
            problem_set(problem, ERROR_SYSTEM, "file_not_written", "%s cannot be written", path);
    if (part)
        zip_fclose(part);
    if (opened)
        zip_discard(opened);
    return error;
}
