"""What a mustering says on the screen: titles and rows, drawn elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from battlecalc.mapping.board import Map, Piece
from battlecalc.mapping.results import After, Joining, Kept, Muster, force_text, total

Row = tuple[str, ...]

PARTS = {
    "land": "over land",
    "overland": "over land",
    "landing": "landing",
    "transport": "transport",
    "bombardment": "bombardment",
    "sea": "sea battle",
    "air": "air",
    "air at sea": "air, at sea",
    "support": "supporting fire",
}
OPTIONS = {
    "stay_and_fight": "stay and fight",
    "load_and_return": "load elsewhere and come back to fight",
    "leave_and_fight": "leave and fight elsewhere",
    "leave_in_peace": "leave in peace",
}


@dataclass(frozen=True)
class Section:
    """A titled table; columns without names have no head."""

    title: str
    rows: Sequence[Row]
    columns: Row = ()
    right: tuple[int, ...] = field(default=())
    """Columns of numbers."""


def muster_report(board: Map, found: Muster) -> list[Section]:
    """Everything about a battle that is to come."""
    zone = f" from {board.title(found.zone)}" if found.zone else ""
    forces: list[Row] = [
        ("attacker", found.attacker or "nobody"),
        ("over land", found.overland),
        ("at sea", found.sea_attacker),
        ("defender", found.defender or "nobody"),
        ("defender at sea", found.sea_defender),
        ("options", ", ".join(_option(name, value) for name, value in found.options.items())),
    ]
    sections = [
        Section(
            f"{found.power} attacks {board.title(found.target)}: {found.sequence}{zone}",
            [row for row in forces if row[-1]],
        ),
        Section(
            "Can join",
            [_joining(board, entry) for entry in found.joining] or [("nobody",)],
            ("", "by", "way", "cost", ""),
            (3,),
        ),
        *_kept(board, found.kept),
    ]
    if found.shared_zones:
        rows = [
            (
                board.title(shared.zone),
                ", ".join(text for key, text in OPTIONS.items() if getattr(shared, key)),
            )
            for shared in found.shared_zones
        ]
        sections.append(Section("Ships in a hostile zone may", rows))
    if found.forced_out:
        title = "If the territory falls, forced out to sea"
        sections.append(Section(title, [_forced(board, e.piece, e.zones) for e in found.forced_out]))
    if found.expected_losses:
        rows = [(unit, f"{mean:.2f}") for unit, mean in found.expected_losses.items()]
        sections.append(Section("Expected losses on the way", rows, right=(1,)))
    if found.cannot_land:
        text = force_text(board.rules, found.cannot_land)
        sections.append(Section("Cannot land, lost after the battle", [(text,)]))
    if found.rules or found.notes:
        sections.append(Section("Note", [(str(text),) for text in (*found.rules, *found.notes)]))
    return sections


def after_report(board: Map, found: After) -> list[Section]:
    """Everything about a non-combat move."""
    sections = [Section(f"{found.power}: non-combat move", [])]
    tables = (("Aircraft land", found.landings), ("By rail", found.rail), ("Walk or sail", found.moves))
    for title, moves in tables:
        if moves:
            rows: list[Row] = []
            for move in moves:
                ends = sorted(move.routes, key=lambda end: (len(move.routes[end]), board.title(end)))
                places = ", ".join(f"{board.title(end)} {len(move.routes[end]) - 1}" for end in ends)
                lost = move.hazards or {}
                danger = ", ".join(f"{mean:.2f} lost to {board.title(end)}" for end, mean in lost.items())
                deck = "on a carrier in " if move.deck else ""
                rows.append((_at(board, move.piece), deck + places, danger))
            sections.append(Section(title, rows, ("", "to, with the cost", "")))
    if found.entrench:
        sections.append(Section("May entrench", [(_at(board, piece),) for piece in found.entrench]))
    if found.forced_out:
        forced = [_forced(board, entry.piece, entry.zones) for entry in found.forced_out]
        sections.append(Section("Forced out to sea", forced))
    if found.lost:
        sections.append(Section("Cannot land, lost", [(found.lost,)]))
    sections += _kept(board, found.kept)
    return sections


def _option(name: str, value: bool | int) -> str:
    return name if value is True else f"{name} = {value}"


def _at(board: Map, piece: Piece) -> str:
    return f"{piece.count} {piece.unit} in {board.title(piece.space)}"


def _forced(board: Map, piece: Piece, zones: Iterable[str]) -> Row:
    return f"{piece.count} {piece.unit}", "to " + " or ".join(board.title(zone) for zone in zones)


def _joining(board: Map, entry: Joining) -> Row:
    """Row of one group of pieces."""
    remarks = []
    if entry.lands:
        remarks.append(f"lands {'on a carrier in' if entry.deck else 'in'} {board.title(entry.lands)}")
    elif entry.part.startswith("air"):
        remarks.append("cannot land")
    for hazard in entry.hazards:
        if hazard.kind == "mines":
            remarks.append(f"mines in {board.title(hazard.at)}")
        else:
            ends = " - ".join(board.title(end) for end in hazard.at.split(" - "))
            remarks.append(f"{hazard.forts} fort{'s' * (hazard.forts > 1)} at {ends}")
    way = " > ".join(board.title(space) for space in entry.route)
    return (
        f"{entry.piece.count} {entry.piece.unit}",
        PARTS[entry.part],
        way,
        str(entry.cost),
        ", ".join(remarks),
    )


def _kept(board: Map, kept: Iterable[Kept]) -> list[Section]:
    """Those kept out, one section a rule, one row a space."""
    grouped: dict[tuple[str, str], dict[tuple[str, str], list[Piece]]] = {}
    for entry in kept:
        places = grouped.setdefault((entry.what, str(entry.rule)), {})
        places.setdefault((entry.piece.space, entry.detail), []).append(entry.piece)
    sections = []
    for (what, rule), places in grouped.items():
        rows: list[Row] = [
            (
                board.title(space),
                force_text(board.rules, total(pieces)),
                "" if detail == board.title(space) else detail,
            )
            for (space, detail), pieces in places.items()
        ]
        sections.append(Section(f"Cannot {what}: {rule}", rows))
    return sections
