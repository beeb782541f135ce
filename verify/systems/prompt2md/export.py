"""An opened prompt2md export: its documents, read once, and the questions that it answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from verify import tokens
from verify.compare.figures import Claims
from verify.compare.tieout import DiffRow
from verify.compare.worlds import Worlds
from verify.errors import IntegrityFailure, UsageProblem
from verify.findings import Finding, lines_left_out
from verify.period import Stretch
from verify.result import ExportIdentity, LeverResult, Recomputation, Value
from verify.systems.base import Check, Question, Reading
from verify.systems.prompt2md import judged
from verify.systems.prompt2md.arithmetic import CLAIMED_CALLS
from verify.systems.prompt2md.claims import CARRIED
from verify.systems.prompt2md.described import described, tokenizer_rows, tokenizer_words
from verify.systems.prompt2md.documents import Documents, read_documents
from verify.systems.prompt2md.levers import lever_result
from verify.systems.prompt2md.measures import DIMENSIONS, LEVERS
from verify.systems.prompt2md.profiles import Profiles, built_in, profiles_from
from verify.systems.prompt2md.recount import Recount, recount

NAME = "prompt2md"
MOST_CALLS = 10**9


class Prompt2mdExport:
    """See `verify.systems.base.Export`."""

    def __init__(self, documents: Documents, findings: Sequence[Finding]) -> None:
        self._documents = documents
        self._findings = tuple(findings)
        self._identity = ExportIdentity(
            NAME, None, documents.digest(), len(documents.reports), "unmanifested"
        )

    @property
    def identity(self) -> ExportIdentity:
        return self._identity

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self._findings

    def recompute(self, question: Question) -> Recomputation:
        """See `verify.systems.base.Export.recompute`. Options: see `measures.OPTIONS`."""
        asked = _levers_asked(question)
        _refuse_periods(question)
        over = _calls(question.options.get("n"))
        profiles = _profiles(question.options.get("profiles"))
        recounts = self._recounts(profiles)
        results = [
            lever_result(name, recounts, profiles, over, question.by, self._documents.name_of)
            for name in asked
        ]
        return Recomputation(
            self._identity,
            Stretch(),
            _method(over, profiles),
            tuple(
                _with(result, self._about(result.lever, recounts, profiles)) for result in results
            ),
            (*self._findings, *judged.about_documents(recounts)),
        )

    def _recounts(self, profiles: Profiles) -> list[Recount]:
        return [recount(report, self._documents, profiles) for report in self._documents.reports]

    def _about(
        self, lever: str, recounts: Sequence[Recount], profiles: Profiles
    ) -> Iterator[Finding]:
        if lever == "cache":
            yield from judged.about_the_cache(recounts, profiles)
        else:
            yield from judged.about_files(self._documents)
            yield from judged.about_losses(recounts, self._documents)
            yield from judged.about_the_ledger(recounts)

    def details(self, claims: Claims, result: Recomputation) -> tuple[list[DiffRow], list[Finding]]:
        """That the figures are those of the files whose digest is shown."""
        carried = claims.source.get(CARRIED)
        if carried in (None, result.export.sha256):
            return [], []
        return [], [Finding("reports_changed", "the reports changed while they were read")]

    def worlds(self, question: Question, largest: int) -> Worlds:  # noqa: ARG002
        """There is one method, and options that no product could have chosen otherwise."""
        raise UsageProblem(
            "prompt2md has no method switches to explain a difference by",
            advice="verify recompute says which profile a report's figures would follow from.",
        )

    def check(self, question: Question) -> Check:
        """See `verify.systems.base.Export.check`: losslessness, and claims that mislead."""
        _refuse_periods(question)
        profiles = built_in()
        recounts = self._recounts(profiles)
        found = [*self._findings]
        for lever in LEVERS:
            found += self._about(lever, recounts, profiles)
        found += judged.about_documents(recounts)
        texts = tokenizer_rows(recounts, self._documents) if tokens.available() else None
        found += tokenizer_words(texts or ())
        document = described(recounts, self._documents, texts)
        skipped = lines_left_out(found)
        sound = not skipped and all(finding.severity != "error" for finding in found)
        return Check(self._identity, sound, tuple(found), document)

    def close(self) -> None:
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_export(path: Path, reading: Reading) -> Prompt2mdExport:
    """Read the export at `path`.

    Raises IntegrityFailure with every report that cannot be read, unless `reading.skip_invalid`;
    UnreadableInput when there is none; UsageProblem for a pinned manifest, which there is not.
    """
    if reading.manifest_sha256 is not None:
        raise UsageProblem("prompt2md writes no manifest: there is none to pin")
    if reading.fields:
        raise UsageProblem("prompt2md's reports are read by their own names only")
    documents = read_documents(path)
    problems = documents.problems
    if problems and not reading.skip_invalid:
        raise IntegrityFailure(problems, advice="--skip-invalid goes on without these files.")
    found = [Finding("export_unmanifested", "prompt2md writes no manifest of what it reported")]
    if problems:
        shown = "; ".join(f"{problem.where}: {problem.message}" for problem in problems)
        message = f"{len(problems):,} files were left out: {shown}"
        found.append(Finding("line_skipped", message, len(problems)))
    if documents.unread:
        shown = ", ".join(documents.unread[:5])
        more = f" and {len(documents.unread) - 5:,} more" if len(documents.unread) > 5 else ""
        found.append(Finding("file_unread", f"not read: {shown}{more}", len(documents.unread)))
    return Prompt2mdExport(documents, found)


def _levers_asked(question: Question) -> tuple[str, ...]:
    for name in question.levers:
        if name not in LEVERS:
            raise UsageProblem(
                f"prompt2md has no lever {name!r}", advice=f"It has {', '.join(LEVERS)}."
            )
    for dimension in question.by:
        if dimension not in DIMENSIONS["ledger"]:
            raise UsageProblem(
                f"no lever can be broken down by {dimension!r}",
                advice=f"There are {', '.join(DIMENSIONS['ledger'])}.",
            )
    return tuple(name for name in LEVERS if name in question.levers) or LEVERS


def _refuse_periods(question: Question) -> None:
    given = {
        "--period": question.month,
        "--since": question.since,
        "--until": question.until,
        "--now": question.now,
        "--tz": question.time_zone,
        "--baseline-model": question.baseline_model,
    }
    for name, value in given.items():
        if value is not None:
            raise UsageProblem(f"{name} means nothing here: prompt2md's reports have no period")


def _calls(text: str | None) -> int:
    if text is None:
        return CLAIMED_CALLS
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:12]) <= MOST_CALLS:
        raise UsageProblem(f"n={text} is not a number of calls", advice="Write --set n=20.")
    return int(text)


def _profiles(text: str | None) -> Profiles:
    return built_in() if text is None else profiles_from(Path(text))


def _method(over: int, profiles: Profiles) -> Mapping[str, Value]:
    return {
        "counter": "utf16_units_by_4",
        "rounding": "half_up_at_each_step",
        "n": over,
        "profiles": profiles.name,
        "profiles_date": profiles.date,
        "profiles_source": profiles.source,
        "profiles_sha256": profiles.sha256,
    }


def _with(result: LeverResult, found: Iterator[Finding]) -> LeverResult:
    return replace(result, findings=tuple(found))
