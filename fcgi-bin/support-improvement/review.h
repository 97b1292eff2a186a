/* Private to fcgi-bin/support-improvement: routes of the review queue. */
#ifndef ASSAY_SUPPORT_IMPROVEMENT_REVIEW_H
#define ASSAY_SUPPORT_IMPROVEMENT_REVIEW_H

#include "http/request.h"

extern const struct schema review_query_schema, review_list_schema, review_body_schema,
    review_done_schema, review_stats_schema, review_add_schema, review_added_schema,
    review_detail_schema;

enum error review_list_handle(struct request *request, struct reply *reply);
enum error review_detail_handle(struct request *request, struct reply *reply);
enum error review_decide_handle(struct request *request, struct reply *reply);
enum error review_stats_handle(struct request *request, struct reply *reply);
enum error review_add_handle(struct request *request, struct reply *reply);

#endif
