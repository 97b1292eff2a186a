/* The shared cache: nothing made of older data is given out while a change goes on or after it. */
#include "shm/cache.h"
#include "test.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

static const char *const tags[] = {"default orders"};

static struct shm_cache *cache_make(void)
{
    struct problem problem = {0};
    struct shm_cache *cache = NULL;

    if (shm_cache_open_anonymous(&cache, &problem))
        printf("%s\n", problem.text);
    return cache;
}

static struct shm_cache_ticket ticket_of(struct shm_cache *cache)
{
    struct shm_cache_ticket ticket;

    shm_cache_look(cache, tags, 1, &ticket);
    return ticket;
}

static bool holds(struct shm_cache *cache, const char *answer)
{
    struct shm_cache_ticket ticket = ticket_of(cache);
    char bytes[SHM_CACHE_ENTRY_MAX];
    size_t length;

    return shm_cache_get(cache, "key", &ticket, bytes, &length) && length == strlen(answer) &&
           memcmp(bytes, answer, length) == 0;
}

static void keep(struct shm_cache *cache, const struct shm_cache_ticket *ticket, const char *answer)
{
    shm_cache_put(cache, "key", ticket, 60000000, answer, strlen(answer));
}

TEST(a_change_hides_what_was_kept_and_what_is_made_meanwhile)
{
    struct shm_cache *cache = cache_make();
    struct shm_cache_ticket before = ticket_of(cache), during;
    int64_t change;

    keep(cache, &before, "old");
    CHECK(holds(cache, "old"));
    change = shm_cache_changing(cache, tags[0]);
    CHECK(!holds(cache, "old"));
    during = ticket_of(cache);
    keep(cache, &during, "old");
    keep(cache, &before, "old");
    CHECK(!holds(cache, "old"));
    shm_cache_changed(cache, tags[0], change);
    CHECK(!holds(cache, "old"));
    keep(cache, &during, "old"); /* read before the commit, kept after it */
    keep(cache, &before, "old");
    CHECK(!holds(cache, "old"));
    during = ticket_of(cache);
    keep(cache, &during, "new");
    CHECK(holds(cache, "new"));
    shm_cache_close(cache);
}

TEST(a_change_goes_on_when_another_one_ends)
{
    struct shm_cache *cache = cache_make();
    int64_t first = shm_cache_changing(cache, tags[0]), second;
    struct shm_cache_ticket ticket;

    usleep(10);
    second = shm_cache_changing(cache, tags[0]);
    CHECK(first != second);
    shm_cache_changed(cache, tags[0], first);
    shm_cache_changed(cache, tags[0], 0); /* one of another host */
    ticket = ticket_of(cache);
    keep(cache, &ticket, "old");
    CHECK(!ticket.usable && !holds(cache, "old"));
    shm_cache_changed(cache, tags[0], second);
    ticket = ticket_of(cache);
    keep(cache, &ticket, "new");
    CHECK(holds(cache, "new"));
    shm_cache_close(cache);
}

TEST(changes_of_others_are_known_by_number)
{
    struct shm_cache *cache = cache_make();

    CHECK(!shm_cache_knows(cache, tags[0], 1));
    shm_cache_know(cache, tags[0], 7);
    CHECK(shm_cache_knows(cache, tags[0], 7) && shm_cache_knows(cache, tags[0], 6));
    CHECK(!shm_cache_knows(cache, tags[0], 8) && !shm_cache_knows(cache, "acme orders", 7));
    shm_cache_know(cache, tags[0], 5);
    CHECK(shm_cache_knows(cache, tags[0], 7));
    shm_cache_close(cache);
}

TEST(looks_rise_and_all_can_be_forgotten)
{
    struct shm_cache *cache = cache_make();
    struct shm_cache_ticket ticket = ticket_of(cache);

    CHECK(shm_cache_looked(cache) == INT64_MAX && shm_cache_mark(cache) == 0);
    shm_cache_set_looked(cache, 5, 1000);
    shm_cache_set_looked(cache, 3, 500);
    CHECK_INT(shm_cache_mark(cache), 5);
    CHECK(shm_cache_looked(cache) < INT64_MAX);
    shm_cache_set_looked(cache, 0, 0);
    CHECK_INT(shm_cache_mark(cache), 0);
    keep(cache, &ticket, "old");
    CHECK(holds(cache, "old"));
    shm_cache_forget(cache);
    CHECK(!holds(cache, "old"));
    shm_cache_close(cache);
}

TEST_MAIN(CASE(a_change_hides_what_was_kept_and_what_is_made_meanwhile),
          CASE(a_change_goes_on_when_another_one_ends), CASE(changes_of_others_are_known_by_number),
          CASE(looks_rise_and_all_can_be_forgotten))
