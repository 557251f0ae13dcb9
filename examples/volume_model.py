"""A 3D model in a process of its own: one JSON line in, one JSON line out.

Needs Python 3.9 or newer and numpy, and nothing of overread: run it in any environment. Take this
file and put your network in the place of `DensityReader`, which looks where the lungs are denser
than air and answers questions of side, height and depth by that.

Standard output belongs to the replies. Whatever else you have to say, say it on standard error.
"""

import json
import re
import sys

import numpy as np


class DensityReader:
    """Stands for your model. Load weights in `__init__`: the process is started once."""

    AIR_HU = -600.0
    """Lung is below it."""
    SOFT_HU = -350.0
    """What lies in the lungs and is above it is no lung."""

    def __init__(self):
        self._held = (None, None)

    def answer(self, array, question):
        """Answer one question about one prepared volume."""
        share = self._shares(array)
        asked = question.lower()
        if "right" in asked and "left" in asked or re.search(r"which (side|lung)|laterality", asked):
            return self._side(share)
        if re.search(r"unilateral|bilateral|both (lungs|sides)|one (lung|side)", asked):
            return "Bilateral." if self._side(share) == "Both lungs." else "Unilateral."
        if re.search(r"upper.*lower|lower.*upper|which lobe|in which zone", asked):
            height = "upper" if share["S"] > share["I"] else "lower"
            side = self._side(share).split()[0].lower().rstrip(".")
            return f"In the {height} lobe of the {side} lung."
        if re.search(r"anterior.*posterior|posterior.*anterior|front.*back", asked):
            return "Anterior." if share["A"] > share["P"] else "Posterior."
        if re.match(r"(is|are|was|were|does|do|has|have|can)\b", asked):
            return "Yes." if sum(share.values()) > 0 else "No."
        return f"In the {self._side(share).lower().rstrip('.')}."

    @staticmethod
    def _side(share):
        left, right = share["L"], share["R"]
        if min(left, right) > 0.5 * max(left, right):
            return "Both lungs."
        return "Left lung." if left > right else "Right lung."

    def _shares(self, array):
        """Measure how much dense tissue lies in the lungs, by half: of left and right, and so on."""
        if self._held[0] == array["sha256"]:  # several questions, one volume
            return self._held[1]
        # Memory-mapped: nothing is read that is not looked at.
        volume = np.load(array["path"], mmap_mode="r")
        air = volume < self.AIR_HU
        lungs = _inside(air)
        dense = lungs & ~air & (np.asarray(volume) > self.SOFT_HU)
        share = {}
        for axis, grows in enumerate(array["axes"]):  # "SPL": feet to head, front to back, right to left
            first, second = np.array_split(dense, 2, axis=axis)
            opposite = dict(zip("LRAPSI", "RLPAIS"))[grows]
            share[opposite], share[grows] = float(first.sum()), float(second.sum())
        self._held = (array["sha256"], share)
        return share


def _inside(air):
    """Give the convex-ish hull of the air that does not touch the border: row by row filled."""
    body_air = air.copy()
    for axis in range(3):  # strip the air outside the body from both ends of every line
        for reverse in (False, True):
            line = np.flip(air, axis) if reverse else air
            outside = np.logical_and.accumulate(line, axis=axis)
            body_air &= ~(np.flip(outside, axis) if reverse else outside)
    filled = np.ones_like(air)
    for axis in (1, 2):
        before = np.logical_or.accumulate(body_air, axis=axis)
        after = np.flip(np.logical_or.accumulate(np.flip(body_air, axis), axis=axis), axis)
        filled &= before & after
    return filled


def main():
    """Answer until the input ends."""
    model = DensityReader()
    print("model ready", file=sys.stderr)
    for line in sys.stdin:
        question = json.loads(line)
        reply = {"id": question["id"]}
        try:
            reply["text"] = model.answer(question["arrays"][0], question["question"])
        except Exception as error:  # one volume that cannot be read must not end the run
            reply["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
