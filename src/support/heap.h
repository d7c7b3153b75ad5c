// A binary heap with a comparison that the compiler can see:
//
//     static bool goes_first(const Entry *x, const Entry *y) { … }
//     DEFINE_HEAP(entries, Entry, goes_first)
//     entries_push(heap, &n, e);             // the array has room
//     Entry first = entries_pop(heap, &n);
#ifndef PARTIR_SUPPORT_HEAP_H
#define PARTIR_SUPPORT_HEAP_H

#include <stdbool.h>
#include <stdint.h>

// What stood last mostly belongs near the bottom: a pop moves the hole down to a leaf, and that one up from there.
#define DEFINE_HEAP(name, T, goes_first)                                                                               \
    static void name##_rise(T *at, uint32_t i, T x) {                                                                  \
        for (uint32_t up; i && goes_first(&x, &at[up = (i - 1) / 2]); i = up) at[i] = at[up];                          \
        at[i] = x;                                                                                                     \
    }                                                                                                                  \
    static void name##_push(T *at, uint32_t *n, T x) { name##_rise(at, (*n)++, x); }                                   \
    static T name##_pop(T *at, uint32_t *n) {                                                                          \
        T top = at[0];                                                                                                 \
        uint32_t last = --*n, i = 0, child = 2;                                                                        \
        for (; child < last; i = child, child = 2 * i + 2) {                                                           \
            child -= goes_first(&at[child - 1], &at[child]);                                                           \
            at[i] = at[child];                                                                                         \
        }                                                                                                              \
        if (child == last) at[i] = at[child - 1], i = child - 1;                                                       \
        name##_rise(at, i, at[last]);                                                                                  \
        return top;                                                                                                    \
    }

#endif
