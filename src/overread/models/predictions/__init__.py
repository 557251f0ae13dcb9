"""Answers made elsewhere, read from a file and joined by key, never by row.

``--model predictions:FILE`` with JSON, JSON Lines or CSV. `rows` reads the file, `joining` finds
the row of an item, `adapter` makes a model of both.

A row names its item by one of

- ``item`` (or ``item_id``, ``id``): the item's id as `overread` prints it;
- ``qa_id``: the release's own id, where it has one;
- ``lesion_idx`` and ``q_type``, better with ``bbox_type`` and ``split``;
- ``question`` with its case: ``case_id``, ``case``, or an ``image_path`` whose file is named after
  the case, whatever folder and ending it has (``…/m3d_npy/valid_1_a_1.npy``).

and its answer by one of ``text``, ``reply``, ``response``, ``raw_response``, ``output``,
``prediction``, ``answer``, ``selected_option``; a lone letter in one of the last three is a choice
already read, and is read as such under both profiles. Beside a field ``prediction`` an ``answer``
is the reference, and is never taken for the reply. A JSON object may also map ids to answers.
The list that the CT-Bench script writes (``output_data.json``) is read as it is: its rows have no
box type, so their question and choices must agree, and a row that fits two items is refused.
"""

from __future__ import annotations

from overread.models.predictions.adapter import ADAPTER

__all__ = ["ADAPTER"]
