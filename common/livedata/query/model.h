/* Private to common/livedata/query: translation by the orchestrator, used when the rules do not
 * understand a question. Its SQL passes the same guard; one repair attempt is allowed. */
#ifndef ASSAY_LIVEDATA_QUERY_MODEL_H
#define ASSAY_LIVEDATA_QUERY_MODEL_H

#include "db/db.h"
#include "livedata/catalog/catalog.h"

/* SQL that the guard accepts, or NULL. */
const char *model_translate(struct arena *arena, enum db_engine engine,
                            const struct catalog *catalog, const struct livedata_settings *settings,
                            const struct string_list *allowed, const char *question);

/* The statement in a model's text: an object with `sql`, fenced or not, else the first SELECT up to
 * its semicolon; NULL when there is none. */
const char *model_find_sql(struct arena *arena, const char *text);

#endif
