/* The tenants file, and what tenants see that list domains. */
#include "test.h"

#include "crypto/crypto.h"
#include "livedata/access/tenants.h"
#include "livedata/access/types.h"

#include <stdlib.h>
#include <unistd.h>

enum { MEMORY_MAX = 64 << 20 };

struct fixture {
    struct arena *arena;
    struct livedata_settings settings;
    struct catalog catalog;
    struct tenants tenants;
    struct problem problem;
};

static bool start(struct fixture *fixture)
{
    *fixture = (struct fixture){.arena = arena_create(MEMORY_MAX)};
    (void)setenv("LIVE_CONFIG_DIR", "config/livedata,config/demo/machines", 1);
    if (crypto_start(&fixture->problem) ||
        livedata_settings_load(&fixture->settings, fixture->arena, NULL, &fixture->problem) ||
        catalog_load(fixture->arena, &fixture->settings, &fixture->catalog, &fixture->problem)) {
        printf("%s\n", fixture->problem.text);
        CHECK(false);
        return false;
    }
    return true;
}

static enum error load(struct fixture *fixture, const char *text, char path[64])
{
    enum error error = ERROR_INVALID;
    int file;

    (void)snprintf(path, 64, "/tmp/assay-tenants-XXXXXX");
    file = mkstemp(path);
    CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    if (file >= 0) {
        (void)close(file);
        error = tenants_load(fixture->arena, path, &fixture->catalog, &fixture->tenants,
                             &fixture->problem);
        (void)unlink(path);
    }
    return error;
}

static const struct catalog *seen_by(const struct fixture *fixture, const char *tenant)
{
    return tenant_catalog(&fixture->tenants, tenant, &fixture->catalog);
}

TEST(a_tenant_sees_the_domains_that_it_lists)
{
    static const char file[] =
        "tenants:\n- {id: all}\n- {id: shop, domains: [shop]}\n"
        "- {id: floor, domains: [machines]}\n- {id: none, domains: []}\n"
        "- {id: both, domains: [machines, shop]}\n- {id: shop.too, domains: [shop]}\n";
    static const struct {
        const char *tenant;
        bool shop, machines;
    } all[] = {{"all", true, true},    {"shop", true, false}, {"floor", false, true},
               {"none", false, false}, {"both", true, true},  {"without an entry", true, true}};
    struct fixture fixture;
    char path[64];

    if (!start(&fixture))
        return;
    CHECK_INT(load(&fixture, file, path), ERROR_NONE);
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        const struct catalog *seen = seen_by(&fixture, all[i].tenant);

        CHECK_INT(seen->shop, all[i].shop);
        CHECK_INT(catalog_domain(seen, "shop") != NULL, all[i].shop);
        CHECK_INT(catalog_domain(seen, "machines") != NULL, all[i].machines);
        CHECK_INT(catalog_entity(seen, "order") != NULL, all[i].shop);
        CHECK_INT(catalog_entity(seen, "machine") != NULL, all[i].machines);
        CHECK_INT(catalog_metric(seen, "revenue") != NULL, all[i].shop);
        CHECK_INT(catalog_table(seen, "order_items") != NULL, all[i].shop);
        CHECK_INT(catalog_table(seen, "own_machines_reading") != NULL, all[i].machines);
        CHECK_INT(seen->contract_count, all[i].shop ? fixture.catalog.contract_count : 0);
    }
    CHECK(seen_by(&fixture, "all") == &fixture.catalog);
    CHECK(seen_by(&fixture, "shop") == seen_by(&fixture, "shop.too"));
    CHECK_TEXT(catalog_shop_name(&fixture.catalog), "shop");
    arena_destroy(fixture.arena);
}

/* Relations of what is seen lead to what is seen, of the same view. */
TEST(relations_stay_within_the_view)
{
    struct fixture fixture;
    const struct entity_type *reading;
    const struct catalog *seen;
    char path[64];

    if (!start(&fixture))
        return;
    CHECK_INT(load(&fixture, "tenants:\n- {id: floor, domains: [machines]}\n", path), ERROR_NONE);
    seen = seen_by(&fixture, "floor");
    reading = catalog_entity(seen, "reading");
    CHECK(reading && reading->relation_count == 1);
    CHECK(reading && reading->relations[0].to == catalog_entity(seen, "machine"));
    arena_destroy(fixture.arena);
}

TEST(mistakes_are_named_with_the_file)
{
    static const struct {
        const char *domains, *told;
    } all[] = {
        {"[shop, moons]", "domains of floor: there is no domain 'moons' in LIVE_CONFIG_DIR"},
        {"[Shop]", "domains of floor: there is no domain 'Shop' in LIVE_CONFIG_DIR"},
        {"[7]", "domains of floor: there is no domain '' in LIVE_CONFIG_DIR"},
        {"shop", "domains of floor is a list of names"},
        {"null", "domains of floor is a list of names"},
    };
    struct fixture fixture;
    char path[64];

    if (!start(&fixture))
        return;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        const char *file =
            arena_print(fixture.arena, "tenants:\n- {id: floor, domains: %s}\n", all[i].domains);

        CHECK_INT(load(&fixture, file, path), ERROR_INVALID);
        CHECK_TEXT(fixture.problem.reason, "config_invalid");
        CHECK_TEXT(fixture.problem.text, arena_print(fixture.arena, "%s: %s", path, all[i].told));
    }
    arena_destroy(fixture.arena);
}

/* Or a topic's events would be of two tenants, or of nobody. */
TEST(a_prefix_of_topics_is_of_one_tenant)
{
    struct fixture fixture;
    char path[64];

    if (!start(&fixture))
        return;
    CHECK_INT(load(&fixture,
                   "tenants:\n- {id: a, kafka_topic_prefix: x}\n- {id: b}\n"
                   "- {id: c, kafka_topic_prefix: x.y}\n",
                   path),
              ERROR_NONE);
    CHECK_INT(load(&fixture,
                   "tenants:\n- {id: a, kafka_topic_prefix: x}\n- {id: b}\n"
                   "- {id: c, kafka_topic_prefix: x}\n",
                   path),
              ERROR_INVALID);
    CHECK_TEXT(
        fixture.problem.text,
        arena_print(fixture.arena, "%s: a and c have the same kafka_topic_prefix 'x'", path));
    CHECK_INT(load(&fixture, "tenants:\n- {id: a, kafka_topic_prefix: ''}\n", path), ERROR_INVALID);
    CHECK_TEXT(fixture.problem.text,
               arena_print(fixture.arena, "%s: kafka_topic_prefix of a is empty", path));
    arena_destroy(fixture.arena);
}

/* An event of no entity is for keys of all types; the empty name in a list lets it through. */
TEST(events_of_no_entity)
{
    CHECK(entity_types_have(NULL, NULL));
    CHECK(!entity_types_have(",order,", NULL));
    CHECK(!entity_types_have(",", NULL));
    CHECK(entity_types_have(",order,,", NULL));
    CHECK(entity_types_have(",order,,", "order"));
    CHECK(!entity_types_have(",order,,", "user"));
}

TEST_MAIN(CASE(a_tenant_sees_the_domains_that_it_lists), CASE(relations_stay_within_the_view),
          CASE(mistakes_are_named_with_the_file), CASE(a_prefix_of_topics_is_of_one_tenant),
          CASE(events_of_no_entity))
