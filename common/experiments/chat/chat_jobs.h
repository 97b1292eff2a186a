/*
 * Jobs (jobs/job.h) of the chat app: analyses and messages take longer than the chat platform waits
 * for an answer. The program webhook-deliver runs them. The transaction that stores an analysis
 * also enqueues its message, so that a message is sent exactly when the analysis is stored.
 */
#ifndef ASSAY_EXPERIMENTS_CHAT_CHAT_JOBS_H
#define ASSAY_EXPERIMENTS_CHAT_CHAT_JOBS_H

#include "experiments/chat/message.h"
#include "jobs/job.h"

/* The context of the jobs. */
struct chat_job_context {
    const struct experiments_settings *settings;
    const struct locale *locale;
};

extern const struct job_kind chat_analysis_kind, chat_post_kind, chat_message_kind;

/* The job kind with the number of attempts of the settings. */
struct job_kind chat_kind(const struct job_kind *kind, const struct experiments_settings *settings);

/* A user of the platform who sent a command. Texts live as long as the arena. */
struct chat_session {
    const struct experiments_settings *settings;
    struct db *db;
    const struct chat_format *format;
    struct actor actor;
    const char *team_id;      /* NULL = unknown */
    const char *key;          /* identifies this call; a repeated call has the same key */
    const char *response_url; /* verified; NULL = none */
    struct problem *problem;
};

/* Enqueues an analysis of a project, in its own transaction or the caller's. */
MUST_CHECK enum error chat_enqueue_analysis(const struct chat_session *session,
                                            const char *project_id);

/* Enqueues a message to the session's response URL; does nothing if there is none. */
MUST_CHECK enum error chat_enqueue_message(const struct chat_session *session, const char *message);

/* Enqueues a post to a channel with the token of the session's team. */
MUST_CHECK enum error chat_enqueue_post(const struct chat_session *session, const char *message);

/* Deletes ended jobs older than the settings allow. */
MUST_CHECK enum error chat_purge_jobs(struct db *db, const struct experiments_settings *settings,
                                      struct problem *problem);

#endif
