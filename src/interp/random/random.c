// Random numbers for inputs (splitmix64).
#include "interp/random/random.h"
#include "interp/tensor/float.h"
#include <math.h>

uint64_t random_next(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

double random_uniform(uint64_t *state) { return (double)(random_next(state) >> 11) * 0x1p-53; }

double random_normal(uint64_t *state) {
    double u = 1 - random_uniform(state), v = random_uniform(state);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

void random_fill(Tensor *t, uint64_t *state) {
    const double spread = 0.1;
    Elem elem = (Elem)t->elem;
    bool pairs = elem_class(elem) == CLASS_COMPLEX;
    Elem part = elem == EL_C64 ? EL_F32 : elem == EL_C128 ? EL_F64 : elem;
    size_t size = elem_bytes(part);
    uint64_t most = elem == EL_I1 || elem == EL_I2 ? 2 : elem == EL_UI2 ? 4 : 8;
    for (int64_t i = 0; i < (pairs ? 2 * t->n : t->n); i++) {
        char *p = t->data + (size_t)i * size;
        if (elem_class(part) == CLASS_FLOAT)
            elem_write_float(part, p, spread * random_normal(state));
        else
            elem_write_int(elem, p, (int64_t)(random_next(state) % most));
    }
}
