// Collectives that name mesh axes.
#include "interp/kernel.h"

bool kernel_partir_collective(Exec *e, OpId op) {
    return exec_error(e, op, NULL, "needs a mesh, and the run has none");
}
