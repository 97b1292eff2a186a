/* Slugs of projects: how they are made of names, that they are unique, and that projects from
 * before get one. On both engines. */
#include "experiments/projects/project_slug.h"
#include "experiments/projects/project_store.h"
#include "storage_fixture.h"

static const char *made(struct bench *bench, const char *name)
{
    struct project_call call = {bench->db, bench->arena, &bench->actor, &bench->problem};
    struct project project = {0};

    CHECK_OK(project_create(&call, bench_payload(bench->arena, name, METRIC_BINARY), &project));
    return project.id;
}

TEST(slugs_are_made_of_names)
{
    static const struct {
        const char *name, *slug;
    } cases[] = {
        {"Checkout button", "checkout-button"},
        {"  Two -- steps!? ", "two-steps"},
        {"\xe6\x9b\xb4\xe5\xa4\xa7 A/B 2", "a-b-2"},
        {"\xd1\x82\xd0\xb5\xd1\x81\xd1\x82", "project"},
        {"", "project"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
    };
    struct arena *arena = arena_create((size_t)1 << 20);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_TEXT(slug_of_name(arena, cases[i].name), cases[i].slug);
        CHECK(slug_is_valid(cases[i].slug));
    }
    CHECK(!slug_is_valid("") && !slug_is_valid("-a") && !slug_is_valid("a/b") &&
          !slug_is_valid("a b") && !slug_is_valid("\xc3\xa4") && slug_is_valid("A.b_c-9"));
    arena_destroy(arena);
}

ON_BOTH(projects_from_before_get_a_slug)
{
    struct project_call call = {bench->db, bench->arena, &bench->actor, &bench->problem};
    const char *first = made(bench, "Same name"), *archived_at;

    CHECK_OK(project_archive(&call, made(bench, "Archived"), NULL, &archived_at));
    for (int i = 0; i < 120; i++)
        (void)made(bench, "Same name");
    CHECK_INT(COUNT_OF_ROWS(bench, "flags"), 122);
    RUN(bench, "DELETE FROM flags");
    CHECK_OK(project_slugs_missing(bench->db, &bench->problem));
    CHECK_INT(COUNT_OF_ROWS(bench, "flags"), 122);
    CHECK_INT(COUNT_OF_ROWS(bench, "flags WHERE slug = 'same-name'"), 1);
    CHECK_INT(COUNT_OF_ROWS(bench, "flags WHERE slug LIKE 'same-name-________'"), 120);
    CHECK_INT(COUNT_OF_ROWS(bench, "flags WHERE slug = 'archived'"), 1);
    CHECK_OK(project_add_slug(bench->db, bench->arena, first, "Another", &bench->problem));
    CHECK_INT(COUNT_OF_ROWS(bench, "flags WHERE slug = 'another'"), 0);
}

TEST_MAIN(CASE(slugs_are_made_of_names), CASE(projects_from_before_get_a_slug))
