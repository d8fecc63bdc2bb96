"""Tell one failure from another: reports, messages, and conditions on both.

`formats` and `messages` find each `Message` in the `Transcript` of an output. `masking` makes an
expression of it that also matches the output for other inputs. A `Failure` is made of messages of
one output, and a `FailureKind` of what all outputs of a failure share. `Conditions` are expressions
that the user gives, or that nubbin learns from a failure.
"""
