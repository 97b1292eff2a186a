/* Fills in the detail of a failure. Must not allocate: it runs when memory is short. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

enum error problem_set(struct problem *problem, enum error error, const char *reason,
                       const char *format, ...)
{
    if (problem) {
        va_list arguments;

        problem->error = error;
        problem->reason = reason;
        va_start(arguments, format);
        vsnprintf(problem->text, sizeof problem->text, format, arguments);
        va_end(arguments);
    }
    return error;
}
