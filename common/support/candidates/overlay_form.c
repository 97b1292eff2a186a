/* The settings that experiments may change, with their types and ranges: those of the settings. */
#include "support/candidates/overlay.h"

#include <string.h>

#define OWNER struct overlay_setting
static const struct field setting_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, type, .help = "integer, number, boolean, choice or text."),
    STRING(OWNER, help),
    NULLABLE_NUMBER(OWNER, minimum),
    NULLABLE_NUMBER(OWNER, maximum),
    STRINGS(OWNER, choices),
    JSON_VALUE(OWNER, value, .nullable = true, .help = "In force now."),
    STRING(OWNER, reach, .help = "When a change takes effect: at_once, ingestion or start.")};
#undef OWNER
SCHEMA(overlay_setting_schema, struct overlay_setting, "ExperimentSetting", setting_fields);

static const char *const reaches[] = {
    [OVERLAY_AT_ONCE] = "at_once", [OVERLAY_INGESTION] = "ingestion", [OVERLAY_START] = "start"};

static const struct setting *setting_of(const struct overlay_key *key)
{
    for (size_t i = 0; i < support_settings_count; i++)
        if (strcmp(support_settings_table[i].name, key->variable) == 0)
            return &support_settings_table[i];
    return NULL;
}

static struct string_list choices_of(const struct setting *setting)
{
    struct string_list list = {.items = (const char **)setting->choices};

    while (setting->choices[list.count])
        list.count++;
    return list;
}

static void fill(struct arena *arena, const struct overlay *overlay, const struct overlay_key *key,
                 const struct setting *setting, struct overlay_setting *row)
{
    static const char *const types[] = {[SETTING_INTEGER] = "integer",
                                        [SETTING_NUMBER] = "number",
                                        [SETTING_BOOLEAN] = "boolean",
                                        [SETTING_CHOICE] = "choice",
                                        [SETTING_TEXT] = "text"};
    bool counts = setting->type == SETTING_INTEGER || setting->type == SETTING_NUMBER;

    *row = (struct overlay_setting){.name = key->name,
                                    .type = types[setting->type],
                                    .help = setting->help ? setting->help : "",
                                    .value = (json_t *)overlay_value(arena, overlay, key),
                                    .reach = reaches[key->reach]};
    if (counts)
        row->minimum = (struct optional_number)GIVEN_NUMBER(setting->minimum);
    if (counts && setting->maximum > 0)
        row->maximum = (struct optional_number)GIVEN_NUMBER(setting->maximum);
    if (setting->type == SETTING_CHOICE)
        row->choices = choices_of(setting);
}

struct object_list overlay_describe(struct arena *arena, const struct support_settings *settings)
{
    struct overlay *overlay = ARENA_NEW(arena, struct overlay);
    struct overlay_setting *rows =
        ARENA_ARRAY(arena, struct overlay_setting, overlay_key_count + 1);
    size_t count = 0;

    overlay_start(overlay, settings);
    for (size_t i = 0; i < overlay_key_count; i++) {
        const struct setting *setting = setting_of(&overlay_keys[i]);

        if (setting && overlay_keys[i].reach != OVERLAY_NONE && setting->type != SETTING_LIST)
            fill(arena, overlay, &overlay_keys[i], setting, &rows[count++]);
    }
    return (struct object_list){count, rows};
}
