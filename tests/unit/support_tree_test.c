/* Trees of folders: links that are put in the place of folders and files after they were found. */
#include "support/sources/tree.h"
#include "test.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static const char *at(struct arena *arena, const char *name)
{
    return arena_print(arena, "%s/%s", root, name);
}

static void put(const char *path)
{
    FILE *file = fopen(path, "w");

    CHECK(file && fclose(file) == 0);
}

/* root/tree with in/file and file, and beside it outside/file. */
static struct tree begin(struct arena *arena)
{
    struct tree tree = {.arena = arena};

    snprintf(root, sizeof root, "/tmp/tree-test-XXXXXX");
    CHECK(mkdtemp(root) != NULL);
    CHECK(mkdir(at(arena, "tree"), 0700) == 0 && mkdir(at(arena, "tree/in"), 0700) == 0 &&
          mkdir(at(arena, "outside"), 0700) == 0);
    put(at(arena, "tree/file"));
    put(at(arena, "tree/in/file"));
    put(at(arena, "outside/file"));
    tree.root = at(arena, "tree");
    CHECK(tree_open(&tree));
    tree_read(&tree);
    return tree;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

static void end(struct tree *tree)
{
    tree_close(tree);
    CHECK(nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);
    arena_destroy(tree->arena);
}

TEST(files_are_found_and_opened)
{
    struct arena *arena = arena_create(1 << 20);
    struct tree tree = begin(arena);
    int fd = tree_open_file(&tree, at(arena, "tree/in/file"));

    CHECK_INT((int64_t)tree.paths.count, 2);
    CHECK_TEXT(tree.paths.items[0], at(arena, "tree/file"));
    CHECK_TEXT(tree.paths.items[1], at(arena, "tree/in/file"));
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(!tree_lacks(&tree, at(arena, "tree/in/file")));
    CHECK(tree_lacks(&tree, at(arena, "tree/in/other")));
    CHECK(tree_lacks(&tree, at(arena, "tree/other/file")));
    end(&tree);
}

TEST(a_link_in_the_place_of_a_folder_leads_nowhere)
{
    struct arena *arena = arena_create(1 << 20);
    struct tree tree = begin(arena);

    CHECK(rename(at(arena, "tree/in"), at(arena, "was")) == 0);
    CHECK(symlink(at(arena, "outside"), at(arena, "tree/in")) == 0);
    CHECK_INT(tree_open_file(&tree, at(arena, "tree/in/file")), -1);
    CHECK(tree_means_gone(errno));
    CHECK(tree_lacks(&tree, at(arena, "tree/in/file")));
    tree.paths = (struct string_list){0};
    tree_read(&tree);
    CHECK_INT((int64_t)tree.paths.count, 1);
    end(&tree);
}

TEST(a_link_in_the_place_of_a_file_leads_nowhere)
{
    struct arena *arena = arena_create(1 << 20);
    struct tree tree = begin(arena);

    CHECK(unlink(at(arena, "tree/in/file")) == 0);
    CHECK(symlink(at(arena, "outside/file"), at(arena, "tree/in/file")) == 0);
    CHECK_INT(tree_open_file(&tree, at(arena, "tree/in/file")), -1);
    CHECK(tree_means_gone(errno));
    CHECK(tree_lacks(&tree, at(arena, "tree/in/file")));
    end(&tree);
}

TEST_MAIN(CASE(files_are_found_and_opened), CASE(a_link_in_the_place_of_a_folder_leads_nowhere),
          CASE(a_link_in_the_place_of_a_file_leads_nowhere))
