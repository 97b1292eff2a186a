/* The slash command: projects, status <id>, run <id>. */
#ifndef ASSAY_EXPERIMENTS_CHAT_COMMAND_H
#define ASSAY_EXPERIMENTS_CHAT_COMMAND_H

#include "experiments/chat/chat_jobs.h"

/* Runs the command in the text; `reply` is the answer as JSON. Errors of the database. */
MUST_CHECK enum error chat_command(const struct chat_session *session, const char *text,
                                   const char **reply);

/* An active project; `found` false when no active project has that id. */
MUST_CHECK enum error chat_find_project(const struct chat_session *session, const char *id,
                                        struct project *project, bool *found);

/* The reply for an unknown project. */
const char *chat_not_found(const struct chat_format *format, const char *id);

#endif
