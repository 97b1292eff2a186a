/* What models are asked between the lines: how a prompt is put to them in other words, split, put
 * together again, debated and compared. All texts come from the arena. */
#ifndef ASSAY_ORCHESTRATOR_PLAN_PROMPTS_H
#define ASSAY_ORCHESTRATOR_PLAN_PROMPTS_H

#include "base/arena.h"
#include "base/optional.h"

enum { SUBTASKS_MAX = 8, VARIATIONS = 9 };

/* One turn of a session. */
struct turn {
    const char *prompt;
    const char *output; /* NULL = there was none */
};

/* The prompt with the turns before it, cut to whole lines of at most `max_chars` code points from
 * their end; the prompt itself without turns. */
const char *prompt_in_context(struct arena *arena, const struct turn *turns, size_t count,
                              size_t max_chars, const char *prompt);

const char *prompt_to_split(struct arena *arena, const char *question);

/* The sub-questions of a planner's reply: a JSON array of texts, in a fence or bare. None when it
 * is anything else. At most SUBTASKS_MAX, blank ones left out. */
struct string_list parse_subtasks(struct arena *arena, const char *reply);

const char *prompt_to_synthesize(struct arena *arena, const char *question,
                                 const char *const *questions, const char *const *answers,
                                 size_t count);

/* The same question put in the n-th way (modulo VARIATIONS); 0 is the bare prompt. */
const char *prompt_variation(struct arena *arena, const char *prompt, size_t n);

const char *prompt_for_position(struct arena *arena, const char *topic);
const char *prompt_to_challenge(struct arena *arena, const char *topic, const char *answer);
const char *prompt_to_defend(struct arena *arena, const char *topic, const char *answer,
                             const char *critique);
const char *prompt_to_cross(struct arena *arena, const char *question, const char *top,
                            const char *answer);

/* Answers side by side, each by its first code points. */
const char *prompt_to_compare(struct arena *arena, const char *question, const char *const *models,
                              const char *const *answers, size_t count);
const char *prompt_to_rank(struct arena *arena, const char *question, const char *const *answers,
                           size_t count);

/* How a stream that broke off is gone on with. */
const char *prompt_to_continue(struct arena *arena, const char *prompt, const char *so_far);

/* The first `most` code points. */
const char *text_beginning(struct arena *arena, const char *text, size_t most);

#endif
