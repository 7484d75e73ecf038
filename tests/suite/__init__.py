"""How the suite runs, and programs that run it.

``passes``       which tests a pass runs, and how much each does
``order``        the order of their files
``second_try``   what becomes of a test that failed, in CI
``times``        measures where the time goes (`make test-times`)
``complete``     the complete pass (`make test-all`); ``journal`` lets it go on where it was cut off
``fresh_clone``  what a newcomer does (`make test-clone`)
"""
