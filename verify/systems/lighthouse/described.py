"""A lever in words: its measures, dimensions and inputs, and the queries that compute it."""

from __future__ import annotations

from verify.systems.lighthouse.fields import ATTRIBUTES
from verify.systems.lighthouse.load import sql
from verify.systems.lighthouse.measures import DIMENSIONS, MEASURES

INPUTS = {
    "retrieval": ("retrieval", "model_call", "models"),
    "caching": ("model_call", "models"),
    "routing": ("routing_decision", "model_call", "models"),
    "infrastructure": ("deployment_profile", "cost"),
}
"""The types of record that each lever reads; routing reads the last two for its counterfactual."""

QUERIES = {
    "retrieval": ("retrieval", "reads_cache", "card"),
    "caching": ("caching", "card"),
    "routing": ("routing", "counterfactual", "card"),
    "infrastructure": ("infrastructure",),
}


def lever_text(title: str, name: str) -> str:
    """The lever as `verify lever` prints it."""
    measures = ", ".join(f"{m.name} ({m.unit})" if m.unit else m.name for m in MEASURES[name])
    inputs = [_input(kind) for kind in INPUTS[name]]
    parts = [
        f"{title}: {name}",
        f"measures    {measures}",
        f"dimensions  {', '.join(DIMENSIONS[name])}",
        "inputs      " + "\n            ".join(inputs),
        *(sql(query).rstrip() for query in QUERIES[name]),
    ]
    return "\n\n".join(parts) + "\n"


def _input(kind: str) -> str:
    """A type of record with its attributes: first those that the product states, then our
    reading."""
    stated = [attribute.name for attribute in ATTRIBUTES[kind] if attribute.stated]
    reading = [attribute.name for attribute in ATTRIBUTES[kind] if not attribute.stated]
    parts = [f"{', '.join(stated)} [stated]"] if stated else []
    parts += [f"{', '.join(reading)} [reading]"] if reading else []
    return f"{kind}: {'; '.join(parts)}"
