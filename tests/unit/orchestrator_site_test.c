/* What is made of the texts of the web provider's pages, with the words that are shipped. */
#include "orchestrator/browser/site.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct arena *arena;
static struct site site;

static void load(void)
{
    struct problem problem = {0};

    CHECK_INT(site_load(arena, "config/orchestrator", &site, &problem), ERROR_NONE);
    CHECK_TEXT(problem.text, "");
}

TEST(an_answer_stands_behind_its_prompt_and_without_the_shell)
{
    static const struct {
        const char *prompt, *text, *answer;
    } rows[] = {
        {"What?", "Search\nWhat?\nAnswer\nThe answer is 42.\nAsk a follow-up", "The answer is 42."},
        {"What?", "One.\n\nTwo asks: What? And why.", "One.\n\nTwo asks: What? And why."},
        {" a\nb ", "x\na\nb\nc", "c"},
        {"p", "Kimi K2.6 Thinking\nBest\nPrepared using many tools\n  kept  \nThinking", "kept"},
        {"p", "Search\nMore", ""},
        {"", "text", "text"},
    };

    load();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(site_clean(arena, &site, rows[i].text, rows[i].prompt), rows[i].answer);
}

TEST(the_last_place_of_the_prompt_counts_in_the_whole_page)
{
    CHECK_TEXT(site_behind("a p b p c", "p"), " c");
    CHECK(site_behind("a b c", "p") == NULL);
    CHECK(site_behind("a b c", "") == NULL);
}

TEST(lines_that_are_names_of_models)
{
    static const char *const names[] = {"Best", "Gemini 3.1 Pro", "Sonar 2", "GPT-5.4 mini"};
    static const char *const others[] = {"New",
                                         "Max",
                                         "claude sonnet",
                                         "GPT-5.5",
                                         "",
                                         "One Two Three Four Five Six",
                                         "Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};

    load();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        CHECK(site_is_label(&site, names[i]));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        CHECK(!site_is_label(&site, others[i]));
}

TEST(a_file_that_lacks_a_word_is_refused_by_its_name)
{
    char folder[] = "/tmp/site-test-XXXXXX", path[64];
    struct problem problem = {0};
    struct site other;
    FILE *file;

    CHECK(mkdtemp(folder) != NULL);
    CHECK_INT(site_load(arena, folder, &other, &problem), ERROR_NOT_FOUND);
    snprintf(path, sizeof path, "%s/web-provider.json", folder);
    file = fopen(path, "w");
    fputs("{\"composer\": \"div\", \"composer_input\": 5}", file);
    fclose(file);
    CHECK_INT(site_load(arena, folder, &other, &problem), ERROR_INVALID);
    CHECK(strstr(problem.text, "composer_input is wrong") != NULL);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(an_answer_stands_behind_its_prompt_and_without_the_shell),
        CASE(the_last_place_of_the_prompt_counts_in_the_whole_page),
        CASE(lines_that_are_names_of_models),
        CASE(a_file_that_lacks_a_word_is_refused_by_its_name),
    };
    int status;

    arena = arena_create(8 << 20);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}
