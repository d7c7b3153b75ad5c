// Custom calls by target name.
#ifndef PARTIR_INTERP_CUSTOM_CALL_CUSTOM_CALL_H
#define PARTIR_INTERP_CUSTOM_CALL_CUSTOM_CALL_H

#include "interp/exec.h"

// An attribute of the op that the op table does not name; NO_ID if absent.
AttrId call_attr(const Module *m, OpId op, const char *name);
// An integer of the call's mhlo.backend_config dictionary, e.g. uplo = 76 : ui8.
int64_t call_option(const Module *m, OpId op, const char *name, int64_t absent);

bool call_lapack(Exec *e, OpId op, Span target); // lapack_?potrf_ffi and the like
bool call_check(Exec *e, OpId op, Span target);  // check.expect_eq and the like

#endif
