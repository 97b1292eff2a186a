/*
 * Private to common/documents: the notes of a DOCX, and the numbering of its lists. Everything
 * lives until the process ends.
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

/* Reads word/footnotes.xml or word/endnotes.xml; NULL when there are none. `bytes` may be NULL. */
struct docx_notes *docx_notes_read(const char *bytes, size_t length, const char *element);

/* The text of a note, NULL when it does not exist. */
const char *docx_note(const struct docx_notes *notes, const char *id);

/* Reads word/numbering.xml; NULL when there is none. */
struct docx_lists *docx_lists_read(const char *bytes, size_t length);

/* Counts the next item of a list at a level and writes its label: "1.", "b)", "2.1". "" for bullets
 * and for unknown lists. */
void docx_list_label(struct docx_lists *lists, int list, int level, char label[DOCX_LABEL_MAX]);

/* Reads word/styles.xml: the lists that paragraph styles belong to; NULL when there is none. */
struct docx_styles *docx_styles_read(const char *bytes, size_t length);

/* The list of a style and the level in it; false when it has none. */
bool docx_style_list(const struct docx_styles *styles, const char *id, long *list, long *level);

/* A reader of a part, or NULL. */
xmlTextReaderPtr docx_reader(const char *bytes, size_t length);

/* An attribute as a number, `otherwise` without it. */
long docx_number(xmlTextReaderPtr reader, const char *name, long otherwise);

#endif
