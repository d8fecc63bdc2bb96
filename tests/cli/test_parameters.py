import click
import pytest

from nubbin.cli.parameters import PATH, as_seconds, size


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        ("4096", 4096),
        ("2k", 2048),
        ("800M", 800 * 2**20),
        ("2G", 2**31),
        ("1.5GiB", 3 * 2**29),
        ("1 tb", 2**40),
    ],
)
def test_sizes(text: str, number: int) -> None:
    assert size(text) == number


@pytest.mark.parametrize("text", ["", "0", "-1", "2X", "G", "1e9", "0.1"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(click.BadParameter, match="800M or 2G"):
        size(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30", 30),
        ("0.5", 0.5),
        ("2s", 2),
        ("10m", 600),
        ("10min", 600),
        ("1h30m", 5400),
        ("1h1", 3601),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert as_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-3", "soon", "10m5h", "nan", "inf"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(click.BadParameter, match="1h30m"):
        as_seconds(text)


def test_an_empty_path_is_not_the_current_folder() -> None:
    with pytest.raises(click.BadParameter, match="A path is empty"):
        PATH.convert("", None, None)
