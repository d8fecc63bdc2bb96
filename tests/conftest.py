"""Settings of the whole test suite."""

from hypothesis import settings

# The machine may be busy: no test fails for being slow. Failures are printed ready to replay.
settings.register_profile("nubbin", deadline=None, print_blob=True)
settings.load_profile("nubbin")
