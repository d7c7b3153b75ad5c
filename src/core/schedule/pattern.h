// Patterns: how a schedule names arguments and results by their paths.
//
//     params/*/attn/{q,k,v}/kernel       *      anything within one part of the path
//     params/**                          **     any number of parts, none included
//                                        {a,b}  a or b; alternatives may hold patterns and slashes
#ifndef PARTIR_CORE_SCHEDULE_PATTERN_H
#define PARTIR_CORE_SCHEDULE_PATTERN_H

#include "support/text.h"

#define PATTERN_MAX 1000 // bytes; the schedule reader refuses longer ones

// Why the text is no pattern (braces that do not pair up, too long), with where in it; NULL if it is one.
const char *pattern_problem(Span pattern, size_t *where);
bool pattern_match(Span pattern, const char *path);

#endif
