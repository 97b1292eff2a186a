/* Any password in database URLs that are right, misspelled or cut short: nothing of it is shown by
 * redaction, by an opened handle, or by a refusal. */
#include "fuzz.h"

#include "db/db.h"

#include <string.h>

enum { INPUT_MAX = 512, SHOWN_MAX = 2048 };

/* Both ends of the password, long enough to be no part of anything else. */
#define HEAD "Xsecret"
#define TAIL "ecretX"

static const char *const forms[] = {
    "postgresql://user:%s@host:5432/name", "postgres://:%s@host/name?sslmode=require",
    "postgresqll://user:%s@host/name",     "postgresql//user:%s@host/name",
    "postgresql:user:%s@host/name",        "postgres_ql://user:%s@host/name",
    "\"postgresql://user:%s@host/name\"",  "//user:%s@host/name",
    "postgresql://user:%s/name",           "postgresql://host/name?user=me&password=%s",
    "host=db user=me password=%s",
};

static void check_form(const char *form, const char *password)
{
    char url[2 * INPUT_MAX], shown[SHOWN_MAX];
    struct problem problem = {.text = ""};
    struct db *db = NULL;

    if (!strchr(form, '@') && strchr(password, '@'))
        return; /* what follows its `@` is the host */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(url, sizeof url, form, password);
#pragma GCC diagnostic pop
    if (!db_open(url, NULL, &db, &problem)) {
        snprintf(shown, sizeof shown, "%s %s", db_shown_target(db), db_location(db));
        db_close(db);
    } else {
        snprintf(shown, sizeof shown, "%s", problem.text);
    }
    PROMISE(!strstr(shown, HEAD) && !strstr(shown, TAIL), "a password is not shown");
    db_redact_text(url, shown, sizeof shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char password[INPUT_MAX + sizeof HEAD TAIL];

    /* `&key=` and `?key=` begin a parameter: what follows is no password any more. */
    if (size > INPUT_MAX - 64 || (size && (memchr(data, '=', size) || memchr(data, 0, size))))
        return 0;
    snprintf(password, sizeof password, HEAD "%.*s" TAIL, (int)size, (const char *)data);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        check_form(forms[i], password);
    return 0;
}
