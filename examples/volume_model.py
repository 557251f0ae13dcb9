"""A 3D model in a process of its own: one JSON line in, one JSON line out.

Needs Python 3.9 or newer and numpy, and nothing of overread: run it in any environment. Copy this
file and put your network in the place of `DensityReader`, which stands for one: it measures how
much of a finding's density lies in each half of the lungs, and answers by that.

Standard output belongs to the replies. Whatever else you have to say, say it on standard error.
"""

import json
import re
import sys

import numpy as np

RANGES_HU = {
    "bulla": (-1100, -940),
    "pneumothorax": (-1100, -940),
    "ground-glass": (-740, -400),
    "": (-300, 300),  # nodule, mass, consolidation
}
OPPOSITE = {"L": "R", "R": "L", "A": "P", "P": "A", "S": "I", "I": "S"}


class DensityReader:
    """Stands for your model. Load weights in `__init__`: the process is started once."""

    AIR_HU = -600
    FEW_VOXELS = 20

    def __init__(self):
        self._path = None

    def answer(self, array, question):
        """Answer one question about one prepared volume in HU."""
        if array["path"] != self._path:  # several questions, one volume
            self._volume = np.load(array["path"], mmap_mode="r")
            reach = [max(1, round(30 / spacing)) for spacing in array["spacing_mm"]]
            self._lungs = inside(np.asarray(self._volume < self.AIR_HU), reach)
            self._path, self._axes = array["path"], array["axes"]  # last: now all is read
        asked = question.lower()
        share = self._share(asked)
        side = "left" if share["L"] > share["R"] else "right"
        both = min(share["L"], share["R"]) > 0.5 * max(share["L"], share["R"])
        height = "upper" if share["S"] > share["I"] else "lower"
        if "unilateral" in asked or "bilateral" in asked:
            return "Bilateral." if both else "Unilateral."
        if "central" in asked or "peripheral" in asked:
            return "Peripheral."
        if "anterior" in asked or "posterior" in asked:
            return "Anterior." if share["A"] > share["P"] else "Posterior."
        if re.match(r"(is|are|was|were|does|do|has|have|can)\b", asked):
            named = "L" if "left" in asked else "R" if "right" in asked else None
            if named:
                return "Yes." if share[named] > share[OPPOSITE[named]] else "No."
            return "Yes." if share["L"] + share["R"] > self.FEW_VOXELS else "No."
        if "lobe" in asked or asked.startswith("where"):
            return f"In the {side} {height} lobe."
        return "On both sides." if both else f"On the {side}."

    def _share(self, asked):
        """Count voxels of the finding's density in each half of the lungs, along each axis."""
        low, high = next(hu for name, hu in RANGES_HU.items() if name in asked)
        volume = np.asarray(self._volume)
        found = self._lungs & (volume > low) & (volume < high)
        share = {}
        for axis, grows in enumerate(self._axes):  # "SPL": feet to head, front to back, …
            first, second = np.array_split(found, 2, axis=axis)
            share[OPPOSITE[grows]], share[grows] = int(first.sum()), int(second.sum())
        return share


def inside(air, reach):
    """Find what lies within `reach` voxels of the lungs' air on both sides, along two axes."""
    lung = air & ~outside(air)
    near = [lung | (close(lung, axis, reach[axis]) & close_back(lung, axis, reach[axis]))
            for axis in (1, 2)]  # fmt: skip
    return near[0] & near[1]


def outside(air):
    """Find the air around the body: from the border inwards along rows and columns."""
    found = np.zeros_like(air)
    for axis in (1, 2):
        found |= np.logical_and.accumulate(air, axis=axis)
        found |= np.flip(np.logical_and.accumulate(np.flip(air, axis), axis=axis), axis)
    return found


def close(mask, axis, reach):
    """Find the voxels with `mask` at most `reach` before them along an axis."""
    shape = [1] * mask.ndim
    shape[axis] = -1
    place = np.arange(mask.shape[axis], dtype=np.int32).reshape(shape)
    last = np.maximum.accumulate(np.where(mask, place, -reach - 1), axis=axis)
    return place - last <= reach


def close_back(mask, axis, reach):
    """Find the voxels with `mask` at most `reach` after them along an axis."""
    return np.flip(close(np.flip(mask, axis), axis, reach), axis)


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
