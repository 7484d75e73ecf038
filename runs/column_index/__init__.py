"""A project's runs by column, kept in memory: what lists filter, sort, count and group by.

A database reads every run of a project to answer such a question, 3 to 10 µs each; a column of numbers takes 10 ns.
Values are kept, never who may see them: that is asked each time. Triggers note which runs change, so that an answer
is as true as the database's (docs/develop/decisions/database.md).
"""

from runs.column_index.grouping import groups_in
from runs.column_index.matching import RunList, listed_runs
from runs.column_index.project_index import STATE
from runs.column_index.values import Array, Values

__all__ = ["STATE", "Array", "RunList", "Values", "groups_in", "listed_runs"]
