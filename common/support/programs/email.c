/* Receivers and server of e-mail notifications. */
#include "support/programs/email.h"
#include "net/mail.h"

static struct mail_server server_of(const struct support_settings *settings)
{
    return (struct mail_server){
        .host = settings->report_smtp_host ? settings->report_smtp_host : settings->smtp_host,
        .port = settings->report_smtp_port ? settings->report_smtp_port : settings->smtp_port,
        .user = settings->report_smtp_user ? settings->report_smtp_user : settings->smtp_user,
        .password = settings->report_smtp_password ? settings->report_smtp_password
                                                   : settings->smtp_password,
        .ca_file = settings->smtp_ca_file,
        .seconds = settings->smtp_timeout};
}

static enum error send(struct arena *arena, const struct support_settings *settings,
                       struct mail *mail, struct problem *problem)
{
    const struct mail_server server = server_of(settings);

    if (!mail->to.count)
        return ERROR_NONE;
    if (!server.host)
        return problem_set(problem, ERROR_INVALID, "no_mail_server",
                           "there are receivers of mail, and no SMTP_HOST");
    mail->from = settings->smtp_from;
    return mail_send(arena, &server, mail, problem);
}

enum error email_report_readers(struct arena *arena, const struct support_settings *settings,
                                const char *subject, const char *text, struct problem *problem)
{
    struct mail mail = {.to = settings->report_readers, .subject = subject, .text = text};

    return send(arena, settings, &mail, problem);
}

enum error email_tenant_admin(struct arena *arena, const struct support_settings *settings,
                              const char *subject, const char *text, struct problem *problem)
{
    const char *admin[] = {settings->tenant_admin_email};
    struct mail mail = {.to = {admin[0] ? 1 : 0, admin}, .subject = subject, .text = text};

    return send(arena, settings, &mail, problem);
}
