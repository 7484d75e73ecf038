"""Questions about runs: conditions and orders on columns, config and summary, the same on both databases.

`mongo` reads the SDK's filters into `conditions`, which compile to Django expressions; `ordering` reads its orders.
"""
