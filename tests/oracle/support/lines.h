/*
 * Cases on standard input, one per line: `method number number ...`. What the programs share that
 * answer each with a line of numbers (tests/oracle, tests/bench/speed). A case that does not fit
 * its method ends the program.
 */
#ifndef ASSAY_LINES_H
#define ASSAY_LINES_H

#include "base/arena.h"
#include "base/optional.h"

/* Starts as {0}. */
struct line {
    const char *method;
    struct number_list numbers; /* not taken yet */
    struct arena *arena;        /* of this line */
    char *text;
    size_t capacity;
};

/* Reads the next line in place of the one before; false, with all memory given back, at the end. */
bool line_read(struct line *line);

/* The next number. */
double line_next(struct line *line);

/* The next `count` numbers, which live as long as the line. */
struct number_list line_take(struct line *line, size_t count);

/* Ends the line of the answer. All numbers were taken. */
void line_end(const struct line *line);

/* Ends the program. */
_Noreturn void line_refuse(const struct line *line, const char *reason);

struct line_method {
    const char *name;
    void (*answer)(struct line *line);
};

/* Has every line answered by its method; gives the exit code of the program. */
int lines_answer(const struct line_method *methods, size_t count);

#define LINES_MAIN(methods)                                                                        \
    int main(void)                                                                                 \
    {                                                                                              \
        return lines_answer(methods, sizeof(methods) / sizeof((methods)[0]));                      \
    }

/* Numbers with 17 digits and a blank after each. */
#define PRINT_NUMBERS(...)                                                                         \
    print_numbers((const double[]){__VA_ARGS__},                                                   \
                  sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
void print_numbers(const double *numbers, size_t count);

/* The number, or NaN where there is none. */
double number_or_nan(struct optional_number number);

#endif
