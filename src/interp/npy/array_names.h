// Names of arrays as names of files and of members of archives. Each is one to one, so that no two arrays meet in one
// file, and none leads out of the folder: what may not stand there is written %XX, and so is the percent sign.
//
//     out/0          out.0          out/0            (a value, its file, its member)
//     layer.1/w      layer%2E1.w    layer.1/w
//     ../x           %2E%2E.x       %2E./x
#ifndef PARTIR_INTERP_NPY_ARRAY_NAMES_H
#define PARTIR_INTERP_NPY_ARRAY_NAMES_H

#include "support/text.h"

void array_file_name(Buffer *b, Span name);
void array_member_name(Buffer *b, Span name);
// What array_member_name was given; NumPy's names are themselves, unless they hold %XX.
Span array_of_member(Arena *a, Span member);

#endif
