"""The words for places in a chest CT that the reader knows, with their meaning.

Lobes and segments bear the names of the Fleischner glossary [1]_ and of the Terminologia
Anatomica, and the spellings that reports use (``posterobasal`` for the posterior basal segment).
Numbers of segments follow Jackson and Huber [2]_, with the left S1+2 and S7+8 as single segments.

.. [1] Hansell, D. M. et al. (2008). Fleischner Society: glossary of terms for thoracic imaging.
   Radiology 246, 697-722. doi:10.1148/radiol.2462070712
.. [2] Jackson, C. L. and Huber, J. F. (1943). Correlated applied anatomy of the bronchial tree and
   lungs with a system of nomenclature. Dis. Chest 9, 319-326. doi:10.1378/chest.9.4.319
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = [
    "IMPLIED_LOBE",
    "MEANING",
    "NUMBERED_SEGMENT",
    "ONE_NUMBER",
    "PLACES",
    "SEGMENTS_LEFT",
    "SEGMENTS_RIGHT",
    "STRUCTURES",
]

_NOT_THE_LUNG = (
    r"(?!(?: (?:and|or|to) \w+|-\w+)? ?-?(?:para|pre|sub)?(?:abdom\w*|trache\w+|mediast\w+|"
    r"thorac\w+|oesoph\w+|esoph\w+|quadrant|pole|end\b|limit|extremit\w+|border|limb|back|neck|"
    r"cervical|lumbar))"
)
_NO_LIMIT = r"(?! (?:limits?|normal|than)\b)"
_NOT_A_SEGMENT = r"(?!,?(?: (?:and|or))?(?: \w+){0,2} segments?\b)"
_WORDS: Final[tuple[tuple[str, str, str], ...]] = (
    # both sides, one side, the middle
    ("side", "both", r"bilateral(?:ly)?|bi-?lateral(?:ly)?|bilat\b"),
    (
        "side",
        "both",
        r"both(?=(?: of)?(?: the)? (?!the\b)(?!(?:upper|lower|middle|central\w*|peripher\w*|"
        r"anterior\w*|posterior\w*|superior|inferior|apical|basal)(?: \w+)?(?:,|"
        r" and\b))(?!the (?:upper|lower|middle|right|left)\b)(?:(?!and\b)\w+ ){0,2}?(?:lungs?|"
        r"sides?|hemi-?thora\w+|hemi-?diaphragms?|kidneys?|adrenals?|glands?|lobes?|apex\w*|"
        r"hil\w+|axill\w+|breasts?|pleura\w*|bronch\w+|atri\w+|ventricl\w+|apic\w+|bases|basals?|"
        r"basal|zones?|segments?|parenchym\w+|spaces|cavities|fissures?|regions?|ureters?|ribs?|"
        r"clavicles?|shoulders?|scapul\w+|cerebell\w+|hemispheres?|arter\w+|veins?|fossae?|areas|"
        r"levels|parts|arms)\b)",
    ),
    (
        "side",
        "both",
        r"either (?:side|lung|hemithorax)|each (?:side|lung)|two (?:lungs|sides)|biventricular|"
        r"biatrial",
    ),
    ("side", "both", r"(?<!not )cross(?:es|ing)?(?: the)? (?:midline|mid-line)"),
    (
        "one",
        "one",
        r"unilateral(?:ly)?|one[- ](?:side|sided|lung|hemithorax|kidney|only)|"
        r"single (?:side|lung|kidney)|only one|confined to one|limited to one",
    ),
    ("side", "midline", r"(?:in the )?(?:midline|mid-line)(?! (?:structures?|shift)\b)"),
    ("side", "left", r"left(?:-sided|ward|wards)?(?! in place\b)"),
    ("side", "right", r"right(?:-sided|ward|wards)?(?! (?:after|away|answer)\b)"),
    # lung segments, the longer names first
    (
        "segment",
        "superior lingular",
        r"superior lingul\w*|lingul\w*[ -]superior|"
        r"superior (?:segment|part) of (?:the )?lingul\w*|upper lingul\w*",
    ),
    (
        "segment",
        "inferior lingular",
        r"inferior lingul\w*|lingul\w*[ -]inferior|"
        r"inferior (?:segment|part) of (?:the )?lingul\w*|lower lingul\w*",
    ),
    ("segment", "lingular", r"(?:lo)?lingul\w*"),
    (
        "segment",
        "anteromediobasal",
        r"antero-?medio-?basal\w*|antero-?medial basal\w*|"
        r"antero-?medial(?:ly)?",
    ),
    ("segment", "posterobasal", r"postero-?basal\w*|posterior[- ]basal\w*|basal posterior"),
    ("segment", "laterobasal", r"latero-?basal\w*|lateral[- ]basal\w*|basal lateral"),
    ("segment", "mediobasal", r"medio-?basal\w*|medial[- ]basal\w*|basal medial"),
    ("segment", "anterobasal", r"antero-?basal\w*|anterior[- ]basal\w*|basal anterior"),
    ("segment", "apicoposterior", r"apico-?posterior\w*|apical[- ]posterior|posterior[- ]apical"),
    ("segment", "basal", r"basal(?:s|es|ly)?|bas[ei]s|basilar|base"),
    ("segment", "apical", r"apical(?:ly)?|apex|apexes|apices"),
    # heights
    ("height", "lower", r"inferior(?:ly)? to\b"),
    ("height", "upper", r"superior(?:ly)? to\b"),
    ("height", "upper", r"(?:superior)(?= (?:lobes?|zones?)\b)"),
    ("height", "lower", r"(?:inferior)(?= (?:lobes?|zones?)\b)"),
    ("height", "upper", rf"upper(?:most)?\b{_NOT_THE_LUNG}"),
    ("height", "middle", rf"(?:middle|mid)\b(?!-?line){_NOT_THE_LUNG}"),
    ("height", "lower", rf"lower(?:most)?\b{_NOT_THE_LUNG}"),
    ("height-word", "upper", rf"upper{_NO_LIMIT}|superior(?:ly)?{_NOT_A_SEGMENT}|cranial(?:ly)?"),
    ("height-word", "lower", rf"lower{_NO_LIMIT}|inferior(?:ly)?{_NOT_A_SEGMENT}|caudal(?:ly)?"),
    ("height-word", "middle", r"middle|mid"),
    ("segment", "superior", r"superior(?:ly)?"),
    # depths (also names of segments)
    ("depth", "anterior", r"anterior(?:ly)?|antero\w*|ventral(?:ly)?|in front"),
    ("depth", "posterior", r"posterior(?:ly)?|postero\w*|dorsal(?:ly)?|behind"),
    ("segment", "medial", r"medial(?:ly)?"),
    ("segment", "lateral", r"lateral(?:ly)?"),
    # centre and periphery
    (
        "centrality",
        "central",
        r"central(?:ly)?|(?:peri|para)?-?hilar\w*|hilum|hila|hilus\w*|cent(?:er|re)",
    ),
    (
        "centrality",
        "peripheral",
        r"periphe\w+|sub-?capsular|sub-?pleura\w*|juxta-?pleura\w*|"
        r"pleura[l]?[- ]bas\w+|pleural bases?",
    ),
    (
        "lobes",
        "all",
        r"all (?:five |the |lung |pulmonary )*lobes|every lobe|all lung (?:zones|fields)",
    ),
)
PLACES: Final = re.compile(
    "|".join(rf"(?P<k{number}>\b(?:{pattern})\b)" for number, (_, _, pattern) in enumerate(_WORDS))
)
"""Every word for a place, one group a row; `MEANING` tells its kind and value."""
MEANING: Final[Mapping[str, tuple[str, str]]] = {
    f"k{number}": (kind, value) for number, (kind, value, _) in enumerate(_WORDS)
}

IMPLIED_LOBE: Final[Mapping[str, tuple[str | None, str]]] = {
    "superior lingular": ("left", "upper"),
    "inferior lingular": ("left", "upper"),
    "lingular": ("left", "upper"),
    "anteromediobasal": (None, "lower"),
    "posterobasal": (None, "lower"),
    "laterobasal": (None, "lower"),
    "mediobasal": (None, "lower"),
    "anterobasal": (None, "lower"),
    "basal": (None, "lower"),
    "apicoposterior": (None, "upper"),
    "apical": (None, "upper"),
}
"""Segment → side and lobe that its name alone tells."""

_NUMBER = r"(?:10|[1-9]|viii|vii|iv|vi|ix|v|x|i{1,3})"
NUMBERED_SEGMENT: Final = re.compile(
    rf"\b(?:segments? |s|b){_NUMBER}[ab]?\b"
    rf"(?:(?:/| and | & |, )s?{_NUMBER}\b(?! ?(?:mm|cm)))*"
)
ONE_NUMBER: Final = re.compile(_NUMBER)
"""Within a `NUMBERED_SEGMENT`."""
_COMMON = {3: "anterior", 6: "superior", 9: "laterobasal", 10: "posterobasal"}
SEGMENTS_RIGHT: Final[Mapping[int, tuple[str, str]]] = {
    number: ("upper" if number < 4 else "middle" if number < 6 else "lower", name)
    for number, name in {
        **_COMMON,
        1: "apical",
        2: "posterior",
        4: "lateral",
        5: "medial",
        7: "mediobasal",
        8: "anterobasal",
    }.items()
}
SEGMENTS_LEFT: Final[Mapping[int, tuple[str, str]]] = {
    number: ("upper" if number < 6 else "lower", name)
    for number, name in {
        **_COMMON,
        1: "apicoposterior",
        2: "apicoposterior",
        4: "superior lingular",
        5: "inferior lingular",
        7: "anteromediobasal",
        8: "anteromediobasal",
    }.items()
}
STRUCTURES: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile(rf"\b(?:{pattern})\b")
    for name, pattern in {
        "lung": r"lungs?|pulmonary|lobes?|lobar|parenchym\w+|bronchopulmonary",
        "named fissure": r"(?:major|minor|horizontal|oblique|interlobar) fissures?",
        "pleura": r"pleura\w*|hemi-?thorax|hemi-?thoraces|fissures?",
        "mediastinum": r"mediastin\w+|paratrache\w+|subcarinal|prevascular|aortopulmonary|"
        r"carina\w*",
        "hilum": r"hilum|hila|hilar|perihilar",
        "airways": r"trachea\w*|bronch(?:us|i|ial)",
        "heart": r"hearts?|cardiac|ventric\w+|atri(?:um|a|al)|coronar\w+|mitral|valves?",
        "pericardium": r"pericardi\w+",
        "aorta": r"aort\w+",
        "oesophagus": r"o?esophag\w+|hiatal",
        "thyroid": r"thyroid\w*",
        "axilla": r"axill\w+",
        "breast": r"breasts?|retroareolar|mammary",
        "chest wall": r"chest wall|subcutaneous|pectoral\w*",
        "diaphragm": r"(?:hemi-?)?diaphragm\w*|subdiaphragmatic",
        "spine": r"vertebra\w*|spin(?:e|al)|discs?|thoracic spine",
        "ribs": r"ribs?|costal",
        "sternum": r"stern(?:um|al)",
        "liver": r"livers?|hepatic|perihepatic",
        "gallbladder": r"gall-?bladder",
        "spleen": r"spleens?|splenic",
        "pancreas": r"pancrea\w+",
        "kidney": r"kidneys?|renal|pelvicalyceal",
        "adrenal": r"adrenals?|surrenal\w*",
        "stomach": r"stomach|gastric",
        "bowel": r"bowel|colon\w*|intestin\w+|duoden\w+",
        "abdomen": r"abdom\w+|peritone\w+",
    }.items()
}
"""Structure → its words."""
