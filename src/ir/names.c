// Names: paths of arguments and results.
//
//     state.opt_state[0].mu['w']                  ->  state/opt_state/0/mu/w
//     params['encoder/block_0']['kernel']         ->  params/encoder/block_0/kernel      a slash in a key makes parts
//     jax.result_info = "result[1]['loss']"       ->  out/1/loss
//
// A name is taken from an attribute `partir.name`, then from the debug location of the argument or JAX's description of
// the result, and is else the position: arg3, out/3.
#include "ir/names.h"

// ---- Key strings ----------------------------------------------------------------------------------------------------

// Appends one key. Its empty parts are no parts.
static void put_key(Buffer *path, Span key) {
    if (!key.n) return;
    const char *p = key.at, *end = key.at + key.n;
    while (p < end) {
        const char *slash = memchr(p, '/', (size_t)(end - p));
        const char *stop = slash ? slash : end;
        if (stop > p) {
            if (path->n) buf_char(path, '/');
            buf_name(path, (Span){p, (size_t)(stop - p)});
        }
        p = stop + (slash != NULL);
    }
}

// A quoted key from its opening quote on; returns what follows its closing one. Python escapes quotes and backslashes.
static const char *put_quoted_key(Buffer *path, const char *p, const char *end, Arena *a) {
    Buffer key;
    buf_init(&key, a);
    char quote = *p++;
    for (; p < end && *p != quote; p++) {
        if (*p == '\\' && end - p > 1 && (p[1] == '\\' || p[1] == '\'' || p[1] == '"')) p++;
        buf_char(&key, *p);
    }
    put_key(path, (Span){key.at, key.n});
    return p < end ? p + 1 : p;
}

// An index, or whatever Python printed, up to the bracket that closes it.
static const char *put_plain_key(Buffer *path, const char *p, const char *end) {
    const char *start = p;
    int depth = 0;
    char quote = 0;
    for (; p < end; p++) {
        if (quote)
            quote = *p == quote ? 0 : quote;
        else if (*p == '\'' || *p == '"')
            quote = *p;
        else if (*p == '[' || *p == '(')
            depth++;
        else if ((*p == ']' || *p == ')') && depth-- == 0)
            break;
    }
    Span key = {start, (size_t)(p - start)}, flat = SPAN("<flat index ");
    if (key.n > flat.n && memcmp(key.at, flat.at, flat.n) == 0 && p[-1] == '>')
        key = (Span){key.at + flat.n, key.n - flat.n - 1};
    put_key(path, key);
    return p;
}

// A slash outside of brackets: the text is a path already, and dots belong to its keys.
static bool is_path(Span s) {
    const char *bracket = s.n ? memchr(s.at, '[', s.n) : NULL;
    return memchr(s.at, '/', bracket ? (size_t)(bracket - s.at) : s.n) != NULL;
}

static void put_path(Buffer *path, Span s) {
    const char *p = s.at, *end = s.at + s.n;
    if (s.n && is_path(s)) {
        put_key(path, s);
        return;
    }
    while (p < end) {
        if (*p == '[') {
            p++;
            if (p < end && (*p == '\'' || *p == '"'))
                p = put_quoted_key(path, p, end, path->arena);
            else
                p = put_plain_key(path, p, end);
            if (p < end && *p == ']') p++;
            continue;
        }
        if (*p == '.') p++;
        const char *start = p;
        while (p < end && *p != '.' && *p != '[') p++;
        put_key(path, (Span){start, (size_t)(p - start)});
    }
}

const char *names_path(Arena *a, Span key_string) {
    Buffer path;
    buf_init(&path, a);
    put_path(&path, key_string);
    return buf_cstr(&path);
}

// JAX calls the root of the results `result`; it once left it out.
static const char *result_path(Arena *a, Span info) {
    Span root = SPAN("result");
    if (info.n >= root.n && memcmp(info.at, root.at, root.n) == 0 &&
        (info.n == root.n || info.at[root.n] == '[' || info.at[root.n] == '.'))
        info = (Span){info.at + root.n, info.n - root.n};
    Buffer path;
    buf_init(&path, a);
    buf_str(&path, "out");
    put_path(&path, info);
    return buf_cstr(&path);
}

// ---- Lists of names -------------------------------------------------------------------------------------------------

typedef struct NameList {
    const char **at; // NULL: not named
    uint32_t n;
    const char *what; // "argument", "result"
} NameList;

static NameList new_list(Arena *a, uint32_t n, const char *what) {
    return (NameList){arena_zalloc(a, n * sizeof(char *)), n, what};
}

static void name_by_position(Arena *a, NameList *l) {
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->at[i]) continue;
        Buffer b;
        buf_init(&b, a);
        buf_format(&b, l->what[0] == 'a' ? "arg%u" : "out/%u", i);
        l->at[i] = buf_cstr(&b);
    }
}

// The earlier one of the same name; NO_ID if there is none. Enters the name.
static uint32_t find_namesake(IdMap *map, const NameList *l, uint32_t i) {
    uint32_t hash = span_hash(span_of(l->at[i]));
    for (uint32_t p = hash, k; (k = idmap_probe(map, hash, &p)) != IDMAP_END;)
        if (strcmp(l->at[k], l->at[i]) == 0) return k;
    idmap_add(map, hash, i);
    return NO_ID;
}

// Names that were only found, not given, must not keep a program from being read: both go by their position.
static void drop_namesakes(Module *m, Arena *scratch, NameList *l) {
    IdMap map;
    idmap_init(&map, scratch);
    bool *shared = arena_zalloc(scratch, l->n);
    uint32_t first = NO_ID, second = NO_ID;
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t k = l->at[i] ? find_namesake(&map, l, i) : NO_ID;
        if (k == NO_ID) continue;
        shared[i] = shared[k] = true;
        if (first == NO_ID) first = k, second = i;
    }
    if (first == NO_ID) return;
    diag_warning(m->ctx, &m->source, NO_OFFSET, "give names by a .names file or partir.name attributes",
                 "%ss %u and %u are both named '%s': such %ss go by their position", l->what, first, second,
                 l->at[first], l->what);
    for (uint32_t i = 0; i < l->n; i++)
        if (shared[i]) l->at[i] = NULL;
}

// `places`, if any: where in the file each name was given.
static bool check_unique(Module *m, const NameList *l, const Source *file, const size_t *places) {
    Arena scratch;
    arena_init(&scratch, m->ctx);
    IdMap map;
    idmap_init(&map, &scratch);
    bool ok = true;
    for (uint32_t i = 0; ok && i < l->n; i++) {
        uint32_t k = find_namesake(&map, l, i);
        if (k != NO_ID)
            ok = diag_error(m->ctx, file, places ? places[i] : NO_OFFSET, "a slash inside a key counts as a separator",
                            "%ss %u and %u are both named '%s'", l->what, k, i, l->at[i]);
    }
    arena_free(&scratch);
    return ok;
}

// ---- Names from the module ------------------------------------------------------------------------------------------

// The string at `key` in the i-th dictionary of arg_attrs or res_attrs; false if there is none.
static bool find_string(const Module *m, AttrId dicts, uint32_t i, NameId key, Span *out) {
    if (dicts == NO_ID || key == NO_ID) return false;
    const Attr *list = attr_get(m, dicts);
    if (list->kind != ATTR_ARRAY || i >= list->n) return false;
    const Attr *dict = attr_get(m, list->items[i]);
    for (uint32_t k = 0; dict->kind == ATTR_DICT && k < dict->n; k++) {
        const Attr *value = attr_get(m, dict->entries[k].value);
        if (dict->entries[k].name != key || value->kind != ATTR_STRING) continue;
        *out = value->text;
        return true;
    }
    return false;
}

// The name of a location that is a name and nothing else, as JAX writes for arguments.
static bool find_location_name(const Module *m, LocId loc, Span *out) {
    for (int hops = 0; loc != NO_ID && hops < 8; hops++) {
        const Loc *l = &m->locs.at[loc];
        if (l->kind == LOC_NAME) {
            *out = name_get(m, l->name);
            return out->n > 0;
        }
        if (l->kind != LOC_ALIAS) return false;
        loc = l->child;
    }
    return false;
}

bool names_from_module(Module *m) {
    OpId main = module_main(m);
    if (main == NO_ID) return true;
    const Region *body = &m->regions.at[op_region(m, main, 0)];
    uint32_t n_results = body->last == NO_ID ? 0 : op_get(m, body->last)->n_operands;
    NameList args = new_list(&m->arena, body->n_args, "argument"), results = new_list(&m->arena, n_results, "result");
    NameId given = name_find(m, SPAN("partir.name")), info = name_find(m, SPAN("jax.result_info"));
    AttrId arg_attrs = op_attr(m, main, A_arg_attrs), res_attrs = op_attr(m, main, A_res_attrs);
    Span s;
    for (uint32_t i = 0; i < args.n; i++)
        if (body->arg_locs && find_location_name(m, body->arg_locs[i], &s)) args.at[i] = names_path(&m->arena, s);
    for (uint32_t i = 0; i < results.n; i++)
        if (find_string(m, res_attrs, i, info, &s)) results.at[i] = result_path(&m->arena, s);
    Arena scratch;
    arena_init(&scratch, m->ctx);
    drop_namesakes(m, &scratch, &args);
    drop_namesakes(m, &scratch, &results);
    arena_free(&scratch);
    for (uint32_t i = 0; i < args.n; i++)
        if (find_string(m, arg_attrs, i, given, &s)) args.at[i] = names_path(&m->arena, s);
    for (uint32_t i = 0; i < results.n; i++)
        if (find_string(m, res_attrs, i, given, &s)) results.at[i] = names_path(&m->arena, s);
    name_by_position(&m->arena, &args);
    name_by_position(&m->arena, &results);
    m->argument_names = args.at;
    m->result_names = results.at;
    return check_unique(m, &args, &m->source, NULL) && check_unique(m, &results, &m->source, NULL);
}

// ---- Names from a file ----------------------------------------------------------------------------------------------

// line := index TAB key-string
static bool read_name_line(Module *m, const Source *file, Span line, NameList *l, size_t *places) {
    const char *p = line.at, *end = line.at + line.n;
    size_t at = (size_t)(p - file->text);
    uint64_t index = 0;
    for (; p < end && *p >= '0' && *p <= '9' && index <= UINT32_MAX; p++) index = index * 10 + (uint64_t)(*p - '0');
    if (p == line.at || p == end || *p != '\t')
        return diag_error(m->ctx, file, at, "a line is: index, tab, name",
                          "expected the index of an argument and a tab");
    if (index >= l->n)
        return diag_error(m->ctx, file, at, "is this the names file of another module?",
                          "there is no argument %llu: @main has %u", (unsigned long long)index, l->n);
    if (l->at[index])
        return diag_error(m->ctx, file, at, NULL, "argument %llu is named twice", (unsigned long long)index);
    Span key = {p + 1, (size_t)(end - p - 1)};
    l->at[index] = names_path(&m->arena, key);
    places[index] = at;
    if (!l->at[index][0])
        return diag_error(m->ctx, file, (size_t)(key.at - file->text), NULL, "argument %llu has an empty name",
                          (unsigned long long)index);
    return true;
}

bool names_from_text(Module *m, const Source *file) {
    OpId main = module_main(m);
    uint32_t n = main == NO_ID ? 0 : m->regions.at[op_region(m, main, 0)].n_args;
    NameList args = new_list(&m->arena, n, "argument");
    size_t *places = arena_new(&m->arena, size_t, n);
    for (uint32_t i = 0; i < n; i++) places[i] = NO_OFFSET;
    const char *p = file->text, *end = file->text + file->n;
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *stop = newline ? newline : end;
        size_t length = (size_t)(stop - p);
        if (length && stop[-1] == '\r') length--;
        if (length && !read_name_line(m, file, (Span){p, length}, &args, places)) return false;
        p = stop + (newline != NULL);
    }
    name_by_position(&m->arena, &args);
    if (!check_unique(m, &args, file, places)) return false;
    m->argument_names = args.at;
    return true;
}
