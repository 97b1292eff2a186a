/* A question taken apart. */
#include "livedata/query/words.h"

#include "base/number.h"

#include <ctype.h>
#include <string.h>

/* Signs of several bytes: those that separate, and those that are words of their own. */
static const struct {
    const char *sign;
    bool word;
} long_signs[] = {
    {"\xe2\x82\xac", true},  /* € */
    {"\xc2\xa3", true},      /* £ */
    {"\xe2\x82\xbd", true},  /* ₽ */
    {"\xe2\x80\x99", false}, /* ’ */
    {"\xe2\x80\x98", false}, /* ‘ */
    {"\xe2\x80\x9c", false}, /* “ */
    {"\xe2\x80\x9d", false}, /* ” */
    {"\xe2\x80\x93", false}, /* – */
    {"\xe2\x80\x94", false}, /* — */
    {"\xef\xbc\x9f", false}, /* ？ */
    {"\xe3\x80\x82", false}, /* 。 */
    {"\xef\xbc\x8c", false}, /* ， */
};

static size_t long_sign(const char *at, bool *word)
{
    for (size_t i = 0; i < sizeof long_signs / sizeof long_signs[0]; i++)
        if (strncmp(at, long_signs[i].sign, strlen(long_signs[i].sign)) == 0) {
            *word = long_signs[i].word;
            return strlen(long_signs[i].sign);
        }
    return 0;
}

static bool is_letter(char byte)
{
    return isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80;
}

/* Digits with a point, and with commas between thousands. */
static size_t number_length(const char *at)
{
    size_t length = strspn(at, "0123456789");

    while (length && at[length] == ',' && strspn(at + length + 1, "0123456789") == 3)
        length += 4;
    if (length && at[length] == '.' && isdigit((unsigned char)at[length + 1]))
        length += 1 + strspn(at + length + 1, "0123456789");
    return length;
}

/* Letters, digits, dashes and underscores that stand between them. */
static size_t word_length(const char *at)
{
    size_t length = 0;
    bool word;

    while (is_letter(at[length]) ||
           (length && strchr("-_/", at[length]) && at[length] && is_letter(at[length + 1]))) {
        if ((unsigned char)at[length] >= 0x80 && long_sign(at + length, &word))
            break;
        length++;
    }
    return length;
}

/* "am", "pm" */
static size_t half_length(const char *at)
{
    int first = tolower((unsigned char)at[0]);

    return (first == 'a' || first == 'p') && tolower((unsigned char)at[1]) == 'm' &&
                   !is_letter(at[2])
               ? 2
               : 0;
}

size_t clock_length(const char *at)
{
    size_t hours = strspn(at, "0123456789"), length = hours, half;

    if (!hours || hours > 2)
        return 0;
    for (int part = 0; part < 2 && at[length] == ':'; part++) {
        if (strspn(at + length + 1, "0123456789") != 2)
            return 0;
        length += 3;
    }
    half = half_length(at + length);
    if (half)
        return length + half;
    return length == hours || is_letter(at[length]) || at[length] == ':' ? 0 : length;
}

void word_read_number(struct question_word *word)
{
    static const char *const names[] = {"zero", "one",   "two",   "three", "four", "five",
                                        "six",  "seven", "eight", "nine",  "ten"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(word->text, names[i]) == 0) {
            word->number = true;
            word->value = (double)i;
        }
}

static void add(struct arena *arena, struct question_words *words, const char *at, size_t length)
{
    struct question_word *word = &words->items[words->count];
    char *lower = arena_copy(arena, at, length), digits[NUMBER_TEXT_MAX];
    size_t used = 0;

    if (words->count == QUESTION_WORDS_MAX) {
        words->cut = true;
        return;
    }
    words->count++;
    for (size_t i = 0; i < length; i++)
        lower[i] = (char)tolower((unsigned char)at[i]);
    *word = (struct question_word){.text = lower, .shown = arena_copy(arena, at, length)};
    word_read_number(word);
    if (number_length(lower) != length)
        return;
    for (size_t i = 0; i < length && used + 1 < sizeof digits; i++)
        if (lower[i] != ',')
            digits[used++] = lower[i];
    digits[used] = '\0';
    word->number = number_parse(digits, &word->value);
}

/* "weren't" has been read as "weren" and "t". */
static void split_negation(struct arena *arena, struct question_words *words)
{
    struct question_word *last = words->count > 1 ? &words->items[words->count - 1] : NULL;
    const char *before;
    size_t length;

    if (!last || strcmp(last->text, "t") != 0)
        return;
    before = last[-1].text;
    length = strlen(before);
    if (length < 2 || before[length - 1] != 'n')
        return;
    if (strcmp(before, "can") != 0)
        last[-1].text = arena_copy(arena, before, length - 1);
    last->text = last->shown = "not";
}

/* The length of a word that begins here; 0 when none does, and then `skip` bytes separate. */
static size_t next_word(const char *at, size_t *skip)
{
    static const char separators[] = " \t\r\n.,;:!?\"'`()[]{}-";
    size_t digits = number_length(at), length;
    bool word = false;

    *skip = long_sign(at, &word);
    if (*skip)
        return word ? *skip : 0;
    if (clock_length(at))
        return clock_length(at);
    length = word_length(at);
    /* "24h" is two words, an id or a date is one. */
    if (digits && (digits >= length || (isalpha((unsigned char)at[digits]) &&
                                        !memchr(at, '-', length) && !memchr(at, '_', length))))
        return digits;
    *skip = 1;
    return length ? length : strchr(separators, *at) ? 0 : 1;
}

void words_read(struct arena *arena, const char *question, struct question_words *words)
{
    *words = (struct question_words){
        .items = ARENA_ARRAY(arena, struct question_word, QUESTION_WORDS_MAX + 1)};
    while (*question && !words->cut) {
        size_t skip, length = next_word(question, &skip);

        if (length) {
            add(arena, words, question, length);
            if (length == 1)
                split_negation(arena, words);
        }
        question += length ? length : skip;
    }
    words->items[words->count] = (struct question_word){.text = "", .shown = ""};
}

bool word_is(const struct question_words *words, size_t at, const char *text)
{
    return at < words->count && strcmp(words->items[at].text, text) == 0;
}

bool word_is_one_of(const struct question_words *words, size_t at, const char *const *list)
{
    for (; *list; list++)
        if (word_is(words, at, *list))
            return true;
    return false;
}

void words_take(struct question_words *words, size_t at, size_t count, enum word_slot slot)
{
    for (size_t i = at; i < at + count && i < words->count; i++)
        words->items[i].slot = slot;
}

bool words_have(const struct question_words *words, enum word_slot slot)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->items[i].slot == slot)
            return true;
    return false;
}

bool word_is_free(const struct question_words *words, size_t at)
{
    return at < words->count && words->items[at].slot == SLOT_NONE;
}
