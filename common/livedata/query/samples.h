/*
 * Values of text columns that declare none, as the tenant's rows have them: a sample of bounded
 * size and time, read once per request. Beyond a number of columns nothing is known.
 */
#ifndef ASSAY_LIVEDATA_QUERY_SAMPLES_H
#define ASSAY_LIVEDATA_QUERY_SAMPLES_H

#include "livedata/catalog/catalog.h"
#include "livedata/storage_call.h"

struct value_samples;

/* `allowed` = the tables that the reader may see; others have no values for him. */
struct value_samples *samples_make(const struct storage_call *call, const struct catalog *catalog,
                                   const struct string_list *allowed);

/* Empty when there are too many values to know them, or the table cannot be read. */
struct string_list samples_of(struct value_samples *samples, const struct serving_table *table,
                              const struct table_column *column);

/* Whether the tenant has a row of that key. */
bool samples_have_key(struct value_samples *samples, const struct serving_table *table,
                      const char *key);

#endif
