/* Words in the reader's language: which one is picked, and how catalogue entries are filled in. */
#include "i18n/i18n.h"
#include "test.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Negotiation is among the languages that have a catalogue. */
static void open_languages(void)
{
    struct problem problem;

    CHECK_INT(locale_open_catalogues("locales", &problem), ERROR_NONE);
}

TEST(negotiation_follows_quality_then_order)
{
    static const struct {
        const char *header;
        const char *tag;
    } cases[] = {
        {"ru-RU,en;q=0.5", "ru"},
        {"en;q=0.3,de;q=0.9", "de"},
        {"xx, fr;q=0.1", "fr"},
        {"pt-BR", "en"},
        {"zh_TW", "zh"},
        {"ru;q=abc", "ru"},
        {"fr-CA", "fr"},
        {"de-AT,en;q=0.5", "de"},
        {"pt-BR,es;q=0.8", "es"},
        {"ja", "en"},
        {"en;q=0.1,ru;q=0.9", "ru"},
        {"", "en"},
        {NULL, "en"},
        {"*", "en"},
        {"*;q=1, de;q=0.2", "de"},
        {"de, fr, es", "de"}, /* a tie goes to the first */
        {"fr;q=0.5, de;q=0.5", "fr"},
        {"en;q=0.8, ar;q=0.80, ru;q=0.801", "ru"},
        {"DE", "de"},
        {"zh-Hans-CN", "zh"},
        {" \t es \t ; \t q \t = \t 0.4 , en ; q = 0.3 ", "es"},
        {"de;Q=0.1, fr;q=0.2", "fr"},
        {"de;level=1;q=0.1, fr;q=0.2", "fr"},
        {"english, deutsch, f, r", "en"},
        {"e, ens-US, de1", "en"},
    };

    open_languages();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_TEXT(language_tag(language_negotiate(cases[i].header)), cases[i].tag);
}

TEST(unreadable_qualities_count_as_one)
{
    static const char *const unreadable[] = {"abc", "",    "1.1",  "2", "-1",   "+0.1", "nan",
                                             "inf", "0x1", "1e-9", ".", "0.5.", "0 5"};
    char header[64];

    open_languages();
    for (size_t i = 0; i < sizeof unreadable / sizeof unreadable[0]; i++) {
        snprintf(header, sizeof header, "ru;q=0.9, de;q=%s", unreadable[i]);
        CHECK_TEXT(language_tag(language_negotiate(header)), "de");
    }
    CHECK_TEXT(language_tag(language_negotiate("ru;q=0.9, de;q=.95")), "de");
    CHECK_TEXT(language_tag(language_negotiate("ru;q=0.9, de;q=1.")), "de");
    CHECK_TEXT(language_tag(language_negotiate("ru;q=0.9, de;q=1.000")), "de");
}

TEST(quality_zero_excludes)
{
    open_languages();
    CHECK_TEXT(language_tag(language_negotiate("de;q=0, fr;q=0.001")), "fr");
    CHECK_TEXT(language_tag(language_negotiate("ru;q=0")), "en");
    CHECK_TEXT(language_tag(language_negotiate("ru;q=0.000, de;q=0")), "en");
    CHECK_TEXT(language_tag(language_negotiate("fr-CA;q=0, fr;q=0.5")), "fr");
}

/* A quadratic pass over 64 kB would take seconds; one pass takes less than a millisecond. */
TEST(hostile_headers_take_one_pass)
{
    static const char *const patterns[] = {
        ",", ";",  "=",    " ",          "de",       "de;",    "de,", "de;q", "de;q=", "de;q=0.",
        "0", "q=", ", ;=", "de;;;q=0.1", "\xff\x80", "de;a=b", "zh_", "*,",   "\t",
    };
    enum { LENGTH = 64 * 1024 };
    char *header = malloc(LENGTH + 1);

    open_languages();
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        size_t step = strlen(patterns[i]);
        clock_t start = clock();

        for (size_t at = 0; at < LENGTH; at++)
            header[at] = patterns[i][at % step];
        header[LENGTH] = '\0';
        CHECK(language_negotiate(header) < language_count());
        memcpy(header, "de;q=0.", 7);
        CHECK(language_negotiate(header) < language_count());
        CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 0.5);
    }
    memset(header, '0', LENGTH);
    memcpy(header, "de;q=0.", 7);
    memcpy(header + LENGTH - 8, "1,ru;q=0", 8);
    CHECK_TEXT(language_tag(language_negotiate(header)), "en"); /* below what a double holds */
    free(header);
}

/* Catalogues of the test's own, in a directory that goes away with it. */
static char directory[] = "/tmp/assay-i18n-XXXXXX";

static void write_catalogue(const char *tag, const char *json)
{
    char path[sizeof directory + 16];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s.json", directory, tag);
    file = fopen(path, "we");
    CHECK(file != NULL);
    if (file) {
        fputs(json, file);
        fclose(file);
    }
}

static void remove_catalogues(void)
{
    char path[sizeof directory + 16];

    locale_close_catalogues();
    for (int language = 0; language < language_count(); language++) {
        snprintf(path, sizeof path, "%s/%s.json", directory, language_tag(language));
        unlink(path);
    }
    rmdir(directory);
    memcpy(directory + strlen(directory) - 6, "XXXXXX", 6);
}

TEST(entries_are_found_and_filled_in)
{
    static const struct {
        const char *key;
        const char *text;
    } cases[] = {
        {"plain", "Plain"},
        {"a.b.c", "deep"},
        {"a.b", "a.b"}, /* a branch is no entry */
        {"a.b.c.d", "a.b.c.d"},
        {"nothing.here", "nothing.here"},
        {"", ""},
        {"tight", "[7]"},
        {"loose", "[7]"},
        {"twice", "7 and 7, {{y}} stays"},
        {"unknown", "{{nobody}} {{ nobody }}"},
        {"broken", "{{ {{x 7}} {x} }} {{}} {{x y}} {{"},
        {"triple", "{7}"},
        {"recursive", "{{x}}"},
    };
    struct arena *arena = arena_create(1 << 20);
    struct problem problem;
    const struct locale *locale;

    CHECK(mkdtemp(directory) != NULL);
    write_catalogue("en", "{\"plain\":\"Plain\",\"a\":{\"b\":{\"c\":\"deep\"}},"
                          "\"tight\":\"[{{x}}]\",\"loose\":\"[{{  x  }}]\","
                          "\"twice\":\"{{x}} and {{x}}, {{y}} stays\","
                          "\"unknown\":\"{{nobody}} {{ nobody }}\","
                          "\"broken\":\"{{ {{x {{x}}}} {x} }} {{}} {{x y}} {{\","
                          "\"triple\":\"{{{x}}}\",\"recursive\":\"{{z}}\"}");
    CHECK_INT(locale_open_catalogues(directory, &problem), ERROR_NONE);
    locale = locale_get(LANGUAGE_EN);
    CHECK_INT(locale_language(locale), LANGUAGE_EN);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_TEXT(
            locale_format(locale, arena, cases[i].key, TEXT_ARGUMENTS({"x", "7"}, {"z", "{{x}}"})),
            cases[i].text);
    CHECK_TEXT(locale_format(locale, arena, "tight", NO_TEXT_ARGUMENTS), "[{{x}}]");
    remove_catalogues();
    arena_destroy(arena);
}

TEST(a_language_without_a_readable_file_is_english)
{
    struct arena *arena = arena_create(1 << 20);
    struct problem problem;

    CHECK(mkdtemp(directory) != NULL);
    write_catalogue("en", "{\"hello\":\"Hello\"}");
    write_catalogue("de", "{\"hello\":\"Hallo\"}");
    write_catalogue("fr", "{\"hello\":\"Bonjour\"");
    CHECK_INT(locale_open_catalogues(directory, &problem), ERROR_NONE);
    CHECK_TEXT(locale_format(locale_get(language_find("de")), arena, "hello", NO_TEXT_ARGUMENTS),
               "Hallo");
    CHECK_INT(locale_language(locale_get(language_find("de"))), language_find("de"));
    for (int round = 0; round < 2; round++) {
        CHECK_INT(locale_language(locale_get(language_find("fr"))), LANGUAGE_EN);
        CHECK_INT(locale_language(locale_get(language_find("ru"))), LANGUAGE_EN);
    }
    CHECK(locale_get(language_find("de")) == locale_get(language_find("de"))); /* read once */
    remove_catalogues();
    arena_destroy(arena);
}

TEST(a_broken_installation_shows_at_start)
{
    static const char *const malformed[] = {
        "",
        "[]",
        "\"text\"",
        "{\"a\":1}",
        "{\"a\":null}",
        "{\"a\":[\"b\"]}",
        "{\"a\":\"\"}",
        "{\"\":\"a\"}",
        "{\"a.b\":\"c\"}",
        "{\"a\":\"b\",\"a\":\"c\"}",
        "{\"a\":\"b\"} trailing",
        "{\"a\":\"\\u0000\"}",
        "{\"a\":\"\xff\"}",
    };
    struct problem problem;

    CHECK(mkdtemp(directory) != NULL);
    CHECK_INT(locale_open_catalogues(directory, &problem), ERROR_NOT_FOUND);
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        write_catalogue("en", malformed[i]);
        problem.text[0] = '\0';
        CHECK_INT(locale_open_catalogues(directory, &problem), ERROR_MALFORMED);
        CHECK(strstr(problem.text, "en.json") != NULL);
    }
    remove_catalogues();
}

TEST(long_keys_are_refused)
{
    char json[1024];
    struct problem problem;

    CHECK(mkdtemp(directory) != NULL);
    snprintf(json, sizeof json, "{\"a\":{\"%0197d\":\"fits\"}}", 0);
    write_catalogue("en", json);
    CHECK_INT(locale_open_catalogues(directory, &problem), ERROR_NONE);
    snprintf(json, sizeof json, "{\"a\":{\"%0198d\":\"does not\"}}", 0);
    write_catalogue("en", json);
    CHECK_INT(locale_open_catalogues(directory, &problem), ERROR_MALFORMED);
    remove_catalogues();
}

TEST(a_catalogue_beyond_its_limit_is_an_error)
{
    enum { ENTRIES = 100000 };
    char path[sizeof directory + 16];
    struct problem problem;
    FILE *file;

    CHECK(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/en.json", directory);
    file = fopen(path, "we");
    CHECK(file != NULL);
    fputs("{\"first\":\"x\"", file);
    for (int i = 0; i < ENTRIES; i++)
        fprintf(file, ",\"k%d\":\"v\"", i);
    fputs("}", file);
    fclose(file);
    CHECK_INT(locale_open_catalogues(directory, &problem), ERROR_TOO_LARGE);
    write_catalogue("en", "{\"hello\":\"Hello\"}");
    CHECK_INT(locale_open_catalogues(directory, &problem), ERROR_NONE); /* and it recovers */
    remove_catalogues();
}

TEST(the_catalogues_of_the_suite_open)
{
    struct arena *arena = arena_create(1 << 20);
    struct problem problem;

    CHECK_INT(locale_open_catalogues("locales", &problem), ERROR_NONE);
    for (int language = 0; language < language_count(); language++) {
        const struct locale *locale = locale_get((enum language)language);
        const char *text = locale_format(locale, arena, "results.verdict.uplift",
                                         TEXT_ARGUMENTS({"alpha", "0.050"}));

        CHECK_INT(locale_language(locale), language);
        CHECK(strstr(text, "alpha=0.050") != NULL);
    }
    locale_close_catalogues();
    arena_destroy(arena);
}

TEST_MAIN(CASE(negotiation_follows_quality_then_order), CASE(unreadable_qualities_count_as_one),
          CASE(quality_zero_excludes), CASE(hostile_headers_take_one_pass),
          CASE(entries_are_found_and_filled_in),
          CASE(a_language_without_a_readable_file_is_english),
          CASE(a_broken_installation_shows_at_start), CASE(long_keys_are_refused),
          CASE(a_catalogue_beyond_its_limit_is_an_error), CASE(the_catalogues_of_the_suite_open))
