/* Describes a database for operators. */
#include "db/describe.h"
#include "base/json.h"
#include "db/query.h"

static const struct statement sqlite_facts = {.name = "sqlite_facts",
                                              .sql = "SELECT sqlite_version()"};
static const struct statement postgres_facts = {
    .name = "postgres_facts",
    .sql = "SELECT current_setting('server_version'), current_setting('fsync'),"
           " current_setting('full_page_writes'), current_setting('synchronous_commit'),"
           " current_setting('max_connections')",
};
static const char *const fact_names[] = {"version", "fsync", "full_page_writes",
                                         "synchronous_commit", "max_connections"};

/* Members of what the engine says of itself: its version and, of a server, its settings. */
static enum error write_facts(struct db *db, struct arena *arena, struct json_writer *writer,
                              struct problem *problem)
{
    bool on_server = db_engine(db) == DB_POSTGRES;
    struct query *query = db_query(db, on_server ? &postgres_facts : &sqlite_facts);

    if (query_next(query))
        for (int i = 0; i < (on_server ? 5 : 1); i++)
            writer_key_string(writer, fact_names[i], query_text(query, i, arena));
    return query_end(query, problem);
}

static void write_health(const struct db_health *health, struct json_writer *writer)
{
    writer_key_string(writer, "journal_mode", health->journal_mode);
    writer_key_boolean(writer, "journal_mode_as_configured", health->journal_mode_as_configured);
    writer_key_boolean(writer, "writable", health->writable);
    writer_key_string(writer, "detail", health->write_detail);
    writer_key_integer(writer, "size_bytes", health->size_bytes);
    writer_key_integer(writer, "disk_free_bytes", health->disk_free_bytes);
    writer_key_integer(writer, "pool_size", health->pool.size);
}

static enum error write_database(struct db *db, struct arena *arena, const struct db_schema *schema,
                                 struct json_writer *writer, struct problem *problem)
{
    struct db_schema_state state = {0};
    struct db_health health;
    enum error error = db_schema_state(db, schema, &state, problem);

    if (error)
        return error;
    db_health(db, &health);
    writer_open_object(writer);
    writer_key_string(writer, "engine", db_engine(db) == DB_POSTGRES ? "PostgreSQL" : "SQLite");
    error = write_facts(db, arena, writer, problem);
    writer_key_integer(writer, "schema", state.current);
    writer_key_integer(writer, "schema_required", state.required);
    writer_key_integer(writer, "pending", state.pending);
    write_health(&health, writer);
    writer_close_object(writer);
    return error;
}

enum error db_describe(struct arena *arena, const struct store_plan *plan, struct text *out,
                       struct problem *problem)
{
    struct json_writer writer;
    struct store *store;
    enum error error = store_open(arena, plan, &store, problem);

    if (error)
        return error;
    writer_start(&writer, out);
    error = write_database(store_handle(store), arena, store_schema(store), &writer, problem);
    store_close(store);
    return error;
}
