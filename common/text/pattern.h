/* Regular expressions over UTF-8 (PCRE2), for patterns in the source: compiled once per process,
 * with limits on the work of a match. Patterns of an operator are compiled by pattern_compile(). */
#ifndef ASSAY_TEXT_PATTERN_H
#define ASSAY_TEXT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* A pattern is a static variable with its text; the other members are filled in at first use. */
struct pattern {
    const char *regex;
    bool ignore_case;
    void *compiled;
};

struct pattern_match {
    size_t start, end;
};

/* Compiles the pattern now. False, and the pattern must not be used, if it is no valid regular
 * expression. */
bool pattern_compile(struct pattern *pattern);

/* The first match at or after `from`: 0, or where an earlier match in this text ended. A pattern
 * that does not compile is a bug and aborts the process. Text that is not UTF-8, or takes too long,
 * matches nothing. */
bool pattern_find(struct pattern *pattern, const char *text, size_t length, size_t from,
                  struct pattern_match *match);

#endif
