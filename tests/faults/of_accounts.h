/* What the fault walk has to know of the accounts service; tests/faults/walk.c includes it. */
#ifndef ASSAY_OF_ACCOUNTS_H
#define ASSAY_OF_ACCOUNTS_H

#include "counts.h"

#include "accounts/service.h"
#include "crypto/digest.h"
#include "db/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The personal token of an administrator, whom make_room() keeps. */
#define TOKEN "assay_0123456789012345678901234567890123456789012"

static const char *const walk_settings[][2] = {
    {"ASSAY_SIGN_IN_RATE_PER_MINUTE", "1000000"},
};

static enum error walk_database(struct request *request, struct db **db)
{
    struct accounts_call call;
    enum error error = service_call(request, &call);

    *db = call.db;
    return error;
}
#define WALK_DATABASE walk_database
/* When a token was used last. */
#define WALK_ANSWERS_VARY true

static const char *token_of(const struct route *route)
{
    (void)route;
    return TOKEN;
}

static const char *query_of(const struct route *route)
{
    return strcmp(route->path, "/api/invitations/accept") == 0 ? "token=invitation-of-the-walk"
                                                               : "";
}
#define WALK_QUERY query_of

/* Each person has another name, and none a password: hashing one takes a tenth of a second. */
static const char *body_of(const struct route *route)
{
    static char text[256];
    static unsigned number;

    if (strcmp(route->path, "/api/people") != 0 || route->method != METHOD_POST)
        return route->body ? route->body->example : NULL;
    snprintf(text, sizeof text, "{\"username\":\"walk%u\",\"roles\":{\"support\":\"agent\"}}",
             ++number);
    return text;
}

static bool is_envelope(const struct route *route, int status, const json_t *document)
{
    (void)route, (void)status;
    return json_object_get(document, "detail") && json_object_get(document, "error_code") &&
           json_object_get(document, "request_id");
}

static const struct statement row_counts[] = {
    {"people", "SELECT count(*) FROM people"},
    {"people with roles", "SELECT count(*) FROM people WHERE roles ->> 'support' IS NOT NULL"},
    {"invitations", "SELECT count(*) FROM invitations"},
};

/* Those that want a session, which a walk does not show, a password, or a provider: their faults
 * are walked in tests/unit/accounts_test.c and tests/unit/sign_in_test.c. */
static bool is_left_out(const struct route *route)
{
    return (route->traits & (TRAIT_SESSION | TRAIT_PROVIDER)) ||
           (route->method != METHOD_GET &&
            (route->traits & TRAIT_GUESSES || strstr(route->path, "/password")));
}

static const struct statement room[] = {
    {"administrator",
     "INSERT INTO people (id, username, username_key, tenant, roles, is_active,"
     " must_change_password, source, created_at) VALUES ('walk', 'walk', 'walk', 'default',"
     " '{\"experiments\":null,\"support\":null,\"models\":null,\"data\":null,\"suite\":\"admin\"}',"
     " 1, 0, 'local', 1) ON CONFLICT DO NOTHING"},
    {"others", "DELETE FROM people WHERE id <> 'walk'"},
    {"other invitations", "DELETE FROM invitations"},
};
static const struct statement fill_token = {
    "token", "INSERT INTO personal_tokens (id, digest, person_id, name, prefix, read_only,"
             " created_at, last_used_at) VALUES ('walk', ?, 'walk', 'walk', 'assay_0', 0, 1,"
             " 9000000000000000) ON CONFLICT DO NOTHING"};
static const struct statement fill_invitation = {
    "invitation", "INSERT INTO invitations (id, digest, email, tenant, roles, invited_by,"
                  " created_at, expires_at) VALUES ('walk', ?, 'walk@example.com', 'default',"
                  " '{\"experiments\":null,\"support\":null,\"models\":null,\"data\":null,"
                  "\"suite\":null}', 'walk', 1, 9000000000000000)"};

static void fill_with_digest(struct db *db, const struct statement *statement, const char *secret)
{
    char digest[DIGEST_SHA256_TEXT];
    struct problem problem;
    struct query *query = db_query(db, statement);

    digest_sha256_hex(secret, strlen(secret), digest);
    query_bind_text(query, digest);
    if (query_end(query, &problem)) {
        printf("%s: %s\n", statement->name, problem.text);
        exit(2);
    }
}

static void make_room(struct db *db)
{
    do_all(db, room, sizeof room / sizeof room[0]);
    fill_with_digest(db, &fill_token, TOKEN);
    fill_with_digest(db, &fill_invitation, "invitation-of-the-walk");
}

static const struct {
    enum method method;
    const char *path;
    const char *action;
} preparations[] = {{METHOD_GET, "", ""}}; /* no route needs any */

#endif
