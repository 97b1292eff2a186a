/* Categories of documents. */
#include "support/documents/categories.h"
#include "base/json.h"
#include "search/terms.h"

#include <string.h>

enum { BEGINNING = 6000 /* bytes looked at, some 3000 characters */, CATEGORIES_MAX = 64 };

const struct category categories_built_in[] = {
    {"returns", "Returns and refunds",
     "return returns refund refunds exchange возврат вернуть возвращать возвращаются обмен"},
    {"shipping", "Delivery of orders",
     "shipping shipment delivery deliver courier parcel доставка доставить курьер посылка"},
    {"account", "Accounts, sign-in, passwords",
     "account password login sign email authentication profile аккаунт пароль вход учетная "
     "профиль"},
    {"payment", "Payments, invoices, subscriptions",
     "payment pay invoice billing subscription card price оплата платеж счет подписка цена карта"},
    {"product", "The product itself: use, errors, warranty",
     "product device warranty error install repair устройство товар гарантия гарантийный ошибка "
     "ремонт установка"},
};
const size_t categories_built_in_count = sizeof categories_built_in / sizeof categories_built_in[0];

/* How often words of the list stand in the text. */
static int count_words(const char *list, const char *text, size_t length,
                       enum text_language language)
{
    struct word_reader in_list, in_text;
    struct word word;
    char stems[64][WORD_BYTES_MAX + 1], stem[WORD_BYTES_MAX + 1];
    size_t known = 0;
    int found = 0;

    word_reader_start(&in_list, list, strlen(list));
    while (known < 64 && word_next(&in_list, &word))
        term_stem(language, &word, stems[known++]);
    word_reader_start(&in_text, text, length);
    while (word_next(&in_text, &word)) {
        bool hit = false;

        term_stem(language, &word, stem);
        for (size_t i = 0; i < known && !hit; i++)
            hit = strcmp(stem, stems[i]) == 0;
        found += hit;
    }
    return found;
}

const char *categories_of(struct arena *arena, const struct category *categories, size_t count,
                          const char *text, size_t length)
{
    int found[CATEGORIES_MAX] = {0}, best = 0;
    enum text_language language;
    struct text names;
    struct json_writer writer;

    if (length > BEGINNING)
        length = BEGINNING;
    if (count > CATEGORIES_MAX)
        count = CATEGORIES_MAX;
    language = language_detect(text, length);
    for (size_t i = 0; i < count; i++) {
        found[i] = count_words(categories[i].words, text, length, language);
        best = found[i] > best ? found[i] : best;
    }
    text_start(&names, arena, 8192);
    writer_start(&writer, &names);
    writer_open_array(&writer);
    for (size_t i = 0; i < count; i++) {
        if (found[i] >= 2 && found[i] * 2 >= best)
            writer_string(&writer, categories[i].name);
    }
    if (best < 2)
        writer_string(&writer, "uncategorized");
    writer_close_array(&writer);
    return names.bytes;
}
