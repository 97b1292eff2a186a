/* Question words. Phrases are folded as text_plain() folds; one list holds all languages. */
#include "support/questions/asks.h"
#include "text/language.h"
#include "text/plain.h"

#include <string.h>

static const char figure_words[] =
    "how many|how much|how long|how often|how old|how far|how big|how large|how heavy|how high|how "
    "fast|how soon|how late|when|what time|what year|which year|what date|cost|costs|price|prices|"
    "fee|fees|wie viel|wie viele|wieviel|wieviele|wie lange|wie lang|wie oft|wie alt|wie weit|wie "
    "gross|wie schwer|wie hoch|wie schnell|wann|ab wann|bis wann|kostet|kosten|preis|preise|gebühr|"
    "combien|quand|à quelle heure|quel prix|quel âge|quelle durée|quelle taille|coûte|coûtent|prix|"
    "cuánto|cuánta|cuántos|cuántas|cuándo|a qué hora|qué precio|cuesta|cuestan|precio|precios|"
    "сколько|скольких|когда|как долго|как часто|какой срок|какая цена|сколько "
    "стоит|стоит|стоимость|"
    "цена|цены|كم|متي|بكم|سعر|تكلفه|多少|几|多久|多长|什么时候|何时|几点|多大|多重|价格|多高|"
    "quanto|quanta|"
    "quanti|quante|quando|quantos|quantas|скільки|коли|ราคา|เท่าไหร่|เท่าไร|กี่|เมื่อไหร่|เมื่อไร|นานแค่ไหน";
static const char steps_words[] =
    "how do i|how can i|how to|how should i|how do you|how can we|how do we|what should i do|what "
    "do i do|what must i do|steps|wie kann ich|wie mache ich|wie stelle ich|wie ändere ich|wie "
    "setze ich|wie geht|wie|was muss ich tun|was soll ich tun|was tun|comment|que faire|que dois "
    "je "
    "faire|cómo|qué hago|qué debo hacer|как|что делать|كيف|ماذا "
    "افعل|怎么|如何|怎样|怎么办|come|como|"
    "як|อย่างไร|ยังไง|ทำอย่างไร";
static const char reason_words[] =
    "why|how come|for what reason|warum|wieso|weshalb|pourquoi|por qué|"
    "porqué|почему|зачем|отчего|لماذا|لم|为什么|为何|perché|por que|"
    "чому|ทำไม";
static const char question_words[] =
    "what|which|who|whom|whose|where|when|why|how|was|wer|wen|wem|wessen|wo|woher|wohin|wann|warum|"
    "wieso|weshalb|wie|welche|welcher|welches|welchen|welchem|wieviel|worauf|womit|wofür|quoi|"
    "quel|quelle|quels|quelles|où|quand|pourquoi|comment|combien|lequel|laquelle|qué|quién|quiénes|"
    "cuál|cuáles|dónde|cuándo|cómo|cuánto|cuánta|cuántos|cuántas|что|чего|о чем|в чем|с чем|за "
    "чем|к чему|кем|ком|как*|котор*|скольк*|кто|кого|кому|"
    "какой|какая|какое|какие|какую|каким|какого|каких|где|куда|откуда|когда|почему|зачем|как|"
    "сколько|"
    "чей|ما|ماذا|متي|اين|لماذا|كيف|كم|اي|什么|谁|哪|哪里|哪儿|哪些|哪个|何时|为什么|怎么|如何|"
    "怎样|"
    "多少|几|多久|多长|che|chi|quale|quali|dove|quando|come|quanto|perché|quem|onde|qual|quais|"
    "quanto|що|хто|де|коли|чому|як|скільки|อะไร|ใคร|ที่ไหน|เมื่อไหร่|ทำไม|อย่างไร|เท่าไหร่|กี่";
static const char yes_no_words[] =
    "whether|ob|est ce "
    "que|ли|разве|هل|اليس|吗|嗎|是否|有没有|能不能|可不可以|会不会|是不是|可否|หรือไม่|"
    "ไหม|หรือเปล่า|чи";
static const char list_words[] =
    "which|what are the|what kinds|what types|list|all|all the|overview|welche|was für|alle|liste|"
    "übersicht|quels|quelles|quels sont les|quelles sont les|tous les|toutes les|liste|cuáles|qué|"
    "todos los|todas las|lista|какие|все|перечислите|перечень|список|ما هي|ما|جميع|كل|قائمه|哪些|"
    "所有|全部|列出|有什么|quali|tutti|quais|todos|які|всі|อะไรบ้าง|ทั้งหมด";
static const char compare_words[] =
    "compare|comparison|difference|differences|differ|differs|versus|vs|vergleich*|unterschied*|"
    "unterscheid*|compar*|différence|différences|diferencia|diferencias|сравн*|разниц*|отлича*|"
    "отличи*|чем "
    "отлич*|قارن|مقارنه|الفرق|فرق|比较|对比|区别|差别|不同|confronta|confronto|differenza|"
    "differenze|diferença|diferenças|порівня*|різниц*|เปรียบเทียบ|ต่างกัน";

/* Question words that are other words within a question. */
static const char first_words[] = "чем|من|que|qui";

bool asks_is_comparing(const char *word)
{
    return plain_phrase_at(word, compare_words) > 0;
}

/* Languages in which a question for yes or no always has a word for it. */
static bool has_form(enum text_language language)
{
    return language == TEXT_AR || language == TEXT_ZH || language == TEXT_TH ||
           language == TEXT_JA || language == TEXT_KO;
}

struct asks question_asks(struct arena *arena, const char *question)
{
    const char *plain = text_plain(arena, question, strlen(question));
    bool worded = plain_find(plain, question_words, NULL) || plain_phrase_at(plain, first_words);
    bool formed = plain_find(plain, yes_no_words, NULL) != NULL;
    enum text_language language = language_detect(question, strlen(question));

    return (struct asks){
        .figure = plain_find(plain, figure_words, NULL),
        .steps = plain_find(plain, steps_words, NULL),
        .reason = plain_find(plain, reason_words, NULL),
        .yes_no = *plain && (formed || (!worded && !has_form(language))),
        .list = plain_find(plain, list_words, NULL),
        .compare = plain_find(plain, compare_words, NULL),
    };
}
