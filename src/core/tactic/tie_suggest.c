// Suggests ties by names: everything below one root of the arguments is also below one root of the results, with the same
// paths and types.
//
//     params/w1, params/w2; out/0/w1, out/0/w2, out/1        tie params -> out/0
#include "core/tactic/tactic.h"

// The first part of a path; of a result, out and its number.
static size_t root_length(const char *path, bool result) {
    const char *slash = strchr(path, '/');
    if (result && slash) slash = strchr(slash + 1, '/');
    return slash ? (size_t)(slash - path) : strlen(path);
}

static bool has_root(const char *path, const char *root, size_t n) {
    return strncmp(path, root, n) == 0 && (path[n] == 0 || path[n] == '/');
}

// Arguments below one root and results below another, one by one.
static bool all_return(const Module *m, uint32_t arg, size_t n, uint32_t result, size_t k) {
    const Region *body = &m->regions.at[op_region(m, module_main(m), 0)];
    OpId ret = body->last;
    uint32_t n_results = op_get(m, ret)->n_operands, r = result;
    const char *from = m->argument_names[arg], *to = m->result_names[result];
    for (uint32_t i = arg; i < body->n_args && has_root(m->argument_names[i], from, n); i++, r++)
        if (r == n_results || !has_root(m->result_names[r], to, k) ||
            strcmp(m->argument_names[i] + n, m->result_names[r] + k) != 0 ||
            value_type(m, body->first_arg + i) != value_type(m, op_operand(m, ret, r)))
            return false;
    return r == n_results || !has_root(m->result_names[r], to, k);
}

void ties_suggest(const Module *m, Buffer *out) {
    const Region *body = &m->regions.at[op_region(m, module_main(m), 0)];
    uint32_t n_results = op_get(m, body->last)->n_operands, next = 0;
    for (uint32_t i = 0; i < body->n_args;) {
        const char *from = m->argument_names[i];
        size_t n = root_length(from, false);
        for (uint32_t r = from[n] ? next : n_results; r < n_results;) { // a path of one part says nothing
            const char *to = m->result_names[r];
            size_t k = root_length(to, true);
            bool tied = all_return(m, i, n, r, k);
            if (tied) buf_format(out, "tie \"%.*s\" -> \"%.*s\"\n", (int)n, from, (int)k, to);
            while (r < n_results && has_root(m->result_names[r], to, k)) r++;
            if (tied) {
                next = r;
                break;
            }
        }
        while (i < body->n_args && has_root(m->argument_names[i], from, n)) i++;
    }
}
