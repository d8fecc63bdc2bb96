"""The names that a study of algorithms can build on, beside `nubbin_core.minimizers`.

They do not change between minor versions, but the modules that define them may. `nubbin_bench`, the
evaluation beside this package, imports from nothing else.
"""
# ruff: noqa: PLC0414 - type checkers export only what is imported under a name

from nubbin.documents.document import Document as Document
from nubbin.documents.document import measure as measure
from nubbin.documents.edits import Edit as Edit
from nubbin.documents.edits import File as File
from nubbin.documents.parsing.grammars import grammar as grammar
from nubbin.documents.parsing.languages import language_of as language_of
from nubbin.documents.parsing.syntax import Node as Node
from nubbin.documents.parsing.syntax import Structure as Structure
from nubbin.documents.spans import Replacement as Replacement
from nubbin.oracles.commands.command_test import CommandTest as CommandTest
from nubbin.oracles.local_oracle import LocalOracle as LocalOracle
from nubbin.oracles.local_oracle import OracleSpec as OracleSpec
from nubbin.oracles.servers.server_pool import ServerTest as ServerTest
from nubbin.passes.each_file import each_file as each_file
from nubbin.passes.nodes.simpler import SHORT_TEXTS as SHORT_TEXTS
from nubbin.passes.nodes.subtrees import MAX_DEPTH as MAX_DEPTH
from nubbin.passes.proposal import Pass as Pass
from nubbin.passes.proposal import Proposal as Proposal
from nubbin.passes.proposal import Proposals as Proposals
from nubbin.passes.syntactic import Gate as Gate
from nubbin.passes.syntactic import propose as propose
from nubbin.passes.table import FileView as FileView
from nubbin.reduction.options import HDD as HDD
from nubbin.reduction.pass_problem import PassProblem as PassProblem
from nubbin.reduction.pipeline import passes_for as passes_for
from nubbin.reduction.schedule import Schedule as Schedule
from nubbin_core.search.algorithm import Algorithm as Algorithm
from nubbin_core.search.algorithm import AlgorithmError as AlgorithmError
from nubbin_core.search.budget import Budget as Budget
from nubbin_core.search.budget import BudgetSpent as BudgetSpent
from nubbin_core.search.problem import Answered as Answered
from nubbin_core.search.problem import CachedVerdict as CachedVerdict
from nubbin_core.search.search import Search as Search
