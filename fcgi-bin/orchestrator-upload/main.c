/* The orchestrator, family upload: prompts with files. A worker reads the files and then waits for
 * the models, one request at a time, because reading waits without letting others run. */
#include "orchestrator-upload/upload.h"
#include "orchestrator/service.h"
#include "orchestrator/task_answer.h"

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/api/v1/orchestrate/upload",
     .traits = TRAIT_PROMPT,
     .role = ORCHESTRATOR_CALLER,
     .body_limit = LIMIT_UPLOAD_BODY,
     .form = &upload_form,
     .reply = &task_answer_schema,
     .errors = ERRORS(429, 501, 503, 504),
     .handler = upload_handle,
     .name = "orchestrate_upload",
     .tag = "orchestration",
     .summary = "The same with files",
     .help =
         "Texts and PDFs become part of the prompt; pictures go with it to models that take them."},
};

static const struct http_family family = {
    .service = &orchestrator_service, .name = "upload", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
