/* Answering in scripts of several bytes a character: texts wrapped at 10 to 40 characters, as
 * e-mail and plain text come, asked with parts of themselves. A question that takes longer than
 * seconds ends the test. */
#include "answer_base.h"
#include "test.h"

#include <time.h>

enum { WIDTH_LEAST = 10, WIDTH_MOST = 40, SECONDS_MAX = 60, ASKED_POINTS = 12, STEP_POINTS = 9 };

static const struct sample {
    const char *language, *text, *question;
} samples[] = {
    {"zh",
     "产品保修期为购买之日起二十四个月，超过保修期后需要付费维修。退货须在签收后七天内提出申请，"
     "商品应保持完好，配件齐全。退款将在收到退货后的五个工作日内退回原支付账户。"
     "如需更换电池，请联系当地的授权服务中心，切勿自行拆开机壳。",
     "产品保修期"},
    {"ja",
     "保証期間はご購入日から二十四か月です。保証期間を過ぎた修理は有料となります。"
     "返品は商品の到着後七日以内にお申し込みください。返金は返品の到着後五営業日以内に行います。"
     "電池の交換は最寄りのサービスセンターにご相談ください。ご自分で分解しないでください。",
     "保証期間はどのくらいですか"},
    {"th",
     "สินค้ามีการรับประกันเป็นเวลายี่สิบสี่เดือนนับจากวันที่ซื้อ หลังจากหมดระยะเวลารับประกันลูกค้าต้องชำระค่าซ่อม "
     "การคืนสินค้าต้องแจ้งภายในเจ็ดวันหลังจากได้รับสินค้า เงินจะคืนภายในห้าวันทำการ "
     "หากต้องการเปลี่ยนแบตเตอรี่โปรดติดต่อศูนย์บริการ",
     "การรับประกันสินค้ากี่เดือน"},
    {"hi",
     "उत्पाद की वारंटी अवधि खरीद की तारीख से चौबीस महीने है। वारंटी समाप्त होने के बाद मरम्मत का "
     "शुल्क लगेगा। वापसी का अनुरोध सामान मिलने के सात दिनों के भीतर करें। धनवापसी पाँच कार्य दिवसों "
     "में मूल खाते में की जाती है। बैटरी बदलने के लिए सेवा केंद्र से संपर्क करें।",
     "वारंटी अवधि कितने महीने है"},
    {"ko",
     "제품의 보증 기간은 구입일로부터 스물네 달입니다. 보증 기간이 지나면 수리 비용이 청구됩니다. "
     "반품은 상품을 받은 날부터 칠 일 이내에 신청해야 합니다. 환불은 다섯 영업일 이내에 "
     "처리됩니다.",
     "보증 기간"},
    {"ar",
     "مدة ضمان المنتج أربعة وعشرون شهرًا من تاريخ الشراء. بعد انتهاء الضمان تكون الصيانة مدفوعة. "
     "يجب طلب الإرجاع خلال سبعة أيام من الاستلام. يعاد المبلغ خلال 5أيام عمل.",
     "ما هي مدة الضمان؟"},
    {"mixed",
     "型号A1의 보증은2年です。Акку 3.5V для модели B2：请使用原装充电器。ราคา 500บาท। "
     "सेवा\xe2\x80\x8d केंद्र e\xcc\x81te\xcc\x81 \xf0\x9f\x98\x80\xf0\x9f\x98\x80 "
     "\xf0\xa0\x80\x80\xf0\xa0\x80\x81。",
     "型号A1"},
};

static struct arena *arena;
static struct synonyms synonyms;

/* The text with a line feed after every `width` code points. */
static const char *wrapped(const char *source, size_t width)
{
    struct text text;

    text_start(&text, arena, (size_t)1 << 20);
    while (*source) {
        size_t length = utf8_prefix(source, width);

        text_append(&text, source, length);
        text_append_byte(&text, '\n');
        source += length;
    }
    return text.bytes;
}

/* False when an answer broke a promise. */
static bool ask_once(const struct base *base, const char *question)
{
    struct asked asked;
    const char *broken;

    base_ask(base, arena, &synonyms, question, NULL, 0, &asked);
    broken = base_broken_promise(arena, &asked.answer);
    if (broken)
        printf("... %s: asking \"%s\" of \"%s\": %s\n", broken, question, base->files[0].text,
               asked.answer.text);
    return !broken;
}

/* Every few code points of the text are a question. */
static bool ask_parts(const struct base *base, const char *text)
{
    while (*text) {
        if (!ask_once(base, arena_copy(arena, text, utf8_prefix(text, ASKED_POINTS))))
            return false;
        text += utf8_prefix(text, STEP_POINTS);
    }
    return true;
}

static void ask_wrapped(const struct sample *sample, size_t width)
{
    struct file file = {"wrapped.txt", wrapped(sample->text, width)};
    struct base base = {.files = &file, .file_count = 1};
    int before = test_failures_here;

    base_make(&base, arena);
    CHECK(ask_once(&base, sample->question));
    CHECK(ask_parts(&base, sample->text));
    if (test_failures_here > before)
        printf("... in %s, %zu characters a line\n", sample->language, width);
    base_drop(&base);
    arena_reset(arena);
}

TEST(wrapped_texts_of_every_script_are_answered_at_once)
{
    alarm(SECONDS_MAX);
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        for (size_t width = WIDTH_LEAST; width <= WIDTH_MOST; width++)
            ask_wrapped(&samples[i], width);
    alarm(0);
}

TEST(an_excerpt_begins_where_the_passage_does)
{
    struct text body;

    text_start(&body, arena, (size_t)1 << 20);
    for (int i = 0; i < 200; i++)
        text_append_string(&body, "无关的内容。");
    text_append_string(&body, "产品保\n修期为二十四个月。");
    for (int i = 0; i < 200; i++)
        text_append_string(&body, "无关的内容。");
    CHECK(strncmp(answer_excerpt(arena, body.bytes, "产品保修期为二十四个月。"), "产品保\n修期",
                  strlen("产品保\n修期")) == 0);
    arena_reset(arena);
}

TEST(the_first_code_points_of_a_text)
{
    CHECK_INT(utf8_prefix("", 3), 0);
    CHECK_INT(utf8_prefix("abc", 2), 2);
    CHECK_INT(utf8_prefix("保修期", 2), 6);
    CHECK_INT(utf8_prefix("\xf0\x9f\x98\x80x", 1), 4);
    CHECK_INT(utf8_prefix("\xff\xfeX", 2), 2); /* goes on where there is no UTF-8 */
    CHECK_INT(utf8_prefix("ab", 9), 2);
}

TEST(letters_and_digits_side_by_side_fit_into_what_is_kept_of_them)
{
    struct text line;

    text_start(&line, arena, (size_t)1 << 20);
    for (int i = 0; i < 1000; i++)
        text_append_format(&line, "%d\xd8\xa7", i % 10);
    CHECK_INT(synonyms_read(arena, line.bytes).count, 11); /* each once */
    CHECK(words_most(line.length) >= 2000);
    arena_reset(arena);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(wrapped_texts_of_every_script_are_answered_at_once),
        CASE(an_excerpt_begins_where_the_passage_does),
        CASE(the_first_code_points_of_a_text),
        CASE(letters_and_digits_side_by_side_fit_into_what_is_kept_of_them),
    };
    int failed;

    arena = arena_create((size_t)1 << 28);
    synonyms = synonyms_read(arena_create((size_t)1 << 20), synonyms_built_in);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
