/* Programs that run in a folder, with a time limit. */
#include "embedding/child.h"
#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, LOOK_MILLISECONDS = 50, LINE_MAX_BYTES = 200, OUTPUT_BYTES = 4096 };

/* The last line of a file, without blanks at its end. */
static void last_line(const char *path, char line[LINE_MAX_BYTES])
{
    char bytes[OUTPUT_BYTES];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = 0;
    const char *start;

    if (file >= 0) {
        if (lseek(file, -(off_t)sizeof bytes + 1, SEEK_END) < 0)
            (void)!lseek(file, 0, SEEK_SET);
        length = read(file, bytes, sizeof bytes - 1);
        close(file);
    }
    while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == ' '))
        length--;
    bytes[length > 0 ? length : 0] = '\0';
    start = strrchr(bytes, '\n');
    snprintf(line, LINE_MAX_BYTES, "%.*s", LINE_MAX_BYTES - 1, start ? start + 1 : bytes);
}

/* In a process group of its own, so that its children end with it. */
static int start(const char *const *command, const char *output, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int result;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    result =
        posix_spawnp(process, command[0], &actions, &attributes, (char *const *)command, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

/* The exit status; -1 after the time, when it has been killed. */
static int await(pid_t process, int seconds)
{
    const struct timespec pause = {.tv_nsec = LOOK_MILLISECONDS * 1000000};
    const int64_t end = clock_monotonic_microseconds() + (int64_t)seconds * 1000000;
    int status = -1;

    for (;;) {
        pid_t ended = waitpid(process, &status, WNOHANG);

        if (ended == process)
            return status;
        if ((ended < 0 && errno != EINTR) || clock_monotonic_microseconds() > end)
            break;
        nanosleep(&pause, NULL);
    }
    kill(-process, SIGKILL);
    waitpid(process, NULL, 0);
    return -1;
}

enum error child_run(const char *const command[CHILD_ARGUMENTS_MAX], const char *folder,
                     int seconds, struct problem *problem)
{
    char output[PATH_BYTES], line[LINE_MAX_BYTES];
    pid_t process;
    int status;

    if (snprintf(output, sizeof output, "%s/output", folder) >= (int)sizeof output)
        return problem_set(problem, ERROR_SYSTEM, "program_failed", "%s: too long", folder);
    status = start(command, output, &process);
    if (status)
        return problem_set(problem, ERROR_SYSTEM, "program_failed", "%s: %s", command[0],
                           strerror(status));
    status = await(process, seconds);
    if (status == 0)
        return ERROR_NONE;
    last_line(output, line);
    return problem_set(problem, ERROR_SYSTEM, "program_failed", "%s %s%s%s", command[0],
                       status == -1 ? "took too long" : "has failed", *line ? ": " : "", line);
}

bool child_find_file(const char *folder, const char *ending, char *path, size_t size)
{
    DIR *opened = opendir(folder);
    const struct dirent *entry;
    bool found = false;

    while (opened && !found && (entry = readdir(opened)) != NULL) {
        size_t length = strlen(entry->d_name), tail = strlen(ending);

        found = length > tail && strcmp(entry->d_name + length - tail, ending) == 0 &&
                snprintf(path, size, "%s/%s", folder, entry->d_name) < (int)size;
    }
    if (opened)
        closedir(opened);
    return found;
}

void child_remove_folder(const char *folder)
{
    DIR *opened = opendir(folder);
    const struct dirent *entry;

    while (opened && (entry = readdir(opened)) != NULL)
        unlinkat(dirfd(opened), entry->d_name, 0);
    if (opened)
        closedir(opened);
    rmdir(folder);
}
