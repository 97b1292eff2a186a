/* Prompts that a support team would keep. */
#include "orchestrator/demo/prompts.h"

#include "orchestrator/storage/prompt_template_store.h"

static const struct prompt_template versions[] = {
    {.name = "late-order",
     .messages =
         "[{\"role\":\"system\",\"content\":\"You write short e-mails for an online shop.\\n"
         "Be {{tone}}.\"},{\"role\":\"user\",\"content\":\"Write to {{customer}}: the order "
         "{{order}} is late.\"}]"},
    {.name = "late-order",
     .messages =
         "[{\"role\":\"system\",\"content\":\"You write short e-mails for an online shop.\\n"
         "Be {{tone}}.\\nNever promise a date of delivery.\"},{\"role\":\"user\",\"content\":"
         "\"Write to {{customer}}: the order {{order}} is late.\"}]",
     .production = true},
    {.name = "summary",
     .messages =
         "[{\"role\":\"user\",\"content\":\"Summarize this in {{sentences}} sentences:\\n\\n"
         "{{text}}\"}]"},
};

enum error demo_prompts_make(struct db *db, struct arena *arena, struct problem *problem)
{
    const struct prompt_template_call call = {db, arena, problem};
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < COUNT_OF(versions); i++) {
        struct prompt_template added = versions[i];

        error = prompt_template_add(&call, &added);
    }
    return error;
}
