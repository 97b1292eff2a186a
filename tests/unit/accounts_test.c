/* People, sessions and personal tokens in the account store, and who is found by them, on both
 * engines. */
#include "accounts/caller.h"
#include "accounts/sessions.h"
#include "accounts/tokens.h"
#include "accounts_fixture.h"
#include "base/clock.h"

static const struct session_terms week = {.source = "password",
                                          .idle_seconds = 3600,
                                          .lifetime_seconds = 604800,
                                          .user_agent = "browser",
                                          .ip_address = "::1"};

static const char *sign_in(struct bench *bench, const struct person *person,
                           struct person_session *session)
{
    struct session_terms terms = week;
    const char *token = "";

    terms.person_id = person->id;
    CHECK_OK(session_start(&bench->call, &terms, session, &token));
    return token;
}

static struct account_caller find(struct bench *bench, struct accounts *accounts,
                                  const struct presented *presented)
{
    struct account_caller caller = {0};

    CHECK_OK(caller_find(accounts, bench->arena, presented, &caller, &bench->problem));
    return caller;
}

static enum caller_kind kind_by_session(struct bench *bench, struct accounts *accounts,
                                        const char *token)
{
    return find(bench, accounts, &(struct presented){.session = token}).kind;
}

TEST(areas_offer_their_roles)
{
    static const struct {
        enum account_area area;
        enum account_role role;
        bool offered;
    } cases[] = {
        {AREA_EXPERIMENTS, ACCOUNT_ANALYST, true}, {AREA_EXPERIMENTS, ACCOUNT_AGENT, false},
        {AREA_SUPPORT, ACCOUNT_REVIEWER, true},    {AREA_SUPPORT, ACCOUNT_OPERATOR, false},
        {AREA_MODELS, ACCOUNT_ANALYST, true},      {AREA_DATA, ACCOUNT_OPERATOR, true},
        {AREA_DATA, ACCOUNT_ANALYST, false},       {AREA_SUITE, ACCOUNT_ADMIN, true},
        {AREA_SUITE, ACCOUNT_VIEWER, false},       {AREA_SUITE, ACCOUNT_NONE, false},
    };
    struct person_roles roles = PERSON_ROLES_NONE;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CHECK_INT(roles_offer(cases[i].area, cases[i].role), cases[i].offered);
        if (cases[i].role == ACCOUNT_NONE)
            continue;
        CHECK_INT(roles_set(&roles, cases[i].area, cases[i].role), cases[i].offered);
        if (cases[i].offered)
            CHECK_INT(roles_get(&roles, cases[i].area), cases[i].role);
    }
    CHECK(roles_set(&roles, AREA_DATA, ACCOUNT_NONE));
    CHECK_INT(roles_get(&roles, AREA_DATA), ACCOUNT_NONE);
}

TEST(words_of_people_are_checked)
{
    CHECK(person_is_username("maria.lopez@example.com"));
    CHECK(person_is_username("Мария"));
    CHECK(!person_is_username(""));
    CHECK(!person_is_username("a b"));
    CHECK(!person_is_username("a<b"));
    CHECK(!person_is_username("\xff"));
    CHECK(person_is_username("ma\u0301ria")); /* an accent of its own */
    CHECK(!person_is_username("maria\u00a0"));
    CHECK(!person_is_username("maria\u200b"));
    CHECK(!person_is_username("\u202eairam"));
    CHECK(!person_is_username("maria\u2028x"));
    CHECK(!person_is_username("maria\xc2\x85"));
    CHECK(!person_is_username("Anonymous"));
    CHECK(!person_is_username("api-key-user"));
    CHECK(!person_is_username("visitor"));
    CHECK(person_is_username("visitors"));
    CHECK(person_is_email("a@b.example"));
    CHECK(!person_is_email("a@b@c.example"));
    CHECK(!person_is_email("a@b"));
    CHECK(!person_is_email("a b@c.example"));
    CHECK(!person_is_email("@c.example"));
    CHECK(person_is_tenant("shop_1"));
    CHECK(!person_is_tenant("shop 1"));
}

ON_BOTH(people_are_found_by_name_whatever_its_case)
{
    struct person added = bench_person(bench, "Maria", "support=agent,data=viewer");
    struct new_person again = {.username = "MARIA", .source = "local", .roles = PERSON_ROLES_NONE};
    struct person found;

    CHECK_OK(person_find(&bench->call, "maria", &found));
    CHECK_TEXT(found.id, added.id);
    CHECK_TEXT(found.username, "Maria");
    CHECK_TEXT(found.tenant, "default");
    CHECK(found.is_active);
    CHECK_INT(found.last_seen_at, 0);
    CHECK_INT(person_role(&found, AREA_SUPPORT), ACCOUNT_AGENT);
    CHECK_INT(person_role(&found, AREA_DATA), ACCOUNT_VIEWER);
    CHECK_INT(person_role(&found, AREA_SUITE), ACCOUNT_NONE);
    CHECK_FAILS(person_add(&bench->call, &again, &found), ERROR_CONFLICT, "username_taken");
    again.username = "b b";
    CHECK_FAILS(person_add(&bench->call, &again, &found), ERROR_INVALID, "person_invalid");
    CHECK_FAILS(person_find(&bench->call, "nobody", &found), ERROR_NOT_FOUND, "person_unknown");
}

ON_BOTH(the_last_administrator_stays)
{
    struct person first = bench_person(bench, "first", "suite=admin");
    struct person_roles none = PERSON_ROLES_NONE;
    struct person changed = first;

    changed.is_active = false;
    CHECK_FAILS(bench_replace(bench, &changed), ERROR_CONFLICT, "last_administrator");
    changed = first;
    changed.roles = &none;
    CHECK_FAILS(bench_replace(bench, &changed), ERROR_CONFLICT, "last_administrator");
    CHECK_OK(person_read(&bench->call, first.id, &changed));
    CHECK_INT(person_role(&changed, AREA_SUITE), ACCOUNT_ADMIN);
    bench_person(bench, "second", "suite=admin");
    changed.roles = &none;
    changed.name = "First Person";
    CHECK_OK(bench_replace(bench, &changed));
    CHECK_OK(person_read(&bench->call, first.id, &changed));
    CHECK_TEXT(changed.name, "First Person");
    CHECK_INT(person_role(&changed, AREA_SUITE), ACCOUNT_NONE);
}

ON_BOTH(two_writers_lose_no_change)
{
    enum { ROUNDS = 40 };
    struct person person = bench_person(bench, "maria", "support=agent");
    pid_t first = bench_count_elsewhere(bench, person.id, ROUNDS);
    pid_t second = bench_count_elsewhere(bench, person.id, ROUNDS);

    CHECK(bench_join(first));
    CHECK(bench_join(second));
    CHECK_OK(person_read(&bench->call, person.id, &person));
    CHECK_TEXT(person.name, "80");
    CHECK_INT(person_role(&person, AREA_SUPPORT), ACCOUNT_AGENT);
}

ON_BOTH(a_session_names_its_person_until_it_ends)
{
    struct person person = bench_person(bench, "maria", "support=agent");
    struct person_session session;
    const char *token = sign_in(bench, &person, &session);
    struct accounts *other = bench_open(bench, true), *host = bench_open(bench, false);
    struct account_caller caller =
        find(bench, bench->accounts, &(struct presented){.session = token});

    CHECK_INT(caller.kind, CALLER_SESSION);
    CHECK_TEXT(caller.person->username, "maria");
    CHECK_TEXT(caller.id, session.id);
    CHECK_INT(person_role(caller.person, AREA_SUPPORT), ACCOUNT_AGENT);
    CHECK_INT(kind_by_session(bench, other, token), CALLER_SESSION);
    CHECK_INT(kind_by_session(bench, host, token), CALLER_SESSION);
    /* At once for workers of this host, whose memory had it. */
    CHECK_OK(session_end(&bench->call, person.id, session.id));
    CHECK_INT(kind_by_session(bench, bench->accounts, token), CALLER_NONE);
    CHECK_INT(kind_by_session(bench, other, token), CALLER_NONE);
    CHECK_INT(kind_by_session(bench, host, token), CALLER_NONE);
    CHECK_FAILS(session_end(&bench->call, person.id, session.id), ERROR_NOT_FOUND,
                "session_unknown");
    accounts_close(other);
    accounts_close(host);
}

ON_BOTH(what_was_found_is_shared_and_forgotten_with_each_change)
{
    struct person person = bench_person(bench, "maria", "support=agent"), changed = person;
    struct person_session session;
    const char *token = sign_in(bench, &person, &session);
    struct person_roles roles = *person.roles;
    struct account_caller caller;

    CHECK_INT(kind_by_session(bench, bench->accounts, token), CALLER_SESSION);
    RUN(bench, "UPDATE people SET tenant = 'behind'"); /* past the program: not seen */
    caller = find(bench, bench->accounts, &(struct presented){.session = token});
    CHECK_TEXT(caller.person->tenant, "default");
    CHECK(roles_set(&roles, AREA_SUPPORT, ACCOUNT_VIEWER));
    changed.roles = &roles;
    changed.tenant = "shop";
    CHECK_OK(bench_replace(bench, &changed));
    caller = find(bench, bench->accounts, &(struct presented){.session = token});
    CHECK_TEXT(caller.person->tenant, "shop");
    CHECK_INT(person_role(caller.person, AREA_SUPPORT), ACCOUNT_VIEWER);
    changed.is_active = false;
    CHECK_OK(bench_replace(bench, &changed));
    CHECK_INT(kind_by_session(bench, bench->accounts, token), CALLER_NONE);
}

ON_BOTH(sessions_end_by_time)
{
    struct person person = bench_person(bench, "maria", "");
    struct accounts *host = bench_open(bench, false);
    struct person_session idle, old;
    const char *first = sign_in(bench, &person, &idle), *second = sign_in(bench, &person, &old);
    struct object_list list;

    CHECK_OK(session_list_of(&bench->call, person.id, old.id, &list));
    CHECK_INT(list.count, 2);
    RUN(bench, "UPDATE sessions SET last_seen_at = last_seen_at - 3601000000");
    CHECK_INT(kind_by_session(bench, host, first), CALLER_NONE);
    RUN(bench, "UPDATE sessions SET last_seen_at = last_seen_at + 3601000000,"
               " ends_at = ends_at - 604801000000");
    CHECK_INT(kind_by_session(bench, host, second), CALLER_NONE);
    CHECK_OK(session_list_of(&bench->call, person.id, NULL, &list));
    CHECK_INT(list.count, 0);
    accounts_close(host);
}

ON_BOTH(use_prolongs_a_session)
{
    struct person person = bench_person(bench, "maria", "");
    struct accounts *host = bench_open(bench, false);
    struct person_session session;
    const char *token = sign_in(bench, &person, &session);
    int64_t before = session.expires_at;

    RUN(bench, "UPDATE sessions SET last_seen_at = last_seen_at - 1800000000");
    CHECK_INT(kind_by_session(bench, host, token), CALLER_SESSION);
    CHECK_OK(session_find(&bench->call, token, &session));
    CHECK(session.expires_at >= before - 1000); /* SQLite counts milliseconds */
    CHECK_OK(person_read(&bench->call, person.id, &person));
    CHECK(person.last_seen_at > 0);
    accounts_close(host);
}

ON_BOTH(a_new_password_ends_the_other_sessions)
{
    struct person person = bench_person(bench, "maria", "");
    struct person_session kept, other;
    const char *kept_token = sign_in(bench, &person, &kept);
    const char *other_token = sign_in(bench, &person, &other);

    CHECK_FAILS(bench_set_password(bench, person.id, "short", NULL), ERROR_INVALID,
                "password_too_short");
    CHECK_OK(bench_set_password(bench, person.id, "a longer one", kept.id));
    CHECK_INT(kind_by_session(bench, bench->accounts, kept_token), CALLER_SESSION);
    CHECK_INT(kind_by_session(bench, bench->accounts, other_token), CALLER_NONE);
}

ON_BOTH(a_personal_token_names_its_person)
{
    struct person person = bench_person(bench, "maria", "models=analyst");
    const struct new_token wanted = {.person_id = person.id, .name = "script", .read_only = true};
    struct personal_token token;
    const char *secret;
    struct account_caller caller;
    struct object_list list;

    CHECK_OK(personal_token_add(&bench->call, &wanted, &token, &secret));
    CHECK(personal_token_is(secret));
    caller = find(bench, bench->accounts, &(struct presented){.bearer = secret});
    CHECK_INT(caller.kind, CALLER_TOKEN);
    CHECK(caller.read_only);
    CHECK_TEXT(caller.person->username, "maria");
    CHECK_INT(find(bench, bench->accounts, &(struct presented){.api_key = secret}).kind,
              CALLER_TOKEN);
    CHECK_OK(personal_token_list(&bench->call, person.id, &list));
    CHECK_INT(list.count, 1);
    CHECK(((struct personal_token *)list.items)->last_used_at > 0);
    CHECK_OK(personal_token_delete(&bench->call, person.id, token.id));
    CHECK_INT(find(bench, bench->accounts, &(struct presented){.bearer = secret}).kind,
              CALLER_BAD_TOKEN);
    CHECK_FAILS(personal_token_delete(&bench->call, person.id, token.id), ERROR_NOT_FOUND,
                "token_unknown");
}

ON_BOTH(a_new_password_may_end_the_tokens_of_its_person)
{
    struct person person = bench_person(bench, "maria", ""),
                  other = bench_person(bench, "ivan", "");
    struct new_token wanted = {.person_id = person.id, .name = "script"};
    struct password_setting setting = {.person_id = person.id, .password = "a longer one"};
    struct personal_token token;
    const char *first, *second, *others;
    int64_t ended;

    CHECK_OK(personal_token_add(&bench->call, &wanted, &token, &first));
    CHECK_OK(personal_token_add(&bench->call, &wanted, &token, &second));
    wanted.person_id = other.id;
    CHECK_OK(personal_token_add(&bench->call, &wanted, &token, &others));
    CHECK_OK(person_set_password(&bench->call, &setting, &ended));
    CHECK_INT(ended, 0);
    CHECK_INT(find(bench, bench->accounts, &(struct presented){.bearer = first}).kind,
              CALLER_TOKEN);
    setting.ends_tokens = true;
    CHECK_OK(person_set_password(&bench->call, &setting, &ended));
    CHECK_INT(ended, 2);
    /* At once, although the memory of the host had it. */
    CHECK_INT(find(bench, bench->accounts, &(struct presented){.bearer = first}).kind,
              CALLER_BAD_TOKEN);
    CHECK_INT(find(bench, bench->accounts, &(struct presented){.bearer = second}).kind,
              CALLER_BAD_TOKEN);
    CHECK_INT(find(bench, bench->accounts, &(struct presented){.bearer = others}).kind,
              CALLER_TOKEN);
    CHECK_TEXT(personal_tokens_deleted_text(bench->arena, ended), "2 tokens deleted");
    CHECK_TEXT(personal_tokens_deleted_text(bench->arena, 1), "1 token deleted");
    CHECK(personal_tokens_deleted_text(bench->arena, 0) == NULL);
}

ON_BOTH(a_person_has_so_many_tokens)
{
    struct person person = bench_person(bench, "maria", "");
    const struct new_token wanted = {.person_id = person.id, .name = "script"};
    struct personal_token token, refused;
    const char *secret;

    for (int i = 0; i < PERSONAL_TOKENS_MAX; i++)
        CHECK_OK(personal_token_add(&bench->call, &wanted, &token, &secret));
    CHECK_FAILS(personal_token_add(&bench->call, &wanted, &refused, &secret), ERROR_CONFLICT,
                "too_many_tokens");
    CHECK_OK(personal_token_delete(&bench->call, person.id, token.id));
    CHECK_OK(personal_token_add(&bench->call, &wanted, &token, &secret));
}

ON_BOTH(tokens_expire)
{
    struct person person = bench_person(bench, "maria", "");
    const struct new_token wanted = {.person_id = person.id,
                                     .name = "script",
                                     .expires_at = clock_unix_microseconds() - 1000000};
    struct personal_token token;
    const char *secret;

    CHECK_OK(personal_token_add(&bench->call, &wanted, &token, &secret));
    CHECK_INT(find(bench, bench->accounts, &(struct presented){.bearer = secret}).kind,
              CALLER_BAD_TOKEN);
}

ON_BOTH(an_explicit_credential_is_not_overruled)
{
    struct person person = bench_person(bench, "maria", "");
    struct person_session session;
    const char *token = sign_in(bench, &person, &session);

    CHECK_INT(find(bench, bench->accounts, &(struct presented){"abk_other", NULL, token}).kind,
              CALLER_NONE);
    CHECK_INT(find(bench, bench->accounts, &(struct presented){NULL, "some key", token}).kind,
              CALLER_NONE);
    CHECK_INT(find(bench, bench->accounts, &(struct presented){"assay_wrong", NULL, token}).kind,
              CALLER_BAD_TOKEN);
    CHECK_INT(find(bench, bench->accounts, &(struct presented){NULL, "", token}).kind,
              CALLER_SESSION);
    CHECK_INT(kind_by_session(bench, bench->accounts, "wrong"), CALLER_NONE);
}

ON_BOTH(without_the_store_nobody_is_known)
{
    struct person person = bench_person(bench, "maria", "");
    struct person_session session;
    const char *token = sign_in(bench, &person, &session);
    struct accounts_settings nowhere = {.database_url = "/proc/nowhere/accounts.db",
                                        .db_pool_size = 1};
    struct accounts *away;
    struct account_caller caller;

    CHECK_OK(accounts_open(bench->arena, &nowhere, "sql", "", NULL, &away, &bench->problem));
    accounts_attach(away);
    CHECK_FAILS(caller_find(away, bench->arena, &(struct presented){.session = token}, &caller,
                            &bench->problem),
                ERROR_UNAVAILABLE, bench->problem.reason);
    CHECK_OK(caller_find(away, bench->arena, &(struct presented){.bearer = "other"}, &caller,
                         &bench->problem));
    accounts_close(away);
}

TEST_MAIN(CASE(areas_offer_their_roles), CASE(words_of_people_are_checked),
          CASE(people_are_found_by_name_whatever_its_case), CASE(the_last_administrator_stays),
          CASE(two_writers_lose_no_change), CASE(a_session_names_its_person_until_it_ends),
          CASE(what_was_found_is_shared_and_forgotten_with_each_change), CASE(sessions_end_by_time),
          CASE(use_prolongs_a_session), CASE(a_new_password_ends_the_other_sessions),
          CASE(a_personal_token_names_its_person),
          CASE(a_new_password_may_end_the_tokens_of_its_person), CASE(a_person_has_so_many_tokens),
          CASE(tokens_expire), CASE(an_explicit_credential_is_not_overruled),
          CASE(without_the_store_nobody_is_known))
