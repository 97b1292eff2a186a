/* Which alerts are evaluated next, on both engines. */
#include "livedata_fixture.h"

#include "livedata/alerts/rules.h"

static const int64_t interval = 600 * us_per_second, gap = us_per_second / 10;

/* Rules of as many tenants that were evaluated two seconds ago, the first one first, and have seen
 * all changes of their table. */
static const struct statement make_rules = {
    "make_rules",
    "WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 6000)"
    " INSERT INTO alert_rules (id, tenant_id, name, metric, source_table, metric_window,"
    " alert_condition, threshold, webhook_url, secret, cooldown_minutes, escalation, flap_enabled,"
    " flap_window_minutes, flap_max_changes, active, created_at, updated_at, evaluated_at,"
    " evaluated_gen) SELECT 'rule' || CAST(n AS TEXT), 'tenant' || CAST(n AS TEXT), 'Orders',"
    " 'order_count', 'orders_v2', '1h', 'above', 1, '', '', 30, '[]', 0, 0, 0, 1, 1, 1,"
    " {now_microseconds} - 2000000 + n, 5 FROM numbers"};
static const struct statement make_generations = {
    "make_generations", "INSERT INTO cache_generation (tenant_id, table_name, gen, last_event_at)"
                        " SELECT tenant_id, source_table, 5, 0 FROM alert_rules"};

static struct alert_dues list(struct live *live)
{
    struct store *store = live->store;
    struct alert_dues dues;

    CHECK_OK(alert_list_due(&live->call.storage, interval, gap, &dues));
    return dues;
}

/* A statement is known by its address. */
#define RUN(label, text)                                                                           \
    do {                                                                                           \
        static const struct statement statement = {label, text};                                   \
        CHECK_OK(store_run(store, &statement));                                                    \
    } while (0)

ON_BOTH(a_change_is_seen_however_many_rules_there_are)
{
    struct live live;
    struct alert_dues dues;

    live_make(store, &live);
    CHECK_OK(store_run(store, &make_rules));
    CHECK_OK(store_run(store, &make_generations));
    CHECK_INT(list(&live).count, 0);
    RUN("change_last", "UPDATE cache_generation SET gen = gen + 1 WHERE tenant_id = 'tenant6000'");
    dues = list(&live);
    CHECK_INT(dues.count, 1);
    CHECK_TEXT(dues.items[0].id, "rule6000");
    RUN("change_all", "UPDATE cache_generation SET gen = gen + 1");
    dues = list(&live);
    CHECK_INT(dues.count, 50);
    CHECK_TEXT(dues.items[0].id, "rule1"); /* that has waited for longest */
}

ON_BOTH(a_rule_is_due_once_it_is_free)
{
    struct live live;
    struct alert_dues dues;

    live_make(store, &live);
    CHECK_OK(store_run(store, &make_rules));
    CHECK_OK(store_run(store, &make_generations));
    RUN("change_few",
        "UPDATE cache_generation SET gen = 6 WHERE tenant_id IN ('tenant1', 'tenant2', 'tenant3',"
        " 'tenant4')");
    RUN("switch_off", "UPDATE alert_rules SET active = 0 WHERE id = 'rule1'");
    RUN("lease", "UPDATE alert_rules SET tick_lease_expires_at = {now_microseconds} + 60000000"
                 " WHERE id = 'rule2'");
    RUN("unreachable",
        "UPDATE alert_rules SET undelivered_event = 'alert.triggered' WHERE id = 'rule3'");
    dues = list(&live);
    CHECK_INT(dues.count, 1);
    CHECK_TEXT(dues.items[0].id, "rule4");
    RUN("wait", "UPDATE alert_rules SET evaluated_at = evaluated_at - 900000000"
                " WHERE id IN ('rule3', 'rule9')");
    dues = list(&live);
    CHECK_INT(dues.count, 3); /* by the interval first, changed or not */
    CHECK_TEXT(dues.items[0].id, "rule3");
    CHECK_TEXT(dues.items[1].id, "rule9");
    CHECK_TEXT(dues.items[2].id, "rule4");
}

TEST_MAIN(CASE(a_change_is_seen_however_many_rules_there_are), CASE(a_rule_is_due_once_it_is_free))
