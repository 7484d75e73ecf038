"""The commands of ``runyard-agent``, a module each.

A module has ``HELP`` (one sentence), ``FORM`` (what follows the options, if anything does), ``EXAMPLES``,
``add_arguments`` (its own flags) and ``run`` (returns the exit code). It imports what it needs when it runs, so that
``--help`` answers at once.
"""
