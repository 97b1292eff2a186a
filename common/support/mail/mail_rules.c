/* Rules on e-mails: what is answered, and what of a message is kept. */
#include "support/mail/mail_rules.h"
#include "base/string_list.h"
#include "base/text.h"
#include "crypto/digest.h"

#include <string.h>
#include <strings.h>

enum {
    SUBJECT_POINTS = 300,
    TEXT_MOST = 1 << 20,
    IDS_MOST = 16384,
    FORMULA_MOST = 60, /* bytes of a salutation or a closing */
    NAME_LINES = 4     /* lines of a name below a closing */
};

const char *mail_tenant(struct arena *arena, const struct string_list *domains, const char *address)
{
    const char *domain = strrchr(address, '@'), *fallback = "default";
    size_t length = domain ? strlen(++domain) : 0;

    for (size_t i = 0; i < domains->count; i++) {
        const char *item = domains->items[i], *colon = strchr(item, ':');
        const char *tenant = colon ? text_trimmed(arena, colon + 1, strlen(colon + 1)) : "";

        if (!*tenant)
            continue;
        if (length && (size_t)(colon - item) == length && strncasecmp(item, domain, length) == 0)
            return tenant;
        if (strncmp(item, "*:", 2) == 0 && strcmp(fallback, "default") == 0)
            fallback = tenant;
    }
    return fallback;
}

static bool is_one_of(const char *value, const char *const *words)
{
    size_t length = strcspn(value, " ;,\t(");

    for (; *words; words++)
        if (strlen(*words) == length && strncasecmp(value, *words, length) == 0)
            return true;
    return false;
}

static bool is_own(const char *sender, const struct support_settings *settings)
{
    return strcasecmp(sender, settings->smtp_from) == 0 ||
           (settings->imap_user && strcasecmp(sender, settings->imap_user) == 0);
}

static bool is_of_mail_system(const struct mime_message *message, const char *sender)
{
    static const char *const names[] = {"mailer-daemon", "postmaster", NULL};
    size_t length = strcspn(sender, "@");

    for (size_t i = 0; names[i]; i++)
        if (strlen(names[i]) == length && strncasecmp(sender, names[i], length) == 0)
            return true;
    return strcmp(mime_value(message, "Return-Path"), "<>") == 0 ||
           strncasecmp(mime_value(message, "Content-Type"), "multipart/report", 16) == 0;
}

static bool is_automatic(const struct mime_message *message)
{
    static const char *const people[] = {"no", NULL};
    const char *submitted = mime_value(message, "Auto-Submitted"),
               *unwanted = mime_value(message, "X-Auto-Response-Suppress");

    return (*submitted && !is_one_of(submitted, people)) || *mime_value(message, "X-Autoreply") ||
           *mime_value(message, "X-Autorespond") || strcasestr(unwanted, "all") ||
           strcasestr(unwanted, "autoreply");
}

const char *mail_ignored_because(const struct mime_message *message, const char *sender,
                                 const struct support_settings *settings)
{
    static const char *const bulk[] = {"bulk", "list", "junk", "auto_reply", NULL};

    if (!*sender)
        return "no sender";
    if (is_own(sender, settings))
        return "own address";
    if (is_of_mail_system(message, sender))
        return "report of a mail system";
    if (is_automatic(message))
        return "written by a program";
    if (*mime_value(message, "List-Id") || is_one_of(mime_value(message, "Precedence"), bulk))
        return "mailing list";
    return NULL;
}

static const char *joined(struct arena *arena, const struct string_list *ids)
{
    struct text text;

    text_start(&text, arena, IDS_MOST);
    for (size_t i = 0; i < ids->count; i++)
        text_append_format(&text, "%s%s", i ? " " : "", ids->items[i]);
    return text.bytes;
}

static const char *first_id(struct arena *arena, const char *value)
{
    const char *items[MIME_REFERENCES_MAX];
    struct string_list ids = {0, items};

    mime_add_ids(arena, value, &ids);
    return ids.count ? ids.items[0] : "";
}

static const char *key_of(struct arena *arena, const char *message_id, const char *bytes,
                          size_t length)
{
    char digest[DIGEST_SHA256_TEXT];

    if (*message_id)
        return message_id;
    digest_sha256_hex(bytes, length, digest);
    return arena_print(arena, "sha256:%s", digest);
}

struct received_mail mail_of_message(struct arena *arena, const struct mime_message *message,
                                     const char *bytes, size_t length,
                                     const struct support_settings *settings)
{
    const char *items[MIME_REFERENCES_MAX];
    struct string_list references = {0, items};
    const char *sender = mime_address(arena, mime_value(message, "From"));
    struct received_mail mail = {
        .sender = sender,
        .tenant_id = mail_tenant(arena, &settings->tenant_email_domains, sender),
        .subject = mime_decoded(arena, mime_value(message, "Subject"), SUBJECT_POINTS),
        .body = message->text   ? message->text
                : message->html ? message->html
                                : "",
        .is_html = !message->text && message->html,
        .message_id = first_id(arena, mime_value(message, "Message-ID")),
        .ignored_because = mail_ignored_because(message, sender, settings)};

    mime_add_ids(arena, mime_value(message, "In-Reply-To"), &references);
    mime_add_ids(arena, mime_value(message, "References"), &references);
    mail.reference_ids = joined(arena, &references);
    mail.message_key = key_of(arena, mail.message_id, bytes, length);
    if (mail.ignored_because) /* nobody will read it */
        mail.body = "";
    return mail;
}

/* Re, Fwd and their translations: up to five bytes or two characters, and a colon. */
static size_t reply_mark(const char *subject)
{
    static const char *const marks[] = {"re",
                                        "fw",
                                        "fwd",
                                        "aw",
                                        "wg",
                                        "sv",
                                        "vs",
                                        "rv",
                                        "tr",
                                        "odp",
                                        "ynt",
                                        "res",
                                        "rif",
                                        "antw",
                                        "\xe5\x9b\x9e\xe5\xa4\x8d",
                                        "\xe5\x9b\x9e\xe8\xa6\x86",
                                        "\xe7\xad\x94\xe5\xa4\x8d",
                                        "\xe8\xbd\xac\xe5\x8f\x91",
                                        "\xd8\xb1\xd8\xaf"};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = strlen(marks[i]);

        if (strncasecmp(subject, marks[i], length) != 0)
            continue;
        if (subject[length] == ':')
            return length + 1;
        if (strncmp(subject + length, "\xef\xbc\x9a", 3) == 0)
            return length + 3;
    }
    return 0;
}

const char *mail_bare_subject(const char *subject)
{
    for (size_t length = reply_mark(subject); length; length = reply_mark(subject)) {
        subject += length;
        subject += strspn(subject, " ");
    }
    return subject;
}

const char *mail_question(struct arena *arena, const struct support_settings *settings,
                          const char *subject, const char *words, bool goes_on)
{
    struct text text;
    const char *question;

    text_start(&text, arena, TEXT_MOST);
    if (!goes_on || !*words)
        text_append_string(&text, mail_bare_subject(subject));
    if (text.length && *words)
        text_append_string(&text, "\n\n");
    text_append_string(&text, words);
    question = utf8_copy_prefix(arena, text.bytes, (size_t)settings->email_question_max);
    return text_trimmed(arena, question, strlen(question));
}

/* -- letters ----------------------------------------------------------------------------------- */

/* A short line that ends with a comma, or an exclamation mark: before or after a letter. The marks
 * are those of Latin, Chinese and Arabic scripts. */
static bool is_formula(const char *line, size_t length)
{
    static const char *const ends[] = {",",        "!", "\xef\xbc\x8c", "\xef\xbc\x81",
                                       "\xd8\x8c", ":", "\xef\xbc\x9a"};

    while (length && strchr(" \t\r", line[length - 1]))
        length--;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);

        if (length >= end && length <= FORMULA_MOST &&
            memcmp(line + length - end, ends[i], end) == 0)
            return true;
    }
    return false;
}

/* Where the closing begins: at the last formula with few lines after it, else at the end. */
static const char *closing_of(const char *words)
{
    const char *closing = NULL;
    int lines = 0;

    for (const char *at = words; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t length = strcspn(at, "\n");

        lines += length > 0;
        if (at > words && is_formula(at, length)) {
            closing = at;
            lines = 0;
        }
    }
    return closing && lines <= NAME_LINES ? closing : words + strlen(words);
}

static const char *without_formulas(struct arena *arena, const char *words)
{
    size_t first = strcspn(words, "\n");
    const char *end;

    if (is_formula(words, first))
        words += first;
    end = closing_of(words);
    return text_trimmed(arena, words, (size_t)(end - words));
}

/* Bytes of the mark that ends a sentence at `at`; 0 = none does. */
static size_t sentence_mark(const char *at, bool *asks)
{
    static const struct {
        const char *mark;
        bool asks;
    } marks[] = {{"?", true},    {"\xef\xbc\x9f", true},  {"\xd8\x9f", true},      {"\n\n", false},
                 {"!", false},   {"\xe3\x80\x82", false}, {"\xef\xbc\x81", false}, {". ", false},
                 {".\n", false}, {",\n\n", false}};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(at, marks[i].mark, strlen(marks[i].mark)) == 0) {
            *asks = marks[i].asks;
            return strlen(marks[i].mark);
        }
    return 0;
}

static const char *questions_of(struct arena *arena, const char *words)
{
    struct text text;
    const char *begin = words;

    text_start(&text, arena, TEXT_MOST);
    for (const char *at = words; *at;) {
        bool asks = false;
        size_t length = sentence_mark(at, &asks);

        at += length ? length : 1;
        if (asks)
            text_append_format(&text, "%s%s", text.length ? " " : "",
                               text_trimmed(arena, begin, (size_t)(at - begin)));
        if (length)
            begin = at;
    }
    return text.bytes;
}

void mail_wordings(struct arena *arena, const char *words, struct string_list *wordings)
{
    const char *letter = without_formulas(arena, words), *questions = questions_of(arena, letter);

    if (*letter)
        string_list_add_new(wordings, letter);
    if (*questions)
        string_list_add_new(wordings, questions);
}
