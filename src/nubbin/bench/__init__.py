"""How good is it? The literature's algorithms, measured again on real inputs and by simulation.

Nothing of nubbin imports this room but its command, `nubbin bench`, when it is called.
"""
