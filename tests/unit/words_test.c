/* Words, stems, sentences, languages. Expected folding is NFKC_Casefold; stems are those of the
 * Snowball project's vocabularies. */
#include "test.h"
#include "text/language.h"
#include "text/lines.h"
#include "text/pattern.h"
#include "text/sentences.h"
#include "text/stem.h"
#include "text/words.h"

#include <libstemmer.h>

static void join_words(const char *text, char *joined, size_t size)
{
    struct word_reader reader;
    struct word word;
    size_t used = 0;

    joined[0] = '\0';
    word_reader_start(&reader, text, strlen(text));
    while (word_next(&reader, &word))
        used += (size_t)snprintf(joined + used, size - used, "%s%s", used ? "|" : "", word.text);
}

TEST(words_are_runs_of_letters_and_digits)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"", ""},
        {"Hello, World! x_y 3.14", "hello|world|x|y|3|14"},
        {"ЁЛКА ёж", "елка|еж"},
        {"Straße", "strasse"},
        {"e\xcc\x81t\xc3\xa9", "\xc3\xa9t\xc3\xa9"}, /* composed and not */
        {"co\xc2\xadop", "coop"},                    /* soft hyphen */
        {"ｅ２０", "e20"},                           /* full width */
        {"退款政策", "退款|款政|政策"},
        {"買", "買"},
        {"iPhone手机", "iphone|手机"},
        {"환불 정책", "환불|정책"},
        {"สวัสดี", "สว|วั|ัส|สด|ดี"},
        {"अनुरोध", "अनुरोध"},
        {"أَحْمَد إلى مدرسة", "احمد|الي|مدرسه"},
        {"و2005 2005م ال١ بـ12 A4", "و|2005|2005|م|ال|١|ب|12|a4"},
        {"a\xff"
         "b",
         "a|b"},
    };
    char joined[400];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        join_words(rows[i].text, joined, sizeof joined);
        CHECK_TEXT(joined, rows[i].words);
    }
}

TEST(places_are_those_of_the_source)
{
    const char *text = "  Grüße, 退款政策";
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, text, strlen(text));
    CHECK(word_next(&reader, &word));
    CHECK(memcmp(text + word.start, "Grüße", word.end - word.start) == 0);
    CHECK(word_next(&reader, &word) && word.pair);
    CHECK(memcmp(text + word.start, "退款", word.end - word.start) == 0);
    CHECK(word_next(&reader, &word) && word_next(&reader, &word));
    CHECK(memcmp(text + word.start, "政策", word.end - word.start) == 0);
    CHECK(!word_next(&reader, &word));
}

TEST(long_words_are_cut_at_a_character)
{
    char text[2000];
    struct word_reader reader;
    struct word word;

    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "ж", 3);
    word_reader_start(&reader, text, strlen(text));
    CHECK(word_next(&reader, &word));
    CHECK_INT(word.length, WORD_BYTES_MAX);
    CHECK(!word_next(&reader, &word));
}

TEST(stems)
{
    static const struct {
        enum text_language language;
        const char *word, *stem;
    } rows[] = {
        {TEXT_EN, "policies", "polici"},   {TEXT_EN, "shipping", "ship"},
        {TEXT_RU, "возврата", "возврат"},  {TEXT_RU, "shipping", "ship"},
        {TEXT_EN, "возврата", "возврат"},  {TEXT_DE, "versicherungen", "versicher"},
        {TEXT_ES, "canciones", "cancion"}, {TEXT_EN, "e20", "e20"},
        {TEXT_ZH, "退款", "退款"},         {TEXT_UK, "повернення", "повернення"},
    };
    char stem[WORD_BYTES_MAX + 1];
    struct word_reader reader;
    struct word word;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        word_reader_start(&reader, rows[i].word, strlen(rows[i].word));
        CHECK(word_next(&reader, &word));
        stem_word(stem_language(rows[i].language, &word), &word, stem);
        CHECK_TEXT(stem, rows[i].stem);
    }
}

/* Some stems are kept: those of other words, and of other languages, must never be taken for them.
 */
TEST(stems_are_those_of_the_library_whatever_was_stemmed_before)
{
    static const char *const endings[] = {"", "s", "ing", "ed", "en", "ungen", "ness", "lich"};
    enum { WORDS = 30000, ENDINGS = sizeof endings / sizeof endings[0] };
    struct sb_stemmer *english = sb_stemmer_new("english", NULL),
                      *german = sb_stemmer_new("german", NULL);
    char stem[WORD_BYTES_MAX + 1];

    for (unsigned i = 0; i < WORDS; i++) {
        unsigned draw = i * 2654435761u >> 12;
        struct sb_stemmer *stemmer = i & 1 ? german : english;
        struct word word = {.length = 0};

        for (unsigned left = draw % 9000 + 1; left; left /= 19)
            word.text[word.length++] = (char)('a' + left % 19);
        for (unsigned long_one = i % 50 == 0 ? 40 : 0; long_one; long_one--)
            word.text[word.length++] = 'x';
        for (const char *at = endings[draw % ENDINGS]; *at; at++)
            word.text[word.length++] = *at;
        word.text[word.length] = '\0';
        stem_word(i & 1 ? TEXT_DE : TEXT_EN, &word, stem);
        CHECK_TEXT(stem, (const char *)sb_stemmer_stem(stemmer, (const sb_symbol *)word.text,
                                                       (int)word.length));
    }
    sb_stemmer_delete(english);
    sb_stemmer_delete(german);
}

TEST(sentences)
{
    static const struct {
        const char *text, *sentences;
    } rows[] = {
        {"", ""},
        {"One. Two! Three?", "One.|Two!|Three?"},
        {"Dr. Smith paid 3.50 euros. He left.", "Dr. Smith paid 3.50 euros.|He left."},
        {"J. Smith came.", "J. Smith came."},
        {"Он сказал: «Да!» и ушёл. Потом вернулся.", "Он сказал: «Да!» и ушёл.|Потом вернулся."},
        {"今天好。明天呢？", "今天好。|明天呢？"},
        {"هل تعمل؟ نعم.", "هل تعمل؟|نعم."},
        {"Lead:\n- one;\n- two", "Lead:|- one;|- two"},
        {"wrapped\nline. Next", "wrapped\nline.|Next"},
        {"A\n\nB", "A|B"},
        {"Call until 2 p.m. and wait. Done.", "Call until 2 p.m. and wait.|Done."},
        {"Call until 2 p.m. Then wait.", "Call until 2 p.m.|Then wait."},
        {"Städte, z.B. Berlin, d.h. Orte. Ende.", "Städte, z.B. Berlin, d.h. Orte.|Ende."},
        {"Use a tool, e.g. Pliers. See No. 5. It is no. So?",
         "Use a tool, e.g. Pliers.|See No. 5.|It is no.|So?"},
        {"Системы, т.е. Группы и т.д. Потом.", "Системы, т.е. Группы и т.д.|Потом."},
        {"Er sagte: „Ja.“ Dann ging er.", "Er sagte: „Ja.“|Dann ging er."},
    };
    char joined[400];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sentence_reader reader;
        size_t start, end, used = 0;

        joined[0] = '\0';
        sentence_reader_start(&reader, rows[i].text, strlen(rows[i].text));
        while (sentence_next(&reader, &start, &end))
            used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%.*s", used ? "|" : "",
                                     (int)(end - start), rows[i].text + start);
        CHECK_TEXT(joined, rows[i].sentences);
    }
}

TEST(lines_of_a_paragraph_are_joined_as_their_script_writes)
{
    static const struct {
        const char *before, *after, *elsewhere;
        enum line_join join;
    } rows[] = {
        {"the warranty", "covers it", "", JOIN_BLANK},
        {"产品保", "修期为", "", JOIN_NOTHING},
        {"保証期間は、", "ご購入日", "", JOIN_NOTHING},
        {"การรับ", "ประกัน", "", JOIN_NOTHING},
        {"보증", "기간", "", JOIN_BLANK},
        {"型号 A1", "的保修期", "", JOIN_BLANK},
        {"die Verwaltungs-", "kosten und die Gebühren für den Versand", "", JOIN_WITHOUT_HYPHEN},
        {"die Vor-", "und Nachteile der Geräte", "", JOIN_BLANK},
        {"die Nord-", "Süd-Achse", "", JOIN_BLANK},
        {"this is a long-", "term plan for the company and its people", "", JOIN_NOTHING},
        {"this is the war-", "ranty for the device", "The warranty ends.", JOIN_WITHOUT_HYPHEN},
        {"das ist ein Online-", "shop für die Leute", "Der Online-shop.", JOIN_NOTHING},
        {"der Preis -", "netto", "", JOIN_BLANK},
        {"Verwaltungs\xc2\xad", "kosten", "", JOIN_NOTHING},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char whole[400];
        int length = snprintf(whole, sizeof whole, "%s\n%s\n\n%s", rows[i].before, rows[i].after,
                              rows[i].elsewhere);

        CHECK_INT(line_join((struct line_text){rows[i].before, strlen(rows[i].before)},
                            (struct line_text){rows[i].after, strlen(rows[i].after)},
                            (struct line_text){whole, (size_t)length}),
                  rows[i].join);
    }
}

TEST(languages)
{
    static const struct {
        const char *text, *code;
    } rows[] = {
        {"", "unknown"},
        {"12345 !?", "unknown"},
        {"How long is the warranty?", "en"},
        {"Сколько длится гарантия?", "ru"},
        {"Скільки триває гарантія?", "uk"},
        {"Колькі доўжыцца гарантыя?", "be"},
        {"Wie lange gilt die Garantie?", "de"},
        {"Quelle est la durée de la garantie ?", "fr"},
        {"¿Cuánto dura la garantía?", "es"},
        {"Quanto dura la garanzia?", "it"},
        {"Qual é o prazo da garantia?", "pt"},
        {"كم مدة الضمان؟", "ar"},
        {"مدت گارانتی چقدر است؟", "fa"},
        {"保修期多长？", "zh"},
        {"保証期間はどのくらいですか", "ja"},
        {"보증 기간은 얼마입니까", "ko"},
        {"warranty", "en"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(language_codes[language_detect(rows[i].text, strlen(rows[i].text))],
                   rows[i].code);
}

TEST(stop_words)
{
    CHECK(language_is_stop_word(TEXT_EN, "the"));
    CHECK(!language_is_stop_word(TEXT_EN, "warranty"));
    CHECK(language_is_stop_word(TEXT_RU, "еще"));
    CHECK(!language_is_stop_word(TEXT_ZH, "the"));
    CHECK(language_is_stop_character(0x7684));
    CHECK(!language_is_stop_character(0x9000));
}

/* More groups than fit: the whole match is reported all the same. */
TEST(a_pattern_may_have_many_groups)
{
    static struct pattern pattern = {
        .regex = "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)(l)(m)(n)(o)(p)(q)(r)(s)(t)"};
    struct pattern_match match = {0, 0};

    CHECK(pattern_find(&pattern, "--abcdefghijklmnopqrst-", 23, 0, &match));
    CHECK_INT(match.start, 2);
    CHECK_INT(match.end, 22);
    CHECK(!pattern_find(&pattern, "abcdefghijklmnopqrs", 19, 0, &match));
    CHECK(!pattern_find(&pattern, "\xff", 1, 0, &match));
}

TEST_MAIN(CASE(words_are_runs_of_letters_and_digits), CASE(places_are_those_of_the_source),
          CASE(long_words_are_cut_at_a_character), CASE(stems),
          CASE(stems_are_those_of_the_library_whatever_was_stemmed_before), CASE(sentences),
          CASE(lines_of_a_paragraph_are_joined_as_their_script_writes), CASE(languages),
          CASE(stop_words), CASE(a_pattern_may_have_many_groups))
