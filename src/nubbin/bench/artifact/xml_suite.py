"""The XML suite: documents and queries on which a build of BaseX is wrong.

The paper's oracle: the build with the bug disagrees with Saxon, and the build without it agrees.
One JVM holds all three and answers every query (`Disagree.java`). Of the paper's builds the
artifact holds twelve; `xml_pairs.csv` names two for each case that they decide. For nine of them,
which ask for other builds, that is the pair that differs in the same way. Saxon-HE is Debian's 9.9
instead of 12.4.
"""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from nubbin.bench.cases import Case, Unavailable
from nubbin.oracles.server_test import ServerTest
from nubbin.oracles.user_test import UserTest

_HERE = Path(__file__).parent
_SAXON = Path("/usr/share/java/Saxon-HE.jar")
_JAVA = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx1g")
_QUERY = re.compile(r"^QUERY='(.*)'$", re.MULTILINE)


def xml_cases(checkout: Path, work: Path) -> Iterator[Case | Unavailable]:
    """Yield the cases by name; those without two builds that differ are not available."""
    folder = checkout / "benchmarks/xmlprocessorbugs"
    with (_HERE / "xml_pairs.csv").open(newline="") as file:
        pairs = {row["benchmark"]: row for row in csv.DictReader(file)}
    java = shutil.which("java")
    for each in sorted(folder.glob("xml-*")):
        if each.name not in pairs:
            yield Unavailable(each.name, "no two builds of BaseX in the artifact differ on it")
        elif java is None or not _SAXON.is_file():
            yield Unavailable(each.name, f"it needs java on the PATH, a JDK, and {_SAXON}")
        else:
            yield _case(each, pairs[each.name], java)


def _case(folder: Path, pair: dict[str, str], java: str) -> Case | Unavailable:
    document = folder / "input.xml"
    builds = [folder.parent / f"lib/basex-{pair[name]}.jar" for name in ("with_bug", "without_bug")]
    query = _QUERY.search((folder / "r.sh").read_text())
    absent = [str(path) for path in (document, *builds) if not path.is_file()]
    if absent or query is None:
        return Unavailable(folder.name, f"the checkout lacks {', '.join(absent) or 'its query'}")
    if sha256(document.read_bytes()).hexdigest() != pair["input"]:
        return Unavailable(folder.name, "its input is not the one that was measured")
    words = (java, *_JAVA, "-cp", str(_SAXON), str(_HERE / "Disagree.java"), *map(str, builds))
    test: UserTest = ServerTest((*words, query[1]), str(folder))
    return Case(folder.name, document, test, "xml")
