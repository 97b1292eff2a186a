/*
 * Opening the shared file. All decisions are made under a lock on `<path>.lock`, and a new file
 * gets its name only when it is complete. So no process maps an incomplete region, however many
 * workers start together and wherever one of them is killed.
 */
#include "shm/region.h"

#include "base/clock.h"
#include "crypto/token.h"
#include "shm/layout.h"
#include "shm/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_PAUSE_MS = 5, LOCK_REPLACED_MAX = 10 };

int shm_open_timeout_ms = 10000;

enum file_verdict { FILE_USABLE, FILE_REPLACEABLE, FILE_DAMAGED, FILE_REFUSED };

static int64_t now_since_boot(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec * MICROSECONDS + now.tv_nsec / 1000;
}

static enum error system_problem(struct problem *problem, const char *what, const char *path)
{
    return problem_set(problem, ERROR_SYSTEM, "shm_system", "%s %s: %s", what, path,
                       strerror(errno));
}

/* Empty if the kernel does not provide it; then a reboot is not detected. */
static void read_boot_id(char boot_id[SHM_BOOT_ID_TEXT])
{
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

    memset(boot_id, 0, SHM_BOOT_ID_TEXT);
    if (fd < 0)
        return;
    if (read(fd, boot_id, SHM_BOOT_ID_TEXT - 1) < 0)
        boot_id[0] = '\0';
    close(fd);
}

static void fill_layout(struct region_layout *layout, uint32_t version, bool after_damage)
{
    struct region_header *header = &layout->header;

    header->layout_version = SHM_LAYOUT_VERSION;
    header->caller_version = version;
    header->size = sizeof *layout;
    header->created_at = clock_unix_microseconds();
    header->damaged_at = after_damage ? header->created_at : 0;
    read_boot_id(header->boot_id);
    token_random_bytes(header->rate_secret, sizeof header->rate_secret);
    shm_lock_make(&header->join_lock);
    shm_lock_make(&layout->breakers.lock);
    shm_lock_make(&layout->semaphores.lock);
    shm_lock_make(&layout->write_lock);
    for (int i = 0; i < RATE_SHARDS; i++)
        shm_lock_make(&layout->rate_shards[i].lock);
    memcpy(header->magic, SHM_MAGIC, sizeof header->magic);
}

/* Disables read-ahead, so that workers keep only the pages that they use in memory. */
static struct region_layout *map_file(int fd)
{
    void *memory =
        mmap(NULL, sizeof(struct region_layout), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, sizeof(struct region_layout), MADV_RANDOM);
    return memory;
}

static enum error make_file(const char *path, uint32_t version, bool after_damage,
                            struct region_layout **layout, struct problem *problem)
{
    char unfinished[PATH_MAX];
    enum error error = ERROR_NONE;
    int fd;

    if (snprintf(unfinished, sizeof unfinished, "%s.new", path) >= (int)sizeof unfinished) {
        errno = ENAMETOOLONG;
        return system_problem(problem, "cannot make", path);
    }
    unlink(unfinished); /* left by a creator that was killed */
    fd = open(unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return system_problem(problem, "cannot make", unfinished);
    if (!shm_reserve(fd, sizeof(struct region_layout)) || !(*layout = map_file(fd))) {
        error = system_problem(problem, "cannot reserve and map", unfinished);
    } else {
        shm_checkpoint("region.mapped");
        fill_layout(*layout, version, after_damage);
        shm_checkpoint("region.filled");
        if (rename(unfinished, path) != 0) {
            error = system_problem(problem, "cannot name", path);
            munmap(*layout, sizeof **layout);
        }
    }
    if (error)
        unlink(unfinished);
    close(fd);
    return error;
}

static bool is_all_zero(const void *memory, size_t size)
{
    const unsigned char *bytes = memory;

    for (size_t i = 0; i < size; i++) {
        if (bytes[i])
            return false;
    }
    return true;
}

/* An empty file, or one whose header never reached the disk, is the result of a machine crash. Any
 * other file with this name and our owner, but without the mark, was damaged. */
static enum file_verdict examine_file(int fd, const char *path, uint32_t version,
                                      struct problem *problem)
{
    struct region_header header = {0};
    char boot_id[SHM_BOOT_ID_TEXT];
    struct stat status;

    if (fstat(fd, &status) != 0 || pread(fd, &header, sizeof header, 0) < 0) {
        system_problem(problem, "cannot read", path);
        return FILE_REFUSED;
    }
    if (!S_ISREG(status.st_mode) || status.st_uid != geteuid()) {
        problem_set(problem, ERROR_MALFORMED, "shm_not_ours",
                    "%s is not a shared region of this user; move it away", path);
        return FILE_REFUSED;
    }
    if (memcmp(header.magic, SHM_MAGIC, sizeof header.magic) != 0)
        return is_all_zero(&header, sizeof header) ? FILE_REPLACEABLE : FILE_DAMAGED;
    read_boot_id(boot_id);
    if (header.layout_version != SHM_LAYOUT_VERSION || header.caller_version != version ||
        header.size != sizeof(struct region_layout) ||
        memcmp(header.boot_id, boot_id, sizeof boot_id) != 0)
        return FILE_REPLACEABLE;
    if ((uint64_t)status.st_size != header.size)
        return FILE_DAMAGED;
    if (status.st_mode & 077)
        fchmod(fd, 0600);
    return FILE_USABLE;
}

/* Keeps the damaged file for analysis. */
static void keep_damaged(const char *path)
{
    char kept[PATH_MAX];

    if (snprintf(kept, sizeof kept, "%s.damaged", path) < (int)sizeof kept)
        (void)!rename(path, kept);
}

static enum error open_or_make(const char *path, uint32_t version, struct region_layout **layout,
                               struct problem *problem)
{
    struct problem refusal = {0};
    enum file_verdict verdict = FILE_REPLACEABLE;
    enum error error = ERROR_NONE;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0 && errno != ENOENT)
        return system_problem(problem, "cannot open", path);
    if (fd >= 0)
        verdict = examine_file(fd, path, version, &refusal);
    if (verdict == FILE_USABLE && !(*layout = map_file(fd)))
        error = system_problem(problem, "cannot map", path);
    if (verdict == FILE_REFUSED) {
        error = refusal.error;
        if (problem)
            *problem = refusal;
    }
    if (fd >= 0)
        close(fd);
    if (verdict == FILE_DAMAGED)
        keep_damaged(path);
    if (verdict == FILE_USABLE || verdict == FILE_REFUSED)
        return error;
    return make_file(path, version, verdict == FILE_DAMAGED, layout, problem);
}

/* Waits for the lock. Afterwards the lock file must still be the one with that name; otherwise it
 * was removed and other processes may lock another file (ESTALE). 0 when held. */
static int wait_for_lock(int fd, const char *lock_path)
{
    struct stat held, named;

    for (int waited = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; waited += LOCK_PAUSE_MS) {
        struct timespec pause = {.tv_nsec = LOCK_PAUSE_MS * 1000000L};

        if ((errno != EWOULDBLOCK && errno != EINTR) || waited >= shm_open_timeout_ms)
            return errno;
        nanosleep(&pause, NULL);
    }
    if (fstat(fd, &held) == 0 && stat(lock_path, &named) == 0 && held.st_dev == named.st_dev &&
        held.st_ino == named.st_ino)
        return 0;
    return ESTALE;
}

static enum error take_file_lock(const char *path, int *lock_fd, struct problem *problem)
{
    char lock_path[PATH_MAX];
    int status = ESTALE;

    if (snprintf(lock_path, sizeof lock_path, "%s.lock", path) >= (int)sizeof lock_path) {
        errno = ENAMETOOLONG;
        return system_problem(problem, "cannot lock", path);
    }
    for (int i = 0; i < LOCK_REPLACED_MAX && status == ESTALE; i++) {
        *lock_fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (*lock_fd < 0)
            return system_problem(problem, "cannot open", lock_path);
        status = wait_for_lock(*lock_fd, lock_path);
        if (status == 0)
            return ERROR_NONE;
        close(*lock_fd);
    }
    if (status == EWOULDBLOCK)
        return problem_set(problem, ERROR_BUSY, "shm_locked", "another process keeps %s locked",
                           lock_path);
    errno = status;
    return system_problem(problem, "cannot lock", lock_path);
}

static enum error wrap_layout(struct region_layout *layout, struct shm_region **region,
                              struct problem *problem)
{
    *region = calloc(1, sizeof **region);
    if (!*region) {
        munmap(layout, sizeof *layout);
        return problem_set(problem, ERROR_SYSTEM, "shm_system", "out of memory");
    }
    (*region)->layout = layout;
    (*region)->now = now_since_boot;
    return ERROR_NONE;
}

/* Called under the lock, so that the name is that of the mapped file. */
static void remember_file(struct shm_region *region, const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return;
    region->path = strdup(path);
    region->device = status.st_dev;
    region->inode = status.st_ino;
}

enum error shm_region_open(const char *path, uint32_t version, struct shm_region **region,
                           struct problem *problem)
{
    struct region_layout *layout = NULL;
    int lock_fd = -1;
    enum error error = take_file_lock(path, &lock_fd, problem);

    if (error)
        return error;
    shm_checkpoint("region.locked");
    error = open_or_make(path, version, &layout, problem);
    if (!error)
        error = wrap_layout(layout, region, problem);
    if (!error)
        remember_file(*region, path);
    close(lock_fd);
    return error;
}

enum error shm_region_open_anonymous(struct shm_region **region, struct problem *problem)
{
    struct region_layout *layout =
        mmap(NULL, sizeof *layout, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (layout == MAP_FAILED)
        return system_problem(problem, "cannot map", "shared memory");
    fill_layout(layout, 0, false);
    return wrap_layout(layout, region, problem);
}

void shm_region_close(struct shm_region *region)
{
    if (!region)
        return;
    munmap(region->layout, sizeof *region->layout);
    free(region->path);
    free(region);
}

int64_t shm_region_created_at(const struct shm_region *region)
{
    return region->layout->header.created_at;
}

int64_t shm_region_damaged_at(const struct shm_region *region)
{
    return region->layout->header.damaged_at;
}

/* Another file at the path of the mapped one is the one that new processes use. If its version
 * differs, it belongs to another program, and each keeps its own file. */
static bool is_place_of_others(const struct region_header *ours, const char *path)
{
    struct region_header header = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool read_whole = fd >= 0 && pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header;

    if (fd >= 0)
        close(fd);
    return !read_whole || memcmp(header.magic, SHM_MAGIC, sizeof header.magic) != 0 ||
           (header.layout_version == ours->layout_version &&
            header.caller_version == ours->caller_version);
}

bool shm_region_is_sound(const struct shm_region *region)
{
    const struct region_header *header = &region->layout->header;
    struct stat status;

    if (!region->path)
        return true;
    if (stat(region->path, &status) != 0)
        return errno != ENOENT;
    if (status.st_dev != region->device || status.st_ino != region->inode)
        return !is_place_of_others(header, region->path);
    return (uint64_t)status.st_size == sizeof *region->layout &&
           memcmp(header->magic, SHM_MAGIC, sizeof header->magic) == 0 &&
           header->layout_version == SHM_LAYOUT_VERSION && header->size == sizeof *region->layout;
}

void shm_region_set_clock(struct shm_region *region, int64_t (*now_microseconds)(void))
{
    region->now = now_microseconds ? now_microseconds : now_since_boot;
}

void shm_region_attach(struct shm_region *region, void *attached)
{
    region->attached = attached;
}

void *shm_region_attached(const struct shm_region *region)
{
    return region->attached;
}
