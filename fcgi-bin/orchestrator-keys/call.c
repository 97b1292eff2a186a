/* What handlers of this family share. */
#include "orchestrator-keys/call.h"

#include "base/text.h"

#include <string.h>

enum error keys_begin(struct request *request, struct key_store_call *call)
{
    *call = (struct key_store_call){.arena = request->arena, .problem = &request->problem};
    return service_database(request, &call->db);
}

enum error keys_begin_change(struct request *request, struct key_store_call *call)
{
    enum error error = keys_begin(request, call);

    return error ? error : db_begin(call->db, DB_WRITE, call->problem);
}

enum error keys_show(struct request *request, const struct object_list *list, size_t size,
                     const char *id, struct reply *reply)
{
    const char *items = list->items;

    for (size_t i = 0; i < list->count; i++) {
        const char *const *found = (const char *const *)(items + i * size);

        if (strcmp(*found, id) != 0)
            continue;
        reply->object = found;
        return ERROR_NONE;
    }
    return problem_set(&request->problem, ERROR_NOT_FOUND, "not_found", "Not Found");
}

enum error keys_check_name(struct request *request, const char **name)
{
    const char *start = *name + strspn(*name, " \t\r\n");
    size_t length = strlen(start);

    while (length && strchr(" \t\r\n", start[length - 1]))
        length--;
    if (!length)
        return request_fault(request, "body", "name", "value_error",
                             "Value error, The name must not be blank.");
    *name = arena_copy(request->arena, start, length);
    return ERROR_NONE;
}
