// Programs on simulated devices: collectives in every mode, devices that part ways, caps, and control flow.
#include "interp/interp.h"
#include "stablehlo/check.h"
#include "stablehlo/read/reader.h"
#include "support/guard.h"
#include "test.h"
#include <stdio.h>

static Context *ctx;
static char message[1024];

static void take_message(void *user, const partir_diagnostic *d) {
    (void)user;
    if (!message[0]) snprintf(message, sizeof message, "%s", d->message);
}

// Runs @main of `text` on a grid; each device's arguments are i32 vectors of 4: device * 10 + 0..3, and so on for the
// next argument, 100 more. The results of all devices are left in `out`, as i32.
static int32_t out[16][64];

static bool run_on(const char *text, uint32_t replicas, uint32_t partitions, uint64_t max_steps, uint64_t max_memory) {
    message[0] = 0;
    Guard g;
    bool good = false;
    Module *m = NULL;
    if (!GUARD(ctx, &g)) return false;
    m = module_new(ctx);
    source_from_memory(&m->source, "t.mlir", text, strlen(text));
    good = read_module(m) && check_module(m);
    Interp *it = good ? interp_new(m, &(InterpOptions){max_memory, max_steps, replicas, partitions}) : NULL;
    if (it) {
        OpId main = module_main(m);
        uint32_t n = m->regions.at[op_region(m, main, 0)].n_args, devices = interp_devices(it);
        Tensor *in[64], *results[64];
        for (uint32_t d = 0; d < devices; d++)
            for (uint32_t i = 0; i < n; i++) {
                in[d * n + i] = interp_tensor(it, EL_I32, 1, (int64_t[]){4});
                for (int k = 0; k < 4; k++)
                    ((int32_t *)(void *)in[d * n + i]->data)[k] = (int32_t)(100 * i + 10 * d) + k;
            }
        good = interp_run(it, main, in, results);
        for (uint32_t d = 0; good && d < devices; d++) memcpy(out[d], results[d]->data, tensor_bytes(results[d]));
        interp_free(it);
    }
    module_free(m);
    guard_close(ctx, &g);
    if (!good && !message[0]) snprintf(message, sizeof message, "failed without a message");
    return good;
}

static bool run(const char *text, uint32_t replicas, uint32_t partitions) {
    bool good = run_on(text, replicas, partitions, 0, 0);
    if (!good) printf("%s\n", message);
    return good;
}

#define ADD                                                                                                            \
    "({ ^bb0(%a: tensor<i32>, %b: tensor<i32>): %s = stablehlo.add %a, %b : tensor<i32> stablehlo.return %s : tensor<i32> })"

static void all_reduce_by_flattened_ids(void) {
    CHECK(run("func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
              "%0 = \"stablehlo.all_reduce\"(%x) " ADD " {replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>,"
              " channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}"
              " : (tensor<4xi32>) -> tensor<4xi32>\n return %0 : tensor<4xi32> }",
              2, 2));
    CHECK_INT(out[0][1], 1 + 31);
    CHECK_INT(out[3][1], 1 + 31);
    CHECK_INT(out[1][0], 10 + 20);
}

static void all_reduce_by_replica(void) {
    // Without a channel: replicas, each partition for itself. Device = replica * 2 + partition.
    const char *text = "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
                       "%0 = \"stablehlo.all_reduce\"(%x) " ADD " {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}"
                       " : (tensor<4xi32>) -> tensor<4xi32>\n return %0 : tensor<4xi32> }";
    CHECK(run(text, 2, 2));
    CHECK_INT(out[0][0], 0 + 20);
    CHECK_INT(out[1][0], 10 + 30);
    // With a channel: replicas and all their partitions.
    text = "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
           "%0 = \"stablehlo.all_reduce\"(%x) " ADD " {replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>,"
           " channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}"
           " : (tensor<4xi32>) -> tensor<4xi32>\n return %0 : tensor<4xi32> }";
    CHECK(run(text, 2, 2));
    CHECK_INT(out[0][0], 0 + 10);
    CHECK_INT(out[3][0], 20 + 30);
}

static void any_body_reduces(void) {
    CHECK(run(
        "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
        "%0 = \"stablehlo.all_reduce\"(%x) ({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
        "  %c = stablehlo.constant dense<2> : tensor<i32> %d = stablehlo.multiply %a, %c : tensor<i32>\n"
        "  %s = stablehlo.add %d, %b : tensor<i32> stablehlo.return %s : tensor<i32> })"
        " {replica_groups = dense<> : tensor<0x0xi64>} : (tensor<4xi32>) -> tensor<4xi32>\n return %0 : tensor<4xi32> }",
        3, 1));
    CHECK_INT(out[2][0], (0 * 2 + 10) * 2 + 20);
}

static void gathers_scatters_and_exchanges(void) {
    CHECK(run(
        "func.func @main(%x: tensor<4xi32>) -> tensor<8xi32> {\n"
        "%0 = \"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}"
        " : (tensor<4xi32>) -> tensor<8xi32>\n return %0 : tensor<8xi32> }",
        2, 1));
    CHECK(out[0][0] == 10 && out[0][4] == 0 && out[1][7] == 3);
    CHECK(run("func.func @main(%x: tensor<4xi32>) -> tensor<2xi32> {\n"
              "%0 = \"stablehlo.reduce_scatter\"(%x) " ADD
              " {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}"
              " : (tensor<4xi32>) -> tensor<2xi32>\n return %0 : tensor<2xi32> }",
              2, 1));
    CHECK(out[0][0] == 10 && out[0][1] == 12 && out[1][0] == 14 && out[1][1] == 16);
    CHECK(run(
        "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
        "%0 = \"stablehlo.all_to_all\"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64,"
        " replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xi32>) -> tensor<4xi32>\n return %0 : tensor<4xi32> }",
        2, 1));
    CHECK(out[0][0] == 0 && out[0][2] == 10 && out[1][0] == 2 && out[1][3] == 13);
    CHECK(run(
        "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
        "%0 = \"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>,"
        " channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<4xi32>) -> tensor<4xi32>\n"
        " return %0 : tensor<4xi32> }",
        1, 3));
    CHECK(out[0][3] == 0 && out[1][3] == 3 && out[2][3] == 13);
    CHECK(run("func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
              "%0 = \"stablehlo.collective_broadcast\"(%x) {replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}"
              " : (tensor<4xi32>) -> tensor<4xi32>\n return %0 : tensor<4xi32> }",
              4, 1));
    CHECK(out[0][1] == 0 && out[1][1] == 21 && out[2][1] == 21 && out[3][1] == 0);
}

static void devices_know_who_they_are(void) {
    CHECK(run(
        "func.func @main() -> tensor<ui32> {\n %0 = stablehlo.partition_id : tensor<ui32>\n %1 = stablehlo.replica_id : tensor<ui32>\n"
        " %c = stablehlo.constant dense<10> : tensor<ui32>\n %2 = stablehlo.multiply %1, %c : tensor<ui32>\n"
        " %3 = stablehlo.add %0, %2 : tensor<ui32>\n return %3 : tensor<ui32> }",
        2, 3));
    CHECK(out[0][0] == 0 && out[2][0] == 2 && out[3][0] == 10 && out[5][0] == 12);
}

// A loop of `limit` rounds (a word of the program) with an all_reduce in its body; x doubles each time on two devices.
static const char loop[] =
    "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
    " %zero = stablehlo.constant dense<0> : tensor<i32>\n %id = stablehlo.replica_id : tensor<ui32>\n"
    " %n = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>\n %three = stablehlo.constant dense<3> : tensor<i32>\n"
    " %four = stablehlo.add %three, %n : tensor<i32>\n"
    " %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xi32>\n"
    " cond { %p = stablehlo.compare LT, %i, %%%s : (tensor<i32>, tensor<i32>) -> tensor<i1>\n stablehlo.return %p : tensor<i1> }\n"
    " do { %one = stablehlo.constant dense<1> : tensor<i32>\n %j = stablehlo.add %i, %one : tensor<i32>\n"
    "  %w = \"stablehlo.all_reduce\"(%v) " ADD " {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}"
    " : (tensor<4xi32>) -> tensor<4xi32>\n  stablehlo.return %j, %w : tensor<i32>, tensor<4xi32> }\n"
    " return %0#1 : tensor<4xi32> }";

static const char *loop_with(const char *limit) {
    static char text[4096];
    const char *hole = strstr(loop, "%%%s");
    snprintf(text, sizeof text, "%.*s%%%s%s", (int)(hole - loop), loop, limit, hole + 4);
    return text;
}

static void collectives_in_loops(void) {
    CHECK(run(loop_with("three"), 2, 1));
    CHECK(out[0][1] == 4 * (1 + 11) && out[1][1] == 4 * (1 + 11));
    CHECK(!run_on(loop_with("four"), 2, 1, 0, 0)); // the second device wants a fourth round
    CHECK(strstr(message, "stablehlo.all_reduce") && strstr(message, "does not arrive"));
}

static void devices_part_in_branches(void) {
    static const char text[] =
        "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
        " %id = stablehlo.replica_id : tensor<ui32>\n %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>\n"
        " %0 = \"stablehlo.case\"(%i) ({ stablehlo.return %x : tensor<4xi32> }, {\n"
        "  %1 = stablehlo.add %x, %x : tensor<4xi32>\n stablehlo.return %1 : tensor<4xi32> }, {\n"
        "  %2 = stablehlo.negate %x : tensor<4xi32>\n stablehlo.return %2 : tensor<4xi32> }) : (tensor<i32>) -> tensor<4xi32>\n"
        " return %0 : tensor<4xi32> }";
    CHECK(run(text, 4, 1));
    CHECK(out[0][1] == 1 && out[1][1] == 22 && out[2][1] == -21 && out[3][1] == -31);
}

static void mismatched_groups_are_errors(void) {
    CHECK(!run_on("func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
                  "%0 = \"stablehlo.all_reduce\"(%x) " ADD " {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}"
                  " : (tensor<4xi32>) -> tensor<4xi32>\n return %0 : tensor<4xi32> }",
                  2, 1, 0, 0));
    CHECK(strstr(message, "stablehlo.all_reduce") != NULL);
    CHECK(!run_on("func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
                  "%0 = \"stablehlo.all_reduce\"(%x) " ADD " {replica_groups = dense<[[0]]> : tensor<1x1xi64>}"
                  " : (tensor<4xi32>) -> tensor<4xi32>\n return %0 : tensor<4xi32> }",
                  2, 1, 0, 0));
    CHECK(strstr(message, "in no group") != NULL);
}

static void caps_stop_what_does_not_end(void) {
    static const char endless[] =
        "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
        " %0 = stablehlo.while(%v = %x) : tensor<4xi32>\n"
        " cond { %t = stablehlo.constant dense<true> : tensor<i1>\n stablehlo.return %t : tensor<i1> }\n"
        " do { %w = stablehlo.add %v, %v : tensor<4xi32>\n stablehlo.return %w : tensor<4xi32> }\n"
        " return %0 : tensor<4xi32> }";
    CHECK(!run_on(endless, 1, 1, 10000, 0));
    CHECK(strstr(message, "10000 steps") != NULL);
    static const char large[] =
        "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
        " %0 = stablehlo.iota dim = 0 : tensor<1000000xi32>\n %1 = stablehlo.add %0, %0 : tensor<1000000xi32>\n"
        " return %x : tensor<4xi32> }";
    CHECK(!run_on(large, 1, 1, 0, 6000000));
    CHECK(strstr(message, "memory cap") != NULL);
    CHECK(run_on(large, 1, 1, 0, 30000000));
}

// A hundred tensors of a megabyte one after the other need the memory of a few.
static void tensors_die_after_their_last_use(void) {
    static char text[20000];
    size_t n = (size_t)snprintf(
        text, sizeof text,
        "func.func @main(%%x: tensor<4xi32>) -> tensor<4xi32> {\n %%v0 = stablehlo.iota dim = 0 : tensor<262144xi32>\n");
    for (int i = 0; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, " %%v%d = stablehlo.add %%v%d, %%v%d : tensor<262144xi32>\n",
                              i + 1, i, i);
    snprintf(text + n, sizeof text - n, " return %%x : tensor<4xi32> }");
    CHECK(run_on(text, 1, 1, 0, 8000000));
}

static void functions_must_not_recur(void) {
    CHECK(!run_on(
        "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> { %0 = func.call @f(%x) : (tensor<4xi32>) -> tensor<4xi32>\n return %0 : tensor<4xi32> }\n"
        "func.func private @f(%x: tensor<4xi32>) -> tensor<4xi32> { %0 = func.call @f(%x) : (tensor<4xi32>) -> tensor<4xi32>\n"
        " return %0 : tensor<4xi32> }",
        1, 1, 0, 0));
    CHECK(message[0] != 0);
}

int main(void) {
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .diagnostic = take_message}, &ctx);
    RUN(all_reduce_by_flattened_ids);
    RUN(all_reduce_by_replica);
    RUN(any_body_reduces);
    RUN(gathers_scatters_and_exchanges);
    RUN(devices_know_who_they_are);
    RUN(collectives_in_loops);
    RUN(devices_part_in_branches);
    RUN(mismatched_groups_are_errors);
    RUN(caps_stop_what_does_not_end);
    RUN(tensors_die_after_their_last_use);
    RUN(functions_must_not_recur);
    partir_context_destroy(ctx);
    return test_end();
}
