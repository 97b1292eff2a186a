/*
 * Numbers inside sentences: the same in every language. Texts belong to the arena. Private to
 * common/experiments.
 */
#ifndef ASSAY_EXPERIMENTS_DOCUMENTS_REPORT_PRINT_H
#define ASSAY_EXPERIMENTS_DOCUMENTS_REPORT_PRINT_H

#include "base/arena.h"
#include "i18n/i18n.h"

#include <stdbool.h>
#include <stdint.h>

/* A number that rounds to nothing shows no minus sign. */
const char *report_print_fixed(struct arena *arena, int decimals, double value);

/* With its sign, a plus for nothing. */
const char *report_print_signed(struct arena *arena, int decimals, double value);

const char *report_print_count(struct arena *arena, int64_t count);

/* "is statistically significant", or that it is not. */
const char *report_print_significance(const struct locale *locale, struct arena *arena,
                                      bool significant);

#endif
