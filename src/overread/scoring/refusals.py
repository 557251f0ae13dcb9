"""Replies that decline: "As an AI model, I cannot …", "I don't know", "none of the above"."""

from __future__ import annotations

import re

from overread.scoring.reading import Rule

__all__ = ["declines"]

_LOOKED_AT = 2000
"""Characters read at either end of a reply."""

_CANNOT = (
    r"(?:can(?:no|')t|can not|could(?: not|n't)|(?:am |'m )?(?:not able|unable) to|won't|will not)"
)
_REFUSAL = re.compile(
    r"\bas an? (?:AI|artificial intelligence|(?:large )?language model)\b"
    rf"|\b(?:I|we)\s?{_CANNOT} (?:\w+ly )?(?:assist|help|provide|answer|diagnos|interpret|"
    r"analy[sz]e|give|offer|comply|fulfil|view|process|make a|perform|evaluate|assess|comment|"
    r"respond|"
    r"see (?:the |any |an )?(?:image|picture|attach))"
    r"|\bI'm (?:sorry|just an AI|only an AI)\b|\bI apologi[sz]e\b"
    r"|\b(?:requires?|needs?|consult|see|seek|refer to)\b[^.\n]{0,60}\b(?:radiologist|physician|"
    r"doctor|medical professional|healthcare professional|healthcare provider|specialist|"
    r"clinician)\b"
    r"|\bno images? (?:was|were|is|are|has been|have been) (?:provided|attached|shown|given)"
    r"|\b(?:don't|do not|cannot|can't) see (?:any|an|the) (?:attached )?(?:image|picture)"
    r"|\bplease (?:upload|provide|attach|share) (?:the|an|your)\b"
    r"|申し訳(?:ありません|ございません)|お答えできません|无法(?:提供|回答|诊断|查看)|抱歉",
    re.I,
)
_ABSTENTION = re.compile(
    r"\b(?:I )?(?:don't|do not|didn't) know\b|\bnot sure\b|\bunsure\b|\buncertain\b"
    rf"|\b{_CANNOT} (?:be )?(?:\w+ly )?(?:tell|determine|determined|decide|decided|say|identify|"
    r"choose|select|conclude|confirm|distinguish|judge)"
    r"|\b(?:impossible|not possible|difficult) to (?:tell|determine|say|decide|choose|answer)"
    r"|\b(?:not enough|insufficient|too little|lack of) (?:\w+ )?"
    r"(?:information|detail|data|context)"
    r"|\bI (?:decline|abstain|pass)\b|わかりません|分かりません|不明です|不知道|无法(?:确定|判断)",
    re.I,
)


_NO_OPTION = re.compile(
    r"\bnone of (?:the )?(?:above|options|choices|answers|given|listed|provided|these|them|four|"
    r"five|candidates|images|pictures|descriptions)\b"
    r"|\bno (?:option|choice|answer) (?:is|fits|matches|applies|seems)\b"
    r"|\bneither (?:option|of (?:the|these|them))\b",
    re.I,
)


def declines(text: str) -> Rule | None:
    """Tell whether a reply declines, abstains or rejects all options; None when it does not.

    For replies in which no stated answer was found: "I cannot give a diagnosis, but the answer
    is B" is an answer.
    """
    ends = text if len(text) <= 2 * _LOOKED_AT else text[:_LOOKED_AT] + "\n" + text[-_LOOKED_AT:]
    if _REFUSAL.search(ends):
        return Rule.REFUSAL
    if _NO_OPTION.search(ends):
        return Rule.NONE_OF_THE_OPTIONS
    return Rule.ABSTENTION if _ABSTENTION.search(ends) else None
