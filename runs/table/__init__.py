"""The runs table (RUN-21 to RUN-25): which columns there are, its rows, its groups.

The table's page, the workspace's run selector, REST and exports all read runs through here, so that one query string
means the same everywhere: ``filter`` (`runs.query.expression`), ``search``, ``order``, ``group``, ``columns``.
"""

from runs.query.cells import Cell
from runs.table.catalogue import ColumnInfo, catalogue_of, label_of, visible_catalogue
from runs.table.groups import Group, GroupNumbers, GroupPage, groups_of
from runs.table.query import TableQuery, matching_runs
from runs.table.rows import Row, TablePage, rows_of

__all__ = [
    "Cell", "ColumnInfo", "Group", "GroupNumbers", "GroupPage", "Row", "TablePage", "TableQuery", "catalogue_of",
    "groups_of", "label_of", "matching_runs", "rows_of", "visible_catalogue",
]  # fmt: skip
