/* Packs the sign-in data of the browser's profile (cookies, logins, preferences) into an archive
 * that only its owner can read. Stop the browser first. `--help` lists the options and exit
 * codes. */
#include "base/clock.h"
#include "orchestrator/snapshot/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "usage: orch-backup-profile [--profile-dir DIR] [--output-dir DIR]\n"
    "\n"
    "Packs what keeps the browser's profile signed in (cookies, logins, preferences)\n"
    "into an archive that only its owner can read. Stop the browser first.\n"
    "\n"
    "  --profile-dir DIR  The profile (ORCH_BROWSER_PROFILE_DIR).\n"
    "  --output-dir DIR   Where the archive goes (backups).\n"
    "\n"
    "Exit codes: 0 done; 2 failed, or the command line is wrong.\n";

/* Below the profile, and below the folder of its first user. */
static const char *const folders[] = {"", "Default/"};
static const char *const files[] = {
    "Cookies",     "Network/Cookies",    "Login Data", "Login Data For Account",
    "Preferences", "Secure Preferences", "Web Data",   "Local State"};
static const char *const endings[] = {"", "-journal", "-wal"};

enum { FOLDERS = sizeof folders / sizeof folders[0], FILES = sizeof files / sizeof files[0] };
enum { ENDINGS = sizeof endings / sizeof endings[0], FOUND_MAX = FOLDERS * FILES * ENDINGS };
enum { TAR_WORDS = 6 };

static bool is_file(struct tool *tool, const char *folder, const char *name)
{
    struct stat about;

    return stat(arena_print(tool->arena, "%s/%s", folder, name), &about) == 0 &&
           S_ISREG(about.st_mode);
}

static struct string_list find(struct tool *tool)
{
    struct string_list found = {.items = ARENA_ARRAY(tool->arena, const char *, FOUND_MAX)};

    for (size_t i = 0; i < FOLDERS; i++)
        for (size_t j = 0; j < FILES; j++)
            for (size_t k = 0; k < ENDINGS; k++) {
                const char *name =
                    arena_print(tool->arena, "%s%s%s", folders[i], files[j], endings[k]);

                if (is_file(tool, tool->profile_dir, name))
                    found.items[found.count++] = name;
            }
    return found;
}

/* Packs with tar, into a file that only its owner can read from the first byte on. */
static bool pack(const struct tool *tool, const struct string_list *names, const char *path)
{
    const char **words = ARENA_ARRAY(tool->arena, const char *, TAR_WORDS + names->count + 1);
    const char *const head[TAR_WORDS] = {"tar", "-czf", path, "-C", tool->profile_dir, "--"};
    int status = -1;
    pid_t child;

    memcpy(words, head, sizeof head);
    memcpy(words + TAR_WORDS, names->items, names->count * sizeof *words);
    umask(0077);
    child = fork();
    if (child == 0) {
        execvp("tar", (char *const *)(uintptr_t)words);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct summary {
    const char *status, *profile_dir, *output;
    bool profile_locked;
    struct string_list files;
};

#define OWNER struct summary
static const struct field summary_fields[] = {
    STRING(OWNER, status),          STRING(OWNER, profile_dir), STRING(OWNER, output),
    BOOLEAN(OWNER, profile_locked), STRINGS(OWNER, files),
};
#undef OWNER
static SCHEMA(summary_schema, struct summary, "BackupSummary", summary_fields);

static void print_end(struct tool *tool, const struct string_list *names, const char *path)
{
    const char *lock = arena_print(tool->arena, "%s/SingletonLock", tool->profile_dir);
    struct stat about;

    tool_print(tool, &summary_schema,
               &(struct summary){.status = "ok",
                                 .profile_dir = tool->profile_dir,
                                 .output = path,
                                 .profile_locked = lstat(lock, &about) == 0,
                                 .files = *names});
}

static int backup(struct tool *tool)
{
    char now[CLOCK_TEXT_MAX];
    const char *folder = tool->output_dir ? tool->output_dir : "backups";
    const char *path, *part;
    struct string_list names;

    if (!tool->profile_dir)
        tool->profile_dir = tool->settings.browser_profile_dir;
    if (!tool->profile_dir)
        return tool_fail(tool, "A profile is required: --profile-dir or ORCH_BROWSER_PROFILE_DIR.");
    names = find(tool);
    if (!names.count)
        return tool_fail(tool, "There is no profile of a browser in that directory.");
    clock_format(clock_unix_microseconds(), now);
    now[13] = now[16] = '-'; /* of the time, which tar would take for a host name */
    path = arena_print(tool->arena, "%s/web-provider-profile-%.19s.tar.gz", folder, now);
    part = arena_print(tool->arena, "%s.part", path);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return tool_fail(tool, arena_print(tool->arena, "%s: %s", folder, strerror(errno)));
    if (!pack(tool, &names, part) || chmod(part, 0600) != 0 || rename(part, path) != 0) {
        (void)!unlink(part);
        return tool_fail(tool, "The files could not be packed.");
    }
    print_end(tool, &names, path);
    return TOOL_OK;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, false, backup);
}
