"""Settings: ``prod`` for every installation, ``dev`` with debugging on, ``test`` for the suite."""
