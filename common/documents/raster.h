/* Private to common/documents: pictures of pages, as gray maps (PGM, binary). */
#ifndef ASSAY_DOCUMENTS_RASTER_H
#define ASSAY_DOCUMENTS_RASTER_H

#include <stdbool.h>
#include <stdio.h>

enum { RASTER_SIDE_MAX = 20000 /* pixels */ };

/* Copies a picture without the thin straight lines of tables and forms, which would be read as
 * letters. False when it is not a gray map. */
bool raster_remove_lines(FILE *in, FILE *out);

#endif
