/* Text made comparable. The expected forms are those of Unicode's NFKC_Casefold. */
#include "test.h"
#include "text/fold.h"

static struct arena *arena;

static const struct {
    const char *text;
    const char *folded;
} cases[] = {
    {"", ""},
    {"plain", "plain"},
    {"MiXeD 123", "mixed 123"},
    {"Stra\xc3\x9f"
     "e",
     "strasse"},                                                              /* sharp s */
    {"\xe1\xba\x9e", "ss"},                                                   /* capital sharp s */
    {"\xc4\xb0", "i\xcc\x87"},                                                /* I with dot above */
    {"\xc4\xb1", "\xc4\xb1"},                                                 /* dotless i stays */
    {"\xce\xa3\xce\x8a\xce\xa3", "\xcf\x83\xce\xaf\xcf\x83"},                 /* Greek sigma */
    {"\xcf\x82", "\xcf\x83"},                                                 /* its final form */
    {"\xd0\x81\xd0\x9b\xd0\x9a\xd0\x90", "\xd1\x91\xd0\xbb\xd0\xba\xd0\xb0"}, /* Cyrillic */
    {"e\xcc\x81", "\xc3\xa9"},                                                /* composed */
    {"\xc3\x89", "\xc3\xa9"},                                                 /* E with acute */
    {"\xef\xbc\xa1\xef\xbd\x82", "ab"},                                       /* full width */
    {"\xef\xac\x81", "fi"},                                                   /* ligature */
    {"\xe2\x91\xa0", "1"},                                                    /* circled one */
    {"\xe2\x84\xab", "\xc3\xa5"},                                             /* Angstrom sign */
    {"\xef\xbe\x81\xef\xbd\xaa\xef\xbd\xaf\xef\xbd\xb8", /* half width katakana */
     "\xe3\x83\x81\xe3\x82\xa7\xe3\x83\x83\xe3\x82\xaf"},
    {"\xc7\x84", "d\xc5\xbe"}, /* DZ with caron */
    {"\xc2\xa0", " "},         /* no-break space */
    {"\xe3\x80\x80", " "},     /* ideographic space */
    {"a\xc2\xad"
     "b",
     "ab"},                                                   /* soft hyphen is ignorable */
    {"\xe7\xbb\x93\xe8\xb4\xa6", "\xe7\xbb\x93\xe8\xb4\xa6"}, /* Han stays */
    {"\xd8\xa7\xd8\xae", "\xd8\xa7\xd8\xae"},                 /* Arabic stays */
    {"\xf0\x9f\x91\xa9", "\xf0\x9f\x91\xa9"},                 /* emoji stays */
    {"\xf0\x90\x90\x80", "\xf0\x90\x90\xa8"},                 /* Deseret capital */
    {"%_\\'\"", "%_\\'\""},
    {"a\nb\tc", "a\nb\tc"},
};

TEST(forms)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_TEXT(text_fold(arena, cases[i].text), cases[i].folded);
}

TEST(folding_again_changes_nothing)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *once = text_fold(arena, cases[i].text);

        CHECK_TEXT(text_fold(arena, once), once);
    }
}

TEST(what_is_no_text_stays)
{
    static const char *const broken[] = {"\xff", "a\xc3(", "\xed\xa0\x80", "\xf8\x88\x80\x80\x80"};

    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++)
        CHECK_TEXT(text_fold(arena, broken[i]), broken[i]);
}

TEST(the_copy_is_the_callers)
{
    char text[] = "abc";
    const char *folded = text_fold(arena, text);

    text[0] = 'x';
    CHECK_TEXT(folded, "abc");
}

int main(void)
{
    static const struct test_case all[] = {CASE(forms), CASE(folding_again_changes_nothing),
                                           CASE(what_is_no_text_stays),
                                           CASE(the_copy_is_the_callers)};
    int failed;

    arena = arena_create((size_t)1 << 20);
    failed = test_run_all(all, sizeof all / sizeof all[0]);
    arena_destroy(arena);
    return failed;
}
