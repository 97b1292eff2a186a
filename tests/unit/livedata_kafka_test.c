/* Events of live data in Kafka's messages, without a broker, on both engines. */
#include "livedata_fixture.h"

#include "livedata/bridge/kafka_events.h"

enum { MESSAGES_MAX = 8 };

struct hand {
    struct live live;
    struct tenants tenants;
    struct kafka_events events;
    struct kafka_position position;
    struct kafka_record records[MESSAGES_MAX];
    struct kafka_batch batch;
};

static void hand_make(struct store *store, struct hand *hand, const char *topic)
{
    *hand = (struct hand){.position = {.topic = topic}};
    live_make(store, &hand->live);
    hand->events = (struct kafka_events){.settings = &hand->live.settings,
                                         .catalog = &hand->live.catalog,
                                         .tenants = &hand->tenants};
    CHECK_OK(kafka_offset_load(store->db, &hand->position, &store->problem));
    hand->batch = (struct kafka_batch){hand->records, 0, &hand->position, 1, store->arena};
}

static void hand_add(struct hand *hand, const char *value)
{
    hand->records[hand->batch.count++] =
        (struct kafka_record){.position = &hand->position,
                              .offset = hand->position.batch_next++,
                              .value = value,
                              .length = value ? strlen(value) : 0};
}

/* A click of a tenant; NULL = it names none. */
static void hand_add_click(struct hand *hand, int number, const char *tenant)
{
    json_t *event =
        live_click(&hand->live, number, "click", live_ago(&hand->live, 5), "SES-1", "null", "/");
    struct json_writer writer;
    struct text text;

    if (tenant)
        json_object_set_new_nocheck(event, "tenant", json_string_nocheck(tenant));
    text_start(&text, hand->live.store->arena, 4096);
    writer_start(&writer, &text);
    writer_value(&writer, event);
    hand_add(hand, text.bytes);
}

static enum error hand_apply(struct hand *hand)
{
    struct store *store = hand->live.store;
    enum error error = kafka_events_decode(&hand->events, &hand->batch, &store->problem);

    return error ? error
                 : kafka_events_apply(&hand->events, store->db, &hand->batch, &store->problem);
}

/* How many clicks a tenant's session has; 0 = there is no session. */
static long clicks(struct hand *hand, const char *tenant)
{
    static const char member[] = "\"event_count\":";
    struct live live = hand->live;
    const char *row;

    live.call.storage.tenant = tenant;
    row = strstr(live_row(&live, "session", "SES-1"), member);
    return row ? strtol(row + sizeof member - 1, NULL, 10) : 0;
}

ON_BOTH(each_tenant_gets_its_events_once)
{
    struct hand hand;

    hand_make(store, &hand, "events.validated");
    hand_add_click(&hand, 1, NULL);
    hand_add_click(&hand, 2, "acme");
    hand_add_click(&hand, 3, "acme");
    hand_add_click(&hand, 3, "acme");
    hand_add(&hand, NULL);
    CHECK_OK(hand_apply(&hand));
    CHECK_INT(clicks(&hand, "default"), 1);
    CHECK_INT(clicks(&hand, "acme"), 2);
    CHECK_INT(hand_apply(&hand), ERROR_CONFLICT);
    CHECK_TEXT(store->problem.reason, "offset_moved");
    CHECK_INT(clicks(&hand, "acme"), 2);
}

ON_BOTH(what_is_no_event_is_refused)
{
    struct hand hand;

    hand_make(store, &hand, "events.validated");
    hand_add(&hand, "{\"event_id\":");
    hand_add(&hand, "[1]");
    hand_add_click(&hand, 1, "no tenant");
    hand_add_click(&hand, 2, NULL);
    hand_add(&hand, "{\"event_id\":\"00000000-0000-4000-8000-000000000009\"}"); /* a dead letter */
    CHECK_OK(hand_apply(&hand));
    for (size_t i = 0; i < hand.batch.count; i++)
        CHECK_INT(hand.records[i].refused != NULL, i < 3);
    CHECK_INT(clicks(&hand, "default"), 1);
}

ON_BOTH(a_prefix_of_the_topic_names_the_tenant)
{
    struct tenant acme = {.id = "acme", .topic_prefix = "acme"};
    struct hand hand;

    hand_make(store, &hand, "acme.events.validated");
    hand.tenants = (struct tenants){.declared = true, .count = 1, .items = &acme};
    acme.catalog = &hand.live.catalog;
    hand_add_click(&hand, 1, NULL);
    hand_add_click(&hand, 2, "other"); /* a dead letter of acme */
    CHECK_OK(hand_apply(&hand));
    CHECK_INT(clicks(&hand, "acme"), 1);
    CHECK_INT(clicks(&hand, "other"), 0);
    CHECK_INT(kafka_event_topics(store->arena, &hand.live.settings, &hand.tenants).count, 2);
}

ON_BOTH(the_longest_prefix_names_the_tenant_and_a_topic_that_is_named_has_none)
{
    static const char *const named[] = {"events", "acme.orders"};
    struct tenant tenants[] = {{.id = "acme", .topic_prefix = "acme"},
                               {.id = "north", .topic_prefix = "acme.north"}};
    struct hand hand;

    hand_make(store, &hand, "acme.north.events");
    hand.tenants = (struct tenants){.count = 2, .items = tenants};
    tenants[0].catalog = tenants[1].catalog = &hand.live.catalog;
    hand.live.settings.bridge_topics = (struct string_list){2, (const char **)(uintptr_t)named};
    hand_add_click(&hand, 1, NULL);
    CHECK_OK(hand_apply(&hand));
    CHECK_INT(clicks(&hand, "north"), 1);
    CHECK_INT(clicks(&hand, "acme"), 0);
    hand.position.topic = "acme.orders";
    hand.position.next = hand.position.batch_next = 0;
    CHECK_OK(kafka_offset_load(store->db, &hand.position, &store->problem));
    hand.batch.count = 0;
    hand_add_click(&hand, 2, NULL);
    CHECK_OK(hand_apply(&hand));
    CHECK_INT(clicks(&hand, "default"), 1);
    CHECK_INT(clicks(&hand, "acme"), 0);
}

ON_BOTH(no_tenant_publishes_to_a_topic_that_is_read_as_anothers)
{
    static const char *const named[] = {"events", "north.events"};
    struct tenant tenants[] = {{.id = "acme", .topic_prefix = "acme"},
                               {.id = "north", .topic_prefix = "acme.north"},
                               {.id = "plain"}};
    const struct tenants all = {.count = 3, .items = tenants};
    struct livedata_settings settings = {.intake_topic = "events",
                                         .bridge_topics = {1, (const char **)(uintptr_t)named}};

    CHECK_OK(kafka_events_check_topics(store->arena, &settings, &all, &store->problem));
    settings.intake_topic = "north.events"; /* of acme it is acme.north.events */
    settings.bridge_topics.count = 2;
    CHECK_INT(kafka_events_check_topics(store->arena, &settings, &all, &store->problem),
              ERROR_INVALID);
    CHECK(strstr(store->problem.text, "'acme.north.events' of acme") != NULL);
    tenants[1].topic_prefix = "north"; /* which begins what the others publish to */
    CHECK_INT(kafka_events_check_topics(store->arena, &settings, &all, &store->problem),
              ERROR_INVALID);
    CHECK(strstr(store->problem.text, "of tenants without one") != NULL);
}

ON_BOTH(whatever_statement_fails_no_event_is_half_applied)
{
    struct hand hand;
    enum error error = ERROR_UNAVAILABLE;
    int steps = 0;

    hand_make(store, &hand, "events.validated");
    hand_add_click(&hand, 1, NULL);
    hand_add_click(&hand, 2, "acme");
    (void)live_clock_now(&hand.events.clock, store->db); /* a failure to ask for the time is none */
    while (error && steps < 1000) {
        hand.events.knows_tables = true;
        db_fail_after(store->db, ++steps);
        error = hand_apply(&hand);
        db_fail_after(store->db, 0);
        db_end_of_request(store->db);
        CHECK_INT(clicks(&hand, "default"), error ? 0 : 1);
        CHECK_INT(clicks(&hand, "acme"), error ? 0 : 1);
    }
    CHECK(!error && steps > 5);
}

TEST_MAIN(CASE(each_tenant_gets_its_events_once), CASE(what_is_no_event_is_refused),
          CASE(a_prefix_of_the_topic_names_the_tenant),
          CASE(the_longest_prefix_names_the_tenant_and_a_topic_that_is_named_has_none),
          CASE(no_tenant_publishes_to_a_topic_that_is_read_as_anothers),
          CASE(whatever_statement_fails_no_event_is_half_applied))
