"""How good is it? The literature's algorithms, measured again on real inputs and by simulation.

A package beside nubbin, which builds on `nubbin.research` and `nubbin_core.minimizers` alone.
"""
