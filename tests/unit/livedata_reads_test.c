/* Service levels, search, figures of use and derived risks, on both engines. The figures are the
 * golden cases of the contract: G19 to G23, G27, G32, G33 and G39. And what operators say about
 * rows that disagree with the journal. */
#include "livedata_fixture.h"

#include "livedata/access/analytics.h"
#include "livedata/access/sessions.h"
#include "livedata/catalog/contracts.h"
#include "livedata/events/event.h"
#include "livedata/journal/journal.h"
#include "livedata/operations/exceptions.h"
#include "livedata/reads/answers.h"
#include "livedata/reads/slo.h"
#include "livedata/search/search.h"

#include <unistd.h>

static const struct slo latency = {.name = "latency",
                                   .measurement = SLO_LATENCY,
                                   .target = 0.99,
                                   .threshold = 500,
                                   .window_days = 30},
                        freshness = {.name = "freshness",
                                     .measurement = SLO_FRESHNESS,
                                     .target = 0.999,
                                     .threshold = 45,
                                     .window_days = 7},
                        errors = {.name = "errors",
                                  .measurement = SLO_ERRORS,
                                  .target = 0.9,
                                  .threshold = 0.1,
                                  .window_days = 30};

/* A row of the journal so many seconds ago; `latency` below 0 = unknown. */
static void note(struct live *live, int number, double seconds, int64_t latency_ms, bool dead)
{
    struct store *store = live->store;
    struct storage_call *call = &live->call.storage;
    struct journal_row row = {.event_id = live_event_id(live, number),
                              .topic = dead ? TOPIC_DEADLETTER : TOPIC_VALIDATED,
                              .event_type = "order.created",
                              .processed_at = call->now - (int64_t)(seconds * 1e6)};

    if (latency_ms >= 0)
        row.latency_ms = GIVEN_INTEGER(latency_ms);
    CHECK_OK(journal_add(call, &row));
}

/* An answer of the service, so many seconds ago. */
static void answer(struct live *live, const char *tenant, double seconds, int64_t milliseconds)
{
    struct session_log *log = ARENA_NEW(live->store->arena, struct session_log);
    struct session_row *row = session_add(log);

    *row = (struct session_row){.endpoint = "/v1/slo",
                                .method = "GET",
                                .status = 200,
                                .cache = -1,
                                .request_id = "r",
                                .duration_us = milliseconds * 1000,
                                .at = live->call.storage.now - (int64_t)(seconds * 1e6)};
    (void)snprintf(row->tenant, sizeof row->tenant, "%s", tenant);
    session_flush(log, live->store->db);
    CHECK_INT(log->dropped, 0);
}

static struct slo_window measure(struct live *live, const struct slo *slo, double threshold)
{
    struct store *store = live->store;
    struct slo changed = *slo;
    struct slo_status status;

    changed.threshold = threshold;
    changed.window_days = 1;
    CHECK_OK(slo_status(&live->call.storage, &changed, &status));
    return status.window;
}

ON_BOTH(latencies_within_the_threshold_are_good)
{
    static const struct {
        double threshold, share, good;
    } cases[] = {{500, 1, 3}, {150, 1.0 / 3, 1}, {100, 1.0 / 3, 1}, {99, 0, 0}};
    struct slo_window window;
    struct live live;

    live_make(store, &live);
    window = measure(&live, &latency, 500);
    CHECK(!window.known);
    note(&live, 1, 30, 900, false); /* how late an event came is no latency of an answer */
    CHECK(!measure(&live, &latency, 500).known);
    answer(&live, "default", 30, 100);
    answer(&live, "default", 20, 300);
    answer(&live, "default", 10, 200);
    answer(&live, "default", 2 * 86400.0, 900);
    answer(&live, "other", 10, 900);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        window = measure(&live, &latency, cases[i].threshold);
        CHECK_NEAR(window.share, cases[i].share, 1e-12);
        CHECK_NEAR(window.good, cases[i].good, 0);
        CHECK_NEAR(window.valid, 3, 0);
    }
}

ON_BOTH(time_up_to_the_threshold_after_an_event_is_fresh)
{
    static const struct {
        double threshold, good;
    } cases[] = {{45, 90}, {20, 60}, {30, 90}, {29, 87}};
    struct live live;

    live_make(store, &live);
    CHECK(!measure(&live, &freshness, 45).known);
    for (int i = 1; i <= 3; i++)
        note(&live, i, 30 * i, 5, false);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct slo_window window = measure(&live, &freshness, cases[i].threshold);

        CHECK_NEAR(window.good, cases[i].good, 1e-6);
        CHECK_NEAR(window.valid, 90, 1e-6);
    }
}

ON_BOTH(budgets_and_burn_rates)
{
    static const struct {
        double target;
        struct optional_number share, budget;
    } budgets[] = {{.99, {true, 1}, {true, 1}},       {.99, {true, .98}, {true, 0}},
                   {.999, {true, .9995}, {true, .5}}, {.99, {true, .992}, {true, .2}},
                   {1, {true, 1}, {true, 1}},         {1, {true, .9}, {true, 0}},
                   {.99, {false, 0}, {false, 0}}};
    static const struct {
        double target, share;
        struct optional_number burn;
    } burns[] = {{.99, .99, {true, 1}}, {.99, .90, {true, 10}}, {1, .5, {false, 0}}};
    struct slo_status status;
    struct live live;

    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        const struct slo_window window = {.known = budgets[i].share.given,
                                          .share = budgets[i].share.value};
        struct optional_number budget = slo_budget(budgets[i].target, &window);

        CHECK_INT(budget.given, budgets[i].budget.given);
        CHECK_NEAR(budget.value, budgets[i].budget.value, 1e-12);
    }
    for (size_t i = 0; i < sizeof burns / sizeof burns[0]; i++) {
        const struct slo_window window = {.known = true, .share = burns[i].share};
        struct optional_number burn = slo_burn(burns[i].target, &window);

        CHECK_INT(burn.given, burns[i].burn.given);
        CHECK_NEAR(burn.value, burns[i].burn.value, 1e-12);
    }
    live_make(store, &live);
    for (int i = 0; i < 10; i++)
        note(&live, i, 60, 5, i == 0);
    CHECK_OK(slo_status(&live.call.storage, &errors, &status));
    CHECK_NEAR(status.current.value, .9, 0);
    CHECK_INT(status.state, SLO_AT_RISK);
}

ON_BOTH(a_fast_burn_is_a_risk_although_the_window_is_good)
{
    struct slo strict = errors;
    struct slo_status status;
    struct live live;

    strict.target = .99;
    live_make(store, &live);
    CHECK_OK(db_begin(store->db, DB_WRITE, &store->problem));
    for (int i = 0; i < 1000; i++)
        note(&live, i, 10 * 86400 + i, 5, false);
    for (int i = 0; i < 8; i++)
        note(&live, 2000 + i, 600, 5, i < 2);
    CHECK_OK(db_finish(store->db, ERROR_NONE, &store->problem));
    CHECK_OK(slo_status(&live.call.storage, &strict, &status));
    CHECK_NEAR(status.burn[0].value, 25, 0);
    CHECK_NEAR(status.burn[1].value, 25, 0);
    CHECK(status.current.value > .99);
    CHECK_INT(status.state, SLO_AT_RISK);
}

ON_BOTH(a_level_is_not_judged_by_thin_traffic)
{
    static const struct {
        int good, failed;
        enum slo_state state;
        bool thin, burns;
    } cases[] = {
        {0, 1, SLO_HEALTHY, true, false},   {50, 1, SLO_HEALTHY, true, false},
        {50, 2, SLO_UNKNOWN, true, false},  {99, 1, SLO_HEALTHY, true, true},
        {98, 2, SLO_BREACHED, false, true}, {200, 0, SLO_HEALTHY, false, true},
        {300, 1, SLO_HEALTHY, true, true},  {10, 0, SLO_HEALTHY, true, false},
    };
    struct slo guarded = errors;

    guarded.target = .999;
    guarded.min_events = 100;
    guarded.min_failures = 2;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct slo_status status;
        struct live live;

        live_make(store, &live);
        live.call.storage.tenant = arena_print(store->arena, "case-%zu", i);
        CHECK_OK(db_begin(store->db, DB_WRITE, &store->problem));
        for (int j = 0; j < cases[i].good + cases[i].failed; j++)
            note(&live, (int)i * 1000 + j, 60, 5, j < cases[i].failed);
        CHECK_OK(db_finish(store->db, ERROR_NONE, &store->problem));
        CHECK_OK(slo_status(&live.call.storage, &guarded, &status));
        CHECK_INT(status.state, cases[i].state);
        CHECK_INT(status.reason != NULL, cases[i].thin);
        CHECK_INT(status.burn[0].given, cases[i].burns);
    }
}

ON_BOTH(searches_are_scored)
{
    static const struct search_document documents[] = {
        {"catalog_field", "D1", "order", "", "", "order order large large large", 1},
        {"catalog_field", "D2", "order", "", "", "order", 1},
        {"catalog_field", "D3", "order", "", "", "metric", 1}};
    struct search_request request = {
        .text = "large order", .limit = 10, .documents = documents, .document_count = 3};
    struct search_answer answer;
    struct live live;

    live_make(store, &live);
    CHECK_OK(search_find(&live.call.storage, &live.catalog, &request, &answer));
    CHECK_INT(answer.count, 2);
    CHECK_TEXT(answer.hits[0].id, "D1");
    CHECK_NEAR(answer.hits[0].raw, 5.7335, 5e-5);
    CHECK_NEAR(answer.hits[0].score, 1, 0);
    CHECK_TEXT(answer.hits[1].id, "D2");
    CHECK_NEAR(answer.hits[1].raw, 1.0623, 5e-5);
    CHECK_NEAR(answer.hits[1].score, .1853, 1e-12);
}

ON_BOTH(words_of_a_search)
{
    static const char *const expected[] = {"order", "status", "category", "class",
                                           "usr",   "srch",   "1"};
    struct string_list tokens =
        search_tokens(store->arena, "Orders statuses categories class USR-SRCH-1 of");

    CHECK_INT(tokens.count, 7);
    for (size_t i = 0; i < tokens.count && i < 7; i++)
        CHECK_TEXT(tokens.items[i], expected[i]);
}

/* Words of all scripts, folded; those written without spaces in pairs of characters. */
ON_BOTH(words_of_other_scripts)
{
    static const struct {
        const char *text, *words;
    } texts[] = {{"Чайник Электрический", "чайник электрический"},
                 {"CAFÉ Crème", "café crème"},
                 {"电热水壶", "电热 热水 水壶"},
                 {"กาต้ม", NULL},
                 {"Waffeleisen GRÖSSE 2", "waffeleisen grösse 2"}};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct string_list tokens = search_tokens(store->arena, texts[i].text);
        struct text joined;

        text_start(&joined, store->arena, 200);
        for (size_t j = 0; j < tokens.count; j++)
            text_append_format(&joined, "%s%s", j ? " " : "", tokens.items[j]);
        if (texts[i].words)
            CHECK_TEXT(joined.bytes, texts[i].words);
        CHECK(tokens.count > 0);
    }
}

ON_BOTH(an_hour_unlike_the_others_is_reported)
{
    struct session_log *log = ARENA_NEW(store->arena, struct session_log);
    struct analytics_question question;
    struct anomalies_answer answer = {0};
    struct live live;

    live_make(store, &live);
    question = (struct analytics_question){.db = store->db,
                                           .arena = store->arena,
                                           .problem = &store->problem,
                                           .window = us_per_day,
                                           .now = clock_unix_microseconds(),
                                           .window_text = "24h"};
    for (int i = 0; i < 16; i++) {
        struct session_row *row = session_add(log);
        int64_t hours = i < 4 ? i + 1 : 0;

        *row = (struct session_row){.tenant = "acme",
                                    .endpoint = "/v1/slo",
                                    .method = "GET",
                                    .status = 200,
                                    .cache = -1,
                                    .request_id = "r",
                                    .at = question.now / us_per_hour * us_per_hour -
                                          hours * us_per_hour};
    }
    session_flush(log, store->db);
    CHECK_INT(log->dropped, 0);
    CHECK_OK(analytics_anomalies(&question, &answer));
    CHECK(strstr(schema_json(store->arena, 1 << 16, &anomalies_schema, &answer),
                 "\"current_hour_requests\":12,\"hourly_average\":1.0,"
                 "\"spike_ratio\":12.0") != NULL);
}

ON_BOTH(payments_have_a_risk)
{
    static const struct {
        int64_t cents;
        const char *payload, *user_id, *expected;
    } cases[] = {
        {60000, "{\"method\":\"wallet\"}", NULL, "\"risk_score\":0.75,\"risk_level\":\"high\""},
        {25000, "{\"method\":\"card\"}", "USR-1", "\"risk_score\":0.2,\"risk_level\":\"medium\""},
        {5000, "{\"method\":\"bank_transfer\"}", "USR-1",
         "\"risk_score\":0.0,\"risk_level\":\"low\""},
    };
    struct live live;

    live_make(store, &live);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct event event = {.family = EVENT_PAYMENT,
                                    .total_cents = cases[i].cents,
                                    .payload = live_json(&live, cases[i].payload),
                                    .user_id = cases[i].user_id};
        struct json_writer writer;
        struct text text;

        text_start(&text, store->arena, 1 << 12);
        writer_start(&writer, &text);
        writer_open_object(&writer);
        event_write_derived(&event, &writer);
        writer_close_object(&writer);
        CHECK(strstr(text.bytes, cases[i].expected) != NULL);
    }
}

static const char *exceptions_of(struct live *live, const struct reading *reading, int status)
{
    const struct exception_request request = {
        .source = EXCEPTION_RECONCILIATION, .status = status, .page = 1, .page_size = 10};
    struct exceptions_answer answer = {0};
    struct store *store = live->store;

    CHECK_OK(exceptions_read(reading, &request, &answer));
    return schema_json(store->arena, 1 << 16, &exceptions_schema, &answer);
}

/* The journal says that the order has come to that stage so many seconds ago. */
static void note_stage(struct live *live, int number, const char *stage, double seconds)
{
    struct store *store = live->store;
    struct storage_call *call = &live->call.storage;
    struct journal_row row = {.event_id = live_event_id(live, number),
                              .topic = TOPIC_STATUS,
                              .entity_type = "order",
                              .entity_id = "ORD-20260404-1001",
                              .event_type = arena_print(store->arena, "order.status.%s", stage),
                              .processed_at = call->now - (int64_t)(seconds * 1e6)};

    CHECK_OK(journal_add(call, &row));
}

ON_BOTH(what_operators_said_holds_for_what_they_saw)
{
    static const char id[] = "rc:r1:ORD-20260404-1001:pending";
    struct reading reading;
    struct live live;

    live_make(store, &live);
    live_apply(&live, live_order(&live, 1, "order.created", live_ago(&live, 600),
                                 "ORD-20260404-1001", "USR-1", "pending", "P", 1, "10"));
    live.call.storage.now = clock_unix_microseconds() + 10 * us_per_second;
    reading = (struct reading){
        .storage = live.call.storage, .catalog = &live.catalog, .settings = &live.settings};
    CHECK(strstr(exceptions_of(&live, &reading, -1), id) == NULL);
    CHECK_FAILS(exception_triage(&reading, id, EXCEPTION_RESOLVED, NULL), ERROR_NOT_FOUND,
                "exception_not_found");
    note_stage(&live, 2, "confirmed", 5);
    CHECK(strstr(exceptions_of(&live, &reading, EXCEPTION_OPEN), id) != NULL);
    CHECK_OK(exception_triage(&reading, id, EXCEPTION_ACKNOWLEDGED, "looking"));
    CHECK(strstr(exceptions_of(&live, &reading, EXCEPTION_OPEN), id) == NULL);
    CHECK(strstr(exceptions_of(&live, &reading, EXCEPTION_ACKNOWLEDGED), id) != NULL);
    CHECK_OK(exception_triage(&reading, id, EXCEPTION_RESOLVED, NULL));
    CHECK(strstr(exceptions_of(&live, &reading, -1), id) == NULL);
    note_stage(&live, 3, "shipped", 3); /* it has happened again */
    CHECK(strstr(exceptions_of(&live, &reading, EXCEPTION_OPEN), id) != NULL);
    CHECK_OK(exception_triage(&reading, id, EXCEPTION_ACKNOWLEDGED, NULL));
    note_stage(&live, 4, "pending", 1); /* it is not there any more */
    CHECK(strstr(exceptions_of(&live, &reading, -1), id) == NULL);
    CHECK(strstr(exceptions_of(&live, &reading, EXCEPTION_RESOLVED), id) != NULL);
    note_stage(&live, 5, "delivered", 0.5); /* the end of the ladder is no finding */
    CHECK(strstr(exceptions_of(&live, &reading, -1), id) == NULL);
}

static void many_views(struct store *store)
{
    CHECK_OK(store_script(
        store, store->db,
        "INSERT INTO pipeline_events (tenant_id, event_id, topic, entity_type, entity_id,"
        " event_type, latency_ms, processed_at, source)"
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
        " SELECT CASE WHEN i % 2 = 0 THEN 'other' ELSE 'default' END, 'e' || i, 'events.validated',"
        " 'session', 'SES-' || i, CASE WHEN i = 3 THEN 'product.updated' ELSE 'page_view' END, 1, "
        "1,"
        " 'web' FROM n"));
}

/* What opening a stream costs, in rows that the database gives. */
static int64_t rows_of_newest(struct live *live, const struct journal_filter *filter,
                              int64_t scan_most, size_t found)
{
    struct store *store = live->store;
    struct journal_rows rows;

    db_counters_reset(store->db);
    CHECK_OK(journal_newest(&live->call.storage, filter, 10, scan_most, &rows));
    CHECK_INT(rows.count, found);
    return db_counters(store->db).rows;
}

/* A filter that fits nothing does not walk the journal; one that an index knows finds what is far
 * behind; a stream that has missed much is told how far it has come. */
ON_BOTH(a_stream_looks_at_so_many_rows_and_no_more)
{
    const struct journal_filter none = {0}, nosuch = {.family = "nosuch"}, orders = {"order"},
                                rare = {"product.updated"}, one = {.entity_id = "SES-5"};
    struct journal_scan scan = {0};
    struct live live;
    int turns = 0;

    live_make(store, &live);
    many_views(store);
    CHECK_INT(rows_of_newest(&live, &none, 500, 10), 10);
    CHECK_INT(rows_of_newest(&live, &nosuch, 500, 0), 0);
    CHECK_INT(rows_of_newest(&live, &orders, 500, 0), 500);
    CHECK_INT(rows_of_newest(&live, &rare, 500, 1), 1);
    CHECK_INT(rows_of_newest(&live, &one, 500, 1), 1);
    while (!scan.ended && turns++ < 100) {
        CHECK_OK(journal_after(&live.call.storage, scan.reached, &orders, 10, 700, &scan));
        CHECK_INT(scan.rows.count, 0);
        CHECK(scan.scanned == 700 || scan.ended);
    }
    CHECK_INT(turns, 4);
    CHECK_INT(scan.scanned, 400);
}

static enum error load_versions(struct arena *arena, struct catalog *catalog, const char *changes,
                                struct problem *problem)
{
    char path[] = "/tmp/livedata-versions-XXXXXX";
    int file = mkstemp(path);
    FILE *stream = fdopen(file, "w");
    enum error error;

    fprintf(stream,
            "versions:\n  - {date: \"2026-01-01\", status: stable, changes: []}\n"
            "  - date: \"2026-02-01\"\n    status: latest\n    changes:\n%s",
            changes);
    fclose(stream);
    error = catalog_load_versions(arena, path, catalog, problem);
    unlink(path);
    return error;
}

/* The entity's answer as clients of that version get it. */
static const char *shown_to(struct arena *arena, const struct catalog *catalog, size_t version)
{
    const struct answer_meta meta = {.health = HEALTHY};
    const struct entity_reply reply = {.entity_type = "order", .data = "{}", .meta = &meta};

    return schema_json(
        arena, 4096,
        version_schema(arena, catalog, &catalog->versions[version], "entity", &entity_schema),
        &reply);
}

/* The fields of a change decide, whatever its description says. */
TEST(versions_are_described_by_fields)
{
    struct arena *arena = arena_create((size_t)1 << 20);
    struct catalog catalog = {0};
    struct problem problem;

    CHECK(load_versions(arena, &catalog,
                        "      - {type: added, path: meta.health, description: Health is shown}\n"
                        "      - {type: added, path: meta.stale, answer: metric, description: M}\n"
                        "      - {type: added, header: X-Live-Health, description: The same}\n"
                        "      - {type: changed, description: Added status to old answers}\n",
                        &problem) == ERROR_NONE);
    CHECK(!strstr(shown_to(arena, &catalog, 0), "health"));
    CHECK(strstr(shown_to(arena, &catalog, 0), "\"stale\"") != NULL); /* metrics alone got it */
    CHECK(strstr(shown_to(arena, &catalog, 0), "\"status\"") != NULL);
    CHECK(strstr(shown_to(arena, &catalog, 1), "\"health\"") != NULL);
    CHECK(!version_has_header(&catalog, &catalog.versions[0], "x-live-health"));
    catalog = (struct catalog){0};
    CHECK(load_versions(arena, &catalog,
                        "      - {type: added, description: Added status to entity responses}\n",
                        &problem) == ERROR_INVALID);
    CHECK(strstr(problem.text, "either path or header") != NULL);
    arena_destroy(arena);
}

TEST_MAIN(CASE(a_stream_looks_at_so_many_rows_and_no_more), CASE(versions_are_described_by_fields),
          CASE(what_operators_said_holds_for_what_they_saw),
          CASE(latencies_within_the_threshold_are_good),
          CASE(time_up_to_the_threshold_after_an_event_is_fresh), CASE(budgets_and_burn_rates),
          CASE(a_fast_burn_is_a_risk_although_the_window_is_good),
          CASE(a_level_is_not_judged_by_thin_traffic), CASE(searches_are_scored),
          CASE(words_of_a_search), CASE(words_of_other_scripts),
          CASE(an_hour_unlike_the_others_is_reported), CASE(payments_have_a_risk))
