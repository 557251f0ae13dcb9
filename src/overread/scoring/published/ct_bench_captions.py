"""What CT-Bench's released caption scripts take for a caption, and how they score it.

Source: public code CelestialShine/CT-Bench, ``caption/caption_generator.py`` and
``caption/evaluate_caption_json.py``.

Seen there: a lesion without a picture is passed over, so that the denominator shrinks. A caption is
the reply without blanks around it. A call that fails is no gap: the words ``[GPT-4V error: …]``
(or ``[Gemini error: …]``) with the exception's message stand in the file as the caption, and are
scored like any other; so is an empty reply. The scores, each a plain mean over the file: NLTK's
``sentence_bleu`` of single words with smoothing method 4 and its ``meteor_score``, both on the
words of ``word_tokenize``; ROUGE-1 F over words parted by white space; BERTScore F1 for English;
cosine of all-MiniLM-L6-v2. They are printed with four decimals.

Where the script's own numbers depend on its surroundings: it downloads the data set ``punkt``, and
NLTK from 3.9 on looks for ``punkt_tab``; without that it prints a warning and takes words parted by
white space. Followed here is what it sets out to do (`metrics.text.penn_words`). What an exception
said is not in a run file word for word: the reason that is there stands in its place.

Not seen: how the descriptions of the release were scored for models that write several sentences;
the paper's numbers of items.
"""

from __future__ import annotations

from overread.records import Response, Status

__all__ = ["script_caption"]


def script_caption(response: Response) -> str | None:
    r"""Give what the script scores as the caption of a response; None where it has none.

    A response that failed without a receipt was never shown its picture: the script passes such a
    lesion over.

    Examples
    --------
    >>> def response(**more):
    ...     return Response(run="r", item="i", request_hash="h", **more)
    >>> script_caption(response(status=Status.OK, text=" Cyst in the liver.\n"))
    'Cyst in the liver.'
    >>> script_caption(response(status=Status.FAILED, reason="no such file")) is None
    True
    """
    if response.text is not None and response.status is not Status.FAILED:
        return response.text.strip()
    if response.status is Status.OK or response.receipts:
        return f"[GPT-4V error: {response.reason or 'the message is empty'}]"
    return None
