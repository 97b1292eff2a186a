/* Serves the API document of the service, as the launcher composed it, and the metrics. */
#include "http/documents.h"
#include "base/json.h"
#include "http/server.h"
#include "limits/limits.h"

#include <stdlib.h>

/* The document names no server: its paths begin where the service does, below the portal at a
 * prefix. */
static void write_with_server(struct json_writer *writer, json_t *document, const char *prefix)
{
    const char *key;
    json_t *value;

    writer_open_object(writer);
    json_object_foreach(document, key, value)
    {
        writer_key(writer, key);
        writer_value(writer, value);
    }
    writer_key(writer, "servers");
    writer_open_array(writer);
    writer_open_object(writer);
    writer_key_string(writer, "url", prefix);
    writer_close_object(writer);
    writer_close_array(writer);
    writer_close_object(writer);
}

enum error openapi_handle(struct request *request, struct reply *reply)
{
    const char *path = getenv("ASSAY_OPENAPI_FILE"), *prefix = request_prefix(request);
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
    if (*prefix)
        write_with_server(&writer, document, prefix);
    else
        writer_value(&writer, document);
    return ERROR_NONE;
}

enum error metrics_handle(struct request *request, struct reply *reply)
{
    metrics_write(request->server->metrics, &reply->body);
    limits_write_metrics(request->server->region, &reply->body);
    return ERROR_NONE;
}
