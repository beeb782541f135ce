"""Findings: what the reader of a figure should know about it, and the registry of all kinds.

A finding never changes a figure. It has a code, a severity, a count and evidence (line numbers in
the export, the first few). `docs/findings.md` is checked against `KINDS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

SEVERITIES = ("error", "warning", "info")
EXAMPLES = 5


@dataclass(frozen=True)
class Kind:
    """A sort of finding: its code, how grave it is, and what it means for a figure."""

    code: str
    severity: str
    title: str
    meaning: str


@dataclass(frozen=True)
class Finding:
    """One finding. `count` says how often; `examples` are line numbers, ascending, few."""

    code: str
    message: str
    count: int = 1
    examples: tuple[int, ...] = ()
    severity: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "severity", KINDS[self.code].severity)

    def as_json(self) -> dict[str, Any]:
        """The form that INTERFACE-bound outputs carry."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "count": self.count,
            "examples": list(self.examples),
        }


def _kinds(*kinds: Kind) -> dict[str, Kind]:
    return {kind.code: kind for kind in kinds}


_TRUST = _kinds(
    Kind("manifest_missing", "error", "No manifest", "Nothing says what the files should be."),
    Kind(
        "manifest_unreadable",
        "error",
        "The manifest cannot be read",
        "It, or an entry of it, is not of a form this program knows; nothing is guessed.",
    ),
    Kind("manifest_empty", "error", "The manifest lists no file", "It proves nothing."),
    Kind(
        "manifest_digest_malformed",
        "error",
        "A digest is not 64 hex digits",
        "The file it belongs to cannot be checked.",
    ),
    Kind(
        "manifest_path_unsafe",
        "error",
        "A listed path leads elsewhere",
        "Absolute, parent, drive and remote paths could name a file outside the export.",
    ),
    Kind(
        "manifest_duplicate",
        "error",
        "Two entries name one file",
        "Also when they differ only in case or Unicode form: some systems hold them for one.",
    ),
    Kind(
        "manifest_conflict",
        "error",
        "Two manifests disagree",
        "They list different digests for a file, or different files.",
    ),
    Kind(
        "manifest_pin",
        "error",
        "The manifest is not the one expected",
        "Its SHA-256 is not the one given with --manifest-sha256.",
    ),
    Kind("file_missing", "error", "A listed file is missing", "The export is not whole."),
    Kind(
        "file_not_regular",
        "error",
        "A listed file is a link or a device",
        "What it leads to is not part of the export.",
    ),
    Kind("file_size", "error", "A file has another size", "It was cut, extended or exchanged."),
    Kind(
        "file_digest",
        "error",
        "A file has another SHA-256",
        "It is not the file that the manifest names.",
    ),
    Kind(
        "engines_disagree",
        "error",
        "Two engines found two things in the same bytes",
        "One of the two calculations is wrong, so no figure is shown.",
    ),
    Kind(
        "file_records",
        "error",
        "A file holds another number of records",
        "The manifest's count of lines is not that of the file.",
    ),
    Kind(
        "file_unlisted",
        "error",
        "A file of records is not in the manifest",
        "Nobody vouches for it, and leaving it out could change a figure.",
    ),
    Kind(
        "file_unreadable", "error", "A file cannot be read", "It is damaged or may not be opened."
    ),
    Kind(
        "file_unread",
        "info",
        "A file beside the records is not in the manifest",
        "Nothing reads it, so it cannot reach a figure.",
    ),
    Kind(
        "file_linked",
        "warning",
        "A file has more than one name",
        "Through its other hard link it can be changed from outside the export.",
    ),
    Kind(
        "archive_unsafe",
        "error",
        "A member of the archive is no plain file by a plain name",
        "It is a link or a device, or its name leads elsewhere. Nothing of the archive is read.",
    ),
    Kind(
        "archive_duplicate",
        "error",
        "Two members of the archive are one file",
        "Also when they differ only in case or Unicode form: which one counts is up to the reader.",
    ),
    Kind(
        "archive_ambiguous",
        "error",
        "The archive contradicts itself",
        "Sizes or headers disagree, members overlap, or data lie behind its end: two programs "
        "could unpack two different exports from it.",
    ),
    Kind(
        "archive_encrypted",
        "error",
        "A member of the archive is encrypted",
        "What is in it cannot be checked.",
    ),
    Kind(
        "archive_bomb",
        "error",
        "The archive unpacks to too much",
        "More members, more bytes or a higher compression than an export has. "
        "VERIFY_MAX_UNPACKED sets the limit of bytes, 64 GiB when it is not given.",
    ),
    Kind(
        "line_invalid",
        "error",
        "A line cannot be read beyond doubt",
        "It is not one JSON object, or a value that a lever reads is missing, of another type, or "
        "written so that two programs could read it differently.",
    ),
    Kind(
        "line_skipped",
        "warning",
        "Invalid lines were left out",
        "--skip-invalid was given; a figure that they could have touched is not the whole figure.",
    ),
    Kind(
        "deep_not_rfc8259",
        "error",
        "A line is not one JSON object by RFC 8259",
        "check --deep looks at every byte. Programs that read the export differ in what they make "
        "of such a line, also where no lever reads it.",
    ),
    Kind(
        "deep_duplicate_key",
        "error",
        "A key stands twice in one object",
        "One program takes the first value and another one the last. check --deep looks at every "
        "depth; a key that a lever reads makes its line invalid without it.",
    ),
    Kind(
        "deep_schema",
        "error",
        "A record is not what its JSON Schema says",
        "A member is missing, of another type or of another form. check --deep holds every record "
        "to the schema of its type.",
    ),
    Kind(
        "deep_unread",
        "error",
        "A line was not looked into",
        "It is longer, or nested deeper, than check --deep follows; what it holds is not known.",
    ),
    Kind("blank_lines", "info", "Blank lines", "They are counted and hold nothing."),
    Kind("carriage_returns", "info", "Lines end in CR LF", "Accepted; a sign of another system."),
    Kind("byte_order_mark", "info", "The file begins with a byte-order mark", "Accepted."),
    Kind(
        "manifest_unauthenticated",
        "info",
        "Nobody vouched for the manifest",
        "The files fit the manifest; who made the manifest is not shown. Give the digest that you "
        "received another way with --manifest-sha256.",
    ),
    Kind(
        "export_unmanifested",
        "warning",
        "The export has no manifest",
        "Its system writes none; a later change would not be noticed.",
    ),
    Kind(
        "export_unverified",
        "warning",
        "The export failed its check and was read all the same",
        "--unverified was given; no figure from it proves anything.",
    ),
)

_RECORDS = _kinds(
    Kind(
        "time_zone_assumed",
        "warning",
        "No time zone is known",
        "Neither the manifest nor an option names one; days are UTC days.",
    ),
    Kind(
        "timestamp_without_offset",
        "warning",
        "Timestamps without an offset",
        "They are read as UTC. Written in local time they would lie on other days.",
    ),
    Kind(
        "negative_tokens",
        "warning",
        "Negative token counts in calls",
        "Such a count is taken as absent and adds nothing.",
    ),
    Kind(
        "negative_scope",
        "warning",
        "Negative token counts in searches",
        "Such a search is unmeasured.",
    ),
    Kind(
        "rate_out_of_range",
        "warning",
        "Sampling rates outside (0, 1]",
        "No weight follows from such a rate: the search is unmeasured.",
    ),
    Kind(
        "outcome_unknown",
        "warning",
        "Outcomes other than ok, error and refused",
        "Only a refused call is no call; every other outcome counts as one.",
    ),
    Kind(
        "negative_money",
        "warning",
        "Negative amounts",
        "A negative cost or price is read as a credit and summed.",
    ),
    Kind(
        "model_without_card",
        "warning",
        "Models called that the price card does not price",
        "Their calls and searches save no dollars that anyone could compute.",
    ),
    Kind(
        "days_without_cost",
        "warning",
        "Days without a cost record",
        "A day that reports no cost looks like a day that cost nothing: the saving is too high.",
    ),
    Kind(
        "profile_changed",
        "warning",
        "A deployment's profile changed inside the period",
        "The newest profile is applied to the whole period, which makes the figure doubtful.",
    ),
    Kind(
        "profile_unknown",
        "warning",
        "A profile of an unknown name",
        "It is not always_on, so the deployment counts as one that is not always on.",
    ),
    Kind(
        "fields_absent",
        "warning",
        "A lever found no records, or none of its fields",
        "Either nothing happened, or the export names its fields differently: see check --shape.",
    ),
)

_FIGURES = _kinds(
    Kind(
        "read_rows_total",
        "error",
        "A breakdown does not add up to its read's own total",
        "Rows or total are wrong, whatever the records say.",
    ),
    Kind(
        "read_not_its_inputs",
        "error",
        "A figure does not follow from its read's own inputs",
        "Recomputed from what the product itself shows (tokens and card, decisions, rows by "
        "deployment), it is another figure.",
    ),
    Kind(
        "headline_not_sum",
        "error",
        "The headline is not the sum of the levers it counts",
        "The levers with status ok, as printed, add up to something else.",
    ),
    Kind(
        "reads_disagree",
        "error",
        "Two reads show one figure differently",
        "At most one of them can be right.",
    ),
    Kind(
        "read_duplicate_row",
        "error",
        "A read shows one row twice",
        "A sum over the rows counts it twice.",
    ),
    Kind(
        "read_card",
        "warning",
        "A price card in the read is not that of the records",
        "The product priced on another snapshot, or the snapshot changed since.",
    ),
    Kind(
        "read_unknown",
        "info",
        "A file beside the reads is none of them",
        "Nothing in it was compared.",
    ),
    Kind(
        "figure_unknown",
        "warning",
        "The product shows an amount in dollars that no read is known to carry",
        "It was compared with nothing, so the answer is inconclusive at best.",
    ),
    Kind(
        "capture_hand_saved",
        "info",
        "The figures were saved by hand",
        "No capture.json says where they came from and when; they prove no more than a copy does.",
    ),
    Kind(
        "figures_zone",
        "warning",
        "The figures name another time zone than the manifest",
        "Their days are not the days of the export.",
    ),
    Kind(
        "attestation_unreadable",
        "error",
        "The attestation is none",
        "It is not a Statement of a sign-off, or not one of this version: nothing can be replayed.",
    ),
    Kind(
        "lever_accepted",
        "info",
        "A lever inside another one",
        "It cannot be derived from the records, is taken as it is, and is never added.",
    ),
)

KINDS: dict[str, Kind] = _TRUST | _RECORDS | _FIGURES


def lines_left_out(findings: Iterable[Finding]) -> bool:
    """Whether lines were left out of what the findings are about: then it proves nothing whole."""
    return any(finding.code == "line_skipped" for finding in findings)


def register(*kinds: Kind) -> None:
    """Add a system's own kinds; its `findings` module does so when it is imported.

    Raises ValueError for a code that another kind has.
    """
    for kind in kinds:
        if KINDS.setdefault(kind.code, kind) != kind:
            raise ValueError(f"two kinds of finding share the code {kind.code}")
