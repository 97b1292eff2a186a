/* Doubles as decimal text and back, exactly: shortest text that reads back to the same double,
 * correct decimal rounding, and strict reading. Independent of the locale. */
#ifndef ASSAY_BASE_NUMBER_H
#define ASSAY_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT_MAX = 32 };

/* The shortest text that reads back to `value`, which must be finite: `5.0`, `1e-05`, `1e+16`,
 * `0.30000000000000004`; exponent notation below 1e-4 and from 1e16 on. Returns its length. */
size_t number_format(double value, char text[NUMBER_TEXT_MAX]);

/* The digits of an integer, with a sign when it is negative. Returns their number. */
size_t integer_format(int64_t value, char text[NUMBER_TEXT_MAX]);

/* The exact binary value correctly rounded to `decimals` (0..17) digits after the point, ties to
 * even on the exact value; -0 becomes 0. */
double number_round(double value, int decimals);

/* Whether `decimals` digits after the point leave a number other than 0 fewer than three
 * significant digits. */
bool number_is_coarse(double value, int decimals);

/* A number as it is printed: number_round(), but with six significant digits if that would leave
 * fewer than three. Only 0 and -0 become 0. */
double number_round_figure(double value, int decimals);

/* Reads a whole decimal number (optional sign, digits, fraction, exponent; blanks around it
 * allowed). False for anything else: hexadecimal, nan, infinity, overflow, trailing bytes. */
bool number_parse(const char *text, double *value);

/* Reads a whole decimal integer; false outside 64 bits. */
bool integer_parse(const char *text, int64_t *value);

#endif
