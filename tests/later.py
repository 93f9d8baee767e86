"""What a platform says in some years: each of its objects has members that nobody knows today."""

NEW = {"id": "9", "type": 99, "text": None, "message": {"text": "of nobody"}, "list": [[], {}, -1.5]}


def later(value):
    """A copy with such members before and behind the others, at every level."""
    if isinstance(value, dict):
        return {"a_of_2030": NEW, **{name: later(one) for name, one in value.items()},
                "z_of_2030": [NEW, True]}
    return [later(one) for one in value] if isinstance(value, list) else value


def complaints(box):
    """Lines of the log that tell of more than what is usual."""
    return [line for line in box.log().splitlines() if " warn" in line or " error" in line]
