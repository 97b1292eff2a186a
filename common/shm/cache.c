/* The mapped file of shared answers: generations by tag, and slots under sequence locks. */
#include "shm/cache.h"

#include "base/clock.h"
#include "crypto/digest.h"
#include "crypto/token.h"
#include "shm/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHE_MAGIC "ASSAYCA3"

enum {
    TAG_SLOTS = 65536,
    ENTRY_SLOTS = 8192,
    BOOT_ID_TEXT = 40,
    /* After the death of a writer, how long a change stays in progress and a slot counts as being
     * written. */
    CHANGE_US = 5000000,
    WRITE_US = 2000000
};

struct tag_cell {
    _Atomic uint64_t generation;
    _Atomic int64_t changing_until; /* monotonic; 0 = not changing */
    _Atomic uint64_t known;         /* 24 bits of the tag's digest, 40 of the change number */
};

struct entry_cell {
    _Atomic uint32_t version; /* odd while it is written */
    uint32_t length;
    _Atomic int64_t written_at; /* monotonic */
    int64_t expires_at;
    unsigned char key[DIGEST_SHORT_BYTES];
    uint64_t generations[SHM_CACHE_TAGS_MAX];
    char bytes[SHM_CACHE_ENTRY_MAX];
};

struct cache_layout {
    char magic[8];
    uint64_t size;
    char boot_id[BOOT_ID_TEXT];
    unsigned char secret[DIGEST_SHORT_KEY_BYTES];
    _Atomic int64_t turn_at;
    _Atomic int64_t mark;
    _Atomic int64_t looked_at; /* monotonic */
    struct tag_cell tags[TAG_SLOTS];
    struct entry_cell entries[ENTRY_SLOTS];
};

struct shm_cache {
    struct cache_layout *layout;
};

static enum error refuse(struct problem *problem, const char *path)
{
    return problem_set(problem, ERROR_SYSTEM, "shm_cache", "%s: %s", path, strerror(errno));
}

static void read_boot_id(char id[BOOT_ID_TEXT])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    memset(id, 0, BOOT_ID_TEXT);
    if (file && !fgets(id, BOOT_ID_TEXT, file))
        *id = '\0';
    if (file)
        fclose(file);
}

static void make_layout(struct cache_layout *layout)
{
    layout->size = sizeof *layout;
    read_boot_id(layout->boot_id);
    token_random_bytes(layout->secret, sizeof layout->secret);
    memcpy(layout->magic, CACHE_MAGIC, sizeof layout->magic);
}

static bool is_usable(const struct cache_layout *layout)
{
    char boot_id[BOOT_ID_TEXT];

    read_boot_id(boot_id);
    return memcmp(layout->magic, CACHE_MAGIC, sizeof layout->magic) == 0 &&
           layout->size == sizeof *layout && memcmp(layout->boot_id, boot_id, BOOT_ID_TEXT) == 0;
}

static struct cache_layout *map(int file, int flags)
{
    void *memory = mmap(NULL, sizeof(struct cache_layout), PROT_READ | PROT_WRITE,
                        MAP_SHARED | flags, file, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

/* Opens the file under its lock, or replaces it by a fresh one. */
static struct cache_layout *open_locked(const char *path, int file, bool *again)
{
    struct cache_layout *layout;
    struct stat status;

    *again = false;
    if (fstat(file, &status) != 0)
        return NULL;
    if (status.st_size && status.st_size != (off_t)sizeof *layout) {
        *again = unlink(path) == 0;
        return NULL;
    }
    if (!status.st_size && !shm_reserve(file, (off_t)sizeof *layout))
        return NULL;
    layout = map(file, 0);
    if (layout && !status.st_size)
        make_layout(layout);
    if (layout && !is_usable(layout)) {
        munmap(layout, sizeof *layout);
        *again = unlink(path) == 0;
        return NULL;
    }
    return layout;
}

enum error shm_cache_open(const char *path, struct shm_cache **cache, struct problem *problem)
{
    struct cache_layout *layout = NULL;
    bool again = true;

    for (int attempt = 0; attempt < 3 && again && !layout; attempt++) {
        int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

        if (file < 0 || flock(file, LOCK_EX) != 0) {
            enum error error = refuse(problem, path);

            if (file >= 0)
                close(file);
            return error;
        }
        layout = open_locked(path, file, &again);
        flock(file, LOCK_UN); /* the mapping keeps the file open, and its lock with it */
        close(file);
    }
    *cache = layout ? calloc(1, sizeof **cache) : NULL;
    if (!*cache)
        return refuse(problem, path);
    (*cache)->layout = layout;
    return ERROR_NONE;
}

enum error shm_cache_open_anonymous(struct shm_cache **cache, struct problem *problem)
{
    struct cache_layout *layout = map(-1, MAP_ANONYMOUS);

    *cache = layout ? calloc(1, sizeof **cache) : NULL;
    if (!*cache)
        return refuse(problem, "memory");
    make_layout(layout);
    (*cache)->layout = layout;
    return ERROR_NONE;
}

void shm_cache_close(struct shm_cache *cache)
{
    if (!cache)
        return;
    munmap(cache->layout, sizeof *cache->layout);
    free(cache);
}

static uint64_t hash_of(const struct shm_cache *cache, const char *text,
                        unsigned char digest[DIGEST_SHORT_BYTES])
{
    uint64_t place;

    digest_short(cache->layout->secret, text, strlen(text), digest);
    memcpy(&place, digest, sizeof place);
    return place;
}

static struct tag_cell *tag_of(struct shm_cache *cache, const char *tag)
{
    unsigned char digest[DIGEST_SHORT_BYTES];

    return &cache->layout->tags[hash_of(cache, tag, digest) % TAG_SLOTS];
}

int64_t shm_cache_changing(struct shm_cache *cache, const char *tag)
{
    struct tag_cell *cell = tag_of(cache, tag);
    int64_t until = clock_monotonic_microseconds() + CHANGE_US;

    atomic_store(&cell->changing_until, until);
    atomic_fetch_add(&cell->generation, 1);
    return until;
}

/* The next change may have begun meanwhile; it stays in progress. */
void shm_cache_changed(struct shm_cache *cache, const char *tag, int64_t change)
{
    struct tag_cell *cell = tag_of(cache, tag);

    atomic_fetch_add(&cell->generation, 1);
    if (change)
        atomic_compare_exchange_strong(&cell->changing_until, &change, 0);
}

enum { NUMBER_BITS = 40 };

/* The digest distinguishes tags that share a cell. */
static uint64_t known_of(struct shm_cache *cache, const char *tag, int64_t number)
{
    unsigned char digest[DIGEST_SHORT_BYTES];
    uint64_t mark = 0;

    (void)hash_of(cache, tag, digest);
    memcpy(&mark, digest + 8, 3);
    return mark << NUMBER_BITS | ((uint64_t)number & ((UINT64_C(1) << NUMBER_BITS) - 1));
}

void shm_cache_know(struct shm_cache *cache, const char *tag, int64_t number)
{
    struct tag_cell *cell = tag_of(cache, tag);
    uint64_t mine = known_of(cache, tag, number), now = atomic_load(&cell->known);

    while ((now >> NUMBER_BITS != mine >> NUMBER_BITS || now < mine) &&
           !atomic_compare_exchange_weak(&cell->known, &now, mine))
        continue;
}

bool shm_cache_knows(struct shm_cache *cache, const char *tag, int64_t number)
{
    uint64_t mine = known_of(cache, tag, number);
    uint64_t now = atomic_load(&tag_of(cache, tag)->known);

    return now >> NUMBER_BITS == mine >> NUMBER_BITS && now >= mine;
}

void shm_cache_look(struct shm_cache *cache, const char *const *tags, size_t count,
                    struct shm_cache_ticket *ticket)
{
    int64_t now = clock_monotonic_microseconds();

    *ticket = (struct shm_cache_ticket){.count = count, .usable = true};
    for (size_t i = 0; i < count && i < SHM_CACHE_TAGS_MAX; i++) {
        struct tag_cell *cell = tag_of(cache, tags[i]);

        ticket->slots[i] = (uint64_t)(cell - cache->layout->tags);
        ticket->generations[i] = atomic_load(&cell->generation);
        ticket->usable = ticket->usable && atomic_load(&cell->changing_until) < now;
    }
}

static bool still_valid(const struct shm_cache *cache, const struct shm_cache_ticket *ticket)
{
    int64_t now = clock_monotonic_microseconds();

    for (size_t i = 0; i < ticket->count; i++) {
        struct tag_cell *cell = &cache->layout->tags[ticket->slots[i]];

        if (atomic_load(&cell->generation) != ticket->generations[i] ||
            atomic_load(&cell->changing_until) >= now)
            return false;
    }
    return true;
}

bool shm_cache_get(struct shm_cache *cache, const char *key, const struct shm_cache_ticket *ticket,
                   char *bytes, size_t *length)
{
    unsigned char digest[DIGEST_SHORT_BYTES];
    struct entry_cell *cell = &cache->layout->entries[hash_of(cache, key, digest) % ENTRY_SLOTS];
    uint32_t version = atomic_load_explicit(&cell->version, memory_order_acquire);
    bool good;

    if (!ticket->usable || version % 2 || !version)
        return false;
    good = memcmp(cell->key, digest, sizeof digest) == 0 &&
           cell->expires_at > clock_monotonic_microseconds() &&
           cell->length <= SHM_CACHE_ENTRY_MAX &&
           memcmp(cell->generations, ticket->generations, sizeof cell->generations) == 0;
    if (!good)
        return false;
    *length = cell->length;
    memcpy(bytes, cell->bytes, *length);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&cell->version, memory_order_relaxed) == version &&
           still_valid(cache, ticket);
}

/* Makes the version odd. False when another process is writing, unless that began too long ago. */
static bool take_cell(struct entry_cell *cell)
{
    uint32_t version = atomic_load(&cell->version);
    int64_t now = clock_monotonic_microseconds();

    if (version % 2 && now - atomic_load(&cell->written_at) < WRITE_US)
        return false;
    if (!atomic_compare_exchange_strong(&cell->version, &version,
                                        version % 2 ? version + 2 : version + 1))
        return false;
    atomic_store(&cell->written_at, now);
    return true;
}

void shm_cache_put(struct shm_cache *cache, const char *key, const struct shm_cache_ticket *ticket,
                   int64_t ttl_microseconds, const char *bytes, size_t length)
{
    unsigned char digest[DIGEST_SHORT_BYTES];
    struct entry_cell *cell = &cache->layout->entries[hash_of(cache, key, digest) % ENTRY_SLOTS];

    if (length > SHM_CACHE_ENTRY_MAX || ttl_microseconds <= 0 || !ticket->usable ||
        !still_valid(cache, ticket) || !take_cell(cell))
        return;
    atomic_thread_fence(memory_order_release);
    memcpy(cell->key, digest, sizeof digest);
    memcpy(cell->generations, ticket->generations, sizeof cell->generations);
    cell->expires_at = clock_monotonic_microseconds() + ttl_microseconds;
    cell->length = (uint32_t)length;
    memcpy(cell->bytes, bytes, length);
    atomic_fetch_add_explicit(&cell->version, 1, memory_order_release);
}

void shm_cache_forget(struct shm_cache *cache)
{
    for (size_t i = 0; i < TAG_SLOTS; i++)
        atomic_fetch_add(&cache->layout->tags[i].generation, 1);
}

bool shm_cache_my_turn(struct shm_cache *cache, int64_t microseconds)
{
    int64_t now = clock_monotonic_microseconds();
    int64_t last = atomic_load(&cache->layout->turn_at);

    return (now - last >= microseconds || last > now) &&
           atomic_compare_exchange_strong(&cache->layout->turn_at, &last, now);
}

int64_t shm_cache_mark(const struct shm_cache *cache)
{
    return atomic_load(&cache->layout->mark);
}

int64_t shm_cache_looked(const struct shm_cache *cache)
{
    int64_t at = atomic_load(&cache->layout->looked_at);

    return at ? clock_monotonic_microseconds() - at : INT64_MAX;
}

static void rise(_Atomic int64_t *value, int64_t to)
{
    int64_t now = atomic_load(value);

    while (now < to && !atomic_compare_exchange_weak(value, &now, to))
        continue;
}

void shm_cache_set_looked(struct shm_cache *cache, int64_t mark, int64_t began)
{
    if (mark)
        rise(&cache->layout->mark, mark);
    else
        atomic_store(&cache->layout->mark, 0);
    rise(&cache->layout->looked_at, began);
}
