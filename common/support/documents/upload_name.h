/* The names of uploaded files: sanitizes them, and lists the accepted types. */
#ifndef ASSAY_SUPPORT_DOCUMENTS_UPLOAD_NAME_H
#define ASSAY_SUPPORT_DOCUMENTS_UPLOAD_NAME_H

#include "documents/reader.h"

/* The part after the last slash or backslash. */
const char *upload_base_name(const char *name);

/* The base name with `_` for every character other than letters, digits, underscore, hyphen and
 * full stop. NULL when nothing is left, it begins with a full stop, or is longer than 255 bytes. */
const char *upload_clean_name(struct arena *arena, const char *name);

/* A clean name with a number before its extension, as "a-2.md"; a long name is truncated. */
const char *upload_numbered_name(struct arena *arena, const char *clean, int number);

/* ".exe"; "" when there is none. */
const char *upload_extension(const char *name);

/* The types that users may upload; others are for programs. */
bool upload_is_allowed(enum file_type type);
#define UPLOAD_EXTENSIONS                                                                          \
    ".csv, .docx, .eml, .epub, .htm, .html, .jpeg, .jpg, .json, .md, .odp, .ods, .odt, .pdf, "     \
    ".png, .pptx, .tif, .tiff, .txt, .webp, .xlsx"

#endif
