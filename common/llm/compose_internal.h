/* Private to common/llm: what the bodies of requests have in common. */
#ifndef ASSAY_LLM_COMPOSE_INTERNAL_H
#define ASSAY_LLM_COMPOSE_INTERNAL_H

#include "llm/llm_internal.h"

/* Writes the members of a request body into the open object, by protocol. */
struct composition {
    struct json_writer *writer;
    struct arena *arena;
    const struct llm_provider *provider;
    const struct llm_request *request;
};
void compose_openai(const struct composition *composition); /* and Azure, Mistral, Ollama */
void compose_anthropic(const struct composition *composition);
void compose_gemini(const struct composition *composition);

/* Requests for vectors: the body, the path (NULL = the protocol has none), and the answer. False
 * for what is no answer: one vector for each text is. */
void compose_embedding(const struct composition *composition);
const char *embedding_path(struct arena *arena, const struct llm_provider *provider);
bool read_embedding(struct arena *arena, const struct llm_embedding *embedding,
                    const json_t *document, struct llm_answer *answer);

/* Parses JSON from outside, so that invalid JSON cannot break the request body; NULL for none. */
const json_t *compose_read_json(struct arena *arena, const char *json);

/* Writes JSON from outside, `{}` when it is invalid. */
void compose_json(const struct composition *composition, const char *json);

/* Writes further members, if they have the form of the protocol. */
void compose_more(const struct composition *composition, const json_t *more);

/* Whether a message belongs to the system prompt. */
bool compose_is_system(const struct llm_message *message);

/* The texts of the system prompt, with the wish for a format where no other way is left; NULL. */
const char *compose_system(const struct composition *composition);

/* The schema that the answer must match; NULL for none. `*is_json` when the answer must be JSON. */
const json_t *compose_format(struct arena *arena, const struct llm_request *request, bool *is_json);

/* The schema of the tool whose call is the answer; NULL when there is no such tool. */
const json_t *compose_answer_schema(struct arena *arena, const struct llm_request *request);

/* The tool choice in OpenAI's form: a word, or the name of a function. Both NULL = none. */
void compose_tool_choice(struct arena *arena, const struct llm_request *request, const char **word,
                         const char **function);

/* Tokens for thinking: -1 = the request does not say; 0 = none. */
int64_t compose_thinking_budget(const struct llm_request *request);

/* The effort in OpenAI's words; NULL = the request does not say. */
const char *compose_effort(const struct llm_request *request);

#endif
