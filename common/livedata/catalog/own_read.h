/* Private to the catalog: reading the file of a domain's entity in two sources, own.c and
 * own_events.c. */
#ifndef ASSAY_LIVEDATA_CATALOG_OWN_READ_H
#define ASSAY_LIVEDATA_CATALOG_OWN_READ_H

#include "livedata/catalog/own.h"

struct own_reader {
    struct arena *arena;
    const char *path;
    struct problem *problem;
    struct serving_table *table;
    struct table_column *columns; /* of the table */
    struct own_entity *own;
};

/* A fault at a place in the file, like `columns.price.type`. */
__attribute__((format(printf, 3, 4))) enum error own_fault(const struct own_reader *reader,
                                                           const char *place, const char *format,
                                                           ...);
/* "text, integer or decimal"; NULL ends the list. */
const char *own_words(struct arena *arena, const char *const *words);
/* ERROR_INVALID for a value that is no map, and for a member that is not in the list. */
MUST_CHECK enum error own_check_members(const struct own_reader *reader, const char *place,
                                        const json_t *object, const char *const *members);
bool own_find_column(const struct own_reader *reader, const char *name, size_t *index);
enum error own_no_column(const struct own_reader *reader, const char *place, const char *name);

/* own_events.c: the event types, and which columns are counted. */
MUST_CHECK enum error own_read_events(struct own_reader *reader, const json_t *events);
/* The table whose change data is taken. */
MUST_CHECK enum error own_read_changes(struct own_reader *reader, const json_t *changes);

#endif
