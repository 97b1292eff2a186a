/* The name of the data folder, and the hash of its files. */
#include "support/documents/host.h"
#include "jobs/host.h"

#include <fcntl.h>
#include <unistd.h>

enum error host_name(struct arena *arena, const struct support_settings *settings,
                     const char **name, struct problem *problem)
{
    return job_host_name(arena, settings->data_directory, name, problem);
}

void host_file_hash(const char *path, char hash[DIGEST_SHA256_TEXT])
{
    int file = open(path, O_RDONLY | O_CLOEXEC);

    *hash = '\0';
    if (file < 0)
        return;
    (void)!digest_file_sha256_hex(file, hash);
    close(file);
}
