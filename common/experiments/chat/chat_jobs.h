/*
 * What the chat platform asks for and what takes longer than it waits: analyses and messages are
 * jobs (jobs/job.h) that webhook-deliver runs. A message is added in the transaction that ends what
 * it tells of, so that nothing is done in silence and nothing told that was not done.
 */
#ifndef ASSAY_EXPERIMENTS_CHAT_CHAT_JOBS_H
#define ASSAY_EXPERIMENTS_CHAT_CHAT_JOBS_H

#include "experiments/chat/message.h"
#include "jobs/job.h"

/* The `context` of their runs. */
struct chat_job_context {
    const struct experiments_settings *settings;
    const struct locale *locale;
};

extern const struct job_kind chat_analysis_kind, chat_post_kind, chat_message_kind;

/* One of them as it is run: with as many attempts as the settings give. */
struct job_kind chat_kind(const struct job_kind *kind, const struct experiments_settings *settings);

/* Somebody on the platform who asks. Texts live as long as the arena. */
struct chat_session {
    const struct experiments_settings *settings;
    struct db *db;
    const struct chat_format *format;
    struct actor actor;
    const char *team_id;      /* NULL = not told */
    const char *key;          /* of this call: the same again is the same */
    const char *response_url; /* checked; NULL = there is none */
    struct problem *problem;
};

/* Orders an analysis of a project, in a transaction of its own or the caller's. */
MUST_CHECK enum error chat_enqueue_analysis(const struct chat_session *session,
                                            const char *project_id);

/* Orders a message to the session's response URL; nothing where it has none. */
MUST_CHECK enum error chat_enqueue_message(const struct chat_session *session, const char *message);

/* Orders a post to a channel by the installation of the session's team. */
MUST_CHECK enum error chat_enqueue_post(const struct chat_session *session, const char *message);

/* Forgets orders that ended as long ago as the settings say. */
MUST_CHECK enum error chat_purge_jobs(struct db *db, const struct experiments_settings *settings,
                                      struct problem *problem);

#endif
