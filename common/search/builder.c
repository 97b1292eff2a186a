/* Builds a segment. Each word is looked up once per text language in a table that caches its terms.
 * Each term collects its postings as bytes in a chain of pieces. */
#include "search/builder.h"
#include "base/arena.h"
#include "search/segment_format.h"
#include "search/segment_write.h"
#include "search/terms.h"
#include "text/exact_words.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_FIRST = 24, PIECE_MOST = 4096, TABLE_FIRST = 1024 };

struct piece {
    struct piece *next;
    uint32_t used, size;
    uint8_t bytes[];
};

/* One posting in the chain: varint chunk difference, frequency, byte count of the positions,
 * positions. */
struct term {
    const char *name;
    uint32_t length, hash;
    struct piece *first, *last;
    uint32_t last_chunk, passages;
    /* of the chunk being read */
    uint32_t frequency, last_passage, first_place, last_place;
    bool in_chunk, in_head;
};

struct known_word {
    const char *text;
    uint32_t length, hash, count;
    enum text_language language;
    uint32_t *terms; /* the stem, then the grams */
};

struct place {
    uint32_t position, next; /* next position of the same term, plus 1 */
};

struct table {
    uint32_t *slots; /* index plus 1 */
    size_t size, count;
};

struct chunk_row {
    int64_t key;
    uint32_t length, passages, document;
};

struct index_builder {
    struct arena *arena;
    bool exhausted;
    struct term *terms;
    struct known_word *words;
    size_t term_capacity, word_capacity;
    struct table term_table, word_table;
    int64_t *documents;
    struct chunk_row *chunks;
    size_t document_count, document_capacity, chunk_count, chunk_capacity;
    uint64_t languages;
    enum text_language language;
    uint32_t *touched; /* terms of the current chunk */
    struct place *places;
    size_t touched_count, touched_capacity, place_count, place_capacity;
};

struct index_builder *index_builder_create(size_t memory)
{
    struct index_builder *builder = calloc(1, sizeof *builder);

    if (builder)
        builder->arena = arena_create(memory);
    if (builder && !builder->arena) {
        free(builder);
        return NULL;
    }
    return builder;
}

void index_builder_destroy(struct index_builder *builder)
{
    if (!builder)
        return;
    arena_destroy(builder->arena);
    free(builder);
}

/* A list of twice the length with the old items copied; the arena keeps the old list. */
static void *grow(struct index_builder *builder, void *items, size_t *capacity, size_t size)
{
    size_t wanted = *capacity ? *capacity * 2 : 256;
    void *grown = arena_alloc_array(builder->arena, wanted, size);

    if (*capacity)
        memcpy(grown, items, *capacity * size);
    *capacity = wanted;
    return grown;
}

static uint32_t hash_bytes(const char *bytes, size_t length, uint32_t seed)
{
    uint32_t hash = 2166136261u ^ seed;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
    hash ^= hash >> 15;
    return hash * 2246822519u;
}

static uint32_t hash_of(const struct index_builder *builder, const struct table *table, size_t i)
{
    return table == &builder->term_table ? builder->terms[i].hash : builder->words[i].hash;
}

/* Makes room for one more entry; the table stays at most half full. */
static void table_grow(struct index_builder *builder, struct table *table)
{
    size_t size = table->size ? table->size * 2 : TABLE_FIRST;

    if ((table->count + 1) * 2 <= table->size)
        return;
    table->slots = ARENA_ARRAY(builder->arena, uint32_t, size);
    table->size = size;
    for (size_t i = 0; i < table->count; i++) {
        size_t slot = hash_of(builder, table, i) & (size - 1);

        while (table->slots[slot])
            slot = (slot + 1) & (size - 1);
        table->slots[slot] = (uint32_t)i + 1;
    }
}

static uint32_t term_of(struct index_builder *builder, const char *name, size_t length)
{
    struct table *table = &builder->term_table;
    uint32_t hash = hash_bytes(name, length, 0);
    size_t slot;
    struct term *term;

    table_grow(builder, table);
    for (slot = hash & (table->size - 1); table->slots[slot];
         slot = (slot + 1) & (table->size - 1)) {
        term = &builder->terms[table->slots[slot] - 1];
        if (term->hash == hash && term->length == length && memcmp(term->name, name, length) == 0)
            return table->slots[slot] - 1;
    }
    if (table->count == builder->term_capacity)
        builder->terms =
            grow(builder, builder->terms, &builder->term_capacity, sizeof *builder->terms);
    builder->terms[table->count] = (struct term){
        .name = arena_copy(builder->arena, name, length), .length = (uint32_t)length, .hash = hash};
    table->slots[slot] = (uint32_t)table->count + 1;
    return (uint32_t)table->count++;
}

static void know_word(struct index_builder *builder, struct known_word *known,
                      const struct word *word)
{
    struct term_gram grams[TERM_GRAMS_MAX];
    char stem[WORD_BYTES_MAX + 1];
    size_t length = term_stem(builder->language, word, stem), count = term_grams(word, grams);

    known->terms = ARENA_ARRAY(builder->arena, uint32_t, count + 1);
    known->terms[0] = term_of(builder, stem, length);
    for (size_t i = 0; i < count; i++)
        known->terms[i + 1] = term_of(builder, grams[i].bytes, grams[i].length);
    known->count = (uint32_t)count + 1;
}

static struct known_word *word_of(struct index_builder *builder, const struct word *word)
{
    struct table *table = &builder->word_table;
    uint32_t hash = hash_bytes(word->text, word->length, (uint32_t)builder->language + word->pair);
    struct known_word *known;
    size_t slot;

    table_grow(builder, table);
    for (slot = hash & (table->size - 1); table->slots[slot];
         slot = (slot + 1) & (table->size - 1)) {
        known = &builder->words[table->slots[slot] - 1];
        if (known->hash == hash && known->language == builder->language &&
            known->length == word->length && memcmp(known->text, word->text, word->length) == 0)
            return known;
    }
    if (table->count == builder->word_capacity)
        builder->words =
            grow(builder, builder->words, &builder->word_capacity, sizeof *builder->words);
    known = &builder->words[table->count];
    *known = (struct known_word){.text = arena_copy(builder->arena, word->text, word->length),
                                 .length = (uint32_t)word->length,
                                 .hash = hash,
                                 .language = builder->language};
    table->slots[slot] = (uint32_t)++table->count;
    know_word(builder, known, word);
    return known;
}

static void touch(struct index_builder *builder, uint32_t index)
{
    struct term *term = &builder->terms[index];

    if (builder->touched_count == builder->touched_capacity)
        builder->touched =
            grow(builder, builder->touched, &builder->touched_capacity, sizeof *builder->touched);
    builder->touched[builder->touched_count++] = index;
    term->in_chunk = true;
    term->in_head = false;
    term->frequency = term->last_passage = term->first_place = 0;
}

static void add_place(struct index_builder *builder, struct term *term, uint32_t position)
{
    if (builder->place_count == builder->place_capacity)
        builder->places =
            grow(builder, builder->places, &builder->place_capacity, sizeof *builder->places);
    builder->places[builder->place_count++] = (struct place){.position = position};
    if (term->first_place)
        builder->places[term->last_place - 1].next = (uint32_t)builder->place_count;
    else
        term->first_place = (uint32_t)builder->place_count;
    term->last_place = (uint32_t)builder->place_count;
}

/* `passage` counts from 1; 0 is the head. */
static void note_word(struct index_builder *builder, const struct word *word, uint32_t passage,
                      uint32_t position)
{
    struct known_word *known = word_of(builder, word);

    for (uint32_t i = 0; i < known->count; i++) {
        struct term *term = &builder->terms[known->terms[i]];

        if (!term->in_chunk)
            touch(builder, known->terms[i]);
        term->frequency++;
        term->in_head |= passage == 0;
        if (!term->in_head && passage != term->last_passage) {
            term->last_passage = passage;
            term->passages++;
        }
        if (i == 0)
            add_place(builder, term, position);
    }
}

static uint8_t *room(struct index_builder *builder, struct term *term, uint32_t bytes)
{
    struct piece *piece = term->last;

    if (!piece || piece->size - piece->used < bytes) {
        uint32_t size = piece ? piece->size * 2 : PIECE_FIRST;

        if (size > PIECE_MOST)
            size = PIECE_MOST;
        if (size < bytes)
            size = bytes;
        piece = arena_alloc(builder->arena, sizeof *piece + size);
        piece->size = size;
        if (term->last)
            term->last->next = piece;
        else
            term->first = piece;
        term->last = piece;
    }
    return piece->bytes + piece->used;
}

/* Moves the current chunk's data of a term to its chain. A posting never spans two pieces. */
static void settle_term(struct index_builder *builder, struct term *term, uint32_t chunk,
                        uint32_t passages)
{
    uint32_t before = 0, most = 15 + 5 * (term->first_place ? term->frequency : 0);
    uint8_t *start = room(builder, term, most), *at = start;

    at = varint_put(at, chunk - term->last_chunk);
    at = varint_put(at, term->frequency);
    for (uint32_t i = term->first_place; i; i = builder->places[i - 1].next) {
        at = varint_put(at, builder->places[i - 1].position - before);
        before = builder->places[i - 1].position;
    }
    term->last->used += (uint32_t)(at - start);
    term->last_chunk = chunk;
    if (term->in_head) /* in every passage; not counted yet */
        term->passages += passages;
    term->in_chunk = false;
}

static uint32_t read_words(struct index_builder *builder, const char *text, size_t length,
                           uint32_t passage, uint32_t position)
{
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, text, length);
    while (position < TERM_POSITION_MAX && exact_word_next(&reader, &word))
        note_word(builder, &word, passage, position++);
    return position;
}

static void add_chunk(struct index_builder *builder, int64_t key, const char *head,
                      const struct index_passage *passages, size_t count)
{
    uint32_t position = 0, number = (uint32_t)builder->chunk_count;

    if (builder->chunk_count == builder->chunk_capacity)
        builder->chunks =
            grow(builder, builder->chunks, &builder->chunk_capacity, sizeof *builder->chunks);
    builder->touched_count = builder->place_count = 0;
    if (head)
        position = read_words(builder, head, strlen(head), 0, position);
    for (size_t i = 0; i < count; i++) /* a gap, so that nothing is adjacent across passages */
        position = read_words(builder, passages[i].text, passages[i].length, (uint32_t)i + 1,
                              position + (position > 0));
    for (size_t i = 0; i < builder->touched_count; i++)
        settle_term(builder, &builder->terms[builder->touched[i]], number, (uint32_t)count);
    builder->chunks[builder->chunk_count++] =
        (struct chunk_row){key, position, (uint32_t)count, (uint32_t)builder->document_count - 1};
}

static void add_document(struct index_builder *builder, int64_t key, enum text_language language)
{
    if (builder->document_count == builder->document_capacity)
        builder->documents = grow(builder, builder->documents, &builder->document_capacity,
                                  sizeof *builder->documents);
    builder->documents[builder->document_count++] = key;
    builder->language = language;
    builder->languages |= UINT64_C(1) << language;
}

/* Exhausted memory marks the builder; index_builder_finish() then returns the error. */
void index_builder_chunk(struct index_builder *builder, int64_t key, const char *head,
                         const struct index_passage *passages, size_t count)
{
    jmp_buf recovery;

    if (builder->exhausted)
        return;
    if (setjmp(recovery) == 0) {
        arena_on_exhausted(builder->arena, &recovery);
        add_chunk(builder, key, head, passages, count);
    } else {
        builder->exhausted = true;
    }
    arena_on_exhausted(builder->arena, NULL);
}

void index_builder_document(struct index_builder *builder, int64_t key, enum text_language language)
{
    jmp_buf recovery;

    if (builder->exhausted)
        return;
    if (setjmp(recovery) == 0) {
        arena_on_exhausted(builder->arena, &recovery);
        add_document(builder, key, language);
    } else {
        builder->exhausted = true;
    }
    arena_on_exhausted(builder->arena, NULL);
}

static int by_name(const void *a, const void *b, void *context)
{
    const struct term *terms = context;
    const struct term *x = &terms[*(const uint32_t *)a], *y = &terms[*(const uint32_t *)b];
    int order = memcmp(x->name, y->name, x->length < y->length ? x->length : y->length);

    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static void write_term(struct segment_writer *writer, const struct term *term)
{
    bool with_positions = term->name[0] != TERM_GRAM_MARK;
    uint32_t chunk = 0;

    segment_writer_term(writer, term->name, term->length, term->passages, with_positions);
    for (const struct piece *piece = term->first; piece; piece = piece->next) {
        const uint8_t *at = piece->bytes, *end = at + piece->used;

        while (at < end) {
            uint32_t difference, frequency, position;
            const uint8_t *positions;

            at = varint_get(at, &difference);
            at = positions = varint_get(at, &frequency);
            for (uint32_t i = 0; with_positions && i < frequency; i++)
                at = varint_get(at, &position);
            chunk += difference;
            segment_writer_posting(writer, chunk, frequency, positions, (size_t)(at - positions));
        }
    }
}

static void write_rows(struct segment_writer *writer, const struct index_builder *builder)
{
    size_t chunk = 0;

    segment_writer_languages(writer, builder->languages);
    for (size_t i = 0; i < builder->document_count; i++) {
        segment_writer_document(writer, builder->documents[i]);
        for (; chunk < builder->chunk_count && builder->chunks[chunk].document == i; chunk++)
            segment_writer_chunk(writer, builder->chunks[chunk].key, builder->chunks[chunk].length,
                                 builder->chunks[chunk].passages);
    }
}

enum error index_builder_finish(struct index_builder *builder, const char *directory,
                                const char *name, int64_t *bytes, struct problem *problem)
{
    size_t count = builder->term_table.count;
    struct segment_writer *writer;
    uint32_t *order;

    if (builder->exhausted && !arena_is_full(builder->arena))
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for the index");
    if (builder->exhausted)
        return problem_set(problem, ERROR_TOO_LARGE, "index_memory",
                           "the document is too large to be indexed");
    order = malloc((count + 1) * sizeof *order);
    writer = order ? segment_writer_open(directory, name) : NULL;
    if (!writer) {
        free(order);
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for the index");
    }
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, count, sizeof *order, by_name, builder->terms);
    write_rows(writer, builder);
    for (size_t i = 0; i < count; i++)
        write_term(writer, &builder->terms[order[i]]);
    free(order);
    return segment_writer_finish(writer, bytes, problem);
}
