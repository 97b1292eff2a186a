/* Names of the catalog in questions. */
#include "livedata/query/names.h"

#include "base/string_list.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

enum { DEPTH_MAX = 3, WORD_MAX = 80, NEAREST_LETTERS = 24, PARTS_MAX = 4 };

/* One word of a name, which ends at a blank, a `_` or the end, as a token's fold; and the rest. */
static const char *take_word(const char *name, char word[WORD_MAX])
{
    size_t length = strcspn(name, " _"), kept = length < WORD_MAX ? length : WORD_MAX - 1;

    memcpy(word, name, kept);
    word[kept] = '\0';
    name += length;
    return name + strspn(name, " _");
}

/* Han stands without blanks: each of its characters is a token. */
static const char *take_token(const char *name, char word[WORD_MAX])
{
    unsigned char first = (unsigned char)*name;

    if (first >= 0xe4 && first <= 0xe9) {
        memcpy(word, name, 3);
        word[3] = '\0';
        return name + 3;
    }
    return take_word(name, word);
}

/* Whether a name can be folded to this: most names differ in their first letter. */
static bool may_begin(const char *fold, const char *name)
{
    return (unsigned char)*name >= 0x80 || tolower((unsigned char)*name) == *fold;
}

/* Whether folding leaves the name as it is: so it is with most, which are ASCII in lower case. */
static bool is_folded(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name >= 0x80 || isupper((unsigned char)*name))
            return false;
    return true;
}

/* How many tokens from `at` on are this name; 0 = it does not stand there. */
static size_t match(struct arena *arena, const struct question_tokens *tokens, size_t at,
                    const char *name)
{
    const char *rest = name;
    size_t count = 0;

    if (!may_begin(tokens->items[at].fold, name))
        return 0;
    if (!is_folded(name))
        rest = token_fold(arena, name);
    while (*rest) {
        char word[WORD_MAX];

        rest = take_token(rest, word);
        if (at + count >= tokens->words.count || tokens->items[at + count].quoted ||
            tokens->words.items[at + count].slot != SLOT_NONE ||
            !token_same(tokens->items[at + count].fold, word))
            return 0;
        count++;
    }
    return count;
}

static size_t match_any(struct arena *arena, const struct question_tokens *tokens, size_t at,
                        const char *name, const struct string_list *synonyms)
{
    size_t most = match(arena, tokens, at, name);

    for (size_t i = 0; i < synonyms->count; i++) {
        size_t count = match(arena, tokens, at, synonyms->items[i]);

        most = count > most ? count : most;
    }
    return most;
}

size_t name_words_at(struct arena *arena, const struct question_tokens *tokens, size_t at,
                     const struct string_list *words)
{
    size_t most = 0;

    for (size_t i = 0; i < words->count; i++) {
        size_t count = match(arena, tokens, at, words->items[i]);

        most = count > most ? count : most;
    }
    return most;
}

/* "installed" of installed_at, "conversion" of is_conversion. */
static const char *short_name(struct arena *arena, const struct table_column *column)
{
    size_t length = strlen(column->name);

    if (column->type == COLUMN_TIME && length > 3 && strcmp(column->name + length - 3, "_at") == 0)
        return arena_copy(arena, column->name, length - 3);
    if (column->type == COLUMN_BOOLEAN && strncmp(column->name, "is_", 3) == 0)
        return column->name + 3;
    return NULL;
}

static size_t match_column(struct arena *arena, const struct question_tokens *tokens, size_t at,
                           const struct entity_field *field, bool own)
{
    const char *other = own ? short_name(arena, field->column) : NULL;
    size_t most = match_any(arena, tokens, at, field->name, &field->synonyms);
    size_t count = other ? match(arena, tokens, at, other) : 0;

    return count > most ? count : most;
}

/* "invalid", "non-running": what is no such flag. */
static bool is_negated(const struct question_tokens *tokens, size_t at,
                       const struct entity_field *field)
{
    static const char *const prefixes[] = {"in", "un", "non", "non-", "in-", "not-"};
    const char *fold = tokens->items[at].fold;

    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t length = strlen(prefixes[i]);

        if (strncmp(fold, prefixes[i], length) == 0 && strcmp(fold + length, field->name) == 0)
            return tokens->words.items[at].slot == SLOT_NONE;
    }
    return false;
}

static void add_columns(struct names *names, const struct entity_type *type, const char *prefix,
                        size_t depth)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const struct entity_field *field = &type->fields[i];

        if (names->column_count == NAMES_COLUMNS_MAX || !field->column->stored ||
            field->column->type == COLUMN_JSON)
            continue;
        names->columns[names->column_count++] = (struct named_column){
            *prefix ? arena_print(names->arena, "%s.%s", prefix, field->name) : field->name, depth,
            type, field};
    }
}

/* Related entities whose keys the columns hold; the nearest way to each counts. */
static void add_related(struct names *names, size_t from)
{
    const struct named_entity *start = &names->entities[from];

    for (size_t i = 0; i < start->type->relation_count; i++) {
        const struct entity_relation *relation = &start->type->relations[i];
        const char *path, *key = relation->column->name;
        bool known = false;

        for (size_t j = 0; j < names->entity_count; j++)
            known = known || names->entities[j].type == relation->to;
        if (known || names->entity_count == NAMES_ENTITIES_MAX ||
            strcmp(key, start->type->primary_key) == 0)
            continue;
        path = *start->path ? arena_print(names->arena, "%s.%s", start->path, relation->to->name)
                            : relation->to->name;
        key = *start->path ? arena_print(names->arena, "%s.%s", start->path, key) : key;
        names->entities[names->entity_count++] = (struct named_entity){relation->to, path, key};
    }
}

void names_of(struct arena *arena, const struct catalog *catalog, const struct entity_type *type,
              const struct serving_table *table, struct value_samples *samples, struct names *names)
{
    size_t depth = 0, level = 1;

    *names = (struct names){
        .arena = arena, .catalog = catalog, .type = type, .table = table, .samples = samples};
    if (!type)
        return;
    names->entities[names->entity_count++] = (struct named_entity){type, "", type->primary_key};
    add_columns(names, type, "", 0);
    for (size_t i = 0; i < names->entity_count && depth < DEPTH_MAX; i++) {
        size_t first = names->entity_count;

        if (i == level) {
            depth++;
            level = names->entity_count;
        }
        add_related(names, i);
        for (size_t j = first; j < names->entity_count; j++)
            add_columns(names, names->entities[j].type, names->entities[j].path, depth + 1);
    }
}

static struct name find_metric(const struct names *names, const struct question_tokens *tokens,
                               size_t at)
{
    struct name found = {0};

    for (size_t i = 0; i < names->catalog->metric_count; i++) {
        const struct live_metric *metric = &names->catalog->metrics[i];
        size_t length = metric->table == names->table
                            ? match_any(names->arena, tokens, at, metric->name, &metric->synonyms)
                            : 0;

        if (length > found.length)
            found = (struct name){.kind = NAME_METRIC, .length = length, .metric = metric};
    }
    return found;
}

static struct name find_column(const struct names *names, const struct question_tokens *tokens,
                               size_t at)
{
    struct name found = {0};
    size_t self =
        names->type ? match_any(names->arena, tokens, at, names->type->name, &names->type->synonyms)
                    : 0;

    for (size_t i = 0; i < names->column_count; i++) {
        const struct named_column *column = &names->columns[i];
        size_t length = match_column(names->arena, tokens, at, column->field, !column->depth);
        bool flag = column->field->column->type == COLUMN_BOOLEAN;

        if (column->depth && length <= self)
            continue;
        if (length > found.length)
            found = (struct name){.kind = NAME_COLUMN, .length = length, .column = column};
        if (!found.length && flag && is_negated(tokens, at, column->field))
            found = (struct name){NAME_COLUMN, 1, column, .negated = true};
    }
    return found;
}

static struct name find_entity(const struct names *names, const struct question_tokens *tokens,
                               size_t at)
{
    struct name found = {0};

    for (size_t i = 0; i < names->entity_count; i++) {
        const struct named_entity *entity = &names->entities[i];
        size_t length =
            match_any(names->arena, tokens, at, entity->type->name, &entity->type->synonyms);

        if (length > found.length)
            found = (struct name){.kind = NAME_ENTITY, .length = length, .entity = entity};
    }
    return found;
}

/* A value with the names that the file gives it; true and false have those alone. */
static size_t match_value(const struct names *names, const struct question_tokens *tokens,
                          size_t at, const struct entity_field *field, const char *value)
{
    bool flag = field->column->type == COLUMN_BOOLEAN;
    const struct string_list others =
        json_strings(names->arena, json_object_get(field->value_names, value));

    return match_any(names->arena, tokens, at, flag ? "" : value, &others);
}

/* The values of a column: declared, stages of the entity's state, or sampled. */
static struct string_list values_of(const struct names *names, const struct named_column *column)
{
    const struct entity_field *field = column->field;
    const struct entity_type *owner = column->owner;
    static const char *truths[] = {"true", "false"};
    const struct string_list flags = {2, truths};
    struct string_list stages = {0};

    if (field->column->type == COLUMN_BOOLEAN && field->value_names)
        return flags;
    if (field->column->type != COLUMN_TEXT)
        return stages;
    if (field->column->values.count)
        return field->column->values;
    if (field->values.count)
        return field->values;
    if (owner->stage_count && strcmp(field->name, "status") == 0) {
        stages.items = ARENA_ARRAY(names->arena, const char *, owner->stage_count);
        for (size_t i = 0; i < owner->stage_count; i++)
            stages.items[stages.count++] = owner->stages[i].name;
        return stages;
    }
    if (!names->samples || strcmp(field->name, owner->primary_key) == 0)
        return stages;
    return samples_of(names->samples, owner->table, field->column);
}

bool name_declares(const struct named_column *column)
{
    return column->field->column->values.count || column->field->values.count ||
           (column->owner->stage_count && strcmp(column->field->name, "status") == 0);
}

static struct name find_value(const struct names *names, const struct question_tokens *tokens,
                              size_t at)
{
    struct name found = {0};

    for (size_t i = 0; i < names->column_count; i++) {
        const struct named_column *column = &names->columns[i];
        const struct string_list values = values_of(names, column);

        for (size_t j = 0; j < values.count; j++) {
            size_t length = match_value(names, tokens, at, column->field, values.items[j]);

            if (length > found.length)
                found = (struct name){.kind = NAME_VALUE,
                                      .length = length,
                                      .column = column,
                                      .value = values.items[j]};
            else if (length && length == found.length && column != found.column &&
                     column->depth == found.column->depth && !found.second)
                found.second = column;
        }
    }
    return found;
}

struct name name_of_kind(const struct names *names, const struct question_tokens *tokens, size_t at,
                         enum name_kind kind)
{
    if (at >= tokens->words.count)
        return (struct name){0};
    switch (kind) {
    case NAME_METRIC:
        return find_metric(names, tokens, at);
    case NAME_COLUMN:
        return find_column(names, tokens, at);
    case NAME_ENTITY:
        return find_entity(names, tokens, at);
    case NAME_VALUE:
        return find_value(names, tokens, at);
    default:
        return (struct name){0};
    }
}

const char *name_value(const struct names *names, const struct named_column *column,
                       const struct question_tokens *tokens, size_t at, size_t *length)
{
    const struct string_list values = values_of(names, column);
    const char *found = NULL;

    *length = 0;
    for (size_t i = 0; i < values.count; i++) {
        size_t count = match_value(names, tokens, at, column->field, values.items[i]);
        bool quoted =
            tokens->items[at].quoted &&
            strcmp(tokens->items[at].fold, token_fold(names->arena, values.items[i])) == 0;

        count = quoted ? 1 : count;
        if (count > *length) {
            *length = count;
            found = values.items[i];
        }
    }
    if (found || name_declares(column))
        return found;
    *length = 1;
    return tokens->words.items[at].shown;
}

/* The names that a file gives to values: "en marcha" of true. */
static size_t match_value_names(struct arena *arena, const struct question_tokens *tokens,
                                size_t at, const struct entity_field *field)
{
    size_t most = 0;
    const char *value;
    json_t *others;

    json_object_foreach((json_t *)field->value_names, value, others)
    {
        const struct string_list list = json_strings(arena, others);
        size_t count = name_words_at(arena, tokens, at, &list);

        most = count > most ? count : most;
    }
    return most;
}

size_t name_of_anything(const void *context, const struct question_tokens *tokens, size_t at)
{
    const struct name_context *all = context;
    size_t most = 0;

    for (size_t i = 0; i < all->catalog->entity_count; i++) {
        const struct entity_type *type = &all->catalog->entities[i];
        size_t count = match_any(all->arena, tokens, at, type->name, &type->synonyms);

        most = count > most ? count : most;
        for (size_t j = 0; j < type->field_count; j++) {
            count = match_column(all->arena, tokens, at, &type->fields[j], true);
            most = count > most ? count : most;
            count = match_value_names(all->arena, tokens, at, &type->fields[j]);
            most = count > most ? count : most;
            count = name_words_at(all->arena, tokens, at, &type->fields[j].high);
            most = count > most ? count : most;
            count = name_words_at(all->arena, tokens, at, &type->fields[j].low);
            most = count > most ? count : most;
        }
    }
    for (size_t i = 0; i < all->catalog->metric_count; i++) {
        const struct live_metric *metric = &all->catalog->metrics[i];
        size_t count = match_any(all->arena, tokens, at, metric->name, &metric->synonyms);

        most = count > most ? count : most;
    }
    return most;
}

static bool is_own_number(const struct named_column *column)
{
    return !column->depth && (column->field->column->type == COLUMN_INTEGER ||
                              column->field->column->type == COLUMN_NUMBER);
}

/* What is behind "number of", as the languages say it; NULL when the name does not begin so. */
static const char *counted_part(const char *name)
{
    static const char *const heads[] = {"number of ", "count of ",  "число ",    "количество ",
                                        "Anzahl ",    "número de ", "nombre de "};

    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (strncmp(name, heads[i], strlen(heads[i])) == 0)
            return name + strlen(heads[i]);
    return NULL;
}

struct name name_counted(const struct names *names, const struct question_tokens *tokens, size_t at)
{
    struct name found = {0};

    for (size_t i = 0; at < tokens->words.count && i < names->column_count; i++) {
        const struct named_column *column = &names->columns[i];
        const struct string_list *others = &column->field->synonyms;

        for (size_t j = 0; is_own_number(column) && j < others->count; j++) {
            const char *part = counted_part(others->items[j]);
            size_t length = part ? match(names->arena, tokens, at, part) : 0;

            if (length > found.length)
                found = (struct name){.kind = NAME_COLUMN, .length = length, .column = column};
        }
    }
    return found;
}

/* A name whose first words end before `before` and whose others begin at `after`. */
static size_t match_parts(const struct names *names, const struct question_tokens *tokens,
                          size_t before, size_t after, const char *name, size_t *first_length)
{
    for (const char *blank = strpbrk(name, " _"); blank; blank = strpbrk(blank + 1, " _")) {
        const char *first = arena_copy(names->arena, name, (size_t)(blank - name));

        for (size_t start = before; start-- > 0 && before - start <= PARTS_MAX;) {
            size_t length = match(names->arena, tokens, start, first);
            size_t rest = start + length == before && length
                              ? match(names->arena, tokens, after, blank + 1)
                              : 0;

            *first_length = length;
            if (rest)
                return rest;
        }
    }
    return 0;
}

struct name name_in_parts(const struct names *names, const struct question_tokens *tokens,
                          size_t before, size_t after, size_t *first_length)
{
    for (size_t i = 0; after < tokens->words.count && i < names->column_count; i++) {
        const struct named_column *column = &names->columns[i];
        const struct string_list *others = &column->field->synonyms;

        if (!is_own_number(column))
            continue;
        for (size_t j = 0; j <= others->count; j++) {
            size_t length =
                match_parts(names, tokens, before, after,
                            j ? others->items[j - 1] : column->field->name, first_length);

            if (length)
                return (struct name){.kind = NAME_COLUMN, .length = length, .column = column};
        }
    }
    return (struct name){0};
}

double name_unit_seconds(const struct named_column *column)
{
    static const struct {
        const char *ending;
        double seconds;
    } units[] = {{"_milliseconds", 0.001}, {"_ms", 0.001},   {"_seconds", 1},
                 {"_minutes", 60},         {"_hours", 3600}, {"_days", 86400}};
    const char *name = column->field->name;
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t ending = strlen(units[i].ending);

        if (length > ending && strcmp(name + length - ending, units[i].ending) == 0)
            return units[i].seconds;
    }
    return 0;
}

/* The number of bytes to change, add or drop; `other` has at most NEAREST_LETTERS. */
static size_t distance(const char *one, const char *other)
{
    size_t rows[2][NEAREST_LETTERS + 1], length = strlen(other);

    for (size_t j = 0; j <= length; j++)
        rows[0][j] = j;
    for (size_t i = 0; one[i]; i++) {
        size_t *above = rows[i % 2], *row = rows[(i + 1) % 2];

        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t least = above[j] + (one[i] != other[j]);

            least = above[j + 1] + 1 < least ? above[j + 1] + 1 : least;
            row[j + 1] = row[j] + 1 < least ? row[j] + 1 : least;
        }
    }
    return rows[strlen(one) % 2][length];
}

struct nearest {
    struct arena *arena;
    const char *word, *found;
    size_t least;
};

static void try_name(struct nearest *nearest, const char *name)
{
    const char *fold = token_fold(nearest->arena, name);
    size_t away;

    if (strlen(fold) > NEAREST_LETTERS)
        return;
    away = distance(nearest->word, fold);
    if (away < nearest->least) {
        nearest->least = away;
        nearest->found = name;
    }
}

static void try_names(struct nearest *nearest, const char *name, const struct string_list *others)
{
    try_name(nearest, name);
    for (size_t i = 0; i < others->count; i++)
        try_name(nearest, others->items[i]);
}

bool name_is_known(struct arena *arena, const struct catalog *catalog, const char *word)
{
    const struct name_context context = {arena, catalog};
    struct question_tokens tokens;

    tokens_read(arena, word, NULL, &tokens);
    return tokens.words.count && name_of_anything(&context, &tokens, 0) == tokens.words.count;
}

const char *name_nearest(struct arena *arena, const struct catalog *catalog, const char *word)
{
    struct nearest nearest = {.arena = arena, .word = token_fold(arena, word)};
    size_t length = strlen(nearest.word);

    if (length < 3 || length > NEAREST_LETTERS)
        return NULL;
    nearest.least = length / 3 + 1;
    for (size_t i = 0; i < catalog->entity_count; i++) {
        const struct entity_type *type = &catalog->entities[i];

        try_names(&nearest, type->name, &type->synonyms);
        for (size_t j = 0; j < type->field_count; j++) {
            const struct entity_field *field = &type->fields[j];

            try_names(&nearest, field->name, &field->synonyms);
            try_names(&nearest, field->name, &field->values);
            try_names(&nearest, field->name, &field->column->values);
        }
    }
    for (size_t i = 0; i < catalog->metric_count; i++)
        try_names(&nearest, catalog->metrics[i].name, &catalog->metrics[i].synonyms);
    return nearest.found;
}
