"""Formats of the reports of failed tests: which test, the expected and actual values, and where."""

from __future__ import annotations

from typing import Final

# The lines of a report up to its next part: few, so that a match does not span two reports.
_LINES = r"(?:.*\n){,60}?"
# Exclude lines about files outside the project.
_OUTSIDE = r"(?!.*(?:node_modules/|node:|internal/))"
# The lines of a block of YAML before a field. Each field is searched from the start of the block,
# so the time does not multiply with the number of fields.
_OF_BLOCK = r"(?:(?![ ]*\.\.\.$).*\n){,60}?"
# The comment that names a test, above a failed assertion of TAP. Between them are no comment and no
# other failed assertion, and no line with less indentation, which would end the test. Some runners
# print each name twice, as a comment and as its own assertion: that is no enclosing test.
_TAP_SUITE = r"""
    ^([ ]*)\#[ ](?:Subtest:[ ])?(?P<suite>(?!Subtest:)[^\s(].*)\n
    (?: (?!\1\#|[ ]*not[ ]ok) (?:\1.*|(?!\1)[ ]*)\n ){,200}?
    (?=\1not[ ]ok) (?!.*-[ ](?P=suite)[ ]*(?:\#.*)?$)"""
_MESSAGE = r"(?P<values>\S.*) (?: (?<=:)\n\s*(?P<values2>\S.*) )?"
# The last cause of a Java exception. A framework may wrap it in many other exceptions.
_CAUSE = r"(?: (?:\n(?!\d+\)[ ]|$).*)* \nCaused[ ]by:[ ](?P<values9>.*) )?"

#: See `formats` for the groups.
TEST_RUNNERS: Final = {
    "pytest": r"""
        ^E[ ]+(?P<values>\S.*) (?: (?<=:)(?:\nE[ ]*$)*\nE[ ]+(?P<values2>\S.*) )?
        (?: (?:\nE.*){,5}? \nE[ ]+(?P<values3>assert[ ].+) )?
        (?: (?:\nE.*){,20}? \nE[ ]+\+[ ]+where[ ](?P<values4>.*(?:Error|Exception)\(.*) )?
        (?:\n.*)*? (?: \n (?:\S*/)?(?P<place>[\w.-]+):\d+:[ ]\w+ (?:\n.*)*? )?
        \n (?:FAILED|ERROR)[ ](?P<test>.+?)(?:[ ]-[ ].*)?$""",
    "pytest, in a line": r"""
        ^(?:FAILED|ERROR)[ ](?P<test>\S+?\.py\b.*?)(?:[ ]-[ ](?P<values>.*))?$""",
    "unittest": r"""
        ^(?:ERROR|FAIL):[ ](?P<test>.+)\n (?:.+\n)?? -+\n Traceback[ ].*\n (?:[ ].*\n)*
        [ ]+File[ ]"(?:[^"\n]*/)?(?P<place>[^/"\n]+)",[ ].*\n (?:[ ].*\n)*
        (?P<values>[^\W\d][\w.]*(?::[ ].*)?)$""",
    "Trial": r"""
        ^\[(?:FAIL|ERROR)\]\nTraceback[ ].*\n (?:[ ].*\n)*
        [ ]+File[ ]"(?!.*/(?:unittest|twisted/trial)/)(?:[^"\n]*/)?(?P<place>[^/"\n]+)",[ ].*\n
        (?:[ ].*\n)* (?P<values>[^\W\d][\w.]*(?::[ ].*)?)\n (?:.+\n)*
        \n (?P<test>[\w.]+)$""",
    "doctest": r"""
        ^File[ ]"(?:[^"\n]*/)?(?P<place>[^/"\n]+)",[ ]line[ ]\d+,[ ]in[ ](?P<test>.+)\n
        Failed[ ]example:\n (?:[ ]{4}.*\n)+
        (?: Exception[ ]raised:\n (?:[ ]{4}.*\n)* [ ]{4}(?P<values>\S.*)$
        | Expected.*\n (?: [ ]{4}(?P<values2>.*)\n (?:[ ]{4}.*\n)* )?
            Got.*\n [ ]{4}(?P<values3>.*)$ )""",
    "Mocha": rf"""
        ^[ ]+1\)[ ](?!(?:Error|Failure):$)(?: .*\n (?:[ ]+.*[^:\n]\n)*? [ ]+ )? (?P<test>.+):\n\s*
        {_MESSAGE}\n
        (?: {_LINES} [ ]+at[ ]{_OUTSIDE}.*?(?P<place>[\w.-]+):\d+:\d+ )?""",
    "Jasmine": rf"""
        ^1\)[ ](?P<test>.+)\n[ ]+Message:\n\s* {_MESSAGE}\n
        (?: {_LINES} [ ]+at[ ]{_OUTSIDE}.*?(?P<place>[\w.-]+):\d+:\d+ )?""",
    "AVA": r"""
        ^[ ]{2}(?P<test>\S.*)\n\n [ ]{2}(?:\S*/)?(?P<place>[\w.-]+):\d+\n (?:.*\n){,20}?
        [ ]{2}(?:Difference.*|(?P<values>\S.*:))\n\n [ ]{2}(?P<values2>\S.*)
        (?: \n[ ]{2}(?P<values3>\S.*) )?""",
    "Busted": r"""
        ^(?:Failure|Error)[ ]->[ ](?:\S*/)?(?P<place>[\w.-]+)[ ]@[ ]\d+\n (?P<test>.+)\n
        (?:\S+:\d+:[ ])?(?P<values>\S.*)
        (?: \nPassed[ ]in:\n(?P<values2>.*)\nExpected:\n(?P<values3>.*) )?""",
    "Jest": rf"""
        ^[ ]*●[ ](?P<test>.+)\n\s* {_MESSAGE}\n
        (?: \s*(?P<values3>Expected\b.*)\n \s*(?P<values4>Received\b.*)\n )?
        (?: {_LINES} [ ]+at[ ]{_OUTSIDE}.*?(?P<place>[\w.-]+):\d+:\d+ )?""",
    "Vitest": rf"""
        ^[ ]*FAIL[ ]+(?P<test>\S.*[ ]>[ ].*|\S+(?=[ ]\[[ ]))(?:[ ]\[[ ].*[ ]\])?\n {_MESSAGE}\n
        (?: {_LINES} [ ]*❯[ ]{_OUTSIDE}.*?(?P<place>[\w.-]+):\d+:\d+ )?""",
    "a test of Perl": r"""
        ^\#[ ]+Failed[ ]test(?:[ ]'(?P<test>.*)')?\s.*\n (?:\#[ ]+at[ ].*\n)?
        (?:\#[ ]+got:[ ](?P<values>.*)\n \#[ ]+expected:[ ](?P<values2>.*) )?""",
    "TAP": rf"""
        (?:{_TAP_SUITE})?
        ^[ ]*(?P<text>not[ ]ok)\b[ ]?\d*[ ]?-?[ ]?
        (?P<test>(?!.*\#[ ](?:TODO|SKIP))\S.*?)(?:[ ]\#.*)?\n
        (?: [ ]*---\n
            (?: (?={_OF_BLOCK}[ ]+operator:[ ](?P<values>.+)\n) | )
            (?: (?={_OF_BLOCK}[ ]+error:[ ](?:\|-\n\s*)?(?P<values2>.+?)
                (?:(?<=:)\n\s*(?P<values3>\S.*))?\n) | )
            (?: (?={_OF_BLOCK}[ ]+expected:[ ]+(?P<values4>.*)\n
                [ ]+actual:[ ]+(?P<values5>.*)\n) | )
        | (?:\#[ ]\([^)]*\)\n)? \#[ ]+(?P<values6>\S.*)\n )?""",
    "the tests of Node.js": rf"""
        ^[ ]*✖[ ](?P<test>.+?)[ ]\([\d.]+ms\)\n [ ]+{_MESSAGE}\n""",
    "go test": r"""
        ^[ ]*---[ ]FAIL:[ ](?P<test>\S+)[ ].*\n
        (?: [ ]+(?P<place>[\w.-]+):\d+:[ ]?\s*(?!\s)
            (?:Error[ ]Trace:.*\n (?:.*\n)*? \s+Error:\s+)? (?P<values>\S.*)
            (?: (?<=:[ ])\n\s+(?P<values2>expected.*)\n\s+(?P<values3>actual.*) )?
        | (?P<error>(?:panic|fatal[ ]error):[ ].*) (?:\n.*)*?
            \n(?!testing\.|runtime\.|panic\(|created[ ]by)(?P<frame>[\w./*()-]+?)\(.*\n\t )""",
    "go test -v": r"""
        ^===[ ]RUN[ ]+(?P<test>\S+)\n [ ]+(?P<place>[\w.-]+):\d+:[ ](?P<values>\S.*)$""",
    "cargo test": r"""
        ^----[ ](?P<test>.+)[ ]stdout[ ]----\n (?:.*\n)*?
        thread[ ].*[ ]panicked[ ]at[ ](?:'(?P<values>.*)',[ ])?
        (?:.*/)?(?P<place>[\w.-]+):\d+:\d+:?\n
        (?P<values2>.*) (?: \n[ ]+left:[ ](?P<values3>.*)\n[ ]+right:[ ](?P<values4>.*) )?""",
    "JUnit, by Maven": rf"""
        ^(?:\[ERROR\][ ])?(?!.*Tests[ ]run:)(?P<test>[\w.$()\[\]]+).*<<<[ ](?:FAILURE|ERROR)!.*\n
        (?P<values>\S.*)
        (?: \n (?:\tat[ ](?:org\.|java|jdk\.).*\n)*\tat[ ].*\((?P<place>[\w.]+):\d+\) )?
        {_CAUSE}""",
    "JUnit, by Gradle": r"""
        ^(?P<test>\S+[ ]>[ ].+)[ ]FAILED\n[ ]+(?P<values>\S+?)(?::[ ](?P<values2>.*)
        | [ ]at[ ](?P<place>[\w.]+):\d+ )$""",
    "JUnit": rf"""
        ^\d+\)[ ](?P<test>\S.*\([\w.$]+\))\n(?P<values>\S.*) {_CAUSE}$""",
    "PHPUnit": r"""
        ^\d+\)[ ](?P<test>[\w\\]+::.+)\n(?P<values>\S.*)
        (?: \n(?P<values2>Failed[ ]asserting[ ].*) )?""",
    "RSpec": r"""
        ^[ ]+1\)[ ](?P<test>.+)\n [ ]+Failure/Error:[ ].*\n (?:[ ]+\S.*\n)*? \n?
        [ ]+(?P<values>\S.*) (?: \n[ ]+(?P<values2>\S.*) )?
        (?: (?:\n.*){,30}? \n[ ]+\#[ ](?:\S*/)?(?P<place>[\w.-]+):\d+:in )?""",
    "RSpec, of a file that it cannot load": r"""
        ^An[ ]error[ ]occurred[ ]while[ ]loading[ ](?:\S*/)?(?P<place>[\w.-]+?)\.
        (?:[ ]-[ ].*\n (?:.*\n){,9}? | \n)
        Failure/Error:[ ].*\n (?:[ ]+.*\n)* \n (?P<values>\S.*)\n [ ]+(?P<values2>\S.*)$""",
    "Minitest": r"""
        ^[ ]+1\)[ ](?:Error|Failure):\n (?P<test>\S+?)(?:[ ]\[.*\])?:\n
        (?P<values>.+) (?: \n[ ]*(?P<values2>Actual:.*) )?""",
    "GoogleTest": r"""
        ^(?:.*/)?(?P<place>[\w.-]+):\d+:[ ]Failure\n (?P<values>\S.*)
        (?: (?<=:)\n\s*(?P<values2>\S.*)\n\s*(?P<values3>\S.*)\n\s*(?P<values4>\S.*) )?
        (?:\n(?!\[).*)*? \n\[[ ]+FAILED[ ]+\][ ](?P<test>[^\s,]+)""",
}
#: Formats that name the failed test and nothing else, so every other format comes first.
SUITES: Final = {
    "CTest": r"""
        ^[ \t]*\d+[ ]-[ ](?P<test>\S+)[ ]\((?P<text>[A-Z][\w ]+)\)$""",
}
