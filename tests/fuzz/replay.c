// A main for fuzz targets where libFuzzer is missing: runs every file named, and each file cut short at many places.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CUTS = 32 };

// A copy of exactly that size: the sanitizer then sees a read beyond its end.
static void run_once(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) exit(2);
    if (size) memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

int main(int count, char **paths) {
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(paths[i], "rb");
        if (!file || fseek(file, 0, SEEK_END)) {
            perror(paths[i]);
            return 2;
        }
        size_t size = (size_t)ftell(file);
        uint8_t *data = malloc(size + 1);
        rewind(file);
        if (!data || fread(data, 1, size, file) != size) {
            perror(paths[i]);
            return 2;
        }
        fclose(file);
        run_once(data, size);
        for (size_t cut = 0; cut < CUTS; cut++) run_once(data, size * cut / CUTS);
        free(data);
    }
    printf("%d files replayed\n", count - 1);
    return 0;
}
