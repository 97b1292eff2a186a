/* Metrics in a mapped file: a table of cells, each claimed once by a compare-and-swap and never
 * released while the file exists. A cell has as many values as its kind of metric needs. */
#include "shm/metrics.h"
#include "shm/histogram.h"
#include "shm/lock.h"
#include "shm/metrics_internal.h"
#include "shm/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long a cell may be claimed: a second, after some tries without a pause. */
enum { CLAIM_SPINS = 1000, CLAIM_PAUSE_MICROSECONDS = 100, CLAIM_PAUSES = CLAIM_SPINS + 10000 };

static uint64_t mix(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * 1099511628211U; /* FNV-1a */
    return hash;
}

static uint64_t signature_of(const struct metric *table, size_t count)
{
    uint64_t hash = 14695981039346656037U ^ sizeof(struct metrics_region);

    for (size_t i = 0; i < count; i++) {
        hash = mix(hash, table[i].name, strlen(table[i].name) + 1);
        hash = mix(hash, &table[i].kind, sizeof table[i].kind);
        hash = mix(hash, table[i].buckets, sizeof table[i].buckets);
        for (size_t j = 0; j < METRIC_LABELS_MAX && table[i].labels[j]; j++)
            hash = mix(hash, table[i].labels[j], strlen(table[i].labels[j]) + 1);
    }
    return hash;
}

/* Whether the open file is of this table. An empty file was just created. */
static bool is_ours(int file, uint64_t signature)
{
    struct stat status;
    uint64_t found;

    if (fstat(file, &status) != 0)
        return false;
    if (status.st_size == 0)
        return shm_reserve(file, (off_t)sizeof(struct metrics_region)) &&
               pwrite(file, &signature, sizeof signature, 0) == sizeof signature;
    return status.st_size == (off_t)sizeof(struct metrics_region) &&
           pread(file, &found, sizeof found, 0) == sizeof found && found == signature;
}

/* A file of another table is replaced, not truncated: processes that still map it keep it. */
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
        mapped =
            mmap(NULL, sizeof(struct metrics_region), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
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
                        : mmap(NULL, sizeof(struct metrics_region), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    *metrics = NULL;
    if (region == MAP_FAILED)
        return problem_set(problem, ERROR_SYSTEM, "shm_system", "%s cannot be used: %s",
                           path ? path : "memory for metrics", strerror(errno));
    *metrics = calloc(1, sizeof **metrics);
    if (!*metrics) {
        munmap(region, sizeof(struct metrics_region));
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

/* The label values one after another, each cut to its share of the space. */
struct label_set {
    char bytes[METRIC_LABELS_BYTES + METRIC_LABELS_MAX];
    size_t length;
};

size_t metric_label_count(const struct metric *metric)
{
    size_t count = 0;

    while (count < METRIC_LABELS_MAX && metric->labels[count])
        count++;
    return count;
}

static void pack(const struct metric *metric, const char *const *values, struct label_set *set)
{
    size_t count = metric_label_count(metric);

    memset(set, 0, sizeof *set);
    for (size_t i = 0; i < count; i++) {
        const char *value = values && values[i] ? values[i] : "";
        size_t most = METRIC_LABELS_BYTES / count;
        size_t length = utf8_valid_prefix(value, strnlen(value, most));

        memcpy(set->bytes + set->length, value, length);
        set->length += length + 1;
    }
}

static bool is_same(const struct metric_cell *cell, unsigned metric, const struct label_set *set)
{
    return cell->metric == metric && memcmp(cell->labels, set->bytes, sizeof set->bytes) == 0;
}

/* The number of values in a cell of that metric. */
static uint32_t value_count(const struct metric *metric)
{
    uint32_t count = 2;

    if (metric->kind == METRIC_COUNTER || metric->kind == METRIC_GAUGE)
        return 1;
    if (metric->kind == METRIC_TIMES)
        return 3 + HISTOGRAM_BUCKETS;
    while (metric->kind == METRIC_HISTOGRAM && count < METRIC_VALUES_MAX &&
           metric->buckets[count - 2] > 0)
        count++;
    return count;
}

/* NULL without a cell, or when the pool had no room for its values. */
static _Atomic uint64_t *values_of(const struct metrics *metrics, const struct metric_cell *cell)
{
    if (!cell || cell->values_at > METRIC_POOL - value_count(&metrics->table[cell->metric]))
        return NULL;
    return &metrics->region->pool[cell->values_at];
}

/* Takes an empty cell. False when another process was first, or gave the cell up because this one
 * took too long. */
static bool claim(const struct metrics *metrics, struct metric_cell *cell, unsigned metric,
                  const struct label_set *set)
{
    struct metrics_region *region = metrics->region;
    uint32_t empty = CELL_EMPTY, claimed = CELL_CLAIMED, at;

    if (!atomic_compare_exchange_strong(&cell->state, &empty, CELL_CLAIMED))
        return false;
    shm_checkpoint("metrics.claimed");
    at = atomic_load(&region->pool_used);
    cell->values_at = at < METRIC_POOL ? atomic_fetch_add(&region->pool_used,
                                                          value_count(&metrics->table[metric]))
                                       : METRIC_POOL;
    cell->metric = metric;
    memcpy(cell->labels, set->bytes, sizeof set->bytes);
    if (!atomic_compare_exchange_strong(&cell->state, &claimed, CELL_READY))
        return false;
    atomic_fetch_add(&region->sets[metric], 1);
    return true;
}

/* The state of a cell once no process is writing its labels. They may be the ones that the caller
 * looks for: taking another cell for them meanwhile would split their value. Writing takes
 * microseconds, or longer when the process has to wait for a processor; a process that died leaves
 * the cell to be given up here, once. */
static uint32_t settled_state(struct metric_cell *cell)
{
    uint32_t state = atomic_load_explicit(&cell->state, memory_order_acquire);

    for (int pause = 0; state == CELL_CLAIMED && pause < CLAIM_PAUSES; pause++) {
        if (pause >= CLAIM_SPINS)
            usleep(CLAIM_PAUSE_MICROSECONDS);
        state = atomic_load_explicit(&cell->state, memory_order_acquire);
    }
    if (state == CELL_CLAIMED &&
        atomic_compare_exchange_strong(&cell->state, &state, CELL_ABANDONED))
        return CELL_ABANDONED;
    return state;
}

/* The cell of a label set, claimed if `make`; NULL when there is none or no room. */
static struct metric_cell *find(const struct metrics *metrics, unsigned metric,
                                const struct label_set *set, bool make)
{
    uint64_t hash =
        mix(mix(14695981039346656037U, &metric, sizeof metric), set->bytes, sizeof set->bytes);

    for (size_t step = 0; step < METRIC_CELLS; step++) {
        struct metric_cell *cell = &metrics->region->cells[(hash + step) % METRIC_CELLS];

        if (atomic_load_explicit(&cell->state, memory_order_acquire) == CELL_EMPTY) {
            if (!make)
                return NULL;
            if (claim(metrics, cell, metric, set))
                return cell;
        }
        if (settled_state(cell) == CELL_READY && is_same(cell, metric, set))
            return cell;
    }
    return NULL;
}

static struct metric_cell *cell_of(struct metrics *metrics, unsigned metric,
                                   const char *const *values)
{
    static const char *const other[METRIC_LABELS_MAX] = {"other", "other", "other", "other"};
    const struct metric *row;
    struct label_set set;
    struct metric_cell *cell;
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

static double read_value(const _Atomic uint64_t *value)
{
    return as_double(atomic_load(value));
}

static void add(_Atomic uint64_t *sum, double amount)
{
    uint64_t old = atomic_load_explicit(sum, memory_order_relaxed);

    while (!atomic_compare_exchange_weak(sum, &old, as_bits(as_double(old) + amount)))
        continue;
}

static void raise(_Atomic uint64_t *largest, double value)
{
    uint64_t old = atomic_load_explicit(largest, memory_order_relaxed);

    while (as_double(old) < value && !atomic_compare_exchange_weak(largest, &old, as_bits(value)))
        continue;
}

void metric_add(struct metrics *metrics, unsigned metric, const char *const *values, double amount)
{
    struct metric_cell *cell = cell_of(metrics, metric, values);
    _Atomic uint64_t *held = values_of(metrics, cell);

    if (!held || !isfinite(amount))
        return;
    add(&held[0], amount);
    atomic_store(&cell->hidden, 0);
}

void metric_set(struct metrics *metrics, unsigned metric, const char *const *values, double value)
{
    struct metric_cell *cell = cell_of(metrics, metric, values);
    _Atomic uint64_t *held = values_of(metrics, cell);

    if (!held || !isfinite(value))
        return;
    atomic_store(&held[0], as_bits(value));
    atomic_store(&cell->hidden, 0);
}

void metric_raise(struct metrics *metrics, unsigned metric, const char *const *values, double value)
{
    _Atomic uint64_t *held = values_of(metrics, cell_of(metrics, metric, values));

    if (held && isfinite(value))
        raise(&held[0], value);
}

static void observe_time(_Atomic uint64_t *held, double seconds)
{
    double microseconds = fmax(0, rint(seconds * 1e6));

    add(&held[0], 1);
    add(&held[1], microseconds);
    raise(&held[2], microseconds);
    add(&held[3 + histogram_bucket((uint64_t)microseconds)], 1);
}

void metric_observe(struct metrics *metrics, unsigned metric, const char *const *values,
                    double value)
{
    _Atomic uint64_t *held = values_of(metrics, cell_of(metrics, metric, values));
    const double *buckets;

    if (!held || !isfinite(value))
        return;
    if (metrics->table[metric].kind == METRIC_TIMES) {
        observe_time(held, value);
        return;
    }
    buckets = metrics->table[metric].buckets;
    add(&held[0], 1);
    add(&held[1], value);
    for (size_t i = 0; i < METRIC_BUCKETS_MAX && buckets[i] > 0; i++) {
        if (value <= buckets[i]) {
            add(&held[2 + i], 1);
            return;
        }
    }
}

double metric_read(const struct metrics *metrics, unsigned metric, const char *const *values)
{
    const _Atomic uint64_t *held;
    struct label_set set;

    if (!metrics || metric >= metrics->count)
        return 0;
    pack(&metrics->table[metric], values, &set);
    held = values_of(metrics, find(metrics, metric, &set, false));
    return held ? read_value(&held[0]) : 0;
}

bool metric_is_shown(const struct metric_cell *cell, unsigned metric)
{
    return atomic_load(&cell->state) == CELL_READY && cell->metric == metric &&
           !atomic_load(&cell->hidden);
}

/* Whether a cell has the given labels; NULL matches any. */
static bool matches(const struct metrics *metrics, const struct metric_cell *cell,
                    const char *const *values)
{
    const char *label = cell->labels;

    for (size_t i = 0; values && i < metric_label_count(&metrics->table[cell->metric]); i++) {
        if (values[i] && strcmp(values[i], label) != 0)
            return false;
        label += strlen(label) + 1;
    }
    return true;
}

double metric_sum(const struct metrics *metrics, unsigned metric, const char *const *values)
{
    double sum = 0;

    for (size_t i = 0; metrics && i < METRIC_CELLS; i++) {
        const struct metric_cell *cell = &metrics->region->cells[i];
        const _Atomic uint64_t *held =
            metric_is_shown(cell, metric) ? values_of(metrics, cell) : NULL;

        if (held && matches(metrics, cell, values))
            sum += read_value(&held[0]);
    }
    return sum;
}

const char *metric_largest(const struct metrics *metrics, unsigned metric, double *value)
{
    const char *label = NULL;

    *value = 0;
    for (size_t i = 0; metrics && i < METRIC_CELLS; i++) {
        const struct metric_cell *cell = &metrics->region->cells[i];
        const _Atomic uint64_t *held =
            metric_is_shown(cell, metric) ? values_of(metrics, cell) : NULL;

        if (!held || (label && read_value(&held[0]) <= *value))
            continue;
        *value = read_value(&held[0]);
        label = cell->labels;
    }
    return label;
}

static void add_times(struct metric_times *times, const _Atomic uint64_t *held)
{
    times->count += read_value(&held[0]);
    times->sum += read_value(&held[1]);
    times->largest = fmax(times->largest, read_value(&held[2]));
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        times->buckets[i] += read_value(&held[3 + i]);
}

void metric_read_times(const struct metrics *metrics, unsigned metric, struct metric_times *times)
{
    *times = (struct metric_times){0};
    for (size_t i = 0; metrics && i < METRIC_CELLS; i++) {
        const struct metric_cell *cell = &metrics->region->cells[i];
        const _Atomic uint64_t *held =
            metric_is_shown(cell, metric) ? values_of(metrics, cell) : NULL;

        if (held)
            add_times(times, held);
    }
    times->sum /= 1e6;
    times->largest /= 1e6;
}

double metric_quantile(const struct metric_times *times, double q)
{
    double rank = fmax(1, ceil(fmin(q, 1) * times->count)), passed = 0;

    if (times->count == 0)
        return -1;
    if (rank >= times->count)
        return times->largest;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        passed += times->buckets[i];
        if (passed >= rank)
            return fmin(histogram_middle(i) / 1e6, times->largest);
    }
    return times->largest;
}

/* The bucket that contains a bound counts in full, so the effective bound is up to 6.25 %
 * larger. */
static void cell_times(const struct metric *row, const _Atomic uint64_t *held,
                       double values[METRIC_VALUES_MAX])
{
    unsigned next = 0;

    values[0] = read_value(&held[0]);
    values[1] = read_value(&held[1]) / 1e6;
    for (size_t i = 0; i < METRIC_BUCKETS_MAX && row->buckets[i] > 0; i++) {
        unsigned last = histogram_bucket((uint64_t)(row->buckets[i] * 1e6));

        for (values[2 + i] = 0; next <= last; next++)
            values[2 + i] += read_value(&held[3 + next]);
    }
}

void metric_cell_values(const struct metrics *metrics, const struct metric_cell *cell,
                        double values[METRIC_VALUES_MAX])
{
    const struct metric *row = &metrics->table[cell->metric];
    const _Atomic uint64_t *held = values_of(metrics, cell);

    memset(values, 0, METRIC_VALUES_MAX * sizeof values[0]);
    if (!held)
        return;
    if (row->kind == METRIC_TIMES) {
        cell_times(row, held, values);
        return;
    }
    for (uint32_t i = 0; i < value_count(row); i++)
        values[i] = read_value(&held[i]);
}

void metric_clear(struct metrics *metrics, unsigned metric)
{
    for (size_t i = 0; metrics && i < METRIC_CELLS; i++) {
        struct metric_cell *cell = &metrics->region->cells[i];

        if (metric_is_shown(cell, metric))
            atomic_store(&cell->hidden, 1);
    }
}
