// Edit distance by rows of the table of prefixes.
#include "support/nearest.h"

enum { LONGEST_NAME = 200 };

uint32_t edit_distance(Span a, Span b, uint32_t limit) {
    uint32_t row[LONGEST_NAME + 1];
    if (a.n > LONGEST_NAME || b.n > LONGEST_NAME || (a.n > b.n ? a.n - b.n : b.n - a.n) > limit) return limit + 1;
    for (uint32_t j = 0; j <= b.n; j++) row[j] = j;
    for (uint32_t i = 1; i <= a.n; i++) {
        uint32_t diagonal = row[0], best = row[0] = i;
        for (uint32_t j = 1; j <= b.n; j++) {
            uint32_t replace = diagonal + (a.at[i - 1] != b.at[j - 1]);
            diagonal = row[j];
            uint32_t step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = replace < step ? replace : step;
            if (row[j] < best) best = row[j];
        }
        if (best > limit) return limit + 1;
    }
    return row[b.n] > limit ? limit + 1 : row[b.n];
}

static bool name_contains(const char *name, Span word) {
    while (*name && strncmp(name, word.at, word.n) != 0) name++;
    return *name != 0;
}

const char *nearest_name(Span wanted, const char *const *names, uint32_t n) {
    const char *best = NULL;
    bool begins = false;
    uint32_t limit = (uint32_t)(wanted.n < LONGEST_NAME ? wanted.n : LONGEST_NAME) / 3 + 1; // further is another word
    for (uint32_t i = 0; i < n; i++) {
        uint32_t distance = edit_distance(wanted, span_of(names[i]), limit);
        bool same_start = strncmp(names[i], wanted.at, wanted.n) == 0;
        if (distance > limit || (best && distance == limit && (begins || !same_start))) continue;
        best = names[i];
        begins = same_start;
        limit = distance;
    }
    for (uint32_t i = 0; !best && i < n && wanted.n > 2; i++)
        if (name_contains(names[i], wanted)) best = names[i];
    return best;
}
