// Prints docs/ops.md, the reference of all ops, from the op table (`make docs`).
//
//     OP(abs, "stablehlo.abs", 1, 1, 0, same, abs, elementwise, unary, elementwise, "operand", ())
//  ⇒  | abs | operand | 1 | | | same | abs | elementwise | unary | elementwise |
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name, *results, *regions, *form, *shape, *rule, *kernel, *cost, *operands, *attributes;
} Row;

// Every column as text: `V` stays "V", and attributes read "(R(dimension,INT) O(lower,BOOL))".
static const Row rows[] = {
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs)                                    \
    {name, #out, #rg, #form, #shape, #rule, #kernel, #cost, operands, #attrs},
#include "ir/ops.def"
#undef OP
};
enum { COUNT = sizeof rows / sizeof *rows };

static size_t dialect_size(const char *name) { return (size_t)(strchr(name, '.') - name); }

static bool same_dialect(const char *a, const char *b) {
    return dialect_size(a) == dialect_size(b) && !strncmp(a, b, dialect_size(a));
}

static void print_count(const char *count) {
    if (strcmp(count, "0") != 0) printf("%s ", !strcmp(count, "V") ? "any" : count);
    printf("| ");
}

// "(R(dimension,INT) O(lower,BOOL))" as "dimension INT, lower? BOOL": a question mark for one that may be left out.
static void print_attributes(const char *text) {
    const char *separator = "";
    for (const char *at = text + 1; (at = strpbrk(at, "RO")) && strchr(at, ')');) {
        if (at[1] != '(') {
            at++;
            continue;
        }
        const char *name = at + 2, *comma = strchr(name, ','), *end = strchr(name, ')'), *kind = comma + 1;
        while (*kind == ' ') kind++;
        printf("%s`%.*s`%s %.*s", separator, (int)(comma - name), name, *at == 'O' ? "?" : "", (int)(end - kind), kind);
        separator = ", ";
        at = end;
    }
    printf(" | ");
}

int main(void) {
    printf("# Ops\n\n"
           "All ops that PartIR reads, checks and prints: %d. Generated from `src/ir/ops.def` by `make docs`.\n\n"
           "- *operands*: `...` stands for any number; *results* and *regions*: how many.\n"
           "- *attributes*: name and kind; `?` may be left out.\n"
           "- *form*: how the op is written: a text form, or `generic` for one that is always quoted.\n"
           "- *shape*, *factor rule*, *kernel*, *cost*: which function infers and verifies its types, says how it may be\n"
           "  partitioned, computes it, and counts its work. `refuse` means: not done, with an error that says so.\n",
           COUNT);
    for (int i = 0; i < COUNT; i++) {
        const Row *row = &rows[i];
        if (!i || !same_dialect(row->name, row[-1].name))
            printf("\n## %.*s\n\n| op | operands | results | regions | attributes | form | shape | factor rule | kernel | cost |\n"
                   "|---|---|---|---|---|---|---|---|---|---|\n",
                   (int)dialect_size(row->name), row->name);
        printf("| `%s` | %s | ", row->name + dialect_size(row->name) + 1, row->operands);
        print_count(row->results);
        print_count(row->regions);
        print_attributes(row->attributes);
        printf("%s | %s | %s | %s | %s |\n", row->form, row->shape, row->rule, row->kernel, row->cost);
    }
    return 0;
}
