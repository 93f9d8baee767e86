"""What the table of the benchmarks is made of: rows, and their lines."""


class Line:
    """One line of the table. kind: `ratio` to the side it stands against, or our own value
    which is `most` or `least` the budget; `ratio-least`: at least so many times theirs. Without a
    budget it is shown for information."""

    def __init__(self, what, metric, unit, budget=None, kind="most", against="bare"):
        self.what, self.metric, self.unit = what, metric, unit
        self.budget, self.kind, self.against = budget, kind, against


class Row:
    """The last side is ours. `needs`: without any of these there is nothing to compare.
    `wants`: programs (sides.py) without any one of which it is left out. `once`: one round is
    enough; `big`: never quick."""

    def __init__(self, name, measure, *lines, sides=("bare", "ours"), wants=(), once=False,
                 big=False):
        self.name, self.measure, self.lines, self.sides = name, measure, lines, sides
        self.wants = wants
        self.once, self.big, self.ours = once, big, sides[-1]
        self.needs = set(sides[:-1]) or {self.ours}


OURS = ("ours",)
