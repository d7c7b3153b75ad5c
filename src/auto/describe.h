// Descriptions: what a tactic is in the words of the field, and what it is worth.
#ifndef PARTIR_AUTO_DESCRIBE_H
#define PARTIR_AUTO_DESCRIBE_H

#include "auto/confirm.h"

// Comments for tactics that a search found, which follow on the state as it is now. The state is as before; their seeds
// join those of the choices.
void describe_tactics(Partition *p, const Site *sites, Choices *choices, Tactic *tactics, uint32_t n,
                      const Device *device);
void print_seconds(double seconds, Buffer *out);

#endif
