/*
 * The files below a folder. Nothing is reached through a symbolic link, also when somebody puts one
 * in the place of a folder meanwhile: every folder is opened from the one above it.
 */
#ifndef ASSAY_SUPPORT_SOURCES_TREE_H
#define ASSAY_SUPPORT_SOURCES_TREE_H

#include "base/arena.h"
#include "base/optional.h"

#include <stdbool.h>

enum { FOLDER_DEPTH_MAX = 32, FOLDER_FILES_MAX = 100000 };

struct tree {
    struct arena *arena;
    const char *root; /* absolute, without a slash at the end */
    int fd;           /* of the root */
    /* May be NULL. `folder` is called for each folder before it is read, `unread` for what cannot
     * be read, or is not because of the limits. */
    void (*folder)(void *context, const char *path);
    void (*unread)(void *context, const char *path, const char *why);
    void *context;
    struct string_list paths;  /* of files, in bytewise order */
    struct string_list mounts; /* folders where a file system begins: of the root's, and below it */
    bool is_full;
};

/* Opens the root; false with errno. */
bool tree_open(struct tree *tree);

/* Finds the files. Names that begin with a full stop, or are no UTF-8, are passed over. */
void tree_read(struct tree *tree);

/* Where the file system of a file begins. */
const char *tree_mount_of(const struct tree *tree, const char *path);

bool tree_has(const struct tree *tree, const char *path);

/* Opens a file below the root for reading; -1 with errno. */
int tree_open_file(const struct tree *tree, const char *path);

/* Whether an error says that no file is there: it is gone, or a link is in its place or above. */
bool tree_means_gone(int number);

/* Whether there is certainly no such file: false where it cannot be seen. */
bool tree_lacks(const struct tree *tree, const char *path);

void tree_close(struct tree *tree);

#endif
