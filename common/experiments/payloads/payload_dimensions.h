/* The attributes by which a design tells its results apart. They are fixed before the data, because
 * what is found among them is judged against their number. */
#ifndef ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_DIMENSIONS_H
#define ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_DIMENSIONS_H

#include "base/schema.h"

enum {
    PAYLOAD_DIMENSIONS_MAX = 8,
    PAYLOAD_VALUES_MAX = 50, /* of a dimension, without "other" */
    PAYLOAD_VALUES_DEFAULT = 20
};

/* All values that have no place of their own. */
#define PAYLOAD_OTHER "other"

/* Values either by name, or as many as come first. */
struct payload_dimension {
    const char *name;
    struct string_list values; /* none = the first values_max */
    int64_t values_max;
};

SCHEMA_OF(payload_dimension_schema, struct payload_dimension);

/* Whether the names of a list of dimensions differ. */
bool payload_dimensions_differ(const struct object_list *dimensions);

/* How many values can have results, "other" included. */
int64_t payload_dimension_places(const struct payload_dimension *dimension);

/* NULL when there is none of that name. */
const struct payload_dimension *payload_find_dimension(const struct object_list *dimensions,
                                                       const char *name);

/* Whether a value is named by the dimension; "other" is not. */
bool payload_dimension_has(const struct payload_dimension *dimension, const char *value);

#endif
