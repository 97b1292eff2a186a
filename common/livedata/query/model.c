/* The prompt, the call and the parsing of the reply. */
#include "livedata/query/model.h"
#include "livedata/sandbox/sql_guard.h"

#include "livedata/metrics/metric.h"
#include "net/fetch.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { PROMPT_BYTES_MAX = 64 * 1024, ANSWER_BYTES_MAX = 1024 * 1024, ATTEMPTS = 2 };

static const char *const dialects[DB_ENGINE__MAX] = {"SQLite", "PostgreSQL"};

static void describe_tables(struct text *prompt, const struct catalog *catalog,
                            const struct string_list *allowed)
{
    for (size_t i = 0; i < allowed->count; i++) {
        const struct serving_table *table = serving_table_find(allowed->items[i]);
        const struct entity_type *type =
            table->entity ? catalog_entity(catalog, table->entity) : NULL;

        text_append_format(prompt, "\nTable %s, primary key %s", table->name, table->primary_key);
        if (type && type->table == table)
            text_append_format(prompt, " (entity %s: %s)", type->name, type->description);
        text_append_string(prompt, "\n");
        for (size_t j = 0; j < table->column_count; j++) {
            const char *text = "";

            for (size_t k = 0; type && type->table == table && k < type->field_count; k++)
                if (type->fields[k].column == &table->columns[j])
                    text = type->fields[k].text;
            text_append_format(prompt, "  %s %s\n", table->columns[j].name, text);
        }
    }
}

static void show_examples(struct text *prompt, struct arena *arena, const struct catalog *catalog)
{
    text_append_string(prompt, "\nExamples:\n");
    for (size_t i = 0; i < catalog->metric_count; i++)
        if (catalog->metrics[i].value)
            text_append_format(prompt, "Question: %s\nSQL: %s\n", catalog->metrics[i].description,
                               metric_question(arena, &catalog->metrics[i], false));
}

static const char *prompt_for(struct arena *arena, enum db_engine engine,
                              const struct catalog *catalog, const struct string_list *allowed,
                              const char *question, const char *previous, const char *refusal)
{
    struct text prompt;

    text_start(&prompt, arena, PROMPT_BYTES_MAX);
    text_append_format(&prompt,
                       "Translate a question into one %s SELECT statement over these tables.\n",
                       dialects[engine]);
    describe_tables(&prompt, catalog, allowed);
    show_examples(&prompt, arena, catalog);
    text_append_format(&prompt,
                       "\nA question about an entity selects its naming column only; a question "
                       "for a count gives one number.\nAnswer with a JSON object and nothing else: "
                       "{\"sql\": ..., \"rationale\": ..., \"tables_used\": [...], "
                       "\"confidence\": 0 to 1}.\n\nQuestion: %s\n",
                       question);
    if (previous)
        text_append_format(&prompt, "\nThis statement was refused: %s\nReason: %s\nCorrect it.\n",
                           previous, refusal);
    return prompt.bytes;
}

static const char *ask(struct arena *arena, const struct livedata_settings *settings,
                       const char *prompt)
{
    double seconds = settings->orchestrator_timeout_seconds;
    struct json_writer writer;
    struct json_fault fault;
    struct fetch_answer answer;
    struct text body;
    json_t *json;

    text_start(&body, arena, (size_t)2 * PROMPT_BYTES_MAX);
    writer_start(&writer, &body);
    writer_open_object(&writer);
    writer_key_string(&writer, "prompt", prompt);
    writer_key_string(&writer, "model", settings->orchestrator_model);
    writer_close_object(&writer);
    struct fetch_request request = {
        .url = arena_print(arena, "%s/api/v1/orchestrate", settings->orchestrator_url),
        .body = body.bytes,
        .body_length = body.length,
        .headers = {{"Content-Type", "application/json"}},
        .header_count = 1,
        .answer_max = ANSWER_BYTES_MAX,
        .private_too = true,
        .policy = {.connect_seconds = 5,
                   .attempt_seconds = seconds,
                   .total_seconds = seconds,
                   .attempts = 1,
                   .pause_factor = 1}};

    fetch(arena, &request, &answer);
    if (answer.outcome != FETCH_ANSWERED || answer.status / 100 != 2 ||
        json_read(arena, answer.body, answer.length, JSON_DEPTH_LIMIT, &json, &fault))
        return NULL;
    return json_string_value(json_object_get(json, "output_text"));
}

/* The first JSON object with a string `sql`, anywhere in the answer. Raw line ends inside strings,
 * which models often write, become blanks. */
static const char *sql_of_object(struct arena *arena, const char *text)
{
    char *copy = arena_copy_string(arena, text);
    const char *end = strrchr(copy, '}');

    for (char *at = copy; *at; at++)
        if (*at == '\n' || *at == '\r' || *at == '\t')
            *at = ' ';
    for (const char *at = strchr(copy, '{'); at && end; at = strchr(at + 1, '{'))
        for (const char *last = end; last > at; last--) {
            struct json_fault fault;
            json_t *json;

            if (*last == '}' && json_read(arena, at, (size_t)(last - at) + 1, JSON_DEPTH_LIMIT,
                                          &json, &fault) == ERROR_NONE)
                return json_string_value(json_object_get(json, "sql"));
        }
    return NULL;
}

const char *model_find_sql(struct arena *arena, const char *text)
{
    const char *sql = strlen(text) < 20000 ? sql_of_object(arena, text) : NULL;
    size_t length;

    if (!sql)
        sql = strcasestr(text, "select");
    if (!sql)
        return NULL;
    length = strcspn(sql, ";");
    while (length && (isspace((unsigned char)sql[length - 1]) || sql[length - 1] == '`'))
        length--;
    return arena_copy(arena, sql, length);
}

const char *model_translate(struct arena *arena, enum db_engine engine,
                            const struct catalog *catalog, const struct livedata_settings *settings,
                            const struct string_list *allowed, const char *question)
{
    const char *sql = NULL;
    struct problem why = {0};

    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        const char *text = ask(
            arena, settings, prompt_for(arena, engine, catalog, allowed, question, sql, why.text));
        struct guard_finding finding;

        sql = text ? model_find_sql(arena, text) : NULL;
        if (!sql)
            return NULL;
        if (guard_check(arena, sql, allowed, &finding, &why) == ERROR_NONE)
            return sql;
    }
    return NULL;
}
