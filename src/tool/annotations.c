// --annotations, which several commands take.
#include "tool/command.h"
#include <string.h>

bool find_annotations(const char *word, partir_annotations *out) {
    static const char *const words[] = {"apply", "ignore", "error"};
    for (int i = 0; i < 3; i++)
        if (strcmp(word, words[i]) == 0) return *out = (partir_annotations)(PARTIR_ANNOTATIONS_APPLY + i), true;
    tell("partir: --annotations takes apply, ignore or error, not '%s'\n", word);
    return false;
}
