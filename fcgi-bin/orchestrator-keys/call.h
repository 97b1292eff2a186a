/* Private to this family: what its handlers share. */
#ifndef ASSAY_ORCHESTRATOR_KEYS_CALL_H
#define ASSAY_ORCHESTRATOR_KEYS_CALL_H

#include "http/request.h"
#include "orchestrator/keys/budget_store.h"
#include "orchestrator/keys/key_store.h"
#include "orchestrator/service.h"

/* The open store. */
MUST_CHECK enum error keys_begin(struct request *request, struct key_store_call *call);

/* The open store, and a transaction that writes. The answer is read within it: a change whose
 * answer cannot be made is none. Ended with db_finish(). */
MUST_CHECK enum error keys_begin_change(struct request *request, struct key_store_call *call);

/* The answer of a change: the item of the list that has this id. ERROR_NOT_FOUND when it is gone
 * again. `size` is that of the items, which begin with their id. */
MUST_CHECK enum error keys_show(struct request *request, const struct object_list *list,
                                size_t size, const char *id, struct reply *reply);

/* Trims a name; a fault of the body when nothing is left. */
MUST_CHECK enum error keys_check_name(struct request *request, const char **name);

#endif
