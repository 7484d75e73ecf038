"""The processes that ask for runs: registered, heard, told what to do next."""
