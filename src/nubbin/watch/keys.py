"""The keys of a view: a bar that shows them, and those that steer a running reduction."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen
from textual.widgets import Input, Static

from nubbin.journal import command_box
from nubbin.journal.command_box import SteeringCommand, post
from nubbin.option import seconds_in
from nubbin.text.figures import counted, duration, printable
from nubbin.watch.reader import Snapshot
from nubbin_core.errors import NubbinError

_GAP = "  "
_JOBS = "run one test more, or one fewer, at once"


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


class Prompt(ModalScreen[str | None]):
    """Asks a question on top of the screen. Its result is the answer, or None after Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "leave")]

    def __init__(self, question: str):
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """Make the widgets."""
        with Vertical(id="prompt"):
            yield Static(self._question, markup=False)
            yield Input()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the answer."""
        self.dismiss(event.value.strip())


class SteeringScreen(Screen[None]):
    """A screen whose keys send commands to a run."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "pause/resume", tooltip="pause or continue the run"),
        Binding("s", "skip_pass", "skip pass", tooltip="skip the pass at work"),
        Binding("plus", "jobs(1)", "jobs", key_display="+/-", tooltip=_JOBS),
        Binding("minus", "jobs(-1)", show=False),
        Binding("l", "limit", "limit", tooltip="set a limit"),
        Binding("e", "stop", "end run", tooltip="end the run with the best candidate"),
    ]

    def __init__(self, run: Path):
        super().__init__()
        self._run = run
        self._snapshot: Snapshot | None = None

    def steer(self, command: SteeringCommand, told: str) -> None:
        """Send a command, and show a notice about it."""
        try:
            post(self._run, command)
        except NubbinError as error:
            self.notify(str(error), severity="error", markup=False)
        else:
            self.notify(f"When the test under way has ended: {told}.", markup=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide the keys that steer if the run has ended."""
        if action in {"pause", "skip_pass", "jobs", "limit", "stop"}:
            return self._snapshot is not None and self._snapshot.is_under_way
        return super().check_action(action, parameters)

    def action_pause(self) -> None:
        """Pause the run, or continue it."""
        assert self._snapshot is not None
        if self._snapshot.is_paused:
            self.steer(SteeringCommand(command_box.GO_ON), "continue")
        else:
            self.steer(SteeringCommand(command_box.PAUSE), "pause")

    def action_skip_pass(self) -> None:
        """Skip the current pass, if it is still running when the command is read."""
        tally = self._snapshot.run.tally if self._snapshot else None
        if tally is not None and tally.at_work is not None:
            name = tally.at_work.pass_name
            self.steer(
                SteeringCommand(command_box.SKIP_PASS, name),
                f"skip {printable(name)}, which a later round may run again",
            )

    def action_jobs(self, more: int) -> None:
        """Change the number of jobs by one."""
        tally = self._snapshot.run.tally if self._snapshot else None
        if tally is not None and tally.jobs + more >= 1:
            jobs = tally.jobs + more
            self.steer(SteeringCommand(command_box.JOBS, jobs), counted(jobs, "job"))

    def action_limit(self) -> None:
        """Ask for a limit."""
        question = (
            "When to stop? 5000: after 5,000 queries in all; 30m, 1h30m or 90s: in that time. "
            "Enter sets the limit, Escape leaves it."
        )
        self.app.push_screen(Prompt(question), self._set_limit)

    def _set_limit(self, text: str | None) -> None:
        if not text:
            return
        try:
            if text.isdecimal():
                command = SteeringCommand(command_box.MAX_QUERIES, int(text))
                told = f"stop after {counted(int(text), 'query')} in all"
            else:
                seconds = seconds_in(text)
                command = SteeringCommand(command_box.MAX_TIME, seconds)
                told = f"stop {duration(seconds)} later"
        except ValueError:
            self.notify(f"{text!r} is not a limit.", severity="error", markup=False)
        else:
            self.steer(command, told)

    def action_stop(self) -> None:
        """End the run with its best candidate, if the user confirms it."""
        self.app.push_screen(Prompt("Stop the run with the best so far? Type yes:"), self._stop)

    def _stop(self, text: str | None) -> None:
        if text in {"y", "yes"}:
            self.steer(SteeringCommand(command_box.STOP), "stop with the best")
