// Estimates of custom calls.
#include "ir/analysis/call_estimate.h"
#include "support/decimal.h"
#include <math.h>

#define N_FIGURES 3

static const char *const figure_names[N_FIGURES] = {"flops", "transcendentals", "bytes_accessed"};

static Span after(Span text, Span key) {
    for (size_t i = 0; i + key.n <= text.n; i++)
        if (text.at[i] == key.at[0] && memcmp(text.at + i, key.at, key.n) == 0)
            return (Span){text.at + i + key.n, text.n - i - key.n};
    return (Span){NULL, 0};
}

// The number behind "name": in a JSON object of numbers.
static bool json_figure(Span object, const char *name, double *out) {
    for (Span rest = after(object, SPAN("\"")); rest.n; rest = after(rest, SPAN("\""))) {
        size_t n = strlen(name);
        if (rest.n <= n || memcmp(rest.at, name, n) != 0 || rest.at[n] != '"') continue;
        rest = (Span){rest.at + n + 1, rest.n - n - 1};
        while (rest.n && (*rest.at == ' ' || *rest.at == ':')) rest.at++, rest.n--;
        Span number = {rest.at, 0};
        while (number.n < rest.n && memchr("+-.0123456789eE", rest.at[number.n], 15)) number.n++;
        return decimal_to_double(number, out);
    }
    return false;
}

static bool dict_figure(const Module *m, const Attr *dict, const char *name, double *out) {
    for (uint32_t i = 0; i < dict->n; i++) {
        const Attr *a = attr_get(m, dict->entries[i].value);
        if (!span_is(name_get(m, dict->entries[i].name), name) || (a->kind != ATTR_INT && a->kind != ATTR_FLOAT)) continue;
        *out = a->kind == ATTR_INT ? (double)a->i : a->f;
        return true;
    }
    return false;
}

static const Attr *attribute_named(const Module *m, OpId op, Span name) {
    NameId id = name_find(m, name);
    AttrId a = id == NO_ID ? NO_ID : op_attr(m, op, (AttrName)id);
    return a == NO_ID ? NULL : attr_get(m, a);
}

bool call_estimate(const Module *m, OpId op, CallEstimate *out) {
    const Attr *dict = attribute_named(m, op, SPAN("mhlo.backend_config")), *cut = attribute_named(m, op, CHUNKS_ATTRIBUTE);
    Span json = after(op_attr_text(m, op, A_backend_config), SPAN("\"cost_estimate\""));
    const char *end = json.n ? memchr(json.at, '}', json.n) : NULL;
    if (end) json.n = (size_t)(end - json.at);
    double figures[N_FIGURES] = {0}, chunks = cut && cut->kind == ATTR_INT && cut->i > 1 ? (double)cut->i : 1;
    bool any = false;
    for (uint32_t i = 0; i < N_FIGURES; i++) {
        double x;
        bool said = dict && dict->kind == ATTR_DICT ? dict_figure(m, dict, figure_names[i], &x) : json_figure(json, figure_names[i], &x);
        if (!said || !isfinite(x) || x < 0) continue;
        any = true, figures[i] = x / chunks;
    }
    *out = (CallEstimate){figures[0], figures[1], figures[2]};
    return any;
}
