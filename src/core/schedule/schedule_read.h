// What the files of the reader of schedules share.
#ifndef PARTIR_CORE_SCHEDULE_SCHEDULE_READ_H
#define PARTIR_CORE_SCHEDULE_SCHEDULE_READ_H

#include "core/schedule/schedule.h"

typedef VEC(MeshAxis) MeshAxes;
typedef VEC(Word) Words;

typedef struct ScheduleReader {
    Context *ctx;
    Arena *arena;
    const Source *source;
    size_t at;
    MeshAxes axes;
    Word device;
    AnnotationMode annotations;
    bool trust_rules;
    GatherPolicy gathers;
    bool gathers_given;
    VEC(Tie) ties;
    VEC(UserRule) rules;
    VEC(Tactic) tactics;
    VEC(Demand) demands;
} ScheduleReader;

#define fail_at(r, offset, hint, ...) diag_error((r)->ctx, (r)->source, (offset), (hint), __VA_ARGS__)
#define PRINTABLE(s)                  ((s).n > 80 ? 80 : (int)(s).n), (s).at

// ---- schedule_words.c -----------------------------------------------------------------------------------------------
static inline char word_peek_at(const ScheduleReader *r, size_t i) { return i < r->source->n ? r->source->text[i] : 0; }
static inline char word_peek(const ScheduleReader *r) { return word_peek_at(r, r->at); }
static inline bool word_at_end(const ScheduleReader *r) { return r->at >= r->source->n; }
static inline bool is_word_start(char c) { return is_letter(c) || c == '_'; }
void skip_blank(ScheduleReader *r);
Word word_since(const ScheduleReader *r, size_t start);
const char *found_text(ScheduleReader *r);
bool take_char(ScheduleReader *r, char c);
bool expect_symbol(ScheduleReader *r, const char *symbol, const char *hint);
bool read_schedule_name(ScheduleReader *r, Word *out, const char *what);
bool take_keyword(ScheduleReader *r, const char *keyword);
bool read_schedule_string(ScheduleReader *r, Word *out);
bool read_schedule_pattern(ScheduleReader *r, Word *out, const char *what);
bool read_schedule_integer(ScheduleReader *r, int64_t *out, const char *what);
bool read_schedule_quantity(ScheduleReader *r, int64_t (*unit_of)(Span), const char *what, const char *hint,
                            int64_t *out);
bool read_schedule_bytes(ScheduleReader *r, int64_t *out);
bool read_schedule_time(ScheduleReader *r, int64_t *out);

// ---- schedule_read_tactic.c, schedule_read_rule.c -------------------------------------------------------------------
bool read_selector(ScheduleReader *r, TacticLine *line);
bool read_tactic_axis(ScheduleReader *r, Word *out);
bool read_tactic(ScheduleReader *r, size_t start);
bool read_auto(ScheduleReader *r, size_t start);
bool read_rule(ScheduleReader *r, size_t start);

#endif
