"""What a study of algorithms builds on: `nubbin_core.minimizers`, and these names.

They stay as they are from one minor version to the next; the modules that they come from may not.
`nubbin_bench`, the evaluation beside this package, imports from nothing else.
"""

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.parsing.grammars import grammar
from nubbin.documents.parsing.languages import language_of
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.replacement import Replacement
from nubbin.documents.sizes import measure
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.servers.server_pool import ServerTest
from nubbin.passes.folders.each_file import each_file
from nubbin.passes.nodes.hoist import SHORT_TEXTS
from nubbin.passes.nodes.subtrees import MAX_DEPTH
from nubbin.passes.proposal import Pass, Proposal, Proposals
from nubbin.passes.syntactic import Gate, propose
from nubbin.passes.table import FileView
from nubbin.reduction.options import HDD
from nubbin.reduction.pass_problem import PassProblem
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.schedule import Schedule
from nubbin_core.search.algorithm import Algorithm
from nubbin_core.search.budget import Budget, BudgetSpent
from nubbin_core.search.checked_minimizer import AlgorithmError
from nubbin_core.search.search import Search
from nubbin_core.search.verdict_cache import Answered, CachedVerdict

__all__ = [
    "HDD",
    "MAX_DEPTH",
    "SHORT_TEXTS",
    "Algorithm",
    "AlgorithmError",
    "Answered",
    "Budget",
    "BudgetSpent",
    "CachedVerdict",
    "CommandTest",
    "Document",
    "Edit",
    "File",
    "FileView",
    "Gate",
    "LocalOracle",
    "Node",
    "OracleSpec",
    "Pass",
    "PassProblem",
    "Proposal",
    "Proposals",
    "Replacement",
    "Schedule",
    "Search",
    "ServerTest",
    "Structure",
    "each_file",
    "grammar",
    "language_of",
    "measure",
    "passes_for",
    "propose",
]
