/* Private to common/livedata/search: the index texts of rows and types. */
#ifndef ASSAY_LIVEDATA_SEARCH_SEARCH_WORDS_H
#define ASSAY_LIVEDATA_SEARCH_SEARCH_WORDS_H

#include "livedata/catalog/catalog.h"
#include "livedata/entities/rows.h"

const char *search_row_snippet(struct arena *arena, const struct entity_type *type,
                               const struct entity_row *row);
const char *search_row_text(struct arena *arena, const struct entity_type *type,
                            const struct entity_row *row);
const char *search_type_text(struct arena *arena, const struct entity_type *type);

#endif
