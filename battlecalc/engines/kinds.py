"""Kinds of states: what comes next in a battle depends on the pair of kinds, and on nothing else.

A kind is a signature (which units are present) and all that policies answer in its states: where nobody
decides, kinds are signatures.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from battlecalc.program.layout import (
    AFTER,
    ANSWERS,
    BY_BOTH,
    DECIDE,
    GONE,
    OP_WORDS,
    SIDE,
    SLOT,
    WHERE_ASKED,
)
from battlecalc.program.program import Program, Variant
from battlecalc.program.states import distinct

Ints = NDArray[np.int32]
Pairs = NDArray[np.bool_]  # which pairs of kinds there may be

MOST_ANSWERS = 1_000_000
MOST_KINDS = 200  # with more, laying a battle out takes longer than to fight it a hundred thousand times


class NotPlain(Exception):
    """The battle is to be fought by the general loop."""


def operations_of(variant: Variant) -> range:
    """Return where the operations of a variant are."""
    return range(variant.ops, variant.ops + OP_WORDS * variant.count, OP_WORDS)


class Kinds:
    """The kinds of both sides' states, and tables by their pairs.

    Attributes
    ----------
    of : (ndarray of int, ndarray of int)
        Kind of each state of the attacker, and of the defender.
    counts : (int, int)
        How many kinds there are.
    width : int
        Kinds of the defender.
    pairs : int
        Pairs of kinds; their numbers are ``attacker's * width + defender's``.

    Raises
    ------
    NotPlain
        Where policies tell too many kinds apart.
    """

    def __init__(self, program: Program) -> None:
        self._program, self._words = program, program.words
        variants = [variant for stage in program.stages for row in stage.variants for variant in row]
        self._decisions = {at for v in variants for at in operations_of(v) if self._words[at] == DECIDE}
        self.of = (self._find(0), self._find(1))
        examples = [np.unique(kinds, return_index=True)[1] for kinds in self.of]
        self._examples = np.ix_(*examples)
        self.counts = (len(examples[0]), len(examples[1]))
        self.width, self.pairs = self.counts[1], self.counts[0] * self.counts[1]
        a, d = (self._signatures(side)[examples[side]].astype(np.intp) for side in (0, 1))
        self._signature_pairs = np.add.outer(a * program.signatures[2], d).ravel()
        self._tables: dict[int, Ints] = {}

    def _find(self, side: int) -> NDArray[np.intp]:
        """Return the kind of each state of a side."""
        signatures = self._signatures(side)
        if not self._decisions:
            return signatures.astype(np.intp)
        columns = [signatures[:, None]]
        for at in sorted(self._decisions):
            answers = self._answers(at) if side == 0 else self._answers(at).T
            if len(answers) == len(signatures):
                columns.append(np.packbits(answers, axis=1).astype(np.int32))
        kinds = distinct(np.concatenate(columns, axis=1))[1]
        if kinds.max() >= MOST_KINDS:
            raise NotPlain
        return kinds

    def _signatures(self, side: int) -> Ints:
        return self._words[self._program.signatures[side] :][: self._program.sizes[side]]

    def pair(self, states: Sequence[int]) -> int:
        """Return the number of the pair of kinds of two states."""
        return int(self.of[0][states[0]]) * self.width + int(self.of[1][states[1]])

    def side_of(self, side: int) -> NDArray[np.intp]:
        """One side's kind, by the pair of kinds."""
        pairs = np.arange(self.pairs)
        return pairs % self.width if side else pairs // self.width

    def signature_pair(self, pair: int) -> int:
        """Return the pair of signatures of a pair of kinds."""
        return int(self._signature_pairs[pair])

    def table(self, at: int) -> Ints:
        """Return a table that is stored by the pair of signatures, by the pair of kinds."""
        if at not in self._tables:
            self._tables[at] = self._words[at + self._signature_pairs]
        return self._tables[at]

    # ---------------------------------------------------------------- decisions

    def says_yes(self, at: int) -> Pairs:
        """Whether units leave by a decision, by the pair of kinds."""
        yes = np.broadcast_to(self._answers(at), self._program.sizes)[self._examples].ravel()
        where = int(self._words[at + WHERE_ASKED])
        return yes if where < 0 else yes & (self.table(where) != 0)

    def _answers(self, at: int) -> Pairs:
        """Where a yes changes something, by both states; one column or row if it depends on one side's."""
        side, (size_a, size_d) = int(self._words[at + SIDE]), self._program.sizes
        shape = (size_a, 1) if side == 0 else (1, size_d)
        if self._words[at + BY_BOTH]:
            shape = (size_a, size_d)
        cells = shape[0] * shape[1]
        if cells > MOST_ANSWERS:
            raise NotPlain
        yes = self._program.answers[self._words[at + ANSWERS] :][:cells].reshape(shape) != 0
        after = self.of_operation(at, AFTER)
        acts = (after != np.arange(len(after))) | self.is_gone(at)[after]
        found: Pairs = yes & (acts[:, None] if side == 0 else acts)
        return found

    def is_gone(self, at: int) -> NDArray[np.bool_]:
        """Whether the side that decides is gone, for each of its states after units have left."""
        if self._words[at + SLOT] < 0:
            return np.zeros(self._program.sizes[self._words[at + SIDE]], dtype=np.bool_)
        gone: NDArray[np.bool_] = self.of_operation(at, GONE) != 0
        return gone

    def of_operation(self, at: int, word: int) -> Ints:
        """Return what a word of a decision or move points to, for each state of its side."""
        return self._words[self._words[at + word] :][: self._program.sizes[self._words[at + SIDE]]]
