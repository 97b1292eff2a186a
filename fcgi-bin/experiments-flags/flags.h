/* Feature flags over HTTP: handlers of the family's routes, and schemas that only HTTP uses. */
#ifndef ASSAY_EXPERIMENTS_FLAGS_FLAGS_H
#define ASSAY_EXPERIMENTS_FLAGS_FLAGS_H

#include "experiments/adaptive/adaptive.h"
#include "experiments/evaluation/preview.h"
#include "experiments/live_calls.h"

SCHEMA_OF(client_key_list_schema, struct client_key_list);
SCHEMA_OF(client_key_deleted_schema, struct client_key_deleted);
SCHEMA_OF(evaluation_request_schema, struct evaluation_request);
SCHEMA_OF(evaluation_schema, struct evaluation_reply);
SCHEMA_OF(evaluations_schema, struct evaluations_reply);
SCHEMA_OF(preview_list_schema, struct preview_list);
SCHEMA_OF(track_request_schema, struct track_request);
SCHEMA_OF(track_reply_schema, struct track_reply);
SCHEMA_OF(adaptive_deleted_schema, struct adaptive_deleted);

/* The body of every evaluation; other members are ignored. */
struct evaluation_request {
    json_t *context;
};

/* The arguments of flag functions, with the database connected. */
MUST_CHECK enum error flags_begin(struct request *request, struct flag_call *call);

/* The flag that a request names. ERROR_NOT_FOUND `flag_not_found`, also for the flag of another
 * project than that of the client key. */
MUST_CHECK enum error flags_find(struct request *request, const struct flag_call *call,
                                 struct flag *flag);

/* A fault of an evaluation as the request's problem; ERROR_NONE without one. */
MUST_CHECK enum error flags_fault(struct request *request, const struct evaluation *evaluation);

enum error flags_handle_read(struct request *request, struct reply *reply);
enum error flags_handle_write(struct request *request, struct reply *reply);
enum error flags_handle_client_keys(struct request *request, struct reply *reply);
enum error flags_handle_create_client_key(struct request *request, struct reply *reply);
enum error flags_handle_delete_client_key(struct request *request, struct reply *reply);

enum error flags_handle_adaptive(struct request *request, struct reply *reply);
enum error flags_handle_set_adaptive(struct request *request, struct reply *reply);
enum error flags_handle_delete_adaptive(struct request *request, struct reply *reply);

enum error flags_handle_evaluate(struct request *request, struct reply *reply);
enum error flags_handle_evaluate_all(struct request *request, struct reply *reply);
enum error flags_handle_preview(struct request *request, struct reply *reply);
enum error flags_handle_preview_all(struct request *request, struct reply *reply);
enum error flags_handle_track(struct request *request, struct reply *reply);

#endif
