/* What is computed seldom and read often, in the database, for a while. */
#ifndef ASSAY_SUPPORT_PROGRAMS_KEPT_STORE_H
#define ASSAY_SUPPORT_PROGRAMS_KEPT_STORE_H

#include "support/traces/trace_store.h"

/* Puts a JSON value in place of the one before, for so many seconds. */
MUST_CHECK enum error kept_put(const struct trace_call *call, const char *key, const char *value,
                               int64_t seconds);

/* The tenant's value, NULL where there is none or it is past its end. */
MUST_CHECK enum error kept_get(const struct trace_call *call, const char *key, const char **value);

#endif
