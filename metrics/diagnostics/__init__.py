"""Why a run ended badly: the likely cause, lines that were lost, and which process wrote which log lines."""
