"""Let a reducer that speaks Shrink Ray's protocol ask a test.

Run as a program with the arguments TEST, FILE, JOBS, and the command of the reducer. Messages are
lines of JSON, with contents in base64. The reducer gets {"reduce": content}, asks about candidates
by {"content": content}, is answered by {"content": content, "interesting": true or false}, and ends
or says {"idle": true} when it finds nothing more.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock


def main() -> None:
    """Answer until the reducer has come to its end; exit as it does."""
    test, file, jobs, *command = sys.argv[1:]
    environment = {**os.environ, "SHRINKRAY_REDUCER_PARALLELISM": jobs}
    pipe, lock = subprocess.PIPE, Lock()
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment) as reducer:
        assert reducer.stdin is not None
        assert reducer.stdout is not None
        messages = reducer.stdin

        def tell(**message: str | bool) -> None:
            with lock, suppress(BrokenPipeError):  # it may have ended, or read no more
                messages.write(json.dumps(message).encode() + b"\n")
                messages.flush()

        def answer(candidate: Path, content: str) -> None:
            candidate.write_bytes(base64.b64decode(content))
            accepted = subprocess.run([test, candidate], check=False).returncode == 0
            candidate.unlink()
            tell(content=content, interesting=accepted)

        with ThreadPoolExecutor(int(jobs)) as pool:
            tell(reduce=base64.b64encode(Path(file).read_bytes()).decode())
            for number, line in enumerate(reducer.stdout):
                message = json.loads(line)
                if message.get("idle"):
                    break
                pool.submit(answer, Path(f"candidate-{number}"), message["content"])
        with suppress(BrokenPipeError):
            messages.close()
    sys.exit(reducer.returncode)


if __name__ == "__main__":
    main()
