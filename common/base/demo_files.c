/* Reads the files of the demonstration. */
#include "base/demo_files.h"

#include "base/yaml.h"

#include <math.h>
#include <string.h>

enum { LANGUAGE_LETTERS_MAX = 8 };

#define OWNER struct demo_currency
static const struct field currency_fields[] = {
    STRING(OWNER, code, .required = true, .min_length = 3, .max_length = 3),
    NUMBER(OWNER, scale, .required = true, .lower = ABOVE(0)),
    NUMBER(OWNER, step, .required = true, .lower = ABOVE(0))};
#undef OWNER
static SCHEMA(currency_schema, struct demo_currency, "DemoCurrency", currency_fields);

const char *demo_file_path(struct arena *arena, const struct demo_files *files, const char *name)
{
    return arena_print(arena, "%s/../config/demo/%s/%s", files->sql_directory, files->language,
                       name);
}

static bool is_language(const char *text)
{
    size_t length = strlen(text);

    return length >= 2 && length <= LANGUAGE_LETTERS_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz-") == length;
}

enum error demo_file_read(struct arena *arena, const struct demo_files *files, const char *name,
                          const struct schema *schema, void *object, struct problem *problem)
{
    const char *path = demo_file_path(arena, files, name);
    struct schema_errors errors = {.arena = arena};
    json_t *document;
    enum error error;

    if (!is_language(files->language))
        return problem_set(problem, ERROR_INVALID, "demo_language",
                           "\"%s\" is not a language of config/demo", files->language);
    error = yaml_read_file(arena, path, &document, problem);
    if (error)
        return error;
    if (schema_decode(schema, document, "demo", object, &errors, arena)) {
        const struct schema_path *at = errors.items[0].path;

        return problem_set(problem, ERROR_INVALID, "demo_file", "%s: %s is wrong", path,
                           at && at->key ? at->key : "an item");
    }
    return ERROR_NONE;
}

enum error demo_currency_read(struct arena *arena, const struct demo_files *files,
                              struct demo_currency *currency, struct problem *problem)
{
    return demo_file_read(arena, files, "currency.yaml", &currency_schema, currency, problem);
}

double demo_amount(const struct demo_currency *currency, double amount)
{
    double steps = round(amount * currency->scale / currency->step);

    return round((steps < 1 ? 1 : steps) * currency->step * 100) / 100;
}
