/* What was asked most, what was not answered, what was voted down, and how many by day, over HTTP.
 */
#ifndef ASSAY_SUPPORT_ADMIN_QUESTIONS_H
#define ASSAY_SUPPORT_ADMIN_QUESTIONS_H

#include "http/route.h"

SCHEMA_OF(questions_query_schema, struct questions_query);
SCHEMA_OF(questions_schema, struct questions_reply);
SCHEMA_OF(series_query_schema, struct series_query);
SCHEMA_OF(series_schema, struct series_reply);

enum error questions_handle(struct request *request, struct reply *reply);
enum error series_handle(struct request *request, struct reply *reply);

#endif
