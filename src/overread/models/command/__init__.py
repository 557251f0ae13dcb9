r"""A model in a process and an environment of its own, asked over one line in and one line out.

``--model command:'conda run -n ct python my_model.py'``. The process is started once and reads
questions from its standard input, one JSON object a line, in UTF-8::

    {"id": "test/img2txt/box/17", "draw": 0, "benchmark": "ct-bench", "task": "img2txt",
     "condition": "box", "question": "…",
     "prompt": [{"role": "system", "text": "…"}, {"role": "user", "pictures": [PICTURE, …]}],
     "pictures": [PICTURE, …],
     "arrays": [ARRAY, …],
     "options": [{"letter": "A", "text": "…", "pictures": []}, …],
     "settings": {"seed": 0, "temperature": 0.0, "max_tokens": 1000}}

where PICTURE is ``{"path": "/tmp/…/1f0c….png", "media_type": "image/png", "width": 512,
"height": 512, "sha256": "…", "window": "as stored", "layout": "slice 3 of 9",
"orientation": "as stored"}``: a file in a private folder, gone after the reply; and ARRAY is
``{"path": "/tmp/…/9c1e….npy", "shape": [160, 224, 224], "dtype": "float32", "axes": "SPL",
"spacing_mm": [3.0, 1.5, 1.5], "recipe": "merlin", "sha256": "…"}``: a volume prepared by the recipe
of that name (``--recipe``), to be opened with ``numpy.load``, kept until the last question about it
was answered. For each question it writes one line to its standard output, with the same id::

    {"id": "test/img2txt/box/17", "text": "B"}
    {"id": "test/img2txt/box/17", "path": "/data/masks/17.nii.gz"}
    {"id": "test/img2txt/box/17", "error": "out of memory"}
    {"id": "test/img2txt/box/17", "refused": "not a question for me"}

A question whose answer is a mask has three fields more::

     "volumes": [{"path": "/tmp/…/volume-0.nii.gz", "kind": "nifti"}, …],
     "labels": {"1": "lesion"},
     "write_to": "/data/runs/net.sqlite.masks/case-07-1f0c…/mask"}

The volumes are copies of the released files, in the order of the release and under names that tell
nothing (``dicom-series`` is a folder); they stand in the prompt's parts as well. The mask is
written to ``write_to`` with an ending added (``mask.nii.gz``), on the grid of the first volume and
with the numbers of ``labels``; the reply names it by ``path``. It stays beside the run file. A
path outside that folder, or of no file, is a *failed* question.

``finish_reason``, ``tokens_in`` and ``tokens_out`` may be added. Everything else it has to say
goes to its standard error, whose end is shown when it dies. At the end of its input it leaves.

A process that dies is started again, and the question that killed it has *failed*; so has one that
gets no reply in time (``--timeout-s``; ten minutes more for the first one after a start, when
weights are loaded) or a line that is no reply to it. Three deaths in a row without a reply end the
run; ten where masks are asked for, since the first cases may be too large for the memory.

A whole example, in Python::

    import json, sys
    for line in sys.stdin:
        question = json.loads(line)
        answer = question["options"][0]["letter"]
        print(json.dumps({"id": question["id"], "text": answer}), flush=True)
"""

from __future__ import annotations

from overread.models.command.adapter import ADAPTER

__all__ = ["ADAPTER"]
