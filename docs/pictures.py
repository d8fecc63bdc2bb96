"""Makes pictures of a recorded run: watch.svg, its view, and report.png, the top of its page.

Run script/demo once, then: .venv/bin/python docs/pictures.py RUN

RUN is the folder of a run. Chromium draws the page.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from nubbin.watch.run_screen import WatchApp

DOCS = Path(__file__).parent
COLUMNS, ROWS = 100, 24
WIDTH, HEIGHT = 1200, 1000  # pixels
#: What an SVG of the view would load from elsewhere, and what it says of that.
_FROM_ELSEWHERE = re.compile(r"@font-face \{.*?\}|<!--.*?-->", re.DOTALL)
_MAX_WAIT_S = 30.0


def main() -> None:
    """Make both pictures."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    run = Path(sys.argv[1])
    (DOCS / "watch.svg").write_text(asyncio.run(view(run)), encoding="utf-8")
    picture_of_page(run, DOCS / "report.png")


async def view(run: Path) -> str:
    """Return the view of an ended run as SVG, which loads no font and names no folder."""
    app = WatchApp(run)
    async with app.run_test(size=(COLUMNS, ROWS)) as pilot:
        async with asyncio.timeout(_MAX_WAIT_S):
            while "1-minimal" not in (drawn := app.export_screenshot(title="nubbin watch")):
                await pilot.pause(0.1)
    folder = re.escape(f"{run.resolve().parents[1]}/")
    drawn = re.sub(rf'textLength="[^"]*"([^>]*>[^<]*){folder}', r"\1", drawn)
    return _FROM_ELSEWHERE.sub("", drawn)


def picture_of_page(run: Path, picture: Path) -> None:
    """Write the top of a run's page as it looks in Chromium."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("pictures: there is no Chromium on the PATH")
    with TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        program = [sys.executable, "-m", "nubbin", "report", str(run), "-o", str(page)]
        subprocess.run(program, check=True)
        options = ["--headless", "--no-sandbox", "--hide-scrollbars"]
        size = f"--window-size={WIDTH},{HEIGHT}"
        subprocess.run([browser, *options, size, f"--screenshot={picture}", str(page)], check=True)


if __name__ == "__main__":
    main()
