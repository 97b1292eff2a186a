/* Rows of shapes that only describe: answers of this service are written by its domain, and their
 * schemas say what stands in them. Further members are allowed everywhere. */
#ifndef ASSAY_LIVEDATA_SHAPES_H
#define ASSAY_LIVEDATA_SHAPES_H

#include "base/schema.h"

#define TELLS_TEXT(title)                                                                          \
    {                                                                                              \
        .name = (title), .type = FIELD_STRING                                                      \
    }
#define TELLS_TEXT_OR_NULL(title)                                                                  \
    {                                                                                              \
        .name = (title), .type = FIELD_STRING, .nullable = true                                    \
    }
#define TELLS_NUMBER(title)                                                                        \
    {                                                                                              \
        .name = (title), .type = FIELD_NUMBER                                                      \
    }
#define TELLS_NUMBER_OR_NULL(title)                                                                \
    {                                                                                              \
        .name = (title), .type = FIELD_NUMBER, .nullable = true                                    \
    }
#define TELLS_INTEGER(title)                                                                       \
    {                                                                                              \
        .name = (title), .type = FIELD_INTEGER                                                     \
    }
#define TELLS_INTEGER_OR_NULL(title)                                                               \
    {                                                                                              \
        .name = (title), .type = FIELD_INTEGER, .nullable = true                                   \
    }
#define TELLS_FLAG(title)                                                                          \
    {                                                                                              \
        .name = (title), .type = FIELD_BOOLEAN                                                     \
    }
#define TELLS_TEXTS(title)                                                                         \
    {                                                                                              \
        .name = (title), .type = FIELD_STRINGS                                                     \
    }
#define TELLS_OBJECT(title)                                                                        \
    {                                                                                              \
        .name = (title), .type = FIELD_JSON_OBJECT                                                 \
    }
#define TELLS_OBJECT_OR_NULL(title)                                                                \
    {                                                                                              \
        .name = (title), .type = FIELD_JSON_OBJECT, .nullable = true                               \
    }
#define TELLS_OBJECTS(title)                                                                       \
    {                                                                                              \
        .name = (title), .type = FIELD_JSON_OBJECTS                                                \
    }
#define TELLS_ANY(title)                                                                           \
    {                                                                                              \
        .name = (title), .type = FIELD_JSON                                                        \
    }
#define TELLS_LIST_OF(title, shape)                                                                \
    {                                                                                              \
        .name = (title), .type = FIELD_OBJECTS, .schema = (shape)                                  \
    }
#define TELLS_SHAPE(title, shape)                                                                  \
    {                                                                                              \
        .name = (title), .type = FIELD_OBJECT, .schema = (shape)                                   \
    }

/* A schema of such rows. */
#define TELLING(variable, title, rows)                                                             \
    const struct schema variable = {                                                               \
        .name = (title), .open = true, .fields = (rows), .field_count = COUNT_OF(rows)}

#endif
