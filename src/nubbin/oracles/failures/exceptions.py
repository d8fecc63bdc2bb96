"""Formats in which languages report an exception or a panic that nothing caught."""

from __future__ import annotations

from typing import Final

# Exclude the frames of the runtime.
_PYTHON = r"(?!<|[^\"\n]*/python3\.\d+/(?!site-|dist-))"
_JAVA = r"(?!java\.|javax\.|jdk\.|sun\.|com\.sun\.|scala\.|kotlin\.)"
_NODE = r"(?!.*\((?:node:|<anonymous>)|(?:Object|Module)\.)"
# Begins the message of a JavaScript error. It may be followed by many lines before the stack.
_ERROR = r"(?:ERROR|[\w.$]*(?:Error|Exception))\b"
_DOTNET = r"(?!System\.|Microsoft\.)"

#: See `formats` for the groups.
EXCEPTIONS: Final = {
    "a panic of Go": r"""
        ^(?P<error>(?:panic|fatal[ ]error):[ ].*)\n
        (?:.*\n){,4}? goroutine[ ].*\n (?: (?:(?:panic|runtime|testing)[.(].*\n\t.*\n)*
            (?P<frame>[\w./*()]+?)\((?:.*\)|\.\.\.\))$ )?""",
    "a Java exception": rf"""
        ^(?:Exception[ ]in[ ]thread[ ]".*"[ ]|Caused[ ]by:[ ])?
        (?P<error>[\w.$]+(?:Exception|Error|Throwable)\b(?::[ ].*)?) \n
        (?=\t(?:at|\.\.\.)[ ]) (?!(?:\t.*\n)*Caused[ ]by:)
        (?: (?:\tat[ ].*\n)*? \tat[ ](?:[\w.-]+(?:@[\w.]+)?/+)? {_JAVA}
            (?P<frame>[\w.$<>]+)\( )?""",
    "a JavaScript error": rf"""
        ^(?:Uncaught[ ])?(?P<error>{_ERROR}.*)\n
        (?:(?!(?:Uncaught[ ])?{_ERROR}).*\n){{,200}}? (?=[ ]{{4}}at[ ])
        (?: (?:[ ]+at[ ].*\n)*? [ ]+at[ ] {_NODE}
            (?:async[ ]|new[ ])?(?P<frame>[\w.$]+)[ ]\( )?""",
    "a Python traceback and its cause": rf"""
        ^Traceback[ ]\(most[ ]recent[ ]call[ ]last\):\n (?:[ ].*\n)+
        (?P<error>[^\W\d][\w.]*(?::[ ].*)?)\n
        (?=(?:.*\n)*?\n(?:During|The[ ]above)[ ]) (?s:.*)^Traceback[ ].*:\n
        (?: (?:[ ].*\n)* [ ]+File[ ]"{_PYTHON}[^"\n]*",[ ]line[ ]\d+
            (?: ,[ ]in[ ]<\w+> | ,[ ]in[ ](?P<frame>\w+) )\n )?
        (?:[ ].*\n)* (?P<error2>[^\W\d][\w.]*(?::[ ].*)?)$""",
    "a Python traceback": rf"""
        ^Traceback[ ]\(most[ ]recent[ ]call[ ]last\):\n
        (?: (?:[ ].*\n)* [ ]+File[ ]"{_PYTHON}[^"\n]*",[ ]line[ ]\d+
            (?: ,[ ]in[ ]<\w+> | ,[ ]in[ ](?P<frame>\w+) )\n )?
        (?:[ ].*\n)*
        (?P<error>[^\W\d][\w.]*(?::[ ].*)?)$ (?!\n\n(?:During|The[ ]above)[ ])""",
    "a Ruby exception": r"""
        ^.*:\d+:in[ ][`'](?:block[ ].*in[ ])?(?:<.*>|(?P<frame>.*?))':[ ]
        (?P<error>.*[ ]\([A-Z][\w:]*\))$""",
    "a .NET exception": rf"""
        ^Unhandled[ ][Ee]xception[:.]\s+ (?P<error>[\w.]+(?::[ ].*)?)\n
        (?: (?:[ ]+at[ ].*\n)*? [ ]+at[ ] {_DOTNET}
            (?P<frame>[\w.<>`]+)[ ]?\( )?""",
    "a fatal error of PHP": r"""
        ^(?:PHP[ ])?(?:Fatal|Parse)[ ]error:[ ]+(?P<error>.*?)[ ]in[ ].*
        (?::|[ ]on[ ]line[ ])\d+$
        (?: \nStack[ ]trace:\n\#0[ ].*?:[ ](?P<frame>[\w\\>:-]+)\( )?""",
    "a syntax error of Perl": r"""
        ^(?P<error>.+)[ ]at[ ](?:\S*/)?(?P<frame>[^\s/]+)[ ]line[ ]\d+,[ ]
        (?P<error2>(?:near|at)[ ].+)$""",
    "an error of Perl": r"""
        ^(?P<error>.+)[ ]at[ ](?:\S*/)?(?P<frame>[^\s/]+)[ ]line[ ]\d+(?:,[ ]<.*)?\.$""",
}
