/* What a database is, for operators: engine and version, schema, and the settings that keep what
 * was acknowledged. Changes nothing but the row that probes whether it can be written to. */
#ifndef ASSAY_DB_DESCRIBE_H
#define ASSAY_DB_DESCRIBE_H

#include "base/text.h"
#include "db/store.h"

/* Appends a JSON object: engine, version, schema, schema_required, pending (files of the schema
 * that are not applied), journal_mode, journal_mode_as_configured, writable, detail, size_bytes,
 * disk_free_bytes; on PostgreSQL fsync, full_page_writes, synchronous_commit, max_connections and
 * pool_size. Memory from `arena`. ERROR_UNAVAILABLE when it does not answer. */
MUST_CHECK enum error db_describe(struct arena *arena, const struct store_plan *plan,
                                  struct text *out, struct problem *problem);

#endif
