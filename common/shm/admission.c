/*
 * Admission of heavy computation. What is in flight is never kept as a sum that a dead process
 * could leave wrong: it is added up from the slots each time, under the table's lock. Giving a
 * slot back needs no lock.
 */
#include "shm/admission.h"

#include "base/clock.h"
#include "shm/layout.h"
#include "shm/process.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    NAP_MAX_MICROSECONDS = 20000,    /* a dead holder wakes nobody: look again after this */
    OWNER_CHECK_MICROSECONDS = 5000, /* pause between two rounds of asking who is still alive */
};

struct in_flight {
    uint32_t heavy, cheap;
    uint64_t cost;
};

const char *admission_outcome_name(enum admission_outcome outcome)
{
    static const char *const names[ADMISSION_OUTCOME__MAX] = {
        [ADMISSION_GRANTED] = "granted",
        [ADMISSION_HEAVY_CONCURRENCY] = "heavy_concurrency",
        [ADMISSION_COST_BUDGET] = "cost_budget",
        [ADMISSION_CHEAP_CONCURRENCY] = "cheap_concurrency",
    };

    shm_check_index("admission outcome", outcome, ADMISSION_OUTCOME__MAX);
    return names[outcome];
}

static uint32_t slots_touched(const struct admission_table *table)
{
    return table->slots_touched < ADMISSION_SLOTS_MAX ? table->slots_touched : ADMISSION_SLOTS_MAX;
}

static struct in_flight add_up(struct admission_table *table)
{
    struct in_flight sum = {0};
    uint32_t touched = slots_touched(table);

    for (uint32_t i = 0; i < touched; i++) {
        const struct admission_slot *slot = &table->slots[i];

        if (!atomic_load_explicit(&slot->holder, memory_order_acquire))
            continue;
        if (slot->heavy)
            sum.heavy++;
        else
            sum.cheap++;
        sum.cost += slot->cost;
    }
    return sum;
}

static enum admission_outcome judge(const struct in_flight *running,
                                    const struct admission_limits *limits, uint64_t cost,
                                    bool heavy)
{
    if (!heavy)
        return running->cheap >= limits->max_cheap ? ADMISSION_CHEAP_CONCURRENCY
                                                   : ADMISSION_GRANTED;
    if (running->heavy >= limits->max_heavy)
        return ADMISSION_HEAVY_CONCURRENCY;
    if (running->heavy > 0 && running->cost + cost > limits->budget)
        return ADMISSION_COST_BUDGET;
    return ADMISSION_GRANTED;
}

/* The lowest free slot; NULL when all are taken. */
static struct admission_slot *find_slot(struct admission_table *table)
{
    uint32_t touched = slots_touched(table);

    for (uint32_t i = 0; i < touched; i++) {
        if (!atomic_load_explicit(&table->slots[i].holder, memory_order_acquire))
            return &table->slots[i];
    }
    if (touched == ADMISSION_SLOTS_MAX)
        return NULL;
    table->slots_touched = touched + 1;
    return &table->slots[touched];
}

static void take_slot(struct admission_table *table, struct admission_slot *slot, uint64_t cost,
                      bool heavy, struct admission_ticket *ticket)
{
    if (++table->generation == 0)
        table->generation = 1;
    slot->pid = getpid();
    slot->started = process_start_time();
    slot->cost = cost;
    slot->heavy = heavy;
    shm_checkpoint("admission.filled");
    atomic_store_explicit(&slot->holder, table->generation, memory_order_release);
    shm_checkpoint("admission.taken");
    ticket->slot = (uint32_t)(slot - table->slots) + 1;
    ticket->generation = table->generation;
}

static void raise_peaks(struct admission_table *table, const struct in_flight *running)
{
    if (running->heavy > table->heavy_peak)
        table->heavy_peak = running->heavy;
    if (running->cheap > table->cheap_peak)
        table->cheap_peak = running->cheap;
    if (running->cost > table->cost_peak)
        table->cost_peak = running->cost;
}

static void reclaim_from_the_dead(struct admission_table *table)
{
    uint32_t touched = slots_touched(table);

    for (uint32_t i = 0; i < touched; i++) {
        struct admission_slot *slot = &table->slots[i];
        uint32_t holder = atomic_load_explicit(&slot->holder, memory_order_acquire);

        if (holder && !process_is_alive(slot->pid, slot->started)) {
            atomic_store_explicit(&slot->holder, 0, memory_order_release);
            table->reclaimed++;
        }
    }
}

/* Under the lock: one try, with a look for dead holders when there is no room. */
static enum admission_outcome try_once(struct admission_table *table,
                                       const struct admission_limits *limits, uint64_t cost,
                                       bool heavy, struct admission_ticket *ticket)
{
    struct in_flight running = add_up(table);
    enum admission_outcome outcome = judge(&running, limits, cost, heavy);
    struct admission_slot *slot;
    int64_t now;

    if (outcome != ADMISSION_GRANTED) {
        now = clock_monotonic_microseconds();
        if ((uint64_t)now - (uint64_t)table->owners_checked_at >= OWNER_CHECK_MICROSECONDS) {
            table->owners_checked_at = now;
            reclaim_from_the_dead(table);
            running = add_up(table);
            outcome = judge(&running, limits, cost, heavy);
        }
    }
    if (outcome != ADMISSION_GRANTED)
        return outcome;
    slot = find_slot(table);
    if (!slot)
        return heavy ? ADMISSION_HEAVY_CONCURRENCY : ADMISSION_CHEAP_CONCURRENCY;
    take_slot(table, slot, cost, heavy, ticket);
    table->admitted++;
    running.heavy += heavy;
    running.cheap += !heavy;
    running.cost += cost;
    raise_peaks(table, &running);
    return ADMISSION_GRANTED;
}

static void sleep_until_release(struct admission_table *table, uint32_t seen, int64_t left)
{
    int64_t nap = left < NAP_MAX_MICROSECONDS ? left : NAP_MAX_MICROSECONDS;
    struct timespec timeout = {.tv_nsec = nap * 1000};

    atomic_fetch_add(&table->waiters, 1);
    syscall(SYS_futex, &table->releases, FUTEX_WAIT, seen, &timeout, NULL, 0);
    atomic_fetch_sub(&table->waiters, 1);
}

/* Who counts itself only after this look finds the word changed and does not sleep. */
static void wake_waiters(struct admission_table *table)
{
    atomic_fetch_add(&table->releases, 1);
    if (atomic_load(&table->waiters) > 0)
        syscall(SYS_futex, &table->releases, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void count_analyzer(struct admission_table *table, const char *analyzer)
{
    uint32_t count = table->analyzer_count;
    struct admission_analyzer *entry;

    if (count > ADMISSION_ANALYZERS_MAX)
        count = ADMISSION_ANALYZERS_MAX;
    for (uint32_t i = 0; i < count; i++) {
        entry = &table->analyzers[i];
        if (strncmp(entry->name, analyzer, sizeof entry->name - 1) == 0) {
            entry->rejected++;
            return;
        }
    }
    if (count == ADMISSION_ANALYZERS_MAX) {
        table->rejected_others++;
        return;
    }
    entry = &table->analyzers[count];
    memset(entry, 0, sizeof *entry);
    memcpy(entry->name, analyzer, strnlen(analyzer, sizeof entry->name - 1));
    entry->rejected = 1;
    shm_checkpoint("admission.analyzer_filled");
    table->analyzer_count = count + 1;
}

static void count_rejection(struct admission_table *table, enum admission_outcome outcome,
                            const char *analyzer)
{
    table->rejected++;
    table->rejected_by[outcome]++;
    shm_checkpoint("admission.rejected");
    count_analyzer(table, analyzer ? analyzer : "other");
}

enum admission_outcome admission_acquire(struct shm_region *region,
                                         const struct admission_limits *limits, uint32_t cost,
                                         bool heavy, const char *analyzer,
                                         struct admission_ticket *ticket)
{
    struct admission_table *table = &region->layout->admission;
    enum admission_outcome outcome =
        heavy ? ADMISSION_HEAVY_CONCURRENCY : ADMISSION_CHEAP_CONCURRENCY;
    uint64_t charged = heavy || cost < 1 ? cost : 1;
    int64_t deadline = clock_monotonic_microseconds() + limits->acquire_timeout_ms * INT64_C(1000);
    bool inherited; /* nothing to repair: sums are made from the slots */

    *ticket = (struct admission_ticket){0};
    for (;;) {
        uint32_t seen = atomic_load_explicit(&table->releases, memory_order_acquire);
        bool locked = shm_lock_take(&table->lock, &inherited);
        int64_t left;

        if (locked)
            outcome = try_once(table, limits, charged, heavy, ticket);
        left = deadline - clock_monotonic_microseconds();
        if (locked && outcome != ADMISSION_GRANTED && left <= 0)
            count_rejection(table, outcome, analyzer);
        if (locked)
            shm_lock_give(&table->lock);
        if (outcome == ADMISSION_GRANTED || left <= 0)
            return outcome;
        sleep_until_release(table, seen, left);
    }
}

void admission_release(struct shm_region *region, struct admission_ticket *ticket)
{
    struct admission_table *table = &region->layout->admission;
    uint32_t slot = ticket->slot, holder = ticket->generation;

    *ticket = (struct admission_ticket){0};
    if (slot < 1 || slot > ADMISSION_SLOTS_MAX || holder == 0)
        return;
    if (atomic_compare_exchange_strong_explicit(&table->slots[slot - 1].holder, &holder, 0,
                                                memory_order_acq_rel, memory_order_relaxed))
        wake_waiters(table);
}

static void copy_analyzers(const struct admission_table *table, struct admission_figures *figures)
{
    uint32_t count = table->analyzer_count;

    if (count > ADMISSION_ANALYZERS_MAX)
        count = ADMISSION_ANALYZERS_MAX;
    memcpy(figures->analyzers, table->analyzers, count * sizeof figures->analyzers[0]);
    for (uint32_t i = 0; i < count; i++)
        figures->analyzers[i].name[ADMISSION_ANALYZER_NAME_MAX - 1] = '\0';
    figures->analyzer_count = count;
    if (table->rejected_others) {
        struct admission_analyzer *others = &figures->analyzers[figures->analyzer_count++];

        memcpy(others->name, "other", sizeof "other");
        others->rejected = table->rejected_others;
    }
}

void admission_read_figures(struct shm_region *region, struct admission_figures *figures)
{
    struct admission_table *table = &region->layout->admission;
    struct in_flight running;
    bool inherited;

    *figures = (struct admission_figures){0};
    if (!shm_lock_take(&table->lock, &inherited))
        return;
    reclaim_from_the_dead(table);
    running = add_up(table);
    figures->heavy_in_flight = running.heavy;
    figures->cheap_in_flight = running.cheap;
    figures->cost_in_flight = running.cost;
    figures->heavy_peak = table->heavy_peak;
    figures->cheap_peak = table->cheap_peak;
    figures->cost_peak = table->cost_peak;
    figures->admitted = table->admitted;
    figures->rejected = table->rejected;
    memcpy(figures->rejected_by, table->rejected_by, sizeof figures->rejected_by);
    figures->reclaimed = table->reclaimed;
    copy_analyzers(table, figures);
    shm_lock_give(&table->lock);
}
