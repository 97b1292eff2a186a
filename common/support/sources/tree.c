/* Reading a tree of folders, each one opened from the one above it. */
#include "support/sources/tree.h"
#include "base/list.h"
#include "base/string_list.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_FLAGS = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static void read_folder(struct tree *tree, int fd, const char *path, int depth);

static void leave_out(const struct tree *tree, const char *path, const char *why)
{
    if (tree->unread)
        tree->unread(tree->context, path, why);
}

bool tree_means_gone(int number)
{
    return number == ENOENT || number == ENOTDIR || number == ELOOP;
}

static void add_file(struct tree *tree, const char *path)
{
    if (tree->paths.count < FOLDER_FILES_MAX) {
        *ARRAY_ADD(tree->arena, tree->paths.items, tree->paths.count) = path;
    } else if (!tree->is_full) {
        tree->is_full = true;
        leave_out(tree, tree->root, "there are too many files");
    }
}

static void enter(struct tree *tree, int above, const char *name, const char *path, int depth)
{
    int fd = depth <= FOLDER_DEPTH_MAX ? openat(above, name, O_RDONLY | FOLDER_FLAGS) : -1;

    if (fd >= 0)
        read_folder(tree, fd, path, depth);
    else if (depth > FOLDER_DEPTH_MAX)
        leave_out(tree, path, "it is in too many folders");
    else if (!tree_means_gone(errno))
        leave_out(tree, path, strerror(errno));
}

static void read_entry(struct tree *tree, int above, const char *name, const char *path, int depth)
{
    struct stat status;

    if (fstatat(above, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        if (!tree_means_gone(errno))
            leave_out(tree, path, strerror(errno));
    } else if (S_ISDIR(status.st_mode)) {
        enter(tree, above, name, path, depth + 1);
    } else if (S_ISREG(status.st_mode)) {
        add_file(tree, path);
    }
}

/* Names that are no UTF-8 cannot be stored. */
static bool is_passed_over(const char *name)
{
    return *name == '.' || utf8_valid_prefix(name, strlen(name)) != strlen(name);
}

/* The number of a device is not kept: the same storage may get another one each time. */
static bool begins_mount(int at, const char *path)
{
    struct statx status;

    return statx(at, path, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, 0, &status) == 0 &&
           (status.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

static void add_mount(struct tree *tree, const char *path)
{
    *ARRAY_ADD(tree->arena, tree->mounts.items, tree->mounts.count) = path;
}

static const char *mount_of_root(const struct tree *tree)
{
    char *path = arena_copy_string(tree->arena, tree->root), *slash;

    while (!begins_mount(AT_FDCWD, path) && (slash = strrchr(path, '/')))
        *slash = '\0';
    return *path ? path : "/";
}

/* Closes `fd`. */
static void read_folder(struct tree *tree, int fd, const char *path, int depth)
{
    DIR *folder = fdopendir(fd);
    const struct dirent *entry;

    if (!folder) {
        leave_out(tree, path, strerror(errno));
        close(fd);
        return;
    }
    if (tree->folder)
        tree->folder(tree->context, path);
    if (depth && begins_mount(fd, ""))
        add_mount(tree, path);
    while (errno = 0, (entry = readdir(folder)) != NULL)
        if (!is_passed_over(entry->d_name))
            read_entry(tree, fd, entry->d_name,
                       arena_print(tree->arena, "%s/%s", path, entry->d_name), depth);
    if (errno)
        leave_out(tree, path, strerror(errno));
    closedir(folder);
}

bool tree_open(struct tree *tree)
{
    tree->fd = open(tree->root, O_RDONLY | FOLDER_FLAGS);
    if (tree->fd >= 0)
        add_mount(tree, mount_of_root(tree));
    return tree->fd >= 0;
}

void tree_read(struct tree *tree)
{
    enter(tree, tree->fd, ".", tree->root, 0);
    if (tree->paths.count)
        qsort(tree->paths.items, tree->paths.count, sizeof *tree->paths.items, string_list_order);
}

static bool is_below(const char *path, const char *folder)
{
    size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

const char *tree_mount_of(const struct tree *tree, const char *path)
{
    const char *mount = tree->mounts.items[0];

    for (size_t i = 1; i < tree->mounts.count; i++)
        if (is_below(path, tree->mounts.items[i]) && strlen(tree->mounts.items[i]) > strlen(mount))
            mount = tree->mounts.items[i];
    return mount;
}

bool tree_has(const struct tree *tree, const char *path)
{
    return tree->paths.count && bsearch(&path, tree->paths.items, tree->paths.count,
                                        sizeof *tree->paths.items, string_list_order) != NULL;
}

static int open_below(int above, const char *name, size_t length)
{
    char text[NAME_MAX + 1];

    if (length > NAME_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(text, name, length);
    text[length] = '\0';
    return openat(above, text, O_PATH | FOLDER_FLAGS);
}

static void close_quietly(int fd)
{
    int number = errno;

    close(fd);
    errno = number;
}

/* The folder of a path, and the name in it; -1 with errno. */
static int open_folder_of(const struct tree *tree, const char *path, const char **name)
{
    const char *slash;
    int fd = fcntl(tree->fd, F_DUPFD_CLOEXEC, 0);

    *name = path + strlen(tree->root) + 1;
    while (fd >= 0 && (slash = strchr(*name, '/'))) {
        int below = open_below(fd, *name, (size_t)(slash - *name));

        close_quietly(fd);
        fd = below;
        *name = slash + 1;
    }
    return fd;
}

int tree_open_file(const struct tree *tree, const char *path)
{
    const char *name;
    int above = open_folder_of(tree, path, &name), fd = -1;

    if (above >= 0) {
        fd = openat(above, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        close_quietly(above);
    }
    return fd;
}

bool tree_lacks(const struct tree *tree, const char *path)
{
    struct stat status = {.st_mode = S_IFREG};
    const char *name;
    int above = open_folder_of(tree, path, &name);
    bool failed = above < 0 || fstatat(above, name, &status, AT_SYMLINK_NOFOLLOW) != 0;

    if (above >= 0)
        close_quietly(above);
    return failed ? tree_means_gone(errno) : !S_ISREG(status.st_mode);
}

void tree_close(struct tree *tree)
{
    if (tree->fd >= 0)
        close(tree->fd);
    tree->fd = -1;
}
