/* Segments of users over HTTP: handlers of the routes, and schemas that only HTTP uses. */
#ifndef ASSAY_EXPERIMENTS_FLAGS_SEGMENTS_H
#define ASSAY_EXPERIMENTS_FLAGS_SEGMENTS_H

#include "experiments/segments/segment_store.h"
#include "http/route.h"

SCHEMA_OF(segments_query_schema, struct segments_query);
SCHEMA_OF(segments_reply_schema, struct segments_reply);
SCHEMA_OF(segment_reply_schema, struct segment_reply);
SCHEMA_OF(segment_deleted_schema, struct segment_deleted);
SCHEMA_OF(segment_upload_query_schema, struct segment_upload_query);
SCHEMA_OF(segment_upload_reply_schema, struct segment_upload_reply);
SCHEMA_OF(segment_users_query_schema, struct segment_users_query);
SCHEMA_OF(segment_users_reply_schema, struct segment_users_reply);

enum error segments_handle_list(struct request *request, struct reply *reply);
enum error segments_handle_read(struct request *request, struct reply *reply);
enum error segments_handle_create(struct request *request, struct reply *reply);
enum error segments_handle_update(struct request *request, struct reply *reply);
enum error segments_handle_delete(struct request *request, struct reply *reply);
enum error segments_handle_users(struct request *request, struct reply *reply);
enum error segments_handle_upload(struct request *request, struct reply *reply);

#endif
