/* Clusters are connected questions: two are connected when a quarter of their words is shared. */
#include "support/trends/gaps.h"
#include "base/json.h"
#include "base/string_list.h"
#include "crypto/digest.h"
#include "db/query.h"
#include "text/words.h"

#include <stdlib.h>
#include <string.h>

enum {
    TOKENS_MOST = 32,
    WORD_LEAST = 3,
    STEM_ABOVE = 4,
    ROWS_MOST = 20000,
    GAPS_MOST = 500,
    SAMPLES_BYTES = 65536,
    ID_DIGITS = 12
};
static const double alike_from = 0.25, same_from = 0.5;
static const char heading[] = "Missing topic";

static const struct statement read_questions = {
    .name = "gap_questions",
    .sql = "SELECT tenant_id, question FROM traces WHERE origin = 'live' AND knowledge_gap = 1"
           " AND question <> '' AND started_at >= {now_plus:?}"
           " ORDER BY tenant_id, started_at, trace_id LIMIT ?",
};
static const struct statement read_open = {
    .name = "gap_open",
    .sql = "SELECT id, topic_summary FROM knowledge_gaps WHERE tenant_id = ?"
           " AND resolved_at IS NULL ORDER BY id LIMIT ?",
};
static const struct statement put_gap = {
    .name = "gap_put",
    .sql = "INSERT INTO knowledge_gaps (tenant_id, cluster_id, topic_summary, sample_questions,"
           " question_count, created_at) VALUES (?, ?, ?, ?, ?, {now})",
};
static const struct statement update_gap = {
    .name = "gap_update",
    .sql = "UPDATE knowledge_gaps SET sample_questions = ?, question_count = ? WHERE id = ?",
};
static const struct statement resolve_gap = {
    .name = "gap_resolve",
    .sql = "UPDATE knowledge_gaps SET resolved_at = {now} WHERE tenant_id = ? AND id = ?",
};

/* In the order in which they are tried. */
static const char *const suffixes[] = {"ing", "ed",  "es",  "s",  "иями", "ями", "ами", "ого",
                                       "ему", "ому", "иях", "ах", "ях",   "ов",  "ев",  "ий",
                                       "ый",  "ой",  "ая",  "яя", "ое",   "ее",  "ть",  "ти",
                                       "а",   "я",   "ы",   "и",  "е",    "о",   "у",   "ю"};
static const char stop_words[] =
    " the and for how what where when can you your with from are does this that have need want"
    " как где что это для или про мой моя мои когда если надо могу хочу нужно ";

struct tokens {
    size_t count;
    const char *items[TOKENS_MOST];
};

static const char *stem(struct arena *arena, const char *word)
{
    size_t length = strlen(word);

    if (utf8_count(word) <= STEM_ABOVE)
        return word;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t end = strlen(suffixes[i]);

        if (length > end && strcmp(word + length - end, suffixes[i]) == 0)
            return arena_copy(arena, word, length - end);
    }
    return word;
}

static bool has(const struct tokens *tokens, const char *word)
{
    for (size_t i = 0; i < tokens->count; i++) {
        if (strcmp(tokens->items[i], word) == 0)
            return true;
    }
    return false;
}

static struct tokens tokens_of(struct arena *arena, const char *question)
{
    struct tokens tokens = {0};
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, question, strlen(question));
    while (tokens.count < TOKENS_MOST && word_next(&reader, &word)) {
        char whole[WORD_BYTES_MAX + 3] = " ";
        const char *token;

        memcpy(whole + 1, word.text, word.length);
        memcpy(whole + 1 + word.length, " ", 2);
        if ((!word.pair && utf8_count(word.text) < WORD_LEAST) || strstr(stop_words, whole))
            continue;
        token = stem(arena, arena_copy_string(arena, word.text));
        if (!has(&tokens, token))
            tokens.items[tokens.count++] = token;
    }
    return tokens;
}

/* Jaccard 1901. */
static double likeness(const struct tokens *a, const struct tokens *b)
{
    size_t shared = 0;

    for (size_t i = 0; i < a->count; i++)
        shared += has(b, a->items[i]);
    return a->count && b->count ? (double)shared / (double)(a->count + b->count - shared) : 0;
}

static size_t root_of(size_t *parents, size_t place)
{
    while (parents[place] != place) {
        parents[place] = parents[parents[place]];
        place = parents[place];
    }
    return place;
}

/* The root of each is its first question. */
static size_t *connect(struct arena *arena, const struct tokens *tokens, size_t count)
{
    size_t *parents = ARENA_ARRAY(arena, size_t, count);

    for (size_t i = 0; i < count; i++) {
        parents[i] = i;
        for (size_t j = 0; j < i; j++) {
            size_t a = root_of(parents, i), b = root_of(parents, j);

            if (a != b && likeness(&tokens[i], &tokens[j]) >= alike_from)
                parents[a > b ? a : b] = a < b ? a : b;
        }
    }
    return parents;
}

/* The three most frequent words of a cluster, the first seen of equal ones. */
static const char *summary_of(struct arena *arena, const struct tokens *tokens, size_t *parents,
                              size_t count, size_t root)
{
    const char **words = ARENA_ARRAY(arena, const char *, count *TOKENS_MOST);
    size_t *counts = ARENA_ARRAY(arena, size_t, count * TOKENS_MOST), used = 0;
    struct text text;

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; root_of(parents, i) == root && j < tokens[i].count; j++) {
            size_t at = 0;

            while (at < used && strcmp(words[at], tokens[i].items[j]) != 0)
                at++;
            words[at] = tokens[i].items[j];
            used += at == used;
            counts[at]++;
        }
    }
    text_start(&text, arena, 1024);
    text_append_string(&text, heading);
    for (size_t taken = 0; taken < GAP_SAMPLES && taken < used; taken++) {
        size_t best = 0;

        for (size_t i = 1; i < used; i++)
            best = counts[i] > counts[best] ? i : best;
        text_append_format(&text, "%s%s", taken ? ", " : ": ", words[best]);
        counts[best] = 0;
    }
    return text.bytes;
}

static const char *id_of(struct arena *arena, const struct gap_cluster *cluster)
{
    const char *sorted[GAP_SAMPLES];
    char digest[DIGEST_SHA1_TEXT];
    struct text text;

    memcpy(sorted, cluster->samples, sizeof sorted);
    qsort(sorted, cluster->sample_count, sizeof(const char *), string_list_order);
    text_start(&text, arena, SAMPLES_BYTES);
    for (size_t i = 0; i < cluster->sample_count; i++)
        text_append_format(&text, "%s%s", i ? "||" : "", sorted[i]);
    digest_sha1_hex(text.bytes, text.length, digest);
    return arena_copy(arena, digest, ID_DIGITS);
}

void gaps_cluster(struct arena *arena, const char *const *questions, size_t count, size_t least,
                  struct object_list *clusters)
{
    struct tokens *tokens = ARENA_ARRAY(arena, struct tokens, count);
    struct gap_cluster *items = ARENA_ARRAY(arena, struct gap_cluster, count + 1);
    size_t *parents;

    *clusters = (struct object_list){.items = items};
    for (size_t i = 0; i < count; i++)
        tokens[i] = tokens_of(arena, questions[i]);
    parents = connect(arena, tokens, count);
    for (size_t root = 0; root < count; root++) {
        struct gap_cluster cluster = {0};

        if (root_of(parents, root) != root)
            continue;
        for (size_t i = root; i < count; i++) {
            if (root_of(parents, i) != root)
                continue;
            if (cluster.sample_count < GAP_SAMPLES)
                cluster.samples[cluster.sample_count++] = questions[i];
            cluster.count++;
        }
        if (cluster.count < least)
            continue;
        cluster.summary = summary_of(arena, tokens, parents, count, root);
        cluster.cluster_id = id_of(arena, &cluster);
        items[clusters->count++] = cluster;
    }
}

struct open_gap {
    int64_t id;
    struct tokens topic;
};

static const char *samples_json(struct arena *arena, const struct gap_cluster *cluster)
{
    return json_of_strings(arena, SAMPLES_BYTES * 4, cluster->samples, cluster->sample_count);
}

static enum error put(const struct trace_call *call, const struct gap_cluster *cluster)
{
    struct query *query = db_query(call->db, &put_gap);

    query_bind_text(query, call->tenant);
    query_bind_text(query, cluster->cluster_id);
    query_bind_text(query, cluster->summary);
    query_bind_json(query, samples_json(call->arena, cluster));
    query_bind_integer(query, (int64_t)cluster->count);
    return query_end(query, call->problem);
}

static enum error update(const struct trace_call *call, const struct gap_cluster *cluster,
                         int64_t id)
{
    struct query *query = db_query(call->db, &update_gap);

    query_bind_json(query, samples_json(call->arena, cluster));
    query_bind_integer(query, (int64_t)cluster->count);
    query_bind_integer(query, id);
    return query_end(query, call->problem);
}

static const char *topic_of(const char *summary)
{
    const char *colon = strchr(summary, ':');

    return colon ? colon + 1 : "";
}

static enum error list_open(const struct trace_call *call, struct open_gap *gaps, size_t *count)
{
    struct query *query = db_query(call->db, &read_open);

    query_bind_text(query, call->tenant);
    query_bind_integer(query, GAPS_MOST);
    for (*count = 0; *count < GAPS_MOST && query_next(query); ++*count)
        gaps[*count] =
            (struct open_gap){query_integer(query, 0),
                              tokens_of(call->arena, topic_of(query_text(query, 1, call->arena)))};
    return query_end(query, call->problem);
}

static enum error keep(const struct trace_call *call, const struct object_list *clusters,
                       struct gap_counts *counts)
{
    struct open_gap *gaps = ARENA_ARRAY(call->arena, struct open_gap, GAPS_MOST);
    size_t open = 0;
    enum error error = list_open(call, gaps, &open);

    for (size_t i = 0; i < clusters->count && !error; i++) {
        const struct gap_cluster *cluster = &((const struct gap_cluster *)clusters->items)[i];
        const struct tokens topic = tokens_of(call->arena, topic_of(cluster->summary));
        size_t same = 0;

        while (same < open && likeness(&gaps[same].topic, &topic) < same_from)
            same++;
        error = same < open ? update(call, cluster, gaps[same].id) : put(call, cluster);
        counts->updated += same < open;
        counts->created += same == open;
    }
    return error;
}

static enum error build_tenant(const struct trace_call *all, const char *tenant,
                               const char *const *questions, size_t count,
                               struct gap_counts *counts)
{
    struct trace_call call = *all;
    struct object_list clusters;
    size_t most = count < GAP_QUESTIONS_MOST ? count : GAP_QUESTIONS_MOST;
    enum error error;

    call.tenant = tenant;
    gaps_cluster(call.arena, questions + (count - most), most, GAP_LEAST, &clusters);
    error = db_begin(call.db, DB_WRITE, call.problem);
    if (error)
        return error;
    return db_finish(call.db, keep(&call, &clusters, counts), call.problem);
}

enum error gaps_build(const struct trace_call *call, struct gap_counts *counts)
{
    const char **tenants = ARENA_ARRAY(call->arena, const char *, ROWS_MOST + 1);
    const char **questions = ARENA_ARRAY(call->arena, const char *, ROWS_MOST);
    struct query *query = db_query(call->db, &read_questions);
    size_t count = 0, first = 0;
    enum error error;

    *counts = (struct gap_counts){0};
    query_bind_number(query, -7 * 86400);
    query_bind_integer(query, ROWS_MOST);
    for (; count < ROWS_MOST && query_next(query); count++) {
        tenants[count] = query_text(query, 0, call->arena);
        questions[count] = query_text(query, 1, call->arena);
    }
    error = query_end(query, call->problem);
    counts->questions = (int64_t)count;
    for (size_t i = 1; i <= count && !error; i++) {
        if (i < count && strcmp(tenants[i], tenants[first]) == 0)
            continue;
        error = build_tenant(call, tenants[first], questions + first, i - first, counts);
        first = i;
    }
    return error;
}

enum error gap_resolve(const struct trace_call *call, int64_t id)
{
    struct query *query = db_query(call->db, &resolve_gap);
    int64_t changes;
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_integer(query, id);
    changes = query_changes(query);
    error = query_end(query, call->problem);
    if (error || changes)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "gap_not_found", "gap not found");
}
