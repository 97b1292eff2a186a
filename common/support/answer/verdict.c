/* Amounts in texts, and what a question asks about one. */
#include "support/answer/verdict.h"
#include "base/text.h"
#include "text/exact_words.h"
#include "text/plain.h"
#include "text/sentences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AMOUNTS_MAX = 8, LOOKED_AT = 60 };

enum kind {
    KIND_TIME, /* days */
    KIND_MASS, /* kilograms */
    KIND_LENGTH,
    KIND_VOLUME,
    KIND_DATA,
    KIND_VOLTAGE,
    KIND_POWER,
    KIND_PERCENT,
    KIND_EURO,
    KIND_DOLLAR,
    KIND_POUND,
    KIND_ROUBLE,
    KIND_YUAN,
    KIND_RIYAL
};

static const struct unit {
    enum kind kind;
    double factor;
    const char *names; /* as text_plain() writes them */
} units[] = {
    {KIND_TIME, 365,
     "year|years|jahr|jahre|jahren|jahres|an|ans|année|années|año|años|год|года|лет|году|سنه|سنوات|"
     "عام|اعوام|年"},
    {KIND_TIME, 365.0 / 12,
     "month|months|monat|monate|monaten|mois|mes|meses|месяц|месяца|месяцев|شهر|شهرا|اشهر|شهور|"
     "个月"},
    {KIND_TIME, 7,
     "week|weeks|woche|wochen|semaine|semaines|semana|semanas|неделя|недели|недель|неделю|اسبوع|"
     "اسبوعا|اسابيع|周|星期|个星期"},
    {KIND_TIME, 1,
     "day|days|working days|business days|tag|tage|tagen|werktage|werktagen|arbeitstage|"
     "arbeitstagen|jour|jours|día|días|день|дня|дней|рабочих дней|рабочих дня|календарных дней|يوم|"
     "يوما|ايام|天|日|个工作日|工作日"},
    {KIND_TIME, 1.0 / 24,
     "hour|hours|stunde|stunden|heure|heures|hora|horas|час|часа|часов|ساعه|ساعات|小时|个小时"},
    {KIND_TIME, 1.0 / 1440,
     "minute|minutes|minuten|minuto|minutos|минута|минуты|минут|минуту|دقيقه|دقائق|分钟"},
    {KIND_MASS, 1,
     "kg|kilo|kilos|kilogram|kilograms|kilogramm|kilogrammes|kilogramos|кг|килограмм*|كغ|كجم|كيلو*|"
     "公斤|千克"},
    {KIND_MASS, 0.001, "g|gram|grams|gramm|gramme|grammes|gramo|gramos|г|грамм*|غرام*|جرام*|克"},
    {KIND_LENGTH, 1,
     "m|metre|metres|meter|meters|metern|mètre|mètres|metro|metros|м|метр*|متر*|米"},
    {KIND_LENGTH, 0.01,
     "cm|centimetre*|centimeter*|zentimeter*|centimètre*|centímetro*|см|سم|厘米"},
    {KIND_LENGTH, 0.001, "mm|millimet*|мм|مم|毫米"},
    {KIND_LENGTH, 1000, "km|kilomet*|kilomèt*|kilómet*|км|километр*|كم|公里"},
    {KIND_VOLUME, 1, "l|litre|litres|liter|liters|litern|litro|litros|л|литр*|لتر*|升"},
    {KIND_VOLUME, 0.001, "ml|мл|مل|毫升"},
    {KIND_DATA, 1, "gb|go|gigabyte*|гб|غيغابايت"},
    {KIND_DATA, 0.001, "mb|mo|megabyte*|мб|ميغابايت"},
    {KIND_DATA, 1000, "tb|terabyte*|тб|تيرابايت"},
    {KIND_VOLTAGE, 1, "v|volt|volts|в|вольт*|فولت|伏"},
    {KIND_POWER, 1, "w|watt|watts|вт|ватт*|واط|瓦"},
    {KIND_POWER, 1000, "kw|квт|千瓦"},
    {KIND_PERCENT, 1, "percent|per cent|prozent|pour cent|por ciento|процент*|في المئه|بالمئه"},
    {KIND_EURO, 1, "eur|euro|euros|евро|يورو|欧元"},
    {KIND_DOLLAR, 1, "usd|dollar|dollars|dólar|dólares|доллар*|دولار*|美元"},
    {KIND_POUND, 1, "gbp|pound|pounds|pfund|livres"},
    {KIND_ROUBLE, 1, "rub|руб|рубль|рубля|рублей"},
    {KIND_YUAN, 1, "yuan|cny|rmb|元|块"},
    {KIND_RIYAL, 1, "ريال|ريالا|ريالات"},
};

/* Forms that hold number and unit in one word. */
static const struct unit whole_words[] = {
    {KIND_TIME, 730, "سنتين|سنتان|عامين|عامان"},
    {KIND_TIME, 365.0 / 6, "شهرين|شهران"},
    {KIND_TIME, 14, "اسبوعين|اسبوعان"},
    {KIND_TIME, 2, "يومين|يومان"},
    {KIND_TIME, 365.0 / 2, "半年|полгода|halbes jahr|halben jahr|half a year"},
};

static const char *const number_words[] = {
    "half|halb|halbe|demi|medio|пол|نصف|半",
    ("one|a|an|ein|eine|einen|einem|einer|un|une|uno|una|один|одна|одно|одного|одной|одну|"
     "واحد|واحده|一"),
    "two|zwei|deux|dos|два|две|двух|2|两|二|اثنان",
    "three|drei|trois|tres|три|трех|ثلاثه|ثلاث|三",
    "four|vier|quatre|cuatro|четыре|четырех|اربعه|اربع|四",
    "five|fünf|cinq|cinco|пять|пяти|خمسه|خمس|五",
    "six|sechs|seis|шесть|шести|سته|ست|六",
    "seven|sieben|sept|siete|семь|семи|سبعه|سبع|七",
    "eight|acht|huit|ocho|восемь|восьми|ثمانيه|ثماني|八",
    "nine|neun|neuf|nueve|девять|девяти|تسعه|تسع|九",
    "ten|zehn|dix|diez|десять|десяти|عشره|عشر|十",
    "eleven|elf|onze|once|одиннадцать",
    "twelve|zwölf|douze|doce|двенадцать|двенадцати|十二",
};

enum relation { RELATION_EQUAL, RELATION_MORE, RELATION_LESS, RELATION_LEAST, RELATION_MOST };

/* In order: "не более" before "более". */
static const struct {
    enum relation relation;
    const char *phrases;
} relations[] = {
    {RELATION_LEAST, "at least|no less than|mindestens|au moins|al menos|por lo menos|не менее|не "
                     "меньше|минимум|хотя бы|علي الاقل|至少|不少于|不低于"},
    {RELATION_MOST, "at most|up to|no more than|höchstens|maximal|bis zu|au plus|au maximum|jusqu "
                    "à|como máximo|hasta|не более|не больше|максимум|علي الاكثر|最多|至多|不超过"},
    {RELATION_MORE,
     "more than|longer than|over|above|exceed|exceeds|heavier than|greater than|higher than|bigger "
     "than|larger than|older than|länger als|mehr als|über|schwerer als|grösser als|höher "
     "als|älter "
     "als|plus de|plus d|plus longue que|plus long que|supérieure à|supérieur à|plus lourd "
     "que|plus "
     "lourde que|más de|más que|más larga que|más largo que|mayor de|mayor que|superior a|больше|"
     "более|дольше|длиннее|свыше|тяжелее|выше|اكثر من|اطول من|اكبر من|اثقل من|اعلي "
     "من|超过|大于|多于|"
     "高于|长于"},
    {RELATION_LESS,
     "less than|shorter than|under|below|lighter than|cheaper than|fewer than|smaller than|weniger "
     "als|kürzer als|unter|leichter als|günstiger als|billiger als|moins de|moins d|inférieure à|"
     "inférieur à|menos de|menos que|menor de|menor que|inferior "
     "a|меньше|менее|короче|легче|дешевле|"
     "ниже|اقل من|اقصر من|اخف من|ارخص من|低于|少于|小于|短于|不到|不足"},
};

/* Before an amount of a text: nothing beyond it counts. */
static const char limits[] =
    "within|up to|no later than|innerhalb|binnen|bis zu|bis|dans un délai de|dans les|jusqu à|sous|"
    "dentro de|en un plazo de|hasta|в течение|до|не позднее|خلال|حتي|في غضون|最多";
static const char limits_after[] = "内|以内|之内|天内|个月内";

static const char between[] = "to|bis|à|a|до|الي|至|到";

struct amount {
    enum kind kind;
    double low, high;
    bool limit;
};

struct amounts {
    struct amount items[AMOUNTS_MAX];
    size_t count;
};

static double word_number(const char *text)
{
    for (size_t i = 0; i < sizeof number_words / sizeof number_words[0]; i++) {
        if (plain_phrase_at(text, number_words[i]) == strlen(text))
            return i ? (double)i : 0.5;
    }
    return 0;
}

int verdict_numeral(const char *word)
{
    double number = strcmp(word, "once") == 0 ? 0 : word_number(word); /* English rather than 11 */

    return number >= 2 ? (int)number : 0;
}

static double number_of(const struct word *word)
{
    if (word->digits && !word->letters)
        return strtod(word->text, NULL);
    return word_number(word->text);
}

static const struct unit *unit_in(const struct unit *list, size_t count, const char *plain)
{
    const struct unit *found = NULL;
    size_t longest = 0;

    for (size_t i = 0; i < count; i++) {
        size_t length = plain_phrase_at(plain, list[i].names);

        if (length > longest) {
            longest = length;
            found = &list[i];
        }
    }
    return found;
}

/* The unit of the number that ends at `at`. */
static const struct unit *unit_at(struct arena *arena, const char *at)
{
    static const struct {
        const char *sign;
        enum kind kind;
    } signs[] = {{"%", KIND_PERCENT},
                 {"€", KIND_EURO},
                 {"$", KIND_DOLLAR},
                 {"£", KIND_POUND},
                 {"₽", KIND_ROUBLE}};

    at += strspn(at, " ");
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (strncmp(at, signs[i].sign, strlen(signs[i].sign)) == 0) {
            for (size_t j = 0; j < sizeof units / sizeof units[0]; j++) {
                if (units[j].kind == signs[i].kind)
                    return &units[j];
            }
        }
    }
    return unit_in(units, sizeof units / sizeof units[0],
                   text_plain(arena, at, strlen(utf8_copy_prefix(arena, at, LOOKED_AT))));
}

/* Whether `text` before `end` closes with one of the phrases, at most two words before. */
static bool is_limited(struct arena *arena, const char *text, size_t end, const char *after)
{
    const char *before = text_plain(arena, text, end);
    const char *last = before;
    size_t length;

    for (const char *at = before; (at = plain_find(at, limits, &length)) && *at; at += length)
        last = at + length;
    if (last > before && strlen(last) <= 4)
        return true;
    return plain_find(text_plain(arena, after, strlen(utf8_copy_prefix(arena, after, 8))),
                      limits_after, NULL) != NULL;
}

static void add_amount(struct amounts *amounts, const struct amount *amount)
{
    if (amounts->count < AMOUNTS_MAX)
        amounts->items[amounts->count++] = *amount;
}

struct pending {
    double value; /* of a number without a unit, which may begin a range */
    size_t words; /* since then */
};

static void read_word(struct arena *arena, const char *text, const struct word *word,
                      struct pending *range, struct amounts *amounts)
{
    double number = number_of(word);
    const struct unit *unit = number > 0 ? unit_at(arena, text + word->end) : NULL;

    if (unit) {
        double low = range->value > 0 && range->words <= 1 ? range->value : number;

        add_amount(amounts, &(struct amount){
                                unit->kind, fmin(low, number) * unit->factor, number * unit->factor,
                                is_limited(arena, text, word->start, text + word->end)});
        *range = (struct pending){0, 0};
        return;
    }
    if (word->digits && !word->letters) {
        *range = (struct pending){number, 0};
        return;
    }
    range->words = plain_phrase_at(word->text, between) ? range->words : range->words + 2;
    unit = unit_in(whole_words, sizeof whole_words / sizeof whole_words[0], word->text);
    if (unit)
        add_amount(amounts, &(struct amount){unit->kind, unit->factor, unit->factor, false});
}

/* Numerals of scripts without spaces stand within pairs: they are looked for by character. */
static void read_numerals(struct arena *arena, const char *text, struct amounts *amounts)
{
    for (const char *at = text; *at; at++) {
        size_t length = ((unsigned char)*at & 0xf0) == 0xe0 ? strnlen(at, 3) : 0;
        double number = length == 3 ? word_number(arena_copy(arena, at, length)) : 0;
        const struct unit *unit = number > 0 ? unit_at(arena, at + length) : NULL;

        if (unit)
            add_amount(amounts, &(struct amount){unit->kind, number * unit->factor,
                                                 number * unit->factor, false});
    }
}

static struct amounts amounts_of(struct arena *arena, const char *text)
{
    struct amounts amounts = {.count = 0};
    struct pending range = {0, 0};
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, text, strlen(text));
    while (exact_word_next(&reader, &word)) {
        if (!word.pair)
            read_word(arena, text, &word, &range, &amounts);
        else if (!strstr(between, word.text))
            range.words++;
    }
    read_numerals(arena, text, &amounts);
    return amounts;
}

/* Units alone, with or without "one" after them: "больше года", "أطول من سنة واحدة". */
static const struct unit lone[] = {{KIND_TIME, 365, "года|سنه|سنه واحده|عام|عام واحد"},
                                   {KIND_TIME, 365.0 / 12, "месяца|شهر|شهر واحد"},
                                   {KIND_TIME, 7, "недели|اسبوع|اسبوع واحد"},
                                   {KIND_TIME, 1, "дня|يوم|يوم واحد"}};

static void read_lone_unit(struct arena *arena, const char *text, struct amounts *amounts)
{
    for (size_t i = 0; i < sizeof lone / sizeof lone[0]; i++) {
        if (plain_find(text_plain(arena, text, strlen(text)), lone[i].names, NULL)) {
            add_amount(amounts,
                       &(struct amount){lone[i].kind, lone[i].factor, lone[i].factor, false});
            return;
        }
    }
}

static enum relation relation_of(const char *plain)
{
    for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++) {
        if (plain_find(plain, relations[i].phrases, NULL))
            return relations[i].relation;
    }
    return RELATION_EQUAL;
}

static enum verdict as_verdict(bool yes, bool no)
{
    return yes ? VERDICT_YES : no ? VERDICT_NO : VERDICT_NONE;
}

/* The amount of a text against that of the question; a range may be on both sides. */
static enum verdict compare(enum relation relation, double wanted, const struct amount *amount)
{
    double slack = 1e-6 * wanted;

    switch (relation) {
    case RELATION_MORE:
        return as_verdict(amount->low > wanted + slack, amount->high <= wanted + slack);
    case RELATION_LESS:
        return as_verdict(amount->high < wanted - slack, amount->low >= wanted - slack);
    case RELATION_LEAST:
        return as_verdict(amount->low >= wanted - slack, amount->high < wanted - slack);
    case RELATION_MOST:
        return as_verdict(amount->high <= wanted + slack, amount->low > wanted + slack);
    default:
        break;
    }
    if (amount->limit)
        return as_verdict(wanted <= amount->high + slack, wanted > amount->high + slack);
    return amount->low < amount->high ? VERDICT_NONE
                                      : as_verdict(fabs(amount->low - wanted) < 0.015 * wanted,
                                                   fabs(amount->low - wanted) >= 0.015 * wanted);
}

/* The first sentence with an amount of that kind decides, when all its amounts agree. */
static enum verdict decide(struct arena *arena, enum relation relation, const struct amount *wanted,
                           const char *text)
{
    struct sentence_reader reader;
    size_t start, end;

    sentence_reader_start(&reader, text, strlen(text));
    while (sentence_next(&reader, &start, &end)) {
        struct amounts amounts = amounts_of(arena, arena_copy(arena, text + start, end - start));
        enum verdict verdict = VERDICT_NONE;
        bool any = false;

        for (size_t i = 0; i < amounts.count; i++) {
            enum verdict one;

            if (amounts.items[i].kind != wanted->kind)
                continue;
            one = compare(relation, wanted->high, &amounts.items[i]);
            if (any && one != verdict)
                return VERDICT_NONE;
            verdict = one;
            any = true;
        }
        if (any)
            return verdict;
    }
    return VERDICT_NONE;
}

enum verdict verdict_of(struct arena *arena, const char *question, const char *text)
{
    const char *plain = text_plain(arena, question, strlen(question));
    enum relation relation = relation_of(plain);
    struct amounts amounts = amounts_of(arena, question);

    if (!amounts.count && relation != RELATION_EQUAL)
        read_lone_unit(arena, question, &amounts);
    if (amounts.count != 1)
        return VERDICT_NONE;
    return decide(arena, relation, &amounts.items[0], text);
}

/* The end in the source of `length` bytes of its plain form, which begins at a word. */
static size_t source_end(const char *text, size_t length)
{
    struct word_reader reader;
    struct word word;
    size_t plain = 0;

    word_reader_start(&reader, text, strlen(text));
    while (word_next(&reader, &word)) {
        if (word.pair)
            return plain ? word.start : length;
        plain += word.length + (plain > 0);
        if (plain >= length)
            return word.end;
    }
    return reader.length;
}

/* The bytes of an amount that begins with the word; 0 when it begins none. */
static size_t amount_length(struct arena *arena, const char *text, const struct word *word)
{
    const char *at = text + word->start;
    size_t number = word->pair ? utf8_prefix(at, 1) : word->end - word->start, unit;
    const char *alone = word->pair ? arena_copy(arena, at, number) : word->text;
    const char *rest = at + number;

    if (word->pair ? word_number(alone) <= 0 : number_of(word) <= 0)
        return 0;
    rest = text_plain(arena, rest, strlen(utf8_copy_prefix(arena, rest, LOOKED_AT)));
    unit = 0;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t length = plain_phrase_at(rest, units[i].names);

        unit = length > unit ? length : unit;
    }
    return unit ? number + source_end(at + number, unit) : 0;
}

size_t verdict_ranges(struct arena *arena, const char *question, struct text_range *ranges,
                      size_t most)
{
    struct word_reader reader;
    struct word word;
    size_t count = 0;

    if (relation_of(text_plain(arena, question, strlen(question))) == RELATION_EQUAL)
        return 0;
    word_reader_start(&reader, question, strlen(question));
    while (count < most && exact_word_next(&reader, &word)) {
        const char *at = question + word.start;
        size_t length = amount_length(arena, question, &word);

        for (size_t i = 0; !length && i < sizeof relations / sizeof relations[0]; i++) {
            size_t phrase =
                plain_phrase_at(text_plain(arena, at, strlen(at)), relations[i].phrases);

            length = phrase ? source_end(at, phrase) : 0;
        }
        for (size_t i = 0; !length && i < sizeof lone / sizeof lone[0]; i++) {
            size_t phrase = plain_phrase_at(text_plain(arena, at, strlen(at)), lone[i].names);

            length = phrase ? source_end(at, phrase) : 0;
        }
        if (length)
            ranges[count++] = (struct text_range){word.start, word.start + length};
    }
    return count;
}

const char *verdict_word(enum verdict verdict, enum text_language language, bool before_text)
{
    static const struct {
        enum text_language language;
        const char *yes, *no, *yes_before, *no_before;
    } words[] = {
        {TEXT_EN, "Yes", "No", "Yes: ", "No: "},     {TEXT_DE, "Ja", "Nein", "Ja: ", "Nein: "},
        {TEXT_FR, "Oui", "Non", "Oui : ", "Non : "}, {TEXT_ES, "Sí", "No", "Sí: ", "No: "},
        {TEXT_RU, "Да", "Нет", "Да: ", "Нет: "},     {TEXT_AR, "نعم", "لا", "نعم: ", "لا: "},
        {TEXT_ZH, "是的", "否", "是的：", "否："},   {TEXT_IT, "Sì", "No", "Sì: ", "No: "},
        {TEXT_PT, "Sim", "Não", "Sim: ", "Não: "},   {TEXT_UK, "Так", "Ні", "Так: ", "Ні: "},
        {TEXT_TH, "ใช่", "ไม่ใช่", "ใช่: ", "ไม่ใช่: "},
    };
    size_t place = 0;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        place = words[i].language == language ? i : place;
    if (verdict == VERDICT_YES)
        return before_text ? words[place].yes_before : words[place].yes;
    return before_text ? words[place].no_before : words[place].no;
}
