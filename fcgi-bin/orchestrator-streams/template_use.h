/* Stored templates in requests: `"template": {"name": ..., "version": 3, "variables": {...}}`, and
 * the same as OpenAI's `"prompt": {"id": ..., "version": "3", "variables": {...}}`. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_TEMPLATE_USE_H
#define ASSAY_ORCHESTRATOR_STREAMS_TEMPLATE_USE_H

#include "http/request.h"

/* How a request names a template. */
struct template_reference {
    const json_t *value; /* NULL or null = it names none */
    const char *member;  /* of the request: "template" */
    const char *name;    /* the member with its name: "name" */
};

/* The one reference of a request; sets a fault if it has both. */
MUST_CHECK enum error prompt_template_named(struct request *request, const json_t *template,
                                            const json_t *prompt,
                                            struct template_reference *reference);

/* The messages of the template, filled in, followed by those of the request (NULL = none).
 * `*version` identifies the template's version. Sets a fault of the request for a template that
 * does not exist and for a variable without a value. */
MUST_CHECK enum error prompt_template_use(struct request *request,
                                          const struct template_reference *wanted,
                                          const json_t *messages, const json_t **all,
                                          const char **version);

#endif
