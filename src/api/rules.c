// Rules as the public header sees them.
#include "api/handles.h"
#include "core/rule.h"

typedef struct RulesCall {
    const partir_module *module;
    bool json;
    partir_text *made;
} RulesCall;

static bool rules_body(void *arg) {
    RulesCall *call = arg;
    Buffer out;
    partir_text *t = text_new(call->module->ir->ctx, &out);
    rules_print(call->module->ir, &t->arena, call->json, &out);
    if (!call->json) text_make_printable(out.at, out.n, true);
    text_finish(t, &out);
    call->made = t;
    return true;
}

partir_text *partir_module_rules(const partir_module *m, int json) {
    RulesCall call = {.module = m, .json = json != 0};
    return api_call(m->ir->ctx, rules_body, &call) ? call.made : NULL;
}
