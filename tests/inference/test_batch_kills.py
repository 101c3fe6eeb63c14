"""A process that is killed while its batches are under way, and the one that goes on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from batch_runs import Local, asked
from servers.providers.openai import OpenAIWire
from servers.providers.openai_batch import OpenAIBatchWire
from servers.providers.said import Said

from fingreat.inference import reply_log
from fingreat.schema import ReplyState

_COUNT = 24
_RUN = """
import sys
from pathlib import Path
from batch_runs import QUICK, asked
from fingreat.inference import ReplyJudge, Settings, ask, create_backend, reply_log
from fingreat.inference.hosted import batches, openai_batch
from reply_builders import GRAPH
batches.WAITS = QUICK
openai_batch.OpenAIBatch.most_requests = 3
folder = Path(sys.argv[2])
backend = create_backend("openai:small", GRAPH, Settings(base_url=sys.argv[1], batch=folder / "batches"))
print("begins", flush=True)
with reply_log(folder / "replies") as log:
    ask(iter(asked(int(sys.argv[3]))), backend, ReplyJudge(GRAPH, "quote"), log)
backend.close()
"""


def start(local: Local, folder: Path) -> subprocess.Popen[bytes]:
    tests = Path(__file__).resolve().parents[1]
    command = [sys.executable, "-c", _RUN, f"{local.server.base}/v1", str(folder), str(_COUNT)]
    paths = os.pathsep.join([str(tests), str(tests / "inference")])
    environment = {**os.environ, "PYTHONPATH": paths, "OPENAI_API_KEY": "key-0123456789abcdef"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)


def replies_of(folder: Path) -> dict[str, ReplyState]:
    with reply_log(folder / "replies") as log:
        found = (log.get(request.key) for request in asked(_COUNT))
        return {reply.key: reply.state for reply in found if reply is not None}


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.prove)])
def test_a_killed_run_sends_no_request_twice_and_ends_with_every_reply(tmp_path: Path, kills: int) -> None:
    local, draw = Local(OpenAIBatchWire(), OpenAIWire()), random.Random(7)
    local.renew()
    local.desk.looks = 3 * kills
    unfinished = 0
    with local.server as server:
        server.say(Said('{"extractions": []}'))
        for _ in range(kills):
            process = start(local, tmp_path)
            with process:
                process.stdout.readline()
                time.sleep(draw.uniform(0.0, 0.4))
                process.send_signal(signal.SIGKILL)
            unfinished += len(replies_of(tmp_path)) < _COUNT
        with start(local, tmp_path) as process:
            assert process.wait(60) == 0
    requests = asked(_COUNT)
    sent = Counter(row["custom_id"] for batch in local.desk.batches.values() for row in batch.rows)
    assert sent == Counter(request.key for request in requests)
    assert [replies_of(tmp_path)[request.key] for request in requests] == [ReplyState.OK] * _COUNT
    # At least the first one hit a run that had work left.
    assert unfinished >= 1
