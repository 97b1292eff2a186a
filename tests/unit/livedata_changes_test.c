/* Change data of sessions and the clicks around them, on both engines. */
#include "livedata_fixture.h"

#include "livedata/maintenance/check.h"

static json_t *session_change(struct live *live, int event, const char *operation, int count,
                              double seconds)
{
    return live_json(
        live,
        arena_print(
            live->store->arena,
            "{\"event_id\":\"%s\",\"event_type\":\"session.%s\",\"operation\":\"%s\","
            "\"timestamp\":\"%s\",\"source\":\"postgres_cdc\",\"entity_type\":\"session\","
            "\"entity_id\":\"SES-1\",\"source_metadata\":{\"table\":\"sessions\"},"
            "\"before\":null,\"after\":{\"started_at\":\"2026-04-04T10:00:00Z\",\"event_count\":%d,"
            "\"unique_pages\":1,\"funnel_stage\":\"browse\",\"is_conversion\":0}}",
            live_event_id(live, event), operation, operation, live_ago(live, seconds), count));
}

/* A deleted session stays away from older clicks, also once newer ones have brought it back; and a
 * late click does not make a row look older than it is. */
ON_BOTH(late_clicks_know_deletions_and_newer_changes)
{
    static const struct {
        double ago;
        const char *row;
    } clicks[] = {{50, ""},
                  {30, "\"event_count\":1,"},
                  {45, "\"event_count\":1,"},
                  {35, "\"event_count\":2,"}};
    struct storage_check check = {0};
    struct live live;

    live_make(store, &live);
    (void)live_apply(&live, session_change(&live, 1, "insert", 7, 60));
    (void)live_apply(&live, session_change(&live, 2, "delete", 7, 40));
    for (int i = 0; i < 4; i++) {
        CHECK_INT(
            live_apply(&live, live_click(&live, i + 3, "click", live_ago(&live, clicks[i].ago),
                                         "SES-1", "null", "/"))
                .status,
            EVENT_APPLIED);
        CHECK(strstr(live_row(&live, "session", "SES-1"), clicks[i].row));
        CHECK(*clicks[i].row || !*live_row(&live, "session", "SES-1"));
        CHECK_OK(storage_check(&live.call.storage, &live.catalog, &check));
        CHECK_TEXT(check.first, "");
    }
    (void)live_apply(&live, session_change(&live, 7, "update", 20, 20));
    (void)live_apply(&live,
                     live_click(&live, 8, "click", live_ago(&live, 28), "SES-1", "null", "/"));
    (void)live_apply(&live, session_change(&live, 9, "update", 90, 25));
    CHECK(strstr(live_row(&live, "session", "SES-1"), "\"event_count\":21,"));
}

/* What cannot be added to a time in microseconds is a fault of the field. */
ON_BOTH(sessions_last_so_long_and_no_longer)
{
    static const struct {
        double seconds;
        const char *reason;
    } all[] = {{9e12, "schema: duration_seconds"},
               {1000000000.5, "schema: duration_seconds"},
               {-1, "schema: duration_seconds"},
               {1e9, ""}};
    struct live live;

    live_make(store, &live);
    for (int i = 0; i < 4; i++) {
        json_t *change = session_change(&live, i + 1, "insert", 7, 60 - i);
        struct apply_result result;

        json_object_set_new(json_object_get(change, "after"), "duration_seconds",
                            json_real(all[i].seconds));
        result = live_apply(&live, change);
        CHECK_INT(result.status, *all[i].reason ? EVENT_DEAD_LETTERED : EVENT_APPLIED);
        CHECK_TEXT(result.reason ? result.reason : "", all[i].reason);
    }
    CHECK(strstr(live_row(&live, "session", "SES-1"), "\"duration_seconds\":1000000000.0"));
}

TEST_MAIN(CASE(sessions_last_so_long_and_no_longer),
          CASE(late_clicks_know_deletions_and_newer_changes))
