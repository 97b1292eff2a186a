/* Regular expressions over UTF-8 (PCRE2), for patterns of ours: compiled once per process, with
 * limits on how long a match may look. Those of an operator are compiled by pattern_compile(). */
#ifndef ASSAY_TEXT_PATTERN_H
#define ASSAY_TEXT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* A pattern is a static variable with its text; the rest is filled in at first use. */
struct pattern {
    const char *regex;
    bool ignore_case;
    void *compiled;
};

struct pattern_match {
    size_t start, end;
};

/* Compiles it now; false, with the pattern of no use, where it is no regular expression. */
bool pattern_compile(struct pattern *pattern);

/* The first match at or behind `from`. A pattern that does not compile is a mistake of ours and
 * ends the process. Text that is not UTF-8, or takes too long, matches nothing. */
bool pattern_find(struct pattern *pattern, const char *text, size_t length, size_t from,
                  struct pattern_match *match);

#endif
