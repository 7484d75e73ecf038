"""Questions over all points of many runs: which are best by a key, and how its numbers are distributed.

ClickHouse answers for the segments that lie there; what else there is, tails of running runs above all, is read here.
"""
