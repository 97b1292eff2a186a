/* Texts of the answerer: refusals and suggestions, in its languages. */
#include "base/text.h"
#include "support/answer/answer_text.h"
#include "support/answer/graph.h"
#include "support/answer/patterns.h"
#include "text/fold.h"

#include <string.h>

struct phrase {
    enum text_language language;
    const char *refusal;      /* nothing was found */
    const char *code_refusal; /* %s = the unknown code */
    const char *suggestion;   /* %s = a heading */
};

/* English comes first and is used for languages that are not listed. */
static const struct phrase phrases[] = {
    {TEXT_EN, "This question cannot be answered from the documents; please contact support.",
     "This question cannot be answered: the documents do not mention %s; please contact support.",
     "What about \"%s\"?"},
    {TEXT_RU, "По имеющимся документам ответить нельзя: обратитесь в службу поддержки.",
     "Ответить нельзя: в документах нет сведений о %s; обратитесь в службу поддержки.",
     "Что сказано в разделе «%s»?"},
    {TEXT_DE,
     "Diese Frage kann anhand der Dokumente nicht beantwortet werden; bitte wenden Sie sich an den "
     "Support.",
     "Diese Frage kann nicht beantwortet werden: %s kommt in den Dokumenten nicht vor; bitte "
     "wenden "
     "Sie sich an den Support.",
     "Was steht unter „%s“?"},
    {TEXT_FR,
     "Les documents ne permettent pas de répondre à cette question ; veuillez contacter le "
     "support.",
     "Impossible de répondre : les documents ne mentionnent pas %s ; veuillez contacter le "
     "support.",
     "Que dit « %s » ?"},
    {TEXT_ES,
     "No se puede responder a esta pregunta con los documentos; póngase en contacto con soporte.",
     "No se puede responder: los documentos no mencionan %s; póngase en contacto con soporte.",
     "¿Qué dice «%s»?"},
    {TEXT_IT,
     "Non è possibile rispondere a questa domanda con i documenti; contattate l'assistenza.",
     "Non è possibile rispondere: i documenti non citano %s; contattate l'assistenza.",
     "Che cosa dice «%s»?"},
    {TEXT_PT,
     "Não é possível responder a esta pergunta com os documentos; entre em contacto com o suporte.",
     "Não é possível responder: os documentos não mencionam %s; entre em contacto com o suporte.",
     "O que diz «%s»?"},
    {TEXT_UK, "За наявними документами відповісти неможливо: зверніться до служби підтримки.",
     "Відповісти неможливо: у документах немає відомостей про %s; зверніться до служби підтримки.",
     "Що сказано в розділі «%s»?"},
    {TEXT_AR, "لا يمكن الإجابة عن هذا السؤال من الوثائق؛ يرجى التواصل مع الدعم.",
     "لا يمكن الإجابة: لا تذكر الوثائق %s؛ يرجى التواصل مع الدعم.", "ماذا يقول قسم «%s»؟"},
    {TEXT_ZH, "根据现有文档无法回答这个问题，请联系客服。",
     "无法回答：文档中没有提到 %s，请联系客服。", "“%s”部分说了什么？"},
};

static const struct phrase *phrase_of(enum text_language language)
{
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
        if (phrases[i].language == language)
            return &phrases[i];
    }
    return &phrases[0];
}

/* The pattern with its one `%s` replaced. */
static const char *fill(struct arena *arena, const char *pattern, const char *value)
{
    const char *place = strstr(pattern, "%s");
    struct text text;

    text_start(&text, arena, 4096);
    text_append(&text, pattern, (size_t)(place - pattern));
    text_append_string(&text, value);
    text_append_string(&text, place + 2);
    return text.bytes;
}

const char *answer_refusal(struct arena *arena, enum text_language language, const char *code)
{
    const struct phrase *phrase = phrase_of(language);

    return code ? fill(arena, phrase->code_refusal, code) : phrase->refusal;
}

const char *answer_older_version(struct arena *arena, enum text_language language,
                                 const char *title, int number)
{
    static const struct {
        enum text_language language;
        const char *text;
    } texts[] = {
        {TEXT_EN, "This is the newest version; there is an older one: %s"},
        {TEXT_DE, "Das ist die neueste Fassung; es gibt auch eine ältere: %s"},
        {TEXT_FR, "Il s'agit de la version la plus récente ; il en existe une plus ancienne : %s"},
        {TEXT_ES, "Esta es la versión más reciente; existe otra anterior: %s"},
        {TEXT_RU, "Это самая новая редакция; есть и более старая: %s"},
        {TEXT_AR, "هذه أحدث نسخة، وتوجد نسخة أقدم: %s"},
        {TEXT_ZH, "以上为最新版本；另有旧版本：%s"},
        {TEXT_IT, "Questa è la versione più recente; ne esiste una precedente: %s"},
        {TEXT_PT, "Esta é a versão mais recente; existe uma anterior: %s"},
        {TEXT_UK, "Це найновіша редакція; є й старіша: %s"},
    };
    const char *text = texts[0].text;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        text = texts[i].language == language ? texts[i].text : text;
    return arena_print(arena, "%s [%d].", fill(arena, text, title), number);
}

const char *answer_unsupported_note(enum text_language language)
{
    static const struct {
        enum text_language language;
        const char *text;
    } notes[] = {
        {TEXT_EN, "not confirmed by the documents"},
        {TEXT_DE, "durch die Dokumente nicht belegt"},
        {TEXT_FR, "non confirmé par les documents"},
        {TEXT_ES, "no confirmado por los documentos"},
        {TEXT_RU, "документами не подтверждено"},
        {TEXT_AR, "لا تؤكده الوثائق"},
        {TEXT_ZH, "文档中未得到证实"},
        {TEXT_IT, "non confermato dai documenti"},
        {TEXT_PT, "não confirmado pelos documentos"},
        {TEXT_UK, "документами не підтверджено"},
    };

    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
        if (notes[i].language == language)
            return notes[i].text;
    return notes[0].text;
}

bool answer_is_refusal(struct arena *arena, const char *text)
{
    const char *lower = text_lower(arena, text);

    for (const char *const *phrase = patterns_refusals(); *phrase; phrase++) {
        if (strstr(lower, *phrase))
            return true;
    }
    return false;
}

static bool is_new(const char *const *suggestions, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(suggestions[i], text) == 0)
            return false;
    }
    return true;
}

static bool is_used(const struct answer *answer, const char *heading)
{
    for (size_t i = 0; i < answer->selection.count; i++) {
        if (strcmp(answer->selection.items[i].passage->passage->head, heading) == 0)
            return true;
    }
    return strstr(answer->text, heading) != NULL;
}

static bool is_question(const char *heading)
{
    static const char *const marks[] = {"?", "\u061f", "\uff1f"};
    size_t length = strlen(heading);

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t mark = strlen(marks[i]);

        if (length > mark && strcmp(heading + length - mark, marks[i]) == 0)
            return true;
    }
    return false;
}

struct suggesting {
    struct arena *arena;
    const struct question *question;
    const struct answer *answer;
    const char **suggestions;
    size_t count;
};

/* A heading of one word is too wide a topic to ask about; the lines between headings are fragments.
 */
static void suggest(struct suggesting *all, const char *heading)
{
    const char *text = heading;

    if (!heading || !*heading || all->count == SUGGESTIONS_MAX || is_used(all->answer, heading))
        return;
    if (!is_question(heading)) {
        if (!strchr(heading, ' ') && all->question->language != TEXT_ZH)
            return;
        text = fill(all->arena, phrase_of(all->question->language)->suggestion, heading);
    }
    if (utf8_count(text) <= SUGGESTION_LENGTH_MAX && is_new(all->suggestions, all->count, text))
        all->suggestions[all->count++] = text;
}

static void suggest_headings(struct suggesting *all, const struct found_chunk *chunk)
{
    for (size_t i = 0; i < chunk->list.count; i++)
        suggest(all, chunk->list.items[i].head);
}

size_t answer_suggest(struct arena *arena, const struct question *question,
                      const struct answer *answer, const char *suggestions[SUGGESTIONS_MAX])
{
    struct suggesting all = {arena, question, answer, suggestions, 0};

    for (size_t i = 0; i < answer->document_count; i++)
        suggest_headings(&all, answer->documents[i]);
    return all.count;
}

const char *graph_apology(enum text_language language)
{
    static const struct {
        enum text_language language;
        const char *text;
    } apologies[] = {
        {TEXT_EN, "Your question could not be processed automatically and has been passed to an "
                  "operator."},
        {TEXT_RU, "Вопрос не удалось обработать автоматически, он передан оператору."},
        {TEXT_DE, "Ihre Frage konnte nicht automatisch bearbeitet werden und wurde an eine "
                  "Mitarbeiterin oder einen Mitarbeiter übergeben."},
        {TEXT_FR, "Votre question n'a pas pu être traitée automatiquement ; elle a été transmise "
                  "à un opérateur."},
        {TEXT_ES, "Su pregunta no pudo procesarse automáticamente y se ha pasado a un operador."},
        {TEXT_AR, "تعذرت معالجة سؤالك تلقائيًا وتم تحويله إلى أحد الموظفين."},
        {TEXT_ZH, "您的问题无法自动处理，已转交人工客服。"},
    };

    for (size_t i = 0; i < sizeof apologies / sizeof apologies[0]; i++) {
        if (apologies[i].language == language)
            return apologies[i].text;
    }
    return apologies[0].text;
}
