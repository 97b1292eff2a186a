/* What models reply, what they cost, and what of their words goes on to the client. */
#include "support/answer/model_nodes.h"
#include "support/matching/fusion.h"
#include "support/models/replies.h"
#include "test.h"

static struct arena *arena;

TEST(verdicts_are_whole_numbers_that_stand_for_themselves)
{
    static const struct {
        const char *text;
        int score; /* 0 = none */
    } rows[] = {
        {"88", 88},
        {" **88**.\n", 88},
        {"85%", 85},
        {"100", 100},
        {"The 90-day period is not in the documents. Score: 15", 15},
        {"**Score:** 72. It names the period.", 72},
        {"{\"score\": 64}", 64},
        {"I would give 85/100.", 85},
        {"Score: 85/100", 85},
        {"Score: 85, that is 85/100", 85},
        {"100% wrong: 5", 0},
        {"The 90-day period is right.", 0},
        {"score: 250", 0},
        {"Score: 40 or score: 60", 0},
        {"Score: 4/5", 0},
        {"Score: 8.5", 0},
        {"Score: -5", 0},
        {"5 of 2024/100 things", 0},
        {"0", 0},
        {"99999999999999999999999", 0},
        {"none", 0},
        {"", 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int score = 0;

        CHECK_INT(model_reply_score(rows[i].text, &score), rows[i].score > 0);
        CHECK_INT(score, rows[i].score);
    }
}

TEST(complexity_is_the_beginning_of_the_reply)
{
    CHECK_TEXT(model_reply_complexity(" simple."), "simple");
    CHECK_TEXT(model_reply_complexity("MULTI_HOP"), "global");
    CHECK_TEXT(model_reply_complexity("Globally speaking"), "global");
    CHECK_TEXT(model_reply_complexity("who knows"), "complex");
}

TEST(lines_lose_bullets_and_quotes)
{
    const char *lines[3];

    CHECK_TEXT(model_reply_line(arena, " \"reset link\"\nmore"), "reset link");
    CHECK(model_reply_line(arena, "\"ab\"") == NULL);
    CHECK_INT(
        model_reply_lines(arena, "1. One?\n\n- Two?\n\xe2\x80\xa2 Three?\nFour?", false, lines, 3),
        3);
    CHECK_TEXT(lines[0], "One?");
    CHECK_TEXT(lines[2], "Three?");
    CHECK_INT(model_reply_lines(arena, "Sure:\n- a fact\nno fact\n- 2 facts", true, lines, 3), 2);
    CHECK_TEXT(lines[1], "2 facts");
}

/* As many letters as documents: y, n, or nothing where the reply does not cover them all. */
static void check_grades(const char *text, const char *expected, size_t count)
{
    bool relevant[8] = {false};
    char told[9] = "";
    bool whole = model_reply_grades(arena, text, count, relevant);

    for (size_t i = 0; whole && i < count; i++)
        told[i] = relevant[i] ? 'y' : 'n';
    CHECK_TEXT(told, expected);
}

TEST(grades_cover_every_document_or_count_for_nothing)
{
    check_grades("document 1: yes", "", 2);
    check_grades("Document 2: no\ndocument 1: yes, it helps", "yn", 2);
    check_grades("{\"grades\":[{\"index\":2,\"relevant\":\"irrelevant\"},{\"index\":1,\"relevant\":"
                 "true}]}",
                 "yn", 2);
    check_grades("Here: [{\"index\":1,\"relevant\":0},{\"index\":2,\"relevant\":\"yes\"}] done",
                 "ny", 2);
    check_grades("{\"results\":[{\"index\":1,\"relevant\":true},{\"index\":1,\"relevant\":true}]}",
                 "", 2);
    check_grades("{\"documents\":[{\"index\":3,\"relevant\":true}]}", "", 2);
    check_grades("yes\nno\nyes", "yny", 3);
    check_grades("1. yes\n2. maybe", "", 2);
}

TEST(verdicts_are_told_apart_by_their_numbers)
{
    bool supported[3];
    const char *evidence[3];

    CHECK(model_reply_verdicts(arena, "2. SUPPORTED: two words\n1. UNSUPPORTED", 3, supported,
                               evidence));
    CHECK(!supported[0] && supported[1] && !supported[2]);
    CHECK_TEXT(evidence[1], "two words");
    CHECK(!model_reply_verdicts(arena, "I think so.", 3, supported, evidence));
}

TEST(costs_and_tokens)
{
    const struct registry_model model = {.input_price = 0.20, .output_price = 0.60};

    CHECK_NEAR(models_cost(&model, 1000, 500), 0.0005, 1e-12);
    CHECK_NEAR(models_cost(&model, 1, 0), 0, 1e-12); /* six decimals */
    CHECK_INT(models_estimate_tokens(" "), 0);
    CHECK_INT(models_estimate_tokens("abcde"), 2);
}

/* Lists A, B, C and C, A, D with k 60. */
TEST(fusion_is_by_rank)
{
    static const struct search_hit first[] = {{1, 9, 3}, {2, 9, 2}, {3, 9, 1}},
                                   second[] = {{3, 9, .9}, {1, 9, .8}, {4, 9, .7}};
    static const double scores[] = {0.0330601, 0.0327957, 0.0163934, 0.0161290};
    static const int64_t chunks[] = {1, 3, 2, 4};
    struct fused_hit fused[6];

    CHECK_INT(fusion_by_rank(first, 3, second, 3, 60, fused), 4);
    for (size_t i = 0; i < 4; i++) {
        CHECK_INT(fused[i].chunk, chunks[i]);
        CHECK_NEAR(fused[i].score, scores[i], 1e-6);
    }
    CHECK_INT(fused[1].nearest, 1);
    CHECK_NEAR(fused[1].lexical, 1, 0);
    CHECK_INT(fused[2].nearest, 0);
    CHECK_INT(fusion_by_rank(first, 3, second, 0, 60, fused), 3);
    CHECK_INT(fused[0].chunk, 1);
}

static bool collect(const char *text, size_t length, void *context)
{
    text_append(context, text, length);
    return true;
}

/* However the text is cut into pieces, the same goes on. */
static void check_gate(const char *text, const char *expected)
{
    for (size_t piece = 1; piece <= strlen(text); piece++) {
        struct marker_gate gate = {.pass = collect};
        struct text passed;

        text_start(&passed, arena, 1000);
        marker_gate_start(&gate, arena, 2);
        gate.context = &passed;
        for (size_t at = 0; at < strlen(text); at += piece)
            CHECK(marker_gate_take(&gate, text + at,
                                   strlen(text) - at < piece ? strlen(text) - at : piece));
        CHECK_TEXT(passed.bytes, expected);
    }
}

static bool count_pieces(const char *text, size_t length, void *context)
{
    (void)text, (void)length;
    ++*(int *)context;
    return true;
}

TEST(what_comes_as_one_piece_goes_on_as_one)
{
    int pieces = 0;
    struct marker_gate gate = {.pass = count_pieces, .context = &pieces};

    marker_gate_start(&gate, arena, 2);
    CHECK(marker_gate_take(&gate, "Two years [1] of", 16));
    CHECK(marker_gate_take(&gate, " warranty, 保修期 [9].", strlen(" warranty, 保修期 [9].")));
    CHECK_INT(pieces, 2);
}

TEST(words_pass_without_markers_that_point_nowhere)
{
    check_gate("  One [1]. Two [9].\nThree [3][2] \n", "One [1]. Two.\nThree[2]");
    check_gate("a [ b [12x] [c] [[1]]", "a [ b [12x] [c] [[1]]");
    check_gate("[7] First [2]", "First [2]");
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(verdicts_are_whole_numbers_that_stand_for_themselves),
        CASE(complexity_is_the_beginning_of_the_reply),
        CASE(lines_lose_bullets_and_quotes),
        CASE(grades_cover_every_document_or_count_for_nothing),
        CASE(verdicts_are_told_apart_by_their_numbers),
        CASE(costs_and_tokens),
        CASE(fusion_is_by_rank),
        CASE(words_pass_without_markers_that_point_nowhere),
        CASE(what_comes_as_one_piece_goes_on_as_one),
    };
    int failed;

    arena = arena_create((size_t)1 << 26);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
