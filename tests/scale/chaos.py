"""Kills and restarts what it is given, at random, by a seed that is printed so that a bad run can be seen again."""

import os
import random
import threading
import time

SOAK = os.environ.get("ASSAY_TEST_SOAK") == "1"
QUICK = os.environ.get("ASSAY_SCALE_QUICK") == "1"
SECONDS = 600 if SOAK else 10 if QUICK else 180


class Chaos:
    """While it is entered, one victim after another is killed, stays away for a moment and is started again. A victim
    has `name`, kill() and start(); all of them run when it is left. `seconds` is how long it goes on by itself, and
    until each was hit once; `wait` waits for that end, `kills` says how often each was hit."""

    def __init__(self, victims, seconds=SECONDS, seed=None, pause=(1, 6), away=(0, 3)):
        self.victims = victims
        self.seconds = seconds
        self.seed = seed if seed is not None else int.from_bytes(os.urandom(4), "little")
        self.pause, self.away = pause, away
        self.kills = {victim.name: 0 for victim in victims}
        self.error = None
        self._leave = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        chance = random.Random(self.seed)
        end = time.monotonic() + self.seconds
        try:
            while time.monotonic() < end or not all(self.kills.values()):
                for victim in chance.sample(self.victims, len(self.victims)):
                    if self._leave.wait(chance.uniform(*self.pause)):
                        return
                    self._strike(victim, chance.uniform(*self.away))
        except Exception as error:  # of this thread, told by __exit__
            self.error = error

    def _strike(self, victim, seconds):
        victim.kill()
        self.kills[victim.name] += 1
        self._leave.wait(seconds)
        victim.start()

    def wait(self):
        """Until it has gone on for its seconds."""
        self._thread.join()

    def __enter__(self):
        print(f"chaos: seed {self.seed}, {self.seconds} s, {', '.join(victim.name for victim in self.victims)}", flush=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._leave.set()
        self._thread.join()
        print("chaos:", ", ".join(f"{name} killed {kills} times" for name, kills in self.kills.items()), flush=True)
        if self.error is not None:
            raise self.error
