/* Private to common/orchestrator/keys: what the stores of customers, teams and keys share. */
#ifndef ASSAY_ORCHESTRATOR_KEYS_KEY_ROWS_H
#define ASSAY_ORCHESTRATOR_KEYS_KEY_ROWS_H

#include "db/query.h"
#include "orchestrator/keys/key_store.h"

/* A new random id. */
const char *new_row_id(struct arena *arena);

/* The error of a write, in words: a name that is taken, an owner that does not exist. */
enum error owner_error(const struct key_store_call *call, enum error error);

/* Ends an update or a delete of one row; ERROR_NOT_FOUND when there was none. */
MUST_CHECK enum error owner_end(const struct key_store_call *call, struct query *query,
                                const char *reason, const char *text);

/* Deletes a key, a team or a customer with its budgets. */
MUST_CHECK enum error owner_delete(const struct key_store_call *call,
                                   const struct statement *statement, const char *id,
                                   const char *reason, const char *text);

/* Reads all rows of a statement into a list of the schema's struct. */
MUST_CHECK enum error rows_list(const struct key_store_call *call,
                                const struct statement *statement, const struct schema *schema,
                                struct object_list *list);

#endif
