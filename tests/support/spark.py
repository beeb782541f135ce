"""A real standalone cluster on loopback, from the pip package: a master and two workers."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

PATIENCE = 120
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SMALL: dict[str, bool | float | int | str | None] = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.executor.memory": "512m",
    "spark.driver.memory": "512m",
    # Compiling, by Spark and by Java, takes longer than so few rows.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
    "spark.ui.enabled": "false",
}


def need_spark() -> None:
    """Skip, unless Spark must be there."""
    missing = [name for name in ("pyspark", "sqlglot", "pyarrow") if find_spec(name) is None]
    missing += [] if shutil.which("java") else ["java"]
    if missing and os.environ.get("VERIFY_SPARK") == "required":
        pytest.fail(f"not installed: {', '.join(missing)}")
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


@contextmanager
def standalone(place: Path) -> Iterator[str]:
    """The address of a master that has two workers; all of it ends with the block."""
    import pyspark

    daemon = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    port = _free_port()
    url = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    common = ["--host", "127.0.0.1", "--webui-port", "0"]
    with ExitStack() as stack:

        def start(name: str, *arguments: str) -> Path:
            log = place / f"{name}.log"
            handle = stack.enter_context(log.open("wb"))
            process = subprocess.Popen(
                [daemon, *arguments], stdout=handle, stderr=subprocess.STDOUT, env=environment()
            )
            stack.callback(process.wait)
            stack.callback(process.terminate)
            return log

        master = start("master", f"{deploy}.master.Master", *common, "--port", str(port))
        _until(lambda: _answers(port), master)
        for number in range(2):
            own = ["--port", "0", "--cores", "1", "--memory", "1g"]
            own += ["--work-dir", str(place / f"worker-{number}"), url]
            start(f"worker-{number}", f"{deploy}.worker.Worker", *common, *own)
        _until(lambda: master.read_text().count("Registering worker") == 2, master)
        yield url


def environment() -> dict[str, str]:
    """Everything on loopback, and workers with this Python."""
    return {
        **os.environ,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": QUICK,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONWARNINGS": "ignore",
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _until(done: object, log: Path) -> None:
    assert callable(done)
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, log.read_text()[-2000:]
        time.sleep(0.1)
