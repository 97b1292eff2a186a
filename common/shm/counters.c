/* Counters, stamps and notes of a family of workers. */
#include "shm/counters.h"

#include "shm/layout.h"

#include <string.h>

void counters_add(struct shm_family *family, unsigned counter, uint64_t amount)
{
    shm_check_index("counter", counter, COUNTERS_MAX);
    atomic_fetch_add_explicit(&family->counters[counter], amount, memory_order_relaxed);
}

uint64_t counters_read(const struct shm_family *family, unsigned counter)
{
    shm_check_index("counter", counter, COUNTERS_MAX);
    return atomic_load_explicit(&family->counters[counter], memory_order_relaxed);
}

uint64_t counters_total(const struct shm_region *region, unsigned counter)
{
    size_t count = shm_family_count(region);
    uint64_t total = 0;

    for (size_t i = 0; i < count; i++)
        total += counters_read(shm_family_at(region, i), counter);
    return total;
}

void stamps_set(struct shm_family *family, unsigned stamp, int64_t unix_microseconds)
{
    shm_check_index("stamp", stamp, STAMPS_MAX);
    int64_t known = atomic_load_explicit(&family->stamps[stamp], memory_order_relaxed);

    while (known < unix_microseconds &&
           !atomic_compare_exchange_weak_explicit(&family->stamps[stamp], &known, unix_microseconds,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

int64_t stamps_read(const struct shm_family *family, unsigned stamp)
{
    shm_check_index("stamp", stamp, STAMPS_MAX);
    return atomic_load_explicit(&family->stamps[stamp], memory_order_relaxed);
}

int64_t stamps_latest(const struct shm_region *region, unsigned stamp)
{
    size_t count = shm_family_count(region);
    int64_t latest = 0;

    for (size_t i = 0; i < count; i++) {
        int64_t own = stamps_read(shm_family_at(region, i), stamp);

        latest = own > latest ? own : latest;
    }
    return latest;
}

/* Bytes of the longest beginning of `text` that fits, without half a UTF-8 character at its end. */
static size_t fitting_length(const char *text, size_t capacity)
{
    size_t length = strnlen(text, capacity);

    if (length < capacity)
        return length;
    length = capacity - 1;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

void notes_set(struct shm_family *family, unsigned note, int64_t unix_microseconds,
               const char *text)
{
    shm_check_index("note", note, NOTES_MAX);
    struct note_cell *cell = &family->notes[note];
    struct note *spare;
    bool inherited;

    if (!shm_lock_take(&family->notes_lock, &inherited))
        return;
    spare = &cell->copies[cell->current == 1 ? 1 : 0];
    memset(spare, 0, sizeof *spare);
    shm_checkpoint("note.cleared");
    spare->at = unix_microseconds;
    memcpy(spare->text, text, fitting_length(text, sizeof spare->text));
    shm_checkpoint("note.filled");
    cell->current = cell->current == 1 ? 2 : 1;
    shm_lock_give(&family->notes_lock);
}

bool notes_read(struct shm_family *family, unsigned note, struct note *found)
{
    shm_check_index("note", note, NOTES_MAX);
    const struct note_cell *cell = &family->notes[note];
    bool inherited, present;

    memset(found, 0, sizeof *found);
    if (!shm_lock_take(&family->notes_lock, &inherited))
        return false;
    present = cell->current == 1 || cell->current == 2;
    if (present)
        *found = cell->copies[cell->current - 1];
    shm_lock_give(&family->notes_lock);
    found->text[sizeof found->text - 1] = '\0';
    return present;
}

bool notes_latest(const struct shm_region *region, unsigned note, struct note *found)
{
    size_t count = shm_family_count(region);
    bool present = false;
    struct note own;

    memset(found, 0, sizeof *found);
    for (size_t i = 0; i < count; i++) {
        if (notes_read(shm_family_at(region, i), note, &own) && (!present || own.at > found->at)) {
            *found = own;
            present = true;
        }
    }
    return present;
}
