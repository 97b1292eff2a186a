/* What the fault walk has to know of the accounts service; tests/faults/walk.c includes it. */
#ifndef ASSAY_OF_ACCOUNTS_H
#define ASSAY_OF_ACCOUNTS_H

#include "counts.h"

#include "accounts/service.h"
#include "db/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SESSION "session-of-the-fault-walk"
/* SHA-256 of the line above, and of "invitation-of-the-fault-walk" */
#define SESSION_DIGEST "b16cc4424d93238eba12194138fc9ec6d90e4c56bea4887e35ac05d8bc29d2a5"
#define INVITATION_DIGEST "ae103bbc77c8a051a93b6829e9f970b2ed9dddac24d760b4e54c355461ecba81"

/* A refresh token, and SHA-256 of its first half and of all of it */
#define REFRESH_TOKEN "assay_rt_walk.walk"
#define FAMILY_DIGEST "ed39c9f602a4654b6bc9583f48cf05a38888eae75fc6498fe33cc0a6bcebc79c"
#define REFRESH_DIGEST "2c421eedb6bafcc33a83573e9d84e85dc0c80c4c8545edabcee88c9b18c5705e"

static const char *const walk_settings[][2] = {
    {"ADMIN_USERNAME", "nobody"},
    {"ASSAY_SIGN_IN_RATE_PER_MINUTE", "1000000"},
    {"ASSAY_OAUTH_RATE_PER_MINUTE", "1000000"},
};

/* A browser below the portal, which shows the session of an administrator. */
static const char *variable(const char *name)
{
    static const struct {
        const char *name, *value;
    } variables[] = {{"HTTP_COOKIE", "assay_session=" SESSION},
                     {"HTTP_ORIGIN", "http://walk.example"},
                     {"SITE_ORIGIN", "http://walk.example"},
                     {"SITE_PREFIX", "/accounts"},
                     {"SITE_RESOURCES", "suite=http://walk.example/mcp"},
                     {"REQUEST_HOST", "walk.example"}};

    for (size_t i = 0; i < COUNT_OF(variables); i++)
        if (strcmp(name, variables[i].name) == 0)
            return variables[i].value;
    return NULL;
}
#define WALK_VARIABLE variable
/* With ids, times and secrets. */
#define WALK_ANSWERS_VARY true

static const char *token_of(const struct route *route)
{
    (void)route;
    return NULL;
}

static enum error walk_database(struct request *request, struct db **db)
{
    struct accounts_call call;
    enum error error = service_call(request, &call);

    *db = error ? NULL : call.db;
    return error;
}
#define WALK_DATABASE walk_database

#define QUESTION(equals, and, quote)                                                               \
    quote "client_id" equals "client" and "redirect_uri" equals "http://127.0.0.1/callback" and    \
        "response_type" equals "code" and "code_challenge_method" equals "S256" and                \
        "code_challenge" equals "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" and                  \
        "resource" equals "http://walk.example/mcp" quote

static const char *query_of(const struct route *route)
{
    if (strcmp(route->path, "/api/oauth/authorization") == 0 && route->method == METHOD_GET)
        return QUESTION("=", "&", "");
    return strcmp(route->path, "/api/invitations/accept") == 0 && route->method == METHOD_GET
               ? "token=invitation-of-the-fault-walk"
               : "";
}
#define WALK_QUERY query_of

static const char *place_of(const char *name)
{
    static const struct {
        const char *name, *id;
    } places[] = {{"session_id", "other-session"},
                  {"invitation_id", "invitation"},
                  {"grant_id", "grant"},
                  {"path", "mcp"}};

    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (strcmp(name, places[i].name) == 0)
            return places[i].id;
    return "00000000-0000-4000-8000-000000000000";
}
#define WALK_PLACE place_of

/* Another person each time: the same one again would be refused. */
static const char *body_of(const struct route *route)
{
    static char text[512];
    static unsigned number;

    number++;
    if (strcmp(route->path, "/api/session") == 0)
        return "{\"username\":\"walk\",\"password\":\"horse-battery\"}";
    if (strcmp(route->path, "/api/oauth/token") == 0)
        return "grant_type=refresh_token&client_id=client&refresh_token=" REFRESH_TOKEN;
    if (strcmp(route->path, "/api/oauth/revoke") == 0)
        return "client_id=client&token=" REFRESH_TOKEN;
    if (strcmp(route->path, "/api/oauth/authorization") == 0 && route->method == METHOD_POST)
        return "{" QUESTION("\":\"", "\",\"", "\"") ",\"allow\":true,\"write\":true}";
    if (strcmp(route->path, "/api/people") == 0)
        snprintf(text, sizeof text,
                 "{\"username\":\"new-%u\",\"email\":\"new@example.com\",\"roles\":"
                 "{\"support\":\"agent\"}}",
                 number);
    else if (strcmp(route->path, "/api/invitations/accept") == 0)
        snprintf(text, sizeof text,
                 "{\"token\":\"invitation-of-the-fault-walk\",\"username\":\"guest-%u\","
                 "\"password\":\"a long password\"}",
                 number);
    else
        return route->body ? route->body->example : NULL;
    return text;
}

#define WALK_TYPE(route)                                                                           \
    ((route)->takes ? (route)->takes : "application/json") /* forms of programs */

static bool is_envelope(const struct route *route, int status, const json_t *document)
{
    (void)route;
    (void)status;
    return json_object_get(document, "detail") && json_object_get(document, "error_code") &&
           json_object_get(document, "request_id");
}

/* A change is not refused because the audit log has no room for it. */
#define ROWS(table)                                                                                \
    {                                                                                              \
        "count_" table, "SELECT count(*) FROM " table                                              \
    }
static const struct statement row_counts[] = {
    ROWS("people"),
    ROWS("person_identities"),
    ROWS("sessions"),
    ROWS("personal_tokens"),
    ROWS("oauth_clients"),
    ROWS("oauth_grants"),
    ROWS("invitations"),
    {"reviewers", "SELECT count(*) FROM people WHERE roles ->> 'support' = 'reviewer'"},
    {"new passwords", "SELECT count(*) FROM people WHERE must_change_password = 1"},
};

/* Making a hash of a password takes a tenth of a second, every time. */
static bool is_left_out(const struct route *route)
{
    static const char *const paths[] = {"/api/password", "/api/people/{person_id}/password"};
    bool hashes =
        route->method == METHOD_POST && strcmp(route->path, "/api/invitations/accept") == 0;

    for (size_t i = 0; i < COUNT_OF(paths); i++)
        hashes |= strcmp(route->path, paths[i]) == 0;
    return hashes && !getenv("ASSAY_TEST_SOAK");
}

#define YEAR_2100 "4102444800000000"

/* What there is of everything, whatever a request has done to it. */
static void make_room(struct db *db)
{
    static const struct statement statements[] = {
        {"no_failures", "DELETE FROM sign_in_failures"},
        {"no_sessions", "DELETE FROM sessions"},
        {"no_tokens", "DELETE FROM personal_tokens"},
        {"no_grants", "DELETE FROM oauth_grants"},
        {"no_clients", "DELETE FROM oauth_clients"},
        {"no_invitations", "DELETE FROM invitations"},
        {"no_people", "DELETE FROM people"},
        {"person",
         "INSERT INTO people (id, username, username_key, tenant, roles, is_active, password_hash,"
         " must_change_password, source, created_at) VALUES ('person', 'walk', 'walk', 'default',"
         " '{\"suite\":\"admin\"}', 1,"
         " '$2b$04$a/JTRaL472eqv/gwsDrDi.BlG8oPV23JYpCQyRoTmu5R1SgYD73Lu', 0, 'local', 1)"},
        {"client",
         "INSERT INTO oauth_clients (id, name, redirect_uris, network, created_at, used_at) VALUES"
         " ('client', 'walk', '[\"http://127.0.0.1/callback\"]', 'walk', 1, " YEAR_2100 ")"},
        {"grant",
         "INSERT INTO oauth_grants (id, client_id, person_id, resource, bound_to, read_only,"
         " access_read_only, redirect_uri, code_challenge, code_digest, code_ends_at, created_at,"
         " ends_at, exchanged_at, access_ends_at, family_digest, refresh_digest, refresh_ends_at)"
         " VALUES ('grant', 'client', 'person', 'http://walk.example/mcp', 'suite', 0, 0,"
         " 'http://127.0.0.1/callback', 'x', 'x', 1, 1, " YEAR_2100 ", 1, 1, '" FAMILY_DIGEST
         "', '" REFRESH_DIGEST "', " YEAR_2100 ")"},
        {"session",
         "INSERT INTO sessions (id, digest, person_id, source, created_at, last_seen_at,"
         " idle_seconds, ends_at) VALUES ('session', '" SESSION_DIGEST "', 'person', 'password', 1,"
         " " YEAR_2100 ", 60, " YEAR_2100 ")"},
        {"other_session",
         "INSERT INTO sessions (id, digest, person_id, source, created_at, last_seen_at,"
         " idle_seconds, ends_at) VALUES ('other-session', 'x', 'person', 'oidc', 1, " YEAR_2100
         ", 60, " YEAR_2100 ")"},
        {"invitation",
         "INSERT INTO invitations (id, digest, email, tenant, roles, invited_by, created_at,"
         " expires_at) VALUES ('invitation', '" INVITATION_DIGEST "', 'guest@example.com',"
         " 'default', '{}', 'walk', 1, " YEAR_2100 ")"},
    };

    do_all(db, statements, COUNT_OF(statements));
}

/* What has to be done to a fresh object before the route can show what it does. */
static const struct {
    enum method method;
    const char *path;
    const char *action;                    /* posted below the object */
} preparations[] = {{METHOD_GET, "", ""}}; /* no route needs any */

#endif
