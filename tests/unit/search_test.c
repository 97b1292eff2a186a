/* The index against a plain computation of BM25 over the same words; merging, deletion, damage. */
#include "search/builder.h"
#include "search/search.h"
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNKS = 700, WORDS = 60, VOCABULARY = 300 };

static struct arena *arena;
static char directory[] = "/tmp/assay-search-XXXXXX";
static uint32_t draws = 12345;
static int children = 1; /* chunks that have one key */

static uint32_t draw(uint32_t below)
{
    draws = draws * 1664525u + 1013904223u;
    return (draws >> 8) % below;
}

/* Words w0..w299, frequent ones more often; digits keep them out of stems and four-grams. */
static int corpus[CHUNKS][WORDS], lengths[CHUNKS];

static void make_corpus(void)
{
    for (int c = 0; c < CHUNKS; c++) {
        lengths[c] = 5 + (int)draw(WORDS - 5);
        for (int w = 0; w < lengths[c]; w++)
            corpus[c][w] = (int)(draw(VOCABULARY) * draw(VOCABULARY) / VOCABULARY);
    }
}

/* Documents of ten chunks, from chunk `first` on. */
static int64_t build(int first, int count, const char *name)
{
    struct index_builder *builder = index_builder_create((size_t)1 << 28);
    struct problem problem;
    int64_t bytes = 0;

    for (int c = first; c < first + count; c++) {
        char text[WORDS * 8];
        size_t used = 0;
        struct index_passage passage = {text, 0};

        for (int w = 0; w < lengths[c]; w++)
            used += (size_t)snprintf(text + used, sizeof text - used, "w%d ", corpus[c][w]);
        passage.length = used;
        if ((c - first) % 10 == 0)
            index_builder_document(builder, c / 10, TEXT_EN);
        index_builder_chunk(builder, c / children, NULL, &passage, 1);
    }
    CHECK_INT(index_builder_finish(builder, directory, name, &bytes, &problem), ERROR_NONE);
    index_builder_destroy(builder);
    return bytes;
}

static bool dead(int chunk, int dead_from, int dead_to)
{
    return chunk >= dead_from && chunk < dead_to;
}

/* Scores of all chunks; the statistics count dead ones too when `counted`. */
static void plain(const int *query, const double *weights, int terms, double *scores, int dead_from,
                  int dead_to, bool counted)
{
    double total = 0, words = 0;

    for (int c = 0; c < CHUNKS; c++) {
        if (counted || !dead(c, dead_from, dead_to)) {
            total++;
            words += lengths[c];
        }
        scores[c] = 0;
    }
    for (int t = 0; t < terms; t++) {
        double holding = 0;
        int tf[CHUNKS] = {0};

        for (int c = 0; c < CHUNKS; c++) {
            for (int w = 0; w < lengths[c]; w++)
                tf[c] += corpus[c][w] == query[t];
            holding += tf[c] && (counted || !dead(c, dead_from, dead_to));
        }
        for (int c = 0; c < CHUNKS; c++)
            scores[c] += weights[t] * log(1 + (total - holding + 0.5) / (holding + 0.5)) * 2.2 *
                         tf[c] / (tf[c] + 1.2 * (0.25 + 0.75 * lengths[c] / (words / total)));
    }
    for (int c = dead_from; c < dead_to; c++)
        scores[c] = 0;
}

/* Those of the keys, in place: of the best child. */
static void keep_best_children(double *scores)
{
    for (int c = 0; c < CHUNKS; c++) {
        double score = scores[c];

        scores[c] = 0;
        scores[c / children] = fmax(scores[c / children], score);
    }
}

static void check_queries(const struct search_index *index, int dead_from, int dead_to,
                          bool counted)
{
    for (int q = 0; q < 60; q++) {
        int query[8], terms = 1 + (int)draw(8);
        double weights[8], scores[CHUNKS];
        char names[8][12];
        struct search_term wanted[8];
        struct search_hit hits[10];
        size_t found;

        for (int t = 0; t < terms; t++) {
            query[t] = (int)draw(VOCABULARY / 2) * 2 % VOCABULARY;
            for (int u = 0; u < t; u++)
                query[t] = query[u] == query[t] ? -1 - t : query[t];
            weights[t] = 0.1 + draw(10) / 10.0;
            snprintf(names[t], sizeof names[t], "w%d", query[t]);
            wanted[t] = (struct search_term){names[t], strlen(names[t]), weights[t]};
        }
        plain(query, weights, terms, scores, dead_from, dead_to, counted);
        keep_best_children(scores);
        found = search_index_best(index, arena, wanted, (size_t)terms, hits, 10);
        for (size_t i = 0; i < found; i++) {
            int better = 0;

            CHECK_NEAR(hits[i].score, scores[hits[i].chunk], 1e-9);
            CHECK_INT(hits[i].document, hits[i].chunk * children / 10);
            for (size_t j = 0; j < i; j++)
                CHECK(hits[i].chunk != hits[j].chunk);
            for (int c = 0; c < CHUNKS; c++)
                better += scores[c] > hits[i].score + 1e-9;
            CHECK(better <= (int)i);
        }
        if (found < 10) {
            for (int c = 0, seen = 0; c < CHUNKS; c++) {
                seen += scores[c] > 0;
                CHECK(seen <= (int)found);
            }
        }
        arena_reset(arena);
    }
}

static struct search_index *index_of(const struct search_segment *segments, size_t count)
{
    struct search_index *index = search_index_create(directory);
    struct problem problem;
    size_t damaged;

    CHECK_INT(search_index_update(index, segments, count, &damaged, &problem), ERROR_NONE);
    return index;
}

static void remove_segment(const char *name)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    unlink(path);
}

TEST(best_is_what_a_plain_computation_finds)
{
    struct search_segment one = {"one", build(0, CHUNKS, "one"), NULL, 0};
    struct search_index *index = index_of(&one, 1);

    CHECK_INT(search_index_totals(index).chunks, CHUNKS);
    check_queries(index, 0, 0, true);
    search_index_destroy(index);
}

TEST(segments_together_give_the_same)
{
    struct search_segment parts[3] = {{"a", build(0, 300, "a"), NULL, 0},
                                      {"b", build(300, 10, "b"), NULL, 0},
                                      {"c", build(310, CHUNKS - 310, "c"), NULL, 0}};
    struct search_index *index = index_of(parts, 3);

    check_queries(index, 0, 0, true);
    search_index_destroy(index);
}

/* Of uploads side by side that nobody has merged yet. */
TEST(any_number_of_segments_is_searched)
{
    struct search_segment parts[CHUNKS], merged = {"one", 0, NULL, 0};
    struct search_index *index;
    char names[CHUNKS][8];
    struct problem problem;

    for (int i = 0; i < CHUNKS; i++) {
        snprintf(names[i], sizeof names[i], "s%d", i);
        parts[i] = (struct search_segment){names[i], build(i, 1, names[i]), NULL, 0};
    }
    index = index_of(parts, CHUNKS);
    check_queries(index, 0, 0, true);
    search_index_destroy(index);
    CHECK_INT(search_merge(directory, parts, CHUNKS, "one", &merged.bytes, &problem), ERROR_NONE);
    index = index_of(&merged, 1);
    check_queries(index, 0, 0, true);
    search_index_destroy(index);
    for (int i = 0; i < CHUNKS; i++)
        remove_segment(names[i]);
}

TEST(dead_documents_are_not_found_and_merging_drops_them)
{
    static const uint32_t gone[] = {2, 3};
    struct search_segment parts[2] = {{"d", build(0, 300, "d"), gone, 2},
                                      {"e", build(300, CHUNKS - 300, "e"), NULL, 0}};
    struct search_segment merged = {"m", 0, NULL, 0};
    struct search_index *index = index_of(parts, 2);
    struct problem problem;

    check_queries(index, 20, 40, true);
    CHECK_INT(search_index_count(index, CHUNKS), CHUNKS - 20);
    CHECK_INT(search_index_count(index, 6), 6);
    search_index_destroy(index);
    CHECK_INT(search_merge(directory, parts, 2, "m", &merged.bytes, &problem), ERROR_NONE);
    index = index_of(&merged, 1);
    CHECK_INT(search_index_totals(index).chunks, CHUNKS - 20);
    check_queries(index, 20, 40, false);
    search_index_destroy(index);
}

/* Five children to a key, two keys to a document. */
TEST(of_children_the_best_one_counts_before_and_after_merging)
{
    static const uint32_t gone[] = {2, 3};
    struct search_segment parts[2], merged = {"n", 0, NULL, 0};
    struct search_index *index;
    struct problem problem;

    children = 5;
    parts[0] = (struct search_segment){"g", build(0, 300, "g"), gone, 2};
    parts[1] = (struct search_segment){"i", build(300, CHUNKS - 300, "i"), NULL, 0};
    index = index_of(parts, 2);
    check_queries(index, 20, 40, true);
    CHECK_INT(search_index_count(index, CHUNKS), (CHUNKS - 20) / children);
    search_index_destroy(index);
    CHECK_INT(search_merge(directory, parts, 2, "n", &merged.bytes, &problem), ERROR_NONE);
    index = index_of(&merged, 1);
    check_queries(index, 20, 40, false);
    search_index_destroy(index);
    children = 1;
}

/* Any byte that is not what was written, and any other length, is told. */
TEST(damage_is_never_trusted)
{
    struct search_segment segment = {"x", build(0, 100, "x"), NULL, 0};
    struct search_index *index = search_index_create(directory);
    char path[200];
    struct problem problem;
    size_t damaged = 9;
    int fd;

    snprintf(path, sizeof path, "%s/x", directory);
    for (int i = 0; i < 40; i++) {
        off_t at = (off_t)draw((uint32_t)segment.bytes);
        unsigned char byte;

        fd = open(path, O_RDWR | O_CLOEXEC);
        CHECK(pread(fd, &byte, 1, at) == 1);
        byte ^= 0x40;
        CHECK(pwrite(fd, &byte, 1, at) == 1);
        CHECK_INT(search_index_update(index, &segment, 1, &damaged, &problem), ERROR_NOT_FOUND);
        CHECK_TEXT(problem.reason, "segment_damaged");
        CHECK_INT(damaged, 0);
        byte ^= 0x40;
        CHECK(pwrite(fd, &byte, 1, at) == 1);
        close(fd);
    }
    CHECK_INT(search_index_update(index, &segment, 1, &damaged, &problem), ERROR_NONE);
    segment.bytes--;
    CHECK_INT(search_index_update(index, &segment, 1, &damaged, &problem), ERROR_NOT_FOUND);
    CHECK_INT(search_index_totals(index).chunks, 100); /* as before: others may be reading it */
    search_index_destroy(index);
}

TEST(frequencies_count_chunks_and_passages)
{
    static const struct index_passage passages[] = {{"alpha beta", 10}, {"beta", 4}, {"gamma", 5}};
    struct index_builder *builder = index_builder_create((size_t)1 << 24);
    struct search_segment segment = {"f", 0, NULL, 0};
    struct search_index *index;
    struct problem problem;

    index_builder_document(builder, 1, TEXT_UNKNOWN);
    index_builder_chunk(builder, 1, "Title", passages, 3);
    CHECK_INT(index_builder_finish(builder, directory, "f", &segment.bytes, &problem), ERROR_NONE);
    index_builder_destroy(builder);
    index = index_of(&segment, 1);
    CHECK_INT(search_index_totals(index).passages, 3);
    CHECK_INT(search_index_frequency(index, "beta", 4).passages, 2);
    CHECK_INT(search_index_frequency(index, "beta", 4).chunks, 1);
    CHECK_INT(search_index_frequency(index, "titl", 4).passages, 3); /* stands over all */
    CHECK_INT(search_index_frequency(index, "\1^gam", 5).chunks, 1);
    CHECK_INT(search_index_frequency(index, "delta", 5).chunks, 0);
    search_index_destroy(index);
}

/* Points on a circle: chunk n at n tenths of a radian, its children one radian apart. */
static bool embed_circle(void *context, const struct search_wanted *wanted, size_t count,
                         const uint8_t **rows, uint32_t *dimension)
{
    static uint8_t packed[8][8];
    int *left = context;

    if ((*left)-- == 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        double angle = (double)wanted[i].chunk / 10 + wanted[i].child;

        search_vector_pack((float[]){(float)cos(angle), (float)sin(angle)}, 2, packed[i]);
    }
    *rows = packed[0];
    *dimension = 2;
    return true;
}

/* Documents of a chunk each; those from the chunk 1 on have two titles. */
static struct search_segment titled_segment(const char *name)
{
    static const struct index_passage passage = {"alpha beta", 10};
    struct index_builder *builder = index_builder_create((size_t)1 << 24);
    struct search_segment segment = {name, 0, NULL, 0};
    struct problem problem;

    for (int64_t key = 0; key < 3; key++) {
        index_builder_document(builder, 100 + key, TEXT_UNKNOWN);
        index_builder_chunk(builder, key, NULL, &passage, 1);
        for (int title = 0; title < (key ? 2 : 0); title++)
            index_builder_chunk(builder, key, NULL, NULL, 0);
    }
    CHECK_INT(index_builder_finish(builder, directory, name, &segment.bytes, &problem), ERROR_NONE);
    index_builder_destroy(builder);
    return segment;
}

/* Documents of a chunk each; that of the chunk 7 comes in three children. */
static struct search_segment numbered_segment(const char *name, int64_t first, int64_t count)
{
    static const struct index_passage passage = {"alpha beta", 10};
    struct index_builder *builder = index_builder_create((size_t)1 << 24);
    struct search_segment segment = {name, 0, NULL, 0};
    struct problem problem;

    for (int64_t key = first; key < first + count; key++) {
        index_builder_document(builder, 100 + key, TEXT_UNKNOWN);
        for (int child = 0; child < (key == 7 ? 3 : 1); child++)
            index_builder_chunk(builder, key, NULL, &passage, 1);
    }
    CHECK_INT(index_builder_finish(builder, directory, name, &segment.bytes, &problem), ERROR_NONE);
    index_builder_destroy(builder);
    return segment;
}

static struct search_segment fill(const struct search_segment *from, const char *name, int batches,
                                  bool expected)
{
    const struct search_embedder embedder = {search_vector_model("m"), 0, 3, embed_circle,
                                             &batches};
    struct search_segment to = {name, 0, NULL, 0};
    struct problem problem;
    bool whole;

    CHECK_INT(search_fill_vectors(directory, from, &embedder, name, &to.bytes, &whole, &problem),
              ERROR_NONE);
    CHECK(whole == expected);
    return to;
}

static const uint8_t *packed_at(double angle)
{
    uint8_t *row = arena_alloc(arena, search_vector_bytes(2));

    search_vector_pack((float[]){(float)cos(angle), (float)sin(angle)}, 2, row);
    return row;
}

TEST(packed_vectors_keep_their_angles)
{
    enum { VALUES = 384 };
    float a[VALUES], b[VALUES];
    double product = 0, square_a = 0, square_b = 0;
    uint8_t *rows = arena_alloc(arena, 2 * search_vector_bytes(VALUES));
    uint8_t *other = rows + search_vector_bytes(VALUES);

    CHECK_INT(search_vector_bytes(VALUES), VALUES + 4);
    CHECK_INT(search_vector_bytes(5), 12);
    for (int i = 0; i < VALUES; i++) {
        a[i] = (float)sin(i * 1.7) * 3;
        b[i] = (float)(a[i] + 2 * cos(i * 0.9));
        product += (double)a[i] * (double)b[i];
        square_a += (double)a[i] * (double)a[i];
        square_b += (double)b[i] * (double)b[i];
    }
    search_vector_pack(a, VALUES, rows);
    search_vector_pack(b, VALUES, other);
    CHECK(search_vector_present(rows));
    CHECK_NEAR(search_vector_cosine(rows, rows, VALUES), 1, 1e-6);
    CHECK_NEAR(search_vector_cosine(rows, other, VALUES), product / sqrt(square_a * square_b),
               2e-3);
    search_vector_pack((float[VALUES]){0}, VALUES, rows);
    CHECK(!search_vector_present(rows));
}

TEST(vectors_are_filled_in_found_exactly_and_merged)
{
    const uint8_t *east = packed_at(0);
    struct search_segment plain = numbered_segment("p", 0, 8), other = numbered_segment("q", 8, 2);
    struct search_segment half = fill(&plain, "h", 1, false), full = fill(&half, "v", -1, true);
    struct search_segment both[] = {full, other}, merged = {"w", 0, NULL, 0}, whole;
    struct search_index *index = index_of(&half, 1);
    const uint32_t dead = 1;
    struct search_hit hits[4];
    struct search_spread spread;
    struct search_nearness near[3];
    struct problem problem;
    uint32_t dimension;

    CHECK(!search_index_has_vectors(index, search_vector_model("m"), &dimension));
    search_index_destroy(index);
    full.dead = &dead;
    full.dead_count = 1;
    index = index_of(&full, 1);
    CHECK(search_index_has_vectors(index, search_vector_model("m"), &dimension));
    CHECK_INT(dimension, 2);
    CHECK(!search_index_has_vectors(index, search_vector_model("n"), &dimension));
    CHECK_INT(search_index_nearest(index, arena, east, hits, 3, &spread), 3);
    CHECK_INT(hits[0].chunk, 0);
    CHECK_INT(hits[1].chunk, 2); /* 1 is dead */
    CHECK_NEAR(hits[1].score, cos(0.2), 5e-3);
    search_index_nearness(index, east, (int64_t[]){7, 1, 3}, 3, near);
    CHECK_NEAR(near[0].text, cos(0.7), 5e-3); /* of its best child */
    CHECK_NEAR(near[1].text, -1, 1e-9);       /* dead */
    CHECK_NEAR(near[2].text, cos(0.3), 5e-3);
    CHECK_INT(search_index_nearest(index, arena, packed_at(2.7), hits, 4, &spread), 4);
    CHECK_INT(hits[0].chunk, 7); /* once, by its last child */
    CHECK_NEAR(hits[0].score, 1, 5e-3);
    CHECK_INT(hits[1].chunk, 6);
    CHECK_INT(search_index_frequency(index, "beta", 4).chunks, 10); /* words are as before */
    search_index_destroy(index);
    CHECK_INT(search_merge(directory, both, 2, "w", &merged.bytes, &problem), ERROR_NONE);
    index = index_of(&merged, 1);
    CHECK(!search_index_has_vectors(index, search_vector_model("m"), &dimension));
    CHECK_INT(search_index_nearest(index, arena, east, hits, 1, &spread), 1);
    CHECK_INT(hits[0].chunk, 0); /* those that were there are kept */
    search_index_destroy(index);
    whole = fill(&merged, "z", 1, true); /* and only the two others asked for */
    index = index_of(&whole, 1);
    CHECK(search_index_has_vectors(index, search_vector_model("m"), &dimension));
    search_index_destroy(index);
}

/* By embed_circle() a text is at a tenth of its key, and each child or title after it further. */
static void check_titles(const struct search_segment *segment)
{
    const double angle = 2.2; /* that of the second title of the chunk 2 */
    struct search_index *index = index_of(segment, 1);
    struct search_nearness near[2];
    struct search_hit hits[3];
    struct search_spread spread;
    struct search_term beta = {"beta", 4, 1};

    CHECK_INT(search_index_totals(index).chunks, 3); /* titles are none */
    CHECK_INT(search_index_frequency(index, "beta", 4).chunks, 3);
    CHECK_INT(search_index_best(index, arena, &beta, 1, hits, 3), 3);
    CHECK_INT(search_index_count(index, 9), 3);
    search_index_nearness(index, packed_at(angle), (int64_t[]){2, 0}, 2, near);
    CHECK_NEAR(near[0].text, cos(angle - 0.2), 5e-3);
    CHECK_NEAR(near[0].title, 1, 5e-3);
    CHECK_INT(near[0].place, 1);
    CHECK_NEAR(search_nearness_both(&near[0]), (near[0].text + near[0].title) / 2 + 0.01, 1e-9);
    CHECK(near[1].title <= -1);
    CHECK_NEAR(search_nearness_both(&near[1]), near[1].text, 1e-9);
    CHECK_INT(search_index_nearest(index, arena, packed_at(angle), hits, 3, &spread), 3);
    CHECK_INT(hits[0].chunk, 2);
    search_index_destroy(index);
}

TEST(titles_are_found_by_their_vectors_alone)
{
    struct search_segment plain = titled_segment("t"), full = fill(&plain, "u", -1, true), merged;
    struct problem problem;

    check_titles(&full);
    merged = (struct search_segment){"y", 0, NULL, 0};
    CHECK_INT(search_merge(directory, &full, 1, "y", &merged.bytes, &problem), ERROR_NONE);
    check_titles(&merged);
}

int main(void)
{
    static const struct test_case cases[] = {
        {"best", test_best_is_what_a_plain_computation_finds},
        {"segments", test_segments_together_give_the_same},
        {"many segments", test_any_number_of_segments_is_searched},
        {"dead", test_dead_documents_are_not_found_and_merging_drops_them},
        {"children", test_of_children_the_best_one_counts_before_and_after_merging},
        {"damage", test_damage_is_never_trusted},
        {"frequencies", test_frequencies_count_chunks_and_passages},
        {"packed vectors", test_packed_vectors_keep_their_angles},
        {"vectors", test_vectors_are_filled_in_found_exactly_and_merged},
        {"titles", test_titles_are_found_by_their_vectors_alone},
    };
    int failed;

    if (!mkdtemp(directory))
        return 2;
    arena = arena_create((size_t)1 << 28);
    make_corpus();
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    for (const char *name = "a\0b\0c\0d\0e\0f\0g\0i\0m\0n\0one\0x\0p\0q\0h\0v\0w\0z\0t\0u\0y\0";
         *name; name += strlen(name) + 1)
        remove_segment(name);
    rmdir(directory);
    arena_destroy(arena);
    return failed;
}
