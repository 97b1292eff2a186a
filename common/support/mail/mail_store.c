/* Received and sent e-mail. */
#include "support/mail/mail_store.h"
#include "base/text.h"
#include "crypto/token.h"
#include "db/query.h"

#include <stdio.h>
#include <string.h>

enum { REFERENCES_KEPT = 20, SECONDS_A_DAY = 86400, IDS_MOST = 16384 };

const struct job_kind mail_answer_job = {.name = "support.email_answer"},
                      mail_send_job = {.name = "support.email_send"};

#define OWNER struct received_mail
static const struct field received_fields[] = {
    STRING(OWNER, id),         STRING(OWNER, tenant_id),     STRING(OWNER, sender),
    STRING(OWNER, subject),    STRING(OWNER, body),          BOOLEAN(OWNER, is_html),
    STRING(OWNER, message_id), STRING(OWNER, reference_ids), STRING(OWNER, state)};
#undef OWNER
static SCHEMA(received_schema, struct received_mail, "ReceivedMail", received_fields);

#define OWNER struct sent_mail
static const struct field sent_fields[] = {
    STRING(OWNER, id),         STRING(OWNER, tenant_id),   STRING(OWNER, session_id),
    STRING(OWNER, message_id), STRING(OWNER, address),     STRING(OWNER, subject),
    STRING(OWNER, body),       STRING(OWNER, in_reply_to), STRING(OWNER, reference_ids),
    STRING(OWNER, state),      BOOLEAN(OWNER, automatic)};
#undef OWNER
static SCHEMA(sent_schema, struct sent_mail, "SentMail", sent_fields);

struct thread {
    const char *address, *subject, *last_message_id, *reference_ids, *id_domain;
};

#define OWNER struct thread
static const struct field thread_fields[] = {
    STRING(OWNER, address), STRING(OWNER, subject), STRING(OWNER, last_message_id),
    STRING(OWNER, reference_ids), STRING(OWNER, id_domain)};
#undef OWNER
static SCHEMA(thread_schema, struct thread, "MailThread", thread_fields);

static const struct statement insert_received = {
    .name = "email_receive",
    .sql = "INSERT INTO email_received (id, message_key, tenant_id, sender, subject, body, is_html,"
           " message_id, reference_ids, state, ignored_because, received_at)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {now})"
           " ON CONFLICT (message_key) DO NOTHING",
};
static const struct statement find_received = {
    .name = "email_find",
    .sql = "SELECT id, tenant_id, sender, subject, body, is_html, message_id, reference_ids, state"
           " FROM email_received WHERE id = ?",
};
static const struct statement find_session = {
    .name = "email_find_session",
    .sql = "SELECT i.session_id FROM email_message_ids i JOIN email_threads t"
           " ON t.tenant_id = i.tenant_id AND t.session_id = i.session_id"
           " WHERE i.tenant_id = ? AND i.message_id = ? AND lower(t.address) = lower(?)",
};
static const struct statement finish_received = {
    .name = "email_finish",
    .sql = "UPDATE email_received SET state = 'handled', session_id = ?"
           " WHERE id = ? AND state = 'waiting'",
};
static const struct statement put_thread = {
    .name = "email_thread_put",
    .sql = "INSERT INTO email_threads (tenant_id, session_id, address, subject, last_message_id,"
           " reference_ids, id_domain) VALUES (?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (tenant_id, session_id)"
           " DO UPDATE SET last_message_id = excluded.last_message_id,"
           " reference_ids = excluded.reference_ids, id_domain = excluded.id_domain",
};
static const struct statement find_thread = {
    .name = "email_thread_find",
    .sql = "SELECT address, subject, last_message_id, reference_ids, id_domain FROM email_threads"
           " WHERE tenant_id = ? AND session_id = ?",
};
static const struct statement add_id = {
    .name = "email_message_id_add",
    .sql = "INSERT INTO email_message_ids (tenant_id, message_id, session_id) VALUES (?, ?, ?)"
           " ON CONFLICT (tenant_id, message_id) DO NOTHING",
};
static const struct statement insert_sent = {
    .name = "email_queue",
    .sql = "INSERT INTO email_sent (id, tenant_id, session_id, message_id, address, subject, body,"
           " in_reply_to, reference_ids, automatic, state, created_at)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', {now})",
};
static const struct statement count_automatic = {
    .name = "email_count_automatic",
    .sql = "SELECT count(*) FROM email_sent WHERE address = ? AND automatic = 1"
           " AND created_at >= {now_plus:?}",
};
static const struct statement find_sent = {
    .name = "email_find_sent",
    .sql = "SELECT id, tenant_id, session_id, message_id, address, subject, body, in_reply_to,"
           " reference_ids, state, automatic FROM email_sent WHERE id = ?",
};
static const struct statement mark_sent = {
    .name = "email_mark_sent",
    .sql = "UPDATE email_sent SET state = ? WHERE id = ?",
};
static const struct statement forget = {
    .name = "email_forget",
    .sql = "DELETE FROM email_received WHERE id IN (SELECT id FROM email_received"
           " WHERE received_at < {now_plus:?} AND session_id IS NULL AND state <> 'waiting'"
           " ORDER BY received_at LIMIT 500)",
};

static enum error insert(const struct mail_call *call, const char *id,
                         const struct received_mail *mail, bool *added)
{
    struct query *query = db_query(call->db, &insert_received);

    query_bind_text(query, id);
    query_bind_text(query, mail->message_key);
    query_bind_text(query, mail->tenant_id);
    query_bind_text(query, mail->sender);
    query_bind_text(query, mail->subject);
    query_bind_text(query, mail->body);
    query_bind_boolean(query, mail->is_html);
    query_bind_text(query, mail->message_id);
    query_bind_text(query, mail->reference_ids);
    query_bind_text(query, mail->ignored_because ? "ignored" : "waiting");
    query_bind_text(query, mail->ignored_because);
    *added = query_changes(query) > 0;
    return query_end(query, call->problem);
}

enum error mail_receive(const struct mail_call *call, const struct received_mail *mail, bool *added)
{
    char id[TOKEN_UUID_TEXT];
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    token_uuid(id);
    error = insert(call, id, mail, added);
    if (!error && *added && !mail->ignored_because)
        error = job_add(call->db, &mail_answer_job, &(struct job_spec){.key = id, .payload = "{}"},
                        NULL, call->problem);
    return db_finish(call->db, error, call->problem);
}

static enum error not_found(const struct mail_call *call)
{
    return problem_set(call->problem, ERROR_NOT_FOUND, "mail_not_found", "there is no such mail");
}

static enum error find_one(const struct mail_call *call, const struct statement *statement,
                           const char *id, const struct schema *schema, void *object)
{
    struct query *query = db_query(call->db, statement);
    bool found;
    enum error error;

    query_bind_text(query, id);
    error = query_read_one(query, schema, object, call->arena, &found, call->problem);
    return error || found ? error : not_found(call);
}

enum error mail_find(const struct mail_call *call, const char *id, struct received_mail *mail)
{
    return find_one(call, &find_received, id, &received_schema, mail);
}

static enum error find_by_id(const struct mail_call *call, const char *message_id,
                             const char *sender, const char **session_id)
{
    struct query *query = db_query(call->db, &find_session);

    query_bind_text(query, call->tenant);
    query_bind_text(query, message_id);
    query_bind_text(query, sender);
    if (query_next(query))
        *session_id = query_text(query, 0, call->arena);
    return query_end(query, call->problem);
}

enum error mail_find_session(const struct mail_call *call, const struct received_mail *mail,
                             const char **session_id)
{
    enum error error = ERROR_NONE;

    *session_id = NULL;
    for (const char *at = mail->reference_ids; *at && !*session_id && !error;) {
        size_t length = strcspn(at, " ");

        error = find_by_id(call, arena_copy(call->arena, at, length), mail->sender, session_id);
        at += length + strspn(at + length, " ");
    }
    return error;
}

static enum error finish(const struct mail_call *call, const char *id, const char *session_id)
{
    struct query *query = db_query(call->db, &finish_received);
    bool finished;
    enum error error;

    query_bind_text(query, session_id);
    query_bind_text(query, id);
    finished = query_changes(query) > 0;
    error = query_end(query, call->problem);
    if (error || finished)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "mail_handled",
                       "another process has handled the mail");
}

static enum error add_message_id(const struct mail_call *call, const char *message_id,
                                 const char *session_id)
{
    struct query *query = db_query(call->db, &add_id);

    query_bind_text(query, call->tenant);
    query_bind_text(query, message_id);
    query_bind_text(query, session_id);
    return query_end(query, call->problem);
}

/* The last ids, with one more at the end. */
static const char *with_id(struct arena *arena, const char *ids, const char *id)
{
    size_t count = 0;
    struct text text;

    text_start(&text, arena, IDS_MOST);
    for (const char *at = ids; *at; at++)
        count += *at == ' ';
    for (; count + 2 > REFERENCES_KEPT && strchr(ids, ' '); count--)
        ids = strchr(ids, ' ') + 1;
    text_append_string(&text, ids);
    if (*id)
        text_append_format(&text, "%s%s", *ids ? " " : "", id);
    return text.bytes;
}

static enum error store_thread(const struct mail_call *call, const char *session_id,
                               const struct thread *thread)
{
    struct query *query = db_query(call->db, &put_thread);

    query_bind_text(query, call->tenant);
    query_bind_text(query, session_id);
    query_bind_text(query, thread->address);
    query_bind_text(query, thread->subject);
    query_bind_text(query, thread->last_message_id);
    query_bind_text(query, thread->reference_ids);
    query_bind_text(query, thread->id_domain);
    return query_end(query, call->problem);
}

static enum error read_thread(const struct mail_call *call, const char *session_id,
                              struct thread *thread, bool *found)
{
    struct query *query = db_query(call->db, &find_thread);

    query_bind_text(query, call->tenant);
    query_bind_text(query, session_id);
    return query_read_one(query, &thread_schema, thread, call->arena, found, call->problem);
}

enum error mail_join(const struct mail_call *call, const struct received_mail *mail,
                     const char *session_id, const char *domain)
{
    struct thread thread = {mail->sender, mail->subject, mail->message_id, "", domain};
    bool found;
    enum error error = finish(call, mail->id, session_id);

    if (!error)
        error = read_thread(call, session_id, &thread, &found);
    if (error)
        return error;
    thread.reference_ids = with_id(call->arena, thread.reference_ids, mail->message_id);
    thread.last_message_id = mail->message_id;
    thread.id_domain = domain;
    error = store_thread(call, session_id, &thread);
    if (!error && *mail->message_id)
        error = add_message_id(call, mail->message_id, session_id);
    return error;
}

static enum error put_sent(const struct mail_call *call, const struct sent_mail *mail)
{
    struct query *query = db_query(call->db, &insert_sent);

    query_bind_text(query, mail->id);
    query_bind_text(query, call->tenant);
    query_bind_text(query, mail->session_id);
    query_bind_text(query, mail->message_id);
    query_bind_text(query, mail->address);
    query_bind_text(query, mail->subject);
    query_bind_text(query, mail->body);
    query_bind_text(query, mail->in_reply_to);
    query_bind_text(query, mail->reference_ids);
    query_bind_boolean(query, mail->automatic);
    return query_end(query, call->problem);
}

enum error mail_queue(const struct mail_call *call, const char *session_id, const char *body,
                      bool automatic)
{
    char id[TOKEN_UUID_TEXT];
    struct thread thread;
    struct sent_mail mail = {.id = id, .session_id = session_id, .body = body};
    bool found;
    enum error error = read_thread(call, session_id, &thread, &found);

    if (error || !found)
        return error;
    token_uuid(id);
    mail.message_id = arena_print(call->arena, "%s@%s", id, thread.id_domain);
    mail.address = thread.address;
    mail.subject = thread.subject;
    mail.in_reply_to = thread.last_message_id;
    mail.reference_ids = thread.reference_ids;
    mail.automatic = automatic;
    error = put_sent(call, &mail);
    if (!error)
        error = add_message_id(call, mail.message_id, session_id);
    thread.reference_ids = with_id(call->arena, thread.reference_ids, mail.message_id);
    if (!error)
        error = store_thread(call, session_id, &thread);
    if (!error)
        error = job_add(call->db, &mail_send_job, &(struct job_spec){.key = id, .payload = "{}"},
                        NULL, call->problem);
    return error;
}

enum error mail_count_automatic(const struct mail_call *call, const char *address, int64_t seconds,
                                int64_t *count)
{
    struct query *query = db_query(call->db, &count_automatic);

    query_bind_text(query, address);
    query_bind_number(query, -(double)seconds);
    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

enum error mail_find_sent(const struct mail_call *call, const char *id, struct sent_mail *mail)
{
    return find_one(call, &find_sent, id, &sent_schema, mail);
}

enum error mail_mark_sent(const struct mail_call *call, const char *id, const char *state)
{
    struct query *query = db_query(call->db, &mark_sent);

    query_bind_text(query, state);
    query_bind_text(query, id);
    return query_end(query, call->problem);
}

enum error mail_forget(const struct mail_call *call, int64_t days)
{
    struct query *query;

    if (!days)
        return ERROR_NONE;
    query = db_query(call->db, &forget);
    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    return query_end(query, call->problem);
}
