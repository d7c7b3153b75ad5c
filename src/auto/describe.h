// Descriptions: what a tactic is in the words of the field, and what it is worth.
#ifndef PARTIR_AUTO_DESCRIBE_H
#define PARTIR_AUTO_DESCRIBE_H

#include "auto/confirm.h"

// Writes comments for the tactics that a search found; they apply to the present state. The state does not change. The seeds
// of the tactics are added to `choices`.
void describe_tactics(Partition *p, const Site *sites, Choices *choices, Tactic *tactics, uint32_t n,
                      const Device *device);
void print_seconds(double seconds, Buffer *out);

#endif
