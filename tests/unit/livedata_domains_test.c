/* Entities of domains on both engines: events by their mapping in any order, and change data. */
#include "livedata_own_fixture.h"

ON_BOTH(values_of_all_types_come_back)
{
    struct live live;

    live_make_domains(store, &live, folders);
    check_applied(&live,
                  own_event(&live, 1, "machine.registered", "10:00",
                            "\"machine_id\":7,\"name\":\"Fr\\u00e4se\",\"site\":\"north\","
                            "\"installed_at\":\"2026-01-02T03:04:05Z\",\"hourly_cost\":\"12345678"
                            "901234.5678\",\"running\":true,\"settings\":{\"b\":[1],\"a\":null}"));
    CHECK_TEXT(live_row(&live, "machine", "7"),
               "{\"machine_id\":\"7\",\"name\":\"Fr\xc3\xa4se\",\"site\":\"north\","
               "\"installed_at\":\"2026-01-02T03:04:05Z\",\"hourly_cost\":12345678901234.5678,"
               "\"running\":true,\"settings\":{\"a\":null,\"b\":[1]},\"starts\":0,\"energy\":0.0}");
}

/* What does not fit its column is a dead letter that names the member. */
ON_BOTH(wrong_values_are_dead_letters)
{
    static const struct {
        const char *type, *more, *detail;
    } all[] = {
        {"machine.registered", "\"name\":\"a\"", "machine_id: field required"},
        {"machine.registered", "\"machine_id\":\"1\"", "name: field required"},
        {"machine.registered", "\"machine_id\":\"a/b\",\"name\":\"a\"",
         "machine_id: is the key: a text without / of 1 to 256 bytes, or a whole number"},
        {"machine.changed", "\"machine_id\":\"1\",\"site\":\"east\"",
         "site: is none of the 3 values of site"},
        {"machine.changed", "\"machine_id\":\"1\",\"hourly_cost\":1.23456",
         "hourly_cost: must be a number with at most 4 places"},
        {"machine.changed", "\"machine_id\":\"1\",\"running\":\"yes\"",
         "running: must be true or false"},
        {"machine.ran", "\"machine_id\":\"1\",\"used\":{\"energy\":\"much\"}",
         "used.energy: must be a number with at most 3 places"},
        {"machine.changed", "\"machine_id\":\"1\",\"version\":-1",
         "version: must be a whole number from 0"},
    };
    struct live live;

    live_make_domains(store, &live, folders);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct apply_result result =
            live_apply(&live, own_event(&live, (int)i + 1, all[i].type, "10:00", all[i].more));

        CHECK_INT(result.status, EVENT_DEAD_LETTERED);
        CHECK_TEXT(result.detail, all[i].detail);
    }
}

/* Each of these ends in the same row whatever order its events come in: all 720 orders. */
ON_BOTH(the_order_of_arrival_does_not_matter)
{
    static const struct {
        const char *type, *at, *more;
    } events[] = {
        {"machine.registered", "10:00", "\"name\":\"A\",\"site\":\"north\",\"running\":false"},
        {"machine.ran", "10:05", "\"used\":{\"energy\":\"5.5\"}"},
        {"machine.scrapped", "10:10", "\"reason\":\"sold\""},
        {"machine.ran", "10:15", "\"used\":{\"energy\":1.25}"},
        {"machine.changed", "10:15", "\"version\":2,\"name\":\"C\""},
        {"machine.changed", "10:15", "\"version\":1,\"name\":\"B\",\"site\":\"west\""},
    };
    enum { COUNT = 6, ORDERS = 720 };
    struct live live;

    live_make_domains(store, &live, folders);
    for (int order = 0; order < ORDERS; order += 7) {
        int left[COUNT] = {0, 1, 2, 3, 4, 5}, rest = order;
        const char *id = arena_print(store->arena, "m%d", order);

        for (int i = COUNT; i > 0; i--) {
            int position = rest % i, event = left[position];

            rest /= i;
            memmove(&left[position], &left[position + 1],
                    (size_t)(i - position - 1) * sizeof left[0]);
            check_applied(&live, own_event(&live, order * COUNT + event, events[event].type,
                                           events[event].at,
                                           arena_print(store->arena, "\"machine_id\":\"%s\",%s", id,
                                                       events[event].more)));
        }
        CHECK_TEXT(live_row(&live, "machine", id),
                   arena_print(store->arena,
                               "{\"machine_id\":\"%s\",\"name\":\"C\",\"site\":\"west\","
                               "\"installed_at\":null,\"hourly_cost\":null,\"running\":null,"
                               "\"settings\":null,\"starts\":1,\"energy\":1.25}",
                               id));
    }
}

ON_BOTH(corrections_replace_what_was_added)
{
    struct live live;

    live_make_domains(store, &live, folders);
    for (int first = 1; first <= 2; first++)
        for (int i = 0; i < 2; i++) {
            bool correction = (first == 1) == (i == 1);
            const char *original = live_event_id(&live, first * 10 + 1);

            check_applied(
                &live, own_event(&live, first * 10 + (correction ? 2 : 1), "machine.ran", "10:00",
                                 arena_print(store->arena,
                                             correction ? "\"machine_id\":\"m%d\",\"version\":1,"
                                                          "\"used\":{\"energy\":2},"
                                                          "\"corrects\":\"%s\""
                                                        : "\"machine_id\":\"m%d\","
                                                          "\"used\":{\"energy\":9}",
                                             first, original)));
        }
    for (int first = 1; first <= 2; first++)
        CHECK(strstr(live_row(&live, "machine", arena_print(store->arena, "m%d", first)),
                     "\"starts\":1,\"energy\":2.0}"));
}

/* An entry of an index has its limits on PostgreSQL: a text that is longer is a dead letter, and
 * one of that length is applied, whatever its bytes are. */
ON_BOTH(texts_in_an_index_are_limited)
{
    enum { LONGEST = 512 };
    struct apply_result result;
    char text[LONGEST + 2];
    struct live live;

    live_make_domains(store, &live, folders);
    for (int length = LONGEST; length <= LONGEST + 1; length++) {
        for (int i = 0; i < length; i++)
            text[i] = (char)('a' + i * i % 26);
        text[length] = '\0';
        result = live_apply(
            &live,
            own_event(
                &live, length, "reading.taken", "10:00",
                arena_print(store->arena,
                            "\"reading_id\":\"r\",\"machine_id\":\"%s\",\"data\":{\"value\":1}",
                            text)));
        CHECK_INT(result.status, length > LONGEST ? EVENT_DEAD_LETTERED : EVENT_APPLIED);
    }
    CHECK_TEXT(result.detail, "machine_id: is in an index and has at most 512 bytes");
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    result = live_apply(&live, own_event(&live, 1, "machine.ran", "10:00",
                                         arena_print(store->arena,
                                                     "\"machine_id\":\"m\",\"used\":{\"energy\":1},"
                                                     "\"corrects\":\"%s\"",
                                                     text)));
    CHECK_INT(result.status, EVENT_DEAD_LETTERED);
}

static json_t *debezium(struct live *live, const char *op, int lsn, const char *before,
                        const char *after, bool schema)
{
    const char *body = arena_print(
        live->store->arena,
        "{\"before\":%s,\"after\":%s,\"op\":\"%s\",\"ts_ms\":1775296800999,\"source\":{"
        "\"connector\":\"postgresql\",\"name\":\"plant\",\"schema\":\"public\",\"table\":"
        "\"machines\",\"ts_ms\":1775296800000,\"lsn\":%d}}",
        before, after, op, lsn);

    return live_json(live, schema ? arena_print(live->store->arena,
                                                "{\"schema\":{\"type\":\"struct\"},"
                                                "\"payload\":%s}",
                                                body)
                                  : body);
}

/* Snapshot, insert, update, deletion and its tombstone, with schema and without; delivered twice
 * they are duplicates, and late ones change nothing. */
ON_BOTH(change_data_of_debezium_becomes_rows)
{
    static const char first[] = "{\"machine_id\":5,\"label\":\"Press\",\"site\":\"north\","
                                "\"cost\":\"41.5\",\"installed\":1767322800000}",
                      second[] = "{\"machine_id\":5,\"label\":\"Press 2\",\"site\":\"west\","
                                 "\"cost\":null,\"installed\":1767322800000}";
    struct apply_result result;
    struct live live;

    live_make_domains(store, &live, folders);
    check_applied(&live, debezium(&live, "u", 20, first, second, true));
    check_applied(&live, debezium(&live, "r", 10, "null", first, false));
    CHECK_INT(live_apply(&live, debezium(&live, "u", 20, first, second, true)).status,
              EVENT_DUPLICATE);
    CHECK(strstr(live_row(&live, "machine", "5"),
                 "\"name\":\"Press 2\",\"site\":\"west\",\"installed_at\":\"2026-01-02T03:00:00Z\","
                 "\"hourly_cost\":null"));
    check_applied(&live, debezium(&live, "d", 30, "{\"machine_id\":5}", "null", true));
    CHECK_INT(live_apply(&live, live_json(&live, "null")).status, EVENT_DUPLICATE);
    check_applied(&live, debezium(&live, "c", 5, "null", first, true));
    CHECK_TEXT(live_row(&live, "machine", "5"), "");
    result = live_apply(&live, debezium(&live, "t", 40, "null", "null", true));
    CHECK_TEXT(result.detail, "op: is c, r, u or d");
}

/* A large value that an update has left as it is is not in the change: the column stays. */
ON_BOTH(values_that_a_change_leaves_out_stay)
{
    struct live live;

    live_make_domains(store, &live, folders);
    check_applied(&live, debezium(&live, "c", 10, "null",
                                  "{\"machine_id\":5,\"label\":\"Long\",\"cost\":\"1.5\"}", false));
    check_applied(&live, debezium(&live, "u", 20, "null",
                                  "{\"machine_id\":5,\"label\":\"__debezium_unavailable_value\","
                                  "\"cost\":\"__debezium_unavailable_value\",\"site\":\"west\"}",
                                  false));
    CHECK(strstr(live_row(&live, "machine", "5"),
                 "\"name\":\"Long\",\"site\":\"west\",\"installed_at\":null,"
                 "\"hourly_cost\":1.5"));
}

/* Numbers for times have the unit of their type in the schema; without one, days and the like are
 * refused, not guessed. */
ON_BOTH(times_of_change_data_have_their_unit)
{
    static const struct {
        const char *type, *number, *time;
    } all[] = {{"io.debezium.time.Date", "20455", "2026-01-02T00:00:00Z"},
               {"io.debezium.time.Timestamp", "50000000000", "1971-08-02T16:53:20Z"},
               {"io.debezium.time.MicroTimestamp", "-1000000", "1969-12-31T23:59:59Z"},
               {"io.debezium.time.NanoTimestamp", "1767322800000000000", "2026-01-02T03:00:00Z"},
               {NULL, "1767322800000000", "2026-01-02T03:00:00Z"},
               {NULL, "20455", NULL},
               {NULL, "50000000000", NULL},
               {"io.debezium.time.Time", "50000000", NULL},
               {"io.debezium.time.Date", "9223372036854775807", NULL}};
    static const char schema[] = "{\"fields\":[{\"field\":\"after\",\"fields\":[{\"field\":"
                                 "\"installed\",\"name\":\"%s\"}]}]}";
    struct arena *arena = store->arena;
    struct live live;

    live_make_domains(store, &live, folders);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        json_t *change = debezium(
            &live, "c", 10, "null",
            arena_print(arena, "{\"machine_id\":%zu,\"installed\":%s}", i, all[i].number), true);

        if (all[i].type)
            json_object_set_new(change, "schema",
                                live_json(&live, arena_print(arena, schema, all[i].type)));
        CHECK_INT(live_apply(&live, change).status,
                  all[i].time ? EVENT_APPLIED : EVENT_DEAD_LETTERED);
        if (all[i].time)
            CHECK(strstr(live_row(&live, "machine", arena_print(arena, "%zu", i)),
                         arena_print(arena, "\"installed_at\":\"%s\"", all[i].time)));
    }
}

/* As Debezium sends decimals by default: the bytes of a whole number in base64, big-endian in two's
 * complement, whose places the schema has (java.math.BigDecimal.unscaledValue()). hourly_cost has
 * four places. */
ON_BOTH(decimals_of_change_data_may_be_bytes)
{
    static const struct {
        const char *schema, *value, *cost;
    } all[] = {
        {"2", "\"EDY=\"", "41.5"},   /* 4150 */
        {"2", "\"748=\"", "-42.09"}, /* -4209 */
        {"4", "\"AA==\"", "0.0"},
        {"0", "\"/w==\"", "-1.0"},
        {"6", "\"eVQQ\"", NULL},  /* 7.951376 has more than four places */
        {"6", "\"ehIA\"", "8.0"}, /* 8000000: zeros at the end are none */
        {"-2", "\"AQ==\"", "100.0"},
        {"0", "\"AN4LazpkAAA=\"", NULL}, /* 62499999998803968 with four places is too large */
        {"2", "\"not base64\"", NULL},
        {"2", "\"\"", NULL},
        {"2", "\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"", NULL}, /* 24 bytes */
        {NULL, "{\"scale\":1,\"value\":\"AZ8=\"}", "41.5"},
        {NULL, "{\"value\":\"AZ8=\"}", NULL},
        {NULL, "\"41.5\"", "41.5"},
    };
    static const char schema[] =
        "{\"fields\":[{\"field\":\"after\",\"fields\":[{\"field\":\"cost\",\"name\":"
        "\"org.apache.kafka.connect.data.Decimal\",\"parameters\":{\"scale\":\"%s\"}}]}]}";
    struct arena *arena = store->arena;
    struct live live;

    live_make_domains(store, &live, folders);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        json_t *change =
            debezium(&live, "c", 10, "null",
                     arena_print(arena, "{\"machine_id\":%zu,\"cost\":%s}", i, all[i].value), true);

        if (all[i].schema)
            json_object_set_new(change, "schema",
                                live_json(&live, arena_print(arena, schema, all[i].schema)));
        CHECK_INT(live_apply(&live, change).status,
                  all[i].cost ? EVENT_APPLIED : EVENT_DEAD_LETTERED);
        if (all[i].cost)
            CHECK(strstr(live_row(&live, "machine", arena_print(arena, "%zu", i)),
                         arena_print(arena, "\"hourly_cost\":%s,", all[i].cost)));
    }
}

/* An own time that is out of reach would stand above all later changes. */
ON_BOTH(change_data_of_the_future_is_refused)
{
    static const char *const times[] = {"9000000000000000000", "-5", "99999999999999"};
    struct live live;

    live_make_domains(store, &live, folders);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        json_t *change = debezium(&live, "c", 10, "null", "{\"machine_id\":5}", false);

        json_object_set_new(json_object_get(change, "source"), "ts_ms",
                            json_integer(strtoll(times[i], NULL, 10)));
        CHECK_INT(live_apply(&live, change).status, EVENT_DEAD_LETTERED);
    }
}

/* Senders put an id of their own around the change, another one each time. */
ON_BOTH(change_data_with_an_id_around_it_is_applied_once)
{
    struct live live;

    live_make_domains(store, &live, folders);
    for (int i = 1; i <= 2; i++) {
        json_t *change =
            debezium(&live, "c", 10, "null", "{\"machine_id\":5,\"label\":\"Press\"}", false);

        json_object_set_new(change, "event_id", json_string(live_event_id(&live, i)));
        CHECK_INT(live_apply(&live, change).status, i == 1 ? EVENT_APPLIED : EVENT_DUPLICATE);
    }
}

TEST_MAIN(CASE(values_of_all_types_come_back), CASE(wrong_values_are_dead_letters),
          CASE(the_order_of_arrival_does_not_matter), CASE(corrections_replace_what_was_added),
          CASE(texts_in_an_index_are_limited), CASE(change_data_of_debezium_becomes_rows),
          CASE(values_that_a_change_leaves_out_stay), CASE(times_of_change_data_have_their_unit),
          CASE(decimals_of_change_data_may_be_bytes), CASE(change_data_of_the_future_is_refused),
          CASE(change_data_with_an_id_around_it_is_applied_once))
