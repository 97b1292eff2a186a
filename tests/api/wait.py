"""Waiting for what comes by itself: in a moment and, on a machine with much else to do, in many. So no bound here says
how fast something is; a promise about time is held against what else happens meanwhile."""

import time

SECONDS = 60


def wait_for(condition, told=lambda: "it did not come", seconds=SECONDS):
    """What `condition` gives, as soon as that is something; `told` says what there is instead."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, told()
        time.sleep(0.02)
    return found
