/*
 * Private to common/documents: documents that are a zip of parts (OOXML, OpenDocument, EPUB). What
 * is unpacked of one of them is limited as a whole. Everything lives until the process ends.
 */
#ifndef ASSAY_DOCUMENTS_PACKAGE_H
#define ASSAY_DOCUMENTS_PACKAGE_H

#include "documents/formats.h"

#include <libxml/xmlreader.h>
#include <zip.h>

struct package {
    zip_t *archive;
    int64_t left;              /* bytes that may still be unpacked */
    enum format_result result; /* the first failure of a part that must be there */
};

/* `most`: bytes of all parts together. */
enum format_result package_open(const char *path, int64_t most, struct package *package);

/* A part, with a NUL after it. NULL when there is none or it is too large; then, if the document
 * cannot be read without it (`is_needed`), `result` says which. */
char *package_part(struct package *package, const char *name, bool is_needed, size_t *length);

/* A reader of a part, or NULL, as package_part(). Entities of the part are not expanded. */
xmlTextReaderPtr package_reader(struct package *package, const char *name, bool is_needed);

/* What is called for elements, by their local names, and for text; each may be NULL. */
struct package_events {
    void (*begin)(void *context, xmlTextReaderPtr reader, const char *name);
    void (*end)(void *context, const char *name);
    void (*text)(void *context, const char *text);
    void *context;
};

/* Reads to the end. False when the part is damaged. */
bool package_walk(xmlTextReaderPtr reader, const struct package_events *events);

/* An attribute, a copy; NULL without it. */
char *package_attribute(xmlTextReaderPtr reader, const char *name);

/* An attribute as a number between 1 and `most`; 1 without it. */
size_t package_count(xmlTextReaderPtr reader, const char *name, size_t most);

/* The targets of a part's relations, by their ids: "xl/workbook.xml" has them in
 * "xl/_rels/workbook.xml.rels". NULL when there is no such id. */
struct package_relations;
struct package_relations *package_relations_of(struct package *package, const char *part);
const char *package_target(const struct package_relations *relations, const char *id);

/* The name of a part that is given relative to another one. */
char *package_path(const char *from, const char *target);

#endif
