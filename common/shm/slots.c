/*
 * Tickets in the shared file. How many places are taken is counted from the tickets each time, so
 * that no sum can be left wrong; `holder` is set last and cleared first. Leaving needs no lock.
 */
#include "shm/slots.h"

#include "base/clock.h"
#include "shm/layout.h"
#include "shm/process.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Asking who is still alive takes some 10 us a ticket, under the lock. */
enum {
    OWNERS_REST_US = 5000,        /* at least, between two rounds of it */
    OWNERS_REST_MOST_US = 500000, /* at most */
    OWNERS_REST_TIMES = 100       /* of what the last round took */
};

static uint32_t cells_touched(const struct slot_table *table)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a region is mapped */
    return table->touched < SLOT_TICKETS_MAX ? table->touched : SLOT_TICKETS_MAX;
}

static uint32_t holder_of(const struct slot_cell *cell)
{
    return atomic_load_explicit(&cell->holder, memory_order_acquire);
}

static bool is_named(const struct slot_cell *cell, const char *name)
{
    return strncmp(cell->name, name, SLOT_NAME_MAX - 1) == 0;
}

static struct slot_cell *own_cell(struct slot_table *table, const struct slot_ticket *ticket)
{
    struct slot_cell *cell;

    if (ticket->cell < 1 || ticket->cell > SLOT_TICKETS_MAX)
        return NULL;
    cell = &table->cells[ticket->cell - 1];
    return ticket->generation && holder_of(cell) == ticket->generation ? cell : NULL;
}

static struct slot_cell *find_free(struct slot_table *table)
{
    uint32_t touched = cells_touched(table);

    for (uint32_t i = 0; i < touched; i++)
        if (!holder_of(&table->cells[i]))
            return &table->cells[i];
    if (touched == SLOT_TICKETS_MAX)
        return NULL;
    table->touched = touched + 1;
    return &table->cells[touched];
}

static void reclaim_from_the_dead(struct slot_table *table)
{
    uint32_t touched = cells_touched(table);
    int64_t start = clock_monotonic_microseconds(), end, rest;

    for (uint32_t i = 0; i < touched; i++) {
        struct slot_cell *cell = &table->cells[i];

        if (holder_of(cell) && !process_is_alive(cell->pid, cell->started))
            atomic_store_explicit(&cell->holder, 0, memory_order_release);
    }
    end = clock_monotonic_microseconds();
    rest = (end - start) * OWNERS_REST_TIMES;
    rest = rest < OWNERS_REST_US ? OWNERS_REST_US : rest;
    table->owners_due_at = end + (rest > OWNERS_REST_MOST_US ? OWNERS_REST_MOST_US : rest);
}

/* A moment further away than any rest was not written by us. */
static bool owners_are_due(const struct slot_table *table)
{
    int64_t left = table->owners_due_at - clock_monotonic_microseconds();

    return left <= 0 || left > OWNERS_REST_MOST_US;
}

static struct slot_cell *enqueue(struct slot_table *table, const char *name,
                                 struct slot_ticket *ticket)
{
    struct slot_cell *cell = find_free(table);

    if (!cell) {
        reclaim_from_the_dead(table);
        cell = find_free(table);
    }
    if (!cell)
        return NULL;
    if (++table->generation == 0)
        table->generation = 1;
    memset(cell->name, 0, sizeof cell->name);
    memcpy(cell->name, name, strnlen(name, SLOT_NAME_MAX - 1));
    cell->pid = getpid();
    cell->started = process_start_time();
    cell->order = ++table->order;
    cell->granted = false;
    shm_checkpoint("slots.filled");
    atomic_store_explicit(&cell->holder, table->generation, memory_order_release);
    shm_checkpoint("slots.queued");
    *ticket = (struct slot_ticket){(uint32_t)(cell - table->cells) + 1, table->generation};
    return cell;
}

/* Places that are taken, or that those before it in the queue will take. */
static uint32_t count_before(const struct slot_table *table, const struct slot_cell *own)
{
    uint32_t touched = cells_touched(table), before = 0;

    for (uint32_t i = 0; i < touched; i++) {
        const struct slot_cell *cell = &table->cells[i];

        before += cell != own && holder_of(cell) && is_named(cell, own->name) &&
                  (cell->granted || cell->order < own->order);
    }
    return before;
}

static bool try_once(struct slot_table *table, struct slot_cell *own, uint32_t limit)
{
    if (count_before(table, own) < limit)
        return true;
    if (!owners_are_due(table))
        return false;
    reclaim_from_the_dead(table);
    return count_before(table, own) < limit;
}

bool slots_ask(struct shm_region *region, const char *name, uint32_t limit,
               struct slot_ticket *ticket)
{
    struct slot_table *table = &region->layout->slots;
    struct slot_cell *own;
    bool inherited, granted = false; /* nothing to repair: counts are made from the tickets */

    if (!shm_lock_take(&table->lock, &inherited))
        return false;
    own = own_cell(table, ticket);
    if (!own) {
        *ticket = (struct slot_ticket){0};
        own = enqueue(table, name, ticket);
    }
    if (own) {
        granted = own->granted || try_once(table, own, limit);
        own->granted = granted;
    }
    shm_lock_give(&table->lock);
    return granted;
}

void slots_leave(struct shm_region *region, struct slot_ticket *ticket)
{
    struct slot_table *table = &region->layout->slots;
    uint32_t holder = ticket->generation, cell = ticket->cell;

    *ticket = (struct slot_ticket){0};
    if (cell < 1 || cell > SLOT_TICKETS_MAX || !holder)
        return;
    if (!atomic_compare_exchange_strong_explicit(&table->cells[cell - 1].holder, &holder, 0,
                                                 memory_order_acq_rel, memory_order_relaxed))
        return;
    atomic_fetch_add(&table->departures, 1);
    if (atomic_load(&table->sleepers) > 0)
        syscall(SYS_futex, &table->departures, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void slots_leave_all(struct shm_region *region)
{
    struct slot_table *table = &region->layout->slots;
    uint32_t touched = cells_touched(table);

    for (uint32_t i = 0; i < touched; i++) {
        const struct slot_cell *cell = &table->cells[i];
        struct slot_ticket ticket = {i + 1, holder_of(cell)};

        if (ticket.generation && cell->pid == getpid() && cell->started == process_start_time())
            slots_leave(region, &ticket);
    }
}

uint32_t slots_departures(struct shm_region *region)
{
    return atomic_load(&region->layout->slots.departures);
}

void slots_rest(struct shm_region *region, uint32_t seen, uint32_t milliseconds)
{
    struct slot_table *table = &region->layout->slots;
    struct timespec timeout = {.tv_sec = milliseconds / 1000,
                               .tv_nsec = milliseconds % 1000 * 1000000L};

    atomic_fetch_add(&table->sleepers, 1);
    syscall(SYS_futex, &table->departures, FUTEX_WAIT, seen, &timeout, NULL, 0);
    atomic_fetch_sub(&table->sleepers, 1);
}

static struct slot_figures *figures_of(struct slot_figures *figures, size_t *count, size_t most,
                                       const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strncmp(figures[i].name, name, SLOT_NAME_MAX - 1) == 0)
            return &figures[i];
    if (*count == most)
        return NULL;
    figures[*count] = (struct slot_figures){0};
    memcpy(figures[*count].name, name, strnlen(name, SLOT_NAME_MAX - 1));
    return &figures[(*count)++];
}

size_t slots_read_figures(struct shm_region *region, struct slot_figures *figures, size_t most)
{
    struct slot_table *table = &region->layout->slots;
    uint32_t touched;
    size_t count = 0;
    bool inherited;

    if (!shm_lock_take(&table->lock, &inherited))
        return 0;
    if (owners_are_due(table))
        reclaim_from_the_dead(table);
    touched = cells_touched(table);
    for (uint32_t i = 0; i < touched; i++) {
        const struct slot_cell *cell = &table->cells[i];
        struct slot_figures *row =
            holder_of(cell) ? figures_of(figures, &count, most, cell->name) : NULL;

        if (row && cell->granted)
            row->held++;
        else if (row)
            row->waiting++;
    }
    shm_lock_give(&table->lock);
    return count;
}
