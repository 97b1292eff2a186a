/*
 * The oracle's side of the conversation: a program with a table of functions reads lines
 * `name argument argument ...` (decimal or hexadecimal floating point, inf, nan) and answers each
 * with one line: the value with 17 digits, or `error` and the reason. Blank lines are skipped.
 *
 * A new family of functions is a new program: include this, write the table, end with
 * EVALUATE_MAIN(table).
 */
#ifndef ASSAY_EVALUATE_H
#define ASSAY_EVALUATE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVALUATE_ARGUMENTS_MAX = 16 };

struct evaluate_function {
    const char *name;
    int arity;
    double (*evaluate)(const double *arguments);
};

static inline const struct evaluate_function *evaluate_find(const struct evaluate_function *table,
                                                            size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

/* Parses the words after the name; -1 when one is no number or there are too many. */
static inline int evaluate_parse(char **rest, double arguments[EVALUATE_ARGUMENTS_MAX])
{
    for (int count = 0;; count++) {
        char *word = strtok_r(NULL, " \t\r\n", rest), *end;

        if (!word)
            return count;
        if (count == EVALUATE_ARGUMENTS_MAX)
            return -1;
        arguments[count] = strtod(word, &end);
        if (*end)
            return -1;
    }
}

static inline int evaluate_lines(const struct evaluate_function *table, size_t count)
{
    char line[4096];

    while (fgets(line, sizeof line, stdin)) {
        char *rest, *name = strtok_r(line, " \t\r\n", &rest);
        double arguments[EVALUATE_ARGUMENTS_MAX];

        if (!name)
            continue;

        const struct evaluate_function *function = evaluate_find(table, count, name);
        int given = evaluate_parse(&rest, arguments);

        if (!function)
            printf("error no function %s\n", name);
        else if (given != function->arity)
            printf("error %s takes %d numbers\n", name, function->arity);
        else
            printf("%.17g\n", function->evaluate(arguments));
    }
    return ferror(stdin) ? 1 : 0;
}

#define EVALUATE_MAIN(table)                                                                       \
    int main(void)                                                                                 \
    {                                                                                              \
        return evaluate_lines(table, sizeof(table) / sizeof((table)[0]));                          \
    }

#endif
