/*
 * Sections as quotes: things of one kind that each have a heading, or a document, of their own. A
 * question which there are, or for a comparison of some, gets what each of them says.
 */
#ifndef ASSAY_SUPPORT_ANSWER_SECTIONS_H
#define ASSAY_SUPPORT_ANSWER_SECTIONS_H

#include "support/answer/select.h"
#include "support/questions/asks.h"

/* Puts passages of sections in the place of the selection where several sections answer; the items
 * of a section follow each other, and `selection->by_section` is set. */
void sections_select(const struct question *question, struct arena *arena, const struct asks *asks,
                     const struct found_chunk *chunks, size_t count, struct selection *selection);

/* Whether the names and passages of the sections have all words of a comparison. */
bool sections_compare_all(const struct question *question, struct arena *arena,
                          const struct selection *selection);

/* What the section of a passage is called: its heading, else the title of the document. */
const char *section_name(const struct selected *item);

#endif
