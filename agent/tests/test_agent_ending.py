"""What ends a command that would go on for ever."""

import os
import signal
import threading

from recorded import PATIENCE_S

from runyard_agent.ending import Ending


def test_a_signal_that_the_system_gives_to_another_thread_wakes_the_main_one() -> None:
    """AGT-2: it interrupts nothing in the main thread, where its handler has to run."""
    over = threading.Event()
    other = threading.Thread(target=over.wait)
    other.start()
    with Ending() as ending:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        try:
            assert not ending.wait(0)
            sent = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM))
            sent.start()
            assert ending.wait(PATIENCE_S)
            assert ending.wait(0), "the end stays told"
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            over.set()
            other.join()
    assert ending.exit_code == 0
