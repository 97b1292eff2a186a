/* Finds words and folds them. Characters below U+0800 are folded by a table that is made once from
 * utf8proc; others, and words with marks, by utf8proc itself. */
#include "text/words.h"
#include "base/text.h"

#include <string.h>
#include <utf8proc.h>

enum {
    TABLE_SIZE = 0x800,
    FOLD_SLOWLY = 0xffff, /* in the table: more than one character, or depends on its neighbors */
    CHARACTERS_MAX = 128  /* of a word while it is folded */
};

static struct {
    bool made;
    uint8_t kind[TABLE_SIZE];
    uint16_t folded[TABLE_SIZE];
} table;

struct range {
    int32_t first, last;
};

/* Scripts written without spaces between words (Unicode 14, Blocks.txt). Hangul has spaces, but
 * between phrases. */
static const struct range unspaced[] = {
    {0x0e00, 0x0eff}, {0x1000, 0x109f}, {0x1100, 0x11ff}, {0x1780, 0x17ff},   {0x2e80, 0x2fdf},
    {0x3005, 0x3007}, {0x3041, 0x31ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff},   {0xa960, 0xa97f},
    {0xac00, 0xd7ff}, {0xf900, 0xfaff}, {0xff66, 0xffdc}, {0x1b000, 0x1b16f}, {0x20000, 0x3fffd},
};

static bool is_unspaced(int32_t character)
{
    if (character < unspaced[0].first)
        return false;
    for (size_t i = 0; i < sizeof unspaced / sizeof unspaced[0]; i++) {
        if (character >= unspaced[i].first && character <= unspaced[i].last)
            return true;
    }
    return false;
}

static enum letter_kind kind_of(int32_t character)
{
    /* Soft hyphen and the joiners occur inside words; folding drops them. */
    if (character == 0xad || character == 0x200c || character == 0x200d)
        return LETTER_MARK;
    switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return is_unspaced(character) ? LETTER_UNSPACED : LETTER_PLAIN;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return is_unspaced(character) ? LETTER_UNSPACED : LETTER_MARK;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return LETTER_DIGIT;
    default:
        return LETTER_NONE;
    }
}

/* Spellings that readers consider equal. 0 = dropped. */
static int32_t same_spelling(int32_t character)
{
    switch (character) {
    case 0x0451: /* Cyrillic yo */
        return 0x0435;
    case 0x0622: /* Arabic alef with madda, with hamza above, below, alef wasla */
    case 0x0623:
    case 0x0625:
    case 0x0671:
        return 0x0627;
    case 0x0649: /* alef maksura */
        return 0x064a;
    case 0x0629: /* teh marbuta */
        return 0x0647;
    default:
        break;
    }
    /* Hebrew points; Arabic tatweel, vowel signs, superscript alef. */
    if ((character >= 0x0591 && character <= 0x05c7) || character == 0x0640 ||
        (character >= 0x064b && character <= 0x065f) || character == 0x0670)
        return 0;
    return character;
}

static const utf8proc_option_t folding =
    UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE;

static uint16_t table_fold(int32_t character)
{
    char bytes[5] = {0};
    utf8proc_int32_t folded[8];
    utf8proc_ssize_t count;

    utf8proc_encode_char(character, (utf8proc_uint8_t *)bytes);
    count = utf8proc_decompose((utf8proc_uint8_t *)bytes, (utf8proc_ssize_t)strlen(bytes), folded,
                               8, folding);
    if (count >= 0 && count < 8)
        count = utf8proc_normalize_utf32(folded, count, folding);
    if (count != 1 || folded[0] >= TABLE_SIZE)
        return FOLD_SLOWLY;
    return (uint16_t)same_spelling(folded[0]);
}

static void table_make(void)
{
    for (int32_t character = 1; character < TABLE_SIZE; character++) {
        enum letter_kind kind = kind_of(character);
        bool dropped = kind == LETTER_MARK && same_spelling(character) == 0;

        table.kind[character] = (uint8_t)kind;
        table.folded[character] = kind == LETTER_NONE               ? 0
                                  : kind == LETTER_MARK && !dropped ? FOLD_SLOWLY
                                                                    : table_fold(character);
        if (dropped)
            table.folded[character] = 0;
    }
    table.made = true;
}

bool character_is_text(int32_t character)
{
    switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_CC:
        return character > 0 && character < 0x80 && strchr("\t\n\f\r", character);
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CS:
        return false;
    default:
        return true;
    }
}

enum letter_kind letter_kind(int32_t character)
{
    if (!table.made)
        table_make();
    return character < TABLE_SIZE ? (enum letter_kind)table.kind[character] : kind_of(character);
}

size_t letter_read(const char *bytes, size_t left, int32_t *character)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t length;

    if (at[0] < 0x80) {
        *character = at[0];
        return 1;
    }
    length = utf8_sequence_length(bytes, left);
    if (length == 2)
        *character = (at[0] & 0x1f) << 6 | (at[1] & 0x3f);
    else if (length == 3)
        *character = (at[0] & 0x0f) << 12 | (at[1] & 0x3f) << 6 | (at[2] & 0x3f);
    else if (length == 4)
        *character =
            (at[0] & 0x07) << 18 | (at[1] & 0x3f) << 12 | (at[2] & 0x3f) << 6 | (at[3] & 0x3f);
    return length;
}

size_t letter_read_back(const char *bytes, size_t length, int32_t *character)
{
    size_t at = length - 1;

    while (at > 0 && length - at < 4 && ((unsigned char)bytes[at] & 0xc0) == 0x80)
        at--;
    return letter_read(bytes + at, length - at, character) == length - at ? length - at : 0;
}

/* Appends one folded character to the word; false when there is no room. */
static bool word_put(struct word *word, int32_t character)
{
    utf8proc_uint8_t bytes[4];
    size_t length = (size_t)utf8proc_encode_char(character, bytes);

    if (word->length + length > WORD_BYTES_MAX)
        return false;
    memcpy(word->text + word->length, bytes, length);
    word->length += length;
    return true;
}

/* Folds with utf8proc. Text that cannot be folded gives an empty word. */
static void fold_slowly(struct word *word, const char *bytes, size_t length)
{
    utf8proc_int32_t characters[CHARACTERS_MAX];
    utf8proc_ssize_t count;

    if (length > CHARACTERS_MAX / 2) {
        length = CHARACTERS_MAX / 2;
        length = utf8_valid_prefix(bytes, length);
    }
    count = utf8proc_decompose((const utf8proc_uint8_t *)bytes, (utf8proc_ssize_t)length,
                               characters, CHARACTERS_MAX, folding);
    if (count > CHARACTERS_MAX)
        count = CHARACTERS_MAX;
    if (count > 0)
        count = utf8proc_normalize_utf32(characters, count, folding);
    for (utf8proc_ssize_t i = 0; i < count; i++) {
        int32_t character = same_spelling(characters[i]);

        if (character && letter_kind(character) != LETTER_NONE && !word_put(word, character))
            return;
    }
}

static bool fold_by_table(struct word *word, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        int32_t character = 0;
        uint16_t folded;

        at += letter_read(bytes + at, length - at, &character);
        if (character >= TABLE_SIZE)
            return false;
        folded = table.folded[character];
        if (folded == FOLD_SLOWLY)
            return false;
        if (folded && !word_put(word, folded))
            return true;
    }
    return true;
}

static void word_fold(struct word *word, const char *bytes)
{
    word->length = 0;
    if (!fold_by_table(word, bytes + word->start, word->end - word->start)) {
        word->length = 0;
        fold_slowly(word, bytes + word->start, word->end - word->start);
    }
    word->text[word->length] = '\0';
}

static bool is_arabic_letter(int32_t character, enum letter_kind kind)
{
    return kind != LETTER_DIGIT && character >= 0x0600 && character <= 0x06ff;
}

/* The end of the run that begins at `start`: of unspaced characters, or of all other word
 * characters. Arabic writes "and", "in", "the" and units together with numbers, so letters end
 * there. */
static size_t run_end(const struct word_reader *reader, size_t start, bool is_pairs,
                      struct word *word)
{
    size_t at = start;
    bool after_digit = false, after_arabic = false;

    while (at < reader->length) {
        int32_t character = 0;
        size_t taken = letter_read(reader->source + at, reader->length - at, &character);
        enum letter_kind kind = taken ? letter_kind(character) : LETTER_NONE;
        bool is_digit = kind == LETTER_DIGIT, is_arabic = is_arabic_letter(character, kind);

        if (kind == LETTER_NONE || (kind == LETTER_UNSPACED) != is_pairs ||
            (is_digit && after_arabic) || (is_arabic && after_digit))
            break;
        after_digit = is_digit;
        after_arabic = is_arabic;
        word->digits |= is_digit;
        word->letters |= kind == LETTER_PLAIN || kind == LETTER_UNSPACED;
        at += taken;
    }
    return at;
}

static size_t step(const struct word_reader *reader, size_t at)
{
    int32_t character = 0;
    size_t taken = letter_read(reader->source + at, reader->length - at, &character);

    return at + (taken ? taken : 1);
}

/* Reads a pair from the run that ends at pair_end; the last character of a run begins no pair. */
static void next_pair(struct word_reader *reader, struct word *word)
{
    size_t middle = step(reader, reader->at), end;

    word->pair = word->letters = true;
    word->start = reader->at;
    end = middle < reader->pair_end ? step(reader, middle) : middle;
    word->end = end;
    word_fold(word, reader->source);
    reader->at = middle;
    if (end >= reader->pair_end) {
        reader->at = reader->pair_end;
        reader->pair_end = 0;
    }
}

void word_reader_start(struct word_reader *reader, const char *source, size_t length)
{
    if (!table.made)
        table_make();
    *reader = (struct word_reader){.source = source, .length = length};
}

bool word_next(struct word_reader *reader, struct word *word)
{
    do {
        int32_t character = 0;
        size_t taken;
        enum letter_kind kind;

        word->digits = word->letters = word->pair = false;
        word->length = 0;
        if (reader->pair_end) {
            next_pair(reader, word);
            continue;
        }
        if (reader->at >= reader->length)
            return false;
        taken = letter_read(reader->source + reader->at, reader->length - reader->at, &character);
        kind = taken ? letter_kind(character) : LETTER_NONE;
        if (kind == LETTER_NONE || kind == LETTER_MARK) {
            reader->at += taken ? taken : 1;
            continue;
        }
        if (kind == LETTER_UNSPACED) {
            reader->pair_end = run_end(reader, reader->at, true, word);
            next_pair(reader, word);
            continue;
        }
        word->start = reader->at;
        word->end = reader->at = run_end(reader, reader->at, false, word);
        word_fold(word, reader->source);
    } while (word->length == 0);
    return true;
}
