"""Masks made elsewhere, read from a folder and joined to cases by their names.

``--model masks:FOLDER`` or ``masks:FOLDER/{case}/seg_{id}.nii.gz``. `target` reads what stands
after the colon, `listing` looks at the files, `naming` finds out how a folder without a pattern
names them, `joining` finds the file of an item, `adapter` makes a model of all.

In a pattern stand, in braces, ``id`` (the item's id), ``name`` (the id with ``_`` for all that has
no place in a file name), ``task``, ``condition``, ``draw``, and every key of the item's groups and
strata (``case``, ``patient``, ``phase``; a group that is the name of a file goes without its
ending); ``*`` is anything within a name. The pattern may leave out the ending: then ``.nii.gz``,
``.nii``, ``.mha`` and ``.png`` are looked for, and two of them for one case are refused.

Without a pattern the files must name their cases alike: ``case_07.nii.gz``, ``case_07_seg.nii.gz``
or ``case_07/seg.nii.gz``, or in folds, ``fold1/case_07.nii.gz``. What came of it is a finding of
the run (``mask-naming``).

A case without a file has *failed*, and stays in the denominator.
"""

from __future__ import annotations

from overread.models.masks.adapter import ADAPTER

__all__ = ["ADAPTER"]
"""A folder of masks as a model."""
