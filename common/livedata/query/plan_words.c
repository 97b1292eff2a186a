/* Assigns the words of a question to slots: ids, the period, phrases, states, amounts, currencies,
 * groups, then single words. The first assignment of a word wins. */
#include "livedata/query/plan_words.h"

#include <math.h>
#include <string.h>

enum { CURRENCY_LETTERS = 3 };

const char *const plan_statuses[PLAN_STATUSES + 1] = {"pending",   "confirmed", "shipped",
                                                      "delivered", "cancelled", NULL};

struct vocabulary {
    enum word_slot slot;
    const char *const *words;
};

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct vocabulary single_words[] = {
    {SLOT_FILLER,
     WORDS("a", "an", "the", "of", "for", "in", "on", "at", "from", "to", "with", "is", "are",
           "was", "were", "be", "been", "do", "does", "did", "have", "has", "had", "there", "what",
           "which", "whats", "s", "me", "us", "my", "our", "we", "i", "you", "please", "show",
           "give", "list", "tell", "get", "find", "display", "see", "want", "need", "know", "would",
           "like", "could", "can", "their", "they", "them", "it", "its", "these", "those", "that",
           "any", "place", "placed", "made", "created", "came", "generated", "about", "so", "far",
           "store", "shop", "within", "during", "over", "details", "detail", "info", "information",
           "record", "records", "data")},
    {SLOT_ORDER, WORDS("order", "orders", "purchase", "purchases")},
    {SLOT_USER, WORDS("user", "users", "customer", "customers", "buyer", "buyers", "client",
                      "clients", "who")},
    {SLOT_PRODUCT, WORDS("product", "products", "item", "items")},
    {SLOT_SESSION, WORDS("session", "sessions", "visit", "visits")},
    {SLOT_COUNT, WORDS("count", "total")},
    {SLOT_REVENUE, WORDS("revenue", "revenues", "sales", "turnover", "selling")},
    {SLOT_AVERAGE, WORDS("aov")},
    {SLOT_CONVERSION, WORDS("conversion", "conversions")},
    {SLOT_PRICE, WORDS("price", "prices", "priced")},
    {SLOT_SPENT, WORDS("spent", "spend", "spends", "spending")},
    {SLOT_ACTIVE, WORDS("active")},
    {SLOT_RANK, WORDS("top", "most", "highest", "largest", "biggest", "greatest", "max", "maximum",
                      "best", "least", "lowest", "smallest", "min", "minimum", "fewest", "worst",
                      "cheapest", "dearest", "priciest", "expensive", "cheap")},
    {SLOT_NOW, WORDS("now", "currently", "current")},
    {SLOT_ALL, WORDS("all", "ever", "overall")},
    {SLOT_STOCK, WORDS("stock")},
    {SLOT_DETAIL, WORDS("status", "amount", "category", "name")},
};

static const char *const rising[] = {"least",  "lowest", "smallest", "min",   "minimum",
                                     "fewest", "worst",  "cheapest", "cheap", NULL};

static const struct {
    const char *code, *words[5];
} currency_words[] = {{"RUB", {"rub", "ruble", "rubles", "roubles", "₽"}},
                      {"USD", {"usd", "dollar", "dollars", "$"}},
                      {"EUR", {"eur", "euro", "euros", "€"}},
                      {"GBP", {"gbp", "sterling", "£"}}};

static const char *const iso_codes[] = {"CHF", "JPY", "CNY", "KZT", "AED", "TRY", "UAH",
                                        "PLN", "SEK", "NOK", "DKK", "CZK", "HUF", "INR",
                                        "BRL", "CAD", "AUD", "BYN", "GEL", "ILS", NULL};

static bool is(const struct plan_reader *reader, size_t at, const char *word)
{
    return word_is(&reader->words, at, word) && reader->words.items[at].slot == SLOT_NONE;
}

static bool is_one_of(const struct plan_reader *reader, size_t at, const char *const *list)
{
    return word_is_one_of(&reader->words, at, list) && reader->words.items[at].slot == SLOT_NONE;
}

static void take(struct plan_reader *reader, size_t at, size_t count, enum word_slot slot)
{
    words_take(&reader->words, at, count, slot);
}

static void read_ids(struct plan_reader *reader)
{
    const struct {
        const char *prefix;
        enum word_slot slot;
        const char **id;
    } kinds[] = {{"ord-", SLOT_ORDER_ID, &reader->plan->order_id},
                 {"usr-", SLOT_USER_ID, &reader->plan->user_id},
                 {"prod-", SLOT_PRODUCT_ID, &reader->plan->product_id},
                 {"ses-", SLOT_SESSION_ID, &reader->plan->session_id}};

    for (size_t at = 0; at < reader->words.count; at++)
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            const struct question_word *word = &reader->words.items[at];
            size_t length = strlen(kinds[i].prefix);

            if (strncmp(word->text, kinds[i].prefix, length) != 0 || *kinds[i].id ||
                strspn(word->text + length, "abcdefghijklmnopqrstuvwxyz0123456789_-") !=
                    strlen(word->text + length))
                continue;
            *kinds[i].id = word->shown;
            take(reader, at, 1, kinds[i].slot);
        }
}

enum { BEFORE_DELIVERED = 7 }; /* pending, confirmed, shipped */

/* The statuses named at `at`, one bit each, and the number of words; 0 for none. */
static unsigned statuses_at(const struct plan_reader *reader, size_t at, size_t *length)
{
    static const struct {
        const char *words[4];
        unsigned statuses;
    } others[] = {{{"canceled"}, 16},
                  {{"arrived"}, 8},
                  {{"arrive"}, 8},
                  {{"arriving"}, 8},
                  {{"dispatched"}, 4},
                  {{"sent"}, 4},
                  {{"on", "the", "way"}, 4},
                  {{"on", "their", "way"}, 4},
                  {{"in", "transit"}, 4},
                  {{"open"}, BEFORE_DELIVERED},
                  {{"outstanding"}, BEFORE_DELIVERED}};

    *length = 1;
    for (int i = 0; i < PLAN_STATUSES; i++)
        if (is(reader, at, plan_statuses[i]))
            return 1u << i;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        size_t count = 0;

        while (others[i].words[count] && is(reader, at + count, others[i].words[count]))
            count++;
        *length = count;
        if (count && !others[i].words[count])
            return others[i].statuses;
    }
    *length = 0;
    return 0;
}

/* "undelivered" is "not delivered". */
static unsigned negated_status_at(const struct plan_reader *reader, size_t at)
{
    const char *text = at < reader->words.count ? reader->words.items[at].text : "";

    for (int i = 0; i < PLAN_STATUSES; i++)
        if (strncmp(text, "un", 2) == 0 && strcmp(text + 2, plan_statuses[i]) == 0)
            return 1u << i;
    return 0;
}

/* "status", "with the status of": words that only announce a status. */
static size_t skip_status_word(const struct plan_reader *reader, size_t at)
{
    static const char *const words[] = {"status", "state", NULL};
    static const char *const links[] = {"is", "of", NULL};
    size_t length = is_one_of(reader, at, words);

    return length ? length + is_one_of(reader, at + 1, links) : 0;
}

/* "not", or "yet to be" and "still to be", with what may stand between it and the status. */
static size_t skip_negation(struct plan_reader *reader, size_t at)
{
    static const char *const negations[] = {"not",     "never", "except", "excluding",
                                            "without", "non",   NULL};
    static const char *const between[] = {"yet",  "still", "been", "be",  "being", "marked",  "as",
                                          "were", "was",   "the",  "are", "is",    "already", NULL};
    static const char *const awaiting[] = {"yet", "still", NULL};
    size_t end = at;

    if (is_one_of(reader, at, negations))
        end = at + 1;
    else if (is_one_of(reader, at, awaiting) && is(reader, at + 1, "to"))
        end = at + 2;
    while (end > at && is_one_of(reader, end, between))
        end++;
    return end - at;
}

/* One status, or several joined by "or", "and", "nor"; those after a "not" are excluded. */
static size_t read_status(struct plan_reader *reader, size_t at)
{
    static const char *const joints[] = {"or", "and", "nor", NULL};
    size_t head = skip_status_word(reader, at), length;
    size_t negation = skip_negation(reader, at + head), end = at + head + negation;
    bool negated = negation > 0;
    unsigned statuses = statuses_at(reader, end, &length);

    if (!statuses && !negated) {
        statuses = negated_status_at(reader, end);
        length = negated = statuses != 0;
    }
    if (!statuses)
        return 0;
    if (negated && strncmp(reader->words.items[end].text, "arriv", 5) == 0)
        reader->awaits = true;
    do {
        *(negated ? &reader->plan->without : &reader->plan->with) |= statuses;
        end += length;
        statuses = is_one_of(reader, end, joints) ? statuses_at(reader, end + 1, &length) : 0;
        end += statuses != 0;
    } while (statuses);
    return end + is(reader, end, "status") - at;
}

/* "still" and "yet" belong to the status or the stock that the question names. */
static void read_waiting(struct plan_reader *reader)
{
    static const char *const words[] = {"still", "yet", "already", NULL};
    enum word_slot slot = words_have(&reader->words, SLOT_STATUS)  ? SLOT_STATUS
                          : words_have(&reader->words, SLOT_STOCK) ? SLOT_STOCK
                                                                   : SLOT_NONE;

    for (size_t at = 0; slot && at < reader->words.count; at++) {
        bool waits = word_is(&reader->words, at, "still") || word_is(&reader->words, at, "yet");

        if (!is_one_of(reader, at, words) && !(waits && reader->words.items[at].slot == slot))
            continue;
        reader->awaits = reader->awaits || waits;
        take(reader, at, 1, slot);
    }
}

/* "Not yet delivered" means on the way there: cancelled orders are not awaited, and what is
 * delivered has been shipped. */
static void choose_awaited(struct plan_reader *reader)
{
    struct question_plan *plan = reader->plan;

    for (int i = 1; reader->awaits && !plan->with && i < PLAN_STATUSES - 1; i++)
        if (plan->without == 1u << i) {
            plan->with = (1u << i) - 1;
            plan->without = 0;
        }
}

static void read_statuses(struct plan_reader *reader)
{
    for (size_t at = 0; at < reader->words.count; at++) {
        size_t length = read_status(reader, at);

        take(reader, at, length, SLOT_STATUS);
        at += length ? length - 1 : 0;
    }
    read_waiting(reader);
    choose_awaited(reader);
}

static const char *currency_at(const struct plan_reader *reader, size_t at)
{
    const struct question_word *word = &reader->words.items[at];

    for (size_t i = 0; i < sizeof currency_words / sizeof currency_words[0]; i++)
        for (size_t j = 0; j < 5 && currency_words[i].words[j]; j++)
            if (is(reader, at, currency_words[i].words[j]))
                return currency_words[i].code;
    for (size_t i = 0; word->slot == SLOT_NONE && iso_codes[i]; i++)
        if (strcmp(word->shown, iso_codes[i]) == 0)
            return iso_codes[i];
    return strlen(word->shown) == CURRENCY_LETTERS &&
                   strcmp(word->shown, reader->context->settings->currency) == 0
               ? word->shown
               : NULL;
}

/* The first currency; a second one remains among the words not understood. */
static void read_currency(struct plan_reader *reader)
{
    for (size_t at = 0; at < reader->words.count; at++) {
        const char *code = currency_at(reader, at);

        if (!code || (reader->plan->currency && strcmp(code, reader->plan->currency) != 0))
            continue;
        reader->plan->currency = code;
        take(reader, at, 1, SLOT_CURRENCY);
    }
}

/* "over 100", "at least 100", "more than 100". */
static void read_amount(struct plan_reader *reader)
{
    static const struct {
        const char *first, *second, *sign;
    } signs[] = {{"over", NULL, ">"},   {"above", NULL, ">"},     {"exceeding", NULL, ">"},
                 {"more", "than", ">"}, {"greater", "than", ">"}, {"larger", "than", ">"},
                 {"at", "least", ">="}, {"under", NULL, "<"},     {"below", NULL, "<"},
                 {"less", "than", "<"}, {"smaller", "than", "<"}, {"at", "most", "<="},
                 {"worth", NULL, "="}};

    for (size_t at = 0; at < reader->words.count && !reader->plan->amount_sign; at++)
        for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
            size_t length = signs[i].second ? 2 : 1, number = at + length;

            if (!is(reader, at, signs[i].first) ||
                (signs[i].second && !is(reader, at + 1, signs[i].second)))
                continue;
            number += number < reader->words.count && currency_at(reader, number) != NULL;
            if (!word_is_free(&reader->words, number) || !reader->words.items[number].number ||
                reader->words.items[number].value >= 1e12)
                continue;
            reader->plan->amount_sign = signs[i].sign;
            reader->plan->amount = reader->words.items[number].value;
            take(reader, at, length, SLOT_AMOUNT);
            take(reader, number, 1, SLOT_AMOUNT);
            break;
        }
}

/* "by status", "per customer", "for each currency"; what no group is stays. */
static void read_group(struct plan_reader *reader)
{
    static const char *const heads[] = {"by", "per", "each", "every", NULL};
    static const char *const before[] = {"grouped", "split", "broken", "down", "for", NULL};
    static const struct {
        enum plan_group group;
        const char *words[5];
    } groups[] = {{GROUP_STATUS, {"status", "state", "stage"}},
                  {GROUP_CURRENCY, {"currency", "currencies"}},
                  {GROUP_USER, {"user", "customer", "buyer", "client"}},
                  {GROUP_PRODUCT, {"product", "item"}},
                  {GROUP_CATEGORY, {"category", "categories"}}};

    for (size_t at = 0; at < reader->words.count; at++)
        for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
            size_t start = at;
            bool id =
                at + 2 < reader->words.count && reader->words.items[at + 2].slot == SLOT_USER_ID;

            if (!is_one_of(reader, at, heads) || !is_one_of(reader, at + 1, groups[i].words) ||
                id || reader->plan->group)
                continue;
            reader->plan->group = groups[i].group;
            while (start && is_one_of(reader, start - 1, before))
                start--;
            take(reader, start, at + 2 - start, SLOT_GROUP);
        }
}

/* "by revenue" is the sort key of a ranking; "by USR-42" and "by user USR-42" name the user. */
static void read_by(struct plan_reader *reader)
{
    const struct question_words *words = &reader->words;
    bool ranks = words_have(words, SLOT_RANK);

    for (size_t at = 0; at + 1 < words->count; at++) {
        enum word_slot next = words->items[at + 1].slot;

        if (!is(reader, at, "by"))
            continue;
        if (next == SLOT_USER_ID || (next == SLOT_USER && at + 2 < words->count &&
                                     words->items[at + 2].slot == SLOT_USER_ID))
            take(reader, at, 1, SLOT_USER_ID);
        else if (ranks && (next == SLOT_REVENUE || next == SLOT_PRICE || next == SLOT_SPENT ||
                           next == SLOT_ORDER))
            take(reader, at, 1, SLOT_RANK);
        else if (ranks && word_is(words, at + 1, "amount"))
            take(reader, at, 2, SLOT_RANK);
    }
}

/* "top 7", "5 most expensive", "three largest". */
static void read_rank_number(struct plan_reader *reader)
{
    struct question_words *words = &reader->words;

    for (size_t at = 0; at < words->count; at++) {
        size_t number = words->items[at].slot != SLOT_RANK  ? words->count
                        : word_is_free(words, at + 1)       ? at + 1
                        : at && word_is_free(words, at - 1) ? at - 1
                                                            : words->count;
        double value;

        if (number >= words->count || !words->items[number].number || reader->plan->has_rank_number)
            continue;
        value = words->items[number].value;
        if (value != floor(value))
            continue;
        reader->plan->top = value > PLAN_TOP_MOST ? PLAN_TOP_MOST : (int64_t)value;
        reader->plan->period.clamped = reader->plan->period.clamped || value > PLAN_TOP_MOST;
        reader->plan->has_rank_number = true;
        take(reader, number, 1, SLOT_RANK);
    }
}

/* Several words with one meaning. */
static void read_phrases(struct plan_reader *reader)
{
    static const struct {
        const char *words[5];
        enum word_slot slot;
    } phrases[] = {{{"out", "of", "stock"}, SLOT_STOCK},
                   {{"not", "in", "stock"}, SLOT_STOCK},
                   {{"in", "stock"}, SLOT_STOCK},
                   {{"how", "many"}, SLOT_COUNT},
                   {{"number", "of"}, SLOT_COUNT},
                   {{"how", "much"}, SLOT_FILLER},
                   {{"error", "rate"}, SLOT_ERRORS},
                   {{"conversion", "rate"}, SLOT_CONVERSION},
                   {{"right", "now"}, SLOT_NOW},
                   {{"total", "number", "of"}, SLOT_COUNT},
                   {{"total", "revenue"}, SLOT_REVENUE},
                   {{"total", "sales"}, SLOT_REVENUE},
                   {{"total", "turnover"}, SLOT_REVENUE},
                   {{"total", "value"}, SLOT_REVENUE},
                   {{"total", "amount"}, SLOT_REVENUE},
                   {{"order", "value"}, SLOT_REVENUE},
                   {{"average", "revenue", "per", "order"}, SLOT_AVERAGE},
                   {{"of", "all", "time"}, SLOT_ALL},
                   {{"all", "time"}, SLOT_ALL},
                   {{"average", "order", "value"}, SLOT_AVERAGE},
                   {{"avg", "order", "value"}, SLOT_AVERAGE},
                   {{"mean", "order", "value"}, SLOT_AVERAGE},
                   {{"average", "order"}, SLOT_AVERAGE},
                   {{"avg", "order"}, SLOT_AVERAGE},
                   {{"mean", "order"}, SLOT_AVERAGE},
                   {{"average", "value", "of"}, SLOT_AVERAGE},
                   {{"still", "active"}, SLOT_ACTIVE},
                   {{"current", "sessions"}, SLOT_ACTIVE}};

    for (size_t at = 0; at < reader->words.count; at++)
        for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
            size_t length = 0;

            while (phrases[i].words[length] && is(reader, at + length, phrases[i].words[length]))
                length++;
            if (!length || phrases[i].words[length])
                continue;
            if (phrases[i].slot == SLOT_STOCK)
                reader->plan->stock = length == 3 ? STOCK_OUT : STOCK_IN;
            take(reader, at, length, phrases[i].slot);
            if (strcmp(phrases[i].words[length - 1], "sessions") == 0)
                take(reader, at + length - 1, 1, SLOT_SESSION);
        }
}

static void read_words(struct plan_reader *reader)
{
    for (size_t at = 0; at < reader->words.count; at++)
        for (size_t i = 0; i < sizeof single_words / sizeof single_words[0]; i++) {
            if (!is_one_of(reader, at, single_words[i].words))
                continue;
            if (single_words[i].slot == SLOT_RANK && word_is_one_of(&reader->words, at, rising))
                reader->plan->ascending = true;
            take(reader, at, 1, single_words[i].slot);
        }
}

void plan_read_words(struct plan_reader *reader, const char *question)
{
    const struct plan_context *context = reader->context;

    words_read(context->arena, question, &reader->words);
    read_ids(reader);
    period_read(&reader->words, context->zone, context->now, &reader->plan->period);
    read_phrases(reader);
    read_statuses(reader);
    read_amount(reader);
    read_currency(reader);
    read_group(reader);
    read_words(reader);
    read_by(reader);
    read_rank_number(reader);
}
