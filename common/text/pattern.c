/* Compiles and matches patterns within limits. */
#include "text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

enum { STEPS_MAX = 1000000 };

static pcre2_match_context *limits;
static pcre2_match_data *data;

bool pattern_compile(struct pattern *pattern)
{
    int error;
    PCRE2_SIZE place;
    uint32_t options = PCRE2_UTF | PCRE2_UCP | (pattern->ignore_case ? PCRE2_CASELESS : 0);
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern->regex, PCRE2_ZERO_TERMINATED, options,
                                     &error, &place, NULL);

    if (!code)
        return false;
    if (!limits) {
        limits = pcre2_match_context_create(NULL);
        data = pcre2_match_data_create(16, NULL);
        if (!limits || !data)
            abort();
        pcre2_set_match_limit(limits, STEPS_MAX);
    }
    pattern->compiled = code;
    return true;
}

bool pattern_find(struct pattern *pattern, const char *text, size_t length, size_t from,
                  struct pattern_match *match)
{
    const PCRE2_SIZE *places;
    uint32_t options =
        from ? PCRE2_NO_UTF_CHECK : 0; /* else each match would read all that follows */

    if (!pattern->compiled && !pattern_compile(pattern))
        abort();
    if (from > length || pcre2_match(pattern->compiled, (PCRE2_SPTR)text, length, from, options,
                                     data, limits) < 0) /* 0: more groups than fit into `data` */
        return false;
    places = pcre2_get_ovector_pointer(data);
    *match = (struct pattern_match){places[0], places[1]};
    return true;
}
