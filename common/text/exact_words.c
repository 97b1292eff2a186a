/* Joins and splits the words that the word reader finds. */
#include "text/exact_words.h"

#include <string.h>

enum { GROUP = 3, NAME_LEAST = 2, NAME_MOST = 5, NUMBER_LEAST = 2 };

static const char units[] =
    " v kv mv w kw mw kwh wh mah ah kg g mg lb lbs oz mm cm dm m km ft l ml cl dl gb mb kb tb mbit "
    "gbit mbps gbps hz khz mhz ghz kpa bar nm rpm db min h s ms go mo ko eur usd gbp chf rub "
    "в кв вт квт квтч мач ач кг г мг т мм см м км л мл гб мб кб тб гц мгц ггц ч мин с руб р ";

bool exact_is_unit(const char *word, size_t length)
{
    for (const char *at = units + 1; *at; at += strcspn(at, " ") + 1) {
        if (strncmp(at, word, length) == 0 && at[length] == ' ')
            return true;
    }
    return false;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The first characters of the blocks of ten digits that texts of the languages use. */
static const int32_t zeros[] = {0x0660, 0x06f0, 0x0966, 0x0e50};

/* Digits of other scripts as ASCII; all have more bytes. */
static void digits_to_ascii(struct word *word)
{
    size_t to = 0;

    for (size_t at = 0; at < word->length;) {
        int32_t character = 0;
        size_t taken = letter_read(word->text + at, word->length - at, &character);
        char digit = 0;

        for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
            if (character >= zeros[i] && character < zeros[i] + 10)
                digit = (char)('0' + character - zeros[i]);
        }
        if (digit)
            word->text[to] = digit;
        else
            memmove(word->text + to, word->text + at, taken);
        to += digit ? 1 : taken;
        at += taken ? taken : 1;
    }
    word->length = to;
    word->text[to] = '\0';
}

/* The word ends at `length`, and the next one begins there. Only for words of as many bytes as
 * their source. */
static void cut(struct word_reader *reader, struct word *word, size_t length)
{
    if (word->end - word->start != word->length)
        return;
    word->length = length;
    word->text[length] = '\0';
    word->end = reader->at = word->start + length;
    word->digits = is_digit(word->text[length - 1]);
    word->letters = !word->digits;
}

/* "18v" after "18", "xr500" after "xr". */
static void split(struct word_reader *reader, struct word *word)
{
    size_t digits = strspn(word->text, "0123456789"), letters = 0, after;

    if (digits && digits < word->length) {
        if (exact_is_unit(word->text + digits, word->length - digits))
            cut(reader, word, digits);
        return;
    }
    while (word->text[letters] >= 'a' && word->text[letters] <= 'z')
        letters++;
    after = strspn(word->text + letters, "0123456789");
    if (letters >= NAME_LEAST && letters <= NAME_MOST && after >= NUMBER_LEAST &&
        letters + after == word->length)
        cut(reader, word, letters);
}

/* The bytes of what separates groups of digits at `at`; 0 for anything else. */
static size_t group_mark(const char *at)
{
    static const char *const marks[] = {",",      ".",      "'",      " ",      "\u00a0",
                                        "\u202f", "\u2009", "\u2019", "\u066c", "\u066b"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (strncmp(at, marks[i], strlen(marks[i])) == 0)
            return strlen(marks[i]);
    }
    return 0;
}

static size_t digits_at(const char *at, const char *end)
{
    size_t count = 0;

    while (at + count < end && is_digit(at[count]))
        count++;
    return count;
}

/* What follows a number in the source. */
struct tail {
    const char *at, *end;
};

/* Whether a further mark with a digit follows: a date, a version, a list. */
static bool goes_on(const char *at, const char *end)
{
    return at + 1 < end && strchr(".,:/-", *at) && is_digit(at[1]);
}

/* Appends the next group of three digits; false when there is none. `mark` is that of the groups
 * before, NULL for the first. */
static bool take_group(struct word *word, struct tail *tail, const char **mark)
{
    size_t length = tail->at < tail->end ? group_mark(tail->at) : 0, digits;

    if (!length || (*mark && strncmp(*mark, tail->at, length) != 0) ||
        word->length + GROUP > WORD_BYTES_MAX)
        return false;
    digits = digits_at(tail->at + length, tail->end);
    if (digits != GROUP)
        return false;
    memcpy(word->text + word->length, tail->at + length, GROUP);
    word->length += GROUP;
    *mark = tail->at;
    tail->at += length + GROUP;
    return true;
}

/* Appends decimals without final zeros. */
static void take_decimals(struct word *word, struct tail *tail, bool grouped)
{
    size_t length = tail->at < tail->end ? group_mark(tail->at) : 0, digits, kept;

    if (!length || *tail->at == ' ' || (unsigned char)*tail->at == 0xc2 ||
        (unsigned char)*tail->at == 0xe2 || *tail->at == '\'')
        return;
    digits = digits_at(tail->at + length, tail->end);
    if (digits < 1 || (digits > 2 && !grouped && digits == GROUP) ||
        goes_on(tail->at + length + digits, tail->end) ||
        word->length + digits + 1 > WORD_BYTES_MAX)
        return;
    for (kept = digits; kept && tail->at[length + kept - 1] == '0';)
        kept--;
    if (kept) {
        word->text[word->length++] = '.';
        memcpy(word->text + word->length, tail->at + length, kept);
        word->length += kept;
    }
    tail->at += length + digits;
}

/* Joins the groups and decimals of a number of ASCII digits. */
static void join(struct word_reader *reader, struct word *word)
{
    struct tail tail = {reader->source + word->end, reader->source + reader->length};
    const struct word before = *word;
    const char *mark = NULL;
    bool plain = word->text[0] != '0' && word->length <= GROUP;

    if (word->end - word->start != word->length ||
        (word->start && goes_on(reader->source + word->start - 1, tail.end) && word->start > 1 &&
         is_digit(reader->source[word->start - 2])))
        return;
    while (plain && take_group(word, &tail, &mark))
        ;
    if (goes_on(tail.at, tail.end) && mark && *mark == *tail.at) {
        *word = before; /* more groups of another length: no number */
        return;
    }
    take_decimals(word, &tail, mark != NULL);
    word->text[word->length] = '\0';
    word->end = reader->at = (size_t)(tail.at - reader->source);
}

bool exact_word_next(struct word_reader *reader, struct word *word)
{
    if (!word_next(reader, word))
        return false;
    if (!word->digits || word->pair)
        return true;
    if (word->end - word->start != word->length || (unsigned char)word->text[0] >= 0x80)
        digits_to_ascii(word);
    split(reader, word);
    if (strspn(word->text, "0123456789") == word->length)
        join(reader, word);
    return true;
}
