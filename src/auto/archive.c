// Archive: a front sorted by time.
#include "auto/archive.h"

// What is better by less than this is not worth a point of the front.
#define ARCHIVE_CLOSE 1.01

bool archive_takes(const Archive *archive, const Score *score) {
    for (uint32_t i = 0; i < archive->at.n && archive->at.at[i].score.seconds <= score->seconds * ARCHIVE_CLOSE; i++)
        if (archive->at.at[i].score.peak <= score->peak * ARCHIVE_CLOSE) return false;
    return true;
}

bool archive_enter(Archive *archive, const Plan *plan, Score score, StateHash key) {
    uint32_t n = archive->at.n, i = 0;
    Archived *at = archive->at.at;
    while (i < n && at[i].score.seconds < score.seconds) i++;
    // The one before is faster, or equal ones follow: it must hold more memory than this one.
    if (i > 0 && at[i - 1].score.peak <= score.peak) return false;
    if (i < n && at[i].score.seconds == score.seconds && at[i].score.peak <= score.peak) return false;
    uint32_t end = i;
    while (end < n && at[end].score.peak >= score.peak) end++;
    if (end == i) {
        (void)vec_extend(archive->a, &archive->at, 1);
        at = archive->at.at;
        memmove(at + i + 1, at + i, (n - i) * sizeof *at);
    } else {
        memmove(at + i + 1, at + end, (n - end) * sizeof *at);
        archive->at.n = n - (end - i) + 1;
    }
    at[i] = (Archived){.plan = *plan, .score = score, .key = key};
    return true;
}
