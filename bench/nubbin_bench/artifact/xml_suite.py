"""The XML suite: documents and queries on which a build of BaseX is wrong.

The paper's oracle: the build with the bug disagrees with Saxon, and the build without it agrees.
One JVM holds all three and answers every query (`Disagree.java`). `xml_pairs.csv` names two builds
for each case: of the twelve in the artifact, or Debian's (`debian`), perhaps with an option. Where
these are not the paper's, they differ in the same way. No two differ on three of the cases, which
have queries of ours. Saxon-HE is Debian's 9.9 instead of 12.4.
"""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from nubbin import UserTest
from nubbin.research import ServerTest
from nubbin_bench.cases import Case, Unavailable

_HERE = Path(__file__).parent
_SAXON = Path("/usr/share/java/Saxon-HE.jar")
_DEBIAN = Path("/usr/share/java/basex.jar")
_JAVA = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx1g")
_QUERY = re.compile(r"^QUERY='(.*?)'$", re.MULTILINE | re.DOTALL)


def xml_cases(checkout: Path, work: Path) -> Iterator[Case | Unavailable]:
    """Yield the cases by name; those whose engines are not installed are not available."""
    with (_HERE / "xml_pairs.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            yield _case(checkout / "benchmarks/xmlprocessorbugs" / row["benchmark"], row)


def _case(folder: Path, row: dict[str, str]) -> Case | Unavailable:
    java, document, script = shutil.which("java"), folder / "input.xml", folder / "r.sh"
    builds = [_build(folder, row[name]) for name in ("with_bug", "without_bug")]
    absent = [str(path) for path in (document, script, _SAXON, *builds) if not path.is_file()]
    if java is None or absent:
        return Unavailable(folder.name, f"it needs {', '.join(absent) or 'java, of a JDK'}")
    if sha256(document.read_bytes()).hexdigest() != row["input"]:
        return Unavailable(folder.name, "its input is not the one that was measured")
    told = _QUERY.search(script.read_text())
    if told is None:
        return Unavailable(folder.name, "the checkout lacks its query")
    query = row["query"] or told[1].replace("\n", " ")
    command = (java, *_JAVA, "-cp", str(_SAXON), str(_HERE / "Disagree.java"))
    arguments = (*map(str, builds), query, *row["option"].split())
    test: UserTest = ServerTest((*command, *arguments), str(folder))
    defect = folder.name.rpartition("-")[0]  # the commit of BaseX that has it
    return Case(folder.name, document, test, "xml", defect=defect)


def _build(folder: Path, name: str) -> Path:
    return _DEBIAN if name == "debian" else folder.parent / f"lib/basex-{name}.jar"
