/*
 * Named semaphores. No sum of held tickets is stored, because a dead process could leave it wrong:
 * it is counted from the tickets each time, under the table's lock. Releasing needs no lock.
 */
#include "shm/semaphore.h"

#include "base/clock.h"
#include "shm/layout.h"
#include "shm/process.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Checking whether an owner is alive takes some 10 us per ticket, under the lock. */
enum {
    OWNERS_PAUSE_US = 5000,       /* shortest pause between two checks of all owners */
    OWNERS_PAUSE_MAX_US = 500000, /* longest pause */
    OWNERS_PAUSE_TIMES = 100      /* pause as a multiple of the last check's duration */
};

static uint32_t cells_touched(const struct semaphore_table *table)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a region is mapped */
    return table->touched < SEMAPHORE_TICKETS_MAX ? table->touched : SEMAPHORE_TICKETS_MAX;
}

static uint32_t holder_of(const struct semaphore_cell *cell)
{
    return atomic_load_explicit(&cell->holder, memory_order_acquire);
}

static bool is_named(const struct semaphore_cell *cell, const char *name)
{
    return strncmp(cell->name, name, SEMAPHORE_NAME_MAX - 1) == 0;
}

static struct semaphore_cell *own_cell(struct semaphore_table *table,
                                       const struct semaphore_ticket *ticket)
{
    struct semaphore_cell *cell;

    if (ticket->cell < 1 || ticket->cell > SEMAPHORE_TICKETS_MAX)
        return NULL;
    cell = &table->cells[ticket->cell - 1];
    return ticket->generation && holder_of(cell) == ticket->generation ? cell : NULL;
}

static struct semaphore_cell *find_free(struct semaphore_table *table)
{
    uint32_t touched = cells_touched(table);

    for (uint32_t i = 0; i < touched; i++)
        if (!holder_of(&table->cells[i]))
            return &table->cells[i];
    if (touched == SEMAPHORE_TICKETS_MAX)
        return NULL;
    table->touched = touched + 1;
    return &table->cells[touched];
}

static void reclaim_from_the_dead(struct semaphore_table *table)
{
    uint32_t touched = cells_touched(table);
    int64_t start = clock_monotonic_microseconds(), end, pause;

    for (uint32_t i = 0; i < touched; i++) {
        struct semaphore_cell *cell = &table->cells[i];

        if (holder_of(cell) && !process_is_alive(cell->pid, cell->started)) {
            atomic_store_explicit(&cell->holder, 0, memory_order_release);
            table->reclaimed++;
        }
    }
    end = clock_monotonic_microseconds();
    pause = (end - start) * OWNERS_PAUSE_TIMES;
    pause = pause < OWNERS_PAUSE_US ? OWNERS_PAUSE_US : pause;
    table->owners_due_at = end + (pause > OWNERS_PAUSE_MAX_US ? OWNERS_PAUSE_MAX_US : pause);
}

/* A time further away than any pause is damage. */
static bool owners_are_due(const struct semaphore_table *table)
{
    int64_t left = table->owners_due_at - clock_monotonic_microseconds();

    return left <= 0 || left > OWNERS_PAUSE_MAX_US;
}

/* A new ticket; NULL when the table is full. */
static struct semaphore_cell *take_cell(struct semaphore_table *table,
                                        const struct semaphore_request *request, bool granted,
                                        struct semaphore_ticket *ticket)
{
    struct semaphore_cell *cell = find_free(table);

    if (!cell) {
        reclaim_from_the_dead(table);
        cell = find_free(table);
    }
    if (!cell)
        return NULL;
    if (++table->generation == 0)
        table->generation = 1;
    memset(cell->name, 0, sizeof cell->name);
    memcpy(cell->name, request->name, strnlen(request->name, SEMAPHORE_NAME_MAX - 1));
    cell->class = request->class;
    cell->cost = request->cost;
    cell->pid = getpid();
    cell->started = process_start_time();
    cell->order = ++table->order;
    cell->granted = granted;
    shm_checkpoint("semaphore.filled");
    atomic_store_explicit(&cell->holder, table->generation, memory_order_release);
    shm_checkpoint("semaphore.taken");
    *ticket = (struct semaphore_ticket){(uint32_t)(cell - table->cells) + 1, table->generation};
    return cell;
}

static struct semaphore_usage usage_of(const struct semaphore_table *table,
                                       const struct semaphore_request *request)
{
    struct semaphore_usage usage = {0};
    uint32_t touched = cells_touched(table);

    for (uint32_t i = 0; i < touched; i++) {
        const struct semaphore_cell *cell = &table->cells[i];

        if (!holder_of(cell) || !cell->granted || !is_named(cell, request->name))
            continue;
        usage.count += cell->class == request->class;
        usage.cost += cell->cost;
    }
    return usage;
}

static enum semaphore_outcome judge(const struct semaphore_usage *usage,
                                    const struct semaphore_request *request)
{
    if (usage->count >= request->count_max)
        return SEMAPHORE_FULL;
    if (request->cost_max && usage->count > 0 && usage->cost + request->cost > request->cost_max)
        return SEMAPHORE_COST;
    return SEMAPHORE_ACQUIRED;
}

enum semaphore_outcome semaphore_try(struct shm_region *region,
                                     const struct semaphore_request *request,
                                     struct semaphore_ticket *ticket, struct semaphore_usage *usage)
{
    struct semaphore_table *table = &region->layout->semaphores;
    enum semaphore_outcome outcome;
    bool inherited; /* nothing to repair: sums are made from the tickets */

    *ticket = (struct semaphore_ticket){0};
    *usage = (struct semaphore_usage){0};
    if (!shm_lock_take(&table->lock, &inherited))
        return SEMAPHORE_FULL;
    *usage = usage_of(table, request);
    outcome = judge(usage, request);
    if (outcome != SEMAPHORE_ACQUIRED && owners_are_due(table)) {
        reclaim_from_the_dead(table);
        *usage = usage_of(table, request);
        outcome = judge(usage, request);
    }
    if (outcome == SEMAPHORE_ACQUIRED && !take_cell(table, request, true, ticket))
        outcome = SEMAPHORE_FULL;
    shm_lock_give(&table->lock);
    if (outcome == SEMAPHORE_ACQUIRED) {
        usage->count++;
        usage->cost += request->cost;
    }
    return outcome;
}

/* Tickets that are held, or that earlier ones in the queue will hold. */
static uint32_t count_before(const struct semaphore_table *table, const struct semaphore_cell *own)
{
    uint32_t touched = cells_touched(table), before = 0;

    for (uint32_t i = 0; i < touched; i++) {
        const struct semaphore_cell *cell = &table->cells[i];

        before += cell != own && holder_of(cell) && is_named(cell, own->name) &&
                  (cell->granted || cell->order < own->order);
    }
    return before;
}

static bool has_turn(struct semaphore_table *table, struct semaphore_cell *own, uint32_t count_max)
{
    if (count_before(table, own) < count_max)
        return true;
    if (!owners_are_due(table))
        return false;
    reclaim_from_the_dead(table);
    return count_before(table, own) < count_max;
}

bool semaphore_acquire(struct shm_region *region, const char *name, uint32_t count_max,
                       struct semaphore_ticket *ticket)
{
    struct semaphore_table *table = &region->layout->semaphores;
    struct semaphore_cell *own;
    bool inherited, granted = false; /* nothing to repair: counts are made from the tickets */

    if (!shm_lock_take(&table->lock, &inherited))
        return false;
    own = own_cell(table, ticket);
    if (!own) {
        *ticket = (struct semaphore_ticket){0};
        own = take_cell(table, &(struct semaphore_request){.name = name}, false, ticket);
    }
    if (own) {
        granted = own->granted || has_turn(table, own, count_max);
        own->granted = granted;
    }
    shm_lock_give(&table->lock);
    return granted;
}

void semaphore_release(struct shm_region *region, struct semaphore_ticket *ticket)
{
    struct semaphore_table *table = &region->layout->semaphores;
    uint32_t holder = ticket->generation, cell = ticket->cell;

    *ticket = (struct semaphore_ticket){0};
    if (cell < 1 || cell > SEMAPHORE_TICKETS_MAX || !holder)
        return;
    if (!atomic_compare_exchange_strong_explicit(&table->cells[cell - 1].holder, &holder, 0,
                                                 memory_order_acq_rel, memory_order_relaxed))
        return;
    /* A waiter that registers after this check finds the number changed and does not sleep. */
    atomic_fetch_add(&table->releases, 1);
    if (atomic_load(&table->waiters) > 0)
        syscall(SYS_futex, &table->releases, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void semaphore_release_all(struct shm_region *region)
{
    struct semaphore_table *table = &region->layout->semaphores;
    uint32_t touched = cells_touched(table);

    for (uint32_t i = 0; i < touched; i++) {
        const struct semaphore_cell *cell = &table->cells[i];
        struct semaphore_ticket ticket = {i + 1, holder_of(cell)};

        if (ticket.generation && cell->pid == getpid() && cell->started == process_start_time())
            semaphore_release(region, &ticket);
    }
}

uint32_t semaphore_releases(struct shm_region *region)
{
    return atomic_load(&region->layout->semaphores.releases);
}

void semaphore_wait(struct shm_region *region, uint32_t seen, uint32_t milliseconds)
{
    struct semaphore_table *table = &region->layout->semaphores;
    struct timespec timeout = {.tv_sec = milliseconds / 1000,
                               .tv_nsec = milliseconds % 1000 * 1000000L};

    atomic_fetch_add(&table->waiters, 1);
    syscall(SYS_futex, &table->releases, FUTEX_WAIT, seen, &timeout, NULL, 0);
    atomic_fetch_sub(&table->waiters, 1);
}

static struct semaphore_figures *figures_of(struct semaphore_figures *figures, size_t *count,
                                            size_t most, const struct semaphore_cell *cell)
{
    for (size_t i = 0; i < *count; i++)
        if (is_named(cell, figures[i].name))
            return &figures[i];
    if (*count == most)
        return NULL;
    figures[*count] = (struct semaphore_figures){0};
    memcpy(figures[*count].name, cell->name, strnlen(cell->name, SEMAPHORE_NAME_MAX - 1));
    return &figures[(*count)++];
}

size_t semaphore_read_figures(struct shm_region *region, struct semaphore_figures *figures,
                              size_t most)
{
    struct semaphore_table *table = &region->layout->semaphores;
    uint32_t touched;
    size_t count = 0;
    bool inherited;

    if (!shm_lock_take(&table->lock, &inherited))
        return 0;
    if (owners_are_due(table))
        reclaim_from_the_dead(table);
    touched = cells_touched(table);
    for (uint32_t i = 0; i < touched; i++) {
        const struct semaphore_cell *cell = &table->cells[i];
        struct semaphore_figures *row =
            holder_of(cell) ? figures_of(figures, &count, most, cell) : NULL;

        if (!row)
            continue;
        row->held += cell->granted != 0;
        row->waiting += cell->granted == 0;
    }
    shm_lock_give(&table->lock);
    return count;
}

struct semaphore_usage semaphore_read_usage(struct shm_region *region, const char *name,
                                            uint32_t class)
{
    struct semaphore_table *table = &region->layout->semaphores;
    const struct semaphore_request request = {.name = name, .class = class};
    struct semaphore_usage usage = {0};
    bool inherited;

    if (!shm_lock_take(&table->lock, &inherited))
        return usage;
    reclaim_from_the_dead(table);
    usage = usage_of(table, &request);
    shm_lock_give(&table->lock);
    return usage;
}

uint64_t semaphore_reclaimed(const struct shm_region *region)
{
    return region->layout->semaphores.reclaimed;
}
