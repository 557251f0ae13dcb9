"""`overread build chest-claims`: a HalluCXR release out of label tables."""

from __future__ import annotations

from pathlib import Path

from overread.builders.chest_claims import draw_pictures, write_release
from overread.cli.output import notice, print_json

__all__ = ["chest_claims_command"]


def chest_claims_command(
    labels: Path,
    metadata: Path,
    out: Path,
    /,
    *,
    n: int = 856,
    per_patient: int = 4,
    seed: int = 1,
    json: bool = False,
) -> int:
    """Draw chest radiographs evenly over normal and abnormal ones, few of one patient.

    Parameters
    ----------
    labels
        A table of CheXpert labels, one row a study, as MIMIC-CXR-JPG has it.
    metadata
        Its table of pictures.
    out
        A folder for the release; the pictures stay where they are (--media).
    n
        Pictures wanted.
    per_patient
        At most so many of one patient.
    seed
        Of the draw.
    json
        Print JSON for machines.
    """
    sample = draw_pictures(labels, metadata, n=n, per_patient=per_patient, seed=seed)
    write_release(sample, out)
    if json:
        drawn = {"pool": dict(sample.pool), "drawn": dict(sample.drawn)}
        print_json({**drawn, "patients": sample.patients})
    drawn_text = ", ".join(
        f"{sample.drawn[name]} of {count} {name}" for name, count in sample.pool.items()
    )
    notice(
        f"Wrote {len(sample.rows)} pictures of {sample.patients} patients ({drawn_text}): {out}; "
        f"'overread check hallucxr {out} --media PICTURES' counts them."
    )
    return 0 if len(sample.rows) == n else 1
