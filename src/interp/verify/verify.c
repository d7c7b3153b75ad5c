// Verify: cuts inputs as the arguments are distributed, assembles outputs as the results are distributed, and compares every
// replica.
#include "interp/verify/verify.h"
#include "interp/elementwise/elementwise.h"
#include "interp/interp.h"
#include "interp/random/random.h"
#include "interp/tensor/copy.h"
#include "interp/verify/verify_bits.h"
#include "ir/analysis/trip.h"
#include "spmd/core_program.h"
#include "stablehlo/check.h"
#include <math.h>

#define MAX_ELEMENTS 4e9 // of all results on all devices: a minute or so

typedef struct Verify {
    Partition *p;
    const VerifyOptions *o;
    Arena arena;
    uint32_t n_args, n_results;
    Tensor **inputs, **expected; // of the whole program
    bool *unsure; // by result: its bits depend on the order of sums, see verify_bits.h
    Interp *whole;
} Verify;

static uint64_t max_steps(const VerifyOptions *o) { return o->max_steps ? o->max_steps : VERIFY_MAX_STEPS; }

static Tensor *tensor_for(Interp *it, const Type *t) {
    return interp_tensor(it, t->elem == EL_QUANT ? EL_I8 : (Elem)t->elem, t->rank, t->dims);
}

// Whole numbers from -3 to 4: sums of a few of them are exact in every type but the narrowest.
static void fill_exact(Tensor *t, uint64_t *state) {
    random_fill(t, state);
    ElemClass c = elem_class((Elem)t->elem);
    if (c != CLASS_FLOAT && c != CLASS_COMPLEX) return;
    Elem part = t->elem == EL_C64 ? EL_F32 : t->elem == EL_C128 ? EL_F64 : (Elem)t->elem;
    int64_t n = c == CLASS_COMPLEX ? 2 * t->n : t->n;
    for (int64_t i = 0; i < n; i++) {
        double v = (double)(random_next(state) >> 33 & 7) - 3;
        elements_convert(EL_F64, part, &v, t->data + (size_t)i * elem_bytes(part), 1);
    }
}

static bool make_inputs(Verify *v) {
    bool exact = v->o->exact || looks_at_bits(v->p->m);
    const Module *m = v->p->m;
    ValueId first = m->regions.at[v->p->graph.body].first_arg;
    uint64_t state = v->o->seed * 0x9e3779b97f4a7c15u + 1;
    for (uint32_t i = 0; i < v->n_args; i++) {
        v->inputs[i] = tensor_for(v->whole, value_tensor(m, first + i));
        if (!v->inputs[i]) return false;
        if (exact)
            fill_exact(v->inputs[i], &state);
        else
            random_fill(v->inputs[i], &state);
    }
    return true;
}

// Where a device's part starts in each dimension.
static void part_start(const Mesh *mesh, const Dist *d, int64_t device, uint32_t rank, const int64_t *local,
                       int64_t *start) {
    for (uint32_t dim = 0; dim < rank; dim++) {
        int64_t chunk = 0;
        for (uint32_t i = 0; i < d->n; i++)
            if (d->at[i].dim == dim)
                chunk = chunk * mesh->axes[d->at[i].axis].size + mesh_coordinate(mesh, d->at[i].axis, device);
        start[dim] = chunk * local[dim];
    }
}

static size_t part_offset(const Tensor *whole, const int64_t *start, int64_t *strides) {
    shape_strides(whole->rank, whole->dims, strides);
    int64_t at = 0;
    for (uint32_t d = 0; d < whole->rank; d++) at += start[d] * strides[d];
    return (size_t)at * elem_bytes((Elem)whole->elem);
}

static Tensor *cut(Verify *v, Interp *it, const Tensor *whole, const Dist *d, int64_t device) {
    int64_t local[MAX_RANK], start[MAX_RANK], strides[MAX_RANK];
    memcpy(local, whole->dims, whole->rank * sizeof *local);
    dist_local_dims(d, v->p->lowered->mesh, whole->rank, local);
    Tensor *part = interp_tensor(it, (Elem)whole->elem, whole->rank, local);
    if (!part) return NULL;
    part_start(v->p->lowered->mesh, d, device, whole->rank, local, start);
    copy_into_dense(elem_bytes((Elem)whole->elem), whole->rank, local, part->data,
                    whole->data + part_offset(whole, start, strides), strides);
    return part;
}

static double tolerance(Elem e) {
    switch (e) {
    case EL_F64:
    case EL_C128: return 1e-9;
    case EL_F32:
    case EL_C64: return 2e-4;
    case EL_F16: return 2e-2;
    case EL_BF16: return 8e-2;
    default: return elem_class(e) == CLASS_FLOAT ? 0.5 : 0;
    }
}

// Elements as doubles, real and imaginary parts one after the other.
static double *as_doubles(Verify *v, const Tensor *t, const char *data, int64_t *n) {
    Elem part = t->elem == EL_C64 ? EL_F32 : t->elem == EL_C128 ? EL_F64 : (Elem)t->elem;
    *n = elem_class((Elem)t->elem) == CLASS_COMPLEX ? 2 * t->n : t->n;
    double *out = arena_new(&v->arena, double, *n);
    elements_convert(part, EL_F64, data, out, *n);
    return out;
}

// The first element that differs; -1 if none does.
static int64_t first_difference(Verify *v, const Tensor *got, const char *want_data) {
    if (memcmp(got->data, want_data, tensor_bytes(got)) == 0) return -1;
    int64_t n;
    double *a = as_doubles(v, got, got->data, &n), *b = as_doubles(v, got, want_data, &n);
    double scale = 0, tol = v->o->exact ? 0 : tolerance((Elem)got->elem);
    for (int64_t i = 0; i < n; i++)
        if (isfinite(b[i]) && fabs(b[i]) > scale) scale = fabs(b[i]);
    for (int64_t i = 0; i < n; i++) {
        if (isnan(a[i]) && isnan(b[i])) continue;
        if (a[i] == b[i]) continue;
        if (!(fabs(a[i] - b[i]) <= tol * (1e-3 + scale)))
            return elem_class((Elem)got->elem) == CLASS_COMPLEX ? i / 2 : i;
    }
    return -1;
}

static VerifyStatus compare_result(Verify *v, const char *level, uint32_t result, int64_t device, const Tensor *got,
                                   const Dist *d) {
    const Tensor *want = v->expected[result];
    int64_t start[MAX_RANK], strides[MAX_RANK];
    Context *ctx = v->p->ctx;
    const char *name = v->p->m->result_names[result];
    char *data = arena_alloc(&v->arena, tensor_bytes(got) + 1);
    part_start(v->p->lowered->mesh, d, device, want->rank, got->dims, start);
    copy_into_dense(elem_bytes((Elem)want->elem), want->rank, got->dims, data,
                    want->data + part_offset(want, start, strides), strides);
    int64_t i = first_difference(v, got, data);
    if (i < 0) return VERIFY_EQUAL;
    Tensor part = *got;
    part.data = data;
    Buffer a, b;
    buf_init(&a, &v->arena);
    buf_init(&b, &v->arena);
    tensor_put_element(&a, got, i);
    tensor_put_element(&b, &part, i);
    diag_error(ctx, NULL, NO_OFFSET, "a wrong number is a defect: please report it with the program and the schedule",
               "result %s differs in the %s program: on device %lld, element %lld is %s, not %s", name, level,
               (long long)device, (long long)i, buf_cstr(&a), buf_cstr(&b));
    return VERIFY_DIFFERENT;
}

static VerifyStatus run_and_compare(Verify *v, Module *m, const char *level, uint32_t devices, const Dist *const *args,
                                    const Dist *const *results) {
    InterpOptions options = {.max_memory = v->o->max_memory, .max_steps = max_steps(v->o), .replicas = 1, .partitions = devices};
    Interp *it = interp_new(m, &options);
    if (!it) return VERIFY_ERROR;
    Tensor **in = arena_new(&v->arena, Tensor *, (size_t)devices * v->n_args),
           **out = arena_new(&v->arena, Tensor *, (size_t)devices * v->n_results);
    for (uint32_t d = 0; d < devices; d++)
        for (uint32_t i = 0; i < v->n_args; i++) {
            in[d * v->n_args + i] = cut(v, it, v->inputs[i], args[i], d);
            if (in[d * v->n_args + i]) continue;
            interp_free(it);
            return VERIFY_ERROR;
        }
    VerifyStatus status = interp_run(it, module_main(m), in, out) ? VERIFY_EQUAL : VERIFY_ERROR;
    for (uint32_t d = 0; d < devices && status == VERIFY_EQUAL; d++)
        for (uint32_t i = 0; i < v->n_results && status == VERIFY_EQUAL; i++)
            if (!v->unsure[i]) status = compare_result(v, level, i, d, out[d * v->n_results + i], results[i]);
    interp_free(it);
    return status;
}

// The array program, whose results are those to be expected.
static bool run_whole(Verify *v, uint32_t devices, const Dist *const *whole) {
    Tensor **in = arena_new(&v->arena, Tensor *, (size_t)devices * v->n_args),
           **out = arena_new(&v->arena, Tensor *, (size_t)devices * v->n_results);
    for (uint32_t d = 0; d < devices; d++)
        for (uint32_t i = 0; i < v->n_args; i++) {
            in[d * v->n_args + i] = d == 0 ? v->inputs[i] : cut(v, v->whole, v->inputs[i], whole[i], 0);
            if (!in[d * v->n_args + i]) return false;
        }
    if (!interp_run(v->whole, module_main(v->p->m), in, out)) return false;
    memcpy(v->expected, out, v->n_results * sizeof *out);
    return true;
}

static VerifyStatus verify_levels(Verify *v) {
    Partition *p = v->p;
    // A manual computation talks to other devices: then each of them runs the whole program.
    uint32_t devices = p->manual.m ? (uint32_t)p->mesh.n_devices : 1;
    InterpOptions options = {
        .max_memory = v->o->max_memory, .max_steps = max_steps(v->o), .replicas = 1, .partitions = devices};
    v->whole = interp_new(p->m, &options);
    if (!v->whole || !make_inputs(v)) return VERIFY_ERROR;
    const Dist **whole = arena_new(&v->arena, const Dist *, v->n_args + v->n_results + 1);
    const Lowered *l = partition_lowered(p);
    if (!l) return VERIFY_ERROR;
    for (uint32_t i = 0; i < v->n_args + v->n_results; i++) whole[i] = dist_whole(l->dists);
    if (!run_whole(v, devices, whole)) return VERIFY_ERROR;
    VerifyStatus status = VERIFY_EQUAL;
    if (!v->o->skip_core) {
        Module *core = core_program(&p->state, &v->arena);
        status = check_module(core) ? run_and_compare(v, core, "Core", devices, whole, whole) : VERIFY_ERROR;
        module_free(core);
    }
    uint32_t n = (uint32_t)p->mesh.n_devices;
    if (status == VERIFY_EQUAL && !v->o->skip_core)
        status = run_and_compare(v, l->m, "HLO", n, l->argument_dist, l->result_dist);
    if (status != VERIFY_EQUAL) return status;
    Module *local = partition_stablehlo(p, v->o->target);
    return local ? run_and_compare(v, local, "device-local", n, l->argument_dist, l->result_dist) : VERIFY_ERROR;
}

// Elements that all programs make, loops multiplied.
static double work_in(const Module *m, RegionId r) {
    double work = 0;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        const Op *o = op_get(m, op);
        int64_t n = 0, trips = 1;
        for (uint32_t i = 0; i < o->n_results; i++)
            if (type_elements(value_tensor(m, o->first_result + i), &n)) work += (double)n;
        if (o->kind == OP_while && (trips = trip_count(m, op)) < 0) trips = 1;
        if (runs_regions((OpKind)o->kind))
            for (uint32_t i = 0; i < o->n_regions; i++) work += (double)trips * work_in(m, op_region(m, op, i));
    }
    return work;
}

static uint32_t say_what_was_skipped(const Verify *v) {
    uint32_t skipped = 0, first = 0;
    for (uint32_t i = v->n_results; i-- > 0;)
        if (v->unsure[i]) skipped++, first = i;
    if (!skipped) return 0;
    diag_warning(v->p->ctx, NULL, NO_OFFSET, "to compare them too, return what is rounded or bitcast as well as what comes of it",
                 "verification skipped %u of %u results, %s first: they are made of the bits of sums, which depend on the order "
                 "in which devices add",
                 skipped, v->n_results, v->p->m->result_names[first]);
    return skipped;
}

VerifyStatus verify_partition(Partition *p, const VerifyOptions *options, uint32_t *compared) {
    if (work_in(p->m, p->graph.body) * (double)(2 + p->mesh.n_devices) > MAX_ELEMENTS) {
        diag_error(p->ctx, NULL, NO_OFFSET, "verify a smaller configuration of the same model",
                   "the program is too large to run in the interpreter on %lld devices", (long long)p->mesh.n_devices);
        fail_as(p->ctx, PARTIR_TOO_LARGE, false);
        return VERIFY_TOO_LARGE;
    }
    Verify v = {.p = p, .o = options, .n_args = p->graph.n_arguments, .n_results = p->graph.n_results};
    arena_init(&v.arena, p->ctx);
    v.inputs = arena_new(&v.arena, Tensor *, v.n_args);
    v.expected = arena_new(&v.arena, Tensor *, v.n_results);
    v.unsure = find_unsure_results(p->m, p->graph.body, &v.arena);
    VerifyStatus status = verify_levels(&v);
    uint32_t skipped = status == VERIFY_EQUAL ? say_what_was_skipped(&v) : 0;
    if (compared) *compared = v.n_results - skipped;
    if (v.whole) interp_free(v.whole);
    arena_free(&v.arena);
    return status;
}
