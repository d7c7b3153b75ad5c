// Inflate: blocks of literals and back references, each with a Huffman code of its own.
//
// Codes are canonical: symbols of one length have consecutive codes, in order, so that how many codes there are of each
// length is all that decoding needs.
#include "interp/npy/inflate.h"
#include <stdint.h>
#include <string.h>

enum { MAX_BITS = 15, LITERALS = 288, DISTANCES = 30, LENGTH_CODES = 19 };

typedef struct Stream {
    const unsigned char *in, *in_end;
    unsigned char *out, *out_start, *out_end;
    uint32_t bits, n_bits;
    bool failed;
} Stream;

typedef struct Code {
    uint16_t count[MAX_BITS + 1]; // codes of each length
    uint16_t symbol[LITERALS];    // in the order of their codes
} Code;

static uint32_t take_bits(Stream *s, uint32_t n) {
    while (s->n_bits < n) {
        if (s->in == s->in_end) {
            s->failed = true;
            return 0;
        }
        s->bits |= (uint32_t)*s->in++ << s->n_bits;
        s->n_bits += 8;
    }
    uint32_t value = s->bits & ((1u << n) - 1);
    s->bits >>= n;
    s->n_bits -= n;
    return value;
}

// False if the lengths ask for more codes than there are.
static bool build(Code *c, const uint8_t *lengths, int n) {
    uint16_t offset[MAX_BITS + 1] = {0};
    memset(c->count, 0, sizeof c->count);
    for (int i = 0; i < n; i++) c->count[lengths[i]]++;
    int left = 1;
    for (int len = 1; len <= MAX_BITS; len++) {
        left = left * 2 - c->count[len];
        if (left < 0) return false;
    }
    for (int len = 1; len < MAX_BITS; len++) offset[len + 1] = (uint16_t)(offset[len] + c->count[len]);
    for (int i = 0; i < n; i++)
        if (lengths[i]) c->symbol[offset[lengths[i]]++] = (uint16_t)i;
    c->count[0] = 0;
    return true;
}

// One bit at a time: `first` is the first code of the current length, `index` the place of its symbol.
static int decode(Stream *s, const Code *c) {
    int code = 0, first = 0, index = 0;
    for (int len = 1; len <= MAX_BITS && !s->failed; len++) {
        code |= (int)take_bits(s, 1);
        int count = c->count[len];
        if (code - count < first) return c->symbol[index + (code - first)];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    s->failed = true;
    return 0;
}

static void copy_back(Stream *s, size_t distance, size_t length) {
    size_t room = (size_t)(s->out_end - s->out);
    s->failed = distance > (size_t)(s->out - s->out_start) || length > room;
    if (distance > (size_t)(s->out - s->out_start)) return;
    if (length > room) length = room;
    for (; length; length--, s->out++) *s->out = s->out[-(ptrdiff_t)distance];
}

static void read_codes(Stream *s, const Code *literals, const Code *distances) {
    static const uint16_t length_base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                           31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t length_extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                           2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t distance_base[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                             33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                             1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    while (!s->failed) {
        int symbol = decode(s, literals);
        if (s->failed || symbol == 256) return;
        if (symbol < 256) {
            if (s->out == s->out_end)
                s->failed = true;
            else
                *s->out++ = (unsigned char)symbol;
            continue;
        }
        symbol -= 257;
        if (symbol >= 29) {
            s->failed = true;
            return;
        }
        size_t length = length_base[symbol] + take_bits(s, length_extra[symbol]);
        int d = decode(s, distances);
        if (s->failed || d >= DISTANCES) {
            s->failed = true;
            return;
        }
        size_t distance = distance_base[d] + take_bits(s, d < 4 ? 0 : (uint32_t)(d / 2 - 1));
        copy_back(s, distance, length);
    }
}

static void fixed_block(Stream *s) {
    uint8_t lengths[LITERALS];
    Code literals, distances;
    for (int i = 0; i < LITERALS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    build(&literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    build(&distances, lengths, DISTANCES);
    read_codes(s, &literals, &distances);
}

// The codes' lengths are themselves written in a Huffman code, with runs.
static void dynamic_block(Stream *s) {
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    int n_literals = (int)take_bits(s, 5) + 257, n_distances = (int)take_bits(s, 5) + 1,
        n_lengths = (int)take_bits(s, 4) + 4;
    uint8_t lengths[LITERALS + 32] = {0};
    Code literals, distances;
    if (n_literals > 286 || n_distances > DISTANCES) s->failed = true;
    for (int i = 0; i < n_lengths && !s->failed; i++) lengths[order[i]] = (uint8_t)take_bits(s, 3);
    if (s->failed || !build(&literals, lengths, LENGTH_CODES)) {
        s->failed = true;
        return;
    }
    memset(lengths, 0, sizeof lengths);
    for (int i = 0; i < n_literals + n_distances && !s->failed;) {
        int symbol = decode(s, &literals);
        uint8_t value = 0;
        int repeat = 1;
        if (symbol < 16) {
            value = (uint8_t)symbol;
        } else if (symbol == 16) {
            if (i == 0) s->failed = true;
            value = i ? lengths[i - 1] : 0;
            repeat = 3 + (int)take_bits(s, 2);
        } else {
            repeat = symbol == 17 ? 3 + (int)take_bits(s, 3) : 11 + (int)take_bits(s, 7);
        }
        if (i + repeat > n_literals + n_distances) s->failed = true;
        for (; repeat && !s->failed; repeat--) lengths[i++] = value;
    }
    if (s->failed || !build(&literals, lengths, n_literals) || !build(&distances, lengths + n_literals, n_distances)) {
        s->failed = true;
        return;
    }
    read_codes(s, &literals, &distances);
}

static void stored_block(Stream *s) {
    s->bits = s->n_bits = 0; // to the next byte
    if (s->in_end - s->in < 4) {
        s->failed = true;
        return;
    }
    size_t n = (size_t)s->in[0] | (size_t)s->in[1] << 8, check = (size_t)s->in[2] | (size_t)s->in[3] << 8;
    s->in += 4;
    size_t there = (size_t)(s->in_end - s->in), room = (size_t)(s->out_end - s->out);
    s->failed = n != (~check & 0xffff) || n > there || n > room;
    if (n != (~check & 0xffff)) return;
    if (n > there) n = there;
    if (n > room) n = room;
    memcpy(s->out, s->in, n);
    s->in += n;
    s->out += n;
}

static void read_blocks(Stream *s) {
    for (bool last = false; !last && !s->failed;) {
        last = take_bits(s, 1);
        switch (take_bits(s, 2)) {
        case 0: stored_block(s); break;
        case 1: fixed_block(s); break;
        case 2: dynamic_block(s); break;
        default: s->failed = true;
        }
    }
}

bool inflate_bytes(const unsigned char *in, size_t n_in, unsigned char *out, size_t n_out) {
    Stream s = {.in = in, .in_end = in + n_in, .out = out, .out_start = out, .out_end = out + n_out};
    read_blocks(&s);
    return !s.failed && s.out == s.out_end;
}

size_t inflate_first(const unsigned char *in, size_t n_in, unsigned char *out, size_t n_out) {
    Stream s = {.in = in, .in_end = in + n_in, .out = out, .out_start = out, .out_end = out + n_out};
    read_blocks(&s);
    return (size_t)(s.out - out);
}
