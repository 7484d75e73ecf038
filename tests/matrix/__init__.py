"""The access matrix (TEAM-25): every route of every interface, by everybody, over everything.

``permissions``  the table of TEAM-21, copied from the specification, and who counts as what in which project
``cases``        the vocabulary of rows: what a route needs, over which kind of thing, and how it is asked
``web``, ``rest``, ``graphql``, ``sockets``, ``lean``   one row per route of each interface
``world``        the people, projects and runs that the cells are asked with
``cells``        the cells of a row, and who asks in them
``asking``       sends one request of a cell and reads the answer's class
``report``       prints how many cells a test run checked

A new route needs a row: in ``web`` (by URL name), ``rest`` (viewset.action), ``graphql`` (root field), ``sockets`` or
``lean``. A row is a list of `Case`: which permission it needs, over what, and how it is asked. A permission that is new
is copied from the table in the specification, never from the code. A route without a row fails.
"""
