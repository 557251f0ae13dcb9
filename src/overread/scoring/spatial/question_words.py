"""The words by which a question's form is told. Every pattern reads lower-case text once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = [
    "ALTERNATIVES",
    "ASKS",
    "ASKS_WHERE",
    "AXES",
    "BESIDES",
    "COMPARATIVE",
    "CONJUNCT",
    "COUNT",
    "EXISTS",
    "FURTHER",
    "IF_SO",
    "LOBE",
    "LOBE_OF_OTHER_ORGAN",
    "MORE_THAN_SIDE",
    "NAMES_LIST",
    "OTHER_ORGAN",
    "POLAR",
    "RATHER",
    "SEGMENT",
    "SIDE",
    "SIDE_AT_END",
    "SPECIFIC",
    "TWO_LOBED",
    "UNI_OR_BI",
    "WHETHER",
]

_VERB = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|should|will|would)"
_WHICH = r"\b(?:which|what)\b"
_GAP = r"[^?;]{0,40}?"
"""Words between two alternatives."""


def _either(*pairs: tuple[str, str]) -> re.Pattern[str]:
    """Match "one … or … other" of each pair in either order, and "one, other, or both"."""
    both = [
        rf"\b(?:{a})\b(?:{_GAP}\b(?:or|versus|vs)\b{_GAP}\b(?:{b})\b"
        rf"|[^?;]{{0,25}}?, ?[^?;]{{0,15}}?\b(?:{b})\b[^?;]{{0,15}}?\bor\b[^?;]{{0,15}}?\bboth\b)"
        for one, other in pairs
        for a, b in ((one, other), (other, one))
    ]
    return re.compile("|".join(both))


POLAR: Final = re.compile(rf"(?:^|^(?:in|on|at|within|for|with|among|of)\b[^?,]*, ){_VERB}\b")
"""Opens with a verb, perhaps after "in the left lung,"."""
EXISTS: Final = re.compile(
    rf"(?:^|, )(?:{_VERB} there\b|{_VERB} any\b|(?:was|were|is|"
    rf"are) [^?,]{{0,60}}\bon either side\b)"
)
SPECIFIC: Final = re.compile(
    r"\b(?:any|an?) (?:\w+ )?(?:specific|particular|certain)\b|\bcombined\b"
)
"""Asks for more than yes or no: "confined to a specific region?"."""
RATHER: Final = re.compile(r"\brather than\b|\bas opposed to\b")
SIDE_AT_END: Final = re.compile(
    r"\b(?:on|in) the (?:left|right) or (?:the )?(?:left|right)(?: (?:side|lung|hemithorax|"
    r"kidney))?\?"
)
BESIDES: Final = re.compile(r"\b(?:besides|apart from|other than|in addition to|except)\b")
WHETHER: Final = re.compile(r"\bwhether\b|^does the \w+ (?:mention|specify|describe|indicate)\b")
NAMES_LIST: Final = re.compile(
    rf"^(?:[^?,]*, )?{_VERB} (?!the\b|both\b)(?![^?]*\b(?:limited|confined|"
    rf"restricted)\b)[^?]*\b(?:detected|observed|seen|identified|noted|"
    r"present|found|recorded|reported|visible)\b|\b(?:either|any)\b"
)
"""A yes-or-no question whose "or" joins things or places, not answers."""
IF_SO: Final = re.compile(r"\bif so\b|\bif yes\b|\bif present\b")
FURTHER: Final = re.compile(
    rf"(?:,|;| and)(?: and)?(?: (?:in|on|at|to|by|from))? (?:which|what|where|how|who|why|"
    rf"{_VERB})\b"
)
CONJUNCT: Final = re.compile(
    r"(?:,|;| -|\band\b)(?: and)?(?= (?:(?:in|on|at|to|by|from|toward|towards|with|of|into|"
    r"within) )?(?:which|what|where|how|is|are|does|do|was|were)\b)"
)
"""Before each further question within one."""
ASKS: Final = re.compile(rf"\b(?:which|what|where|how|who)\b|(?:^|, ){_VERB}\b")
COMPARATIVE: Final = re.compile(
    r"\b(?:more|most|mostly|larger|largest|greater|greatest|bigger|biggest|thicker|wider|higher|"
    r"predominan\w+|prominen\w+|particularly|especially|primarily|mainly|dominant|smaller|less)\b"
    r"(?! than normal)"
)

_ORGAN = (
    r"(?:lungs?|kidneys?|hemithorax|hemithoraces|hemidiaphragms?|diaphragms?|breasts?|"
    r"adrenals?(?: glands?)?|axillae?|axillas?|atri(?:um|a)|ventricles?|ureters?|arms?|"
    r"shoulders?|pleural (?:space|cavity)|thyroid lobes?|clavicles?|scapulae?|hilum|hila|"
    r"main bronch(?:us|i)|jugular veins?)"
)
SIDE: Final = re.compile(
    rf"{_WHICH} (?:\w+ ){{0,2}}?(?:sides?\b|{_ORGAN}\b(?! (?:lobes?|segments?|zones?|regions?|"
    rf"parts?|"
    r"areas?|portions?|fields?|levels?|parenchyma|structures?|nodules?|findings?|changes?|"
    r"tissues?|surfaces?|patholog\w+|masses|window|branch\w*|arter\w+|veins?|compartments?|"
    r"bases?|apices)))|\blaterality\b|\bunilateral(?:ly)? or bilateral|\bright-left\b|"
    r"\bleft-right\b"
)
_LOBE_WORDS = (
    r"(?:(?:lungs?'?s?|specific|pulmonary|lobar|the|an?|of|right|left|upper|lower|middle|basal|"
    r"bronchopulmonary|and|or|sides?|lobes?|segments?|parenchymal?|exact|anatomic(?:al)?|in|which|"
    r"what|on|is|it),? ){0,8}?"
)
LOBE: Final = re.compile(
    rf"{_WHICH} (?!sides? of\b){_LOBE_WORDS}(?:lobes?|segments?)\b|\blob(?:e|ar) (?:location|"
    rf"level)\b"
)
SEGMENT: Final = re.compile(rf"{_WHICH} {_LOBE_WORDS}segments?\b")
MORE_THAN_SIDE: Final = re.compile(
    r"\band (?:\w+ ){0,2}(?:thickness(?:es)?|sizes?|measurements?|diameters?|dimensions?|"
    r"extents?|amounts?|numbers?)\b|^what (?:is|are|was|"
    r"were) the (?:\w+ ){0,4}(?:thickness(?:es)?|sizes?|measurements?|diameters?|dimensions?)\b|"
    r"\blungs? and (?!(?:(?:in )?(?:which|what) )?(?:\w+ )?(?:lobes?|segments?|"
    r"sides?)\b)(?:\w+ ){0,2}(?:regions?|areas?|locations?|positions?|parts?|levels?|zones?)\b|"
    r"\blobes? and (?:\w+ ){0,2}(?:position|level|area|region|subregion|location)\b|"
    r"\bsides? and (?!(?:(?:in )?(?:which|what) )?(?:lung |lower |upper )?(?:lobes?|segments?|"
    r"lungs?)\b)|\blobes? and (?!(?:(?:in )?(?:which|what) )?(?:\w+ )?(?:segments?|sides?|"
    r"lungs?)\b)(?:\w+ ){1,2}(?:relation|location|position|region|part|level)\b"
)
OTHER_ORGAN: Final = re.compile(
    r"\b(?:liver|hepatic|thyroid|kidneys?|renal|spleen|splenic|vertebrae?|vertebral|spinal|spine|"
    r"cerebell\w+|brain|cerebral|esophag\w+|oesophag\w+|colon\w*|bowel|intestin\w+|duoden\w+|"
    r"aort\w*|coronary|arter\w+|rib|ribs|breasts?|pancrea\w+|adrenal|prostate|bronch(?:us|i)|"
    r"ovar\w+|stomach|sternum|caudate|parotid|tracheal?|ureters?)\b"
)
LOBE_OF_OTHER_ORGAN: Final = re.compile(rf"{_WHICH} (?:\w+ ){{0,2}}?lobes?\b(?! and\b)")
TWO_LOBED: Final = re.compile(r"\b(?:thyroid|prostate|cerebellar)\b")
"""Organs with a right and a left lobe and no more: "which lobe" asks for the side."""
COUNT: Final = re.compile(r"^(?:[^?]*, )?how many\b")
UNI_OR_BI: Final = re.compile(
    r"\bunilateral(?:ly|ity)?\b|\bbilateral(?:ly|ity)? or\b|\bone\b[^?;]{0,60}\bboth\b|"
    r"\bboth\b[^?;]{0,60}\b(?:one|single)\b|\b(?:one|single) sided?\b"
)
ASKS_WHERE: Final = re.compile(
    r"\bwhere\b|\b(?:location|locations|localization|localisation|position|site|situated|"
    r"distribution|extent|orientation|relation|level)\b|\b(?:which|what) (?:\w+ ){0,3}?(?:parts?|"
    r"regions?|areas?|portions?|zones?|levels?|sections?|directions?|structures?|spaces?|"
    r"compartments?|segments?|lobes?|locations?|walls?|poles?|quadrants?|planes?|surfaces?|"
    r"vertebrae?|ribs?|fissures?|arter(?:y|ies)|veins?|organs?)\b"
)

_UPPER = r"upper|superior(?:ly)?|apical|apices|apex|above|cranial(?:ly)?"
_LOWER = r"lower|inferior(?:ly)?|basal|bases?|below|basilar|caudal(?:ly)?"
ALTERNATIVES: Final[Mapping[str, re.Pattern[str]]] = {
    "side": _either(
        (r"right", r"left"),
        (r"unilateral(?:ly)?", r"bilateral(?:ly)?|both"),
        (r"one|single", r"both|bilateral(?:ly)?"),
        (r"confined to one side|one side", r"crosse?s?"),
    ),
    "height": _either((_UPPER, _LOWER), (r"upper|lower", r"middle|mid")),
    "depth": _either(
        (r"anterior(?:ly)?|ventral(?:ly)?|in front", r"posterior(?:ly)?|dorsal(?:ly)?|behind")
    ),
    "centrality": _either(
        (
            r"central(?:ly)?|perihilar|hilar",
            r"peripher(?:al|ally|y)|subpleural(?:ly)?|pleural[- ]based|(?:have )?a pleural base",
        )
    ),
}
"""Fact → alternatives that a question offers for it."""
AXES: Final[Mapping[str, re.Pattern[str]]] = {
    "side": re.compile(r"\blaterality\b"),
    "height": re.compile(
        r"^(?![^?]*\b(?:(?:upper|middle|lower) lobes?|apex|apical|basal|"
        r"lingul\w+)\b)[^?]*(?:\b(?:superior|upper)(?: to |-|/)(?:inferior|"
        r"lower)\b(?=[^?]*\b(?:lungs?|lobes?|pulmonary)\b)|\bvertical (?:position|location|"
        r"level)\b(?=[^?]*\b(?:lungs?|lobes?|pulmonary)\b))"
    ),
    "depth": re.compile(
        r"\b(?:antero-?|anterior)(?: to |-|/)?posterior (?:orientation|position|location|"
        r"relation\w*)\b"
    ),
    "centrality": re.compile(r"\bcentral(?: to |-|/)peripheral\b|\bcentrality\b"),
}
"""Fact → its name in "what is the anterior-posterior position"."""
