/* Searches rows by their stored words and by the common words of their type, and fields and metrics
 * by their texts. */
#include "livedata/search/search.h"
#include "livedata/search/search_words.h"

#include "base/number.h"
#include "db/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64, TYPES_MAX = 64, POSTINGS_MAX = 5000, HITS_MAX = 20000 };

static const double coverage_base = 0.65, coverage_share = 0.35, row_boost = 1.0;

static const struct statement count_docs = {
    .name = "search_count",
    .sql = "SELECT count(*) FROM search_docs WHERE tenant_id = ? AND entity_type = ?",
};
static const struct statement count_term = {
    .name = "search_df",
    .sql = "SELECT count(*) FROM search_terms WHERE tenant_id = ? AND term = ? AND entity_type = ?",
};
static const struct statement read_postings = {
    .name = "search_postings",
    .sql = "SELECT doc_id, times FROM search_terms WHERE tenant_id = ? AND term = ?"
           " AND entity_type = ? ORDER BY doc_id LIMIT ?",
};
static const struct statement first_docs = {
    .name = "search_first_docs",
    .sql = "SELECT id, entity_id, snippet FROM search_docs WHERE tenant_id = ? AND entity_type = ?"
           " ORDER BY entity_id LIMIT ?",
};
static const struct statement read_doc = {
    .name = "search_doc_by_id",
    .sql = "SELECT entity_id, snippet FROM search_docs WHERE tenant_id = ? AND id = ?",
};

/* The query: distinct words with how often they were asked for, and how many documents have them.
 */
struct word {
    const char *text;
    double asked;
    double df;
    double idf;
};

/* What all rows of a type have of each word. */
struct type_words {
    const struct entity_type *type;
    int64_t documents;
    double tf[WORDS_MAX];
};

struct scored {
    int64_t doc; /* 0 = not a stored one */
    size_t type;
    const struct search_document *document;
    double tf[WORDS_MAX];
    double score;
    const char *id, *snippet;
};

struct searching {
    const struct storage_call *call;
    const struct search_request *request;
    size_t word_count;
    struct word words[WORDS_MAX];
    size_t type_count;
    struct type_words types[TYPES_MAX];
    double documents;
    size_t found_count;
    struct scored *found;
};

static double times_in(struct arena *arena, const char *text, const char *word)
{
    struct string_list tokens = search_tokens(arena, text);
    double times = 0;

    for (size_t i = 0; i < tokens.count; i++)
        times += strcmp(tokens.items[i], word) == 0;
    return times;
}

static void take_words(struct searching *searching)
{
    struct string_list tokens = search_tokens(searching->call->arena, searching->request->text);

    for (size_t i = 0; i < tokens.count; i++) {
        size_t position = 0;

        while (position < searching->word_count &&
               strcmp(searching->words[position].text, tokens.items[i]) != 0)
            position++;
        if (position == WORDS_MAX)
            continue;
        if (position == searching->word_count)
            searching->words[searching->word_count++] = (struct word){.text = tokens.items[i]};
        searching->words[position].asked++;
    }
}

static enum error count_of(const struct searching *searching, const struct statement *statement,
                           const char *first, const char *second, int64_t *count)
{
    struct query *query = db_query(searching->call->db, statement);

    query_bind_text(query, searching->call->tenant);
    query_bind_text(query, first);
    if (second)
        query_bind_text(query, second);
    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, searching->call->problem);
}

/* How many rows of the type there are, and how many have each word. */
static enum error survey_type(struct searching *searching, const struct entity_type *type)
{
    struct type_words *words = &searching->types[searching->type_count++];
    const char *text = search_type_text(searching->call->arena, type);
    enum error error;

    words->type = type;
    error = count_of(searching, &count_docs, type->name, NULL, &words->documents);
    searching->documents += (double)words->documents;
    for (size_t i = 0; !error && i < searching->word_count; i++) {
        int64_t count = words->documents;

        words->tf[i] = times_in(searching->call->arena, text, searching->words[i].text);
        if (words->tf[i] == 0)
            error = count_of(searching, &count_term, searching->words[i].text, type->name, &count);
        searching->words[i].df += (double)count;
    }
    return error;
}

static struct scored *add_found(struct searching *searching)
{
    struct scored *scored = &searching->found[searching->found_count];

    if (searching->found_count == HITS_MAX - 1)
        return scored; /* the last place is overwritten */
    searching->found_count++;
    return scored;
}

static void survey_documents(struct searching *searching)
{
    const struct search_request *request = searching->request;

    for (size_t i = 0; i < request->document_count; i++) {
        struct scored *scored = add_found(searching);

        *scored = (struct scored){.document = &request->documents[i]};
        searching->documents++;
        for (size_t j = 0; j < searching->word_count; j++) {
            scored->tf[j] = times_in(searching->call->arena, request->documents[i].text,
                                     searching->words[j].text);
            searching->words[j].df += scored->tf[j] > 0;
        }
    }
}

/* The place of a stored document among those found of a type from `first` on, which are sorted by
 * number. */
static struct scored *find_scored(struct searching *searching, size_t first, int64_t doc,
                                  size_t type)
{
    struct scored *scored;

    for (size_t i = first; i < searching->found_count; i++)
        if (searching->found[i].doc == doc)
            return &searching->found[i];
    scored = add_found(searching);
    *scored = (struct scored){.doc = doc, .type = type};
    memcpy(scored->tf, searching->types[type].tf, sizeof scored->tf);
    return scored;
}

static enum error find_by_word(struct searching *searching, size_t type, size_t word, size_t first)
{
    const struct storage_call *call = searching->call;
    struct query *query = db_query(call->db, &read_postings);
    bool alone = searching->found_count == first; /* nothing to merge with */

    query_bind_text(query, call->tenant);
    query_bind_text(query, searching->words[word].text);
    query_bind_text(query, searching->types[type].type->name);
    query_bind_integer(query, POSTINGS_MAX - 1);
    while (query_next(query)) {
        int64_t doc = query_integer(query, 0);
        struct scored *scored =
            find_scored(searching, alone ? searching->found_count : first, doc, type);

        scored->tf[word] += (double)query_integer(query, 1);
    }
    return query_end(query, call->problem);
}

static bool type_matches(const struct searching *searching, size_t type)
{
    for (size_t i = 0; i < searching->word_count; i++)
        if (searching->types[type].tf[i] > 0)
            return true;
    return false;
}

/* Rows that match only by their type's words: as many as can be returned. */
static enum error find_by_type(struct searching *searching, size_t type, size_t first)
{
    const struct storage_call *call = searching->call;
    size_t known = searching->found_count - first;
    struct query *query;

    if (!type_matches(searching, type))
        return ERROR_NONE;
    query = db_query(call->db, &first_docs);
    query_bind_text(query, call->tenant);
    query_bind_text(query, searching->types[type].type->name);
    query_bind_integer(query, searching->request->limit + (int64_t)known);
    while (query_next(query)) {
        struct scored *scored = find_scored(searching, first, query_integer(query, 0), type);

        scored->id = query_text(query, 1, call->arena);
        scored->snippet = query_text(query, 2, call->arena);
    }
    return query_end(query, call->problem);
}

static enum error find_rows(struct searching *searching)
{
    enum error error = ERROR_NONE;

    for (size_t type = 0; !error && type < searching->type_count; type++) {
        size_t first = searching->found_count;

        for (size_t i = 0; !error && i < searching->word_count; i++)
            error = find_by_word(searching, type, i, first);
        if (!error)
            error = find_by_type(searching, type, first);
    }
    return error;
}

static void score_all(struct searching *searching)
{
    for (size_t i = 0; i < searching->word_count; i++) {
        struct word *word = &searching->words[i];

        word->idf = log((1 + searching->documents) / (1 + word->df)) + 1;
    }
    for (size_t i = 0; i < searching->found_count; i++) {
        struct scored *scored = &searching->found[i];
        double sum = 0, matched = 0;

        for (size_t j = 0; j < searching->word_count; j++) {
            if (scored->tf[j] <= 0)
                continue;
            matched++;
            sum += searching->words[j].asked * (1 + log(scored->tf[j])) * searching->words[j].idf;
        }
        scored->score = sum *
                        (coverage_base + coverage_share * matched / (double)searching->word_count) *
                        (scored->document ? scored->document->boost : row_boost);
    }
}

static int by_score(const void *left, const void *right)
{
    const struct scored *a = left, *b = right;

    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return 0;
}

/* Ids of stored documents that may be shown; ties are ordered afterwards. */
static enum error name_row(struct searching *searching, struct scored *scored)
{
    struct query *query;

    if (scored->document) {
        scored->id = scored->document->id;
        scored->snippet = scored->document->snippet;
        return ERROR_NONE;
    }
    if (scored->id)
        return ERROR_NONE;
    query = db_query(searching->call->db, &read_doc);
    query_bind_text(query, searching->call->tenant);
    query_bind_integer(query, scored->doc);
    scored->id = scored->snippet = "";
    if (query_next(query)) {
        scored->id = query_text(query, 0, searching->call->arena);
        scored->snippet = query_text(query, 1, searching->call->arena);
    }
    return query_end(query, searching->call->problem);
}

static const char *kind_of(const struct scored *scored)
{
    return scored->document ? scored->document->kind : "entity";
}

static int by_rank(const void *left, const void *right)
{
    const struct scored *a = left, *b = right;
    int order = by_score(a, b);

    if (!order)
        order = strcmp(kind_of(a), kind_of(b));
    return order ? order : strcmp(a->id, b->id);
}

static struct search_hit hit_of(struct searching *searching, const struct scored *scored,
                                double best)
{
    struct search_hit hit = {.kind = kind_of(scored),
                             .id = scored->id,
                             .snippet = scored->snippet,
                             .raw = scored->score,
                             .score = number_round(scored->score / best, 4)};

    if (scored->document) {
        hit.entity_type = scored->document->entity_type;
        hit.endpoint = scored->document->endpoint;
    } else {
        hit.entity_type = searching->types[scored->type].type->name;
        hit.endpoint =
            arena_print(searching->call->arena, "/v1/entity/%s/%s", hit.entity_type, scored->id);
    }
    return hit;
}

/* The best ones with their names: sorted by score first, so that only what may be shown, with all
 * that ties with the last of it, is looked up. */
static enum error rank(struct searching *searching, struct search_answer *answer)
{
    struct scored *found = searching->found;
    size_t count = searching->found_count, shown = (size_t)searching->request->limit;
    enum error error = ERROR_NONE;

    qsort(found, count, sizeof *found, by_score);
    while (count && found[count - 1].score <= 0)
        count--;
    if (shown < count)
        for (double last = found[shown - 1].score; shown < count && found[shown].score == last;)
            shown++;
    else
        shown = count;
    for (size_t i = 0; !error && i < shown; i++)
        error = name_row(searching, &found[i]);
    if (error)
        return error;
    qsort(found, shown, sizeof *found, by_rank);
    answer->hits = ARENA_ARRAY(searching->call->arena, struct search_hit, shown);
    while (answer->count < shown && answer->count < (size_t)searching->request->limit) {
        answer->hits[answer->count] = hit_of(searching, &found[answer->count], found[0].score);
        answer->count++;
    }
    return ERROR_NONE;
}

enum error search_find(const struct storage_call *call, const struct catalog *catalog,
                       const struct search_request *request, struct search_answer *answer)
{
    struct searching *searching = ARENA_NEW(call->arena, struct searching);
    enum error error = ERROR_NONE;

    *answer = (struct search_answer){0};
    searching->call = call;
    searching->request = request;
    take_words(searching);
    for (size_t i = 0; !error && i < request->types.count && i < TYPES_MAX; i++)
        error = survey_type(searching, catalog_entity(catalog, request->types.items[i]));
    searching->found =
        ARENA_ARRAY(call->arena, struct scored, searching->word_count ? HITS_MAX : 1);
    if (!error && searching->word_count) {
        survey_documents(searching);
        error = find_rows(searching);
    }
    answer->documents = (int64_t)searching->documents;
    if (error || !searching->word_count)
        return error;
    score_all(searching);
    return rank(searching, answer);
}
