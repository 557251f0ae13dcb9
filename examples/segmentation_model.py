"""A segmentation model in a process of its own: one JSON line in, one mask file out.

Needs Python 3.9 or newer, numpy and nibabel, and nothing of overread: run it in any environment.
Copy this file and put your network in the place of `BrightestVoxels`, which stands for one: it
marks the brightest one and a half per cent of the first volume.

Standard output belongs to the replies. Whatever else you have to say, say it on standard error.
"""

import json
import sys

import nibabel
import numpy as np


class BrightestVoxels:
    """Stands for your model. Load weights in `__init__`: the process is started once."""

    SHARE = 0.015

    def segment(self, volumes, labels):
        """Give the label of each voxel of the grid of the first volume.

        Parameters
        ----------
        volumes : list of nibabel images
            As released: intensities in HU or SUV, with their own affine.
        labels : dict of str to int
            Name of a label → its number.
        """
        values = np.asarray(volumes[0].dataobj, dtype=np.float32)
        least = np.quantile(values, 1 - self.SHARE)
        return np.where(values > least, min(labels.values()), 0).astype(np.uint8)


def main():
    """Answer questions until the input ends; an error costs one question."""
    model = BrightestVoxels()
    for line in sys.stdin:
        question = json.loads(line)
        try:
            volumes = [nibabel.load(volume["path"]) for volume in question["volumes"]]
            labels = {name: int(number) for number, name in question["labels"].items()}
            mask = model.segment(volumes, labels)
            path = question["write_to"] + ".nii.gz"
            # The answer lies on the grid of the first volume: its own affine, unchanged.
            nibabel.save(nibabel.Nifti1Image(mask, volumes[0].affine), path)
            reply = {"id": question["id"], "path": path}
        except Exception as error:
            reply = {"id": question["id"], "error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
