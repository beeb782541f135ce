"""Break each rule in a copy of the checkout and see that its test fails: by hand, not in the suite.

    python -m tests.mutants.run [NAME ...]

A mutant is killed when its test fails, survives when it passes, and is broken when the change does
not apply or stops the code from running at all, which would prove nothing. Exit code 1 unless all
are killed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from .mutants import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist")
# A test that fails with one of these has not judged the rule: the mutant does not run.
NOT_RUNNING = (
    "SyntaxError",
    "NameError",
    "TypeError",
    "ImportError",
    "Parser Error",
    "Binder Error",
    "Catalog Error",
    "Conversion Error",
    "Invalid Input Error",
    "error while loading conftest",
)


def run_tests(copy: Path, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """These tests against the copy, which has to be what is imported."""
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["VERIFY_THOROUGH"] = "1"
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    command += [f"--basetemp={copy.parent / 'pytest'}", *tests]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)


def imported_from(copy: Path) -> Path:
    """Where the package that the tests would import lies."""
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", "import verify; print(verify.__file__)"]
    done = subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, text=True, check=True
    )
    return Path(done.stdout.strip())


def verdict(copy: Path, mutant: Mutant) -> tuple[str, str]:
    """`killed`, `survived` or `broken`, and why."""
    file = copy / mutant.file
    sound = file.read_text("utf-8")
    if sound.count(mutant.old) != 1:
        return "broken", f"its text stands {sound.count(mutant.old)} times in {mutant.file}"
    file.write_text(sound.replace(mutant.old, mutant.new), "utf-8")
    try:
        done = run_tests(copy, mutant.tests)
    finally:
        file.write_text(sound, "utf-8")
    if done.returncode == 0:
        return "survived", f"{', '.join(mutant.tests)} passed"
    reasons = [line for line in done.stdout.splitlines() if line.startswith("E  ")]
    why = reasons[0][1:].strip() if reasons else done.stdout.strip()[-200:]
    judged = any(line.startswith("FAILED ") for line in done.stdout.splitlines())
    if not judged or any(text in done.stdout for text in NOT_RUNNING):
        return "broken", why
    return "killed", why


def main(names: Sequence[str]) -> int:
    unknown = set(names) - {mutant.name for mutant in MUTANTS}
    if unknown:
        print(f"no mutant is called {', '.join(sorted(unknown))}")
        return 1
    chosen = [mutant for mutant in MUTANTS if not names or mutant.name in names]
    with tempfile.TemporaryDirectory(prefix="verify-mutants-") as place:
        copy = Path(place) / "checkout"
        shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
        if not imported_from(copy).is_relative_to(copy):
            print(f"the tests would import {imported_from(copy)}, not the copy")
            return 1
        sound = run_tests(copy, sorted({test for mutant in chosen for test in mutant.tests}))
        if sound.returncode:
            print("a test fails without any mutant:", sound.stdout, sep="\n")
            return 1
        counts: Counter[str] = Counter()
        for mutant in chosen:
            began = time.monotonic()
            found, why = verdict(copy, mutant)
            counts[found] += 1
            print(f"{found:9}{mutant.name:38}{time.monotonic() - began:5.1f} s  {why}", flush=True)
            if found != "killed":
                print(f"         {mutant.rule}", flush=True)
    shown = ", ".join(f"{counts[name]} {name}" for name in ("killed", "survived", "broken"))
    print(f"{len(chosen)} mutants: {shown}")
    return 0 if counts["killed"] == len(chosen) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
