"""Whether time grows in proportion to the program: four times as many ops take at most 6.5 times as long.

    python tests/growth.py PARTIR [--ops tanh,dot] [--forms chain,fan] [--length 2000] [--instructions]

Chains, fans and other forms of every op of tests/chains.txt are read, partitioned and simulated on three devices at LENGTH ops and at
four times as many. What is quadratic takes sixteen times as long. Processor seconds are measured, a suspect three times; with
--instructions, those that valgrind counts.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

T = "tensor<4x4xf32>"
CONSTANTS = f"""  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.constant dense<true> : tensor<i1>
  %g = stablehlo.constant dense<0> : tensor<4x1xi32>
  %v = stablehlo.constant dense<1.0> : tensor<4xf32>
  %shape = stablehlo.constant dense<4> : tensor<2xi64>
"""
FUNCTION = f"""func.func private @f(%x: {T}) -> {T} {{
  %0 = stablehlo.abs %x : {T}
  return %0 : {T}
}}
"""
LOOP = f"""  %ten = stablehlo.constant dense<10> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %w:2 = stablehlo.while(%j0 = %i, %a0 = %x) : tensor<i32>, {T}
  cond {{
    %q0 = stablehlo.compare LT, %j0, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %q0 : tensor<i1>
  }} do {{
"""
SCHEDULE = "mesh a=2, b=2\ndevice {}\ntactic A on a {{ ** : first_divisible }}\ntactic B on b {{ out/0 : 0 }}\n"
DEVICES = ("host", "tpu_v5e", "h100")
FACTOR, MOST = 4, 6.5


def op_text(op, reads, result):
    op = re.sub(r"\bR([a-d]?)\b", lambda m: result + m[1], op)
    op = re.sub(r"\bT\b", T, re.sub(r"\bX\b", reads, op))
    return "  " + op.replace("; ", "\n  ") + "\n"


def scaled(op, k):
    """The op on a value that is no other's."""
    value = f"  %k{k} = stablehlo.constant dense<{k}.5> : {T}\n  %m{k} = stablehlo.multiply %x, %k{k} : {T}\n"
    return value + op_text(op, f"%m{k}", f"%r{k}")


def link(op, k, first):
    return op_text(op, f"%r{k - 1}" if k else first, f"%r{k}")


def main_of(result, body, arguments=f"%x: {T}, %y: {T}"):
    return f"{FUNCTION}func.func @main({arguments}) -> ({result}) {{\n{CONSTANTS}{body}}}\n"


def chain(op, n):
    """Each reads the one before."""
    return main_of(T, "".join(link(op, k, "%x") for k in range(n)) + f"  return %r{n - 1} : {T}\n")


def fan(op, n):
    """All read one value, and are added up."""
    body = [op_text(op, "%x", f"%r{k}") for k in range(n)] + [f"  %s0 = stablehlo.add %r0, %r0 : {T}\n"]
    body += [f"  %s{k} = stablehlo.add %s{k - 1}, %r{k} : {T}\n" for k in range(1, n)]
    return main_of(T, "".join(body) + f"  return %s{n - 1} : {T}\n")


def wide(op, n):
    """Different ones, and one op that reads them all."""
    names, result = ", ".join(f"%r{k}" for k in range(n)), f"tensor<{4 * n}x4xf32>"
    last = f"  %c = stablehlo.concatenate {names}, dim = 0 : ({', '.join([T] * n)}) -> {result}\n  return %c : {result}\n"
    return main_of(result, "".join(scaled(op, k) for k in range(n)) + last)


def outs(op, n):
    """Each gives a result of the program."""
    names, types = ", ".join(f"%r{k}" for k in range(n)), ", ".join([T] * n)
    return main_of(types, "".join(scaled(op, k) for k in range(n)) + f"  return {names} : {types}\n")


def args(op, n):
    """Each reads an argument of its own."""
    body = [f"  %y = stablehlo.abs %x0 : {T}\n"]
    for k in range(n):
        before = f"%s{k - 1}" if k else "%y"
        body += [op_text(op, f"%x{k}", f"%r{k}"), f"  %s{k} = stablehlo.add %r{k}, {before} : {T}\n"]
    arguments = ", ".join(f"%x{k}: {T}" for k in range(n))
    return main_of(T, "".join(body) + f"  return %s{n - 1} : {T}\n", arguments)


def donors(op, n):
    """Each reads an argument of its own, which is donated, and gives a result."""
    body = f"  %y = stablehlo.constant dense<2.0> : {T}\n" + "".join(op_text(op, f"%x{k}", f"%r{k}") for k in range(n))
    names, types = ", ".join(f"%r{k}" for k in range(n)), ", ".join([T] * n)
    arguments = ", ".join(f"%x{k}: {T} {{jax.buffer_donor = true}}" for k in range(n))
    return main_of(types, body + f"  return {names} : {types}\n", arguments)


def skip(op, n):
    """A chain, and one backwards that reads all of its values, as in training."""
    body = [link(op, k, "%x") for k in range(n)]
    for k in reversed(range(n)):
        before = f"%b{k + 1}" if k < n - 1 else "%y"
        body.append(f"  %b{k} = stablehlo.multiply {before}, %r{k} : {T}\n")
    return main_of(T, "".join(body) + f"  return %b0 : {T}\n")


def loop(op, n):
    """A chain in a loop."""
    end = f"    %j1 = stablehlo.add %j0, %one : tensor<i32>\n    stablehlo.return %j1, %r{n - 1} : tensor<i32>, {T}\n  }}\n"
    body = LOOP + "".join(link(op, k, "%a0") for k in range(n)) + end
    return main_of(T, body + f"  return %w#1 : {T}\n")


PER_LEVEL = 40


def nest(op, n):
    """Branches inside branches, each with a chain before the next one."""
    levels, body, before = n // PER_LEVEL, [], "%x"
    for level in range(levels):
        for k in range(level * PER_LEVEL, (level + 1) * PER_LEVEL):
            body.append(op_text(op, before, f"%r{k}"))
            before = f"%r{k}"
        body.append(f'  %n{level} = "stablehlo.if"(%p) ({{\n')
    body.append(f'  "stablehlo.return"({before}) : ({T}) -> ()\n')
    for level in reversed(range(levels)):
        last = f"%r{(level + 1) * PER_LEVEL - 1}"
        body.append(f'  }}, {{ "stablehlo.return"({last}) : ({T}) -> () }}) : (tensor<i1>) -> {T}\n')
        if level:
            body.append(f'  "stablehlo.return"(%n{level}) : ({T}) -> ()\n')
    return main_of(T, "".join(body) + f"  return %n0 : {T}\n")


def loops(op, n):
    """Loops inside loops, each with a chain before the next one."""
    levels, body, before = n // PER_LEVEL, [], "%x"
    body.append("  %ten = stablehlo.constant dense<10> : tensor<i32>\n  %one = stablehlo.constant dense<1> : tensor<i32>\n")
    for level in range(levels):
        body.append(
            f"  %w{level}:2 = stablehlo.while(%j{level} = %i, %a{level} = {before}) : tensor<i32>, {T}\n  cond {{\n"
            f"  %q{level} = stablehlo.compare LT, %j{level}, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            f"  stablehlo.return %q{level} : tensor<i1>\n  }} do {{\n"
        )
        before = f"%a{level}"
        for k in range(level * PER_LEVEL, (level + 1) * PER_LEVEL):
            body.append(op_text(op, before, f"%r{k}"))
            before = f"%r{k}"
    for level in reversed(range(levels)):
        body.append(
            f"  %l{level} = stablehlo.add %j{level}, %one : tensor<i32>\n"
            f"  stablehlo.return %l{level}, {before} : tensor<i32>, {T}\n  }}\n"
        )
        before = f"%w{level}#1"
    return main_of(T, "".join(body) + f"  return %w0#1 : {T}\n")


def tapped(read):
    """A chain of which a kernel of its own reads each value."""

    def form(op, n):
        body = "".join(link(op, k, "%x") + op_text(read, f"%r{k}", f"%t{k}") for k in range(n))
        names, types = ", ".join(f"%t{k}" for k in range(n)), ", ".join([T] * n)
        return main_of(types, body + f"  return {names} : {types}\n")

    return form


def dots(op, n):
    return tapped("R = stablehlo.dot_general X, %y, contracting_dims = [1] x [0] : (T, T) -> T")(op, n)


def sums(op, n):
    sum_of = "Ra = stablehlo.reduce(X init: %z) applies stablehlo.add across dimensions = [0] : (T, tensor<f32>) -> tensor<4xf32>"
    return tapped(sum_of + "; R = stablehlo.broadcast_in_dim Ra, dims = [1] : (tensor<4xf32>) -> T")(op, n)


FORMS = {form.__name__: form for form in (chain, fan, wide, outs, args, donors, skip, loop, nest, loops, dots, sums)}


def spent(command, count_instructions):
    if count_instructions:
        valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
        text = subprocess.run(valgrind, capture_output=True, text=True, check=True).stderr
        return float(re.search(r"refs: *([\d,]+)", text)[1].replace(",", ""))
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"status {status}: {' '.join(map(str, command))}")
    return used.ru_utime + used.ru_stime


def try_form(name, form, op, options, folder):
    """How many commands took too long."""
    files = {n: folder / f"{n}.mlir" for n in (options.length, FACTOR * options.length)}
    for n, path in files.items():
        path.write_text(form(op, n))
    commands = {"check": ["check", "{}"], "partition": ["partition", "{}", folder / "host", "--quiet", "-o", "/dev/null"]}
    commands |= {device: ["simulate", "{}", folder / device, "--quiet"] for device in DEVICES}
    bad = 0
    for what, command in commands.items():
        def best(rounds):
            few, many = (
                min(
                    spent([options.partir, *(path if word == "{}" else word for word in command)], options.instructions)
                    for _ in range(rounds)
                )
                for path in files.values()
            )
            return few, many

        few, many = best(1)
        if not options.instructions and many > MOST * few + 0.05:
            few, many = best(3)
        if many > MOST * few + (0 if options.instructions else 0.05):
            print(f"{name} {form.__name__}, {what}: {few:g}, then {many:g}", flush=True)
            bad += 1
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("partir")
    parser.add_argument("--ops", default="")
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--length", type=int, default=2000)
    parser.add_argument("--instructions", action="store_true")
    options = parser.parse_args()
    lines = Path(__file__).with_name("chains.txt").read_text().splitlines()
    ops = dict(line.split("|", 1) for line in lines if not line.startswith("#"))
    chosen = options.ops.split(",") if options.ops else list(ops)
    tried = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for device in DEVICES:
            (Path(folder) / device).write_text(SCHEDULE.format(device))
        for name in chosen:
            for form in options.forms.split(","):
                bad += try_form(name, FORMS[form], ops[name], options, Path(folder))
                tried += 1
    print(f"{tried} forms of ops, {bad} grow too fast")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
