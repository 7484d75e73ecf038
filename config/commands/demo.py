"""``runyard demo``: fill the running server with people, teams and runs to look around in."""

HELP = "Fill the running server with a demo: people, teams, 200 runs; --live 10 keeps three logging for ten minutes."


def main(arguments: list[str]) -> int:
    """Fill it; return the exit status."""
    from demo.__main__ import main as fill

    fill(arguments)
    return 0
