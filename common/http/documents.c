/* Serves the API document of the service, as the launcher composed it, and the metrics. */
#include "http/documents.h"
#include "base/json.h"
#include "http/server.h"

#include <stdlib.h>

enum error openapi_handle(struct request *request, struct reply *reply)
{
    const char *path = getenv("ASSAY_OPENAPI_FILE");
    struct json_writer writer;
    json_t *document;
    enum error error;

    if (!path)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "openapi_not_composed",
                           "No API document has been composed");
    error = json_read_file(request->arena, path, &document, &request->problem);
    if (error)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "openapi_not_composed",
                           "The API document cannot be read");
    writer_start(&writer, &reply->body);
    writer_value(&writer, document);
    return ERROR_NONE;
}

enum error metrics_handle(struct request *request, struct reply *reply)
{
    metrics_write(request->server->metrics, &reply->body);
    return ERROR_NONE;
}
