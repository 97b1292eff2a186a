/* Cases on standard input, one per line: see lines.h. */
#include "lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MEMORY ((size_t)1 << 30)

void line_refuse(const struct line *line, const char *reason)
{
    fprintf(stderr, "%s: %s\n", line->method, reason);
    exit(1);
}

/* A number takes a digit and what separates it from the next. */
static void read_numbers(char *text, struct line *line)
{
    char *end;
    double number;

    line->numbers =
        (struct number_list){.items = ARENA_ARRAY(line->arena, double, strlen(text) / 2 + 1)};
    for (; number = strtod(text, &end), end != text; text = end)
        line->numbers.items[line->numbers.count++] = number;
    if (text[strspn(text, " \n")])
        line_refuse(line, "not a number");
}

bool line_read(struct line *line)
{
    char *rest;

    if (!line->arena)
        line->arena = arena_create(LINE_MEMORY);
    if (!line->arena)
        abort();
    arena_reset(line->arena);
    if (getline(&line->text, &line->capacity, stdin) < 0) {
        free(line->text);
        arena_destroy(line->arena);
        return false;
    }
    line->method = strtok_r(line->text, " \n", &rest);
    if (!line->method)
        line->method = "";
    read_numbers(rest, line);
    return true;
}

double line_next(struct line *line)
{
    return line_take(line, 1).items[0];
}

struct number_list line_take(struct line *line, size_t count)
{
    struct number_list taken = {count, line->numbers.items};

    if (count > line->numbers.count)
        line_refuse(line, "too few numbers");
    line->numbers.items += count;
    line->numbers.count -= count;
    return taken;
}

void line_end(const struct line *line)
{
    if (line->numbers.count > 0)
        line_refuse(line, "too many numbers");
    printf("\n");
}

int lines_answer(const struct line_method *methods, size_t count)
{
    struct line line = {0};

    while (line_read(&line)) {
        size_t i = 0;

        while (i < count && strcmp(methods[i].name, line.method) != 0)
            i++;
        if (i == count)
            line_refuse(&line, "no such method");
        methods[i].answer(&line);
        line_end(&line);
    }
    return 0;
}

void print_numbers(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%.17g ", numbers[i]);
}

double number_or_nan(struct optional_number number)
{
    return number.given ? number.value : NAN;
}
