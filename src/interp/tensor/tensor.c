// Memory of tensors. A tensor is one block: its header, its dimensions, its elements.
#include "interp/tensor/tensor.h"
#include "interp/tensor/float.h"
#include "support/decimal.h"
#include <stdio.h>

// ---- Heap ----------------------------------------------------------------------------------------------------------

// Before the caller's bytes: what is needed to take them back.
typedef struct TensorBlock {
    _Alignas(16) struct TensorBlock *next; // in a free list
    void *start;                         // of a large block, as the arena gave it
    size_t size;                         // of all of it
} TensorBlock;

enum { ALIGN = 64, SMALLEST = 64, LARGE_TENSOR = 64 << 10, SPARE_BLOCKS = 16 };

void heap_init(Heap *h, Context *ctx, uint64_t cap) {
    *h = (Heap){.cap = cap};
    arena_init(&h->arena, ctx);
}

void heap_free(Heap *h) { arena_free(&h->arena); }

static void drop_spare(Heap *h) {
    for (TensorBlock *b = h->spare, *next; b; b = next) {
        next = b->next;
        arena_drop(&h->arena, b->start);
    }
    h->spare = NULL;
    h->n_spare = 0;
    h->spare_bytes = 0;
}

static TensorBlock *take_spare_tensor(Heap *h, size_t size) {
    for (TensorBlock **at = &h->spare; *at; at = &(*at)->next)
        if ((*at)->size == size) {
            TensorBlock *b = *at;
            *at = b->next;
            h->n_spare--;
            h->spare_bytes -= size;
            return b;
        }
    return NULL;
}

static TensorBlock *new_large(Heap *h, size_t size) {
    if (h->live + h->spare_bytes + size > h->cap) drop_spare(h);
    char *start = arena_alloc(&h->arena, size);
    uintptr_t data = ((uintptr_t)start + sizeof(TensorBlock) + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
    TensorBlock *b = (TensorBlock *)(void *)(start + (data - (uintptr_t)start) - sizeof(TensorBlock));
    *b = (TensorBlock){.start = start, .size = size};
    return b;
}

void *heap_alloc(Heap *h, uint64_t bytes) {
    uint64_t size = bytes + sizeof(TensorBlock);
    if (bytes > h->cap) return NULL;
    uint32_t list = 0;
    bool large = size >= LARGE_TENSOR;
    if (large) {
        size += ALIGN;
    } else {
        while ((uint64_t)SMALLEST << list < size) list++;
        size = (uint64_t)SMALLEST << list;
    }
    if (size > SIZE_MAX || h->live + size > h->cap) return NULL;
    TensorBlock *b;
    if (large) {
        b = take_spare_tensor(h, (size_t)size);
        if (!b) b = new_large(h, (size_t)size);
    } else if (h->free[list]) {
        b = h->free[list];
        h->free[list] = b->next;
    } else {
        b = arena_alloc(&h->arena, (size_t)size);
        *b = (TensorBlock){.size = (size_t)size};
    }
    h->live += b->size;
    if (h->live > h->peak) h->peak = h->live;
    return b + 1;
}

void heap_release(Heap *h, void *p) {
    TensorBlock *b = (TensorBlock *)p - 1;
    h->live -= b->size;
    if (!b->start) {
        uint32_t list = 0;
        while ((size_t)SMALLEST << list < b->size) list++;
        b->next = h->free[list];
        h->free[list] = b;
    } else if (h->n_spare < SPARE_BLOCKS) {
        b->next = h->spare;
        h->spare = b;
        h->n_spare++;
        h->spare_bytes += b->size;
    } else {
        arena_drop(&h->arena, b->start);
    }
}

// ---- Shapes --------------------------------------------------------------------------------------------------------

// The dimensions other than 0 must have a product too, so that no product of some of them overflows.
int64_t shape_elements(uint32_t rank, const int64_t *dims) {
    const int64_t most = INT64_MAX >> 5;
    int64_t n = 1;
    bool empty = false;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] < 0) return -1;
        if (dims[i] == 0) {
            empty = true;
            continue;
        }
        if (n > most / dims[i]) return -1;
        n *= dims[i];
    }
    return empty ? 0 : n;
}

void shape_strides(uint32_t rank, const int64_t *dims, int64_t *strides) {
    int64_t stride = 1;
    for (uint32_t i = rank; i-- > 0;) {
        strides[i] = stride;
        stride *= dims[i];
    }
}

bool shape_next(uint32_t rank, const int64_t *dims, int64_t *index) {
    for (uint32_t i = rank; i-- > 0;) {
        if (++index[i] < dims[i]) return true;
        index[i] = 0;
    }
    return false;
}

bool tensor_same_shape(const Tensor *a, const Tensor *b) {
    return a->rank == b->rank && (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

// ---- Tensors -------------------------------------------------------------------------------------------------------

static size_t header_bytes(uint32_t rank) {
    size_t size = sizeof(Tensor) + rank * sizeof(int64_t);
    return (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static Tensor *new_header(Heap *h, TensorKind kind, Elem elem, uint32_t rank, const int64_t *dims, int64_t n,
                          uint64_t bytes) {
    size_t header = header_bytes(rank);
    Tensor *t = heap_alloc(h, header + bytes);
    if (!t) return NULL;
    *t = (Tensor){.refs = 1, .kind = (uint8_t)kind, .elem = (uint8_t)elem, .rank = rank, .n = n};
    t->dims = (int64_t *)(t + 1);
    if (rank) memcpy(t->dims, dims, rank * sizeof *dims);
    t->data = (char *)t + header;
    return t;
}

Tensor *tensor_new(Heap *h, Elem elem, uint32_t rank, const int64_t *dims) {
    int64_t n = shape_elements(rank, dims);
    if (n < 0) return NULL;
    return new_header(h, TENSOR_DENSE, elem, rank, dims, n, (uint64_t)n * elem_bytes(elem));
}

Tensor *tensor_view(Heap *h, Tensor *t, uint32_t rank, const int64_t *dims) {
    Tensor *view = new_header(h, TENSOR_DENSE, (Elem)t->elem, rank, dims, t->n, 0);
    if (!view) return NULL;
    view->owner = tensor_retain(t->owner ? t->owner : t);
    view->data = t->data;
    return view;
}

Tensor *tensor_token(Heap *h) { return new_header(h, TENSOR_TOKEN, EL_I1, 0, NULL, 0, 0); }

Tensor *tensor_tuple(Heap *h, uint32_t n, Tensor *const *parts) {
    Tensor *t = new_header(h, TENSOR_TUPLE, EL_I1, 0, NULL, n, n * sizeof *parts);
    if (!t) return NULL;
    for (uint32_t i = 0; i < n; i++) ((Tensor **)(void *)t->data)[i] = tensor_retain(parts[i]);
    return t;
}

// Tuples nest as deep as their type, which the reader bounds.
void tensor_release(Heap *h, Tensor *t) {
    if (!t || --t->refs > 0) return;
    if (t->kind == TENSOR_TUPLE)
        for (int64_t i = 0; i < t->n; i++) tensor_release(h, ((Tensor **)(void *)t->data)[i]);
    Tensor *owner = t->owner;
    heap_release(h, t);
    if (owner) tensor_release(h, owner);
}

// ---- Text ----------------------------------------------------------------------------------------------------------

bool tensor_fits(const Tensor *t, const Type *type) {
    bool fits = t->kind == TENSOR_DENSE && t->rank == type->rank;
    for (uint32_t d = 0; fits && d < t->rank; d++) fits = type->dims[d] == DIM_DYNAMIC || type->dims[d] == t->dims[d];
    return fits;
}

void tensor_put_type(Buffer *b, Elem elem, uint32_t rank, const int64_t *dims) {
    buf_str(b, "tensor<");
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == DIM_DYNAMIC)
            buf_char(b, '?');
        else
            buf_int(b, dims[i]);
        buf_char(b, 'x');
    }
    buf_str(b, elem_text(elem));
    buf_char(b, '>');
}

// The shortest of 9 (or 17) digits that reads back as the same number.
static void put_float(Buffer *b, double x, bool is_double) {
    char text[40];
    for (int digits = is_double ? 15 : 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        double back = 0;
        decimal_to_double(span_of(text), &back);
        if (back == x || (!is_double && (float)back == (float)x) || x != x) break;
    }
    buf_str(b, text);
}

void tensor_put_element(Buffer *b, const Tensor *t, int64_t i) {
    Elem elem = (Elem)t->elem;
    const char *p = t->data + (size_t)i * elem_bytes(elem);
    if (elem == EL_I1) {
        buf_str(b, *p ? "true" : "false");
    } else if (elem_class(elem) == CLASS_SINT) {
        buf_int(b, elem_read_int(elem, p));
    } else if (elem_class(elem) == CLASS_UINT) {
        buf_uint(b, (uint64_t)elem_read_int(elem, p));
    } else if (elem_class(elem) == CLASS_COMPLEX) {
        Elem part = elem == EL_C64 ? EL_F32 : EL_F64;
        buf_char(b, '(');
        put_float(b, elem_read_float(part, p), part == EL_F64);
        buf_str(b, ", ");
        put_float(b, elem_read_float(part, p + elem_bytes(part)), part == EL_F64);
        buf_char(b, ')');
    } else {
        put_float(b, elem_read_float(elem, p), elem == EL_F64);
    }
}

void tensor_put_elements(Buffer *b, const Tensor *t, int64_t most) {
    int64_t index[MAX_RANK] = {0};
    if (t->n == 0 || t->rank == 0) {
        if (t->n)
            tensor_put_element(b, t, 0);
        else
            buf_str(b, "[]");
        return;
    }
    for (uint32_t d = 0; d < t->rank; d++) buf_char(b, '[');
    for (int64_t i = 0; i < t->n; i++) {
        if (i == most) {
            buf_str(b, "…");
            break;
        }
        tensor_put_element(b, t, i);
        // How many lists end here.
        uint32_t ends = 0;
        while (ends < t->rank && ++index[t->rank - 1 - ends] == t->dims[t->rank - 1 - ends])
            index[t->rank - 1 - ends++] = 0;
        for (uint32_t d = 0; d < ends && ends < t->rank; d++) buf_char(b, ']');
        if (i + 1 < t->n) buf_str(b, ", ");
        for (uint32_t d = 0; d < ends && ends < t->rank; d++) buf_char(b, '[');
    }
    for (uint32_t d = 0; d < t->rank; d++) buf_char(b, ']');
}
