/* The experiments service, family files: analyses of uploaded files, at once and as tasks, in a
 * pool of their own because they are large and take seconds. Routes only. */
#include "experiments-files/results_file.h"
#include "experiments-files/tasks.h"
#include "experiments/datafiles/data_task.h"
#include "experiments/service.h"

#include <stdlib.h>

/* When processors are scarce, the quick families have priority. */
enum { NICENESS = 10 };

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/api/v1/results/file",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS | TRAIT_HEAVY,
     .body_limit = LIMIT_DATA,
     .form = &results_file_form,
     .reply = &data_reply_schema,
     .errors = ERRORS(400, 413, 429, 503),
     .handler = results_file_handle,
     .name = "results_file",
     .tag = "calculations",
     .summary = "Analyse a file of users",
     .help = "CSV or NDJSON with one user per record, two to ten arms, covariates if there are "
             "any. Rows that cannot be used are counted, the first ones named with their lines. "
             "Nothing is stored. 429 with Retry-After while as many files are analyzed as "
             "AB_DATA_UPLOADS says. What may take longer than a client waits is a task: POST "
             "/api/v1/results/file/tasks."},
    {.method = METHOD_POST,
     .path = "/api/v1/results/file/tasks",
     .role = ROLE_READER,
     .traits = TRAIT_TASK | TRAIT_HEAVY,
     .body_limit = LIMIT_DATA,
     .form = &results_file_form,
     .status = 202,
     .reply = &data_task_schema,
     .errors = ERRORS(400, 413, 429, 503),
     .handler = task_handle_order,
     .name = "order_results_file",
     .tag = "calculations",
     .summary = "Analyse a file of users after the answer",
     .help = "The same form as /api/v1/results/file. The file is kept on this host until the "
             "program experiments-tasks has analyzed it, one at a time; GET says how far it is. "
             "429 with Retry-After while the files that wait have the room of "
             "AB_DATA_TASKS_BYTES."},
    {.method = METHOD_GET,
     .path = "/api/v1/results/file/tasks/{task_id}",
     .role = ROLE_READER,
     .reply = &data_task_schema,
     .errors = ERRORS(503),
     .handler = task_handle_read,
     .name = "read_results_file_task",
     .tag = "calculations",
     .summary = "How far is the analysis of a file?",
     .help = "Kept for AB_DATA_TASK_SECONDS after its end; whoever knows the id may read it."},
    {.method = METHOD_DELETE,
     .path = "/api/v1/results/file/tasks/{task_id}",
     .role = ROLE_READER,
     .traits = TRAIT_TASK,
     .reply = &data_task_schema,
     .errors = ERRORS(503),
     .handler = task_handle_delete,
     .name = "delete_results_file_task",
     .tag = "calculations",
     .summary = "Call the analysis of a file off",
     .help = "Forgets what it found, too. Answers what the task was."},
};

static const struct http_family family = {
    .service = &experiments_service, .name = "files", ROUTES(routes), .niceness = NICENESS};

/* A gigabyte takes longer to receive than the bodies of other families; a value of the operator's
 * holds for this one too. */
int main(int argc, char **argv)
{
    setenv("ASSAY_RECEIVE_SECONDS", "300", 0);
    return responder_main(argc, argv, &family);
}
