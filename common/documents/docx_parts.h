/*
 * Private to common/documents: what a DOCX says outside of its text: notes, and how the items of
 * lists are numbered. Everything lives until the process ends.
 */
#ifndef ASSAY_DOCUMENTS_DOCX_PARTS_H
#define ASSAY_DOCUMENTS_DOCX_PARTS_H

#include <libxml/xmlreader.h>
#include <stdbool.h>
#include <stddef.h>

enum { DOCX_LEVELS = 9, DOCX_LABEL_MAX = 128 };

struct docx_notes;
struct docx_lists;
struct docx_styles;

/* Of word/footnotes.xml or word/endnotes.xml; NULL when there are none. `bytes` may be NULL. */
struct docx_notes *docx_notes_read(const char *bytes, size_t length, const char *element);

/* The text of a note, NULL when there is no such one. */
const char *docx_note(const struct docx_notes *notes, const char *id);

/* Of word/numbering.xml; NULL when there is none. */
struct docx_lists *docx_lists_read(const char *bytes, size_t length);

/* Counts the next item of a list at a level and writes what stands before it: "1.", "b)", "2.1".
 * "" for bullets and for lists that are not known. */
void docx_list_label(struct docx_lists *lists, int list, int level, char label[DOCX_LABEL_MAX]);

/* Of word/styles.xml: the lists that styles of paragraphs belong to; NULL when there is none. */
struct docx_styles *docx_styles_read(const char *bytes, size_t length);

/* The list of a style and the level in it; false when it has none. */
bool docx_style_list(const struct docx_styles *styles, const char *id, long *list, long *level);

/* A reader of a part, or NULL. */
xmlTextReaderPtr docx_reader(const char *bytes, size_t length);

/* An attribute as a number, `otherwise` without it. */
long docx_number(xmlTextReaderPtr reader, const char *name, long otherwise);

#endif
