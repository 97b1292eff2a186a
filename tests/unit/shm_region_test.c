/* Opening the shared file: together, after crashes, over files that should not be there. */
#include "shm/region.h"

#include "shm/rate.h"
#include "shm_children.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/stat.h>

static char directory[64], path[96], lock_path[104], new_path[104];

static void start(void)
{
    snprintf(directory, sizeof directory, "/tmp/assay-shm-XXXXXX");
    if (!mkdtemp(directory))
        abort();
    snprintf(path, sizeof path, "%s/service.shm", directory);
    snprintf(lock_path, sizeof lock_path, "%s.lock", path);
    snprintf(new_path, sizeof new_path, "%s.new", path);
}

static void finish(void)
{
    unlink(path);
    unlink(lock_path);
    unlink(new_path);
    rmdir(directory);
}

static struct shm_region *open_version(uint32_t version)
{
    struct shm_region *region = NULL;
    struct problem problem = {0};

    if (shm_region_open(path, version, &region, &problem) != ERROR_NONE)
        printf("open: %s\n", problem.text);
    return region;
}

/* The reason word of the failure, or "" when the file opened. */
static const char *refusal_of(const char *file, enum error *error)
{
    struct shm_region *region = NULL;
    struct problem problem = {.reason = ""};

    *error = shm_region_open(file, 1, &region, &problem);
    if (*error == ERROR_NONE)
        shm_region_close(region);
    return problem.reason;
}

static void write_file(const void *bytes, size_t length)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    CHECK_INT(write(fd, bytes, length), length);
    close(fd);
}

static void overwrite(off_t offset, const void *bytes, size_t length)
{
    int fd = open(path, O_WRONLY);

    CHECK_INT(pwrite(fd, bytes, length, offset), length);
    close(fd);
}

TEST(the_file_is_private_and_of_full_size)
{
    struct shm_region *region;
    struct stat status;

    start();
    region = open_version(1);
    CHECK_INT(stat(path, &status), 0);
    CHECK_INT(status.st_mode & 07777, 0600);
    CHECK_INT(status.st_size, sizeof(struct region_layout));
    CHECK(shm_region_created_at(region) > INT64_C(1700000000000000));
    shm_region_close(region);
    finish();
}

TEST(a_second_opening_sees_the_first)
{
    struct shm_region *first, *second;

    start();
    first = open_version(1);
    shm_number_add(first, 3, 5);
    second = open_version(1);
    CHECK_INT(shm_region_created_at(second), shm_region_created_at(first));
    CHECK_INT(shm_number(second, 3), 5);
    shm_region_close(first);
    CHECK_INT(shm_number(second, 3), 5);
    shm_region_close(second);
    finish();
}

static int open_and_count(int child, void *context)
{
    struct shm_region *region = open_version(1);

    (void)child;
    (void)context;
    if (!region)
        return 1;
    for (int i = 0; i < 100; i++)
        shm_number_add(region, 0, 1);
    rate_allow(region, "k", (struct rate_rule){1000, 60});
    shm_region_close(region);
    return 0;
}

TEST(sixteen_workers_start_at_the_same_moment)
{
    for (int round = 0; round < 20; round++) {
        struct shm_region *region;

        start();
        CHECK_INT(run_children(16, open_and_count, NULL), 0);
        region = open_version(1);
        CHECK_INT(shm_number(region, 0), 1600);
        CHECK_INT(rate_peek(region, "k", (struct rate_rule){1000, 60}).remaining, 1000 - 16);
        shm_region_close(region);
        finish();
    }
}

TEST(another_version_replaces_the_file_and_leaves_the_old_one_to_its_users)
{
    struct shm_region *old, *renewed;

    start();
    old = open_version(1);
    shm_number_add(old, 0, 7);
    renewed = open_version(2);
    shm_number_add(old, 0, 1);
    CHECK_INT(shm_number(old, 0), 8);
    CHECK_INT(shm_number(renewed, 0), 0);
    shm_region_close(old);
    shm_region_close(renewed);
    finish();
}

static int open_versions(int child, void *context)
{
    (void)context;
    for (int i = 0; i < 10; i++) {
        struct shm_region *region = open_version(1 + (uint32_t)(child + i) % 2);

        if (!region)
            return 1;
        shm_number_add(region, 0, 1);
        shm_region_close(region);
    }
    return 0;
}

TEST(two_versions_may_fight_without_harm)
{
    start();
    CHECK_INT(run_children(8, open_versions, NULL), 0);
    finish();
}

TEST(a_file_from_before_the_last_boot_is_replaced)
{
    struct shm_region *region;

    start();
    region = open_version(1);
    shm_number_add(region, 0, 7);
    shm_region_close(region);
    overwrite(offsetof(struct region_layout, header.boot_id), "another boot", 12);
    region = open_version(1);
    shm_region_close(region);
    finish();
}

TEST(what_a_crash_of_the_machine_leaves_is_replaced)
{
    static const char zeros[sizeof(struct region_header) + 100];
    struct shm_region *region;

    start();
    write_file("", 0);
    region = open_version(1);
    CHECK(region != NULL);
    shm_region_close(region);
    write_file(zeros, sizeof zeros);
    region = open_version(1);
    CHECK(region != NULL);
    shm_region_close(region);
    finish();
}

/* What is left of a file that is replaced, in `text`. */
static void read_kept(char *text, size_t size)
{
    char kept[112];
    int fd;

    snprintf(kept, sizeof kept, "%s.damaged", path);
    fd = open(kept, O_RDONLY);
    CHECK(fd >= 0 && read(fd, text, size) == (ssize_t)size);
    close(fd);
    unlink(kept);
}

TEST(a_damaged_file_is_replaced_and_kept)
{
    static const char letter[] = "Dear reader, this is not shared memory.";
    char text[sizeof letter] = "";
    struct shm_region *region;

    start();
    write_file(letter, sizeof letter);
    region = open_version(1);
    CHECK(region != NULL && shm_region_damaged_at(region) > 0);
    read_kept(text, sizeof text);
    CHECK_TEXT(text, letter);
    shm_region_close(region);
    finish();
}

TEST(a_truncated_file_is_replaced)
{
    static const off_t sizes[] = {sizeof(struct region_layout) - 4096,
                                  sizeof(struct region_header)};
    char text[8];

    start();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct shm_region *first = open_version(1), *second;

        CHECK(shm_region_is_sound(first));
        CHECK_INT(truncate(path, sizes[i]), 0);
        CHECK(!shm_region_is_sound(first));
        second = open_version(1);
        CHECK(second != NULL && shm_region_is_sound(second) && shm_region_damaged_at(second) > 0);
        CHECK(!shm_region_is_sound(first)); /* it is alone now */
        read_kept(text, sizeof text);
        shm_region_close(first);
        shm_region_close(second);
        unlink(path);
    }
    finish();
}

TEST(who_is_alone_notices)
{
    struct shm_region *region, *newer;

    start();
    region = open_version(1);
    newer = open_version(2); /* another program, with a file of its own */
    CHECK(shm_region_is_sound(region) && shm_region_is_sound(newer));
    CHECK_INT(unlink(path), 0);
    CHECK(!shm_region_is_sound(region) && !shm_region_is_sound(newer));
    write_file("", 0);
    CHECK(!shm_region_is_sound(newer));
    shm_region_close(region);
    shm_region_close(newer);
    finish();
}

TEST(links_and_directories_are_refused)
{
    char missing[128];
    enum error error;

    start();
    CHECK_INT(symlink("/tmp/assay-shm-elsewhere", path), 0);
    CHECK_TEXT(refusal_of(path, &error), "shm_system");
    CHECK_INT(error, ERROR_SYSTEM);
    unlink(path);
    CHECK_INT(mkdir(path, 0700), 0);
    CHECK_TEXT(refusal_of(path, &error), "shm_system");
    rmdir(path);
    snprintf(missing, sizeof missing, "%s/none/service.shm", directory);
    CHECK_TEXT(refusal_of(missing, &error), "shm_system");
    finish();
}

TEST(a_file_that_others_can_read_is_made_private)
{
    struct stat status;

    start();
    shm_region_close(open_version(1));
    CHECK_INT(chmod(path, 0664), 0);
    shm_region_close(open_version(1));
    CHECK_INT(stat(path, &status), 0);
    CHECK_INT(status.st_mode & 07777, 0600);
    finish();
}

static void open_and_leave(void *context)
{
    struct shm_region *region = open_version(1);

    (void)context;
    if (region)
        shm_number_add(region, 1, 1);
}

TEST(a_worker_killed_anywhere_while_opening_does_no_harm)
{
    int n = 1;

    for (bool killed = true; killed; n++) {
        struct shm_region *region;

        start();
        killed = child_killed_at(n, open_and_leave, NULL);
        region = open_version(1);
        CHECK(region != NULL);
        shm_number_add(region, 0, 1);
        CHECK_INT(shm_number(region, 0), 1);
        shm_region_close(region);
        CHECK(access(new_path, F_OK) != 0);
        finish();
    }
    CHECK_INT(n - 2, 3); /* locked, mapped, filled */
}

TEST(waiting_for_a_lock_ends)
{
    enum error error;
    int fd;

    start();
    shm_open_timeout_ms = 50;
    fd = open(lock_path, O_RDWR | O_CREAT, 0600);
    CHECK_INT(flock(fd, LOCK_EX), 0);
    CHECK_TEXT(refusal_of(path, &error), "shm_locked");
    CHECK_INT(error, ERROR_BUSY);
    close(fd);
    CHECK_TEXT(refusal_of(path, &error), "");
    shm_open_timeout_ms = 10000;
    finish();
}

/* Kilobytes of the mapping at `address` that this process holds in memory (proc(5), smaps). */
static long rss_kilobytes(const void *address)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512], start_text[32];
    bool inside = false;
    long kilobytes = -1;

    snprintf(start_text, sizeof start_text, "%08lx-", (unsigned long)address);
    while (file && kilobytes < 0 && fgets(line, sizeof line, file)) {
        if (strncmp(line, start_text, strlen(start_text)) == 0)
            inside = true;
        else if (inside && sscanf(line, "Rss: %ld", &kilobytes) == 1)
            break;
    }
    if (file)
        fclose(file);
    return kilobytes;
}

TEST(a_worker_keeps_little_of_it_in_memory)
{
    struct shm_region *region;
    long kilobytes;

    start();
    region = open_version(1);
    shm_region_close(region);
    region = open_version(1);
    shm_number_add(region, 0, 1);
    for (int i = 0; i < 1000; i++) {
        char key[32];

        snprintf(key, sizeof key, "api:10.0.0.%d", i);
        rate_allow(region, key, (struct rate_rule){240, 60});
    }
    kilobytes = rss_kilobytes(region->layout);
    CHECK(kilobytes > 0);
    CHECK(kilobytes <= 2304);
    shm_region_close(region);
    finish();
}

TEST_MAIN(CASE(the_file_is_private_and_of_full_size), CASE(a_second_opening_sees_the_first),
          CASE(sixteen_workers_start_at_the_same_moment),
          CASE(another_version_replaces_the_file_and_leaves_the_old_one_to_its_users),
          CASE(two_versions_may_fight_without_harm),
          CASE(a_file_from_before_the_last_boot_is_replaced),
          CASE(what_a_crash_of_the_machine_leaves_is_replaced),
          CASE(a_damaged_file_is_replaced_and_kept), CASE(a_truncated_file_is_replaced),
          CASE(who_is_alone_notices), CASE(links_and_directories_are_refused),
          CASE(a_file_that_others_can_read_is_made_private),
          CASE(a_worker_killed_anywhere_while_opening_does_no_harm), CASE(waiting_for_a_lock_ends),
          CASE(a_worker_keeps_little_of_it_in_memory))
