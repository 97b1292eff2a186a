/* The schema of a declared dimension. */
#include "experiments/payloads/payload_dimensions.h"

#include "base/text.h"

#include <string.h>

enum { NAME_MAX_LENGTH = 100 };

#define OWNER struct payload_dimension
static const struct field dimension_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = NAME_MAX_LENGTH),
    STRINGS(OWNER, values, .max_length = PAYLOAD_VALUES_MAX,
            .help = "The values that have results of their own; all others count as \"other\". "
                    "Without names: the first values_max that come."),
    INTEGER(OWNER, values_max, .lower = AT_LEAST(1), .upper = AT_MOST(PAYLOAD_VALUES_MAX),
            .default_value = PAYLOAD_VALUES_DEFAULT, .help = "Only without names of values."),
};
#undef OWNER

bool payload_dimension_has(const struct payload_dimension *dimension, const char *value)
{
    for (size_t i = 0; i < dimension->values.count; i++)
        if (strcmp(dimension->values.items[i], value) == 0)
            return true;
    return false;
}

static bool values_are_names(const void *object)
{
    const struct payload_dimension *dimension = object;

    for (size_t i = 0; i < dimension->values.count; i++) {
        const struct payload_dimension before = {.values = {i, dimension->values.items}};
        const char *value = dimension->values.items[i];

        if (!*value || utf8_count(value) > NAME_MAX_LENGTH || strcmp(value, PAYLOAD_OTHER) == 0 ||
            payload_dimension_has(&before, value))
            return false;
    }
    return true;
}

static const struct schema_rule dimension_rules[] = {
    {"errors.schemas.dimension_values", values_are_names},
};
SCHEMA(payload_dimension_schema, struct payload_dimension, "DesignDimension", dimension_fields,
       .help = "An attribute of users, sent with their exposures, by which results are told apart.",
       RULES(dimension_rules));

const struct payload_dimension *payload_find_dimension(const struct object_list *dimensions,
                                                       const char *name)
{
    const struct payload_dimension *items = dimensions->items;

    for (size_t i = 0; i < dimensions->count; i++)
        if (strcmp(items[i].name, name) == 0)
            return &items[i];
    return NULL;
}

bool payload_dimensions_differ(const struct object_list *dimensions)
{
    const struct payload_dimension *items = dimensions->items;

    for (size_t i = 0; i < dimensions->count; i++)
        if (payload_find_dimension(dimensions, items[i].name) != &items[i])
            return false;
    return true;
}

int64_t payload_dimension_places(const struct payload_dimension *dimension)
{
    int64_t named = (int64_t)dimension->values.count;

    return 1 + (named > 0 ? named : dimension->values_max);
}
