/* Targets and their redaction: nothing that could be a credential is ever shown. */
#include "../db/fixture.h"

struct redaction {
    const char *given;
    const char *shown;
};

TEST(urls_are_shown_without_credentials)
{
    static const struct redaction cases[] = {
        /* the golden case of the platform contract: the password holds an @ */
        {"postgresql://ab_user:p@ss@db.internal:5432/ab_prod",
         "postgresql://***@db.internal:5432/ab_prod"},
        {"postgres://user@host/name", "postgres://***@host/name"},
        {"postgres://:secret@host/name", "postgres://***@host/name"},
        {"postgres://@host/name", "postgres://***@host/name"},
        {"postgresql://host/name", "postgresql://host/name"},
        {"postgresql:///name?host=/run/postgresql", "postgresql:///name?host=/run/postgresql"},
        {"postgresql://host/name?user=me&password=hush&sslmode=require",
         "postgresql://host/name?user=me&password=***&sslmode=require"},
        {"postgresql://host/name?PassWord=hush", "postgresql://host/name?PassWord=***"},
        {"postgresql://host/name?pwd=a&passwd=b&sslpassword=c&x=d",
         "postgresql://host/name?pwd=***&passwd=***&sslpassword=***&x=d"},
        {"postgresql://host/name?p%61ssword=hush", "postgresql://host/name?p%61ssword=***"},
        /* nobody can tell where these passwords end */
        {"postgresql://user:a/b@host/name", "***"},
        {"postgresql://user:a?b@host/name", "***"},
        {"postgresql://user:a#b@host/name", "***"},
        {"postgresql://user:x@y/z@host/name", "***"},
        {"postgresql://user:p@ss?word@host/name", "***"},
        {"postgresql://user:p@ss#word@host/name", "***"},
        {"postgresql://us:er/name?k=secret@host/x", "***"},
        {"postgresql://user:p@ss?k=secret@host/name", "***"},
        {"postgresql://host/name#user=secret@host", "***"},
        {"postgresql://user:secret/name", "***"},
        {"postgresql://user:1:secret/name", "***"},
        {"postgresql://a:1,b:secret/name", "***"},
        {"postgresql://user:secret:/word/name", "***"},
        {"postgresql://user:p@ss?user=word@host/name", "***"},
        {"postgresql://a:1,[::1],[::2]:3/name", "postgresql://a:1,[::1],[::2]:3/name"},
        {"postgresql://host/name?user=me@there&x=y", "postgresql://host/name?user=me@there&x=y"},
        {"postgresql://host/name?password=se&cret", "postgresql://host/name?password=***&***"},
        {"not a url with user:secret@host", "***"},
        {"://user:secret@host", "***"},
        {"plain/file.sqlite3", "plain/file.sqlite3"},
        {"sqlite:///var/lib/x.sqlite3", "sqlite:///var/lib/x.sqlite3"},
        {"postgresql://host/name#part", "postgresql://host/name#part"},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char shown[256];

        db_redact_url(cases[i].given, shown, sizeof shown);
        CHECK_TEXT(shown, cases[i].shown);
    }
}

TEST(texts_are_shown_without_credentials)
{
    static const struct redaction cases[] = {
        {"cannot reach postgresql://u:p@ss@host:1/x now",
         "cannot reach postgresql://***@host:1/x now"},
        {"two: a://b:c@d and e://f:g@h", "two: a://***@d and e://***@h"},
        {"password=hush user=me", "password=*** user=me"},
        {"PASSWORD='two words' host=x", "PASSWORD=*** host=x"},
        {"(pwd=a, passwd=b)", "(pwd=***, passwd=***)"},
        {"nopassword=shown", "nopassword=shown"},
        {"mail to me@example.org", "mail to me@example.org"},
        {"http://host/path has none", "http://host/path has none"},
        {"bad \"postgres://u:p/q@host\"", "bad \"postgres://***@host\""},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char shown[256];

        db_redact_text(cases[i].given, shown, sizeof shown);
        CHECK_TEXT(shown, cases[i].shown);
    }
}

TEST(redaction_fits_the_space)
{
    char shown[12];

    db_redact_url("postgresql://user:secret@host/name", shown, sizeof shown);
    CHECK_TEXT(shown, "postgresql:");
    db_redact_text("x password=secret", shown, sizeof shown);
    CHECK_TEXT(shown, "x password=");
}

/* The value of a connection parameter, or "(none)". */
static const char *parameter(const struct target *target, const char *keyword)
{
    for (int i = 0; i < target->keyword_count; i++) {
        if (strcmp(target->keywords[i], keyword) == 0)
            return target->values[i];
    }
    return "(none)";
}

TEST(postgres_urls_are_taken_apart)
{
    static const struct {
        const char *url, *user, *password, *host, *port, *name, *place;
    } cases[] = {
        {"postgresql://ab_user:p@ss@db.internal:5432/ab_prod", "ab_user", "p@ss", "db.internal",
         "5432", "ab_prod", "db.internal:5432"},
        {"POSTGRES://u:p%40s%2Fs%3A@h/n", "u", "p@s/s:", "h", "(none)", "n", "h"},
        {"postgres://u:a:b@h/n", "u", "a:b", "h", "(none)", "n", "h"},
        {"postgres://[::1]:6000/n", "(none)", "(none)", "::1", "6000", "n", "[::1]:6000"},
        {"postgres://[::1]/n", "(none)", "(none)", "::1", "(none)", "n", "[::1]"},
        {"postgres://a:1,b,[::2]:3/n", "(none)", "(none)", "a,b,::2", "1,,3", "n", "a:1,b,[::2]:3"},
        {"postgres:///n?host=/run/pg&user=x", "x", "(none)", "/run/pg", "(none)", "n", "/run/pg"},
        {"postgres://%2Frun%2Fpg/n", "(none)", "(none)", "/run/pg", "(none)", "n", "%2Frun%2Fpg"},
        {"postgres://u:100%@h/n", "u", "100%", "h", "(none)", "n", "h"},
    };
    struct arena *arena = arena_create(1 << 20);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct target target;
        struct problem problem = {0};

        CHECK_INT(target_parse(cases[i].url, arena, &target, &problem), ERROR_NONE);
        CHECK_INT(target.engine, DB_POSTGRES);
        CHECK_TEXT(parameter(&target, "user"), cases[i].user);
        CHECK_TEXT(parameter(&target, "password"), cases[i].password);
        CHECK_TEXT(parameter(&target, "host"), cases[i].host);
        CHECK_TEXT(parameter(&target, "port"), cases[i].port);
        CHECK_TEXT(parameter(&target, "dbname"), cases[i].name);
        CHECK_TEXT(target.location, cases[i].place);
    }
    arena_destroy(arena);
}

TEST(files_are_found_by_path_and_by_url)
{
    static const struct {
        const char *given, *path, *place;
    } cases[] = {
        {"sqlite:///var/lib/a.sqlite3", "/var/lib/a.sqlite3", "/var/lib"},
        {"sqlite:////var/lib/a.sqlite3", "/var/lib/a.sqlite3", "/var/lib"},
        {"sqlite:///a%20b", "/a b", "/"},
        {"/x/y", "/x/y", "/x"},
        {":memory:", ":memory:", ""},
        {"/a@b/c:d=e?f", "/a@b/c:d=e?f", "/a@b"},
    };
    struct arena *arena = arena_create(1 << 20);
    struct target target;
    struct problem problem = {0};
    char here[4096];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_INT(target_parse(cases[i].given, arena, &target, &problem), ERROR_NONE);
        CHECK_INT(target.engine, DB_SQLITE);
        CHECK_TEXT(target.path, cases[i].path);
        CHECK_TEXT(target.location, cases[i].place);
    }
    CHECK_INT(target_parse("data/x.sqlite3", arena, &target, &problem), ERROR_NONE);
    CHECK_TEXT(target.path, arena_print(arena, "%s/data/x.sqlite3", getcwd(here, sizeof here)));
    arena_destroy(arena);
}

TEST(other_targets_are_refused_without_quoting_them)
{
    static const char *const cases[] = {
        "mysql://u:secret@h/n",
        "postgresql+driver://u:secret@h/n",
        "postgres:/u:secret@h/n",
        "sqlite://relative.sqlite3",
        "sqlite://u:secret@/x",
        "sqlite:///x?password=secret",
        "sqlite:x",
        "sqlite://",
        "",
        "postgresql://u:sec/ret@h/n",
        "postgresql://u:secret@h/n?x",
        "postgres://u:sec%00ret@h/n",
        "/directory/",
        "postgres://u:secret@[::1/n",
        "file:secret.sqlite3",
        "postgresqll://user:secret@host/db",
        "postgresql//user:secret@host/db",
        "postgresql:user:secret@host/db",
        "postgres_ql://user:secret@host/db",
        "\"postgresql://user:secret@host/db\"",
        "//user:secret@host/db",
        "/postgresql://user:secret@host/db",
        "db.host:5432:user:secret",
        "user.name:secret@host",
        "host=db user=me password=secret",
        "postgresql://user:secret/db",
        "postgresql://user:hush@127.0.0.1:secret/name",
        "postgresql://user:a@secret?b@host/db",
        "postgresql://user:a@secret#b@host/db",
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct problem problem = {.text = ""};
        struct db *db = NULL;

        if (db_open(cases[i], NULL, &db, &problem) != ERROR_INVALID)
            printf("accepted: %s\n", cases[i]);
        CHECK(db == NULL);
        CHECK_INT(problem.error, ERROR_INVALID);
        CHECK_TEXT(problem.reason, "database_target");
        CHECK(!strstr(problem.text, "secret") && !strstr(problem.text, "ret@"));
    }
}

TEST(options_have_bounds)
{
    struct db_options good = DB_OPTIONS_DEFAULT, cases[13];
    size_t count = sizeof cases / sizeof cases[0];

    for (size_t i = 0; i < count; i++)
        cases[i] = good;
    cases[0].busy_timeout_ms = 0;
    cases[1].statement_timeout_ms = -1;
    cases[2].connect_timeout_ms = 0;
    cases[3].reconnect_first_ms = 0;
    cases[4].reconnect_most_ms = good.reconnect_first_ms - 1;
    cases[5].pool_size = 0;
    cases[6].pool_timeout_ms = -1;
    cases[7].journal_mode = DB_JOURNAL__MAX;
    cases[8].slow_transaction_ms = -1;
    cases[9].cache_kib = -1;
    cases[10].page_bytes = -1;
    cases[11].page_bytes = 1000;
    cases[12].page_bytes = 131072;
    for (size_t i = 0; i < count; i++) {
        struct problem problem = {.text = ""};
        struct db *db;

        CHECK_INT(db_open(":memory:", &cases[i], &db, &problem), ERROR_INVALID);
        CHECK_TEXT(problem.reason, "database_option");
    }
}

TEST(failed_connects_do_not_tell_credentials)
{
    static const char *const targets[] = {
        "postgresql://user:hu@sh@127.0.0.1:1/name",
        "postgresql://user:hush@127.0.0.1:1/name?sslmode=nonsense",
        "postgresql://user:hush@127.0.0.1:1/name?nonsense=1",
        "postgresql://127.0.0.1:1/name?password=hush",
        "postgresql://user:hush@no.such.host.invalid/name",
    };

    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        struct problem problem = {.text = ""};
        struct db_health health;
        struct db *db;

        CHECK_INT(db_open(targets[i], NULL, &db, &problem), ERROR_NONE);
        CHECK_INT(db_connect(db, &problem), ERROR_UNAVAILABLE);
        CHECK_TEXT(problem.reason, "database_unavailable");
        CHECK(!strstr(problem.text, "hush") && !strstr(problem.text, "hu@"));
        CHECK(strlen(problem.text) > 10);
        CHECK(!strstr(db_shown_target(db), "hush"));
        db_health(db, &health);
        CHECK(!health.reachable && !health.writable);
        CHECK(!strstr(health.detail, "hush") && !strstr(health.write_detail, "hush"));
        db_close(db);
    }
}

TEST_MAIN(CASE(urls_are_shown_without_credentials), CASE(texts_are_shown_without_credentials),
          CASE(redaction_fits_the_space), CASE(postgres_urls_are_taken_apart),
          CASE(files_are_found_by_path_and_by_url),
          CASE(other_targets_are_refused_without_quoting_them), CASE(options_have_bounds),
          CASE(failed_connects_do_not_tell_credentials))
