"""The program of the parser's process, so that a grammar that crashes or hangs ends only this one.

Run as a program, by `nubbin.documents.parsing.trees`: pickled requests on standard input,
pickled responses on standard output. It ends if a request takes more memory than the limit here, or
more time than the request allows.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import signal
import sys
from contextlib import suppress

from nubbin.documents.parsing.parse import Parse, parse

_MAX_MEMORY_BYTES = 2 << 30


def main() -> None:
    """Answer until standard input ends.

    A request has the seconds of CPU it may take; the numbers of documents to forget; the number of
    a document, with its bytes and its language if it is new; the name of a method of `Parse`, and
    its arguments. The response has the result of the method, and the seconds it took.
    """
    requests, responses = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a grammar prints is no response
    _confine()
    gc.disable()  # trees are not garbage, and there are no cycles
    held: dict[int, Parse | None] = {}
    with suppress(EOFError):
        while True:
            seconds, dropped, number, document, name, arguments = pickle.load(requests)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            for each in dropped:
                held.pop(each, None)
            if document:
                held[number] = parse(*document)
            parsed = held[number]
            response = None if parsed is None else getattr(parsed, name)(*arguments)
            left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
            pickle.dump((response, seconds - left), responses, pickle.HIGHEST_PROTOCOL)
            responses.flush()


def _confine() -> None:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(ValueError, OSError):  # not every system limits it
        resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY_BYTES, _MAX_MEMORY_BYTES))


if __name__ == "__main__":
    main()
