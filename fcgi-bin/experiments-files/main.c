/* The experiments service, family files: analyses of uploaded files, in a pool of their own because
 * they are large and take seconds. Routes only. */
#include "experiments-files/results_file.h"
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
             "AB_DATA_UPLOADS says."},
};

static const struct http_family family = {.service = &experiments_service,
                                          .name = "files",
                                          ROUTES(routes),
                                          .without_storage = true,
                                          .niceness = NICENESS};

/* A gigabyte takes longer to receive than the bodies of other families; a value of the operator's
 * holds for this one too. */
int main(int argc, char **argv)
{
    setenv("ASSAY_RECEIVE_SECONDS", "300", 0);
    return responder_main(argc, argv, &family);
}
