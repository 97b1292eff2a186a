/* Replays inputs through a fuzz target without a fuzzer: every test run does it with gcc. */
#include "fuzz.h"

enum { INPUT_MAX = 4 * 1024 * 1024 };

int main(int argc, char **argv)
{
    static uint8_t input[INPUT_MAX];

    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        uint8_t *exact;
        size_t size;

        if (!file) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        size = fread(input, 1, sizeof input, file);
        fclose(file);
        exact = malloc(size ? size : 1); /* its own block, so that sanitizers see every overrun */
        if (!exact)
            return EXIT_FAILURE;
        for (size_t at = 0; at < size; at++)
            exact[at] = input[at];
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    return EXIT_SUCCESS;
}
