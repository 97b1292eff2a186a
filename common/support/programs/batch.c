/* The main loop of a batch program. */
#include "support/programs/batch.h"
#include "base/clock.h"
#include "base/help.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "support/programs/data_files.h"
#include "support/programs/open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXIT_OF_USAGE = 2,
    MEMORY_DEFAULT = 64 * 1024 * 1024,
    HELP_MAX = 8192,
    OUTPUT_MAX = 4 * 1024 * 1024
};

static const char *help_of(const struct batch_plan *plan, struct arena *arena)
{
    struct text help;

    text_start(&help, arena, HELP_MAX);
    text_append_format(&help, "usage: %s%s\n\n%s\n\n", plan->name,
                       plan->option_count ? " [OPTION...]" : "", plan->summary);
    for (size_t i = 0; i < plan->option_count; i++)
        text_append_format(&help, "  %-24s %s\n", plan->options[i].name, plan->options[i].help);
    return help.bytes;
}

static bool wrong(const struct batch_plan *plan, const char *what, const char *name)
{
    fprintf(stderr, "%s: %s: %s\n", plan->name, name, what);
    return false;
}

static bool is_one_of(const char *const *choices, const char *value)
{
    for (; *choices; choices++)
        if (strcmp(*choices, value) == 0)
            return true;
    return false;
}

static bool take_value(const struct batch_plan *plan, const struct batch_option *option,
                       const char *value)
{
    int64_t number;

    if (option->text) {
        *option->text = value;
        if (option->choices && !is_one_of(option->choices, value))
            return wrong(plan, "is none of its values", option->name);
        return !option->moment || timestamp_from_text(value, option->moment) ||
               wrong(plan, "must be a date or a time", option->name);
    }
    if (!integer_parse(value, &number))
        return wrong(plan, "must be a whole number", option->name);
    if (number < option->least || (option->most && number > option->most))
        return wrong(plan, "is out of bounds", option->name);
    *option->integer = number;
    return true;
}

static const struct batch_option *option_of(const struct batch_plan *plan, const char *word,
                                            size_t taken)
{
    for (size_t i = 0; i < plan->option_count; i++) {
        const struct batch_option *option = &plan->options[i];

        if (option->positional ? word[0] != '-' && taken-- == 0
                               : strcmp(option->name, word) == 0 ||
                                     (option->other && strcmp(option->other, word) == 0))
            return option;
    }
    return NULL;
}

static bool read_arguments(int argc, char **argv, const struct batch_plan *plan)
{
    bool given[16] = {false};
    size_t taken = 0;

    for (int i = 1; i < argc; i++) {
        const struct batch_option *option = option_of(plan, argv[i], taken);

        if (!option)
            return wrong(plan, "is not known; --help lists the options", argv[i]);
        if (option->other && given[option - plan->options])
            return wrong(plan, "is given already", option->name);
        given[option - plan->options] = true;
        taken += option->positional;
        if (option->flag)
            *option->flag = true;
        else if (!option->positional && i + 1 == argc)
            return wrong(plan, "needs a value", argv[i]);
        else if (!take_value(plan, option, option->positional ? argv[i] : argv[++i]))
            return false;
    }
    for (size_t i = 0; i < plan->option_count; i++)
        if (plan->options[i].required && !given[i])
            return wrong(plan, "is missing", plan->options[i].name);
    return true;
}

static int run(const struct batch_plan *plan, struct batch_program *program)
{
    enum error error =
        program_open(plan->name, getenv("ASSAY_RUN_DIR"), program->arena, &program->settings,
                     &program->store, &program->metrics, &program->problem);
    struct arena_guard *lock = NULL;
    int status;

    if (!error)
        error = store_prepare(program->store, &program->db, &program->problem);
    if (!error && plan->locks)
        error = data_file_lock(program->arena, &program->settings, plan->name, 0, &lock,
                               &program->problem);
    if (error == ERROR_BUSY && plan->locks && strcmp(program->problem.reason, "locked") == 0) {
        puts("{\"status\":\"busy\"}");
        status = 0;
    } else {
        status = error ? batch_fail(program, plan->failed) : plan->run(program);
    }
    if (program->store)
        store_close(program->store);
    metrics_close(program->metrics);
    data_file_unlock(lock);
    return status;
}

int batch_main(int argc, char **argv, const struct batch_plan *plan)
{
    struct batch_program program = {.name = plan->name, .context = plan->context};
    int status;

    program.arena = arena_create(plan->memory ? plan->memory : MEMORY_DEFAULT);
    if (!program.arena)
        return plan->failed;
    if (help_given(argc, argv, help_of(plan, program.arena)))
        status = 0;
    else
        status = read_arguments(argc, argv, plan) ? run(plan, &program) : EXIT_OF_USAGE;
    arena_destroy(program.arena);
    return fflush(stdout) == 0 ? status : plan->failed;
}

int batch_fail(const struct batch_program *program, int code)
{
    fprintf(stderr, "%s: %s\n", program->name, program->problem.text);
    return code;
}

enum error batch_report_cases(void *context, int64_t done, int64_t of, struct problem *problem)
{
    (void)context;
    (void)problem;
    fprintf(stderr, "\r%lld of %lld cases%s", (long long)done, (long long)of,
            done == of ? "\n" : "");
    return ERROR_NONE;
}

void batch_print(struct batch_program *program, const struct schema *schema, const void *object)
{
    puts(schema_json(program->arena, OUTPUT_MAX, schema, object));
}

const char *batch_time(struct arena *arena, int64_t microseconds)
{
    char text[CLOCK_TEXT_MAX];

    clock_format(microseconds, text);
    return microseconds % 1000000 ? arena_copy_string(arena, text)
                                  : arena_print(arena, "%.19s+00:00", text);
}

void batch_append_line(struct text *text, const char *words)
{
    for (; *words; words++) {
        if (*words == '\n' || *words == '\r') {
            text_append_byte(text, ' ');
        } else {
            if (strchr("\\`*_{}[]<>#|~!", *words))
                text_append_byte(text, '\\');
            text_append_byte(text, *words);
        }
    }
}
