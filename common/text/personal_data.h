/*
 * Personal data in texts: e-mail addresses, and numbers of phones, cards, passports and tax payers,
 * by their form. What is found may be masked for good, or replaced by something that leads back.
 */
#ifndef ASSAY_TEXT_PERSONAL_DATA_H
#define ASSAY_TEXT_PERSONAL_DATA_H

#include "base/text.h"

enum personal_kind {
    PERSONAL_EMAIL,
    PERSONAL_PHONE,
    PERSONAL_CARD,
    PERSONAL_PASSPORT,
    PERSONAL_NUMBER, /* of 10 to 12 digits, as tax payers have */
    PERSONAL_KIND__MAX
};

struct personal_match {
    enum personal_kind kind;
    const char *bytes;
    size_t length;
    const char *mask; /* "***@***.***"; "*" = as many asterisks as the match is long */
};

/* Writes what stands for a match. */
typedef void personal_writer(struct text *out, const struct personal_match *match, void *context);

/* The text with every match replaced; the same text when there is none. With `wide`, also forms
 * that are less certain, for callers that can undo it: addresses beyond ASCII, and phone numbers in
 * more spellings. The text is UTF-8. */
const char *personal_data_replace(struct arena *arena, const char *text, bool wide,
                                  personal_writer *write, void *context);

/* False when nothing can be found: there is neither an at sign nor a number that is long enough.
 * Quick. Of JSON only what stands in strings is looked at. */
bool personal_data_may_occur(const char *text, bool is_json);

#endif
