/* The experiments service, family flags: feature flags over experiments. Routes only. */
#include "experiments-flags/flags.h"

#define EXPERIMENT "/api/v1/experiments/{experiment_id}"
#define OFREP "/ofrep/v1"

static const struct route routes[] = {
    {.method = METHOD_GET,
     .path = EXPERIMENT "/flag",
     .role = ROLE_READER,
     .reply = &flag_schema,
     .handler = flags_handle_read,
     .name = "read_flag",
     .tag = "flags",
     .summary = "Read the feature flag of an experiment"},
    {.method = METHOD_PUT,
     .path = EXPERIMENT "/flag",
     .role = ROLE_WRITER,
     .body = &flag_request_schema,
     .reply = &flag_schema,
     .errors = ERRORS(400, 409),
     .headers = HEADERS("If-Match"),
     .handler = flags_handle_write,
     .name = "write_flag",
     .tag = "flags",
     .summary = "Set the feature flag of an experiment",
     .help = "Replaces it as a whole. `variants` has an entry for each variation of the design, in "
             "their order. 409 flag_key_taken when another project has the key, layer_overlap when "
             "a flag "
             "that is on shares users of the same namespace, flag_conflict when If-Match does not "
             "hold the version (ETag) that was read last. A ramp that is held goes on only with "
             "If-Match."},
    {.method = METHOD_GET,
     .path = EXPERIMENT "/client-keys",
     .role = ROLE_READER,
     .reply = &client_key_list_schema,
     .handler = flags_handle_client_keys,
     .name = "list_client_keys",
     .tag = "flags",
     .summary = "List the client keys of an experiment"},
    {.method = METHOD_POST,
     .path = EXPERIMENT "/client-keys",
     .role = ROLE_WRITER,
     .body = &client_key_request_schema,
     .reply = &client_key_schema,
     .errors = ERRORS(409),
     .handler = flags_handle_create_client_key,
     .name = "create_client_key",
     .tag = "flags",
     .summary = "Make a key for pages and apps",
     .help = "Evaluates and tracks the flag of this experiment alone, for pages of the listed "
             "origins, within its own rate limit. Such a key is no secret and opens nothing else."},
    {.method = METHOD_DELETE,
     .path = EXPERIMENT "/client-keys/{key_id}",
     .role = ROLE_WRITER,
     .reply = &client_key_deleted_schema,
     .handler = flags_handle_delete_client_key,
     .name = "delete_client_key",
     .tag = "flags",
     .summary = "Delete a client key"},
    {.method = METHOD_GET,
     .path = EXPERIMENT "/adaptive",
     .role = ROLE_READER,
     .reply = &adaptive_schema,
     .handler = flags_handle_adaptive,
     .name = "read_adaptive",
     .tag = "flags",
     .summary = "Read the adaptive shares of an experiment",
     .help = "With the probabilities of every round. 404 not_adaptive where it is not adaptive."},
    {.method = METHOD_PUT,
     .path = EXPERIMENT "/adaptive",
     .role = ROLE_WRITER,
     .body = &adaptive_request_schema,
     .reply = &adaptive_schema,
     .errors = ERRORS(400, 409),
     .handler = flags_handle_set_adaptive,
     .name = "write_adaptive",
     .tag = "flags",
     .summary = "Let the shares of the arms follow the results",
     .help = "Thompson sampling in rounds, with a least share for every arm. Before the first "
             "exposure (409 experiment_started later); settings of an adaptive experiment may "
             "change at any time."},
    {.method = METHOD_DELETE,
     .path = EXPERIMENT "/adaptive",
     .role = ROLE_WRITER,
     .reply = &adaptive_deleted_schema,
     .errors = ERRORS(409),
     .handler = flags_handle_delete_adaptive,
     .name = "delete_adaptive",
     .tag = "flags",
     .summary = "Let an experiment have the split of its design again",
     .help = "Before the first exposure; `paused` keeps the shares later."},
    {.method = METHOD_POST,
     .path = OFREP "/evaluate/flags/{key}",
     .role = ROLE_READER,
     .traits = TRAIT_EVALUATION,
     .body = &evaluation_request_schema,
     .unfit_status = 400,
     .reply = &evaluation_schema,
     .errors = ERRORS(400, 503),
     .handler = flags_handle_evaluate,
     .name = "evaluate_flag",
     .tag = "ofrep",
     .summary = "Evaluate a flag, and record the exposure",
     .help =
         "OpenFeature Remote Evaluation Protocol. The answer comes when the exposure is stored. "
         "Nothing is recorded for users outside the experiment or forced into a variation, and "
         "while the flag is off or fixed."},
    {.method = METHOD_POST,
     .path = OFREP "/evaluate/flags",
     .role = ROLE_READER,
     .traits = TRAIT_EVALUATION,
     .body = &evaluation_request_schema,
     .unfit_status = 400,
     .reply = &evaluations_schema,
     .errors = ERRORS(304, 400),
     .headers = HEADERS("If-None-Match"),
     .handler = flags_handle_evaluate_all,
     .name = "evaluate_flags",
     .tag = "ofrep",
     .summary = "Evaluate all flags",
     .help = "OpenFeature Remote Evaluation Protocol, as clients in browsers and apps use it. "
             "Records nothing: the client reports by the track route what the user has seen. With "
             "an ETag; asked with If-None-Match, 304 while the values are the same."},
    {.method = METHOD_POST,
     .path = OFREP "/track/flags/{key}",
     .role = ROLE_WRITER,
     .body = &track_request_schema,
     .unfit_status = 400,
     .reply = &track_reply_schema,
     .errors = ERRORS(400, 503),
     .handler = flags_handle_track,
     .name = "track_flag",
     .tag = "ofrep",
     .summary = "Report that a user has seen a value, and what the user did",
     .help = "The variation is decided here and not by the client. Repeating is safe: the first "
             "exposure of a user counts, and an event's key counts once."},
};

static const struct http_family family = {
    .service = &experiments_service, .name = "flags", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
