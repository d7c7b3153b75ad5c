// Patterns on paths, and the nearest name.
#include "core/schedule/pattern.h"
#include "support/nearest.h"
#include "test.h"

static void check_match(const char *pattern, const char *path, bool expected) {
    if (pattern_match(span_of(pattern), path) == expected) return;
    printf("%s %s %s\n", pattern, expected ? "must match" : "must not match", path);
    test_bad++;
}
#define YES(pattern, path) check_match(pattern, path, true)
#define NO(pattern, path)  check_match(pattern, path, false)

static void literals(void) {
    YES("x", "x");
    NO("x", "y");
    NO("x", "xy");
    NO("xy", "x");
    YES("params/w1", "params/w1");
    NO("params/w1", "params");
    NO("params", "params/w1");
    YES("arg12", "arg12");
    NO("arg1", "arg12");
    YES("a,b", "a,b"); // a comma outside braces is a byte like any other
}

static void stars(void) {
    YES("*", "x");
    NO("*", "x/y");
    YES("params/*/kernel", "params/3/kernel");
    NO("params/*/kernel", "params/3/mlp/kernel");
    NO("params/*/kernel", "params/kernel");
    YES("w*", "w1");
    YES("w*", "w");
    YES("*_proj", "q_proj");
    NO("*_proj", "a/q_proj");
    YES("a*b*c", "aXXbYYc");
    NO("a*b*c", "aXXbYY");
}

static void star_stars(void) {
    YES("**", "x");
    YES("**", "a/b/c");
    YES("params/**", "params/a/b");
    YES("params/**", "params");
    NO("params/**", "paramsx/a");
    NO("params/**", "opt/params/a");
    YES("**/kernel", "kernel");
    YES("**/kernel", "a/kernel");
    YES("**/kernel", "a/b/kernel");
    NO("**/kernel", "a/xkernel");
    NO("**/kernel", "xkernel");
    YES("a/**/b", "a/b");
    YES("a/**/b", "a/x/b");
    YES("a/**/b", "a/x/y/b");
    NO("a/**/b", "ab");
    NO("a/**/b", "a/xb");
    YES("**/mlp/**", "params/3/mlp/up/kernel");
    YES("**/mlp/**", "mlp");
    NO("**/mlp/**", "params/mlpx/up");
}

static void choices(void) {
    YES("params/{q,k,v}/kernel", "params/k/kernel");
    NO("params/{q,k,v}/kernel", "params/x/kernel");
    NO("params/{q,k,v}/kernel", "params/q,k/kernel");
    YES("{a,b/c}/d", "b/c/d");
    YES("{a,b/c}/d", "a/d");
    NO("{a,b/c}/d", "b/d");
    YES("{w*,b}", "w12");
    YES("x{,_bias}", "x");
    YES("x{,_bias}", "x_bias");
    YES("{a{1,2},b}", "a2");
    YES("{a{1,2},b}", "b");
    NO("{a{1,2},b}", "a");
    YES("{params,opt}/**", "opt/mu/w");
    YES("{params/**,x}", "params");
    YES("{params/**,x}", "params/a/b");
    YES("{params/**,x}", "x");
    NO("{params/**,x}", "y");
}

// A pattern that backtracking would take for ever on.
static void hard_patterns_are_fast(void) {
    char path[2001];
    memset(path, 'a', 2000);
    path[2000] = 0;
    NO("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", path);
    NO("**a**a**a**a**a**a**a**a**a**a**a**a**b", path);
    NO("{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}*b", path);
}

static void problems(void) {
    size_t where;
    CHECK(pattern_problem(SPAN("a/{b,c}/**"), &where) == NULL);
    CHECK_STR(pattern_problem(SPAN("a{b"), &where), "this { is never closed");
    CHECK_INT(where, 1);
    CHECK_STR(pattern_problem(SPAN("ab}c"), &where), "this } closes nothing");
    CHECK_INT(where, 2);
    CHECK_STR(pattern_problem(SPAN(""), &where), "it is empty");
    char text[PATTERN_MAX + 1];
    memset(text, 'a', sizeof text);
    CHECK_STR(pattern_problem((Span){text, sizeof text}, &where), "it is too long");
    CHECK(pattern_problem((Span){text, PATTERN_MAX}, &where) == NULL);
    CHECK(!pattern_match((Span){text, sizeof text}, "a"));
}

static void nearest(void) {
    const char *names[] = {"batch", "model", "params/layers/0/qkv/kernel", "params/layers/0/up/kernel"};
    CHECK_STR(nearest_name(SPAN("bacth"), names, 4), "batch");
    CHECK_STR(nearest_name(SPAN("models"), names, 4), "model");
    CHECK_STR(nearest_name(SPAN("params/layer/0/upp/kernel"), names, 4), "params/layers/0/up/kernel");
    CHECK(nearest_name(SPAN("zzz"), names, 4) == NULL);
    CHECK(nearest_name(SPAN("x"), names, 0) == NULL);
}

int main(void) {
    RUN(literals);
    RUN(stars);
    RUN(star_stars);
    RUN(choices);
    RUN(hard_patterns_are_fast);
    RUN(problems);
    RUN(nearest);
    return test_end();
}
