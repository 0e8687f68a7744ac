"""Change one thing in a module at a time, and see whether a test fails.

``python -m tests.mutation battlecalc/engines/ends.py -- tests/engines`` tells which changes no test of those
notices. The tests are collected once; for each change a fork runs those of them that reach the changed
function, the fastest first, and stops at the first that fails. Processes that a test starts see nothing of
the change; tests that hold this process against another are left out.

Options, as ``name=value`` before the dashes:

=========  ========================================================================
every      only every so manieth change
lines      only changes on these lines (``100-120``)
numbers    only changes of these numbers (``#12,#40`` in what is told)
budget     seconds of tests for one change, to leave out the slow ones
kept       file that keeps what the tests reach, for the next time
loud       ``loud=1`` tells of all changes, and which test noticed
=========  ========================================================================
"""

from __future__ import annotations

import ast
import gc
import importlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from itertools import accumulate
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).parent.parent
ELSEWHERE = (
    "tests/engines/test_no_jit.py::test_with",
    *(
        f"tests/hard/test_processes.py::test_{name}"
        for name in ("child", "memory", "no_", "ctrl_c", "a_disk", "two_processes")
    ),
)
# Compiled kernels are not seen to be reached, but what calls them is.
CALLERS = {
    "push": "Walk.variant",
    "pull": "_Backward._go",
    "average": "_backward",
    "simulate": "Simulation.fight",
    "side_by_side": "Simulation.fight",
    "mark_dice": "_Counting._with_dice",
}
MEMORY = 8 << 30
SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Continue, ast.Break, ast.Raise)
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}


class Mutant(NamedTuple):
    """A change: where, in which function ("" for none), what, and how the tree is changed."""

    line: int
    function: str
    what: str
    apply: Callable[[], None]


def mutants(node: ast.AST, function: str = "", within: bool = False) -> Iterator[Mutant]:
    """Yield the changes to all that is below a node (`function`: that it is in, or class; `within` that)."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        several = isinstance(value, list)
        for n, child in enumerate(value if several else [value]):
            if not isinstance(child, ast.AST) or isinstance(child, ast.Assert | ast.JoinedStr):
                continue
            if isinstance(child, ast.keyword) and child.arg == "strict":
                continue
            for what, other in changes(child):
                if not within and (isinstance(other, ast.Pass) or function):
                    continue  # of a module, constants only; of a class, functions only

                line = getattr(child, "lineno", getattr(node, "lineno", 0))
                yield Mutant(line, function, what, partial(put, node, field, n if several else None, other))
            name, inside = function, within
            if isinstance(child, ast.ClassDef | ast.FunctionDef) and not within:
                name = f"{function}.{child.name}".lstrip(".")
                inside = isinstance(child, ast.FunctionDef)
            yield from mutants(child, name, inside)


def put(node: ast.AST, field: str, place: int | None, other: ast.AST) -> None:
    """Replace a part of a node."""
    if place is None:
        setattr(node, field, other)
    else:
        getattr(node, field)[place] = other


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield what a node may be replaced by."""
    text = ast.unparse(node).partition("\n")[0]
    if type(node) in SWAPS:
        other = SWAPS[type(node)]
        yield f"{type(node).__name__} -> {other.__name__}", other()
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield f"{text} -> {not node.value}", ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        for step in (1, -1):
            yield f"{text} -> {node.value + step}", ast.Constant(node.value + step)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield f"{text} -> {ast.unparse(node.operand)}", node.operand
    elif isinstance(node, ast.IfExp):
        yield f"branches swapped: {text}", ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield f"{text} -> {NAMES[node.id]}", ast.Name(NAMES[node.id], ast.Load())
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield f"{text} -> {NAMES[node.attr]}", ast.Attribute(node.value, NAMES[node.attr], ast.Load())
    elif isinstance(node, ast.Return) and node.value:
        yield f"{text} -> None", ast.Return(None)
    elif isinstance(node, STATEMENTS) or (
        isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
    ):
        yield f"deleted: {text}", ast.Pass()
    elif isinstance(node, ast.comprehension) and node.ifs:
        every = deepcopy(node)
        every.ifs = []
        yield f"without its condition: {text}", every


def functions(module: dict[str, Any], path: Path) -> dict[str, FunctionType]:
    """Return all functions with these globals that a file holds, by their qualified names."""
    return {
        f.__qualname__: f
        for f in gc.get_objects()
        if isinstance(f, FunctionType) and f.__globals__ is module and f.__code__.co_filename == str(path)
    }


class Module:
    """A module to be changed."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.key = self.path.relative_to(ROOT).as_posix()
        self.module = importlib.import_module(self.key.removesuffix(".py").replace("/", "."))
        self.functions = functions(vars(self.module), self.path)

    def mutants(self) -> list[tuple[ast.Module, Mutant]]:
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        return [(tree, mutant) for mutant in mutants(tree)]

    def change(self, number: int) -> None:
        """Put one change into the functions and constants that are in use."""
        tree, mutant = self.mutants()[number]
        mutant.apply()
        space = {"__name__": self.module.__name__, "__file__": str(self.path)}
        exec(compile(ast.fix_missing_locations(tree), str(self.path), "exec"), space)
        made = functions(space, self.path)
        for name, old in self.functions.items():
            new = made[name]
            old.__code__, old.__defaults__, old.__kwdefaults__ = (
                new.__code__,
                new.__defaults__,
                new.__kwdefaults__,
            )
        for name, value in list(vars(self.module).items()):
            if not mutant.function and name in space and repr(space[name]) != repr(value):
                for other in [m for key, m in sys.modules.items() if key.startswith("battlecalc")]:
                    if getattr(other, name, None) is value:
                        setattr(other, name, space[name])
        if self.module.__name__.endswith("kernels"):
            self._compile_again(mutant.function)

    def _compile_again(self, function: str) -> None:
        """Compile a kernel and all that call it, kept nowhere."""
        import numba

        from battlecalc.engines import compiled

        kernels, stale = vars(self.module), {function}
        fresh = {**kernels, **compiled._compiled}
        fresh |= {name: value for name, value in kernels.items() if name not in compiled._ORDER}
        for name in compiled._ORDER:
            plain = kernels[name]
            if not function or name in stale or stale & set(plain.__code__.co_names):
                stale.add(name)
                copy = FunctionType(plain.__code__, fresh, name, plain.__defaults__)
                fresh[name] = compiled._compiled[name] = numba.njit(nogil=True, error_model="numpy")(copy)
                if hasattr(compiled, name):
                    setattr(compiled, name, fresh[name])


class Plugin:
    """Runs every change of some modules instead of the tests."""

    def __init__(self, paths: list[Path], options: dict[str, str]) -> None:
        self.paths, self.options = paths, options
        self.seconds: dict[str, float] = {}
        self.reached: dict[str, set[str]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        modules = [Module(path) for path in self.paths]
        warm_up()
        gc.collect()
        gc.freeze()
        self.look()
        for module in modules:
            self.test(module)
        return True

    def look(self) -> None:
        """Find what each test reaches and how long it takes; kept in a file, if one is named."""
        kept = Path(self.options["kept"]) if "kept" in self.options else None
        known = json.loads(kept.read_text()) if kept and kept.exists() else {}
        saved = 0.0
        for name, item in self.items.items():
            if name not in known:
                known[name] = in_fork(partial(reach, item))
                if kept and time.monotonic() > saved + 30:
                    kept.write_text(json.dumps(known))
                    saved = time.monotonic()
        if kept:
            kept.write_text(json.dumps(known))
        for name in self.items:
            if known[name][0] < 0:
                print(f"fails unchanged: {name}")
            else:
                self.seconds[name], self.reached[name] = known[name][0], set(known[name][1])

    def test(self, module: Module) -> None:
        """Run all changes of a module."""
        survivors, total = [], 0
        last: dict[str, None] = {}
        first, last_line = map(int, self.options.get("lines", "0-1000000").split("-"))
        for number, (_, mutant) in enumerate(module.mutants()):
            if not first <= mutant.line <= last_line or number % int(self.options.get("every", "1")):
                continue
            if "numbers" in self.options and str(number) not in self.options["numbers"].split(","):
                continue
            total += 1
            names = self.tests_of(module, mutant.function)
            order = [*(name for name in reversed(last) if name in set(names)), *names]
            began = time.perf_counter()
            killer = in_fork(partial(run, module, number, [self.items[x] for x in order], self.seconds))
            taken = time.perf_counter() - began
            if killer is None:
                killer = "time"
            if killer:
                last.pop(killer, None)
                last[killer] = None
            else:
                survivors.append(mutant)
            if killer in ("", "time") or "loud" in self.options:
                print(
                    f"{module.key}:{mutant.line} #{number} {mutant.function}: {mutant.what} "
                    f"[{len(names)} tests, {taken:.1f} s] {killer or 'SURVIVES'}",
                    flush=True,
                )
        print(f"{module.key}: {total} changes, {total - len(survivors)} noticed", flush=True)

    def tests_of(self, module: Module, function: str) -> list[str]:
        """Return the tests that reach a function, the fastest first."""
        key = f"{module.key}::{function}"
        if key.endswith("kernels.py::" + function):
            wanted = {function}
            for name, plain in sorted(module.functions.items(), key=lambda f: f[1].__code__.co_firstlineno):
                wanted |= {name} if wanted & set(plain.__code__.co_names) else set()  # callers come later
            ends = {"::" + CALLERS[name] for name in wanted & set(CALLERS)} | {key}
            found = [n for n, r in self.reached.items() if any(k.endswith(tuple(ends)) for k in r)]
        elif function:
            found = [n for n, r in self.reached.items() if key in r]
        else:
            found = [n for n, r in self.reached.items() if any(k.startswith(module.key) for k in r)]
        found.sort(key=lambda name: self.seconds[name])
        spent = accumulate(self.seconds[name] for name in found)
        budget = float(self.options.get("budget", "inf"))
        return [name for name, s in zip(found, spent, strict=True) if s <= budget]


def warm_up() -> None:
    """Load compiled kernels; what was made meanwhile is forgotten."""
    from tests.engines.small_part import answers

    answers(20)
    for found in gc.get_objects():
        if type(found).__name__ == "_lru_cache_wrapper":
            found.cache_clear()


def limit_memory() -> None:
    """Let a change that asks for more and more fail."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def in_fork(work: Callable[[], Any]) -> Any:
    """Return what `work` returns in a process of its own; None where that dies."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.setsid()
        sink = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(sink, stream)
        limit_memory()
        try:
            os.write(writing, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        found = pipe.read()
    os.waitpid(child, 0)
    return json.loads(found) if found else None


def passes(item: pytest.Item) -> bool:
    reports = runtestprotocol(item, nextitem=None, log=False)
    return not any(report.failed for report in reports)


def reach(item: pytest.Item) -> tuple[float, list[str]]:
    """Return how long a test takes, -1 where it fails, and the functions of the package that it reaches."""
    codes = set()

    def see(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    threading.setprofile(see)
    sys.setprofile(see)
    began = time.perf_counter()
    passed = passes(item)
    taken = time.perf_counter() - began
    sys.setprofile(None)
    here = f"{ROOT}/"
    names = {
        f"{code.co_filename.removeprefix(here)}::{code.co_qualname.partition('.<locals>')[0]}"
        for code in codes
        if code.co_filename.startswith(f"{here}battlecalc")
    }
    return taken if passed else -1.0, sorted(names)


def run(module: Module, number: int, items: list[pytest.Item], seconds: dict[str, float]) -> str:
    """Return the name of the first test that fails with a change, "" where none does."""
    try:
        module.change(number)
    except Exception as error:
        return f"import: {error}"
    for item in items:
        signal.setitimer(signal.ITIMER_REAL, 5 + 10 * seconds[item.nodeid])  # ends the process
        if not passes(item):
            return item.nodeid
    return ""


if __name__ == "__main__":
    split = sys.argv.index("--")
    given = [a for a in sys.argv[1:split] if "=" not in a]
    options = dict(a.split("=", 1) for a in sys.argv[1:split] if "=" in a)
    ignored = [f"--deselect={name}" for name in ELSEWHERE]
    plugin = Plugin([Path(path) for path in given], options)
    sys.exit(
        pytest.main(["-q", "-s", "-pno:faulthandler", *ignored, *sys.argv[split + 1 :]], plugins=[plugin])
    )
