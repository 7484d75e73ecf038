"""The access matrix (TEAM-25): what the specification says each route answers to whom, as data.

``permissions``  the table of TEAM-21, copied from the specification, and who counts as what in which project
``cases``        the vocabulary of rows: what a route needs, over which kind of thing, and how it is asked
``web``, ``rest``, ``graphql``, ``sockets``, ``lean``   one row per route of each interface
``world``        the people, projects and runs that the cells are asked with
``asking``       sends one request of a cell and reads the answer's class
``report``       prints how many cells a test run checked
"""
