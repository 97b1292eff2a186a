/* The experiments service, family live: what running experiments observe and show. Routes only. */
#include "experiments-live/live.h"

#include "experiments/error_rates/measurement.h"
#include "experiments/interactions/interactions.h"
#include "experiments/live_results/course.h"
#include "experiments/live_results/decision_schema.h"
#include "experiments/live_results/live_schema.h"
#include "experiments/live_results/quality.h"
#include "experiments/live_results/slices.h"
#include "experiments/looks/take_look.h"

#define EXPERIMENTS "/api/v1/experiments"
#define EXPERIMENT EXPERIMENTS "/{experiment_id}"

/* A route that takes records of a kind. */
#define TAKES(path_end, kind, function, operation, what)                                           \
    {                                                                                              \
        .method = METHOD_POST, .path = EXPERIMENT path_end, .role = ROLE_WRITER,                   \
        .body = &live_batch_schemas[kind], .reply = &ingest_reply_schema,                          \
        .errors = ERRORS(WITH_REPLY(202), 400, 503), .handler = (function), .name = (operation),   \
        .tag = "experiments", .summary = (what)                                                    \
    }

/* The same as lines: wrong lines are reported, and the others are taken. */
#define TAKES_LINES(path_end, function, operation)                                                 \
    {                                                                                              \
        .method = METHOD_POST, .path = EXPERIMENT path_end "/lines", .role = ROLE_WRITER,          \
        .takes = "application/x-ndjson", .reply = &lines_reply_schema,                             \
        .errors = ERRORS(WITH_REPLY(202), 400, 415, 503), .headers = HEADERS("Content-Encoding"),  \
        .handler = (function), .name = (operation), .tag = "experiments",                          \
        .summary = "The same as lines of JSON",                                                    \
        .help =                                                                                    \
            "One record per line, as many as the body may hold, all in one transaction; wrong "    \
            "lines are left out and told with their numbers. With `Content-Encoding: gzip` "       \
            "the body may be packed, up to AB_MAX_UNPACKED_BODY_BYTES unpacked."                   \
    }

static const struct route routes[] = {
    {.method = METHOD_GET,
     .path = EXPERIMENTS,
     .role = ROLE_READER,
     .query = &overview_query_schema,
     .reply = &overview_reply_schema,
     .handler = live_handle_overview,
     .name = "list_experiments",
     .tag = "experiments",
     .summary = "List experiments with state, owner and progress",
     .help = "Every project is an experiment: not_started until somebody is exposed, collecting, "
             "ready when the policy has a verdict, decided when somebody has decided."},
    {.method = METHOD_POST,
     .path = EXPERIMENT "/assign",
     .role = ROLE_WRITER,
     .body = &assign_request_schema,
     .reply = &assign_reply_schema,
     .handler = live_handle_assign,
     .name = "assign_variation",
     .tag = "experiments",
     .summary = "Say which variation a user gets",
     .help = "Records nothing: the client posts the exposure when the user has seen something."},
    TAKES("/exposures", LIVE_EXPOSURES, live_handle_exposures, "record_exposures",
          "Record who has seen which variation"),
    TAKES("/conversions", LIVE_CONVERSIONS, live_handle_conversions, "record_conversions",
          "Record what users did"),
    TAKES("/identities", LIVE_IDENTITIES, live_handle_identities, "link_identities",
          "Say that two ids are one person"),
    TAKES("/exclusions", LIVE_EXCLUSIONS, live_handle_exclusions, "exclude_users",
          "Leave users out of every number"),
    TAKES("/holdout", LIVE_HOLDOUTS, live_handle_holdout, "record_holdout",
          "Record who is kept out of the experiment"),
    TAKES("/pre-period", LIVE_PRE_PERIODS, live_handle_pre_period, "record_pre_period",
          "Record what was known of users before"),
    TAKES("/strata", LIVE_STRATA, live_handle_strata, "record_strata",
          "Record which stratum users belong to"),
    TAKES_LINES("/exposures", live_handle_exposure_lines, "record_exposure_lines"),
    TAKES_LINES("/conversions", live_handle_conversion_lines, "record_conversion_lines"),
    TAKES_LINES("/identities", live_handle_identity_lines, "link_identity_lines"),
    TAKES_LINES("/exclusions", live_handle_exclusion_lines, "exclude_user_lines"),
    TAKES_LINES("/holdout", live_handle_holdout_lines, "record_holdout_lines"),
    TAKES_LINES("/pre-period", live_handle_pre_period_lines, "record_pre_period_lines"),
    TAKES_LINES("/strata", live_handle_stratum_lines, "record_stratum_lines"),
    {.method = METHOD_GET,
     .path = EXPERIMENT "/ingestion",
     .role = ROLE_READER,
     .reply = &ingestion_schema,
     .handler = live_handle_ingestion,
     .name = "read_ingestion",
     .tag = "experiments",
     .summary = "Count what was recorded"},
    {.method = METHOD_DELETE,
     .path = EXPERIMENT "/events",
     .role = ROLE_WRITER,
     .reply = &live_clearing_schema,
     .handler = live_handle_clear,
     .name = "clear_experiment",
     .tag = "experiments",
     .summary = "Delete everything that was recorded, to start anew",
     .help = "Exposures, conversions, identities, exclusions and what is computed of them; the "
             "design, the decisions and the shared links stay. Cannot be undone; kept in the audit "
             "log (experiment.clear)."},
    {.method = METHOD_GET,
     .path = EXPERIMENT "/buckets",
     .role = ROLE_READER,
     .reply = &live_buckets_reply_schema,
     .handler = live_handle_stated_buckets,
     .name = "read_buckets",
     .tag = "experiments",
     .summary = "Read over how many buckets users are divided",
     .help = "1: they are not."},
    {.method = METHOD_PUT,
     .path = EXPERIMENT "/buckets",
     .role = ROLE_WRITER,
     .body = &live_buckets_schema,
     .reply = &live_buckets_reply_schema,
     .errors = ERRORS(400, 409),
     .handler = live_handle_buckets,
     .name = "choose_buckets",
     .tag = "experiments",
     .summary = "Divide the users of a giant experiment",
     .help = "Before the first record; afterwards another number is 409. Writers of different "
             "buckets do not wait for "
             "each other, and a cluster keeps them on different nodes. What is shown does not "
             "depend on the number. The bucket of a user is 64-bit FNV-1a over the bytes of the "
             "id, xor its upper half, modulo the number: records that are sent in batches of "
             "one bucket go side by side."},
    {.method = METHOD_GET,
     .path = EXPERIMENT "/switchback",
     .role = ROLE_READER,
     .query = &turns_query_schema,
     .reply = &turns_reply_schema,
     .errors = ERRORS(400),
     .handler = live_handle_turns,
     .name = "read_switchback",
     .tag = "experiments",
     .summary = "Read which variation a cluster has when",
     .help =
         "The schedule of a design with setup.clusters.switchback. It follows from the design, the "
         "experiment and the name of the cluster: programs may read it ahead. 400 no_switchback "
         "when the design has none."},
    {.method = METHOD_GET,
     .path = EXPERIMENT "/live-stats",
     .role = ROLE_READER,
     .query = &live_stats_query_schema,
     .reply = &live_stats_schema,
     .errors = ERRORS(304, 400),
     .headers = HEADERS("If-None-Match"),
     .handler = live_handle_stats,
     .name = "read_live_stats",
     .tag = "experiments",
     .summary = "Read what an experiment shows so far",
     .help =
         "Answers with an ETag; asked with If-None-Match, 304 while nothing has come in and the "
         "design is the same."},
    {.method = METHOD_GET,
     .path = EXPERIMENT "/slices",
     .role = ROLE_READER,
     .reply = &live_slices_schema,
     .errors = ERRORS(304, 400),
     .headers = HEADERS("If-None-Match"),
     .handler = live_handle_slices,
     .name = "read_slices",
     .tag = "experiments",
     .summary = "Read what an experiment shows in parts of its users",
     .help = "Every metric in every value of the dimensions of the design, and what is discovered "
             "there: at any time, with the false discovery rate that is named. With an ETag as "
             "live-stats."},
    {.method = METHOD_GET,
     .path = EXPERIMENT "/decision",
     .role = ROLE_READER,
     .reply = &live_decision_schema,
     .errors = ERRORS(304, 400),
     .headers = HEADERS("If-None-Match"),
     .handler = live_handle_decision,
     .name = "read_decision",
     .tag = "experiments",
     .summary = "Read what to do",
     .help = "Ship, do not ship or keep running, by the policy practical_v1; with an ETag as "
             "live-stats."},
    {.method = METHOD_POST,
     .path = EXPERIMENT "/looks",
     .role = ROLE_WRITER,
     .body = &look_request_schema,
     .reply = &look_reply_schema,
     .errors = ERRORS(400, 409),
     .handler = live_handle_look,
     .name = "take_look",
     .tag = "experiments",
     .summary = "Take a look by the plan",
     .help = "For designs with planned_looks or hybrid readings. Keeps what every treatment shows "
             "now, if the users "
             "of the next planned look are there; the verdict comes from looks that were taken. "
             "Asked again, nothing is taken before there are new users. 409 no_planned_looks, "
             "too_many_looks."},
    {.method = METHOD_GET,
     .path = EXPERIMENT "/quality",
     .role = ROLE_READER,
     .reply = &live_quality_schema,
     .handler = live_handle_quality,
     .name = "read_quality",
     .tag = "experiments",
     .summary = "Check the data of an experiment",
     .help =
         "The sample ratio over time, days on which less arrived, arms without events, users in "
         "several arms, balance before the experiment, effects by weekday; alarms first."},
    {.method = METHOD_GET,
     .path = EXPERIMENT "/interactions",
     .role = ROLE_READER,
     .traits = TRAIT_HEAVY,
     .query = &interactions_query_schema,
     .reply = &interactions_schema,
     .errors = ERRORS(400),
     .handler = live_handle_interactions,
     .name = "read_interactions",
     .tag = "experiments",
     .summary = "Read whether other experiments change the effect",
     .help = "Per pair of treatments: the effect on the primary metric beside the other treatment, "
             "less the effect beside the other control, among users of both experiments. Goes over "
             "AB_INTERACTION_USERS users at most. 400 same_experiment."},
    {.method = METHOD_GET,
     .path = EXPERIMENT "/error-rates",
     .role = ROLE_READER,
     .reply = &error_rates_schema,
     .handler = live_handle_error_rates,
     .name = "read_error_rates",
     .tag = "experiments",
     .summary = "Read how often the statistics err on these users",
     .help = "The newest measurement, and how far one is that is being made."},
    {.method = METHOD_POST,
     .path = EXPERIMENT "/error-rates",
     .role = ROLE_WRITER,
     .body = &error_rates_request_schema,
     .status = 202,
     .reply = &error_rates_schema,
     .errors = ERRORS(400, 503),
     .handler = live_handle_measure,
     .name = "measure_error_rates",
     .tag = "experiments",
     .summary = "Measure how often the statistics err on these users",
     .help = "Divides the users of the experiment anew over its arms, a thousand times, and counts "
             "how often a difference is found and how often intervals hold the truth. The "
             "program experiments-tasks does it; while one is being made, another order changes "
             "nothing."},
    {.method = METHOD_GET,
     .path = EXPERIMENT "/course",
     .role = ROLE_READER,
     .reply = &course_schema,
     .handler = live_handle_course,
     .name = "read_course",
     .tag = "experiments",
     .summary = "Read people per day, and the effect over time",
     .help = "The last day is what live-stats shows. While events come in, the days may be older: "
             "computed_at and is_current say so."},
    {.method = METHOD_GET,
     .path = EXPERIMENT "/outcome",
     .role = ROLE_READER,
     .reply = &outcomes_reply_schema,
     .handler = live_handle_outcomes,
     .name = "read_outcome",
     .tag = "experiments",
     .summary = "Read what people decided"},
    {.method = METHOD_POST,
     .path = EXPERIMENT "/outcome",
     .role = ROLE_WRITER,
     .body = &outcome_request_schema,
     .reply = &outcomes_reply_schema,
     .errors = ERRORS(400, 409),
     .handler = live_handle_decide,
     .name = "decide",
     .tag = "experiments",
     .summary = "Ship, stop or reopen an experiment",
     .help = "Kept with the project, in the audit log (experiment.ship, experiment.stop, "
             "experiment.reopen), and sent to webhooks. Events are still taken afterwards. 409 "
             "not_decided when there is nothing to reopen."},
    {.method = METHOD_GET,
     .path = EXPERIMENT "/alarms",
     .role = ROLE_READER,
     .reply = &alarms_reply_schema,
     .handler = live_handle_alarms,
     .name = "list_alarms",
     .tag = "experiments",
     .summary = "Read the guardrail alarms of an experiment",
     .help = "Figures of live data that have no users, with their state, value and freshness. A "
             "raised alarm warns beside the verdict and changes none."},
    {.method = METHOD_POST,
     .path = EXPERIMENT "/alarms",
     .role = ROLE_WRITER,
     .body = &alarm_rule_schema,
     .reply = &experiment_alarm_schema,
     .errors = ERRORS(400, 409),
     .handler = live_handle_add_alarm,
     .name = "add_alarm",
     .tag = "experiments",
     .summary = "Let a figure of live data watch an experiment",
     .help = "The program experiments-livedata reads it. 409 alarm_limit_reached when the "
             "experiment has AB_LIVEDATA_ALARMS of them."},
    {.method = METHOD_DELETE,
     .path = EXPERIMENT "/alarms/{alarm_id}",
     .role = ROLE_WRITER,
     .reply = &alarms_reply_schema,
     .errors = ERRORS(400),
     .handler = live_handle_remove_alarm,
     .name = "remove_alarm",
     .tag = "experiments",
     .summary = "Take an alarm away"},
};

static const struct http_family family = {
    .service = &experiments_service, .name = "live", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
