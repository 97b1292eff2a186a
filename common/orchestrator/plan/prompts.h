/*
 * Internal prompts: how the service rephrases, splits, merges, debates and compares. Texts of the
 * service are the system part, in the language of the user's prompt (locales/, `prompts`); texts of
 * users and models are the user part. Texts of models are enclosed in delimiters with a random word
 * that no text can know. All texts come from the arena.
 */
#ifndef ASSAY_ORCHESTRATOR_PLAN_PROMPTS_H
#define ASSAY_ORCHESTRATOR_PLAN_PROMPTS_H

#include "base/arena.h"
#include "base/optional.h"
#include "i18n/i18n.h"

enum { SUBTASKS_MAX = 8, VARIATIONS = 9, DELIMITER_MAX = 32 };

/* One turn of a session. */
struct turn {
    const char *prompt;
    const char *output; /* NULL = there was none */
};

struct llm_request;

/* The language and the context of the service's prompts for one user prompt. */
struct phrasing {
    struct arena *arena;
    const struct locale *locale;
    /* The prompt with its roles, if it is a conversation; NULL. */
    const struct llm_request *conversation;
    bool
        asks_for_language; /* no service texts: an instruction to answer in the prompt's language */
    char delimiter[DELIMITER_MAX];
};

/* The parts of a prompt for a model. */
struct asking {
    const char *system; /* NULL = only the user part */
    const char *user;
    const struct llm_request *conversation; /* the conversation whose text is `user`; NULL = none */
};

struct phrasing phrasing_of(struct arena *arena, const char *prompt);

/* Both parts as one text, for models that accept only a prompt. */
const char *asking_as_text(struct arena *arena, const struct asking *asking);

/* The prompt after the previous turns, of which whole lines of at most `max_chars` code points are
 * kept from the end; the prompt itself without turns. */
const char *prompt_in_context(struct arena *arena, const struct turn *turns, size_t count,
                              size_t max_chars, const char *prompt);

struct asking prompt_to_split(const struct phrasing *phrasing, const char *question);

/* The sub-questions in a planner's reply: a JSON array of texts, in a fence or bare. Anything else
 * gives none. At most SUBTASKS_MAX; blank ones are omitted. */
struct string_list parse_subtasks(struct arena *arena, const char *reply);

struct asking prompt_to_synthesize(const struct phrasing *phrasing, const char *question,
                                   const char *const *questions, const char *const *answers,
                                   size_t count);

/* The prompt itself, as a conversation if it is one. */
struct asking prompt_itself(const struct phrasing *phrasing, const char *prompt);

/* The question in its n-th wording (modulo VARIATIONS); 0 is the bare prompt. */
struct asking prompt_variation(const struct phrasing *phrasing, const char *prompt, size_t n);

struct asking prompt_for_position(const struct phrasing *phrasing, const char *topic);
struct asking prompt_to_challenge(const struct phrasing *phrasing, const char *topic,
                                  const char *answer);
struct asking prompt_to_defend(const struct phrasing *phrasing, const char *topic,
                               const char *answer, const char *critique);
struct asking prompt_to_cross(const struct phrasing *phrasing, const char *question,
                              const char *top, const char *answer);
struct asking prompt_to_verify(const struct phrasing *phrasing, const char *question,
                               const char *answer);

/* Answers for comparison, by number and without names. Answer i has the number numbers[i], or i + 1
 * when `numbers` is NULL. Each is truncated to `budget` code points, with a mark after it. */
struct asking prompt_to_compare(const struct phrasing *phrasing, const char *question,
                                const char *const *answers, const size_t *numbers, size_t count,
                                size_t budget);
struct asking prompt_to_rank(const struct phrasing *phrasing, const char *question,
                             const char *const *answers, size_t count, size_t budget);

/* How to continue an interrupted stream: as one prompt, and as the next message of a conversation
 * that ends with the text so far. */
struct asking prompt_to_continue(const struct phrasing *phrasing, const char *prompt,
                                 const char *so_far);
const char *message_to_continue(const struct phrasing *phrasing);

/* The first `most` code points. */
const char *text_beginning(struct arena *arena, const char *text, size_t most);

#endif
