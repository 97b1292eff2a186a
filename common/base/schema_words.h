/* Messages for people about faults of a document. */
#ifndef ASSAY_BASE_SCHEMA_WORDS_H
#define ASSAY_BASE_SCHEMA_WORDS_H

#include "base/schema.h"

/* The text after the name of the field: "is missing". */
extern const char *const schema_fault_words[FAULT__MAX];

#endif
