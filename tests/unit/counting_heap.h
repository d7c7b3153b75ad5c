// An allocator that counts what is alive and fails after `budget` calls, and a diagnostic callback that keeps the last message.
#ifndef PARTIR_TEST_COUNTING_HEAP_H
#define PARTIR_TEST_COUNTING_HEAP_H

#include "partir.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct CountingHeap {
    size_t alive, calls, budget;
    int errors;
    char message[256];
} CountingHeap;

static void *counting_reallocate(void *user, void *old, size_t old_size, size_t new_size) {
    CountingHeap *h = user;
    if (new_size && h->calls++ >= h->budget) return NULL;
    h->alive += new_size - old_size;
    if (new_size) return realloc(old, new_size);
    free(old);
    return NULL;
}

static void counting_diagnostic(void *user, const partir_diagnostic *d) {
    CountingHeap *h = user;
    h->errors += d->severity == PARTIR_ERROR;
    snprintf(h->message, sizeof h->message, "%s", d->message);
}

// A context of which the heap has no limit yet; NULL if there is none.
static partir_context *counting_context(CountingHeap *h) {
    *h = (CountingHeap){.budget = SIZE_MAX};
    partir_options o = {.size = sizeof o, .user = h, .reallocate = counting_reallocate, .diagnostic = counting_diagnostic};
    partir_context *ctx;
    return partir_context_create(&o, &ctx) == PARTIR_OK ? ctx : NULL;
}

#endif
