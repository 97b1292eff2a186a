/* Passwords, the lock-out, invitations, copied users and the audit log of accounts, on both
 * engines; and that a change is whole or not at all, whichever statement fails. */
#include "accounts/account_audit.h"
#include "accounts/copy_users.h"
#include "accounts/invitations.h"
#include "accounts/sessions.h"
#include "accounts/sign_in.h"
#include "accounts/tokens.h"
#include "accounts_fixture.h"
#include "base/clock.h"

/* "horse-battery" with bcrypt at cost 4 (support's contract, 1.1). */
#define BCRYPT "$2b$04$a/JTRaL472eqv/gwsDrDi.BlG8oPV23JYpCQyRoTmu5R1SgYD73Lu"

static struct accounts_administrator administrator = {
    .username = "admin", .first_password = "the first one", .tenant = "default"};
static const struct sign_in_rules rules = {&administrator, 3, 900};

struct result {
    enum sign_in_outcome outcome;
    struct person person;
    int64_t retry_after;
};

static struct result try_from(struct bench *bench, const char *name, const char *password,
                              const char *network)
{
    const struct sign_in_attempt attempt = {name, password, network, true};
    struct result result = {0};

    CHECK_OK(sign_in_check(&bench->call, &rules, &attempt, &result.outcome, &result.person,
                           &result.retry_after));
    return result;
}

static struct result try(struct bench *bench, const char *name, const char *password)
{
    return try_from(bench, name, password, "192.0.2.1");
}

static struct person with_hash(struct bench *bench, const char *name, const char *hash)
{
    const struct new_person wanted = {
        .username = name, .password_hash = hash, .source = "local", .roles = PERSON_ROLES_NONE};
    struct person person = {0};

    CHECK_OK(person_add(&bench->call, &wanted, &person));
    return person;
}

ON_BOTH(passwords_of_both_kinds_count)
{
    struct person own = bench_person(bench, "own", "");

    with_hash(bench, "old", BCRYPT);
    CHECK_OK(bench_set_password(bench, own.id, "a yescrypt one", NULL));
    CHECK_INT(try(bench, "OLD", "horse-battery").outcome, SIGN_IN_ACCEPTED);
    CHECK_INT(try(bench, "old", "horse-batterY").outcome, SIGN_IN_REFUSED);
    CHECK_INT(try(bench, "own", "a yescrypt one").outcome, SIGN_IN_ACCEPTED);
    CHECK_INT(try(bench, "own", "").outcome, SIGN_IN_REFUSED);
    bench_person(bench, "without", "");
    CHECK_INT(try(bench, "without", "").outcome, SIGN_IN_REFUSED);
    CHECK_INT(try(bench, "nobody", "horse-battery").outcome, SIGN_IN_REFUSED);
}

ON_BOTH(whoever_is_switched_off_is_refused)
{
    struct person person = with_hash(bench, "old", BCRYPT);

    person.is_active = false;
    CHECK_OK(bench_replace(bench, &person));
    CHECK_INT(try(bench, "old", "horse-battery").outcome, SIGN_IN_REFUSED);
}

ON_BOTH(failures_lock_a_name_whether_or_not_it_exists)
{
    static const char *const names[] = {"old", "nobody"};

    with_hash(bench, "old", BCRYPT);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct result result;

        for (int n = 0; n < 3; n++)
            CHECK_INT(try(bench, names[i], "wrong").outcome, SIGN_IN_REFUSED);
        result = try(bench, names[i], "horse-battery");
        CHECK_INT(result.outcome, SIGN_IN_LOCKED);
        CHECK(result.retry_after > 890 && result.retry_after <= 901);
        /* Another address is counted apart, up to five times as many for the name. */
        CHECK(try_from(bench, names[i], "wrong", "192.0.2.2").outcome == SIGN_IN_REFUSED);
        for (int n = 0; n < 12; n++)
            (void)try_from(bench, names[i], "wrong", n % 2 ? "192.0.2.3" : "192.0.2.4");
        CHECK_INT(try_from(bench, names[i], "horse-battery", "192.0.2.5").outcome, SIGN_IN_LOCKED);
    }
    RUN(bench, "UPDATE sign_in_failures SET ends_at = 1");
    CHECK_INT(try(bench, "old", "horse-battery").outcome, SIGN_IN_ACCEPTED);
}

ON_BOTH(the_first_password_ends_with_an_own_one)
{
    struct result result = try(bench, "Admin", "the first one");
    bool first_run = false;

    CHECK_INT(result.outcome, SIGN_IN_ACCEPTED);
    for (int area = 0; area < AREA__MAX; area++)
        CHECK_INT(person_role(&result.person, (enum account_area)area), ACCOUNT_ADMIN);
    CHECK_OK(sign_in_is_first_run(&bench->call, &administrator, &first_run));
    CHECK(first_run);
    CHECK_OK(bench_set_password(bench, result.person.id, "one of my own", NULL));
    CHECK_INT(try(bench, "admin", "the first one").outcome, SIGN_IN_REFUSED);
    CHECK_INT(try(bench, "admin", "one of my own").outcome, SIGN_IN_ACCEPTED);
    CHECK_OK(sign_in_is_first_run(&bench->call, &administrator, &first_run));
    CHECK(!first_run);
}

ON_BOTH(the_development_pair_counts_where_it_may)
{
    struct accounts_administrator here = administrator;
    const struct sign_in_rules local = {&here, 100, 900};
    static const struct {
        bool may_develop, is_local;
        enum sign_in_outcome outcome;
    } cases[] = {{false, true, SIGN_IN_REFUSED},
                 {true, false, SIGN_IN_REFUSED},
                 {true, true, SIGN_IN_ACCEPTED}};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct sign_in_attempt attempt = {"admin", "admin", "::1", cases[i].is_local};
        enum sign_in_outcome outcome;
        struct person person;
        int64_t retry_after;

        here.may_develop = cases[i].may_develop;
        CHECK_OK(sign_in_check(&bench->call, &local, &attempt, &outcome, &person, &retry_after));
        CHECK_INT(outcome, cases[i].outcome);
    }
}

ON_BOTH(the_hash_of_the_settings_counts_before_an_own_password)
{
    struct accounts_administrator set = {
        .username = "Root", .password_hash = BCRYPT, .tenant = "acme"};
    const struct sign_in_rules by_settings = {&set, 100, 900};
    const struct sign_in_attempt attempt = {"root", "horse-battery", "::1", true};
    struct person person = bench_person(bench, "root", "support=viewer");
    enum sign_in_outcome outcome;
    int64_t retry_after;

    CHECK_OK(bench_set_password(bench, person.id, "one of my own", NULL));
    CHECK_OK(sign_in_check(&bench->call, &by_settings, &attempt, &outcome, &person, &retry_after));
    CHECK_INT(outcome, SIGN_IN_ACCEPTED);
    CHECK_INT(person_role(&person, AREA_SUITE), ACCOUNT_ADMIN);
    CHECK(sign_in_is_by_settings(&set, &person, bench->arena));
    CHECK(!sign_in_is_by_settings(&administrator, &person, bench->arena));
    CHECK_OK(person_find(&bench->call, "root", &person));
    CHECK_INT(person_role(&person, AREA_DATA), ACCOUNT_ADMIN);
}

static struct invitation invite(struct bench *bench, const char **secret)
{
    static const struct person_roles roles = PERSON_ROLES_NONE;
    struct invitation invitation = {.email = "maria@example.com",
                                    .tenant = "shop",
                                    .roles = &roles,
                                    .invited_by = "admin",
                                    .expires_at = clock_unix_microseconds() + 1000000000};

    CHECK_OK(invitation_add(&bench->call, &invitation, secret));
    return invitation;
}

ON_BOTH(an_invitation_is_used_once)
{
    const char *secret = "";
    struct acceptance acceptance;
    struct person person;
    struct object_list list;

    (void)invite(bench, &secret);
    acceptance = (struct acceptance){secret, "maria", "short", NULL};
    CHECK_FAILS(invitation_accept(&bench->call, &acceptance, &person), ERROR_INVALID,
                "password_too_short");
    acceptance.password = "a long password";
    acceptance.username = "no name";
    CHECK_FAILS(invitation_accept(&bench->call, &acceptance, &person), ERROR_INVALID,
                "person_invalid");
    acceptance.username = "maria";
    CHECK_OK(invitation_accept(&bench->call, &acceptance, &person));
    CHECK_TEXT(person.tenant, "shop");
    CHECK_FAILS(invitation_accept(&bench->call, &acceptance, &person), ERROR_NOT_FOUND,
                "invitation_unknown");
    CHECK_OK(invitation_list(&bench->call, &list));
    CHECK_INT(list.count, 0);
    CHECK_INT(try(bench, "maria", "a long password").outcome, SIGN_IN_ACCEPTED);
}

ON_BOTH(users_of_support_are_copied_without_those_whose_names_are_taken)
{
    int64_t copied = -1, skipped = -1;
    struct person person;

    CHECK_OK(accounts_copy_users(&bench->call, bench->call.db, &copied, &skipped));
    CHECK_INT(copied, 0); /* there is no such table */
    RUN(bench, "CREATE TABLE users (id TEXT, username TEXT, password_hash TEXT, role TEXT,"
               " is_active {boolean}, tenant_id TEXT, sso_provider TEXT, sso_subject_id TEXT,"
               " created_at TEXT)");
    RUN(bench, "INSERT INTO users VALUES ('1', 'Olga', '" BCRYPT "', 'reviewer', 1, 'acme', NULL,"
               " NULL, '2026-01-02T03:04:05+00:00'), ('2', 'TAKEN', 'x', 'admin', 1, 'default',"
               " NULL, NULL, '2026-01-02'), ('3', 'odd', 'x', 'superuser', 0, 'default', 'azure',"
               " 's', 'no time')");
    bench_person(bench, "taken", "support=viewer");
    CHECK_OK(accounts_copy_users(&bench->call, bench->call.db, &copied, &skipped));
    CHECK_INT(copied, 2);
    CHECK_INT(skipped, 1);
    CHECK_OK(person_read(&bench->call, "1", &person));
    CHECK_INT(person_role(&person, AREA_SUPPORT), ACCOUNT_REVIEWER);
    CHECK_INT(person.created_at, INT64_C(1767323045000000));
    CHECK_OK(person_read(&bench->call, "3", &person));
    CHECK(!person.is_active);
    CHECK_INT(roles_get(person.roles, AREA_SUPPORT), ACCOUNT_VIEWER);
    CHECK_INT(try(bench, "olga", "horse-battery").outcome, SIGN_IN_ACCEPTED);
    CHECK_OK(accounts_copy_users(&bench->call, bench->call.db, &copied, &skipped));
    CHECK_INT(copied, 0);
}

ON_BOTH(the_audit_log_is_read_from_its_end)
{
    struct object_list events;
    const struct account_event *event;

    for (int i = 0; i < 3; i++)
        account_audit_note(&bench->call,
                           &(struct account_event){.actor = "admin",
                                                   .action = "test",
                                                   .resource = arena_print(bench->arena, "%d", i)});
    CHECK_OK(account_audit_list(&bench->call, 2, &events));
    CHECK_INT(events.count, 2);
    event = events.items;
    CHECK_TEXT(event[0].resource, "2");
    CHECK_TEXT(event[1].resource, "1");
    CHECK(event[0].ts > 0 && !event[0].ip_address);
}

ON_BOTH(the_audit_log_ends_after_its_days)
{
    struct object_list events;

    account_audit_note(&bench->call,
                       &(struct account_event){.actor = "old", .action = "test", .resource = ""});
    RUN(bench, "UPDATE audit_log SET ts = ts - 864000000000"); /* ten days */
    account_audit_note(&bench->call,
                       &(struct account_event){.actor = "new", .action = "test", .resource = ""});
    CHECK_OK(account_audit_purge(&bench->call, 0));
    CHECK_OK(account_audit_purge(&bench->call, 11));
    CHECK_OK(account_audit_list(&bench->call, 5, &events));
    CHECK_INT(events.count, 2);
    CHECK_OK(account_audit_purge(&bench->call, 9));
    CHECK_OK(account_audit_list(&bench->call, 5, &events));
    CHECK_INT(events.count, 1);
    CHECK_TEXT(((const struct account_event *)events.items)->actor, "new");
}

/* What may be half-done. */
enum change { ADD, CHANGE, SET_PASSWORD, START_SESSION, ADD_TOKEN, ACCEPT, CHANGE__MAX };

static enum error do_change(struct bench *bench, enum change change, struct person *person,
                            const char *secret)
{
    const struct new_person wanted = {
        .username = "new", .source = "local", .roles = PERSON_ROLES_NONE};
    const struct acceptance acceptance = {secret, "invited", "a long password", NULL};
    const struct session_terms terms = {person->id, "password", 60, 60, NULL, NULL};
    const struct new_token token_wanted = {.person_id = person->id, .name = "t"};
    struct person_session session;
    struct personal_token token;
    struct person added;
    const char *text;

    person->is_active = false;
    switch (change) {
    case ADD:
        return person_add(&bench->call, &wanted, &added);
    case CHANGE:
        return bench_replace(bench, person);
    case SET_PASSWORD:
        return bench_set_password(bench, person->id, "a long password", NULL);
    case START_SESSION:
        return session_start(&bench->call, &terms, &session, &text);
    case ADD_TOKEN:
        return personal_token_add(&bench->call, &token_wanted, &token, &text);
    default:
        return invitation_accept(&bench->call, &acceptance, &added);
    }
}

/* Everything that a change may touch, as one number. */
static int64_t fingerprint(struct bench *bench)
{
    static const struct statement statement = {
        "fingerprint", "SELECT CAST((SELECT count(*) FROM people) + 100 * (SELECT count(*) FROM"
                       " people WHERE is_active = 1) + 10000 * (SELECT count(*) FROM people WHERE"
                       " password_hash IS NOT NULL) + 1000000 * (SELECT count(*) FROM sessions)"
                       " + 100000000 * (SELECT count(*) FROM personal_tokens) + 10000000000 *"
                       " (SELECT count(*) FROM invitations) AS BIGINT)"};
    struct query *query = db_query(bench->call.db, &statement);
    int64_t value = query_next(query) ? query_integer(query, 0) : -1;

    CHECK_OK(query_end(query, &bench->problem));
    return value;
}

ON_BOTH(a_change_is_whole_or_not_at_all)
{
    for (enum change change = ADD; change < CHANGE__MAX; change++) {
        struct person person =
            bench_person(bench, arena_print(bench->arena, "person%d", (int)change), "");
        struct person_session session;
        const struct session_terms terms = {person.id, "password", 60, 60, NULL, NULL};
        enum error error = ERROR_UNAVAILABLE;
        const char *secret, *token;
        int64_t before;
        int step;

        (void)invite(bench, &secret);
        CHECK_OK(session_start(&bench->call, &terms, &session, &token));
        before = fingerprint(bench);
        for (step = 1; error && step < 40; step++) {
            struct person own = person;

            db_fail_after(bench->call.db, step);
            error = do_change(bench, change, &own, secret);
            db_fail_after(bench->call.db, 0);
            CHECK(!error == (fingerprint(bench) != before));
        }
        CHECK(step > 3 && step < 40);
    }
}

TEST_MAIN(CASE(passwords_of_both_kinds_count), CASE(whoever_is_switched_off_is_refused),
          CASE(failures_lock_a_name_whether_or_not_it_exists),
          CASE(the_first_password_ends_with_an_own_one),
          CASE(the_development_pair_counts_where_it_may),
          CASE(the_hash_of_the_settings_counts_before_an_own_password),
          CASE(an_invitation_is_used_once),
          CASE(users_of_support_are_copied_without_those_whose_names_are_taken),
          CASE(the_audit_log_is_read_from_its_end), CASE(the_audit_log_ends_after_its_days),
          CASE(a_change_is_whole_or_not_at_all))
