"""The other side of tests: real servers on this machine that stand for those of other people."""
