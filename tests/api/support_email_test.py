"""E-mail as a channel of support, on both engines: a mailbox is read by IMAP from a real server, questions are answered as
POST /api/ask answers them, replies go out by SMTP, what is not certain goes to a person whose reply goes out too. Nothing
is answered twice or lost, whoever dies; programs are not answered; hostile messages harm nobody."""

import base64
import hashlib
import hmac
import json
import os
import signal
import time
from email.message import EmailMessage
from email.utils import make_msgid

import pytest

from imap_server import USER, Cut, ImapServer
from mail_server import MailServer
from service import ENGINES, Service
from stack import BUILD
from support_admin_test import DOCUMENT, SECRET, token

pytest_plugins = ["kill_fixtures"]

pytestmark = pytest.mark.both_engines
QUESTION = "How long can goods be returned?"
NOBODY_KNOWS = "Which colours of paint do you sell?"
WEBHOOK_SECRET = "secret-of-the-provider"
# A real page of three languages; each question has its sentence.
FOREIGN = {"zh": ("退货期限", "商品可以在几天之内退货？", "商品可以在收货后三十天之内退货。"),
           "th": ("การคืนสินค้า", "คืนสินค้าได้ภายในกี่วัน", "ลูกค้าสามารถคืนสินค้าได้ภายในสามสิบวันหลังจากได้รับสินค้า"),
           "ar": ("إرجاع البضائع", "خلال كم يوم يمكن إرجاع البضائع؟", "يمكن إرجاع البضائع خلال ثلاثين يوما من تاريخ الاستلام.")}
ADDRESS = "support@shop.example"


@pytest.fixture(scope="module", params=ENGINES)
def support(request, tmp_path_factory):
    env = {"JWT_SECRET": SECRET, "RATE_LIMIT_ENABLED": "false", "TENANT_EMAIL_DOMAINS": "acme.example:acme,*:default"}
    with Service("support", env, request.param) as service, ImapServer() as imap, \
            MailServer(tmp_path_factory.mktemp("smtp"), "mailer", "p:ass word") as smtp:
        for tenant in ("default", "acme"):
            answer = service.send("POST", "/api/upload", headers=token("agent", tenant),
                                  files={"file": ("returns.md", DOCUMENT.encode())})
            assert answer.status_code == 200, answer.text
        for name, (title, _, sentence) in FOREIGN.items():
            answer = service.send("POST", "/api/upload", headers=token("agent"),
                                  files={"file": (f"{name}.md", f"# {title}\n\n{sentence}\n".encode())})
            assert answer.status_code == 200, answer.text
        service.imap, service.smtp = imap, smtp
        service.mail = {**imap.settings, "SMTP_HOST": "127.0.0.1", "SMTP_PORT": str(smtp.port), "SMTP_USER": "mailer",
                        "SMTP_PASSWORD": "p:ass word", "SMTP_CA_FILE": str(smtp.ca_file), "SMTP_FROM_ADDRESS": ADDRESS,
                        "EMAIL_REPLIES_PER_HOUR": "1000"}
        yield service


@pytest.fixture(autouse=True)
def nothing_sent(request):
    if "support" in request.fixturenames:
        request.getfixturevalue("support").smtp.letters.clear()


def message(text, subject="A question", sender="Ada Lovelace <ada@shop.example>", **headers):
    letter = EmailMessage()
    letter["From"], letter["To"], letter["Subject"] = sender, ADDRESS, subject
    letter["Message-ID"] = make_msgid(domain="customer.example")
    for name, value in headers.items():
        letter[name.replace("_", "-")] = value
    letter.set_content(text)
    return letter


def run(service, code=0, **env):
    done = service.run("email-channel", env={**service.mail, **env})
    assert done.returncode == code, done.stderr
    return done


def take(service, *letters, **env):
    """The letters that answer these."""
    before = len(service.smtp.letters)
    for letter in letters:
        service.imap.deliver(letter if isinstance(letter, bytes) else letter.as_bytes())
    run(service, **env)
    assert service.imap.unseen() == 0
    return service.smtp.letters[before:]


def tickets(service, tenant="default", status="pending_response"):
    return service.get(f"/api/agent/tickets?status={status}", headers=token("agent", tenant)).json()["tickets"]


def text_of(letter):
    return letter.get_content().replace("\r\n", "\n")


def count(service, what):
    return int(service.sql(f"SELECT count(*) FROM {what}")[0][0])


def test_a_question_is_answered_with_its_sources_and_the_conversation_goes_on(support):
    asked = message(QUESTION, "Returns of goods")
    [reply] = take(support, asked)
    assert reply["X-Receivers"] == "ada@shop.example" and reply["From"] == ADDRESS
    assert reply["Subject"] == "Re: Returns of goods" and reply["Auto-Submitted"] == "auto-replied"
    assert reply["In-Reply-To"] == asked["Message-ID"] == reply["References"]
    assert reply["Message-ID"].endswith("@shop.example>")
    text = text_of(reply)
    answer = support.post("/api/ask", {"question": f"Returns of goods\n\n{QUESTION}"}, headers=token("viewer")).json()
    assert answer["route"] == "auto" and text.startswith(answer["answer"] + "\n")
    assert "[1]" in answer["answer"] and f"\n\n[1] {answer['citations'][0]['title']}\n" in text
    [[session]] = support.sql("SELECT session_id FROM email_threads")
    [trace] = support.sql("SELECT channel FROM traces WHERE channel <> 'web'")
    assert trace == ["email"]
    # a reply to the reply, as mail programs write it: above what it quotes
    quoted = "\n".join(f"> {line}" for line in text.splitlines())
    follow = message(f"And who pays for the way back?\n\nOn Fri, 27 Nov 2026 at 10:00, Support <{ADDRESS}>\nwrote:\n\n{quoted}\n"
                     "\n-- \nAda\n", "Re: Returns of goods", In_Reply_To=reply["Message-ID"],
                     References=f"{asked['Message-ID']} {reply['Message-ID']}")
    take(support, follow)
    [[one]] = support.sql("SELECT count(DISTINCT session_id) FROM email_threads")
    history = support.get(f"/api/sessions/{session}/history", headers=token("agent")).json()["messages"]
    assert one == "1"
    assert [m["content"] for m in history if m["role"] == "user"] == [f"Returns of goods\n\n{QUESTION}", "And who pays for the way back?"]
    # a stranger who refers to the same message does not get into the conversation
    take(support, message(QUESTION, "Re: Returns of goods", "eve@elsewhere.example", In_Reply_To=reply["Message-ID"]))
    assert support.sql("SELECT count(DISTINCT session_id) FROM email_threads") == [["2"]]


@pytest.mark.parametrize("text", [
    f"Hello,\n\n{QUESTION}", f"Dear support team,\n\nI bought a lamp last week. {QUESTION}\n\nBest regards,\nAda Lovelace\nLondon",
    f"Hi!\n{QUESTION}\n\nThanks,\nAda", f"{QUESTION} Thank you very much.\n-- \nAda\n+44 20 555 01 23\n"])
def test_a_letter_may_say_more_than_it_asks(support, text):
    [reply] = take(support, message(text, "Hello"))
    assert "14 days" in text_of(reply)


def test_what_is_not_certain_goes_to_a_person_whose_reply_goes_out(support):
    asked = message(NOBODY_KNOWS, "Paint", "ben@shop.example")
    assert take(support, asked) == []
    [ticket] = [one for one in tickets(support) if "Paint" in one["user_question"]]
    assert ticket["email"] == "ben@shop.example" and ticket["user_question"] == f"Paint\n\n{NOBODY_KNOWS}"
    assert ticket["ai_draft"]
    # he writes again while he waits: no program answers in between, and there is no second ticket
    assert take(support, message("It is urgent.", "Re: Paint", "ben@shop.example", In_Reply_To=asked["Message-ID"])) == []
    assert len([one for one in tickets(support) if one["email"] == "ben@shop.example"]) == 1
    detail = support.get(f"/api/agent/tickets/{ticket['id']}", headers=token("agent")).json()
    assert [m["content"] for m in detail["messages"]] == [f"Paint\n\n{NOBODY_KNOWS}", "It is urgent."]
    answer = support.post(f"/api/agent/tickets/{ticket['id']}/respond", {"response": "White and grün 漆.\nYours, Carla"},
                          headers=token("agent", subject="carla"))
    assert answer.status_code == 200 and answer.json()["ticket"]["email"] == "ben@shop.example"
    run(support)
    [reply] = support.smtp.letters
    assert reply["X-Receivers"] == "ben@shop.example" and text_of(reply).strip() == "White and grün 漆.\nYours, Carla"
    assert reply["Auto-Submitted"] is None and asked["Message-ID"] in reply["References"]
    # and he may answer that
    again = message(QUESTION, "Re: Paint", "ben@shop.example", In_Reply_To=reply["Message-ID"])
    assert len(take(support, again)) == 1
    # a customer of the pages gets no letter
    session = support.post("/api/ask", {"question": NOBODY_KNOWS}, headers=token("viewer")).json()["session_id"]
    [ticket] = [one for one in tickets(support, status="open") if one["session_id"] == session]
    assert ticket["email"] is None
    support.post(f"/api/agent/tickets/{ticket['id']}/respond", {"response": "None."}, headers=token("agent"))
    run(support)
    assert len(support.smtp.letters) == 2


def test_the_sender_s_domain_is_the_tenant(support):
    assert len(take(support, message(QUESTION, "Returns", "ann@ACME.example"), message(QUESTION, "Returns", "bob@other.example"))) == 2
    rows = support.sql("SELECT address, tenant_id FROM email_threads WHERE address LIKE 'ann@%' OR address LIKE 'bob@%' ORDER BY 1")
    assert rows == [["ann@acme.example", "acme"], ["bob@other.example", "default"]]
    assert take(support, message(NOBODY_KNOWS, "Paint", "ann@acme.example")) == []
    assert [one["email"] for one in tickets(support, "acme")] == ["ann@acme.example"]
    assert "ann@acme.example" not in [one["email"] for one in tickets(support)]


def test_programs_are_not_answered_and_no_loop_arises(support):
    sessions = count(support, "sessions")
    ignored = [{"Auto_Submitted": "auto-replied"}, {"Auto_Submitted": "auto-generated (vacation)"}, {"Precedence": "bulk"},
               {"Precedence": "LIST"}, {"List_Id": "<news.shop.example>"}, {"X_Auto_Response_Suppress": "All"},
               {"X_Autoreply": "yes"}, {"Return_Path": "<>"},
               {"sender": f"Support <{ADDRESS.upper()}>"}, {"sender": USER}, {"sender": "Mailer-Daemon@shop.example"},
               {"sender": "nobody at all"}]
    assert take(support, *[message(QUESTION, **one) for one in ignored]) == []
    report = message(QUESTION)
    report.replace_header("Content-Type", 'multipart/report; report-type=delivery-status; boundary="x"')
    assert take(support, report) == []
    assert count(support, "sessions") == sessions
    assert count(support, "email_received WHERE state = 'ignored' AND body = ''") == len(ignored) + 1
    assert len(take(support, message(QUESTION, Auto_Submitted="no"))) == 1
    # one that does not say that it is a program is answered a few times, then a person sees what goes on
    loop = [message(QUESTION, f"Loop {i}", "robot@shop.example") for i in range(4)]
    assert len(take(support, *loop, EMAIL_REPLIES_PER_HOUR="3")) == 3
    assert [one["email"] for one in tickets(support)].count("robot@shop.example") == 1


def test_a_message_is_answered_once_however_often_it_comes(support):
    letter = message(QUESTION, "Once")
    assert len(take(support, letter, letter)) == 1
    support.imap.forget_seen()
    assert take(support) == []
    nameless = message(QUESTION, "Without a name")
    del nameless["Message-ID"]
    [reply] = take(support, nameless, nameless)
    assert reply["In-Reply-To"] is None and "Without a name" in reply["Subject"]


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("form", ["plain", "html", "old"])
def test_scripts_and_character_sets(support, name, form):
    title, question, sentence = FOREIGN[name]
    charset = {"zh": "gb18030", "th": "tis-620", "ar": "windows-1256"}[name] if form == "old" else "utf-8"
    if form == "html":
        body = f"<html><head><style>p {{}}</style><script>alert('x')</script></head><body><p>{question}</p></body></html>"
    else:
        body = question
    python_name = {"windows-1256": "cp1256"}.get(charset, charset)
    encoded = base64.b64encode(title.encode(python_name)).decode()
    letter = (f"From: =?{charset}?B?{encoded}?= <li@shop.example>\r\nSubject: =?{charset}?B?{encoded}?=\r\n"
              f"Message-ID: <{name}-{form}@customer.example>\r\nMIME-Version: 1.0\r\n"
              f"Content-Type: text/{'html' if form == 'html' else 'plain'}; charset={charset}\r\n"
              "Content-Transfer-Encoding: base64\r\n\r\n").encode() + base64.encodebytes(body.encode(python_name))
    before = support.smtp.letters[:]
    replies = take(support, letter)
    [[stored]] = support.sql(f"SELECT question FROM traces WHERE channel = 'email' AND question LIKE '%{question}%' "
                             "ORDER BY started_at DESC LIMIT 1")[:1] or [[None]]
    assert before == [] and stored is not None
    [reply] = replies
    assert reply["Subject"] == f"Re: {title}" and sentence.rstrip(".。") in text_of(reply)


def test_japanese_mail(support):
    body = "返品について教えてください。"
    letter = (b"From: jun@shop.example\r\nSubject: =?ISO-2022-JP?B?" + base64.b64encode("返品".encode("iso2022_jp"))
              + b"?=\r\nMessage-ID: <jp@customer.example>\r\nContent-Type: text/plain; charset=ISO-2022-JP\r\n"
              b"Content-Transfer-Encoding: 7bit\r\n\r\n" + body.encode("iso2022_jp") + b"\r\n")
    take(support, letter)
    assert support.sql("SELECT user_question FROM escalated_tickets WHERE user_question LIKE '%返品%'")[0][0].startswith("返品")


def hostile():
    deep = message("x", "Deep")
    bomb = b"From: mallory@shop.example\r\nSubject: Bomb\r\nMessage-ID: <bomb@m>\r\nContent-Type: multipart/mixed; boundary=b0\r\n\r\n"
    for level in range(200):
        bomb += b"--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n" % (level, level + 1)
    many = b"From: mallory@shop.example\r\nSubject: Many\r\nMessage-ID: <many@m>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
    many += b"--b\r\nContent-Type: text/plain\r\n\r\nx\r\n" * 20000
    head = b"From: mallory@shop.example\r\nMessage-ID: <%s@m>\r\nSubject: %s\r\n"
    yield "deep", deep.as_bytes()
    yield "bomb", bomb
    yield "many parts", many
    yield "huge headers", head % (b"huge", b"Huge") + b"X-Filler: " + b"a" * 3_000_000 + b"\r\n" + b"X-A: b\r\n" * 50_000 + b"\r\nHello\r\n"
    yield "broken base64", head % (b"b64", b"Broken") + b"Content-Transfer-Encoding: base64\r\n\r\n!!!=*&^SGVsbG8gd29ybGQ\xff\x00=A\r\n"
    yield "NUL bytes", head % (b"nul", b"N\x00U\x00L") + b"\r\nHe\x00llo\x00\r\n"
    yield "header injection in the subject", head % (b"inj", b"=?utf-8?Q?Hi=0D=0ABcc:_victim@shop.example=0D=0A=0D=0ABody?=") + b"\r\nHello\r\n"
    yield "header injection in the sender", b"From: \"a\r\n b\" <mallory@shop.example\r\n >, =?utf-8?Q?x=0D=0ARCPT_TO:<v@x>?= <evil@shop.example>\r\n" \
        b"Message-ID: <from@m\r\n\r\nHello\r\n"
    yield "no header", b"\r\n"
    yield "no line", b"x"
    yield "unknown set", head % (b"set", b"=?no-such//TRANSLIT?B?4OHi?=") + b"Content-Type: text/plain; charset=\"../../etc\"\r\n\r\n\xe0\xe1\r\n"
    yield "HTML with scripts", head % (b"html", b"Html") + b"Content-Type: text/html\r\n\r\n<script>fetch('x')</script>" \
        b"<img src=x onerror=alert(1)><p>Hello &lt;b&gt;</p>" + b"<div>" * 20000


def test_hostile_messages_harm_nobody(support):
    names = dict(hostile())
    for name, raw in names.items():
        replies = take(support, raw)
        for letter in replies:
            assert letter["X-Receivers"] in ("ada@shop.example", "mallory@shop.example", "evil@shop.example"), name
            assert letter["Bcc"] is None and len(letter.get_all("Subject")) == 1
    # nothing of it went wrong on the way, and all of it is with somebody
    assert count(support, "email_received WHERE state = 'waiting'") == 0
    assert count(support, "jobs WHERE kind LIKE 'support.email%' AND failures > 0") == 0
    questions = " ".join(" ".join(row) for row in support.sql("SELECT question FROM traces WHERE channel = 'email'"))
    assert "<script" not in questions and "fetch(" not in questions and "\x00" not in questions
    assert "Hi Bcc: ***" in questions  # an address is personal data, in traces
    # and the next customer is served
    assert len(take(support, message(QUESTION, "After all that"))) == 1


def test_a_message_that_is_too_long_is_read_as_far_as_allowed(support):
    letter = message(QUESTION, "With a picture")
    letter.add_attachment(os.urandom(300_000), maintype="image", subtype="png", filename="p.png")
    assert len(take(support, letter, EMAIL_MAX_MESSAGE_BYTES="65536")) == 1
    take(support, message("word " * 5000, "Long", "long@shop.example"), EMAIL_QUESTION_MAX_CHARS="300")
    [[length]] = support.sql("SELECT max(length(question)) FROM traces WHERE question LIKE 'Long%'")
    assert int(length) <= 300


def test_a_mailbox_that_fails_loses_nothing(support):
    for name in ("One", "Two", "Three"):
        support.imap.deliver(message(QUESTION, name, "dora@shop.example").as_bytes())
    plain = {"IMAP_PASSWORD": "wrong"}
    for wrong, why in ((plain, "Login denied"), ({"IMAP_PORT": "1"}, "connect"), ({"IMAP_CA_FILE": ""}, "certificate"),
                       ({"IMAP_FOLDER": "No such"}, "NO"), ({"IMAP_HOST": "a/b"}, "no such name"),
                       ({"IMAP_FOLDER": "a\r\nb"}, "no such name")):
        done = run(support, code=1, **wrong)
        assert why in done.stderr and "pass\"word" not in done.stderr, (why, done.stderr)
    assert support.imap.unseen() == 3 and support.smtp.letters == []
    # the connection breaks at every place
    for most in range(200, 8000, 450):
        proxy = Cut(support.imap.port, most)
        support.run("email-channel", env={**support.mail, "IMAP_PORT": str(proxy.port), "IMAP_TIMEOUT_SEC": "5"})
        proxy.close()
    run(support)
    assert sorted(letter["Subject"] for letter in support.smtp.letters) == ["Re: One", "Re: Three", "Re: Two"]
    # the port on which everything is TLS
    assert support.imap.unseen() == 0


def test_a_reply_that_is_not_taken_is_sent_later_or_comes_back(support):
    support.imap.deliver(message(QUESTION, "Later", "emil@shop.example").as_bytes())
    run(support, SMTP_PORT="1")
    assert count(support, "email_sent WHERE state = 'waiting'") == 1 and count(support, "jobs WHERE failures = 1 AND kind = 'support.email_send'") == 1
    support.sql("UPDATE jobs SET due_at = 0 WHERE kind = 'support.email_send' AND state = 'waiting'")
    run(support)
    assert [letter["Subject"] for letter in support.smtp.letters] == ["Re: Later"]
    # a mailbox that does not exist will not exist later
    support.smtp.refuse = "gone@shop.example"
    assert take(support, message(QUESTION, "Gone", "gone@shop.example")) == []
    support.smtp.refuse = None
    [ticket] = [one for one in tickets(support) if one["email"] == "gone@shop.example"]
    assert ticket["user_question"] == "(not delivered)" and "[1]" in ticket["ai_draft"]
    # a server that is away for too long
    assert take(support, message(QUESTION, "Away", "away@shop.example"), SMTP_PORT="1", EMAIL_SEND_ATTEMPTS="1") == []
    assert [one["user_question"] for one in tickets(support) if one["email"] == "away@shop.example"] == ["(not delivered)"]
    assert count(support, "email_sent WHERE state = 'failed'") == 2


def test_a_deleted_conversation_takes_its_mail_with_it(support):
    assert take(support, message(NOBODY_KNOWS, "Secret wish", "fred@shop.example")) == []
    [[session]] = support.sql("SELECT session_id FROM email_threads WHERE address = 'fred@shop.example'")
    assert support.send("DELETE", f"/api/sessions/{session}", headers=token("admin")).status_code == 200
    for table in ("email_threads", "email_received", "email_sent", "email_message_ids"):
        assert count(support, f"{table} WHERE session_id = '{session}'") == 0, table


def test_the_program_stays_reads_again_and_counts(support, tmp_path):
    done = support.run("email-channel", env={"EMAIL_CHANNEL_MODE": "disabled"})
    assert done.returncode == 0 and done.stderr == ""
    done = support.run("email-channel", env={"EMAIL_CHANNEL_MODE": "imap", "SMTP_HOST": ""})
    assert done.returncode == 1 and "SMTP_HOST must be set" in done.stderr
    metrics = support.get("/metrics", checked=False).text
    assert "email_poller_fetched_total" in metrics and "email_poller_last_success_timestamp_seconds" in metrics
    assert "email_poller_errors_total" in metrics


@pytest.mark.skipif("sanitized" in BUILD.name, reason="a sanitizer has to be loaded first")
def test_killed_at_any_step_nothing_is_lost_and_no_answer_given_twice(support, kill_library):
    step, killed, asked = 1, 0, 0
    while step < 20000:
        support.imap.deliver(message(QUESTION, f"Step {step}", "gina@shop.example").as_bytes())
        asked += 1
        done = support.run("email-channel", env={**support.mail, "LD_PRELOAD": str(kill_library), "KILL_AT_STEP": str(step)})
        run(support)
        if done.returncode != -signal.SIGKILL:
            break
        killed += 1
        step += max(1, step // 4)
    assert done.returncode == 0 and killed > 10, (done.returncode, killed)
    letters = {letter["Message-ID"]: letter["Subject"] for letter in support.smtp.letters}
    assert support.imap.unseen() == 0 and len(letters) == len(set(letters.values())) == asked
    assert count(support, "messages WHERE role = 'user' AND content LIKE 'Step %'") == asked
    assert count(support, "email_sent WHERE subject LIKE 'Step %' AND state = 'sent'") == asked


def signed(body):
    return hmac.new(WEBHOOK_SECRET.encode(), body, hashlib.sha256).hexdigest()


@pytest.mark.parametrize("path,header", [("/api/channels/email/inbound", "X-Signature"), ("/webhook/email", "X-Webhook-Signature")])
def test_a_provider_posts_messages(support, tmp_path, path, header):
    # without the mode nobody gets in
    body = json.dumps({"from": "hal@shop.example", "text": QUESTION}).encode()
    assert support.send("POST", path, data=body, headers={header: signed(body), "Content-Type": "application/json"}).status_code == 401
    with MailServer(tmp_path) as smtp:
        env = {"JWT_SECRET": SECRET, "EMAIL_CHANNEL_MODE": "webhook", "EMAIL_WEBHOOK_SECRET": WEBHOOK_SECRET,
               "SMTP_HOST": "127.0.0.1", "SMTP_PORT": str(smtp.port), "SMTP_FROM_ADDRESS": ADDRESS}
        with Service("support", env, support.engine) as service:
            assert service.send("POST", "/api/upload", headers=token("agent"),
                                files={"file": ("returns.md", DOCUMENT.encode())}).status_code == 200

            def post(body, **headers):
                body = body if isinstance(body, bytes) else json.dumps(body).encode()
                return service.send("POST", path, data=body, headers={header: signed(body), "Content-Type": "application/json", **headers})

            asked = {"from": "Hal <hal@shop.example>", "to": ADDRESS, "subject": "Returns", "text": QUESTION,
                     "message_id": "m1@customer.example", "headers": {"X-Any": "1"}, "spam_score": 0.1}
            for _ in range(2):
                answer = post(asked)
                assert (answer.status_code, answer.json()) == (200, {"ok": True})
            for wrong in ("", "0" * 64, signed(b"other")):
                assert post(asked, **{header: wrong}).status_code == 401
            for malformed in (b"", b"{", b"[]", b'{"a":1}}'):
                assert post(malformed).status_code == 400, malformed
            post({**asked, "message_id": "m2", "headers": {"Auto-Submitted": "auto-replied"}})
            post({**asked, "message_id": None, "text": None, "html": f"<p>{QUESTION}</p><blockquote type=\"cite\">old</blockquote>",
                  "headers": {"Subject": "other", "In-Reply-To": "<m1@customer.example>"}})
            post({"from": "x", "subject": ["y"], "headers": "z"})
            deadline = time.time() + 30
            while len(smtp.letters) < 2 and time.time() < deadline:
                time.sleep(0.1)
            assert [letter["Subject"] for letter in smtp.letters] == ["Re: Returns"] * 2
            assert smtp.letters[0]["In-Reply-To"] == "<m1@customer.example>"
            assert smtp.letters[0]["X-Receivers"] == "hal@shop.example"
            assert int(service.sql("SELECT count(*) FROM sessions")[0][0]) == 1
            words = "\n".join(row[0] for row in service.sql("SELECT content FROM messages WHERE role = 'user' ORDER BY id"))
            assert words == f"Returns\n\n{QUESTION}\n{QUESTION}"
