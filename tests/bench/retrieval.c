/*
 * How well and how fast passages are found, on sets of documents and questions that are not part of
 * the product. A set is a folder with corpus.jsonl {id, text} and queries.jsonl {id, text}.
 *
 *   retrieval run SET OUT [without-sixths] [refuse-nothing] [parent-child] [asked-in OTHER]
 *                                            answers every question; OUT gets one JSON object each:
 *                                            id, ranked, answer, refused, evidence, and
 *                                            what the evidence was made of; with asked-in, which
 *                                            comes last, the questions of another set
 *
 *   retrieval speed CHUNKS SET...            the index and SQLite's FTS5 over the same chunks,
 *                                            mixed from the sentences of the sets
 *
 * Without arguments it says so and does nothing: `make bench` has no sets.
 */
#include "base/json.h"
#include "search/builder.h"
#include "search/terms.h"
#include "support/answer/answer.h"
#include "support/documents/chunk.h"
#include "support/documents/titles.h"
#include "support/matching/fusion.h"
#include "support/matching/question_mean.h"
#include "text/sentences.h"
#include "vectors.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    CHUNKS_MAX = 400000,
    CANDIDATES = 20,
    LISTED = 100,
    SENTENCES_MAX = 400000,
    QUERIES_MAX = 8000
};

static struct arena *kept, *scratch;
static struct knowledge_chunk *chunks;
static size_t chunk_count;
static struct synonyms synonyms;
static double least_evidence = 0.45; /* the default of EMBEDDED_MIN_EVIDENCE */
static bool parent_child;            /* as with RAG_PARENT_CHILD */
static char folder[] = "/tmp/assay-retrieval-XXXXXX";

/* Computing time of this process: others on the machine do not count. */
static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static json_t *read_line(FILE *file, char **line, size_t *capacity)
{
    struct json_fault fault;
    json_t *object;

    if (getline(line, capacity, file) <= 0)
        return NULL;
    if (json_read(kept, *line, strlen(*line), 8, &object, &fault))
        exit(1);
    return object;
}

static FILE *open_part(const char *set, const char *name)
{
    FILE *file = fopen(arena_print(kept, "%s/%s", set, name), "re");

    if (!file) {
        fprintf(stderr, "retrieval: %s/%s cannot be read\n", set, name);
        exit(1);
    }
    return file;
}

static void index_chunk(struct index_builder *builder, const char *header, const char *body)
{
    struct passage_list list = passages_of(scratch, body, strlen(body));
    struct index_passage *passages = ARENA_ARRAY(scratch, struct index_passage, list.count + 1);

    for (size_t i = 0; i < list.count; i++)
        passages[i] = (struct index_passage){list.items[i].text, list.items[i].length};
    index_builder_chunk(builder, (int64_t)chunk_count, header, passages, list.count);
    arena_reset(scratch);
}

static void index_titles(struct index_builder *builder, const char *body)
{
    struct title_list titles;

    titles_of(scratch, body, strlen(body), &titles);
    for (size_t i = 0; i < titles.count; i++)
        index_builder_chunk(builder, (int64_t)chunk_count, NULL, NULL, 0);
    arena_reset(scratch);
}

static void add_document(struct index_builder *builder, int64_t key, const char *id,
                         const char *text)
{
    const struct chunk_options options = {parent_child ? CHUNK_PARENT : 800,
                                          parent_child ? CHUNK_PARENT_OVERLAP : 200, true};
    enum text_language language = language_detect(text, strlen(text));
    struct chunk_list list = {0};

    index_builder_document(builder, key, language);
    chunk_text(kept, text, strlen(text), 0, &options, &list);
    for (size_t i = 0; i < list.count && chunk_count < CHUNKS_MAX; i++) {
        const char *header = chunk_header(kept, arena_print(kept, "%s.txt", id), &list.items[i]);
        struct chunk_list searched = {&list.items[i], 1};

        if (parent_child)
            searched = chunk_children(kept, list.items[i].body, list.items[i].length);
        for (size_t j = 0; j < searched.count; j++)
            index_chunk(builder, header, searched.items[j].body);
        index_titles(builder, list.items[i].body);
        chunks[chunk_count] = (struct knowledge_chunk){.key = (int64_t)chunk_count,
                                                       .document = key,
                                                       .doc_id = id,
                                                       .language = language,
                                                       .chunk_index = (int)i,
                                                       .header = header,
                                                       .body = list.items[i].body};
        chunk_count++;
    }
}

/* Of a chunk (child 0), or one of its titles. */
static const char *embedded_text(struct arena *arena, int64_t chunk, uint32_t child)
{
    const char *body = chunks[chunk].body;
    struct title_list titles;

    if (!child)
        return arena_print(arena, "%s\n%s", chunks[chunk].header, body);
    titles_of(arena, body, strlen(body), &titles);
    return child <= titles.count ? titles.items[child - 1] : NULL;
}

static bool fill_rows(void *context, const struct search_wanted *wanted, size_t count,
                      const uint8_t **rows, uint32_t *dimension)
{
    static uint8_t *batch;

    (void)context;
    if (!batch)
        batch = malloc(256 * search_vector_bytes(VECTOR_VALUES));
    for (size_t i = 0; i < count; i++)
        memcpy(batch + i * search_vector_bytes(VECTOR_VALUES),
               vector_of(kept, "passage: ", embedded_text(kept, wanted[i].chunk, wanted[i].child)),
               search_vector_bytes(VECTOR_VALUES));
    *rows = batch;
    *dimension = VECTOR_VALUES;
    return true;
}

static enum error fill_vectors(struct search_segment *segment, struct problem *problem)
{
    const struct search_embedder embedder = {search_vector_model("e5"), 0, 256, fill_rows, NULL};
    struct search_segment from = *segment;
    bool whole;

    segment->name = "meant";
    return search_fill_vectors(folder, &from, &embedder, segment->name, &segment->bytes, &whole,
                               problem);
}

static struct search_index *finish(struct index_builder *builder)
{
    struct search_segment segment = {.name = "all"};
    struct search_index *index = search_index_create(folder);
    struct problem problem;
    size_t damaged;

    if (index_builder_finish(builder, folder, segment.name, &segment.bytes, &problem) ||
        (kept_vectors && fill_vectors(&segment, &problem)) ||
        search_index_update(index, &segment, 1, &damaged, &problem)) {
        fprintf(stderr, "retrieval: %s\n", problem.text);
        exit(1);
    }
    index_builder_destroy(builder);
    fprintf(stderr, "%zu chunks, %.1f MB of index\n", chunk_count, (double)segment.bytes / 1e6);
    unlink(arena_print(kept, "%s/all", folder));
    unlink(arena_print(kept, "%s/meant", folder));
    rmdir(folder);
    return index;
}

static struct search_index *index_set(const char *set, bool without_sixths)
{
    struct index_builder *builder = index_builder_create((size_t)4 << 30);
    FILE *file = open_part(set, "corpus.jsonl");
    char *line = NULL;
    size_t capacity = 0;
    int64_t key = 0;
    json_t *document;

    while ((document = read_line(file, &line, &capacity))) {
        const char *id = json_string_value(json_object_get(document, "id"));

        if (!without_sixths || strtol(id + strcspn(id, "0123456789"), NULL, 10) % 6)
            add_document(builder, key++, id, json_string_value(json_object_get(document, "text")));
    }
    fclose(file);
    return finish(builder);
}

/* Each document once, in the order of its best chunk. */
static void write_ranking(struct json_writer *writer, const struct found_chunk *ranked,
                          size_t ranked_count, const struct fused_hit *hits, size_t count)
{
    const char *seen[LISTED * 3];
    size_t listed = 0;

    writer_key(writer, "ranked");
    writer_open_array(writer);
    for (size_t i = 0; i < ranked_count + count; i++) {
        const char *id =
            i < ranked_count ? ranked[i].chunk.doc_id : chunks[hits[i - ranked_count].chunk].doc_id;
        bool known = false;

        for (size_t j = 0; j < listed && !known; j++)
            known = strcmp(seen[j], id) == 0;
        if (!known) {
            writer_string(writer, id);
            seen[listed++] = id;
        }
    }
    writer_close_array(writer);
}

/* In the order of evidence.h; evidence.py fits its weights to them. */
static void write_features(struct json_writer *writer, const struct evidence *evidence)
{
    const double features[] = {evidence->near,    evidence->chunk, evidence->elsewhere,
                               evidence->margin,  evidence->grams, evidence->agreement,
                               evidence->overlap, evidence->terms, evidence->cosine,
                               evidence->meaning, evidence->lead,  evidence->title};

    writer_key(writer, "features");
    writer_open_array(writer);
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        writer_number(writer, features[i]);
    writer_close_array(writer);
}

/* Writes the hits by words and by meaning, best first, as retrieval.c does. */
static size_t find(const struct search_index *index, const char *text, struct question *question,
                   struct fused_hit *fused, double *best)
{
    struct search_hit hits[LISTED];
    struct nearest_hits near;
    size_t term_count, count;
    struct search_term *terms = question_search_terms(question, scratch, index, &term_count);

    count = search_index_best(index, scratch, terms, term_count, hits, LISTED);
    *best = count ? hits[0].score : 0;
    if (!kept_vectors) {
        for (size_t i = 0; i < count; i++)
            fused[i] = (struct fused_hit){.chunk = hits[i].chunk, .lexical = hits[i].score};
        return count;
    }
    const uint8_t *row = vector_of(scratch, "query: ", text);
    uint8_t *centered = arena_alloc(scratch, search_vector_bytes(VECTOR_VALUES));
    question_center(row, centered);
    near = fusion_search(index, scratch, centered, hits, count, CANDIDATES);
    return fusion_by_score(hits, count, &near, fused);
}

static void answer(const struct search_index *index, const char *id, const char *text, FILE *out)
{
    struct question question;
    struct fused_hit hits[LISTED + CANDIDATES];
    struct found_chunk *found, *graded;
    struct answer answer;
    struct text line;
    struct json_writer writer;
    size_t count, read, kept_count;
    double best;

    question_read(&question, scratch, text, NULL, &synonyms);
    question_weigh(&question, index);
    count = find(index, text, &question, hits, &best);
    read = count < CANDIDATES ? count : CANDIDATES;
    found = ARENA_ARRAY(scratch, struct found_chunk, read + 1);
    graded = ARENA_ARRAY(scratch, struct found_chunk, read + 1);
    for (size_t i = 0; i < read; i++) {
        evidence_read(&question, scratch, &chunks[hits[i].chunk],
                      &(struct chunk_scores){hits[i].lexical, best, kept_vectors != NULL,
                                             hits[i].near, hits[i].meaning, hits[i].nearest},
                      &found[i]);
    }
    memcpy(graded, found, read * sizeof *found);
    evidence_order(found, read);
    answer_rank(graded, read);
    text_start(&line, scratch, 1 << 20);
    writer_start(&writer, &line);
    writer_open_object(&writer);
    writer_key_string(&writer, "id", id);
    write_ranking(&writer, graded, read, hits, count);
    kept_count = answer_grade(graded, read);
    answer = answer_compose(&question, index, scratch, graded, kept_count, found, read,
                            least_evidence, 5);
    writer_key_string(&writer, "answer", answer.text);
    writer_key_boolean(&writer, "refused", answer.refused);
    writer_key_number(&writer, "evidence", answer.evidence.value);
    writer_key_boolean(&writer, "missing_code", question.missing_code);
    write_features(&writer, &answer.evidence);
    writer_close_object(&writer);
    fprintf(out, "%s\n", line.bytes);
    arena_reset(scratch);
}

static int print_texts(const char *set)
{
    FILE *file = open_part(set, "queries.jsonl");
    char *line = NULL;
    size_t capacity = 0;
    json_t *query;

    (void)index_set(set, false);
    for (size_t i = 0; i < chunk_count; i++) {
        const char *text;

        for (uint32_t j = 0; (text = embedded_text(scratch, (int64_t)i, j)); j++)
            print_wanted(scratch, "passage: ", text);
        arena_reset(scratch);
    }
    while ((query = read_line(file, &line, &capacity))) {
        print_wanted(scratch, "query: ", json_string_value(json_object_get(query, "text")));
        arena_reset(scratch);
    }
    return fclose(file);
}

static int run(const char *set, const char *asked, const char *path, bool without_sixths)
{
    struct search_index *index = index_set(set, without_sixths);
    FILE *file = open_part(asked, "queries.jsonl"), *out = fopen(path, "we");
    char *line = NULL;
    size_t capacity = 0, count = 0;
    int64_t started = now();
    json_t *query;

    if (!out)
        return 1;
    for (; (query = read_line(file, &line, &capacity)); count++)
        answer(index, json_string_value(json_object_get(query, "id")),
               json_string_value(json_object_get(query, "text")), out);
    fprintf(stderr, "%zu questions, %.2f ms each\n", count,
            (double)(now() - started) / 1000 / (double)count);
    return fclose(out) != 0;
}

/* What the chunks of the speed run are mixed from, and its questions. */
static struct {
    const char *sentences[SENTENCES_MAX], *queries[QUERIES_MAX];
    size_t sentence_count, query_count;
} mix;

static void add_sentences(const char *text)
{
    struct sentence_reader reader;
    size_t start, end;

    sentence_reader_start(&reader, text, strlen(text));
    while (mix.sentence_count < SENTENCES_MAX && sentence_next(&reader, &start, &end))
        mix.sentences[mix.sentence_count++] = arena_copy(kept, text + start, end - start);
}

static void read_mix(const char *set)
{
    FILE *file = open_part(set, "corpus.jsonl");
    char *line = NULL;
    size_t capacity = 0;
    json_t *object;

    while ((object = read_line(file, &line, &capacity)))
        add_sentences(json_string_value(json_object_get(object, "text")));
    fclose(file);
    file = open_part(set, "queries.jsonl");
    while (mix.query_count < QUERIES_MAX && (object = read_line(file, &line, &capacity)))
        mix.queries[mix.query_count++] = json_string_value(json_object_get(object, "text"));
    fclose(file);
}

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state % below);
}

static void mix_chunks(struct index_builder *builder, size_t count)
{
    double bytes = 0;
    int64_t started = now();

    while (chunk_count < count) {
        struct text body;

        text_start(&body, scratch, 1 << 16);
        while (body.length < 600) {
            text_append_string(&body, mix.sentences[draw((uint32_t)mix.sentence_count)]);
            text_append_byte(&body, ' ');
        }
        chunks[chunk_count].body = arena_copy(kept, body.bytes, body.length);
        bytes += (double)body.length;
        index_builder_document(builder, (int64_t)chunk_count,
                               language_detect(body.bytes, body.length));
        index_chunk(builder, NULL, chunks[chunk_count].body);
        chunk_count++;
    }
    printf("indexing: %.1f MB/s\n", bytes / (double)(now() - started));
}

/* What both sides are asked for. FTS5 splits texts its own way, or is given our terms as its words.
 */
enum work { WORK_STEMS, WORK_TERMS, WORK_WORDS, WORK__MAX };

static const char *const work_names[WORK__MAX] = {
    [WORK_STEMS] = "the same stems",
    [WORK_TERMS] = "the same stems and four-grams",
    [WORK_WORDS] = "all terms, FTS5 its own words",
};

/* A term spelt so that FTS5 takes it for one word. */
static void append_term(struct text *text, const char *name, size_t length)
{
    text_append_byte(text, 'x');
    for (size_t i = 0; i < length; i++)
        text_append_format(text, "%02x", (unsigned char)name[i]);
}

static const char *spell_terms(const char *body, bool grams)
{
    enum text_language language = language_detect(body, strlen(body));
    struct word_reader reader;
    struct word word;
    struct text text;

    text_start(&text, scratch, 1 << 22);
    word_reader_start(&reader, body, strlen(body));
    while (word_next(&reader, &word)) {
        char stem[WORD_BYTES_MAX + 1];
        struct term_gram list[TERM_GRAMS_MAX];
        size_t count = grams ? term_grams(&word, list) : 0;

        append_term(&text, stem, term_stem(language, &word, stem));
        text_append_byte(&text, ' ');
        for (size_t i = 0; i < count; i++) {
            append_term(&text, list[i].bytes, list[i].length);
            text_append_byte(&text, ' ');
        }
    }
    return text.bytes;
}

static sqlite3_stmt *fill_fts(sqlite3 **db, enum work work)
{
    sqlite3_stmt *statement;

    if (sqlite3_open(":memory:", db) ||
        sqlite3_exec(*db, "CREATE VIRTUAL TABLE t USING fts5(body)", NULL, NULL, NULL) ||
        sqlite3_prepare_v2(*db, "INSERT INTO t VALUES (?)", -1, &statement, NULL))
        exit(1);
    sqlite3_exec(*db, "BEGIN", NULL, NULL, NULL);
    for (size_t i = 0; i < chunk_count; i++) {
        const char *body = chunks[i].body;

        sqlite3_bind_text(statement, 1,
                          work == WORK_WORDS ? body : spell_terms(body, work == WORK_TERMS), -1,
                          SQLITE_STATIC);
        sqlite3_step(statement);
        sqlite3_reset(statement);
        arena_reset(scratch);
    }
    sqlite3_exec(*db, "COMMIT", NULL, NULL, NULL);
    sqlite3_exec(*db, "INSERT INTO t (t) VALUES ('optimize')", NULL, NULL, NULL);
    sqlite3_finalize(statement);
    sqlite3_prepare_v2(*db, "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10", -1,
                       &statement, NULL);
    return statement;
}

/* Any of the words, or of the terms. */
static const char *fts_query(const struct question *question, const struct search_term *terms,
                             size_t count, enum work work)
{
    struct text text;

    text_start(&text, scratch, 1 << 20);
    if (work == WORK_WORDS) {
        for (size_t i = 0; i < question->count; i++)
            text_append_format(&text, "%s\"%s\"", i ? " OR " : "", question->terms[i].word.text);
        return text.bytes;
    }
    for (size_t i = 0; i < count; i++) {
        text_append_string(&text, i ? " OR " : "");
        append_term(&text, terms[i].name, terms[i].length);
    }
    return text.bytes;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double time_fts(sqlite3_stmt *statement, const char *query)
{
    int64_t started = now();

    sqlite3_bind_text(statement, 1, query, -1, SQLITE_STATIC);
    while (sqlite3_step(statement) == SQLITE_ROW)
        ;
    sqlite3_reset(statement);
    return (double)(now() - started) / 1000;
}

static double time_index(const struct search_index *index, const struct search_term *terms,
                         size_t count)
{
    struct search_hit hits[10];
    int64_t started = now();

    search_index_best(index, scratch, terms, count, hits, 10);
    return (double)(now() - started) / 1000;
}

static double mean(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* The stems come first in the list of terms. */
static size_t stems_among(const struct search_term *terms, size_t count)
{
    size_t stems = 0;

    while (stems < count && terms[stems].name[0] != TERM_GRAM_MARK)
        stems++;
    return stems;
}

enum { ASKED = 600, FTS_EVERY = 3, FTS_ASKED = ASKED / FTS_EVERY };

static void print_times(enum work work, double *ours, double *theirs)
{
    qsort(ours, ASKED, sizeof ours[0], by_value);
    qsort(theirs, FTS_ASKED, sizeof theirs[0], by_value);
    printf("%s: index p50 %.3f ms, p95 %.2f, mean %.3f; FTS5 p50 %.2f ms, p95 %.2f, mean %.2f; "
           "ratios %.1f, %.1f, %.1f\n",
           work_names[work], ours[ASKED / 2], ours[ASKED * 95 / 100], mean(ours, ASKED),
           theirs[FTS_ASKED / 2], theirs[FTS_ASKED * 95 / 100], mean(theirs, FTS_ASKED),
           theirs[FTS_ASKED / 2] / ours[ASKED / 2],
           theirs[FTS_ASKED * 95 / 100] / ours[ASKED * 95 / 100],
           mean(theirs, FTS_ASKED) / mean(ours, ASKED));
}

static void compare(const struct search_index *index, enum work work)
{
    static double ours[ASKED], theirs[FTS_ASKED];
    sqlite3 *db;
    sqlite3_stmt *fts = fill_fts(&db, work);

    for (size_t i = 0; i < ASKED; i++) {
        struct question question;
        struct search_term *terms;
        size_t count;

        question_read(&question, scratch, mix.queries[draw((uint32_t)mix.query_count)], NULL,
                      &synonyms);
        terms = question_search_terms(&question, scratch, index, &count);
        if (work == WORK_STEMS)
            count = stems_among(terms, count);
        ours[i] = time_index(index, terms, count);
        if (i % FTS_EVERY == 0)
            theirs[i / FTS_EVERY] = time_fts(fts, fts_query(&question, terms, count, work));
        arena_reset(scratch);
    }
    print_times(work, ours, theirs);
    sqlite3_finalize(fts);
    sqlite3_close(db);
}

static int speed(size_t count, char **sets, int set_count)
{
    struct index_builder *builder = index_builder_create((size_t)8 << 30);
    struct search_index *index;

    for (int i = 0; i < set_count; i++)
        read_mix(sets[i]);
    mix_chunks(builder, count < CHUNKS_MAX ? count : CHUNKS_MAX);
    index = finish(builder);
    for (int work = 0; work < WORK__MAX; work++)
        compare(index, (enum work)work);
    return 0;
}

static bool has_word(int argc, char **argv, const char *word)
{
    for (int i = 4; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        puts("retrieval: no sets were named, nothing measured");
        return 0;
    }
    kept = arena_create((size_t)8 << 30);
    scratch = arena_create((size_t)1 << 30);
    chunks = calloc(CHUNKS_MAX, sizeof *chunks);
    synonyms = synonyms_read(kept, synonyms_built_in);
    if (!chunks || !mkdtemp(folder))
        return 1;
    if (strcmp(argv[1], "texts") == 0)
        return print_texts(argv[2]);
    if (strcmp(argv[1], "speed") == 0)
        return speed(strtoul(argv[2], NULL, 10), argv + 3, argc - 3);
    if (has_word(argc, argv, "refuse-nothing"))
        least_evidence = 0;
    parent_child = has_word(argc, argv, "parent-child");
    if (getenv("ASSAY_BENCH_VECTORS"))
        read_vectors(getenv("ASSAY_BENCH_VECTORS"));
    return run(argv[2], has_word(argc - 1, argv, "asked-in") ? argv[argc - 1] : argv[2], argv[3],
               has_word(argc, argv, "without-sixths"));
}
