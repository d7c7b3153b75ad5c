// Any bytes in: a clear error or a module, never a crash, a hang or a leak (run under sanitizers too).
//
// Each test makes texts that no person would write: cut short, with bytes replaced, nested without end, very long. A text that
// is refused must give an error whose place lies in the text and whose caret lies in the line it shows.
#include "partir.h"
#include "test.h"
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    const char *text;
    size_t size;
    int errors;
    char message[200];
} Input;

static void check_diagnostic(void *user, const partir_diagnostic *d) {
    Input *input = user;
    if (d->severity == PARTIR_ERROR) input->errors++;
    if (d->severity == PARTIR_ERROR && !input->message[0])
        snprintf(input->message, sizeof input->message, "%s", d->message);
    CHECK(d->message && d->message[0] && !strchr(d->message, '\n'));
    if (d->line) {
        uint32_t line = 1;
        for (size_t i = 0; i < input->size; i++) line += input->text[i] == '\n';
        CHECK(d->line <= line + 1);
        CHECK(d->column >= 1);
        CHECK(d->source_line != NULL);
        if (d->source_line) CHECK(d->caret <= strlen(d->source_line));
        if (d->source_line) CHECK(strlen(d->source_line) < 1000);
    }
    char small[8], large[4000];
    size_t wanted = partir_diagnostic_format(d, 0, large, sizeof large);
    CHECK_INT(partir_diagnostic_format(d, 0, small, sizeof small), wanted);
    CHECK_INT(strlen(small), sizeof small - 1);
    CHECK(!strncmp(small, large, sizeof small - 1));
}

static bool reads(Input *input) {
    partir_options options = {.size = sizeof options, .user = input, .diagnostic = check_diagnostic};
    partir_context *ctx;
    partir_context_create(&options, &ctx);
    partir_module *module;
    bool good = partir_module_read_text(ctx, "input", input->text, input->size, &module) == PARTIR_OK;
    CHECK(good || input->errors > 0);
    CHECK(!good || input->errors == 0);
    if (good) {
        partir_text *text;
        CHECK(partir_module_print(module, PARTIR_PRINT_GENERIC, &text) == PARTIR_OK);
        partir_text_destroy(text);
    }
    partir_module_destroy(module);
    partir_context_destroy(ctx);
    return good;
}

// A copy of exactly the text's size: a sanitizer then sees any read beyond its end.
static bool reads_text(const char *text, size_t size, char message[200]) {
    char *copy = malloc(size ? size : 1);
    if (size) memcpy(copy, text, size);
    Input input = {.text = copy, .size = size};
    bool good = reads(&input);
    if (message) snprintf(message, 200, "%s", input.message);
    free(copy);
    return good;
}

static const char program[] =
    "#loc = loc(\"a.py\":1:2)\n"
    "module @m attributes {mhlo.num_partitions = 1 : i32, a.b = [1, \"x\\22\\0A\", #a.b<c, d>, {k = 1.5e3}]} {\n"
    "  func.func public @main(%arg0: tensor<4x?xf32, #stablehlo.bounds<?, 8>>, %arg1: tensor<8x4xbf16> {jax.x = true} loc(\"w\")) "
    "-> (tensor<4x4xf32> {jax.result_info = \"r\"}) {\n"
    "    %c = stablehlo.constant dense<[[1, -2], [0x1F, 4]]> : tensor<2x2xi32> // comment\n"
    "    %cst = stablehlo.constant dense<\"0x0000803F000000400000404000008040\"> : tensor<2x2xf32>\n"
    "    %0 = stablehlo.convert %arg1 : (tensor<8x4xbf16>) -> tensor<8x4xf32> loc(callsite(#loc at \"f\"))\n"
    "    %1:2 = stablehlo.while(%i = %c, %j = %cst) : tensor<2x2xi32>, tensor<2x2xf32>\n"
    "     cond {\n"
    "      %2 = stablehlo.constant dense<true> : tensor<i1>\n"
    "      stablehlo.return %2 : tensor<i1>\n"
    "    } do {\n"
    "      stablehlo.return %i, %j : tensor<2x2xi32>, tensor<2x2xf32>\n"
    "    }\n"
    "    %3 = \"stablehlo.reduce\"(%0, %4) <{dimensions = array<i64: 0, 1>}> ({\n"
    "    ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "      %s = stablehlo.add %a, %b : tensor<f32>\n"
    "      stablehlo.return %s : tensor<f32>\n"
    "    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %5 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> "
    "tensor<4x4xf32>\n"
    "    return %5 : tensor<4x4xf32>\n"
    "  }\n"
    "}\n";

static void cut_short(void) {
    // Without its last newline the text is still whole; %4 is defined nowhere, so no prefix is a right program.
    for (size_t size = 0; size < sizeof program - 1 && !test_bad; size++) {
        bool good = reads_text(program, size, NULL);
        CHECK(good ==
              (size <= strspn(program, " \n") || size == strcspn(program, "\n") || size == strcspn(program, "\n") + 1));
        if (test_bad) printf("cut after %zu bytes\n", size);
    }
}

static void bytes_replaced(void) {
    static const char wrong[] = {'\0', '\n', '"', '{', '}', '<',        '>',       '(',
                                 ')',  '%',  '#', '9', '-', (char)0xFF, (char)0xC3};
    char text[sizeof program];
    for (size_t i = 0; i < sizeof program - 1 && !test_bad; i++)
        for (size_t w = i % 4; w < sizeof wrong; w += 4) { // a quarter of them at each place: enough, and quick
            memcpy(text, program, sizeof program);
            text[i] = wrong[w];
            reads_text(text, sizeof program - 1, NULL);
            if (test_bad) printf("byte %zu replaced by 0x%02X\n", i, (unsigned)(unsigned char)wrong[w]);
        }
}

static void garbage(void) {
    uint64_t state = 1;
    char text[2000];
    for (int round = 0; round < 500 && !test_bad; round++) {
        for (size_t i = 0; i < sizeof text; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            text[i] = (char)(state >> 56);
        }
        CHECK(!reads_text(text, sizeof text, NULL));
        // The same as words of the language: gets deeper into the reader.
        static const char *const words[] = {
            "module ", "func.func ", "@f",   "(",       ")",   "{",   "}",  "%0 ",
            "= ",      "\"op\"",     ": ",   "tensor<", "4x",  "f32", ">",  "stablehlo.add ",
            "loc(",    "dense<",     "[1, ", "], ",     "-> ", "#a ", "<{", "}>",
            "^bb0",    "return ",    "\n"};
        size_t size = 0;
        while (size < sizeof text - 20) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const char *word = words[(state >> 33) % (sizeof words / sizeof *words)];
            memcpy(text + size, word, strlen(word));
            size += strlen(word);
        }
        CHECK(!reads_text(text, size, NULL));
    }
}

// before, then `open` n times, middle, `close` n times, after.
static bool reads_nested(const char *before, const char *open, const char *middle, const char *close, const char *after,
                         size_t n, char message[200]) {
    size_t size = strlen(before) + n * (strlen(open) + strlen(close)) + strlen(middle) + strlen(after);
    char *text = malloc(size + 1), *at = text;
    at += sprintf(at, "%s", before);
    for (size_t i = 0; i < n; i++, at += strlen(open)) memcpy(at, open, strlen(open));
    at += sprintf(at, "%s", middle);
    for (size_t i = 0; i < n; i++, at += strlen(close)) memcpy(at, close, strlen(close));
    sprintf(at, "%s", after);
    bool good = reads_text(text, size, message);
    free(text);
    return good;
}

#define FUNCTION "func.func @main(%arg0: tensor<i1>) {\n"

static void nested_without_end(void) {
    enum { DEEP = 100000 };
    static const struct {
        const char *before, *open, *middle, *close, *after;
    } nests[] = {
        {"module {\n", "module {\n", "", "}\n", "}\n"},
        {"func.func @main(%arg0: ", "tuple<", "tensor<f32>", ">", ") { return }"},
        {"func.func @main(%arg0: ", "(", "tensor<f32>", ")", ") { return }"},
        {"func.func @main(%arg0: tensor<", "complex<", "f32", ">", ">) { return }"},
        {"func.func @main(%arg0: !a.b", "<", "", ">", ") { return }"},
        {"module attributes {a = ", "[", "", "]", "} {}"},
        {"module attributes {a = ", "{b = ", "1", "}", "} {}"},
        {"module attributes {a = #a.b", "<[({", "", "})]>", "} {}"},
        {"module attributes {a = dense<", "[", "1", "]", "> : tensor<1xi32>} {}"},
        {"#loc = ", "loc(fused[", "unknown", "])", "\nmodule {} loc(#loc)"},
        {"module {} loc(", "\"n\"(", "unknown", ")", ")"},
        {"module {} loc(", "callsite(", "unknown", " at unknown)", ")"},
        {FUNCTION, "\"stablehlo.if\"(%arg0) ({\n", "stablehlo.return\n",
         "}, { stablehlo.return }) : (tensor<i1>) -> ()\n", "return }"},
        {FUNCTION, "stablehlo.while(%i = %arg0) : tensor<i1> cond { stablehlo.return %i : tensor<i1> } do {\n",
         "stablehlo.return %arg0 : tensor<i1>\n", "stablehlo.return %arg0 : tensor<i1>}\n", "return }"},
        {FUNCTION "%0 = stablehlo.constant dense<", "[", "1", "]", "> : tensor<1xi32> return }"},
        {FUNCTION "%0 = stablehlo.constant dense<", "(", "1", ")", "> : tensor<1xi32> return }"},
    };
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        char message[200];
        CHECK(!reads_nested(nests[i].before, nests[i].open, nests[i].middle, nests[i].close, nests[i].after, DEEP,
                            message));
        // And the same never closed.
        CHECK(!reads_nested(nests[i].before, nests[i].open, nests[i].middle, "", "", DEEP, message));
        if (test_bad) printf("nest %zu\n", i);
    }
}

static void very_long(void) {
    enum { LONG = 10 * 1000 * 1000 };
    CHECK(reads_nested("// ", "x", "\nmodule {}", "", "", LONG, NULL));
    CHECK(reads_nested("module {", " ", "}", "", "", LONG, NULL));
    CHECK(reads_nested("module attributes {a.b = \"", "x", "\"} {}", "", "", LONG, NULL));
    CHECK(!reads_nested("", "x", "", "", "", LONG, NULL));
    CHECK(!reads_nested("", "%", "", "", "", LONG, NULL));
    CHECK(!reads_nested("module @", "m", " ?", "", "", LONG, NULL));
    CHECK(!reads_nested("module attributes {a.b = ", "9", "} {}", "", "", LONG, NULL));
    CHECK(!reads_nested("module attributes {a.b = \"", "\\", "} {}", "", "", LONG, NULL));
    CHECK(!reads_nested("func.func @main(%arg0: tensor<", "1x", "f32>", "", "", LONG / 10, NULL));
    CHECK(!reads_nested("func.func @main(", "%a: tensor<f32>, ", "", "", "", LONG / 20, NULL));
}

static void refused(const char *text, const char *reason) {
    char message[200];
    CHECK(!reads_text(text, strlen(text), message));
    if (!strstr(message, reason)) {
        printf("the error is \"%s\", expected it to say \"%s\"\n", message, reason);
        test_bad++;
    }
}

static void huge_sizes(void) {
    refused("func.func @main(%a: tensor<99999999999999999999xf32>) { return }", "too large");
    refused("func.func @main(%a: tensor<-1xf32>) { return }", "");
    refused(
        "func.func @main(%a: tensor<f32>) { %0 = stablehlo.constant dense<99999999999999999999> : tensor<i64> return }",
        "");
    refused(
        "func.func @main(%a: tensor<f32>) { %0 = stablehlo.constant dense<1> : tensor<4294967296x4294967296x4xi64> return }",
        "");
    refused("func.func @main(%a: tensor<4294967296x4294967296xi8>) { %0 = stablehlo.reshape %a : "
            "(tensor<4294967296x4294967296xi8>) -> tensor<0xi8> return }",
            "");
    refused(
        "func.func @main(%a: tensor<9223372036854775807xi8>) { %0 = stablehlo.concatenate %a, %a, dim = 0 : "
        "(tensor<9223372036854775807xi8>, tensor<9223372036854775807xi8>) -> tensor<18446744073709551614xi8> return }",
        "");
    refused(
        "func.func @main(%a: tensor<f32>) { %0:4294967297 = stablehlo.optimization_barrier %a : tensor<f32> return }",
        "");
}

static void duplicate_names(void) {
    refused("func.func @f() { return } func.func @f() { return }", "@f");
    refused("func.func @f(%a: tensor<f32>, %a: tensor<f32>) { return }", "%a");
    refused(
        "func.func @f(%a: tensor<f32>) { %0 = stablehlo.abs %a : tensor<f32> %0 = stablehlo.abs %a : tensor<f32> return }",
        "%0");
    refused("#a = 1 : i32\n#a = 2 : i32\nmodule {}", "#a");
    refused("module attributes {a.x = 1, a.x = 2} {}", "a.x");
}

int main(void) {
    RUN(cut_short);
    RUN(bytes_replaced);
    RUN(garbage);
    RUN(nested_without_end);
    RUN(very_long);
    RUN(huge_sizes);
    RUN(duplicate_names);
    return test_end();
}
