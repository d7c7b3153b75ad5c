// Sorting: all short lengths, and those around the lengths at which a further merge begins.
#include "support/sort.h"
#include "support/context.h"
#include "test.h"

typedef struct Item {
    uint32_t key, was;
} Item;

static bool smaller(const Item *x, const Item *y) { return x->key < y->key; }

DEFINE_SORT(sort_items, Item, smaller)

static Arena arena;

// Few keys, so that many are equal.
static void sorts_and_keeps_equal_ones_in_order(void) {
    enum { MOST = 300 };
    uint32_t seed = 7;
    for (uint32_t n = 0; n <= MOST; n++) {
        Item items[MOST];
        bool seen[MOST] = {false};
        for (uint32_t i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            items[i] = (Item){(seed >> 16) % (n / 3 + 1), i};
        }
        sort_items(items, n, &arena);
        for (uint32_t i = 0; i < n; i++) {
            CHECK(!seen[items[i].was]);
            seen[items[i].was] = true;
            if (i == 0) continue;
            const Item *x = &items[i - 1], *y = &items[i];
            CHECK(x->key < y->key || (x->key == y->key && x->was < y->was));
        }
    }
}

static bool is_below_key(const Item *x, uint32_t key) { return x->key < key; }

DEFINE_LOWER_BOUND(count_below, Item, uint32_t, is_below_key)

static void counts_what_comes_before_a_key(void) {
    Item items[] = {{1, 0}, {3, 1}, {3, 2}, {7, 3}};
    static const uint32_t below[] = {0, 0, 1, 1, 3, 3, 3, 3, 4};
    for (uint32_t key = 0; key < 9; key++) CHECK(count_below(items, 4, key) == below[key]);
    CHECK(count_below(items, 0, 5) == 0);
}

int main(void) {
    Context *ctx;
    partir_context_create(NULL, &ctx);
    arena_init(&arena, ctx);
    RUN(sorts_and_keeps_equal_ones_in_order);
    RUN(counts_what_comes_before_a_key);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
