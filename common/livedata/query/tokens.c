/* Splits questions into tokens, reads foreign words of grammar as English ones, and finds the
 * phrases of grammar. */
#include "livedata/query/tokens.h"

#include "base/number.h"
#include "base/text.h"
#include "text/fold.h"
#include "text/language.h"
#include "text/stem.h"

#include <ctype.h>
#include <string.h>

enum { SINGULAR_MAX = 96, STEM_LEAST = 4 };

struct splitter {
    struct arena *arena;
    struct question_tokens *tokens;
    bool comma;
};

const char *token_fold(struct arena *arena, const char *text)
{
    char *fold = arena_copy_string(arena, text_fold(arena, text));

    /* Russian yo (d1 91) becomes ye (d0 b5). */
    for (char *at = fold; *at; at++)
        if ((unsigned char)at[0] == 0xd1 && (unsigned char)at[1] == 0x91) {
            at[0] = (char)0xd0;
            at[1] = (char)0xb5;
        }
    return fold;
}

static struct question_token *add(struct splitter *splitter, const char *at, size_t length)
{
    struct question_words *words = &splitter->tokens->words;
    struct question_token *token = &splitter->tokens->items[words->count];
    struct question_word *word = &words->items[words->count];

    if (words->count == QUESTION_WORDS_MAX) {
        words->cut = true;
        return NULL;
    }
    words->count++;
    *word = (struct question_word){.shown = arena_copy(splitter->arena, at, length)};
    *token = (struct question_token){.comma = splitter->comma};
    token->fold = word->text = token_fold(splitter->arena, word->shown);
    splitter->comma = false;
    return token;
}

static void read_number(struct question_word *word)
{
    char digits[NUMBER_TEXT_MAX];
    size_t used = 0;

    for (const char *at = word->text; *at && used + 1 < sizeof digits; at++)
        if (*at != ',')
            digits[used++] = *at;
    digits[used] = '\0';
    word->number = used + 1 < sizeof digits && number_parse(digits, &word->value);
}

/* Digits with a point, with commas between thousands, and with a sign where `sign` allows one. */
static size_t number_length(const char *at, bool sign)
{
    size_t start = sign && (*at == '-' || *at == '+'), length;

    length = start + strspn(at + start, "0123456789");
    if (length == start)
        return 0;
    while (at[length] == ',' && at[start] != '0' && strspn(at + length + 1, "0123456789") == 3)
        length += 4;
    if (at[length] == '.' && isdigit((unsigned char)at[length + 1]))
        length += 1 + strspn(at + length + 1, "0123456789");
    return length;
}

static enum script script_at(const char *at, size_t *length)
{
    int32_t character = 0;

    *length = letter_read(at, strlen(at), &character);
    if (!*length) {
        *length = 1;
        return SCRIPT_OTHER;
    }
    return letter_kind(character) == LETTER_NONE ? SCRIPT__MAX : script_of(character);
}

static bool is_letter(const char *at, size_t *length)
{
    if ((unsigned char)*at < 0x80) {
        *length = 1;
        return isalnum((unsigned char)*at);
    }
    return script_at(at, length) != SCRIPT__MAX;
}

/* Letters, digits, and the signs that ids have between them. */
static size_t word_length(const char *at)
{
    size_t length = 0, step;

    if ((unsigned char)*at >= 0x80 && script_at(at, &step) == SCRIPT_HAN)
        return step;
    while (at[length]) {
        size_t after;

        if (is_letter(at + length, &step)) {
            if ((unsigned char)at[length] >= 0x80 && script_at(at + length, &after) == SCRIPT_HAN)
                break;
            length += step;
        } else if (length && strchr("-_/.", at[length]) && is_letter(at + length + 1, &after) &&
                   (at[length] != '.' || isdigit((unsigned char)at[length + 1]))) {
            length++;
        } else {
            break;
        }
    }
    return length;
}

/* The closing quote of the text that a quote opens here; NULL when it opens none. */
static const char *closing_quote(const char *at, size_t *open, size_t *close)
{
    static const char *const quotes[][2] = {
        {"\"", "\""},
        {"'", "'"},
        {"`", "`"},
        {"\xc2\xab", "\xc2\xbb"},         /* « » */
        {"\xe2\x80\x9c", "\xe2\x80\x9d"}, /* “ ” */
        {"\xe2\x80\x9e", "\xe2\x80\x9c"}, /* „ “ */
        {"\xe2\x80\x98", "\xe2\x80\x99"}, /* ‘ ’ */
    };

    for (size_t i = 0; i < sizeof quotes / sizeof quotes[0]; i++) {
        const char *end;

        *open = strlen(quotes[i][0]);
        *close = strlen(quotes[i][1]);
        if (strncmp(at, quotes[i][0], *open) != 0)
            continue;
        end = strstr(at + *open, quotes[i][1]);
        return end && end > at + *open ? end : NULL;
    }
    return NULL;
}

static void add_quoted(struct splitter *splitter, const char *at, size_t length)
{
    struct question_token *token = add(splitter, at, length);

    if (!token)
        return;
    token->quoted = true;
    /* What nothing of grammar or of periods equals. */
    splitter->tokens->words.items[splitter->tokens->words.count - 1].text = "\"";
}

/* "machine's", "isn't", "don't" */
static const char *skip_apostrophe(struct splitter *splitter, const char *at)
{
    struct question_words *words = &splitter->tokens->words;
    size_t sign = *at == '\'' ? 1 : strncmp(at, "\xe2\x80\x99", 3) == 0 ? 3 : 0;
    struct question_word *last = words->count ? &words->items[words->count - 1] : NULL;
    size_t length = last ? strlen(last->text) : 0;

    if (!sign || !last)
        return NULL;
    if (tolower((unsigned char)at[sign]) == 's' && !isalnum((unsigned char)at[sign + 1]))
        return at + sign + 1;
    if (tolower((unsigned char)at[sign]) == 't' && !isalnum((unsigned char)at[sign + 1]) &&
        length > 2 && last->text[length - 1] == 'n') {
        last->text = splitter->tokens->items[words->count - 1].fold =
            arena_copy(splitter->arena, last->text, length - 1);
        (void)add(splitter, "not", 3);
        return at + sign + 1;
    }
    return NULL;
}

static size_t sign_length(const char *at)
{
    static const char *const signs[] = {">=", "<=", "!=", "<>", "==", ">", "<", "=", "%", "+",
                                        "*",  "$",  "&",  "#",  "@",  "^", "~", "|", "\\"};

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strncmp(at, signs[i], strlen(signs[i])) == 0)
            return strlen(signs[i]);
    return 0;
}

/* A number, also where letters follow it at once ("24h"), but not the digits of an id or a date. */
static size_t number_at(const char *question, const char *at)
{
    bool free = at == question || strchr(" \t\r\n(=<>", at[-1]);
    size_t digits = number_length(at, free), length = word_length(at + (*at == '-' || *at == '+'));

    length += *at == '-' || *at == '+';
    if (!digits || digits >= length)
        return digits;
    if (memchr(at + 1, '-', length - 1) || memchr(at, '_', length) || memchr(at, '/', length) ||
        memchr(at + digits, '.', length - digits))
        return 0;
    return digits;
}

static const char *next(struct splitter *splitter, const char *question, const char *at)
{
    size_t open, close, length = 1;
    const char *end = skip_apostrophe(splitter, at);

    if (end)
        return end;
    end = at == question || strchr(" \t\r\n(=:,", at[-1]) || (unsigned char)at[-1] >= 0x80
              ? closing_quote(at, &open, &close)
              : NULL;
    if (end) {
        add_quoted(splitter, at + open, (size_t)(end - at) - open);
        return end + close;
    }
    length = at == question || !isalnum((unsigned char)at[-1]) ? clock_length(at) : 0;
    if (length) {
        (void)add(splitter, at, length);
        return at + length;
    }
    length = number_at(question, at);
    if (length) {
        if (add(splitter, at, length))
            read_number(&splitter->tokens->words.items[splitter->tokens->words.count - 1]);
        return at + length;
    }
    length = word_length(at);
    length = length ? length : sign_length(at);
    if (length) {
        (void)add(splitter, at, length);
        return at + length;
    }
    splitter->comma = splitter->comma || *at == ',' || strncmp(at, "\xef\xbc\x8c", 3) == 0 ||
                      strncmp(at, "\xd8\x8c", 2) == 0 || strncmp(at, "\xe3\x80\x81", 3) == 0;
    length = utf8_sequence_length(at, strlen(at));
    return at + (length ? length : 1);
}

static void split(struct arena *arena, const char *question, struct question_tokens *tokens)
{
    struct splitter splitter = {.arena = arena, .tokens = tokens};

    *tokens = (struct question_tokens){.language = "en"};
    tokens->words.items = ARENA_ARRAY(arena, struct question_word, QUESTION_WORDS_MAX + 1);
    tokens->items = ARENA_ARRAY(arena, struct question_token, QUESTION_WORDS_MAX + 1);
    for (const char *at = question; *at && !tokens->words.cut;)
        at = next(&splitter, question, at);
    tokens->words.items[tokens->words.count] = (struct question_word){.text = "", .shown = ""};
    tokens->items[tokens->words.count] = (struct question_token){.fold = ""};
}

/* One word of a phrase, which ends at a blank, `|` or the end; `*` stands for any ending. */
static bool is_word(const char *text, const char *word, size_t length)
{
    if (length && word[length - 1] == '*')
        return strncmp(text, word, length - 1) == 0;
    return strncmp(text, word, length) == 0 && !text[length];
}

/* How many tokens from `at` on the phrase matches; 0 = not. A phrase ends at `|` or the end. */
static size_t match_phrase(const struct question_tokens *tokens, size_t at, const char *phrase)
{
    size_t count = 0;

    while (*phrase && *phrase != '|') {
        size_t length = strcspn(phrase, " |");

        if (at + count >= tokens->words.count || tokens->items[at + count].quoted ||
            !is_word(tokens->words.items[at + count].text, phrase, length))
            return 0;
        count++;
        phrase += length;
        phrase += *phrase == ' ';
    }
    return count;
}

static size_t match_list(const struct question_tokens *tokens, size_t at, const char *phrases)
{
    size_t most = 0;

    while (*phrases) {
        size_t count = match_phrase(tokens, at, phrases);

        most = count > most ? count : most;
        phrases += strcspn(phrases, "|");
        phrases += *phrases == '|';
    }
    return most;
}

static const struct phrase *find_foreign(const struct question_tokens *tokens, size_t at,
                                         const struct phrase_list *list, size_t *length)
{
    const struct phrase *found = NULL;

    *length = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t count = match_list(tokens, at, list->items[i].words);

        if (count > *length) {
            *length = count;
            found = &list->items[i];
        }
    }
    return found;
}

static size_t count_foreign(const struct question_tokens *tokens, const struct phrase_list *list)
{
    size_t count = 0, length;

    for (size_t at = 0; at < tokens->words.count; at++)
        if (find_foreign(tokens, at, list, &length)) {
            count += length;
            at += length - 1;
        }
    return count;
}

/* The second word of "9 am". */
static bool is_half_of_day(const struct question_tokens *tokens, size_t at)
{
    const struct question_word *hour = at ? &tokens->words.items[at - 1] : NULL;

    return hour && hour->number && hour->value >= 1 && hour->value <= 12 &&
           match_list(tokens, at, "am|pm");
}

static size_t count_english(const struct question_tokens *tokens)
{
    size_t count = 0;

    for (size_t at = 0; at < tokens->words.count; at++) {
        count += is_half_of_day(tokens, at);
        for (size_t i = 0; i < grammar_phrase_count; i++)
            if (match_list(tokens, at, grammar_phrases[i].phrases)) {
                count++;
                break;
            }
    }
    return count;
}

/* The language of most words of grammar, English among equals. */
static const struct phrase_list *choose_language(const struct question_tokens *tokens)
{
    const struct phrase_list *found = NULL;
    size_t most = count_english(tokens);

    for (size_t i = 0; i < foreign_phrase_lists; i++) {
        size_t count = count_foreign(tokens, &foreign_phrases[i]);

        if (count > most) {
            most = count;
            found = &foreign_phrases[i];
        }
    }
    return found;
}

/* The words of one phrase as one text, for what was not understood. */
static const char *shown_of(struct arena *arena, const struct question_tokens *tokens, size_t at,
                            size_t length)
{
    const char *shown = tokens->words.items[at].shown;

    for (size_t i = 1; i < length; i++)
        shown = arena_print(arena, "%s %s", shown, tokens->words.items[at + i].shown);
    return shown;
}

/* Appends the English words of a phrase; an empty text drops it. */
static void put_english(struct arena *arena, struct question_tokens *made,
                        const struct phrase *phrase, const char *shown, bool comma)
{
    const char *english = phrase->english, *before_time = phrase->before_time;

    while (*english && made->words.count < QUESTION_WORDS_MAX) {
        size_t length = strcspn(english, " "), at = made->words.count++;
        struct question_word *word = &made->words.items[at];

        *word = (struct question_word){.text = arena_copy(arena, english, length), .shown = shown};
        if (isdigit((unsigned char)*english))
            read_number(word);
        made->items[at] =
            (struct question_token){.fold = "", .comma = comma, .before_time = before_time};
        comma = false;
        before_time = NULL;
        english += length;
        english += *english == ' ';
    }
}

/* "1,500" is one and a half in the languages that write a decimal comma, and "1.500" may be either:
 * such a token is no number there. */
static void drop_unclear_numbers(struct question_tokens *tokens)
{
    for (size_t at = 0; at < tokens->words.count; at++) {
        struct question_word *word = &tokens->words.items[at];
        const char *sign = strpbrk(word->text, ",.");
        bool zero = sign == word->text + 1 && *word->text == '0' && *sign == '.';

        if (word->number && sign && !zero && (*sign == ',' || strspn(sign + 1, "0123456789") == 3))
            word->number = false;
    }
}

/* "2025 году": the word after a year says no more. */
static bool is_after_year(const struct question_tokens *made, const struct phrase_list *list,
                          const struct question_tokens *tokens, size_t at)
{
    const struct question_word *last;

    if (!made->words.count || !list->after_year || !match_list(tokens, at, list->after_year))
        return false;
    last = &made->words.items[made->words.count - 1];
    return last->number && last->value >= 1970 && last->value < 2200;
}

static void translate(struct arena *arena, const struct token_names *names,
                      struct question_tokens *tokens)
{
    static const struct phrase after_year = {"", "the", NULL};
    const struct phrase_list *list = choose_language(tokens);
    struct question_tokens made = {.language = list ? list->language : "en"};

    if (!list)
        return;
    if (list->decimal_comma)
        drop_unclear_numbers(tokens);
    made.words.cut = tokens->words.cut;
    made.words.items = ARENA_ARRAY(arena, struct question_word, QUESTION_WORDS_MAX + 1);
    made.items = ARENA_ARRAY(arena, struct question_token, QUESTION_WORDS_MAX + 1);
    for (size_t at = 0; at < tokens->words.count;) {
        size_t length;
        const struct phrase *phrase = find_foreign(tokens, at, list, &length);
        size_t name = names ? names->is_name(names->context, tokens, at) : 0;

        if (!phrase && !name && is_after_year(&made, list, tokens, at)) {
            phrase = &after_year;
            length = 1;
        }
        if (phrase && length > name) {
            put_english(arena, &made, phrase, shown_of(arena, tokens, at, length),
                        tokens->items[at].comma);
            at += length;
            continue;
        }
        for (size_t end = at + (name > 1 ? name : 1); at < end; at++) {
            if (made.words.count == QUESTION_WORDS_MAX)
                break;
            made.words.items[made.words.count] = tokens->words.items[at];
            made.items[made.words.count++] = tokens->items[at];
        }
        if (made.words.count == QUESTION_WORDS_MAX)
            break;
    }
    made.words.items[made.words.count] = (struct question_word){.text = "", .shown = ""};
    made.items[made.words.count] = (struct question_token){.fold = ""};
    *tokens = made;
}

static void find_numbers(struct question_tokens *tokens)
{
    for (size_t at = 0; at < tokens->words.count; at++)
        word_read_number(&tokens->words.items[at]);
}

static void find_grammar(struct question_tokens *tokens)
{
    for (size_t at = 0; at < tokens->words.count; at++)
        for (size_t i = 0; i < grammar_phrase_count; i++) {
            size_t length = match_list(tokens, at, grammar_phrases[i].phrases);

            if (length > tokens->items[at].length) {
                tokens->items[at].length = length;
                tokens->items[at].grammar = grammar_phrases[i].grammar;
            }
        }
}

void tokens_read(struct arena *arena, const char *question, const struct token_names *names,
                 struct question_tokens *tokens)
{
    split(arena, question, tokens);
    translate(arena, names, tokens);
    find_numbers(tokens);
    find_grammar(tokens);
}

/* Cuts an English plural. */
static void singular(const char *word, char cut[SINGULAR_MAX])
{
    size_t length = strnlen(word, SINGULAR_MAX - 1);

    memcpy(cut, word, length);
    cut[length] = '\0';
    if (length > 4 && strcmp(cut + length - 3, "ies") == 0) {
        cut[length - 3] = 'y';
        cut[length - 2] = '\0';
    } else if (length > 4 &&
               (strcmp(cut + length - 4, "sses") == 0 || strcmp(cut + length - 3, "xes") == 0 ||
                strcmp(cut + length - 4, "ches") == 0 || strcmp(cut + length - 4, "shes") == 0 ||
                strcmp(cut + length - 4, "uses") == 0)) {
        cut[length - 2] = '\0';
    } else if (length > 3 && cut[length - 1] == 's' && !strchr("sui", cut[length - 2])) {
        cut[length - 1] = '\0';
    }
}

static bool is_ascii(const char *text)
{
    while (*text && (unsigned char)*text < 0x80)
        text++;
    return !*text;
}

static bool same_stem(const char *one, const char *other)
{
    struct word words[2] = {{.letters = true}, {.letters = true}};
    const char *const texts[] = {one, other};
    char stems[2][WORD_BYTES_MAX + 1];
    size_t lengths[2];

    for (int i = 0; i < 2; i++) {
        enum text_language language;

        words[i].length = strnlen(texts[i], WORD_BYTES_MAX);
        memcpy(words[i].text, texts[i], words[i].length);
        language = stem_language(TEXT_UNKNOWN, &words[i]);
        if (language == TEXT_UNKNOWN)
            return false;
        lengths[i] = stem_word(language, &words[i], stems[i]);
    }
    return lengths[0] >= STEM_LEAST && lengths[0] == lengths[1] &&
           memcmp(stems[0], stems[1], lengths[0]) == 0;
}

bool token_is_han(const char *text)
{
    size_t length;

    return (unsigned char)*text >= 0x80 && script_at(text, &length) == SCRIPT_HAN && !text[length];
}

bool token_same(const char *word, const char *name)
{
    char left[SINGULAR_MAX], right[SINGULAR_MAX];

    if (!*word || !*name)
        return false;
    if (strcmp(word, name) == 0)
        return true;
    if (!is_ascii(word) || !is_ascii(name))
        return same_stem(word, name);
    singular(word, left);
    singular(name, right);
    return strcmp(left, right) == 0;
}
