"""How Sphinx makes the site of this folder; `script/docs` does it."""

from __future__ import annotations

import re
import sys
from importlib.metadata import version as version_of
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))

project = "nubbin"
version = release = version_of("nubbin")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "commands_directive"]
nitpicky = True  # a link that leads nowhere is a warning, and `script/docs` fails at one
nitpick_ignore_regex = [("py:.*", ".*")]  # types in signatures have no pages
default_role = "code"  # docstrings have code in single backticks
napoleon_custom_sections = [("Options", "params_style")]
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 80
smartquotes = False  # options have two hyphens, not a dash
myst_heading_anchors = 4
highlight_language = "none"

html_theme = "furo"
html_title = f"nubbin {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False

_OF_RECORD = re.compile(r"\]\(((?:\.\./)+record/[^)#\s]*)(?:#[^)\s]*)?\)")


def setup(app: Sphinx) -> None:
    """Make links to the record, which is not on the site, links to its files."""

    def to_files(app: Sphinx, name: str, source: list[str]) -> None:
        source[0] = _OF_RECORD.sub(r"](path:\1)", source[0])

    app.connect("source-read", to_files)
