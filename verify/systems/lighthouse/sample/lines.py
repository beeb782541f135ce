"""How one record is laid out as a line of JSON.

Values arrive as JSON *text*, so that an amount is printed in exactly the digits it was written
in and never passes through a float. The same functions make finished lines and, given `%s` or
`%d` for a value, the `%`-templates from which the bulk of an export is printed.
"""

import json
from collections.abc import Mapping, Sequence


def quote(text: str | None) -> str:
    """JSON text of a string (non-ASCII left as it is), `null` for None."""
    return json.dumps(text, ensure_ascii=False)


def record(kind: str, deployment: str, ts: str, attrs: Mapping[str, str | None]) -> str:
    """One line without its newline.

    `attrs` maps a name to the JSON text of its value; a name whose value is None is left out.
    """
    body = ",".join(f"{quote(name)}:{text}" for name, text in attrs.items() if text is not None)
    return (
        f'{{"type":{quote(kind)},"deployment":{quote(deployment)},'
        f'"ts":{quote(ts)},"attrs":{{{body}}}}}'
    )


def candidates(priced: Sequence[tuple[str, str]]) -> str:
    """JSON text of a decision's candidates from (model name, text of its cost in USD) pairs."""
    listed = ",".join(f'{{"model":{quote(name)},"cost_usd":{cost}}}' for name, cost in priced)
    return f"[{listed}]"
