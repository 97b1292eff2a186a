/* Routes of the stored improvement backlogs. */
#ifndef ASSAY_SUPPORT_TRENDS_IMPROVEMENTS_H
#define ASSAY_SUPPORT_TRENDS_IMPROVEMENTS_H

#include "http/route.h"

SCHEMA_OF(archive_query_schema, struct archive_query);
SCHEMA_OF(archive_schema, struct archive_reply);
SCHEMA_OF(recommendations_schema, struct recommendations_reply);

enum error backlog_handle(struct request *request, struct reply *reply);
enum error archive_handle(struct request *request, struct reply *reply);
enum error recommendations_handle(struct request *request, struct reply *reply);

#endif
