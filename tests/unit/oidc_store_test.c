/* OpenID Connect and the account store: a sign-in ends once, and whose account an identity is. On
 * both engines. */
#include "accounts/oidc/attempt_store.h"
#include "accounts/oidc/identity_store.h"
#include "accounts/oidc/person.h"
#include "accounts/oidc/roles.h"
#include "accounts/oidc/sign_in.h"
#include "accounts_fixture.h"

#define ISSUER "https://id.example.com"

static const struct oidc_pending pending = {.attempt = {.state = "state",
                                                        .nonce = "nonce",
                                                        .verifier = "verifier",
                                                        .redirect_uri = "https://x.example/back"},
                                            .issuer = ISSUER,
                                            .browser = "browser",
                                            .next = "/support"};

ON_BOTH(a_sign_in_is_taken_once)
{
    struct oidc_pending taken;

    CHECK_OK(attempt_store(&bench->call, &pending, 60));
    CHECK_OK(attempt_take(&bench->call, "state", "browser", ISSUER, &taken));
    CHECK_TEXT(taken.attempt.nonce, "nonce");
    CHECK_TEXT(taken.attempt.verifier, "verifier");
    CHECK_TEXT(taken.attempt.redirect_uri, "https://x.example/back");
    CHECK_TEXT(taken.next, "/support");
    CHECK_FAILS(attempt_take(&bench->call, "state", "browser", ISSUER, &taken), ERROR_FORBIDDEN,
                "oidc_expired");
}

ON_BOTH(a_sign_in_is_bound)
{
    static const struct {
        const char *state, *browser, *issuer;
        int64_t seconds;
    } cases[] = {
        {"state", "other", ISSUER, 60},   {"state", "browser", "https://other.example", 60},
        {"state", "browser", ISSUER, 0},  {"state", NULL, ISSUER, 60},
        {"other", "browser", ISSUER, 60}, {NULL, "browser", ISSUER, 60},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct oidc_pending taken;

        CHECK_OK(attempt_store(&bench->call, &pending, cases[i].seconds));
        CHECK_FAILS(
            attempt_take(&bench->call, cases[i].state, cases[i].browser, cases[i].issuer, &taken),
            ERROR_FORBIDDEN, "oidc_expired");
        RUN(bench, "DELETE FROM oidc_sign_ins");
    }
}

ON_BOTH(sign_ins_that_took_too_long_are_deleted)
{
    struct oidc_pending other = pending, taken;

    other.attempt.state = "second";
    CHECK_OK(attempt_store(&bench->call, &pending, 0));
    CHECK_OK(attempt_store(&bench->call, &other, 60));
    CHECK_OK(attempt_store(&bench->call, &pending, 60)); /* else its key would be taken */
    CHECK_OK(attempt_take(&bench->call, "second", "browser", ISSUER, &taken));
}

TEST(addresses_after_sign_in_are_of_this_site)
{
    static const char *const good[] = {"/",    "/support/agent?x=1#y",    "/a//b", "/%2f%2fevil",
                                       "/...", "/.a/%2e%2e%2e?x=/../#/.."};
    static const char *const bad[] = {NULL,        "",           "x",     "//x",    "/\\x",
                                      "/a\\b",     "/a b",       "/a\tb", "/a\n",   "/\x7f",
                                      "/\xc3\xa9", "http://x",   "/.//x", "/..//x", "/%2e//x",
                                      "/a/..//x",  "/a/.%2E//x", "/..",   "/./?x"};

    for (size_t i = 0; i < COUNT_OF(good); i++)
        CHECK_TEXT(oidc_next_path(good[i]), good[i]);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        CHECK_TEXT(oidc_next_path(bad[i]), "/");
}

#define LIST(...)                                                                                  \
    {                                                                                              \
        .count = sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *),                     \
        .items = (const char *[])                                                                  \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static const struct oidc_config config = {
    .issuer = ISSUER,
    .roles = LIST("staff=support:agent", "cn=leads,ou=x=support:admin", "*=support:viewer",
                  "*=data:viewer", "root=suite:admin"),
    .creates_accounts = true};

static enum account_role role_of(const struct person_roles *roles, enum account_area area)
{
    return roles_get(roles, area);
}

TEST(groups_give_roles)
{
    const struct string_list none = {0}, staff = LIST("x", "staff"),
                             both = LIST("staff", "cn=leads,ou=x"),
                             near = LIST("staf", "staffs", "*");
    struct person_roles roles = oidc_roles_of_new(&config, &none);

    CHECK_INT(role_of(&roles, AREA_SUPPORT), ACCOUNT_VIEWER);
    CHECK_INT(role_of(&roles, AREA_DATA), ACCOUNT_VIEWER);
    CHECK_INT(role_of(&roles, AREA_MODELS), ACCOUNT_NONE);
    roles = oidc_roles_of_new(&config, &staff);
    CHECK_INT(role_of(&roles, AREA_SUPPORT), ACCOUNT_AGENT);
    roles = oidc_roles_of_new(&config, &both);
    CHECK_INT(role_of(&roles, AREA_SUPPORT), ACCOUNT_ADMIN);
    roles = oidc_roles_of_new(&config, &near);
    CHECK_INT(role_of(&roles, AREA_SUPPORT), ACCOUNT_VIEWER);
}

TEST(roles_follow_groups_where_groups_are_listed)
{
    const struct string_list none = {0}, staff = LIST("staff");
    struct person_roles roles = PERSON_ROLES_NONE;

    roles_set(&roles, AREA_SUPPORT, ACCOUNT_ADMIN);
    roles_set(&roles, AREA_DATA, ACCOUNT_OPERATOR);
    roles_set(&roles, AREA_MODELS, ACCOUNT_ANALYST);
    CHECK(oidc_roles_renew(&config, &staff, &roles));
    CHECK_INT(role_of(&roles, AREA_SUPPORT), ACCOUNT_AGENT);
    CHECK(!oidc_roles_renew(&config, &staff, &roles));
    CHECK(oidc_roles_renew(&config, &none, &roles));
    CHECK_INT(role_of(&roles, AREA_SUPPORT), ACCOUNT_VIEWER);
    CHECK_INT(role_of(&roles, AREA_DATA), ACCOUNT_OPERATOR);  /* only `*` is listed */
    CHECK_INT(role_of(&roles, AREA_MODELS), ACCOUNT_ANALYST); /* nothing is listed */
}

TEST(entries_that_are_none)
{
    static const char *const bad[] = {"",
                                      "staff",
                                      "staff=support",
                                      "=support:agent",
                                      "s=:agent",
                                      "s=support:",
                                      "s=support:pilot",
                                      "s=support:analyst",
                                      "s=suport:agent",
                                      "s=support:none",
                                      "s:support=agent"};
    struct problem problem;

    CHECK_INT(oidc_roles_check(&config, &problem), ERROR_NONE);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct oidc_config wrong = {.roles = LIST(bad[i])};

        CHECK_INT(oidc_roles_check(&wrong, &problem), ERROR_INVALID);
    }
    CHECK_INT(oidc_roles_check(&(struct oidc_config){.tenants = LIST("a.example:acme")}, &problem),
              ERROR_NONE);
    CHECK_INT(oidc_roles_check(&(struct oidc_config){.tenants = LIST("a.example")}, &problem),
              ERROR_INVALID);
    CHECK_INT(oidc_roles_check(&(struct oidc_config){.tenants = LIST("a:b c")}, &problem),
              ERROR_INVALID);
}

TEST(domains_give_tenants)
{
    struct arena *arena = arena_create(1 << 16);
    const struct oidc_config tenants = {.tenants = LIST("acme.example:acme", "b.example:b")};

    CHECK_TEXT(oidc_tenant_of(arena, &config, NULL), "default");
    CHECK_TEXT(oidc_tenant_of(arena, &tenants, "ann@ACME.example"), "acme");
    CHECK_TEXT(oidc_tenant_of(arena, &tenants, "ann@b.example"), "b");
    CHECK(!oidc_tenant_of(arena, &tenants, "ann@x.acme.example"));
    CHECK(!oidc_tenant_of(arena, &tenants, "ann@acme.example.net"));
    CHECK(!oidc_tenant_of(arena, &tenants, NULL));
    arena_destroy(arena);
}

static const struct oidc_identity ann = {.issuer = ISSUER,
                                         .subject = "s-1",
                                         .email = "Ann@example.com",
                                         .name = "Ann Lee",
                                         .preferred_username = "ann"};

static bool signs_in(struct bench *bench, const struct oidc_config *by,
                     const struct oidc_identity *identity, struct person *person)
{
    bool is_new = false;
    enum error error = oidc_person_of(&bench->call, by, identity, person, &is_new);

    if (error && error != ERROR_FORBIDDEN)
        printf("error %d: %s\n", (int)error, bench->problem.text);
    return !error && is_new;
}

#define CHECK_REFUSED(config, identity, reason)                                                    \
    do {                                                                                           \
        struct person person_;                                                                     \
        bool is_new_;                                                                              \
        CHECK_FAILS(oidc_person_of(&bench->call, (config), (identity), &person_, &is_new_),        \
                    ERROR_FORBIDDEN, (reason));                                                    \
    } while (0)

ON_BOTH(an_account_is_made_at_the_first_sign_in)
{
    struct person first, second;

    CHECK(signs_in(bench, &config, &ann, &first));
    CHECK_TEXT(first.username, "Ann@example.com");
    CHECK_TEXT(first.email, "Ann@example.com");
    CHECK_TEXT(first.name, "Ann Lee");
    CHECK_TEXT(first.tenant, "default");
    CHECK_INT(person_role(&first, AREA_SUPPORT), ACCOUNT_VIEWER);
    CHECK(!signs_in(bench, &config, &ann, &second));
    CHECK_TEXT(second.id, first.id);
}

ON_BOTH(a_person_is_known_by_issuer_and_subject_alone)
{
    struct oidc_identity moved = ann, other = ann;
    struct person first, second;

    CHECK(signs_in(bench, &config, &ann, &first));
    moved.email = "married@example.com"; /* the address may change */
    CHECK(!signs_in(bench, &config, &moved, &second));
    CHECK_TEXT(second.id, first.id);
    other.subject = "s-2"; /* the address may be given to somebody else */
    CHECK_REFUSED(&config, &other, "oidc_account_exists");
    other = ann;
    other.issuer = "https://other.example";
    CHECK_REFUSED(&config, &other, "oidc_account_exists");
}

ON_BOTH(an_account_with_a_password_is_never_joined)
{
    struct new_person wanted = {.username = "ann@example.com",
                                .email = "ann@example.com",
                                .password_hash = "$2b$04$x",
                                .source = "local",
                                .roles = PERSON_ROLES_NONE};
    struct person person;

    CHECK_OK(person_add(&bench->call, &wanted, &person));
    CHECK_REFUSED(&config, &ann, "oidc_account_exists");
}

ON_BOTH(a_prepared_account_is_joined_once)
{
    struct oidc_identity unvouched = ann, second = ann;
    struct person prepared = bench_person(bench, "ann@example.com", "models=analyst"), person;

    unvouched.email = NULL; /* then the provider's username counts, which is another one */
    unvouched.subject = "s-0";
    CHECK(signs_in(bench, &config, &unvouched, &person));
    CHECK_TEXT(person.username, "ann");
    CHECK(!signs_in(bench, &config, &ann, &person));
    CHECK_TEXT(person.id, prepared.id);
    CHECK_INT(person_role(&person, AREA_MODELS), ACCOUNT_ANALYST);
    CHECK_INT(person_role(&person, AREA_SUPPORT), ACCOUNT_VIEWER);
    second.subject = "s-2";
    CHECK_REFUSED(&config, &second, "oidc_account_exists");
}

ON_BOTH(people_of_the_settings_are_never_joined)
{
    struct new_person wanted = {
        .username = "ann@example.com", .source = "settings", .roles = PERSON_ROLES_NONE};
    struct person person;

    CHECK_OK(person_add(&bench->call, &wanted, &person));
    CHECK_REFUSED(&config, &ann, "oidc_account_exists");
}

ON_BOTH(who_has_no_access_is_refused)
{
    const struct oidc_config closed = {.issuer = ISSUER, .roles = LIST("*=data:viewer")};
    const struct oidc_config groups = {
        .issuer = ISSUER, .roles = LIST("staff=support:agent"), .creates_accounts = true};
    const struct oidc_config tenants = {.issuer = ISSUER,
                                        .roles = LIST("*=data:viewer"),
                                        .tenants = LIST("acme.example:acme"),
                                        .creates_accounts = true};
    struct oidc_identity staff = ann;
    struct person person;

    staff.groups = (struct string_list)LIST("staff");
    CHECK_REFUSED(&closed, &ann, "oidc_no_access");
    CHECK_REFUSED(&groups, &ann, "oidc_no_access");
    CHECK_REFUSED(&tenants, &ann, "oidc_no_access");
    CHECK(signs_in(bench, &groups, &staff, &person));
    CHECK_REFUSED(&groups, &ann, "oidc_no_access"); /* left the group */
    CHECK_OK(person_read(&bench->call, person.id, &person));
    CHECK_INT(person_role(&person, AREA_SUPPORT), ACCOUNT_NONE);
    CHECK(!signs_in(bench, &groups, &staff, &person));
    person.is_active = false;
    CHECK_OK(bench_replace(bench, &person));
    CHECK_REFUSED(&groups, &staff, "oidc_no_access");
}

ON_BOTH(roles_of_groups_undo_no_other_change)
{
    enum { ROUNDS = 40 };
    struct oidc_identity staff = ann;
    struct person person;
    pid_t counting;

    staff.groups = (struct string_list)LIST("staff");
    CHECK(signs_in(bench, &config, &ann, &person));
    counting = bench_count_elsewhere(bench, person.id, ROUNDS);
    for (int i = 0; i < ROUNDS; i++)
        CHECK(!signs_in(bench, &config, i % 2 ? &ann : &staff, &person));
    CHECK(bench_join(counting));
    CHECK_OK(person_read(&bench->call, person.id, &person));
    CHECK_TEXT(person.name, "40");
}

ON_BOTH(the_last_administrator_stays_one)
{
    struct oidc_identity root = ann;
    struct person person;

    root.groups = (struct string_list)LIST("root");
    CHECK(signs_in(bench, &config, &root, &person));
    CHECK_INT(person_role(&person, AREA_SUITE), ACCOUNT_ADMIN);
    CHECK(!signs_in(bench, &config, &ann, &person));
    CHECK_INT(person_role(&person, AREA_SUITE), ACCOUNT_ADMIN);
    bench_person(bench, "bob", "suite=admin");
    CHECK(!signs_in(bench, &config, &ann, &person));
    CHECK_INT(person_role(&person, AREA_SUITE), ACCOUNT_NONE);
}

ON_BOTH(people_of_support_keep_their_accounts)
{
    struct oidc_identity microsoft = ann, other = ann;
    struct person copied = bench_person(bench, "bea", "support=agent"), person;

    CHECK_OK(identity_add(&bench->call, "azure", "s-1", copied.id));
    microsoft.issuer = "https://login.microsoftonline.com/t-1/v2.0";
    CHECK(!signs_in(bench, &config, &microsoft, &person));
    CHECK_TEXT(person.id, copied.id);
    other.issuer = "https://login.microsoftonline.com.example/v2.0";
    CHECK(signs_in(bench, &config, &other, &person));
}

ON_BOTH(usernames_are_made_of_what_there_is)
{
    struct oidc_identity odd = {.issuer = ISSUER, .subject = "auth0|7 7"};
    struct person person;

    CHECK(signs_in(bench, &config, &odd, &person));
    CHECK_INT(strncmp(person.username, "person-", 7), 0);
    odd = (struct oidc_identity){.issuer = ISSUER, .subject = "248289761001"};
    CHECK(signs_in(bench, &config, &odd, &person));
    CHECK_TEXT(person.username, "248289761001");
}

TEST_MAIN(CASE(a_sign_in_is_taken_once), CASE(a_sign_in_is_bound),
          CASE(sign_ins_that_took_too_long_are_deleted),
          CASE(addresses_after_sign_in_are_of_this_site), CASE(groups_give_roles),
          CASE(roles_follow_groups_where_groups_are_listed), CASE(entries_that_are_none),
          CASE(domains_give_tenants), CASE(an_account_is_made_at_the_first_sign_in),
          CASE(a_person_is_known_by_issuer_and_subject_alone),
          CASE(an_account_with_a_password_is_never_joined), CASE(a_prepared_account_is_joined_once),
          CASE(people_of_the_settings_are_never_joined), CASE(who_has_no_access_is_refused),
          CASE(the_last_administrator_stays_one), CASE(roles_of_groups_undo_no_other_change),
          CASE(people_of_support_keep_their_accounts), CASE(usernames_are_made_of_what_there_is))
