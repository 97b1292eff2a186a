/* How far answers reach, on both engines: positions, and what a restored database knows of them. */
#include "livedata_fixture.h"

#include "livedata/cache/live_cache.h"

static struct live_position after_order(struct live *live, int event, const char *order)
{
    struct apply_result result =
        live_apply(live, live_order(live, event, "order.created", live_ago(live, 5), order, "USR-1",
                                    "pending", "PROD-1", 1, "10.00"));

    CHECK_INT(result.status, EVENT_APPLIED);
    return live->call.position;
}

static bool reached(struct live *live, struct live_position position, int64_t kept_since)
{
    struct store *store = live->store;
    bool is = false;

    CHECK_OK(position_is_reached(&live->call.storage, position, kept_since, &is));
    return is;
}

TEST(positions_are_texts_that_compare_as_they_do)
{
    static const int64_t numbers[] = {1, 9, 10, 31, 32, 1023, 1 << 20, INT64_C(1) << 40};
    char before[POSITION_TEXT] = "", text[POSITION_TEXT];

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct live_position position = {numbers[i], INT64_C(1795714396541810) - (int64_t)i}, read;

        position_format(position, text);
        CHECK(strcmp(before, text) < 0);
        CHECK(position_parse(text, &read) && read.seq == position.seq && read.at == position.at);
        memcpy(before, text, sizeof before);
    }
    position_format((struct live_position){0}, text);
    CHECK_TEXT(text, "");
}

TEST(what_is_no_position_is_refused)
{
    static const char *const texts[] = {"",
                                        "p",
                                        "0",
                                        "p0000000000000000000000000",
                                        "pzzzzzzzzzzzzzzzzzzzzzzzz",
                                        "x0000000000001000000000001",
                                        "p00000000000010000000000",
                                        "pvvvvvvvvvvvvvvvvvvvvvvvv"};
    struct live_position position;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        CHECK(!position_parse(texts[i], &position));
}

ON_BOTH(a_batch_gives_the_position_of_its_tenant)
{
    struct live_position first, second, other, again;
    struct live live;

    live_make(store, &live);
    CHECK_OK(position_read(&live.call.storage, &first));
    CHECK_INT(first.seq, 0);
    first = after_order(&live, 1, "ORD-20260101-0001");
    live.call.storage.tenant = "acme";
    other = after_order(&live, 1, "ORD-20260101-0001");
    live.call.storage.tenant = "default";
    CHECK_OK(position_read(&live.call.storage, &again));
    CHECK(again.seq == first.seq && again.at == first.at);
    second = after_order(&live, 2, "ORD-20260101-0002");
    CHECK(first.seq < other.seq && other.seq < second.seq);
    CHECK(reached(&live, first, 0) && reached(&live, second, 0));
    CHECK_INT(
        live_apply(&live, live_order(&live, 2, "order.created", live_ago(&live, 5),
                                     "ORD-20260101-0002", "USR-1", "pending", "PROD-1", 1, "10.00"))
            .status,
        EVENT_DUPLICATE);
    CHECK(live.call.position.seq == second.seq && live.call.position.at == second.at);
}

/* The rows behind the first position are lost, and others get their numbers. */
ON_BOTH(a_restored_database_does_not_know_what_it_has_lost)
{
    static const struct statement lose = {"lose", "DELETE FROM pipeline_events WHERE seq > ?"};
    static const struct statement number = {"number",
                                            "UPDATE pipeline_events SET seq = ? WHERE"
                                            " seq = (SELECT max(seq) FROM pipeline_events)"};
    struct live_position first, second, third;
    struct query *query;
    struct live live;

    live_make(store, &live);
    first = after_order(&live, 1, "ORD-20260101-0001");
    second = after_order(&live, 2, "ORD-20260101-0002");
    query = db_query(store->db, &lose);
    query_bind_integer(query, first.seq);
    CHECK_OK(query_end(query, &store->problem));
    CHECK(reached(&live, first, 0) && !reached(&live, second, 0));
    third = after_order(&live, 3, "ORD-20260101-0003");
    CHECK(!reached(&live, second, 0) && reached(&live, third, 0));
    query = db_query(store->db, &number);
    query_bind_integer(query, second.seq);
    CHECK_OK(query_end(query, &store->problem));
    CHECK(!reached(&live, second, 0));
    CHECK(reached(&live, (struct live_position){second.seq, third.at}, 0));
}

ON_BOTH(a_position_outlives_its_row)
{
    static const struct statement forget = {"forget", "DELETE FROM pipeline_events WHERE seq = ?"};
    struct live_position first, second;
    struct query *query;
    struct live live;

    live_make(store, &live);
    first = after_order(&live, 1, "ORD-20260101-0001");
    second = after_order(&live, 2, "ORD-20260101-0002");
    query = db_query(store->db, &forget);
    query_bind_integer(query, first.seq);
    CHECK_OK(query_end(query, &store->problem));
    CHECK(reached(&live, first, first.at + 1) && !reached(&live, first, first.at));
    CHECK(!reached(&live, (struct live_position){second.seq + 1, first.at}, second.at + 1));
}

static enum error beat_of(struct live *live, const char *source, bool retired, int64_t most)
{
    const struct heartbeat heartbeat = {.source = source, .watermark = 1, .retired = retired};

    return source_beat(&live->call.storage, &heartbeat, most);
}

static enum error beat(struct live *live, const char *source, bool retired)
{
    return beat_of(live, source, retired, 2);
}

ON_BOTH(a_tenant_has_so_many_sources)
{
    struct live live;

    live_make(store, &live);
    CHECK_OK(beat(&live, "a", false));
    CHECK_OK(beat(&live, "b", false));
    CHECK_INT(beat(&live, "c", false), ERROR_INVALID);
    CHECK_TEXT(store->problem.reason, "too_many_sources");
    CHECK_OK(beat(&live, "b", false));
    CHECK_OK(beat_of(&live, "a", false, 1)); /* the limit was lowered: those that are there go on */
    CHECK_INT(beat_of(&live, "c", false, 1), ERROR_INVALID);
    live.call.storage.tenant = "acme";
    CHECK_OK(beat(&live, "c", false));
    live.call.storage.tenant = "default";
    CHECK_OK(beat(&live, "a", true));
    CHECK_OK(beat(&live, "c", false));
}

static bool is_kept(struct live *live, struct live_cache *cache, const char *tenant,
                    struct shm_cache_ticket *ticket)
{
    struct storage_call call = live->call.storage;
    const char *answer;

    call.tenant = tenant;
    return live_cache_find(cache, &call, "answer", "orders_v2", ticket, &answer);
}

/* Sources of many tenants beat without an event between them: one number for all. */
ON_BOTH(changes_of_many_tenants_at_one_number_are_followed)
{
    enum { TENANTS = 1500 };
    static const struct statement add = {
        "add", "INSERT INTO cache_generation (tenant_id, table_name, gen, last_event_at, event_at,"
               " seq) VALUES (?, 'orders_v2', 1, 0, 0, 7)"};
    static const struct statement raise = {"raise", "UPDATE cache_generation SET gen = gen + 1"};
    struct live_cache cache = {.poll_microseconds = us_per_hour};
    struct storage_call *call;
    struct shm_cache_ticket ticket;
    const char *last = NULL;
    struct live live;

    live_make(store, &live);
    call = &live.call.storage;
    CHECK_OK(shm_cache_open_anonymous(&cache.shared, &store->problem));
    CHECK_OK(db_begin(store->db, DB_WRITE, &store->problem));
    for (int i = 0; i < TENANTS; i++) {
        struct query *query = db_query(store->db, &add);

        query_bind_text(query, last = arena_print(store->arena, "t%04d", i));
        CHECK_OK(query_end(query, &store->problem));
    }
    CHECK_OK(db_finish(store->db, ERROR_NONE, &store->problem));
    (void)live_cache_follow(&cache, call); /* from here on */
    CHECK(live_cache_follow(&cache, call));
    CHECK(!is_kept(&live, &cache, last, &ticket));
    live_cache_keep(&cache, "answer", &ticket, 3600, "old");
    CHECK(is_kept(&live, &cache, last, &ticket));
    CHECK_OK(store_run(store, &raise));
    CHECK(live_cache_follow(&cache, call));
    CHECK(!is_kept(&live, &cache, last, &ticket));
    shm_cache_close(cache.shared);
}

TEST_MAIN(CASE(positions_are_texts_that_compare_as_they_do), CASE(what_is_no_position_is_refused),
          CASE(a_batch_gives_the_position_of_its_tenant),
          CASE(a_restored_database_does_not_know_what_it_has_lost),
          CASE(a_position_outlives_its_row), CASE(a_tenant_has_so_many_sources),
          CASE(changes_of_many_tenants_at_one_number_are_followed))
