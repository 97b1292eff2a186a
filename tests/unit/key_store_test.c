/* Issued keys in the database, on both engines: only a hash is kept, and every change is whole. */
#include "crypto/digest.h"
#include "experiments/audit/audit_store.h"
#include "experiments/keys/key_store.h"
#include "storage_fixture.h"

static struct key_call call_of(struct bench *bench)
{
    return (struct key_call){bench->db, bench->arena, &bench->actor, &bench->problem};
}

static struct api_key issued(struct bench *bench, enum key_scope scope, const char **plaintext)
{
    const struct key_request request = {.name = "key", .scope = (int)scope};
    struct key_call call = call_of(bench);
    struct api_key key = {0};

    CHECK_OK(key_create(&call, &request, &key));
    *plaintext = key.plaintext_key;
    return key;
}

static bool opens(struct bench *bench, const char *token)
{
    struct api_key key;
    bool found = false;

    CHECK_OK(key_find(bench->db, bench->arena, token, &key, &found, &bench->problem));
    return found;
}

/* The stored hash of the only key. */
static const char *stored_hash(struct bench *bench)
{
    static const struct statement statement = {"hash", "SELECT key_hash FROM api_keys"};
    struct query *query = db_query(bench->db, &statement);
    const char *hash = query_next(query) ? query_text(query, 0, bench->arena) : "";

    CHECK_OK(query_end(query, &bench->problem));
    return hash;
}

static int64_t entries(struct bench *bench, const char *action, const char *key_id)
{
    const struct audit_filter filter = {.action = action, .key_id = key_id};
    struct object_list found;
    int64_t total = -1;

    CHECK_OK(audit_list(bench->db, bench->arena, &filter, 10, &found, &total, &bench->problem));
    CHECK_INT(total, found.count);
    return total;
}

ON_BOTH(a_key_opens_until_it_is_revoked)
{
    struct key_call call = call_of(bench);
    const char *plaintext = "", *first;
    struct api_key key = issued(bench, KEY_READ, &plaintext);

    CHECK_INT(strlen(plaintext), 47);
    CHECK(strncmp(plaintext, "abk_", 4) == 0);
    CHECK_INT(
        strspn(plaintext + 4, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
        43);
    CHECK(opens(bench, plaintext));
    CHECK(!opens(bench, "abk_") && !opens(bench, "") && !opens(bench, plaintext + 1));
    CHECK(!opens(bench, key.id) && !opens(bench, stored_hash(bench)));
    CHECK_FAILS(key_delete(&call, key.id), ERROR_CONFLICT, "api_key_not_revoked");
    CHECK_OK(key_revoke(&call, key.id, &key));
    CHECK(!opens(bench, plaintext));
    first = key.revoked_at;
    CHECK_OK(key_revoke(&call, key.id, &key));
    CHECK_TEXT(key.revoked_at, first);
    CHECK_OK(key_delete(&call, key.id));
    CHECK_FAILS(key_delete(&call, key.id), ERROR_NOT_FOUND, "not_found");
    CHECK_FAILS(key_revoke(&call, key.id, &key), ERROR_NOT_FOUND, "not_found");
    CHECK_INT(entries(bench, "api_key_created", key.id), 1);
    CHECK_INT(entries(bench, "api_key_revoked", key.id), 2);
    CHECK_INT(entries(bench, "api_key_deleted", key.id), 1);
    bench_check_totals(bench);
}

/* SHA-256 of the whole text, in hexadecimal; the first one by `printf abk_test-key | sha256sum`. */
ON_BOTH(only_the_hash_is_kept)
{
    char hash[DIGEST_SHA256_TEXT];
    const char *plaintext = "";

    digest_sha256_hex("abk_test-key", 12, hash);
    CHECK_TEXT(hash, "9ef5e34e21d0cc52a2d128dfda5e87029d4bee49f79841ab1bb916e670a12255");
    (void)issued(bench, KEY_WRITE, &plaintext);
    digest_sha256_hex(plaintext, strlen(plaintext), hash);
    CHECK_TEXT(stored_hash(bench), hash);
    CHECK_INT(COUNT_OF_ROWS(bench, "api_keys WHERE name LIKE '%abk_%' OR id LIKE '%abk_%'"), 0);
}

ON_BOTH(ids_that_are_none_are_not_found)
{
    static const char *const ids[] = {"", "x", "\xff", "00000000-0000-4000-8000-000000000000"};
    struct key_call call = call_of(bench);
    struct api_key key;

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        CHECK_FAILS(key_revoke(&call, ids[i], &key), ERROR_NOT_FOUND, "not_found");
        CHECK_FAILS(key_delete(&call, ids[i]), ERROR_NOT_FOUND, "not_found");
    }
    CHECK_INT(COUNT_OF_ROWS(bench, "audit_log"), 0);
}

ON_BOTH(the_census_knows_what_there_is)
{
    struct key_call call = call_of(bench);
    struct key_census census;
    const char *plaintext;
    struct api_key read, write;

    CHECK_OK(key_census(bench->db, &census, &bench->problem));
    CHECK(!census.any && !census.any_active && !census.any_active_write);
    read = issued(bench, KEY_READ, &plaintext);
    CHECK_OK(key_census(bench->db, &census, &bench->problem));
    CHECK(census.any && census.any_active && !census.any_active_write);
    write = issued(bench, KEY_WRITE, &plaintext);
    CHECK_OK(key_census(bench->db, &census, &bench->problem));
    CHECK(census.any && census.any_active && census.any_active_write);
    CHECK_OK(key_revoke(&call, write.id, &write));
    CHECK_OK(key_revoke(&call, read.id, &read));
    CHECK_OK(key_census(bench->db, &census, &bench->problem));
    CHECK(census.any && !census.any_active && !census.any_active_write);
}

ON_BOTH(unknown_scopes_write)
{
    const char *plaintext = "";
    struct api_key key = issued(bench, KEY_READ, &plaintext);
    bool found;

    RUN(bench, "UPDATE api_keys SET scope = 'something'");
    CHECK_OK(key_find(bench->db, bench->arena, plaintext, &key, &found, &bench->problem));
    CHECK(found);
    CHECK_INT(key.scope, KEY_WRITE);
}

ON_BOTH(use_is_told_each_time_and_stamped_once_a_minute)
{
    struct key_call call = call_of(bench);
    const char *plaintext;
    struct api_key key = issued(bench, KEY_READ, &plaintext);
    struct object_list keys;
    const char *stamp;

    CHECK(!key.last_used_at);
    CHECK_OK(key_note_use(&call, key.id));
    CHECK_OK(key_list(&call, &keys));
    stamp = ((const struct api_key *)keys.items)->last_used_at;
    CHECK(stamp);
    CHECK_OK(key_note_use(&call, key.id));
    CHECK_OK(key_list(&call, &keys));
    CHECK_TEXT(((const struct api_key *)keys.items)->last_used_at, stamp);
    RUN(bench, "UPDATE api_keys SET last_used_at = '2020-01-01T00:00:00.000000+00:00'");
    CHECK_OK(key_note_use(&call, key.id));
    CHECK_OK(key_list(&call, &keys));
    CHECK(strcmp(((const struct api_key *)keys.items)->last_used_at, stamp) > 0);
    CHECK_INT(entries(bench, "api_key_used", key.id), 3);
    CHECK_INT(entries(bench, "api_key_used", NULL), 3);
    bench_check_totals(bench);
}

ON_BOTH(lists_are_newest_first)
{
    struct key_call call = call_of(bench);
    const char *plaintext;
    struct object_list keys;
    const struct api_key *items;

    for (int i = 0; i < 6; i++)
        (void)issued(bench, KEY_READ, &plaintext);
    RUN(bench, "UPDATE api_keys SET created_at = '2026-01-01T00:00:00.000000+00:00'");
    (void)issued(bench, KEY_WRITE, &plaintext);
    CHECK_OK(key_list(&call, &keys));
    items = keys.items;
    CHECK_INT(keys.count, 7);
    CHECK_INT(items[0].scope, KEY_WRITE);
    for (size_t i = 2; i < keys.count; i++)
        CHECK(strcmp(items[i - 1].id, items[i].id) > 0);
}

ON_BOTH(old_scopes_are_normalised_once)
{
    const char *plaintext;
    struct api_key one = issued(bench, KEY_READ, &plaintext),
                   two = issued(bench, KEY_READ, &plaintext);

    (void)two;
    RUN(bench, "UPDATE api_keys SET scope = 'admin'");
    for (int i = 0; i < 3; i++) {
        CHECK_OK(key_normalise_scopes(bench->db, &bench->problem));
        CHECK_INT(entries(bench, "api_key_scope_normalized", NULL), 2);
    }
    CHECK_INT(entries(bench, "api_key_scope_normalized", one.id), 1);
    CHECK_INT(COUNT_OF_ROWS(bench, "api_keys WHERE scope = 'write'"), 2);
    CHECK_INT(COUNT_OF_ROWS(bench, "audit_log WHERE actor = 'system:schema_migration'"
                                   " AND request_id IS NULL AND ip_address IS NULL"),
              2);
    bench_check_totals(bench);
}

/* Several processes at once, each of which finds them to be normalised: one entry for each key. */
ON_BOTH(normalising_at_once_is_told_once)
{
    const char *plaintext;
    pid_t children[4];
    int status;

    for (int i = 0; i < 40; i++)
        (void)issued(bench, KEY_READ, &plaintext);
    RUN(bench, "UPDATE api_keys SET scope = 'admin'");
    RUN(bench, "DELETE FROM schema_backfills");
    db_disconnect(bench->db);
    fflush(stdout);
    for (int i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            struct db *db;

            store_close(bench_open(bench, &db)); /* normalises, as the first use of old data does */
            _exit(0);
        }
    }
    for (int i = 0; i < 4; i++) {
        waitpid(children[i], &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK_INT(COUNT_OF_ROWS(bench, "audit_log WHERE action = 'api_key_scope_normalized'"), 40);
    bench_check_totals(bench);
}

enum change { CREATE, REVOKE, DELETE, USE, NORMALISE, CHANGE__MAX };

static enum error do_change(struct bench *bench, enum change change, const char *id)
{
    const struct key_request request = {.name = "more", .scope = KEY_READ};
    struct key_call call = call_of(bench);
    struct api_key key;

    switch (change) {
    case CREATE:
        return key_create(&call, &request, &key);
    case REVOKE:
        return key_revoke(&call, id, &key);
    case DELETE:
        return key_delete(&call, id);
    case USE:
        return key_note_use(&call, id);
    default:
        return key_normalise_scopes(bench->db, &bench->problem);
    }
}

static int64_t fingerprint(struct bench *bench)
{
    static const struct statement sum = {
        "sum",
        "SELECT CAST((SELECT 1000 * count(*) + 100 * count(revoked_at) + 10 * count(last_used_at)"
        " + sum(length(scope)) FROM api_keys) + (SELECT 100000 * count(*) FROM audit_log)"
        " + (SELECT 1000000 * sum(entries) FROM audit_totals) AS BIGINT)"};

    return bench_integer(bench, &sum);
}

/* The n-th step of each change fails, for every n: then nothing has changed. */
ON_BOTH(a_change_is_whole_or_not_at_all)
{
    for (enum change change = CREATE; change < CHANGE__MAX; change++) {
        struct key_call call = call_of(bench);
        const char *plaintext;
        struct api_key key = issued(bench, KEY_READ, &plaintext);
        enum error error = ERROR_UNAVAILABLE;
        int64_t before;
        int step;

        if (change == DELETE)
            CHECK_OK(key_revoke(&call, key.id, &key));
        if (change == NORMALISE)
            RUN(bench, "UPDATE api_keys SET scope = 'admin'");
        before = fingerprint(bench);
        for (step = 1; error && step < 60; step++) {
            db_fail_after(bench->db, step);
            error = do_change(bench, change, key.id);
            db_fail_after(bench->db, 0);
            CHECK(!error == (fingerprint(bench) != before));
            bench_check_totals(bench);
        }
        CHECK(step > 4 && step < 60);
    }
}

TEST_MAIN(CASE(a_key_opens_until_it_is_revoked), CASE(only_the_hash_is_kept),
          CASE(ids_that_are_none_are_not_found), CASE(the_census_knows_what_there_is),
          CASE(unknown_scopes_write), CASE(use_is_told_each_time_and_stamped_once_a_minute),
          CASE(lists_are_newest_first), CASE(old_scopes_are_normalised_once),
          CASE(normalising_at_once_is_told_once), CASE(a_change_is_whole_or_not_at_all))
