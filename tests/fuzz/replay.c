// A main for fuzz targets where libFuzzer is missing: runs every file named, and each file cut short at many places.
//
//     fuzz_reader seeds/*                       each file once, whole and cut
//     fuzz_reader --seconds 60 7 seeds/*        then changed at random for a minute, from seed 7: bytes, numbers, pieces of others
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CUTS = 32, MAX_SIZE = 1 << 20 };

typedef struct Seed {
    uint8_t *data;
    size_t size;
} Seed;

// A copy of exactly that size: the sanitizer then sees a read beyond its end.
static void run_once(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) exit(2);
    if (size) memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static Seed read_seed(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(2);
    }
    Seed s = {.size = (size_t)ftell(file)};
    s.data = malloc(s.size + 1);
    rewind(file);
    if (!s.data || fread(s.data, 1, s.size, file) != s.size) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return s;
}

static uint64_t state;
static size_t dice(size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (size_t)(state >> 33) % n : 0;
}

static size_t insert(uint8_t *out, size_t n, size_t at, const void *piece, size_t size) {
    if (n + size > MAX_SIZE) return n;
    memmove(out + at + size, out + at, n - at);
    memcpy(out + at, piece, size);
    return n + size;
}

static size_t change_once(uint8_t *out, size_t n, const Seed *other) {
    static const char *const words[] = {"0", "-1", "9223372036854775807", "4294967296", "1e308", "nan", "{", "}", "<", ">", "\"", "\n"};
    size_t at = dice(n + 1), from = dice(other->size + 1), length = dice(64);
    switch (dice(6)) {
    case 0:
        if (at < n) out[at] = (uint8_t)dice(256);
        return n;
    case 1:
        if (at < n) out[at] ^= (uint8_t)(1u << dice(8));
        return n;
    case 2:
        if (length > n - at) length = n - at;
        memmove(out + at, out + at + length, n - at - length);
        return n - length;
    case 3: {
        const char *word = words[dice(sizeof words / sizeof *words)];
        return insert(out, n, at, word, strlen(word));
    }
    default:
        if (length > other->size - from) length = other->size - from;
        return insert(out, n, at, other->data + from, length);
    }
}

static void change_for(double seconds, const Seed *seeds, size_t n_seeds) {
    static uint8_t out[MAX_SIZE];
    time_t end = time(NULL) + (time_t)seconds;
    uint64_t runs = 0;
    for (; time(NULL) < end; runs++) {
        const Seed *s = &seeds[dice(n_seeds)];
        size_t n = s->size < MAX_SIZE ? s->size : MAX_SIZE;
        memcpy(out, s->data, n);
        for (size_t i = 1 + dice(8); i-- > 0;) n = change_once(out, n, &seeds[dice(n_seeds)]);
        run_once(out, n);
    }
    printf("%llu changed inputs, ", (unsigned long long)runs);
}

int main(int count, char **paths) {
    double seconds = 0;
    int first = 1;
    if (count > 3 && strcmp(paths[1], "--seconds") == 0) {
        seconds = atof(paths[2]);
        state = strtoull(paths[3], NULL, 10);
        first = 4;
    }
    size_t n = 0;
    Seed *seeds = malloc((size_t)count * sizeof *seeds);
    for (int i = first; i < count && seeds; i++) {
        Seed s = seeds[n++] = read_seed(paths[i]);
        if (seconds > 0) continue;
        run_once(s.data, s.size);
        for (size_t cut = 0; cut < CUTS; cut++) run_once(s.data, s.size * cut / CUTS);
    }
    if (n && seconds > 0) change_for(seconds, seeds, n);
    printf("%zu files%s\n", n, seconds > 0 ? " as seeds" : " replayed");
    for (size_t i = 0; i < n; i++) free(seeds[i].data);
    free(seeds);
    return 0;
}
