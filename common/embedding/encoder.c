/* Loads e5.c as a shared object. Its declarations are repeated here, because the tree contains none
 * of its code. */
#include "embedding/encoder.h"
#include "base/library.h"
#include "base/text.h"
#include "embedding/model_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const encoder_files[ENCODER__MAX] = {"e5-plain.so", "e5-avx2.so", "e5-avx512.so"};

/* Of e5.h. */
struct e5 {
    void *(*load)(const char *path);
    int (*dimension)(const void *model);
    int (*embed)(void *model, const char *text, int is_query, float *out);
};
static const char *const e5_names[] = {"e5_load", "e5_dim", "e5_embed"};

struct encoder {
    struct e5 functions;
    void *model;
    char name[EMBEDDER_MODEL_MAX];
};

enum encoder_kind encoder_best(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return ENCODER_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return ENCODER_AVX2;
#endif
    return ENCODER_PLAIN;
}

/* Its compatibility decomposition. */
static const char honorific[] = "\xEF\xB7\xBA"; /* U+FDFA */
static const char honorific_words[] =
    "\xD8\xB5\xD9\x84\xD9\x89 \xD8\xA7\xD9\x84\xD9\x84\xD9\x87 \xD8\xB9\xD9\x84\xD9\x8A\xD9\x87 "
    "\xD9\x88\xD8\xB3\xD9\x84\xD9\x85";

void encoder_prepare(const char *text, size_t length, char prepared[ENCODER_TEXT_BYTES])
{
    size_t written = 0, limit = length < EMBEDDER_TEXT_MAX ? length : EMBEDDER_TEXT_MAX;

    for (size_t i = 0; i < limit && written < ENCODER_TEXT_BYTES - sizeof honorific_words;) {
        size_t sequence = utf8_sequence_length(text + i, limit - i);

        if (sequence == 3 && memcmp(text + i, honorific, 3) == 0) {
            memcpy(prepared + written, honorific_words, sizeof honorific_words - 1);
            written += sizeof honorific_words - 1;
        } else if (sequence && (unsigned char)text[i] >= ' ' && text[i] != 0x7F) {
            memcpy(prepared + written, text + i, sequence);
            written += sequence;
        } else {
            prepared[written++] = ' ';
        }
        i += sequence ? sequence : 1;
    }
    prepared[written] = '\0';
}

static enum error load(struct encoder *encoder, const char *folder, enum encoder_kind kind,
                       struct problem *problem)
{
    char library[MODEL_PATH_MAX], model[MODEL_PATH_MAX];

    if (!model_path(folder, encoder_files[kind], library) ||
        !model_path(folder, model_file, model) || !model_name_read(folder, encoder->name))
        return problem_set(problem, ERROR_NOT_FOUND, "no_model", "%s has no model", folder);
    if (!library_load(library, e5_names, sizeof e5_names / sizeof e5_names[0], &encoder->functions))
        return problem_set(problem, ERROR_SYSTEM, "model_unreadable", "%s does not load", library);
    encoder->model = encoder->functions.load(model);
    if (!encoder->model || encoder->functions.dimension(encoder->model) != EMBEDDER_DIMENSION)
        return problem_set(problem, ERROR_SYSTEM, "model_unreadable",
                           "%s is no model of %d dimensions", model, EMBEDDER_DIMENSION);
    return ERROR_NONE;
}

enum error encoder_open(const char *folder, enum encoder_kind kind, struct encoder **encoder,
                        struct problem *problem)
{
    enum error error;

    *encoder = calloc(1, sizeof **encoder);
    if (!*encoder)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for the model");
    error = load(*encoder, folder, kind, problem);
    if (error) {
        free(*encoder);
        *encoder = NULL;
    }
    return error;
}

bool encoder_embed(struct encoder *encoder, const char *prepared, bool is_question, float *floats)
{
    return encoder->functions.embed(encoder->model, prepared, is_question, floats) == 0;
}

const char *encoder_model(const struct encoder *encoder)
{
    return encoder->name;
}
