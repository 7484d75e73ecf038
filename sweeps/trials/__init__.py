"""One set of arguments after the other: chosen, handed out, handed out again."""
