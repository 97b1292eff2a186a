/* Private to fcgi-bin/support-improvement: routes of experiments and of regression runs. */
#ifndef ASSAY_SUPPORT_IMPROVEMENT_EXPERIMENTS_H
#define ASSAY_SUPPORT_IMPROVEMENT_EXPERIMENTS_H

#include "http/request.h"

extern const struct schema experiments_schema, experiment_schema, experiment_new_schema,
    experiment_changed_schema, experiment_settings_schema, stage_query_schema, deployed_schema,
    rolled_back_schema, assignment_body_schema, assigned_schema, assignments_schema,
    comparison_query_schema, comparison_schema, run_query_schema, run_started_schema,
    runs_query_schema, runs_schema, run_schema;

enum error experiments_handle(struct request *request, struct reply *reply);
enum error experiment_settings_handle(struct request *request, struct reply *reply);
enum error experiment_handle(struct request *request, struct reply *reply);
enum error experiment_new_handle(struct request *request, struct reply *reply);
enum error experiment_stage_handle(struct request *request, struct reply *reply);
enum error experiment_deploy_handle(struct request *request, struct reply *reply);
enum error experiment_rollback_handle(struct request *request, struct reply *reply);
enum error experiment_archive_handle(struct request *request, struct reply *reply);
enum error experiment_assign_handle(struct request *request, struct reply *reply);
enum error experiment_assignments_handle(struct request *request, struct reply *reply);
enum error comparison_handle(struct request *request, struct reply *reply);

enum error run_start_handle(struct request *request, struct reply *reply);
enum error runs_handle(struct request *request, struct reply *reply);
enum error run_handle(struct request *request, struct reply *reply);

#endif
