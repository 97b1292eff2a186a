/* Reads the model list through the browser's process and stores it. */
#include "orchestrator/dispatch/model_list_refresh.h"

#include "orchestrator/browser/ask.h"
#include "orchestrator/storage/model_list_store.h"

enum error model_list_refresh(const struct orchestrator_settings *settings,
                              const char *run_directory, struct db *db, struct arena *arena,
                              struct problem *problem)
{
    struct string_list labels;
    const char *message =
        browser_ask_model_list(arena, run_directory, settings->browser_call_seconds, &labels);

    if (message)
        return problem_set(problem, ERROR_UNAVAILABLE, "menu_not_read", "%s", message);
    return model_list_save(db, arena, &labels, problem);
}
