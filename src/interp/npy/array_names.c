// Names of arrays in files.
#include "interp/npy/array_names.h"

static void put_escaped(Buffer *b, char c) {
    static const char digits[] = "0123456789ABCDEF";
    buf_char(b, '%');
    buf_char(b, digits[(unsigned char)c >> 4]);
    buf_char(b, digits[(unsigned char)c & 15]);
}

// What some system does not take in a name, or understands.
static bool is_special(char c) { return (unsigned char)c < 0x20 || c == 0x7f || strchr("%\\:*?\"<>|", c) != NULL; }

void array_file_name(Buffer *b, Span name) {
    for (size_t i = 0; i < name.n; i++) {
        char c = name.at[i];
        if (is_special(c) || c == '.' || (c == '/' && i == 0))
            put_escaped(b, c);
        else
            buf_char(b, c == '/' ? '.' : c);
    }
}

void array_member_name(Buffer *b, Span name) {
    for (size_t i = 0, part = 0; i < name.n; i++) {
        char c = name.at[i];
        if (c == '/') {
            // Parts that are empty would be left out by who unpacks the archive.
            if (part == i || i + 1 == name.n)
                put_escaped(b, c);
            else
                buf_char(b, c);
            part = i + 1;
            continue;
        }
        size_t end = part;
        while (end < name.n && end - part < 3 && name.at[end] != '/') end++;
        bool dots = (end - part == 1 && c == '.') || (end - part == 2 && c == '.' && name.at[part + 1] == '.');
        if (is_special(c) || (dots && i == part))
            put_escaped(b, c);
        else
            buf_char(b, c);
    }
}

Span array_of_member(Arena *a, Span member) {
    char *out = arena_alloc(a, member.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < member.n; i++) {
        int high = i + 2 < member.n && member.at[i] == '%' ? hex_digit(member.at[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(member.at[i + 2]) : -1;
        out[n++] = (char)(low >= 0 ? high << 4 | low : member.at[i]);
        if (low >= 0) i += 2;
    }
    return (Span){out, n};
}
