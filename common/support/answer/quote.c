/* Chooses the sentences of a quote. */
#include "support/answer/quote.h"
#include "base/text.h"
#include "support/answer/fields.h"
#include "text/plain.h"
#include "text/questions.h"
#include "text/sentences.h"

#include <math.h>
#include <string.h>

enum { SENTENCES_MAX = 64, QUOTED_MAX = 3, SHORT_POINTS = 220, SHORT_UNSPACED = 88 };

/* Gain from which another sentence is quoted; the least share of the question that the chosen ones
 * must cover for the others to be left out; what a figure is worth where one is asked for; how far
 * below the best sentence one may be that is quoted as well. */
static const double gain_least = 0.15, share_least = 0.5, figure_worth = 0.25,
                    distinct_least = 0.08, whole_share = 0.92, half_share = 0.8,
                    rival_distance = 0.25;

/* Words that refer to the sentence before, anywhere in a sentence. */
static const char referring[] =
    "this|these|those|such|the former|the latter|diese|dieser|dieses|diesen|diesem|solche|solchen|"
    "cette|ces|cet|ceux ci|celui "
    "ci|este|esta|estos|estas|ese|esa|esos|esas|dicho|dicha|этот|эта|это|"
    "эти|этих|этого|этой|этом|этим|таких|такой|هذا|هذه|ذلك|تلك|هؤلاء|该|这|这些|此|其|上述|questo|"
    "questa|questi|queste|esse|essa|esses|essas|цей|ця|це|ці|цього|นี้|ดังกล่าว";

/* Sentences that begin so cannot be read without the one before. */
static const char dependents[] =
    "it|its|they|their|them|this|that|these|those|he|she|his|her|however|but|otherwise|then|after "
    "that|afterwards|therefore|in this case|in that case|in addition|also|and|or|if so|if not|both|"
    "er|sie|es|ihr|ihre|dies|diese|dieser|dieses|das|dann|danach|dabei|dafür|damit|darin|dazu|"
    "jedoch|aber|sonst|andernfalls|ansonsten|in diesem "
    "fall|ausserdem|auch|und|hierfür|hierzu|beide|"
    "il|elle|ils|elles|cela|ce|cette|ces|ceci|ensuite|puis|après|toutefois|cependant|mais|sinon|"
    "dans "
    "ce cas|en outre|aussi|et|de plus|leur|son|sa|ses|él|ella|ellos|ellas|esto|eso|este|esta|estos|"
    "estas|luego|después|entonces|sin embargo|pero|de lo contrario|en ese caso|en este caso|además|"
    "también|y|su|sus|он|она|оно|они|это|этот|эта|эти|его|её|ее|их|затем|потом|после "
    "этого|однако|но|"
    "иначе|в этом случае|в противном случае|кроме того|также|и|при этом|тогда|для "
    "этого|هو|هي|هم|هذا|"
    "هذه|ذلك|تلك|ثم|بعد ذلك|لكن|ولكن|والا|وفي هذه الحاله|في هذه الحاله|كما|ايضا|"
    "它|它们|他|她|这|这些|那|那些|此|然后|之后|随后|但|但是|不过|否则|此外|另外|同时|并且|因此|"
    "届时|其";

struct sentence {
    size_t start, end;
    const float *cover;
    double share;
    bool dependent, asks, quoted;
};

struct quoting {
    struct arena *arena;
    const struct question *question;
    const struct asks *asks;
    const char *text;
    struct sentence sentences[SENTENCES_MAX];
    size_t count, quoted;
    float *covered;
};

static bool has_digit(const char *text, size_t length)
{
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, text, length);
    while (word_next(&reader, &word)) {
        if (word.digits)
            return true;
    }
    return false;
}

/* How much of the question a sentence covers, and more where it has the figure asked for. */
static double worth_of(const struct quoting *quoting, const struct sentence *sentence)
{
    const struct question *question = quoting->question;
    const char *text = quoting->text + sentence->start;
    size_t length = sentence->end - sentence->start;
    double sum = 0;

    for (size_t t = 0; t < question->count; t++)
        sum += question->terms[t].weight * sentence->cover[t];
    sum = question->total > 0 ? sum / question->total : 0;
    if (question->asks_duration ? text_has_duration(text, length) : false)
        sum += figure_worth;
    else if (quoting->asks->figure && has_digit(text, length))
        sum += figure_worth / 2;
    return sum;
}

static bool is_dependent(const char *plain)
{
    return plain_phrase_at(plain, dependents) || plain_find(plain, referring, NULL);
}

/* A sentence that answers the question before it covers what that covers. */
static const float *cover_after(const struct quoting *quoting, const float *cover)
{
    const struct sentence *before = NULL;
    float *joined;

    for (size_t i = quoting->count; i > 0 && !before; i--) {
        if (quoting->sentences[i - 1].asks)
            before = &quoting->sentences[i - 1];
    }
    if (!before)
        return cover;
    joined = ARENA_ARRAY(quoting->arena, float, quoting->question->count + 1);
    for (size_t t = 0; t < quoting->question->count; t++)
        joined[t] = fmaxf(cover[t], before->cover[t]);
    return joined;
}

/* The sentences of the passage with what evidence knows of them; false when they do not match. */
static bool read_sentences(struct quoting *quoting, const struct selected *item)
{
    const struct passage *passage = item->passage->passage;
    const struct found_chunk *chunk = item->chunk;
    size_t index = (size_t)(item->passage - chunk->passages), next = 0, start, end;
    struct sentence_reader reader;

    while (next < chunk->sentence_count && chunk->sentences[next].passage != index)
        next++;
    sentence_reader_start(&reader, passage->text, passage->length);
    while (sentence_next(&reader, &start, &end)) {
        struct sentence *sentence = &quoting->sentences[quoting->count];

        if (quoting->count == SENTENCES_MAX || next == chunk->sentence_count)
            return false;
        *sentence =
            (struct sentence){.start = start, .end = end, .cover = chunk->sentences[next++].cover};
        sentence->asks = text_is_question(passage->text + start, end - start);
        if (!sentence->asks)
            sentence->cover = cover_after(quoting, sentence->cover);
        sentence->dependent =
            is_dependent(text_plain(quoting->arena, passage->text + start, end - start));
        sentence->share = worth_of(quoting, sentence);
        quoting->count++;
    }
    return quoting->count > 0;
}

static void take(struct quoting *quoting, size_t place)
{
    struct sentence *sentence = &quoting->sentences[place];

    if (sentence->quoted || sentence->asks)
        return;
    sentence->quoted = true;
    quoting->quoted++;
    for (size_t t = 0; t < quoting->question->count; t++)
        quoting->covered[t] = fmaxf(quoting->covered[t], sentence->cover[t]);
    if (sentence->dependent && place > 0)
        take(quoting, place - 1);
}

static double gain_of(const struct quoting *quoting, const struct sentence *sentence)
{
    const struct question *question = quoting->question;
    double gain = 0;

    for (size_t t = 0; t < question->count; t++)
        gain += question->terms[t].weight * fmax(0, sentence->cover[t] - quoting->covered[t]);
    return question->total > 0 ? gain / question->total : 0;
}

static double covered_share(const struct quoting *quoting)
{
    const struct question *question = quoting->question;
    double sum = 0;

    for (size_t t = 0; t < question->count; t++)
        sum += question->terms[t].weight * quoting->covered[t];
    return question->total > 0 ? sum / question->total : 0;
}

/* Of the sentences that do not ask, of which there is one. */
static size_t best_place(const struct quoting *quoting)
{
    size_t best = quoting->count;

    for (size_t i = 0; i < quoting->count; i++) {
        if (!quoting->sentences[i].asks &&
            (best == quoting->count ||
             quoting->sentences[i].share > quoting->sentences[best].share + 1e-9))
            best = i;
    }
    return best;
}

/* Whether no sentence stands out: then the heading answers for all of them. */
static bool is_even(const struct quoting *quoting)
{
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < quoting->count; i++) {
        if (quoting->sentences[i].asks)
            continue;
        least = fmin(least, quoting->sentences[i].share);
        most = fmax(most, quoting->sentences[i].share);
    }
    return most - least < distinct_least;
}

static void take_gaining(struct quoting *quoting)
{
    while (quoting->quoted < QUOTED_MAX) {
        size_t best = quoting->count;
        double most = gain_least;

        for (size_t i = 0; i < quoting->count; i++) {
            const struct sentence *sentence = &quoting->sentences[i];
            double gain = sentence->quoted || sentence->asks ? 0 : gain_of(quoting, sentence);

            if (gain >= most) {
                most = gain;
                best = i;
            }
        }
        if (best == quoting->count)
            return;
        take(quoting, best);
    }
}

/* What covers less than the question may be read only with a sentence beside it, what covers much
 * less with both. */
static void take_beside(struct quoting *quoting, size_t best)
{
    double share = covered_share(quoting);
    bool has_next = best + 1 < quoting->count, has_before = best > 0;
    bool next_first = has_next && (!has_before || quoting->sentences[best + 1].share >=
                                                      quoting->sentences[best - 1].share);

    if (quoting->quoted > 1 || share >= whole_share)
        return;
    take(quoting, next_first ? best + 1 : best - 1);
    if (share < half_share && has_next && has_before)
        take(quoting, next_first ? best - 1 : best + 1);
}

/* Sentences after the best one that go on with it, and the steps or reasons around it. */
static void take_around(struct quoting *quoting, size_t best)
{
    size_t next = best + 1;

    while (next < quoting->count && quoting->quoted < QUOTED_MAX &&
           (quoting->sentences[next].dependent || quoting->asks->steps))
        take(quoting, next++);
    if (quoting->asks->reason && best > 0 && quoting->quoted < QUOTED_MAX)
        take(quoting, best - 1);
}

/* Sentences that answer nearly as well as the best one. */
static void take_rivals(struct quoting *quoting, size_t best)
{
    double least = quoting->sentences[best].share - rival_distance;

    for (size_t i = 0; i < quoting->count && quoting->quoted < QUOTED_MAX; i++) {
        if (quoting->sentences[i].share >= least)
            take(quoting, i);
    }
}

static const char *join(const struct quoting *quoting)
{
    struct text text;
    size_t last_end = 0;

    text_start(&text, quoting->arena, 1 << 20);
    for (size_t i = 0; i < quoting->count; i++) {
        const struct sentence *sentence = &quoting->sentences[i];

        if (!sentence->quoted)
            continue;
        if (text.length && last_end != sentence->start) /* some scripts have no blanks between */
            text_append_byte(&text, ' ');
        text_append(&text, quoting->text + sentence->start, sentence->end - sentence->start);
        last_end = sentence->end;
    }
    return text.bytes;
}

/* Scripts without spaces say more in fewer characters. */
static bool is_short(const char *text)
{
    size_t points = utf8_count(text), bytes = strlen(text);

    return points <= (bytes > 2 * points ? SHORT_UNSPACED : SHORT_POINTS);
}

/* The passage without the questions that it begins with; whole when nothing else is left, and where
 * they lead a list. */
static const char *answering_part(const struct passage *passage)
{
    size_t from = text_after_questions(passage->text, passage->length);

    return from < passage->length && !strchr(passage->text, '\n') ? passage->text + from
                                                                  : passage->text;
}

const char *quote_of(struct arena *arena, const struct question *question, const struct asks *asks,
                     const struct selected *item, float *covered, bool first)
{
    const struct passage *passage = item->passage->passage;
    struct quoting *quoting = ARENA_NEW(arena, struct quoting);
    const char *fields = fields_quote(arena, question, item, covered);
    size_t best;

    if (fields)
        return fields;
    *quoting = (struct quoting){.arena = arena,
                                .question = question,
                                .asks = asks,
                                .text = passage->text,
                                .covered = covered};
    if (strchr(passage->text, '\n') || is_short(passage->text) || !read_sentences(quoting, item) ||
        text_after_questions(passage->text, passage->length) == passage->length ||
        quoting->count == 1 || (is_even(quoting) && first)) {
        for (size_t t = 0; t < question->count; t++)
            covered[t] = fmaxf(covered[t], item->passage->cover[t]);
        return answering_part(passage);
    }
    best = best_place(quoting);
    take(quoting, best);
    take_gaining(quoting);
    take_around(quoting, best);
    take_rivals(quoting, best);
    take_beside(quoting, best);
    return first && covered_share(quoting) < share_least ? answering_part(passage) : join(quoting);
}
