// Checks for unit tests. A test is a function `static void name(void)`; main runs each with RUN and ends with `return
// test_end();`. A failed CHECK says where and what, and the test function goes on, so that one run shows all failures:
//
//     static void adds(void) { CHECK_INT(add(2, 2), 4); }
//     int main(void) { RUN(adds); return test_end(); }
//
// The closing line "N passed, M failed" is read by tests/run.c.
#ifndef PARTIR_TEST_H
#define PARTIR_TEST_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int test_passed, test_failed, test_bad; // test_bad: failed checks in the running test

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition);                                       \
            test_bad++;                                                                                                \
        }                                                                                                              \
    } while (0)

#define CHECK_INT(actual, expected)                                                                                    \
    do {                                                                                                               \
        int64_t actual_ = (int64_t)(actual), expected_ = (int64_t)(expected);                                          \
        if (actual_ != expected_) {                                                                                    \
            printf("%s:%d: %s is %" PRId64 ", expected %" PRId64 "\n", __FILE__, __LINE__, #actual, actual_,           \
                   expected_);                                                                                         \
            test_bad++;                                                                                                \
        }                                                                                                              \
    } while (0)

#define CHECK_STR(actual, expected)                                                                                    \
    do {                                                                                                               \
        const char *actual_ = (actual), *expected_ = (expected);                                                       \
        if (strcmp(actual_, expected_) != 0) {                                                                         \
            printf("%s:%d: %s is\n  \"%s\", expected\n  \"%s\"\n", __FILE__, __LINE__, #actual, actual_, expected_);   \
            test_bad++;                                                                                                \
        }                                                                                                              \
    } while (0)

#define RUN(test)                                                                                                      \
    do {                                                                                                               \
        test_bad = 0;                                                                                                  \
        test();                                                                                                        \
        if (test_bad) {                                                                                                \
            printf("FAIL %s\n", #test);                                                                                \
            test_failed++;                                                                                             \
        } else {                                                                                                       \
            test_passed++;                                                                                             \
        }                                                                                                              \
    } while (0)

static inline int test_end(void) {
    printf("%d passed, %d failed\n", test_passed, test_failed);
    return test_failed != 0;
}

#endif
