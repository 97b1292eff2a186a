/* Reads, checks and prints tables of settings. */
#include "base/settings.h"
#include "base/number.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SECRET_FILE_MAX = 256 };

static enum error wrong(const struct setting *setting, struct problem *problem, const char *must)
{
    return problem_set(problem, ERROR_INVALID, "setting_invalid", "%s must be %s", setting->name,
                       must);
}

static enum error out_of_range(const struct setting *setting, struct problem *problem)
{
    if (setting->maximum != 0)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "%s must be between %.15g and %.15g", setting->name, setting->minimum,
                           setting->maximum);
    return problem_set(problem, ERROR_INVALID, "setting_invalid", "%s must be at least %.15g",
                       setting->name, setting->minimum);
}

static bool in_range(const struct setting *setting, double value)
{
    return value >= setting->minimum && (setting->maximum == 0 || value <= setting->maximum);
}

static enum error load_number(const struct setting *setting, const char *text, void *member,
                              struct problem *problem)
{
    double number;
    int64_t integer;

    if (setting->type == SETTING_INTEGER) {
        if (!integer_parse(text, &integer))
            return wrong(setting, problem, "an integer");
        number = (double)integer;
        *(int64_t *)member = integer;
    } else {
        if (!number_parse(text, &number))
            return wrong(setting, problem, "a number");
        *(double *)member = number;
    }
    return in_range(setting, number) ? ERROR_NONE : out_of_range(setting, problem);
}

static enum error load_boolean(const struct setting *setting, const char *text, bool *member,
                               struct problem *problem)
{
    static const char *const words[] = {"0", "1", "false", "true", "no", "yes", "off", "on"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            *member = i % 2;
            return ERROR_NONE;
        }
    }
    return wrong(setting, problem, "one of 1, true, yes, on, 0, false, no, off");
}

static enum error load_choice(const struct setting *setting, const char *text, int *member,
                              struct problem *problem)
{
    char names[256] = "";

    for (int i = 0; setting->choices[i]; i++) {
        size_t used = strlen(names);

        if (strcasecmp(text, setting->choices[i]) == 0) {
            *member = i;
            return ERROR_NONE;
        }
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "one of ",
                 setting->choices[i]);
    }
    return wrong(setting, problem, names);
}

static enum error load_text(const struct setting *setting, const char *text, const char **member,
                            struct problem *problem)
{
    if ((double)strlen(text) < setting->minimum)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "%s must be at least %.0f characters when configured", setting->name,
                           setting->minimum);
    *member = text;
    return ERROR_NONE;
}

static struct string_list split_list(struct arena *arena, const char *text)
{
    struct string_list list = {0};

    list.items = ARENA_ARRAY(arena, const char *, strlen(text) + 1);
    while (*text) {
        size_t length = strcspn(text, ",");
        char *item = text_trimmed(arena, text, length);

        if (*item)
            list.items[list.count++] = item;
        text += length + (text[length] == ',');
    }
    return list;
}

static enum error load_one(const struct setting *setting, const char *text, void *member,
                           struct arena *arena, struct problem *problem)
{
    switch (setting->type) {
    case SETTING_TEXT:
        return load_text(setting, text, member, problem);
    case SETTING_BOOLEAN:
        return load_boolean(setting, text, member, problem);
    case SETTING_CHOICE:
        return load_choice(setting, text, member, problem);
    case SETTING_LIST:
        *(struct string_list *)member = split_list(arena, text);
        return ERROR_NONE;
    default:
        return load_number(setting, text, member, problem);
    }
}

static const char *from_environment(const char *name)
{
    return getenv(name);
}

enum error settings_load(const struct setting *table, size_t count, void *values,
                         struct arena *arena, const char *(*lookup)(const char *name),
                         struct problem *problem)
{
    if (!lookup)
        lookup = from_environment;
    for (size_t i = 0; i < count; i++) {
        const struct setting *setting = &table[i];
        const char *given = lookup(setting->name);
        const char *text = given ? text_trimmed(arena, given, strlen(given)) : "";
        enum error error;

        if (given && !*text && setting->required)
            return wrong(setting, problem, "a non-blank text");
        if (given && !*text && setting->may_be_blank) {
            *(const char **)(void *)((char *)values + setting->offset) = text;
            continue;
        }
        if (!*text || (setting->type == SETTING_LIST && strspn(text, ", ") == strlen(text)))
            text = setting->fallback;
        if (!text)
            continue;
        error = load_one(setting, text, (char *)values + setting->offset, arena, problem);
        if (error)
            return error;
    }
    return ERROR_NONE;
}

static bool is_origin(const char *text)
{
    const char *host = strstr(text, "://");
    size_t scheme = host ? (size_t)(host - text) : 0;

    return scheme && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789+.-") == scheme && host[3] &&
           !strpbrk(host + 3, "/?#@ \t\"*");
}

enum error settings_check_origins(const char *setting, const struct string_list *origins,
                                  const char *open_by, struct problem *problem)
{
    for (size_t i = 0; i < origins->count; i++) {
        const char *origin = origins->items[i];
        bool anybody = strcmp(origin, "*") == 0;

        if (!anybody && !is_origin(origin))
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "%s must list origins like https://host:port, not \"%.100s\"",
                               setting, origin);
        if (anybody && open_by)
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "%s must name origins, and not *, while %s", setting, open_by);
    }
    return ERROR_NONE;
}

static void print_value(const struct setting *setting, const void *member, struct text *out)
{
    const struct string_list *list = member;
    const char *string = setting->type == SETTING_TEXT ? *(const char *const *)member : NULL;

    switch (setting->type) {
    case SETTING_TEXT:
        text_append_string(out, !string ? "(unset)" : setting->secret ? "***" : string);
        break;
    case SETTING_INTEGER:
        text_append_format(out, "%lld", (long long)*(const int64_t *)member);
        break;
    case SETTING_NUMBER:
        text_append_format(out, "%.15g", *(const double *)member);
        break;
    case SETTING_BOOLEAN:
        text_append_string(out, *(const bool *)member ? "true" : "false");
        break;
    case SETTING_CHOICE:
        text_append_string(out, setting->choices[*(const int *)member]);
        break;
    default:
        for (size_t i = 0; i < list->count; i++)
            text_append_format(out, "%s%s", i ? "," : "", list->items[i]);
    }
}

void settings_print(const struct setting *table, size_t count, const void *values, struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        text_append_format(out, "%s=", table[i].name);
        print_value(&table[i], (const char *)values + table[i].offset, out);
        text_append_byte(out, '\n');
    }
}

const char *settings_made_secret(struct arena *arena, const char *state_directory, const char *name)
{
    char *text = arena_alloc(arena, SECRET_FILE_MAX);
    FILE *file = state_directory && *state_directory
                     ? fopen(arena_print(arena, "%s/%s", state_directory, name), "re")
                     : NULL;
    size_t length = file ? fread(text, 1, SECRET_FILE_MAX - 1, file) : 0;

    if (file)
        fclose(file);
    text[length] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    return *text ? text : NULL;
}

static void document_bounds(const struct setting *setting, struct text *out)
{
    if (setting->type == SETTING_TEXT && setting->minimum > 0)
        text_append_format(out, "at least %.0f characters", setting->minimum);
    else if (setting->type == SETTING_CHOICE)
        for (int i = 0; setting->choices[i]; i++)
            text_append_format(out, "%s%s", i ? ", " : "", setting->choices[i]);
    else if (setting->type == SETTING_INTEGER || setting->type == SETTING_NUMBER) {
        if (setting->maximum != 0)
            text_append_format(out, "%.15g to %.15g", setting->minimum, setting->maximum);
        else
            text_append_format(out, "at least %.15g", setting->minimum);
    }
}

void settings_document(const struct setting *table, size_t count, struct text *out)
{
    static const char *const types[SETTING__MAX] = {"text",    "integer", "number",
                                                    "boolean", "choice",  "list"};

    text_append_string(out, "| setting | type | default | allowed | what it does |\n"
                            "|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        const struct setting *setting = &table[i];

        text_append_format(out, "| `%s` | %s%s | %s%s%s | ", setting->name,
                           setting->secret ? "secret " : "", types[setting->type],
                           setting->fallback ? "`" : "", setting->fallback ? setting->fallback : "",
                           setting->fallback ? "`" : "");
        document_bounds(setting, out);
        text_append_format(out, " | %s |\n", setting->help);
    }
}
