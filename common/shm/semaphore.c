/*
 * Named semaphores. Sums and queues are kept by name, so that no call looks at all tickets; but
 * only the tickets themselves count. Whenever a process may have left the rest half done (it died
 * with the lock, or released without it), and at each look for dead owners, sums and queues are
 * built again from the tickets.
 */
#include "shm/semaphore.h"

#include "base/clock.h"
#include "shm/layout.h"
#include "shm/process.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Checking whether an owner is alive takes some 10 us per process, under the lock. */
enum {
    OWNERS_PAUSE_US = 5000,       /* shortest pause between two checks of all owners */
    OWNERS_PAUSE_MAX_US = 500000, /* longest pause */
    OWNERS_PAUSE_TIMES = 100,     /* pause as a multiple of the last check's duration */
    OWNERS_REMEMBERED = 64        /* processes in one check */
};

static uint32_t cells_touched(const struct semaphore_table *table)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a region is mapped */
    return table->touched < SEMAPHORE_TICKETS_MAX ? table->touched : SEMAPHORE_TICKETS_MAX;
}

static uint32_t groups_touched(const struct semaphore_table *table)
{
    return table->groups_touched < SEMAPHORE_NAMES_MAX ? table->groups_touched
                                                       : SEMAPHORE_NAMES_MAX;
}

static uint32_t holder_of(const struct semaphore_cell *cell)
{
    return atomic_load_explicit(&cell->holder, memory_order_acquire);
}

static struct semaphore_cell *cell_at(struct semaphore_table *table, uint32_t index)
{
    return index >= 1 && index <= SEMAPHORE_TICKETS_MAX ? &table->cells[index - 1] : NULL;
}

static uint32_t index_of(const struct semaphore_table *table, const struct semaphore_cell *cell)
{
    return (uint32_t)(cell - table->cells) + 1;
}

static struct semaphore_group *group_at(struct semaphore_table *table, uint32_t index)
{
    return index >= 1 && index <= SEMAPHORE_NAMES_MAX ? &table->groups[index - 1] : NULL;
}

static uint32_t *bucket_of(struct semaphore_table *table, const char *name)
{
    uint32_t hash = 2166136261U; /* FNV-1a */

    for (size_t i = 0; i < SEMAPHORE_NAME_MAX - 1 && name[i]; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619U;
    return &table->buckets[hash % SEMAPHORE_BUCKETS];
}

static bool is_named(const char *stored, const char *name)
{
    return strncmp(stored, name, SEMAPHORE_NAME_MAX - 1) == 0;
}

static void copy_name(char stored[SEMAPHORE_NAME_MAX], const char *name)
{
    memset(stored, 0, SEMAPHORE_NAME_MAX);
    memcpy(stored, name, strnlen(name, SEMAPHORE_NAME_MAX - 1));
}

/* Damage could make a chain a circle. */
static struct semaphore_group *find_group(struct semaphore_table *table, const char *name)
{
    struct semaphore_group *group = group_at(table, *bucket_of(table, name));

    for (uint32_t i = 0; group && i < SEMAPHORE_NAMES_MAX; i++) {
        if (is_named(group->name, name))
            return group;
        group = group_at(table, group->next);
    }
    return NULL;
}

/* The group of a name, new if need be; NULL when there are too many names. */
static struct semaphore_group *open_group(struct semaphore_table *table, const char *name)
{
    struct semaphore_group *group = find_group(table, name);
    uint32_t *bucket = bucket_of(table, name);

    if (group)
        return group;
    group = group_at(table, table->free_group);
    if (group)
        table->free_group = group->next;
    else if (groups_touched(table) < SEMAPHORE_NAMES_MAX)
        group = &table->groups[table->groups_touched++];
    else
        return NULL;
    *group = (struct semaphore_group){.next = *bucket};
    copy_name(group->name, name);
    *bucket = (uint32_t)(group - table->groups) + 1;
    return group;
}

static bool is_empty(const struct semaphore_group *group)
{
    uint32_t tickets = group->waiting;

    for (int i = 0; i < SEMAPHORE_CLASSES; i++)
        tickets |= group->held[i];
    return tickets == 0;
}

static void close_if_empty(struct semaphore_table *table, struct semaphore_group *group)
{
    uint32_t index = (uint32_t)(group - table->groups) + 1, *link;

    if (!is_empty(group))
        return;
    link = bucket_of(table, group->name);
    for (uint32_t i = 0; *link != index && i < SEMAPHORE_NAMES_MAX; i++) {
        struct semaphore_group *next = group_at(table, *link);

        if (!next)
            return;
        link = &next->next;
    }
    *link = group->next;
    group->next = table->free_group;
    table->free_group = index;
}

static uint32_t held_of(const struct semaphore_group *group)
{
    uint32_t held = 0;

    for (int i = 0; i < SEMAPHORE_CLASSES; i++)
        held += group->held[i];
    return held;
}

static void join_queue(struct semaphore_table *table, struct semaphore_group *group,
                       struct semaphore_cell *cell)
{
    struct semaphore_cell *last = cell_at(table, group->last);

    cell->previous = last ? group->last : 0;
    cell->next = 0;
    if (last)
        last->next = index_of(table, cell);
    else
        group->first = index_of(table, cell);
    group->last = index_of(table, cell);
    group->waiting++;
}

static void leave_queue(struct semaphore_table *table, struct semaphore_group *group,
                        const struct semaphore_cell *cell)
{
    struct semaphore_cell *previous = cell_at(table, cell->previous);
    struct semaphore_cell *next = cell_at(table, cell->next);

    if (previous)
        previous->next = cell->next;
    else
        group->first = cell->next;
    if (next)
        next->previous = cell->previous;
    else
        group->last = cell->previous;
    group->waiting--;
}

static void count_held(struct semaphore_group *group, const struct semaphore_cell *cell)
{
    group->held[cell->class % SEMAPHORE_CLASSES]++;
    group->cost += cell->cost;
}

/* Takes a ticket out of the sums and queues; its cell is free then. */
static void drop(struct semaphore_table *table, struct semaphore_cell *cell)
{
    struct semaphore_group *group = group_at(table, cell->group);

    if (group && cell->granted) {
        group->held[cell->class % SEMAPHORE_CLASSES]--;
        group->cost -= cell->cost;
    } else if (group) {
        leave_queue(table, group, cell);
    }
    if (group)
        close_if_empty(table, group);
    cell->group = 0;
    cell->next = table->free_cell;
    table->free_cell = index_of(table, cell);
}

static int by_order(const void *a, const void *b, void *context)
{
    const struct semaphore_table *table = context;
    uint64_t first = table->cells[*(const uint32_t *)a].order;
    uint64_t second = table->cells[*(const uint32_t *)b].order;

    return first < second ? -1 : first > second;
}

/* Builds sums, queues and the list of free cells from the tickets. */
static void rebuild(struct semaphore_table *table)
{
    uint32_t touched = cells_touched(table), waiting = 0;

    atomic_store(&table->stale, 0);
    memset(table->buckets, 0, sizeof table->buckets);
    table->groups_touched = table->free_group = table->free_cell = 0;
    for (uint32_t i = touched; i-- > 0;) {
        struct semaphore_cell *cell = &table->cells[i];
        struct semaphore_group *group = holder_of(cell) ? open_group(table, cell->name) : NULL;

        cell->group = group ? (uint32_t)(group - table->groups) + 1 : 0;
        cell->next = cell->previous = 0;
        if (group && cell->granted) {
            count_held(group, cell);
        } else if (group) {
            table->sorted[waiting++] = i;
        } else if (!holder_of(cell)) {
            cell->next = table->free_cell;
            table->free_cell = i + 1;
        }
    }
    qsort_r(table->sorted, waiting, sizeof *table->sorted, by_order, table);
    for (uint32_t i = 0; i < waiting; i++) {
        struct semaphore_cell *cell = &table->cells[table->sorted[i]];

        join_queue(table, &table->groups[cell->group - 1], cell);
    }
}

static bool enter(struct semaphore_table *table)
{
    bool inherited;

    if (!shm_lock_take(&table->lock, &inherited))
        return false;
    if (inherited || atomic_load(&table->stale))
        rebuild(table);
    return true;
}

static struct semaphore_cell *own_cell(struct semaphore_table *table,
                                       const struct semaphore_ticket *ticket)
{
    struct semaphore_cell *cell = cell_at(table, ticket->cell);

    return cell && ticket->generation && holder_of(cell) == ticket->generation && cell->group
               ? cell
               : NULL;
}

static struct semaphore_cell *find_free(struct semaphore_table *table)
{
    struct semaphore_cell *cell = cell_at(table, table->free_cell);

    if (cell && !holder_of(cell)) {
        table->free_cell = cell->next;
        return cell;
    }
    return cells_touched(table) < SEMAPHORE_TICKETS_MAX ? &table->cells[table->touched++] : NULL;
}

/* The owners of one check, so that each process is looked at once. */
struct owners {
    size_t count;
    struct owner {
        pid_t pid;
        uint64_t started;
        bool alive;
    } items[OWNERS_REMEMBERED];
};

static bool is_alive(struct owners *owners, const struct semaphore_cell *cell)
{
    bool alive;

    for (size_t i = 0; i < owners->count; i++)
        if (owners->items[i].pid == cell->pid && owners->items[i].started == cell->started)
            return owners->items[i].alive;
    alive = process_is_alive(cell->pid, cell->started);
    if (owners->count < OWNERS_REMEMBERED)
        owners->items[owners->count++] = (struct owner){cell->pid, cell->started, alive};
    return alive;
}

static void reclaim_from_the_dead(struct semaphore_table *table)
{
    uint32_t touched = cells_touched(table);
    int64_t start = clock_monotonic_microseconds(), end, pause;
    struct owners owners = {0};

    for (uint32_t i = 0; i < touched; i++) {
        struct semaphore_cell *cell = &table->cells[i];

        if (holder_of(cell) && !is_alive(&owners, cell)) {
            atomic_store_explicit(&cell->holder, 0, memory_order_release);
            table->reclaimed++;
        }
    }
    rebuild(table);
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

/* A new ticket; NULL when there are too many tickets or names. */
static struct semaphore_cell *take_cell(struct semaphore_table *table,
                                        const struct semaphore_request *request, bool granted,
                                        struct semaphore_ticket *ticket)
{
    struct semaphore_cell *cell = find_free(table);
    struct semaphore_group *group;

    if (!cell) {
        reclaim_from_the_dead(table);
        cell = find_free(table);
    }
    group = cell ? open_group(table, request->name) : NULL;
    if (!group) {
        if (cell)
            atomic_store(&table->stale, 1); /* the cell is free, and in no list */
        return NULL;
    }
    if (++table->generation == 0)
        table->generation = 1;
    copy_name(cell->name, request->name);
    cell->class = request->class;
    cell->cost = request->cost;
    cell->pid = getpid();
    cell->started = process_start_time();
    cell->order = ++table->order;
    cell->granted = granted;
    cell->group = (uint32_t)(group - table->groups) + 1;
    if (granted)
        count_held(group, cell);
    else
        join_queue(table, group, cell);
    shm_checkpoint("semaphore.filled");
    atomic_store_explicit(&cell->holder, table->generation, memory_order_release);
    shm_checkpoint("semaphore.taken");
    *ticket = (struct semaphore_ticket){index_of(table, cell), table->generation};
    return cell;
}

static struct semaphore_usage usage_of(struct semaphore_table *table,
                                       const struct semaphore_request *request)
{
    const struct semaphore_group *group = find_group(table, request->name);

    if (!group)
        return (struct semaphore_usage){0};
    return (struct semaphore_usage){.count = group->held[request->class % SEMAPHORE_CLASSES],
                                    .cost = group->cost};
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

    *ticket = (struct semaphore_ticket){0};
    *usage = (struct semaphore_usage){0};
    if (!enter(table))
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

/* Whether the ticket is among the first of the queue for whom there is room. */
static bool is_next(struct semaphore_table *table, const struct semaphore_cell *own,
                    uint32_t count_max)
{
    const struct semaphore_group *group = group_at(table, own->group);
    uint32_t held = group ? held_of(group) : count_max;
    const struct semaphore_cell *cell = group ? cell_at(table, group->first) : NULL;

    for (uint32_t i = held; cell && i < count_max && i - held < SEMAPHORE_TICKETS_MAX; i++) {
        if (cell == own)
            return true;
        cell = cell_at(table, cell->next);
    }
    return false;
}

static bool has_turn(struct semaphore_table *table, const struct semaphore_cell *own,
                     uint32_t count_max)
{
    if (is_next(table, own, count_max))
        return true;
    if (!owners_are_due(table))
        return false;
    reclaim_from_the_dead(table);
    return is_next(table, own, count_max);
}

static void grant(struct semaphore_table *table, struct semaphore_cell *own)
{
    struct semaphore_group *group = group_at(table, own->group);

    if (group) { /* as every cell that waits has one */
        leave_queue(table, group, own);
        count_held(group, own);
    }
    own->granted = true;
}

bool semaphore_acquire(struct shm_region *region, const char *name, uint32_t count_max,
                       struct semaphore_ticket *ticket)
{
    struct semaphore_table *table = &region->layout->semaphores;
    struct semaphore_cell *own;
    bool granted = false;

    if (!enter(table))
        return false;
    own = own_cell(table, ticket);
    if (!own) {
        *ticket = (struct semaphore_ticket){0};
        own = take_cell(table, &(struct semaphore_request){.name = name}, false, ticket);
    }
    if (own) {
        if (!own->granted && has_turn(table, own, count_max))
            grant(table, own);
        granted = own->granted;
    }
    shm_lock_give(&table->lock);
    return granted;
}

/* The lock may be held by a process that was stopped: then the next one rebuilds. */
static bool give_back(struct semaphore_table *table, struct semaphore_cell *cell, uint32_t holder)
{
    bool locked = enter(table);
    bool own = atomic_compare_exchange_strong_explicit(&cell->holder, &holder, 0,
                                                       memory_order_acq_rel, memory_order_relaxed);

    if (own && locked)
        drop(table, cell);
    else if (own)
        atomic_store(&table->stale, 1);
    if (locked)
        shm_lock_give(&table->lock);
    return own;
}

void semaphore_release(struct shm_region *region, struct semaphore_ticket *ticket)
{
    struct semaphore_table *table = &region->layout->semaphores;
    struct semaphore_cell *cell = cell_at(table, ticket->cell);
    uint32_t holder = ticket->generation;

    *ticket = (struct semaphore_ticket){0};
    if (!cell || !holder || !give_back(table, cell, holder))
        return;
    /* A waiter that registers after this check finds the number changed and does not sleep. */
    atomic_fetch_add(&table->releases, 1);
    if (atomic_load(&table->waiters) > 0)
        syscall(SYS_futex, &table->releases, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
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

size_t semaphore_read_figures(struct shm_region *region, struct semaphore_figures *figures,
                              size_t most)
{
    struct semaphore_table *table = &region->layout->semaphores;
    uint32_t touched;
    size_t count = 0;

    if (!enter(table))
        return 0;
    if (owners_are_due(table))
        reclaim_from_the_dead(table);
    touched = groups_touched(table);
    for (uint32_t i = 0; i < touched && count < most; i++) {
        const struct semaphore_group *group = &table->groups[i];

        if (is_empty(group))
            continue;
        figures[count] =
            (struct semaphore_figures){.held = held_of(group), .waiting = group->waiting};
        copy_name(figures[count++].name, group->name);
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

    if (!enter(table))
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
