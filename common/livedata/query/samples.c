/* Samples of values. The constants here are parts of statements; between them stand names of the
 * catalog, and keys of letters and digits. */
#include "livedata/query/samples.h"

#include "base/string_list.h"
#include "livedata/sandbox/scope.h"
#include "livedata/tables/tables.h"

#include <string.h>

enum { SAMPLES_MAX = 40, VALUES_MAX = 200, TIMEOUT_MS = 300, KEY_MAX = 100 };

static const char key_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:";

static const char select_distinct[] = "SELECT DISTINCT ", from_rows[] = " FROM (SELECT ",
                  from_word[] = " FROM ", rows_most[] = " LIMIT 5000) AS sampled LIMIT 201";

struct value_samples {
    const struct storage_call *call;
    const struct catalog *catalog;
    const struct string_list *allowed;
    size_t count;
    struct {
        const struct table_column *column;
        struct string_list values;
    } items[SAMPLES_MAX];
};

struct value_samples *samples_make(const struct storage_call *call, const struct catalog *catalog,
                                   const struct string_list *allowed)
{
    struct value_samples *samples = ARENA_NEW(call->arena, struct value_samples);

    samples->call = call;
    samples->catalog = catalog;
    samples->allowed = allowed;
    return samples;
}

static enum error run(const struct value_samples *samples, const struct serving_table *table,
                      const struct text *sql, struct sandbox_answer *answer)
{
    const struct storage_call *call = samples->call;
    const struct scope scope = {.engine = db_engine(call->db),
                                .tenant = call->tenant,
                                .catalog = samples->catalog,
                                .tables = {1, (const char *[]){table->name}}};
    struct sandbox_rules rules = scope_rules(call->arena, &scope, TIMEOUT_MS, VALUES_MAX);
    struct problem own;
    const char *scoped = scope_sql(call->arena, &scope, sql->bytes, sql->length);

    if (!scoped || table_served(table, &own))
        return ERROR_UNAVAILABLE;
    return sandbox_query(call->db, call->arena, scoped, &rules, answer, &own);
}

static enum error read(const struct value_samples *samples, const struct serving_table *table,
                       const struct table_column *column, struct sandbox_answer *answer)
{
    struct text sql;

    text_start(&sql, samples->call->arena, 1000);
    text_append_string(&sql, select_distinct);
    text_append_string(&sql, column->name);
    text_append_string(&sql, from_rows);
    text_append_string(&sql, column->name);
    text_append_string(&sql, from_word);
    text_append_string(&sql, table->name);
    text_append_string(&sql, rows_most);
    return run(samples, table, &sql, answer);
}

bool samples_have_key(struct value_samples *samples, const struct serving_table *table,
                      const char *key)
{
    static const char select_one[] = "SELECT 1 AS one FROM ", where_word[] = " WHERE ";
    struct sandbox_answer answer = {0};
    struct text sql;

    if (!string_list_has(samples->allowed, table->name) || key[strspn(key, key_letters)] ||
        strlen(key) > KEY_MAX)
        return false;
    text_start(&sql, samples->call->arena, 1000);
    text_append_string(&sql, select_one);
    text_append_string(&sql, table->name);
    text_append_string(&sql, where_word);
    text_append_string(&sql, table->primary_key);
    text_append_string(&sql, " = '");
    text_append_string(&sql, key);
    text_append_string(&sql, "'");
    return !run(samples, table, &sql, &answer) && answer.row_count;
}

struct string_list samples_of(struct value_samples *samples, const struct serving_table *table,
                              const struct table_column *column)
{
    struct sandbox_answer answer = {0};
    struct string_list values = {0};

    if (!string_list_has(samples->allowed, table->name))
        return values;
    for (size_t i = 0; i < samples->count; i++)
        if (samples->items[i].column == column)
            return samples->items[i].values;
    if (samples->count == SAMPLES_MAX)
        return values;
    if (!read(samples, table, column, &answer) && !answer.cut) {
        values.items = ARENA_ARRAY(samples->call->arena, const char *, answer.row_count + 1);
        for (size_t i = 0; i < answer.row_count; i++)
            if (answer.cells[i].kind == SANDBOX_TEXT && *answer.cells[i].text)
                values.items[values.count++] = answer.cells[i].text;
    }
    samples->items[samples->count].column = column;
    samples->items[samples->count++].values = values;
    return values;
}
