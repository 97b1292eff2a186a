/* Any settings file, NAME=VALUE lines, through the table of settings and the database's target. A
 * refusal names a setting, and neither it nor the printed settings show a secret. */
#include "fuzz.h"

#include "db/db.h"
#include "experiments/settings.h"
#include "http/policy.h"

#include <ctype.h>
#include <string.h>

enum {
    INPUT_MEMORY_MAX = 1 << 26,
    LINES_MAX = 256,
    PRINTED_MAX = 1 << 24,
    SECRET_MIN = 12,
    DIGITS_MIN = 4
};

static const char *lines[LINES_MAX];
static size_t line_count;

static const char *lookup(const char *name)
{
    size_t length = strlen(name);

    for (size_t i = line_count; i > 0; i--)
        if (strncmp(lines[i - 1], name, length) == 0 && lines[i - 1][length] == '=')
            return lines[i - 1] + length + 1;
    return NULL;
}

static void read_lines(char *text, size_t size)
{
    char *end = text + size;

    for (line_count = 0; text < end && line_count < LINES_MAX; line_count++) {
        char *stop = memchr(text, '\n', (size_t)(end - text));

        lines[line_count] = text;
        if (stop)
            *stop = '\0';
        text = stop ? stop + 1 : end;
    }
}

/* Long, with digits, and no word of the table itself. */
static bool is_secret(const char *value)
{
    static char table[1 << 16];
    int digits = 0;

    if (!*table) {
        struct arena *arena = arena_create(INPUT_MEMORY_MAX);
        struct text text;

        text_start(&text, arena, sizeof table - 1);
        settings_document(experiments_settings_table, experiments_settings_count, &text);
        memcpy(table, text.bytes, text.length);
        arena_destroy(arena);
    }
    for (const char *byte = value; *byte; byte++)
        digits += isdigit((unsigned char)*byte) != 0;
    return strlen(value) >= SECRET_MIN && digits >= DIGITS_MIN && !strpbrk(value, " \t\r\v\f") &&
           !strstr(table, value);
}

/* A secret's value stands in no text, unless another setting says the same. */
static void check_hidden(const char *shown)
{
    for (size_t i = 0; i < experiments_settings_count; i++) {
        const struct setting *setting = &experiments_settings_table[i];
        const char *value = lookup(setting->name);
        int said = 0;

        if (!setting->secret || !value || !is_secret(value))
            continue;
        for (size_t line = 0; line < line_count; line++)
            said += strstr(lines[line], value) != NULL;
        PROMISE(said > 1 || !strstr(shown, value), "secrets are not shown");
    }
}

static void check_refusal(const struct problem *problem)
{
    bool named = false;

    for (size_t i = 0; i < experiments_settings_count; i++) {
        const char *name = experiments_settings_table[i].name;

        named = named || strncmp(problem->text, name, strlen(name)) == 0;
    }
    PROMISE(named, "a refusal begins with the setting");
    check_hidden(problem->text);
}

static void check_accepted(const struct experiments_settings *settings, struct arena *arena)
{
    struct text printed;
    struct http_network network;
    struct problem problem = {.text = ""};
    struct db *db;

    text_start(&printed, arena, PRINTED_MAX);
    settings_print(experiments_settings_table, experiments_settings_count, settings, &printed);
    check_hidden(printed.bytes);
    for (size_t i = 0; i < settings->trusted_proxies.count; i++)
        if (policy_parse_network(settings->trusted_proxies.items[i], &network))
            PROMISE(network.prefix >= 0 && network.prefix <= 128, "a network has its bits");
    if (db_open(settings->database_url ? settings->database_url : settings->db_path, NULL, &db,
                &problem)) {
        check_hidden(problem.text);
    } else {
        if (settings->database_url && db_engine(db) == DB_POSTGRES &&
            strchr(settings->database_url, '@'))
            check_hidden(db_shown_target(db));
        db_close(db);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_create(INPUT_MEMORY_MAX);
    struct experiments_settings settings = {0};
    struct problem problem = {.text = ""};

    read_lines(arena_copy(arena, (const char *)data, size), size);
    if (experiments_settings_load(&settings, arena, lookup, &problem))
        check_refusal(&problem);
    else
        check_accepted(&settings, arena);
    arena_destroy(arena);
    return 0;
}
