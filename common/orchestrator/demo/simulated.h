/*
 * The simulated models of the demonstration: what they are called, and what they answer. Answers
 * are texts of config/demo/<language>/models.yaml, in the language of the prompt. Nothing leaves
 * this host.
 */
#ifndef ASSAY_ORCHESTRATOR_DEMO_SIMULATED_H
#define ASSAY_ORCHESTRATOR_DEMO_SIMULATED_H

#include "base/demo_files.h"
#include "i18n/i18n.h"
#include "orchestrator/models/catalog.h"

/* One answer in the manner of each model that works. */
struct simulated_answers {
    const char *swift, *scribe, *sage;
};

struct simulated_topic {
    const char *prompt;       /* an example, for the history of tasks */
    struct string_list words; /* a prompt with one of them is about the topic */
    const struct simulated_answers *answers;
};

struct simulated_texts {
    const char *comparison;                /* what a model says when it compares answers */
    const struct simulated_answers *other; /* about anything else; {{prompt}} is the prompt */
    OBJECT_LIST(struct simulated_topic, topics);

    const struct locale *locale; /* of the language */
};

/* Errors of demo_file_read(). */
MUST_CHECK enum error simulated_texts_read(struct arena *arena, const struct demo_files *files,
                                           struct simulated_texts *texts, struct problem *problem);

/* How a model behaves. */
struct simulated_model {
    const char *id; /* as in config/demo/models.json */
    int first_ms;   /* until the first word */
    int word_ms;
    bool fails; /* its provider is always unavailable */
    const char *(*answer)(const struct simulated_answers *answers);
};

/* NULL when there is no such model. */
const struct simulated_model *simulated_find(const char *id);

/* The answer of a model to a prompt, from the arena. `system` may be NULL. */
const char *simulated_answer(struct arena *arena, const struct simulated_texts *texts,
                             const struct simulated_model *model, const char *system,
                             const char *prompt);

/* Whether the prompt is the service's own, in the language of `texts`: to compare or rank answers.
 */
bool simulated_is_judging(struct arena *arena, const struct simulated_texts *texts,
                          const char *prompt);

/* A rough count of tokens. */
int64_t simulated_tokens(const char *text);

/* Adds the models to a catalog, before those of APIs, at the loopback port of the program
 * `demo-models`. */
MUST_CHECK enum error simulated_add_models(struct arena *arena, const char *sql_directory,
                                           int64_t port, struct catalog *catalog,
                                           struct problem *problem);

#endif
