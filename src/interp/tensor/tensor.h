// Tensor: what a value is at run time: an element type, a shape, and its elements dense and row-major.
//
//     Heap h; heap_init(&h, ctx, 1 << 30);
//     Tensor *t = tensor_new(&h, EL_F32, 2, (int64_t[]){2, 3});      // NULL when it would pass the cap
//     ((float *)t->data)[1 * 3 + 2] = 7;
//     tensor_release(&h, t);                                         // the last reference gives the bytes back
//     heap_free(&h);                                                 // and this all that is left
//
// Elements take elem_bytes each: sub-byte ones a byte (signed ones sign-extended), i1 is 0 or 1. Quantized tensors hold
// their storage elements; the parameters are in the value's type.
#ifndef PARTIR_INTERP_TENSOR_TENSOR_H
#define PARTIR_INTERP_TENSOR_TENSOR_H

#include "ir/type.h"
#include "support/context.h"

// Heap: an arena whose blocks can be given back one by one, which is what keeps the memory of a long program bounded.
// Small blocks go to free lists, by powers of two; large ones back to the allocator, but for a few that the next tensor
// may fit.
typedef struct Heap {
    Arena arena; // the heap must not move
    struct TensorBlock *free[12], *spare;
    uint32_t n_spare;
    uint64_t live, peak, cap, spare_bytes;
} Heap;

void heap_init(Heap *h, Context *ctx, uint64_t cap);
void heap_free(Heap *h);
void *heap_alloc(Heap *h, uint64_t size); // not cleared; NULL when it would pass the cap
void heap_release(Heap *h, void *p);

typedef enum TensorKind { TENSOR_DENSE, TENSOR_TOKEN, TENSOR_TUPLE } TensorKind;

typedef struct Tensor {
    uint32_t refs;
    uint8_t kind; // TensorKind
    uint8_t elem; // Elem; the storage type of quantized tensors
    uint32_t rank;
    int64_t n;            // elements; parts of a tuple
    int64_t *dims;        // rank entries
    char *data;           // elements; Tensor * of each part of a tuple
    struct Tensor *owner; // whose elements these are (a reshape shares them), or NULL
} Tensor;

Tensor *tensor_new(Heap *h, Elem elem, uint32_t rank, const int64_t *dims);  // elements not cleared
Tensor *tensor_view(Heap *h, Tensor *t, uint32_t rank, const int64_t *dims); // same elements, other shape of as many
Tensor *tensor_token(Heap *h);
Tensor *tensor_tuple(Heap *h, uint32_t n, Tensor *const *parts); // retains the parts
static inline Tensor *tensor_retain(Tensor *t) { return t->refs++, t; }
void tensor_release(Heap *h, Tensor *t); // NULL is allowed
// Nobody else sees the elements: they may be changed in place.
static inline bool tensor_is_unshared(const Tensor *t) { return t->refs == 1 && (!t->owner || t->owner->refs == 1); }

static inline size_t tensor_bytes(const Tensor *t) { return (size_t)t->n * elem_bytes((Elem)t->elem); }
bool tensor_same_shape(const Tensor *a, const Tensor *b);
// Number of elements of a shape; -1 if a dimension is negative or the product passes 2^62 bytes at 16 bytes an element.
int64_t shape_elements(uint32_t rank, const int64_t *dims);
// Elements between neighbours on each dimension of a dense row-major tensor.
void shape_strides(uint32_t rank, const int64_t *dims, int64_t *strides);
// Steps a row-major index; false after the last one.
bool shape_next(uint32_t rank, const int64_t *dims, int64_t *index);

// "tensor<2x3xf32>".
bool tensor_fits(const Tensor *t, const Type *type); // of its shape, where that is known; elements aside
void tensor_put_type(Buffer *b, Elem elem, uint32_t rank, const int64_t *dims);
// All of it as nested lists, shortened to about `most` elements.
void tensor_put_elements(Buffer *b, const Tensor *t, int64_t most);
// One element as text: -1, 2.5, (1, 0), true.
void tensor_put_element(Buffer *b, const Tensor *t, int64_t i);

#endif
