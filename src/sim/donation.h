// Donation: arguments of @main whose memory the program may use for its results.
#ifndef PARTIR_SIM_DONATION_H
#define PARTIR_SIM_DONATION_H

#include "ir/module.h"

enum { NOT_DONATED = -1, DONATED_TO_ANY = -2 }; // any result of its type

// The result that an argument was donated for, or one of the above.
int64_t donated_to(const Module *m, uint32_t argument);

#endif
