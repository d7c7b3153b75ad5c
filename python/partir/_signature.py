"""What a function's arguments are called, which of them are static, and which results are their next state.

    def step(state, x): ...        names: state['params'][0]['w'], ..., x          ties: {"state": "out/0"}
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from jax.tree_util import keystr, tree_flatten_with_path, treedef_children

from partir._check import FUNCTION, NAMES, NUMBERS, check

Tree = Any


def _as_tuple(x: Any) -> tuple[Any, ...]:
    return () if x is None else (x,) if isinstance(x, (int, str)) else tuple(x)


@dataclass(frozen=True)
class Signature:
    """The parameters of a function. `static_argnums` and `static_argnames` name the same ones, however they are passed."""

    positional: tuple[str, ...]
    rest: str | None  # *rest
    static_argnums: tuple[int, ...]
    static_argnames: tuple[str, ...]

    @staticmethod
    def of(
        function: Callable[..., Any],
        static_argnums: int | Sequence[int] | None,
        static_argnames: str | Sequence[str] | None,
    ) -> Signature:
        """The signature of a function with these static arguments, by position or by name as in `jax.jit`."""
        check("function", function, FUNCTION)
        check("static_argnums", static_argnums, NUMBERS, optional=True)
        check("static_argnames", static_argnames, NAMES, optional=True)
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):  # a builtin that does not tell
            parameters = []
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        positional = tuple(p.name for p in parameters if p.kind in kinds)
        rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
        count = len(positional)
        numbers = {i + count if i < 0 else i for i in _as_tuple(static_argnums)}
        names = set(_as_tuple(static_argnames))
        both = {i for i in range(count) if i in numbers or positional[i] in names}
        return Signature(
            positional,
            rest,
            tuple(sorted(numbers | both)),
            tuple(sorted(names | {positional[i] for i in both})),
        )

    def split(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Tree, tuple[Any, ...]]:
        """The pytree of what is traced, ((args), {kwargs}), and the static values."""
        if not self.static_argnums and not self.static_argnames:
            return (args, kwargs), ()
        dynamic = tuple(a for i, a in enumerate(args) if i not in self.static_argnums)
        static = tuple((i, a) for i, a in enumerate(args) if i in self.static_argnums)
        dynamic_kwargs = {k: v for k, v in kwargs.items() if k not in self.static_argnames}
        by_name = tuple((k, kwargs[k]) for k in sorted(kwargs) if k in self.static_argnames)
        for which, value in (*static, *by_name):
            if not isinstance(value, Hashable):
                name = self.positional[which] if isinstance(which, int) and which < len(self.positional) else which
                raise ValueError(f"argument {name} is static, so that it must be hashable, and a {type(value).__name__} is not")
        return (dynamic, dynamic_kwargs), (static, by_name)

    def roots(self, count: int) -> list[str]:
        """What each traced positional argument is called, of a call with `count` positional arguments in all."""

        def name(i: int) -> str:
            if i < len(self.positional):
                return self.positional[i]
            return f"{self.rest or 'args'}[{i - len(self.positional)}]"

        return [name(i) for i in range(count) if i not in self.static_argnums]

    def names(self, dynamic: Tree, count: int) -> list[str]:
        """The name of each leaf of ((args), {kwargs}) as a JAX key string."""
        args, kwargs = dynamic
        trees = [*zip(self.roots(count), args), *((k, kwargs[k]) for k in sorted(kwargs))]
        return [root + keystr(path) for root, tree in trees for path, _ in tree_flatten_with_path(tree)[0]]


# ---- Ties -----------------------------------------------------------------------------------------------------------


@dataclass
class _Node:
    """A subtree: where it is, what it looks like, which of the flattened leaves it has."""

    key: str
    structure: Any
    leaves: range
    depth: int
    _flat: Sequence[tuple[Any, Any]]  # path and type of each leaf of the whole tree, whose first leaf has number _first
    _first: int

    @staticmethod
    def of(tree: Tree, key: str, first: int) -> _Node:
        """A tree of abstract arrays, whose leaves are numbered from `first` on."""
        flat, structure = tree_flatten_with_path(tree)
        typed = [(path, (leaf.shape, leaf.dtype)) for path, leaf in flat]
        return _Node(key, structure, range(first, first + len(flat)), 0, typed, first)

    @functools.cached_property
    def form(self) -> Any:
        """What is the same for subtrees of one structure with arrays of the same types."""
        first, end = self.leaves.start - self._first, self.leaves.stop - self._first
        return self.structure, tuple([type_ for _, type_ in self._flat[first:end]])

    @functools.cached_property
    def children(self) -> list[_Node]:
        """The subtrees right below that have leaves."""
        found, at = [], self.leaves.start
        for child in treedef_children(self.structure):
            leaves = range(at, at := at + child.num_leaves)
            if leaves:
                path, _ = self._flat[leaves.start - self._first]
                key = keystr(path[self.depth : self.depth + 1], simple=True)
                found.append(_Node(key, child, leaves, self.depth + 1, self._flat, self._first))
        return found


def _of_size(root: _Node, count: int) -> dict[Any, list[_Node]]:
    """The subtrees with so many leaves by their form, the outermost first."""
    found: dict[Any, list[_Node]] = {}
    level = [root]
    while level:
        for node in level:
            if len(node.leaves) == count:
                found.setdefault(node.form, []).append(node)
        level = [child for node in level for child in node.children if len(child.leaves) >= count]
    return found


def ties(
    arguments: Sequence[Tree], roots: Sequence[str], donated: Sequence[bool], results: Tree
) -> list[tuple[range, range]]:
    """Which leaves of the arguments become which leaves of the results.

    A donated argument is the last state of a result of its form: of one with its name, else of the first and largest.
    Where no result has its form, its parts are looked for by themselves, and a single array only under its own name.
    Large arguments choose first: parameters must not take the moments that belong to the optimizer's state.
    """
    by_form = functools.cache(functools.partial(_of_size, _Node.of(results, "out", 0)))
    taken: set[int] = set()
    found: list[tuple[range, range]] = []

    def tie(node: _Node, by_name: bool) -> bool:
        hits = []
        if len(node.leaves) and all(donated[i] for i in node.leaves):
            hits = [n for n in by_form(len(node.leaves)).get(node.form, ()) if taken.isdisjoint(n.leaves)]
        hit = next((n for n in hits if n.key == node.key), None if by_name or not hits else hits[0])
        if hit:
            taken.update(hit.leaves)
            found.append((node.leaves, hit.leaves))
        return hit is not None

    nodes: list[_Node] = []
    for root, tree in zip(roots, arguments):
        nodes.append(_Node.of(tree, root, nodes[-1].leaves.stop if nodes else 0))
    nodes.sort(key=lambda n: -len(n.leaves))
    whole = True
    while nodes:
        rest = [n for n in nodes if not tie(n, by_name=not (whole or n.children))]
        nodes, whole = [child for n in rest for child in n.children], False
    return sorted(found, key=lambda pair: pair[0].start)


def tie_lines(found: Sequence[tuple[range, range]], arguments: Sequence[str], results: Sequence[str]) -> dict[str, str]:
    """Ties as a schedule has them, from path prefix to path prefix."""

    def prefix(paths: Sequence[str]) -> str:
        first, *more = (path.split("/") for path in paths)
        same = len(first)
        for parts in more:
            same = next((i for i, (a, b) in enumerate(zip(first[:same], parts)) if a != b), same)
        return "/".join(first[:same])

    return {prefix(arguments[a.start : a.stop]): prefix(results[r.start : r.stop]) for a, r in found}
