/* The built-in patterns, and those of the operator's file. */
#include "support/answer/patterns.h"
#include "base/log.h"
#include "base/yaml.h"
#include "text/fold.h"

#include <stdlib.h>
#include <string.h>

enum { PATTERNS_MAX = 1000 }; /* of each kind */

/* Refusal phrases of the answerer, of models and of people. */
static const char *const built_in_refusals[] = {
    "cannot be answered",
    "i don't know",
    "cannot help",
    "cannot answer",
    "insufficient information",
    "not enough information",
    "no information about",
    "could not find",
    "ответить нельзя",
    "я не знаю",
    "не могу помочь",
    "не могу ответить",
    "обратитесь к менеджеру",
    "недостаточно информации",
    "нет информации",
    "не найдено",
    "kann nicht beantwortet werden",
    "nicht beantwortet werden",
    "ich weiß nicht",
    "ne permettent pas de répondre",
    "impossible de répondre",
    "je ne sais pas",
    "no se puede responder",
    "no lo sé",
    "non è possibile rispondere",
    "não é possível responder",
    "відповісти неможливо",
    "لا يمكن الإجابة",
    "لا أعرف",
    "无法回答",
    "我不知道",
    NULL,
};

/* Luhn 1960: the check digit of cards. */
static bool luhn_holds(const char *text, size_t length)
{
    int sum = 0, place = 0;

    for (size_t i = length; i-- > 0;) {
        int digit = text[i] - '0';

        if (digit < 0 || digit > 9)
            continue;
        if (place++ % 2) {
            digit *= 2;
            digit -= digit > 9 ? 9 : 0;
        }
        sum += digit;
    }
    return place && sum % 10 == 0;
}

/* A plain number of ten digits is more likely an order number than a phone number. */
static bool is_phone_like(const char *text, size_t length)
{
    if (text[0] == '+')
        return true;
    for (size_t i = 0; i < length; i++) {
        if (strchr(" -()", text[i]))
            return true;
    }
    return false;
}

/* Of the process: compiled at first use. */
static struct pii_pattern built_in_pii[] = {
    {"card", {"\\b(?:\\d{4}[\\s-]?){3}\\d{4}\\b", true, NULL}, luhn_holds},
    {"email", {"[\\w.+-]+@[\\w-]+\\.[\\w.-]+", true, NULL}, NULL},
    {"phone",
     {"\\+?\\d{1,3}[\\s-]?\\(?\\d{3}\\)?[\\s-]?\\d{3}[\\s-]?\\d{2,4}", true, NULL},
     is_phone_like},
};

static const char *const no_refusals[] = {NULL};

/* Of the process: the patterns in force. */
static struct {
    const char *const *refusals;
    struct pii_pattern *pii;
    size_t pii_count;
} patterns = {built_in_refusals, built_in_pii, sizeof built_in_pii / sizeof built_in_pii[0]};

const char *const *patterns_refusals(void)
{
    return patterns.refusals;
}

struct pii_pattern *patterns_pii(size_t *count)
{
    *count = patterns.pii_count;
    return patterns.pii;
}

static enum error wrong(struct problem *problem, const char *path, const char *what)
{
    return problem_set(problem, ERROR_INVALID, "patterns_invalid",
                       "EVALUATOR_PATTERNS_PATH: %s: %s", path, what);
}

static enum error read_refusals(struct arena *arena, const char *path, const json_t *list,
                                const char *const **refusals, struct problem *problem)
{
    size_t count = json_array_size(list);
    const char **phrases = ARENA_ARRAY(arena, const char *, count + 1);

    if (!json_is_array(list) || count > PATTERNS_MAX)
        return wrong(problem, path, "refusal must be a list of at most 1000 phrases");
    for (size_t i = 0; i < count; i++) {
        const char *phrase = json_string_value(json_array_get(list, i));

        if (!phrase || !phrase[strspn(phrase, " \t\r\n")])
            return wrong(problem, path, "refusal must be a list of phrases that are not blank");
        phrases[i] = text_lower(arena, phrase);
    }
    phrases[count] = NULL;
    *refusals = phrases;
    return ERROR_NONE;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct pii_pattern *)a)->name, ((const struct pii_pattern *)b)->name);
}

/* Whether a pattern is usable: it compiles, and it does not match an empty text. */
static bool is_usable(struct pattern *pattern)
{
    struct pattern_match match;

    return pattern_compile(pattern) && !pattern_find(pattern, "", 0, 0, &match);
}

static enum error read_pii(struct arena *arena, const char *path, const json_t *map,
                           struct pii_pattern **pii, size_t *count, struct problem *problem)
{
    const char *name;
    const json_t *value;

    *count = 0;
    if (!json_is_object(map) || json_object_size(map) > PATTERNS_MAX)
        return wrong(problem, path, "pii must be a map of at most 1000 regular expressions");
    *pii = ARENA_ARRAY(arena, struct pii_pattern, json_object_size(map) + 1);
    json_object_foreach((json_t *)map, name, value)
    {
        struct pii_pattern *next = &(*pii)[*count];

        if (!json_is_string(value))
            return wrong(problem, path, "pii must be a map of names to regular expressions");
        *next = (struct pii_pattern){
            .name = arena_copy_string(arena, name),
            .pattern = {arena_copy_string(arena, json_string_value(value)), true, NULL}};
        if (is_usable(&next->pattern))
            ++*count;
        else
            log_event(LOG_WARNING, "pattern_left_out",
                      arena_print(arena, "%s: pii.%s is no regular expression of use", path, name));
    }
    qsort(*pii, *count, sizeof **pii, by_name);
    return ERROR_NONE;
}

/* A member missing in the file keeps its built-in value. */
static enum error read_document(struct arena *arena, const char *path, const json_t *document,
                                struct problem *problem)
{
    const char *const *refusals = built_in_refusals;
    struct pii_pattern *pii = built_in_pii;
    size_t pii_count = sizeof built_in_pii / sizeof built_in_pii[0];
    const char *name;
    const json_t *value;
    enum error error = ERROR_NONE;

    if (!json_is_object(document))
        return wrong(problem, path, "a map with refusal and pii is expected");
    json_object_foreach((json_t *)document, name, value)
    {
        if (strcmp(name, "refusal") == 0)
            error = read_refusals(arena, path, value, &refusals, problem);
        else if (strcmp(name, "pii") == 0)
            error = read_pii(arena, path, value, &pii, &pii_count, problem);
        else
            error = wrong(problem, path, arena_print(arena, "%s is not known", name));
        if (error)
            return error;
    }
    patterns.refusals = refusals;
    patterns.pii = pii;
    patterns.pii_count = pii_count;
    return ERROR_NONE;
}

enum error patterns_load(struct arena *arena, const struct support_settings *settings,
                         struct problem *problem)
{
    const char *path;
    json_t *document = NULL;
    enum error error;

    if (!settings->patterns_path)
        return ERROR_NONE;
    path = settings->patterns_path;
    if (*path != '/')
        path = arena_print(arena, "%s/%s", settings->data_directory, path);
    error = yaml_read_file(arena, path, &document, problem);
    if (error == ERROR_NOT_FOUND) {
        log_event(LOG_WARNING, "patterns_not_found",
                  arena_print(arena,
                              "EVALUATOR_PATTERNS_PATH: there is no file %s, and so no "
                              "pattern of refusals and personal data",
                              path));
        patterns.refusals = no_refusals;
        patterns.pii_count = 0;
        return ERROR_NONE;
    }
    if (error)
        return problem_set(problem, ERROR_INVALID, "patterns_invalid",
                           "EVALUATOR_PATTERNS_PATH: %s", arena_copy_string(arena, problem->text));
    return read_document(arena, path, document, problem);
}
