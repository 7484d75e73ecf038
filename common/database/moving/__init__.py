"""An installation's rows from SQLite to PostgreSQL: copied, compared, and only then taken for the installation's.

The copy stands in a table of the target while it is under way, so that one that is cut off goes on. Indexes and foreign
keys come after the rows: in any other order rows would wait for others that refer to each other in circles.
"""
