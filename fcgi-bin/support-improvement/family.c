/* Shared by the routes of the family. */
#include "support-improvement/family.h"
#include "base/number.h"
#include "support/programs/data_files.h"

#include <string.h>

enum { LOCK_WAIT_MS = 5000 };

enum error family_call(struct request *request, struct trace_call *call)
{
    const struct document_reader *reader = NULL;
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error = service_reader(request, &reader);
    *call = (struct trace_call){db, request->arena,
                                request->who.tenant ? request->who.tenant : "default",
                                &request->problem, reader};
    return error;
}

struct document_call family_documents(const struct trace_call *call)
{
    return (struct document_call){call->db, call->arena, call->tenant, call->problem, call->reader};
}

bool family_is_operator(const struct request *request)
{
    return request->who.role >= SUPPORT_ADMIN &&
           (!request->who.tenant || strcmp(request->who.tenant, "default") == 0);
}

enum error family_number(struct request *request, const char *text, const char *field,
                         int64_t *number)
{
    return integer_parse(text, number)
               ? ERROR_NONE
               : request_fault(request, "path", field, "int_parsing",
                               "Input should be a valid integer, unable to parse string as an "
                               "integer");
}

enum error family_lock(struct request *request, const char *name, struct arena_guard **lock)
{
    return data_file_lock(request->arena, service_settings(request), name, LOCK_WAIT_MS, lock,
                          &request->problem);
}
