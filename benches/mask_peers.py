"""The same masks through surface-distance and MedPy. Needs numpy and those two, not overread.

Run as ``python mask_peers.py FOLDER NAMES ROUNDS``: FOLDER holds ``NAME.json`` (labels, spacing),
``NAME-reference.npy`` and ``NAME-prediction.npy``. Prints one line of JSON. A peer that is not
installed is named with the reason.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")
TOLERANCE_MM = 3.0


def by_surface_distance(reference, prediction, spacing):
    import surface_distance as peer

    found = peer.compute_surface_distances(reference, prediction, spacing)
    return {
        "dice": peer.compute_dice_coefficient(reference, prediction),
        "nsd": peer.compute_surface_dice_at_tolerance(found, TOLERANCE_MM),
        "hd95": peer.compute_robust_hausdorff(found, 95),
        "assd": sum(peer.compute_average_surface_distance(found)) / 2,
    }


def by_medpy(reference, prediction, spacing):
    from medpy.metric import binary as peer

    return {
        "dice": peer.dc(prediction, reference),
        "hd95": peer.hd95(prediction, reference, spacing),
        "assd": peer.assd(prediction, reference, spacing),
    }


def measure(one, reference, prediction, case, rounds):
    one(np.eye(3, dtype=bool), np.eye(3, dtype=bool), (1.0, 1.0))  # what is imported on first use
    seconds, cpu_seconds = [], []
    for _ in range(rounds):
        values = {}
        begin, cpu_begin = time.perf_counter(), time.process_time()
        for label in case["labels"]:
            found = one(reference == label, prediction == label, case["spacing_mm"])
            values[str(label)] = {name: float(value) for name, value in found.items()}
        cpu_seconds.append(time.process_time() - cpu_begin)
        seconds.append(time.perf_counter() - begin)
    return {"seconds": seconds, "cpu_seconds": cpu_seconds, "values": values}


def main():
    folder, names, rounds = Path(sys.argv[1]), sys.argv[2].split(","), int(sys.argv[3])
    found = {}
    for peer, one, repeat in (
        ("surface-distance", by_surface_distance, rounds),
        ("MedPy", by_medpy, 1),  # most of a minute
    ):
        for name in names:
            case = json.loads((folder / f"{name}.json").read_text())
            reference, prediction = (
                np.load(folder / f"{name}-{side}.npy") for side in ("reference", "prediction")
            )
            try:
                result = measure(one, reference, prediction, case, repeat)
            except ImportError as error:
                result = {"skipped": str(error)}
            found.setdefault(peer, {})[name] = result
    print(json.dumps(found))


main()
