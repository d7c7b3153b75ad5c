/* The library in another program: read a module, list its arguments, print it back.
 *
 *     cc embed.c $(pkg-config --cflags --libs partir) -o embed && ./embed model.mlir
 */
#include <partir.h>
#include <stdio.h>
#include <string.h>

static void show_diagnostic(void *user, const partir_diagnostic *d) {
    char text[1000];
    partir_diagnostic_format(d, 0, text, sizeof text);
    fprintf((FILE *)user, "%s\n", text);
}

static void show_value(partir_value_info value) {
    uint32_t i;
    printf("%s : ", value.name);
    for (i = 0; i < value.rank; i++) printf("%lldx", (long long)value.shape[i]);
    printf("%s\n", value.type);
}

int main(int count, char **arguments) {
    partir_options options;
    partir_context *ctx;
    partir_module *module;
    partir_text *text;
    uint32_t i;
    int status = 1;

    if (count != 2) {
        fprintf(stderr, "usage: embed MODEL.mlir\n");
        return 2;
    }
    memset(&options, 0, sizeof options);
    options.user = stderr;
    options.diagnostic = show_diagnostic;
    ctx = partir_context_create(&options);
    if (!ctx) return 1;
    module = partir_module_read_file(ctx, arguments[1]);
    if (!module) {
        partir_context_destroy(ctx);
        return 1;
    }
    for (i = 0; i < partir_module_argument_count(module); i++) show_value(partir_module_argument(module, i));
    for (i = 0; i < partir_module_result_count(module); i++) show_value(partir_module_result(module, i));
    text = partir_module_print(module, PARTIR_PRINT_PRETTY);
    if (text) status = fputs(partir_text_data(text), stdout) < 0;

    partir_text_destroy(text);
    partir_module_destroy(module);
    partir_context_destroy(ctx);
    return status;
}
