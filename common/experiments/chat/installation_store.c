/* SQL of installations on the chat platform, and of receipts. */
#include "experiments/chat/installation_store.h"

#include "base/clock.h"
#include "base/log.h"
#include "crypto/seal.h"
#include "db/query.h"
#include "experiments/audit/audit_store.h"

#include <string.h>

/* Longer than any call can be repeated: a signed call is valid for an hour at most, the platform
 * repeats events for less than a day. */
static const int64_t receipt_us = 86400 * (int64_t)1000000;

static const int64_t event_step_us = 60 * (int64_t)1000000;

static const struct statement put_one = {
    .name = "installation_put",
    .sql = "INSERT INTO chatapp_installations (team_id, team_name, bot_token, user_token,"
           " installed_at, updated_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (team_id) DO UPDATE"
           " SET team_name = excluded.team_name, bot_token = excluded.bot_token,"
           " user_token = excluded.user_token, updated_at = excluded.updated_at",
};
#define COLUMNS                                                                                    \
    "SELECT team_id, team_name, bot_token, user_token, installed_at, updated_at, last_event_at"    \
    " FROM chatapp_installations"
static const struct statement read_of_team = {
    .name = "installation_of_team",
    .sql = COLUMNS " WHERE team_id = ?",
};
static const struct statement read_newest = {
    .name = "installation_newest",
    .sql = COLUMNS " ORDER BY updated_at DESC LIMIT 1",
};
static const struct statement delete_one = {
    .name = "installation_delete",
    .sql = "DELETE FROM chatapp_installations WHERE team_id = ?",
};
static const struct statement find_unnoted = {
    .name = "installation_unnoted",
    .sql = "SELECT 1 FROM chatapp_installations WHERE team_id = ?"
           " AND (last_event_at IS NULL OR last_event_at < ?)",
};
static const struct statement note_event = {
    .name = "installation_note_event",
    .sql = "UPDATE chatapp_installations SET last_event_at = ? WHERE team_id = ?",
};
static const struct statement forget_receipts = {
    .name = "receipts_forget",
    .sql = "DELETE FROM chatapp_receipts WHERE received_at < ?",
};
static const struct statement take_receipt = {
    .name = "receipt_take",
    .sql = "INSERT INTO chatapp_receipts (id, received_at) VALUES (?, ?)"
           " ON CONFLICT (id) DO NOTHING",
};

#define OWNER struct installation
static const struct field installation_fields[] = {
    STRING(OWNER, team_id),
    STRING(OWNER, team_name),
    STRING(OWNER, bot_token, .secret = true),
    STRING(OWNER, user_token, .nullable = true, .secret = true),
    STRING(OWNER, installed_at),
    STRING(OWNER, updated_at),
    STRING(OWNER, last_event_at, .nullable = true),
};
#undef OWNER
static SCHEMA(installation_schema, struct installation, "ChatInstallation", installation_fields);

static const char purpose[] = "assay experiments chatapp_installations";

static const char *associated_data(struct arena *arena, const char *column, const char *team_id)
{
    return arena_print(arena, "%s of %s", column, team_id);
}

static const char *seal(struct arena *arena, const char *secret, const char *column,
                        const char *team_id, const char *token)
{
    unsigned char key[SEAL_KEY_BYTES];

    if (!token)
        return NULL;
    seal_key(secret, purpose, key);
    return seal_close(arena, key, associated_data(arena, column, team_id), token);
}

static const char *unseal(struct arena *arena, const char *secret, const char *column,
                          const char *team_id, const char *sealed)
{
    unsigned char key[SEAL_KEY_BYTES];

    if (!sealed || !secret)
        return NULL;
    seal_key(secret, purpose, key);
    return seal_open(arena, key, associated_data(arena, column, team_id), sealed);
}

enum error receipt_take(struct db *db, const char *id, bool *is_new, struct problem *problem)
{
    int64_t now = clock_unix_microseconds();
    struct query *query = db_query(db, &forget_receipts);
    enum error error;

    query_bind_integer(query, now - receipt_us);
    error = query_end(query, problem);
    if (error)
        return error;
    query = db_query(db, &take_receipt);
    query_bind_text(query, id);
    query_bind_integer(query, now);
    *is_new = query_changes(query) > 0;
    return query_end(query, problem);
}

static enum error insert(const struct key_call *call, const char *secret,
                         const struct installation *new)
{
    struct query *query = db_query(call->db, &put_one);
    const char *now = store_now(call->arena);

    query_bind_text(query, new->team_id);
    query_bind_text(query, new->team_name);
    query_bind_text(query, seal(call->arena, secret, "bot_token", new->team_id, new->bot_token));
    query_bind_text(query, seal(call->arena, secret, "user_token", new->team_id, new->user_token));
    query_bind_text(query, now);
    query_bind_text(query, now);
    return query_end(query, call->problem);
}

static enum error record(const struct key_call *call, const char *action)
{
    return audit_record(call->db, call->arena, call->actor, &(struct audit_event){.action = action},
                        call->problem);
}

enum error installation_put(const struct key_call *call, const char *secret,
                            const struct installation *installation)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = insert(call, secret, installation);
    if (!error)
        error = record(call, "chatapp.install");
    return db_finish(call->db, error, call->problem);
}

static enum error read_one(const struct key_call *call, const char *secret, const char *team_id,
                           struct installation *row, bool *found)
{
    struct query *query = db_query(call->db, team_id ? &read_of_team : &read_newest);
    struct arena *arena = call->arena;

    if (team_id)
        query_bind_text(query, team_id);
    *found = query_next(query);
    if (*found) {
        *row = (struct installation){0};
        query_read(query, &installation_schema, row, arena);
        row->bot_token = unseal(arena, secret, "bot_token", row->team_id, row->bot_token);
        row->user_token = unseal(arena, secret, "user_token", row->team_id, row->user_token);
    }
    return query_end(query, call->problem);
}

enum error installation_find(const struct key_call *call, const char *secret, const char *team_id,
                             struct installation *installation, bool *found)
{
    enum error error = ERROR_NONE;

    *found = false;
    if (team_id)
        error = read_one(call, secret, team_id, installation, found);
    return error || *found ? error : read_one(call, secret, NULL, installation, found);
}

void installation_note_event(struct db *db, struct arena *arena, const char *team_id)
{
    int64_t now = clock_unix_microseconds();
    struct problem problem = {0};
    char before[CLOCK_TEXT_MAX];
    struct query *query;
    bool unnoted;

    if (!team_id)
        return;
    clock_format(now - event_step_us, before);
    query = db_query(db, &find_unnoted);
    query_bind_text(query, team_id);
    query_bind_text(query, before);
    unnoted = query_next(query);
    if (query_end(query, &problem) || !unnoted)
        return;
    query = db_query(db, &note_event);
    query_bind_text(query, store_now(arena));
    query_bind_text(query, team_id);
    if (query_end(query, &problem))
        log_event(LOG_WARNING, "chat_event_not_noted", problem.text);
}

enum error installation_remove(const struct key_call *call, const char *team_id)
{
    struct query *query;
    int64_t removed;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    query = db_query(call->db, &delete_one);
    query_bind_text(query, team_id);
    removed = query_changes(query);
    error = query_end(query, call->problem);
    if (!error && removed)
        error = record(call, "chatapp.remove");
    return db_finish(call->db, error, call->problem);
}
