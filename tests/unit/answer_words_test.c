/* Question words by words alone: "how long", "when", "how much" are no subject in any of the seven
 * languages, and what a knowledge base does not say is refused; also in Thai, whose words are pairs
 * of letters. */
#include "answer_base.h"
#include "test.h"

enum { ASKED_MAX = 4 };

static const struct shop {
    struct file file;
    const char *answered[ASKED_MAX], *refused[ASKED_MAX];
} shops[] = {
    {{"en.md", "# Shop\n\n## Warranty\n\nThe warranty is 24 months.\n\n## Shipping\n\n"
               "Shipping costs 4.90 euros.\n"},
     {"How long is the warranty?", "When does the warranty end?", "How much is the shipping?"},
     {"How old is the mayor?"}},
    {{"de.md", "# Laden\n\n## Garantie\n\nDie Garantie beträgt 24 Monate.\n\n## Versand\n\n"
               "Der Versand kostet 4,90 Euro.\n"},
     {"Wie lange ist die Garantie?", "Wann endet die Garantie?", "Was kostet der Versand?"},
     {"Wie alt ist der Bürgermeister?"}},
    {{"fr.md", "# Magasin\n\n## Garantie\n\nLa garantie est de 24 mois.\n\n## Livraison\n\n"
               "La livraison coûte 4,90 euros.\n"},
     {"Combien de temps dure la garantie ?", "Quelle est la durée de la garantie ?",
      "Quand finit la garantie ?"},
     {"Quel âge a le maire ?"}},
    {{"es.md", "# Tienda\n\n## Garantía\n\nLa garantía es de 24 meses.\n\n## Envío\n\n"
               "El envío cuesta 4,90 euros.\n"},
     {"¿Cuánto dura la garantía?", "¿Cuándo termina la garantía?", "¿Cuánto cuesta el envío?"},
     {"¿Cuántos años tiene el alcalde?"}},
    {{"ru.md", "# Магазин\n\n## Гарантия\n\nГарантия составляет 24 месяца.\n\n## Доставка\n\n"
               "Доставка стоит 4,90 евро.\n"},
     {"Как долго действует гарантия?", "Когда заканчивается гарантия?", "Сколько стоит доставка?"},
     {"Сколько лет мэру?"}},
    {{"ar.md",
      "# المتجر\n\n## الضمان\n\nمدة الضمان 24 شهرا.\n\n## الشحن\n\nتكلفة الشحن 4.90 يورو.\n"},
     {"كم مدة الضمان؟", "متى ينتهي الضمان؟", "كم يكلف الشحن؟"},
     {"كم عمر العمدة؟"}},
    {{"zh.md", "# 商店\n\n## 保修\n\n保修期为24个月。\n\n## 运费\n\n运费为4.90欧元。\n"},
     {"保修多久?", "保修什么时候结束?", "运费是多少?"},
     {"市长多大年纪?"}},
    {{"th.md", "# ร้าน\n\n## การรับประกัน\n\nการรับประกันมีระยะเวลา 24 เดือน\n\n## การจัดส่ง\n\n"
               "ค่าจัดส่ง 4.90 ยูโร\n"},
     {"การรับประกันนานเท่าไร"},
     {"วันนี้อากาศเป็นอย่างไร", "ราคาทองวันนี้เท่าไร", "ทีมไหนชนะการแข่งขัน"}},
};

static struct arena *arena, *kept;
static struct synonyms synonyms;

static void ask_all(const struct base *base, const char *const *questions, bool refused)
{
    for (size_t i = 0; i < ASKED_MAX && questions[i]; i++) {
        struct asked asked;

        base_ask(base, arena, &synonyms, questions[i], NULL, 0.45, &asked);
        if (asked.answer.refused != refused)
            fprintf(stderr, "%s (evidence %.3f)\n", questions[i], asked.answer.evidence.value);
        CHECK(asked.answer.refused == refused);
        CHECK(refused || !base_broken_promise(arena, &asked.answer));
        arena_reset(arena);
    }
}

TEST(question_words_are_no_subject)
{
    for (size_t i = 0; i < sizeof shops / sizeof shops[0]; i++) {
        struct base *base = ARENA_NEW(kept, struct base);

        *base = (struct base){.files = &shops[i].file, .file_count = 1};
        base_make(base, kept);
        ask_all(base, shops[i].answered, false);
        ask_all(base, shops[i].refused, true);
        base_drop(base);
    }
}

int main(void)
{
    static const struct test_case cases[] = {CASE(question_words_are_no_subject)};
    int failed;

    arena = arena_create((size_t)1 << 28);
    kept = arena_create((size_t)1 << 28);
    synonyms = synonyms_read(kept, synonyms_built_in);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    arena_destroy(kept);
    return failed;
}
