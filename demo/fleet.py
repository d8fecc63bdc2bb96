"""Writes the demo's input: a fleet of services in TOML, 33 KB, the same every time.

It is valid TOML. Somebody moved the canary settings of the last service below the settings of
the network, which TOML allows.
"""

from __future__ import annotations

import random
from pathlib import Path

_WORDS = """
    auth billing cart catalogue checkout consent currency discount dispatch email events
    fraud gateway geocode imports inventory invoices labels ledger locales loyalty mailer
    media metrics notify orders parcels payments pickup pricing products profile quotes
    ratings refunds reports returns reviews rewards routing search sessions shipping stock
    sync taxes tenants tickets tracking uploads vouchers warehouse webhooks wishlist
"""
_NAMES = _WORDS.split()
_TEAMS = ("harbour", "lantern", "meadow", "orchard", "quarry")
_TIERS = ("batch", "standard", "critical")


def fleet(seed: int = 7) -> str:
    """Return the whole file."""
    chance = random.Random(seed)
    parts = [
        "# The fleet: one entry per service. Reviewed by the platform team.\n"
        'schema = 4\nrevision = "2024-11-06T09:14:00Z"\n',
        '[defaults]\nregistry = "registry.example/fleet"\nrestart = "on-failure"\n'
        'log = { level = "info", format = "json", sample = 0.25 }\n',
        *(_team(name, chance) for name in _TEAMS),
        *(_service(name, chance) for name in _NAMES),
        '[network]\nmtu = 1450\nipv6 = true\ndomains = ["fleet.example", "internal.example"]\n',
        "# Only the wishlist has a canary so far.\n"
        "[service.canary]\nweight = 5\nuntil = 2024-12-01\n",
        '[retention]\nlogs = "14d"\nmetrics = "400d"\ntraces = "3d"\n',
    ]
    return "\n".join(parts)


def _team(name: str, chance: random.Random) -> str:
    people = chance.sample(["ada", "bo", "cy", "dana", "eli", "fay", "gus", "hana", "ines"], 3)
    mails = ",\n".join(f'    "{person}@fleet.example"' for person in people)
    return f'[team.{name}]\nchannel = "#{name}"\nmembers = [\n{mails},\n]\n'


def _service(name: str, chance: random.Random) -> str:
    version = f"{chance.randint(0, 9)}.{chance.randint(0, 30)}.{chance.randint(0, 12)}"
    tier, team = chance.choice(_TIERS), chance.choice(_TEAMS)
    needs = sorted(chance.sample(_NAMES, chance.randint(1, 4)))
    port = chance.randrange(7000, 9000)
    return f"""[[service]]
name = "{name}"
image = "{name}:{version}"
tier = "{tier}"  # owned by {team}
owner = "{team}"
replicas = {chance.randint(1, 12)}
needs = [{", ".join(f'"{other}"' for other in needs)}]

[service.limits]
cpu = "{chance.choice((250, 500, 1000, 2000))}m"
memory = "{chance.choice((128, 256, 512, 1024))}Mi"
open_files = {chance.choice((1_024, 4_096, 65_536)):_}

[service.env]
{name.upper()}_WORKERS = "{chance.randint(1, 16)}"
{name.upper()}_TIMEOUT = "{chance.randint(1, 60)}s"
TRACE_RATIO = "{chance.random():.3f}"

[[service.port]]
name = "http"
number = {port}
probe = {{ path = "/{name}/health", period = "{chance.randint(5, 30)}s" }}

[[service.port]]
name = "metrics"
number = {port + 1000}

[service.schedule]
deploy = "{chance.choice(("mon", "tue", "wed", "thu"))} {chance.randint(6, 15):02}:00"
freeze = {chance.choice(("true", "false"))}
window = {chance.choice((0.5, 1.0, 1.5))}
notes = '''
{name.capitalize()} keeps {chance.randint(2, 90)} days of data. Page {team} first.
'''
"""


if __name__ == "__main__":
    Path("fleet.toml").write_text(fleet(), encoding="utf-8")
