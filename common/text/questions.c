/* Recognizes questions by their marks. */
#include "text/questions.h"
#include "base/text.h"
#include "text/sentences.h"
#include "text/words.h"

#include <utf8proc.h>

enum { SHORT_LINE = 40 }; /* code points */

static bool is_question_mark(int32_t character)
{
    return character == '?' || character == 0x061f || character == 0xff1f;
}

/* What may stand between the mark and the end of the text. */
static bool may_follow(int32_t character)
{
    return character == ' ' || character == '*' || character == '_' || character == '"' ||
           character == '!' || character == ')' || character == 0xbb || character == 0x201c ||
           character == 0x201d || character == 0x300d || character == 0xff09;
}

static bool ends_with_mark(const char *text, size_t length)
{
    while (length > 0) {
        int32_t character = 0;
        size_t taken = letter_read_back(text, length, &character);

        if (!taken || !may_follow(character))
            return taken && is_question_mark(character);
        length -= taken;
    }
    return false;
}

bool text_is_question(const char *text, size_t length)
{
    struct sentence_reader reader;
    size_t start, end, count = 0;

    if (!ends_with_mark(text, length))
        return false;
    sentence_reader_start(&reader, text, length);
    while (count < 2 && sentence_next(&reader, &start, &end))
        count++;
    return count == 1;
}

size_t text_after_questions(const char *text, size_t length)
{
    struct sentence_reader reader;
    size_t start, end;

    sentence_reader_start(&reader, text, length);
    while (sentence_next(&reader, &start, &end)) {
        if (!ends_with_mark(text + start, end - start))
            return start;
    }
    return length;
}

static bool ends_sentence(const char *line, size_t length)
{
    int32_t character = 0;
    size_t taken = length ? letter_read_back(line, length, &character) : 0;

    return taken && sentence_mark_end(line, length, 0, length - taken) == length;
}

bool text_sentence_may_begin(const char *before, size_t before_length, const char *line,
                             size_t length)
{
    int32_t character = 0;

    if (ends_sentence(before, before_length))
        return true;
    (void)letter_read(line, length, &character);
    return utf8_count_of(before, before_length) < SHORT_LINE &&
           utf8proc_category(character) != UTF8PROC_CATEGORY_LL;
}
