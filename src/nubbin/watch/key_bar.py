"""Show the keys of a screen and their effects, in as many rows as they need."""

from __future__ import annotations

from textual.binding import Binding
from textual.widgets import Static

_GAP = "  "


class KeyBar(Static):
    """Keys, which can also be clicked. In a narrow window they take several rows."""

    def on_mount(self) -> None:
        """Show the keys, and show them again whenever they change."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self._show())

    def on_resize(self) -> None:
        """Show the keys in the new width."""
        self._show()

    def _show(self) -> None:
        shown = {  # a binding for each action
            each.binding.action: each.binding
            for each in self.screen.active_bindings.values()
            if each.binding.show and each.enabled
        }
        rows, width = [""], 0
        for binding in shown.values():
            room = len(f"{self._key(binding)} {binding.description}")
            if width and width + len(_GAP) + room > self.content_size.width:
                rows.append("")
                width = 0
            rows[-1] += (_GAP if width else "") + self._link(binding)
            width += (len(_GAP) if width else 0) + room
        self.update("\n".join(rows))

    def _key(self, binding: Binding) -> str:
        return self.app.get_key_display(binding)

    def _link(self, binding: Binding) -> str:
        action = binding.action if "." in binding.action else f"screen.{binding.action}"
        return f"[@click={action}][bold]{self._key(binding)}[/] {binding.description}[/]"
