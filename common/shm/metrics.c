/* Metrics in a mapped file: a table of cells, each claimed once by a compare-and-swap and never
 * given back while the file lives. */
#include "shm/metrics.h"
#include "base/number.h"
#include "shm/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CELLS = 8192, VALUES = METRIC_BUCKETS_MAX + 2 };
enum cell_state { CELL_EMPTY, CELL_CLAIMED, CELL_READY };

/* Values: of a counter or gauge the first; else count, sum, and the count of each bucket alone. */
struct cell {
    _Atomic uint32_t state;
    uint32_t metric;
    char labels[METRIC_LABELS_BYTES + METRIC_LABELS_MAX]; /* values, each with its NUL */
    _Atomic uint32_t hidden;                              /* a gauge that was cleared */
    _Atomic uint64_t values[VALUES];                      /* doubles */
};

struct region {
    uint64_t signature; /* of the table */
    _Atomic uint32_t sets[512];
    struct cell cells[CELLS];
};

struct metrics {
    const struct metric *table;
    size_t count;
    struct region *region;
};

static uint64_t mix(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * 1099511628211U; /* FNV-1a */
    return hash;
}

static uint64_t signature_of(const struct metric *table, size_t count)
{
    uint64_t hash = 14695981039346656037U ^ sizeof(struct region);

    for (size_t i = 0; i < count; i++) {
        hash = mix(hash, table[i].name, strlen(table[i].name) + 1);
        hash = mix(hash, &table[i].kind, sizeof table[i].kind);
        hash = mix(hash, table[i].buckets, sizeof table[i].buckets);
        for (size_t j = 0; j < METRIC_LABELS_MAX && table[i].labels[j]; j++)
            hash = mix(hash, table[i].labels[j], strlen(table[i].labels[j]) + 1);
    }
    return hash;
}

/* Whether the open file is of this table. One that is empty was just made. */
static bool is_ours(int file, uint64_t signature)
{
    struct stat status;
    uint64_t found;

    if (fstat(file, &status) != 0)
        return false;
    if (status.st_size == 0)
        return shm_reserve(file, (off_t)sizeof(struct region)) &&
               pwrite(file, &signature, sizeof signature, 0) == sizeof signature;
    return status.st_size == (off_t)sizeof(struct region) &&
           pread(file, &found, sizeof found, 0) == sizeof found && found == signature;
}

/* A file of another table is replaced, not emptied: whoever still maps it keeps it. */
static int open_ours(const char *path, uint64_t signature)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (file < 0 || is_ours(file, signature))
        return file;
    close(file);
    if (unlink(path) != 0)
        return -1;
    file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0 && !is_ours(file, signature)) {
        close(file);
        file = -1;
    }
    return file;
}

static void *map_file(const char *path, uint64_t signature)
{
    char lock_path[PATH_MAX];
    void *mapped = MAP_FAILED;
    int lock, file;

    if (snprintf(lock_path, sizeof lock_path, "%s.lock", path) >= (int)sizeof lock_path)
        return MAP_FAILED;
    lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0)
        return MAP_FAILED;
    file = flock(lock, LOCK_EX) == 0 ? open_ours(path, signature) : -1;
    if (file >= 0) {
        mapped = mmap(NULL, sizeof(struct region), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
    }
    close(lock);
    return mapped;
}

enum error metrics_open(const char *path, const struct metric *table, size_t count,
                        struct metrics **metrics, struct problem *problem)
{
    uint64_t signature = signature_of(table, count);
    void *region = path ? map_file(path, signature)
                        : mmap(NULL, sizeof(struct region), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    *metrics = NULL;
    if (region == MAP_FAILED)
        return problem_set(problem, ERROR_SYSTEM, "shm_system", "%s cannot be used: %s",
                           path ? path : "memory for metrics", strerror(errno));
    *metrics = calloc(1, sizeof **metrics);
    if (!*metrics) {
        munmap(region, sizeof(struct region));
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    }
    **metrics = (struct metrics){table, count, region};
    return ERROR_NONE;
}

void metrics_close(struct metrics *metrics)
{
    if (!metrics)
        return;
    munmap(metrics->region, sizeof *metrics->region);
    free(metrics);
}

/* The values side by side, each cut to its share of the room. */
struct label_set {
    char bytes[METRIC_LABELS_BYTES + METRIC_LABELS_MAX];
    size_t length;
};

static size_t label_count(const struct metric *metric)
{
    size_t count = 0;

    while (count < METRIC_LABELS_MAX && metric->labels[count])
        count++;
    return count;
}

static void pack(const struct metric *metric, const char *const *values, struct label_set *set)
{
    size_t count = label_count(metric);

    memset(set, 0, sizeof *set);
    for (size_t i = 0; i < count; i++) {
        const char *value = values && values[i] ? values[i] : "";
        size_t most = METRIC_LABELS_BYTES / count;
        size_t length = utf8_valid_prefix(value, strnlen(value, most));

        memcpy(set->bytes + set->length, value, length);
        set->length += length + 1;
    }
}

static bool is_same(const struct cell *cell, unsigned metric, const struct label_set *set)
{
    return cell->metric == metric && memcmp(cell->labels, set->bytes, sizeof set->bytes) == 0;
}

/* The cell of a set, claimed when `make`; NULL when there is none or no room. */
static struct cell *find(const struct metrics *metrics, unsigned metric,
                         const struct label_set *set, bool make)
{
    uint64_t hash =
        mix(mix(14695981039346656037U, &metric, sizeof metric), set->bytes, sizeof set->bytes);

    for (size_t step = 0; step < CELLS; step++) {
        struct cell *cell = &metrics->region->cells[(hash + step) % CELLS];
        uint32_t state = atomic_load_explicit(&cell->state, memory_order_acquire);

        if (state == CELL_EMPTY) {
            if (!make)
                return NULL;
            if (atomic_compare_exchange_strong(&cell->state, &state, CELL_CLAIMED)) {
                cell->metric = metric;
                memcpy(cell->labels, set->bytes, sizeof set->bytes);
                atomic_fetch_add(&metrics->region->sets[metric], 1);
                atomic_store_explicit(&cell->state, CELL_READY, memory_order_release);
                return cell;
            }
        }
        /* Somebody else is about to write his labels, which may be ours: a moment later they can be
         * compared. Whoever died in that moment leaves a cell that is never used. */
        for (int spin = 0; state == CELL_CLAIMED && spin < 1000; spin++)
            state = atomic_load_explicit(&cell->state, memory_order_acquire);
        if (state == CELL_READY && is_same(cell, metric, set))
            return cell;
    }
    return NULL;
}

static struct cell *cell_of(struct metrics *metrics, unsigned metric, const char *const *values)
{
    static const char *const other[METRIC_LABELS_MAX] = {"other", "other", "other", "other"};
    const struct metric *row;
    struct label_set set;
    struct cell *cell;
    unsigned most;

    if (!metrics || metric >= metrics->count)
        return NULL;
    row = &metrics->table[metric];
    most = row->sets ? row->sets : METRIC_SETS;
    pack(row, values, &set);
    cell = find(metrics, metric, &set, false);
    if (!cell && atomic_load(&metrics->region->sets[metric]) >= most)
        pack(row, other, &set);
    return cell ? cell : find(metrics, metric, &set, true);
}

static double as_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t as_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void add(_Atomic uint64_t *place, double amount)
{
    uint64_t old = atomic_load_explicit(place, memory_order_relaxed);

    while (!atomic_compare_exchange_weak(place, &old, as_bits(as_double(old) + amount)))
        continue;
}

void metric_add(struct metrics *metrics, unsigned metric, const char *const *values, double amount)
{
    struct cell *cell = cell_of(metrics, metric, values);

    if (!cell || !isfinite(amount))
        return;
    add(&cell->values[0], amount);
    atomic_store(&cell->hidden, 0);
}

void metric_set(struct metrics *metrics, unsigned metric, const char *const *values, double value)
{
    struct cell *cell = cell_of(metrics, metric, values);

    if (!cell || !isfinite(value))
        return;
    atomic_store(&cell->values[0], as_bits(value));
    atomic_store(&cell->hidden, 0);
}

void metric_observe(struct metrics *metrics, unsigned metric, const char *const *values,
                    double value)
{
    struct cell *cell = cell_of(metrics, metric, values);
    const double *buckets;

    if (!cell || !isfinite(value))
        return;
    buckets = metrics->table[metric].buckets;
    add(&cell->values[0], 1);
    add(&cell->values[1], value);
    for (size_t i = 0; i < METRIC_BUCKETS_MAX && buckets[i] > 0; i++) {
        if (value <= buckets[i]) {
            add(&cell->values[2 + i], 1);
            return;
        }
    }
}

double metric_read(const struct metrics *metrics, unsigned metric, const char *const *values)
{
    struct label_set set;
    const struct cell *cell;

    if (!metrics || metric >= metrics->count)
        return 0;
    pack(&metrics->table[metric], values, &set);
    cell = find(metrics, metric, &set, false);
    return cell ? as_double(atomic_load(&cell->values[0])) : 0;
}

void metric_clear(struct metrics *metrics, unsigned metric)
{
    for (size_t i = 0; metrics && i < CELLS; i++) {
        struct cell *cell = &metrics->region->cells[i];

        if (atomic_load(&cell->state) == CELL_READY && cell->metric == metric)
            atomic_store(&cell->hidden, 1);
    }
}

/* Backslash, quote and line end are written with a backslash. */
static void write_value(struct text *out, const char *value)
{
    for (; *value; value++) {
        if (*value == '\\' || *value == '"')
            text_append(out, "\\", 1);
        if (*value == '\n')
            text_append_string(out, "\\n");
        else
            text_append(out, value, 1);
    }
}

/* name{label="value",le="bound"}; without braces when there is neither. */
static void write_name(struct text *out, const struct metric *metric, const char *suffix,
                       const char *labels, const char *bound)
{
    size_t count = label_count(metric);

    text_append_string(out, metric->name);
    text_append_string(out, suffix);
    if (!count && !bound)
        return;
    text_append(out, "{", 1);
    for (size_t i = 0; i < count; i++) {
        text_append_string(out, i ? "," : "");
        text_append_string(out, metric->labels[i]);
        text_append_string(out, "=\"");
        write_value(out, labels);
        text_append(out, "\"", 1);
        labels += strlen(labels) + 1;
    }
    if (bound) {
        text_append_string(out, count ? ",le=\"" : "le=\"");
        text_append_string(out, bound);
        text_append(out, "\"", 1);
    }
    text_append(out, "}", 1);
}

static void write_number(struct text *out, double value)
{
    char number[NUMBER_TEXT_MAX];
    size_t length = number_format(value, number);

    if (length > 2 && strcmp(number + length - 2, ".0") == 0)
        length -= 2;
    text_append(out, " ", 1);
    text_append(out, number, length);
    text_append(out, "\n", 1);
}

static void write_histogram(struct text *out, const struct metric *metric, const char *labels,
                            const double values[VALUES])
{
    char bound[NUMBER_TEXT_MAX];
    double below = 0;

    for (size_t i = 0; i < METRIC_BUCKETS_MAX && metric->buckets[i] > 0; i++) {
        below += values[2 + i];
        number_format(metric->buckets[i], bound);
        write_name(out, metric, "_bucket", labels, bound);
        write_number(out, below);
    }
    write_name(out, metric, "_bucket", labels, "+Inf");
    write_number(out, values[0]);
}

static void write_set(struct text *out, const struct metric *metric, const char *labels,
                      const double values[VALUES])
{
    if (metric->kind == METRIC_COUNTER || metric->kind == METRIC_GAUGE) {
        write_name(out, metric, "", labels, NULL);
        write_number(out, values[0]);
        return;
    }
    if (metric->kind == METRIC_HISTOGRAM)
        write_histogram(out, metric, labels, values);
    write_name(out, metric, "_sum", labels, NULL);
    write_number(out, values[1]);
    write_name(out, metric, "_count", labels, NULL);
    write_number(out, values[0]);
}

static int by_labels(const void *a, const void *b)
{
    const struct cell *const *one = a, *const *two = b;

    return memcmp((*one)->labels, (*two)->labels, sizeof(*one)->labels);
}

static void write_cell(struct text *out, const struct metric *metric, const struct cell *cell)
{
    double values[VALUES];

    for (size_t i = 0; i < VALUES; i++)
        values[i] = as_double(atomic_load(&cell->values[i]));
    write_set(out, metric, cell->labels, values);
}

static void write_metric(const struct metrics *metrics, unsigned metric, struct text *out)
{
    static const char *const kinds[] = {"counter", "gauge", "histogram", "summary"};
    static const double nothing[VALUES];
    const struct metric *row = &metrics->table[metric];
    size_t most = row->sets ? row->sets : METRIC_SETS;
    const struct cell **cells = ARENA_ARRAY(out->arena, const struct cell *, most + 1);
    size_t count = 0;

    for (size_t i = 0; i < CELLS && count <= most; i++) {
        const struct cell *cell = &metrics->region->cells[i];

        if (atomic_load(&cell->state) == CELL_READY && cell->metric == metric &&
            !atomic_load(&cell->hidden))
            cells[count++] = cell;
    }
    text_append_format(out, "# HELP %s %s\n# TYPE %s %s\n", row->name, row->help, row->name,
                       kinds[row->kind]);
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are what is sorted */
    qsort(cells, count, sizeof cells[0], by_labels);
    for (size_t i = 0; i < count; i++)
        write_cell(out, row, cells[i]);
    if (!count && !label_count(row))
        write_set(out, row, "", nothing);
}

void metrics_write(const struct metrics *metrics, struct text *out)
{
    for (unsigned i = 0; metrics && i < metrics->count; i++)
        write_metric(metrics, i, out);
}
