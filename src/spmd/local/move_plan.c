// Plans which chunk gets what from which: cuts the pieces of a result where chunks end. Transfers in which no device sends or
// receives twice form one round, which is one collective_permute.
//
//     12 elements on 3 devices, shifted by 1        round 0: 0 to 1, 1 to 2: one element each; the rest stays
#include "spmd/local/move.h"

MovePart move_new_part(const Move *m, ValueId buffer) {
    return (MovePart){buffer, move_table(m), move_table(m), move_table(m)};
}

// A piece that is tiled as the result is: of each chunk what stays, and what goes elsewhere.
void move_place_chunks(const Move *m, const MovePiece *p, MovePart *stays, MoveRounds *rounds) {
    int64_t have = p->size / m->chunks, most_sent = move_size_along(m, p->v) * (m->chunks - 1); // by gathering it
    for (int64_t c = 0; c < m->chunks; c++) {
        int64_t first = larger_of(p->from, c * m->size), last = smaller_of(p->to, (c + 1) * m->size);
        while (first < last) {
            int64_t source = first - p->at, j = source / have, offset = source - j * have;
            int64_t end = smaller_of(last, (j + 1) * have + p->at), lo = first - c * m->size, hi = end - c * m->size;
            if (j == c) {
                stays->start[c] = offset - lo;
                stays->lo[c] = lo;
                stays->hi[c] = hi;
            } else {
                move_rounds_add(rounds, p->v, most_sent, (MoveTransfer){j, c, offset, lo, hi});
            }
            first = end;
        }
    }
}

MovePart move_place_whole(const Move *m, const MovePiece *p, ValueId whole) {
    MovePart part = move_new_part(m, whole);
    for (int64_t c = 0; c < m->chunks; c++) {
        part.lo[c] = smaller_of(larger_of(p->from - c * m->size, 0), m->size);
        part.hi[c] = larger_of(smaller_of(p->to - c * m->size, m->size), part.lo[c]);
        part.start[c] = c * m->size - p->at;
    }
    return part;
}
