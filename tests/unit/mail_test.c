/* E-mails: what is read of a message, what a person has written of it, and what it is to the
 * service. */
#include "documents/mail_quotes.h"
#include "documents/mime.h"
#include "net/mail.h"
#include "support/mail/mail_rules.h"
#include "test.h"

#include <time.h>

enum { TEXT_MOST = 4096 };

static struct arena *arena;

static struct mime_message parsed(const char *text)
{
    struct mime_message message;

    mime_read(arena, text, strlen(text), TEXT_MOST, &message);
    return message;
}

TEST(headers_are_found_without_case_and_unfolded)
{
    const struct mime_message message = parsed(
        "From: a@b.example\r\nsubject: one\r\n\t two \r\nX: y\r\nX: z\r\nno colon\r\n\r\nHi\r\n");

    CHECK_TEXT(mime_value(&message, "SUBJECT"), "one    two");
    CHECK_TEXT(mime_value(&message, "x"), "y");
    CHECK_TEXT(mime_value(&message, "Cc"), "");
    CHECK_TEXT(message.text, "Hi\n");
    CHECK(!message.html);
}

TEST(encoded_words)
{
    static const struct {
        const char *value, *decoded;
    } rows[] = {
        {"plain", "plain"},
        {"=?utf-8?B?w4RyZ2Vy?=", "\xc3\x84rger"},
        {"=?ISO-8859-1?Q?a=E4_b?= c", "a\xc3\xa4 b c"},
        {"=?utf-8?Q?a?= =?utf-8?Q?b?=", "ab"}, /* RFC 2047 section 8 */
        {"=?utf-8?Q?a?=\t =?iso-8859-1?Q?=E4?=", "a\xc3\xa4"},
        {"=?utf-8?B?5Lg=?= =?utf-8?B?rQ==?=", "\xe4\xb8\xad"}, /* one character in two words */
        {"=?gb2312?B?1tDOxA==?=", "\xe4\xb8\xad\xe6\x96\x87"},
        {"=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=", "\xe6\x97\xa5\xe6\x9c\xac"},
        {"=?windows-1256?B?5ebh?=", "\xd9\x87\xd9\x88\xd9\x84"},
        {"=?utf-8*en?Q?a?=", "a"}, /* RFC 2231 section 5 */
        {"=?utf-8?Q?a=0D=0ABcc:_b?=", "a Bcc: b"},
        {"=?utf-8?X?a?= =?utf-8?B", "=?utf-8?X?a?= =?utf-8?B"},
        {"1 =? 2 = 3 ?=", "1 =? 2 = 3 ?="},
        {"=?none-such?Q?a=FF?=", "a\xef\xbf\xbd"},
        {"\xff raw", "\xef\xbf\xbd raw"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(mime_decoded(arena, rows[i].value, 100), rows[i].decoded);
    CHECK_TEXT(mime_decoded(arena, "=?utf-8?B?5Lit5Lit5Lit?=", 2), "\xe4\xb8\xad\xe4\xb8\xad");
}

TEST(addresses)
{
    static const struct {
        const char *value, *address;
    } rows[] = {
        {"ada@shop.example", "ada@shop.example"},
        {"Ada <Ada.L@SHOP.Example>", "Ada.L@shop.example"},
        {"\"a@b <x@y.z>\" <ada@shop.example>", "ada@shop.example"},
        {"(c@d.e) ada@shop.example (Ada)", "ada@shop.example"},
        {"Team: ada@shop.example, ben@shop.example;", "ada@shop.example"},
        {"<@relay.example:ada@shop.example>", "ada@shop.example"},
        {"Ada", ""},
        {"", ""},
        {"a@", ""},
        {"\"unclosed ada@shop.example", ""},
        {"<a\x7f@b>", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(mime_address(arena, rows[i].value), rows[i].address);
}

TEST(message_ids)
{
    const char *items[MIME_REFERENCES_MAX];
    struct string_list ids = {0, items};

    mime_add_ids(arena, "<a@b> text <c d@e> <> <f@g\x01> <h@i> <j@k", &ids);
    CHECK_INT(ids.count, 2);
    CHECK_TEXT(ids.items[0], "a@b");
    CHECK_TEXT(ids.items[1], "h@i");
    for (int i = 0; i < 100; i++)
        mime_add_ids(arena, "<x@y>", &ids);
    CHECK_INT(ids.count, MIME_REFERENCES_MAX);
}

TEST(transfer_encodings_and_sets)
{
    static const struct {
        const char *encoding, *charset, *body, *text;
    } rows[] = {
        {"7bit", "us-ascii", "a\r\nb", "a\nb"},
        {"quoted-printable", "utf-8", "a=C3=A4 =\r\nb=3D=\n=zz", "a\xc3\xa4 b==zz"},
        {"QUOTED-PRINTABLE", "iso-8859-1", "=E4=", "\xc3\xa4="},
        {"base64", "utf-8", "YWJj\r\nZGVm", "abcdef"},
        {"base64", "utf-8", "Y!W Jj\r\n==ZGVm", "abcdef"},
        {"base64", "windows-1256", "5ebh", "\xd9\x87\xd9\x88\xd9\x84"},
        {"base64", "gb18030", "1tDOxA==", "\xe4\xb8\xad\xe6\x96\x87"},
        {"7bit", "iso-2022-jp", "\x1b$BF|K\\\x1b(B", "\xe6\x97\xa5\xe6\x9c\xac"},
        {"7bit", "utf-7", "+Ti1lhw-", "\xe4\xb8\xad\xe6\x96\x87"},
        {"8bit", "../x//TRANSLIT", "a\xff", "a\xef\xbf\xbd"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct mime_message message =
            parsed(arena_print(arena,
                               "Content-Type: text/plain; charset=\"%s\"\n"
                               "Content-Transfer-Encoding: %s\n\n%s",
                               rows[i].charset, rows[i].encoding, rows[i].body));

        CHECK_TEXT(message.text, rows[i].text);
    }
}

TEST(parts_of_a_message)
{
    const struct mime_message message = parsed(
        "Content-Type: multipart/mixed; boundary=\"o u t\"\r\n\r\npreamble\r\n--o u t\r\n"
        "Content-Type: multipart/alternative; boundary=in\r\n\r\n"
        "--in\r\nContent-Type: text/plain\r\n\r\nplain\r\n"
        "--in\r\nContent-Type: text/html\r\n\r\n<p>html</p>\r\n--in--\r\nepilogue\r\n"
        "--o u t\r\nContent-Type: text/plain\r\nContent-Disposition: attachment\r\n\r\nfile\r\n"
        "--o u t\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\ninner\r\n"
        "--o u t\r\n\r\nfooter\r\n--o u tx\r\n--o u t--\r\nafter");

    CHECK_TEXT(message.text, "plain\n\nfooter\n--o u tx\n");
    CHECK_TEXT(message.html, "<p>html</p>\n");
    CHECK_INT(message.attachment_count, 2);
}

TEST(damaged_messages_are_read_as_far_as_they_go)
{
    struct mime_message message = parsed("");

    CHECK(!message.text && !message.header_count);
    message = parsed("Content-Type: multipart/mixed; boundary=b\n\n--b\n\nfirst\n--b\n\nsec");
    CHECK_TEXT(message.text, "first\n\nsec");
    message = parsed("Content-Type: multipart/mixed\n\nno boundary");
    CHECK(!message.text);
    CHECK_INT(message.attachment_count, 1);
    mime_read(arena, "S: a\0b\n\nx\0y\x01z", 14, TEXT_MOST, &message);
    CHECK_TEXT(message.text, "xyz");
    CHECK_TEXT(mime_value(&message, "S"), "a b");
}

TEST(limits_hold)
{
    struct text text;
    struct mime_message message;

    text_start(&text, arena, 1 << 24);
    for (int i = 0; i < 1000; i++)
        text_append_format(&text, "H%d: v\n", i);
    text_append_string(&text, "\n");
    for (int i = 0; i < 100000; i++)
        text_append_string(&text, "\xe4\xb8\xad");
    mime_read(arena, text.bytes, text.length, TEXT_MOST, &message);
    CHECK_INT(message.header_count, MIME_HEADERS_MAX);
    CHECK(strlen(message.text) <= TEXT_MOST && strlen(message.text) > TEXT_MOST - 10);
    CHECK_INT(utf8_valid_prefix(message.text, strlen(message.text)), strlen(message.text));
    text_cut(&text, 0);
    for (int i = 0; i < 1000; i++)
        text_append_format(&text, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i);
    text_append_string(&text, "\ndeep");
    mime_read(arena, text.bytes, text.length, TEXT_MOST, &message);
    CHECK(!message.text);
}

TEST(quotes_and_signatures_go)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"Yes.\n\nOn Monday, Ada <a@b.example> wrote:\n> No?\n> x\n", "Yes."},
        {"Yes.\n\nOn Monday, Ada\n<a@b.example> wrote:\n\n> No?\n", "Yes."},
        {"\xe6\x98\xaf\xe3\x80\x82\n\n\xe5\x91\xa8\xe4\xb8\x80 Ada "
         "\xe5\x86\x99\xe9\x81\x93\xef\xbc\x9a\n> x\n",
         "\xe6\x98\xaf\xe3\x80\x82"},
        {"> one?\nFirst.\n> two?\nSecond.", "First.\nSecond."},
        {"Yes.\n-- \nAda\n", "Yes."},
        {"Yes.\n\n-----Original Message-----\nFrom: x\n", "Yes."},
        {"Ja.\n\n________________________________\nVon: Ada <a@b.example>\nGesendet: x\nBetreff: "
         "y\n",
         "Ja."},
        {"Ja.\n\nVon: Ada <a@b.example>\nGesendet: Montag\nAn: x\nBetreff: y\n\nalt", "Ja."},
        {"My mail is: a@b.example\nand that is all", "My mail is: a@b.example\nand that is all"},
        {"> only\n> quotes", "> only\n> quotes"},
        {"a list:\n- one\n--- two\n-------\nend", "a list:\n- one\n--- two\n-------\nend"},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(mail_without_quotes(arena, rows[i].text), rows[i].words);
    CHECK_TEXT(mail_html_without_quotes(arena, "<p>a</p><DIV class=\"gmail_quote\">b</div>"),
               "<p>a</p>");
    CHECK_TEXT(mail_html_without_quotes(arena, "<blockquote type=\"cite\">b"),
               "<blockquote type=\"cite\">b");
}

/* Whoever writes to us chooses the text: work grows with its length, not with its square. */
TEST(many_quotes_are_quick)
{
    struct text text;
    clock_t started = clock();

    text_start(&text, arena, 1 << 24);
    text_append_string(&text, "Yes.\nAda wrote:\n");
    while (text.length < 512 << 10)
        text_append_string(&text, "> x\n\n>\n\n");
    CHECK_TEXT(mail_without_quotes(arena, text.bytes), "Yes.");
    CHECK((double)(clock() - started) / CLOCKS_PER_SEC < 2);
}

/* Golden case F31 of the contract, and its like. */
TEST(the_tenant_of_a_sender)
{
    static const char *with_other[] = {"acme.com:acme", "*:default"},
                      *with_two[] = {"acme.com:acme", "*:t2"},
                      *damaged[] = {"acme.com", ":x", "*:"};
    const struct string_list other = {2, with_other}, two = {2, with_two}, bad = {3, damaged};

    CHECK_TEXT(mail_tenant(arena, &other, "a@acme.com"), "acme");
    CHECK_TEXT(mail_tenant(arena, &two, "x@other.net"), "t2");
    CHECK_TEXT(mail_tenant(arena, &two, "x@sub.acme.com"), "t2");
    CHECK_TEXT(mail_tenant(arena, &two, "acme.com@ACME.COM"), "acme");
    CHECK_TEXT(mail_tenant(arena, &bad, "a@acme.com"), "default");
    CHECK_TEXT(mail_tenant(arena, &(struct string_list){0}, "a@acme.com"), "default");
}

TEST(subjects_and_questions)
{
    const struct support_settings settings = {.email_question_max = 10};

    CHECK_TEXT(mail_bare_subject("Re: AW: Paint"), "Paint");
    CHECK_TEXT(mail_bare_subject("\xe5\x9b\x9e\xe5\xa4\x8d\xef\xbc\x9aPaint"), "Paint");
    CHECK_TEXT(mail_bare_subject("Remark: Paint"), "Remark: Paint");
    CHECK_TEXT(mail_question(arena, &settings, "Re: a", "b", false), "a\n\nb");
    CHECK_TEXT(mail_question(arena, &settings, "a", "b", true), "b");
    CHECK_TEXT(mail_question(arena, &settings, "a", "", true), "a");
    CHECK_TEXT(mail_question(arena, &settings, "", "", false), "");
    CHECK_TEXT(mail_question(arena, &settings, "", "12345678901", false), "1234567890");
}

TEST(wordings_of_a_letter)
{
    const char *items[MAIL_WORDINGS_MAX];
    struct string_list wordings = {0, items};

    mail_wordings(
        arena, "Dear team,\n\nI have a lamp. Does it\nshine? And how long?\n\nKind regards,\nAda\n",
        &wordings);
    CHECK_INT(wordings.count, 2);
    CHECK_TEXT(wordings.items[0], "I have a lamp. Does it\nshine? And how long?");
    CHECK_TEXT(wordings.items[1], "Does it\nshine? And how long?");
    wordings.count = 0;
    mail_wordings(arena,
                  "\xe6\x82\xa8\xe5\xa5\xbd\xef\xbc\x8c\n\xe5\x87\xa0\xe5\xa4\xa9\xef\xbc\x9f",
                  &wordings);
    CHECK_INT(wordings.count, 1);
    CHECK_TEXT(wordings.items[0], "\xe5\x87\xa0\xe5\xa4\xa9\xef\xbc\x9f");
    wordings.count = 0;
    mail_wordings(arena, "Hello,\n", &wordings);
    CHECK_INT(wordings.count, 0);
}

TEST(what_is_not_answered)
{
    const struct support_settings settings = {.smtp_from = "us@shop.example"};
    static const struct {
        const char *header;
        bool ignored;
    } rows[] = {
        {"Auto-Submitted: no\n", false},
        {"Auto-Submitted: NO (really)\n", false},
        {"Auto-Submitted: auto-replied\n", true},
        {"Precedence: bulk\n", true},
        {"Precedence: first-class\n", false},
        {"List-Id: x\n", true},
        {"Return-Path: <>\n", true},
        {"Return-Path: <a@b>\n", false},
        {"Content-Type: multipart/report; boundary=x\n", true},
        {"X-Auto-Response-Suppress: OOF, AutoReply\n", true},
        {"X-Auto-Response-Suppress: OOF\n", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct mime_message message = parsed(arena_print(arena, "%s\nx", rows[i].header));

        CHECK_INT(mail_ignored_because(&message, "a@b.example", &settings) != NULL,
                  rows[i].ignored);
    }
    CHECK(mail_ignored_because(&(struct mime_message){0}, "US@shop.example", &settings));
    CHECK(mail_ignored_because(&(struct mime_message){0}, "postmaster@b.example", &settings));
    CHECK(mail_ignored_because(&(struct mime_message){0}, "", &settings));
}

int main(void)
{
    static const struct test_case cases[] = {CASE(headers_are_found_without_case_and_unfolded),
                                             CASE(encoded_words),
                                             CASE(addresses),
                                             CASE(message_ids),
                                             CASE(transfer_encodings_and_sets),
                                             CASE(parts_of_a_message),
                                             CASE(damaged_messages_are_read_as_far_as_they_go),
                                             CASE(limits_hold),
                                             CASE(quotes_and_signatures_go),
                                             CASE(many_quotes_are_quick),
                                             CASE(the_tenant_of_a_sender),
                                             CASE(subjects_and_questions),
                                             CASE(wordings_of_a_letter),
                                             CASE(what_is_not_answered)};
    int failed;

    arena = arena_create((size_t)1 << 28);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
