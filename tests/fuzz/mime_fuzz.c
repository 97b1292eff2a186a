/* E-mails of any bytes, as the mailbox gives them: the message, its values, the words of it. */
#include "fuzz.h"

#include "base/text.h"
#include "documents/mail_quotes.h"
#include "documents/mime.h"
#include "support/mail/mail_rules.h"

#include <string.h>

enum { INPUT_MEMORY_MAX = 1 << 28, TEXT_MOST = 4096, SUBJECT_POINTS = 100 };

static void check_text(const char *text)
{
    PROMISE(utf8_valid_prefix(text, strlen(text)) == strlen(text), "a text is UTF-8");
    for (; *text; text++)
        PROMISE((unsigned char)*text >= ' ' || *text == '\n' || *text == '\t',
                "a text has no control characters");
}

static void check_ids(const char *ids)
{
    for (; *ids; ids++)
        PROMISE(*ids >= ' ' && *ids <= '~' && *ids != '<' && *ids != '>',
                "an id fits into a header");
}

static void check_mail(struct arena *arena, const struct mime_message *message, const char *bytes,
                       size_t size)
{
    const struct support_settings settings = {.smtp_from = "us@shop.example",
                                              .email_question_max = 200};
    const struct received_mail mail = mail_of_message(arena, message, bytes, size, &settings);
    const char *items[MAIL_WORDINGS_MAX];
    struct string_list wordings = {0, items};

    PROMISE(mail.ignored_because || *mail.sender, "somebody has sent what is answered");
    PROMISE(!strpbrk(mail.sender, "\r\n <>,"), "an address is one");
    PROMISE(!strpbrk(mail.subject, "\r\n"), "a subject is one line");
    PROMISE(*mail.message_key, "a message has a key");
    check_ids(mail.message_id);
    check_ids(mail.reference_ids);
    check_text(mail.subject);
    check_text(mail_question(arena, &settings, mail.subject, mail.body, false));
    mail_wordings(arena, mail.body, &wordings);
    PROMISE(wordings.count <= MAIL_WORDINGS_MAX, "there are no more wordings than fit");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_create(INPUT_MEMORY_MAX);
    struct mime_message message;

    mime_read(arena, (const char *)data, size, TEXT_MOST, &message);
    PROMISE(message.header_count <= MIME_HEADERS_MAX, "headers keep to their limit");
    if (message.text) {
        PROMISE(strlen(message.text) <= TEXT_MOST, "a text keeps to its limit");
        check_text(message.text);
        check_text(mail_without_quotes(arena, message.text));
    }
    if (message.html) {
        check_text(message.html);
        check_text(mail_html_without_quotes(arena, message.html));
    }
    check_mail(arena, &message, (const char *)data, size);
    (void)mime_decoded(arena, mime_value(&message, "From"), SUBJECT_POINTS);
    arena_destroy(arena);
    return 0;
}
