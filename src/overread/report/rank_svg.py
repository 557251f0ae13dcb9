"""The rank plot as one SVG file, for papers and pages: its text is text, light and dark."""

from __future__ import annotations

from xml.sax.saxutils import escape

from overread.analysis.ranking.ranking import TaskRanking
from overread.report.rank_figures import MOST_METHODS, rank_plot

__all__ = ["ranking_svg"]

_STYLE = """
  text { font: 13px system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif; fill: #18222c; }
  .quiet { fill: #566370; font-size: 12px; }
  .title { font-weight: 650; font-size: 15px; }
  .set { fill: #e9e5d9; } .grid { stroke: #dcdad2; } .blob { fill: #0b6e83; }
  .interval { stroke: #0b6e83; stroke-width: 1.5; } .paper { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e8eb; } .quiet { fill: #98a5b1; } .set { fill: #39424a; }
    .grid { stroke: #2a343d; } .blob { fill: #4fc0d6; } .interval { stroke: #4fc0d6; }
    .paper { fill: #11161b; }
  }
"""
_LEFT, _RIGHT, _TOP, _ROW = 214, 92, 74, 28
_SLOT = 34
_LONGEST_NAME = 22


def ranking_svg(ranking: TaskRanking, *, title: str) -> str:
    """Draw how often each method has each rank, with intervals and the ranks tests leave open.

    Parameters
    ----------
    ranking
        What to draw; of more than `MOST_METHODS` methods the best ranked.
    title
        The line above the plot.

    Returns
    -------
    str
        An SVG document. The same ranking gives the same text.
    """
    rows = rank_plot(ranking)
    k = len(ranking.methods)
    slot = max(14, min(_SLOT, 1100 // k), 330 // k)
    plot = slot * k
    width, height = _LEFT + plot + _RIGHT, _TOP + _ROW * len(rows) + 46
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{_attribute(title)}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
        f'<text class="title" x="16" y="26">{escape(title)}</text>',
        f'<text class="quiet" x="16" y="46">{escape(_legend(ranking))}</text>',
        f'<text class="quiet" x="{_LEFT + plot + 14}" y="{_TOP - 8}">best in %</text>',
    ]
    for number, row in enumerate(rows):
        top = _TOP + _ROW * number
        middle = top + _ROW / 2
        if row.set_x is not None and row.set_width is not None:
            parts.append(
                f'<rect class="set" x="{_LEFT + _share(row.set_x) * plot:.1f}" y="{top + 3}" '
                f'width="{_share(row.set_width) * plot:.1f}" height="{_ROW - 6}" rx="3"/>'
            )
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_LEFT + plot}" y1="{middle}" y2="{middle}"/>'
        )
        if row.low_x is not None and row.high_x is not None:
            low, high = (_LEFT + _share(x) * plot for x in (row.low_x, row.high_x))
            parts.append(
                f'<line class="interval" x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" '
                f'y2="{middle}"/>'
            )
        parts += [
            f'<circle class="blob" cx="{_LEFT + _share(blob.x) * plot:.1f}" cy="{middle}" '
            f'r="{blob.radius}"><title>{escape(blob.title)}</title></circle>'
            for blob in row.blobs
        ]
        parts.append(f'<text x="16" y="{middle + 4.5}">{row.rank}</text>')
        parts.append(f'<text x="42" y="{middle + 4.5}">{escape(_short(row.method))}</text>')
        parts.append(
            f'<text x="{_LEFT + plot + 66}" y="{middle + 4.5}" text-anchor="end">{row.best}</text>'
        )
    bottom = _TOP + _ROW * len(rows) + 18
    every = max(1, -(-k // max(1, plot // 22)))
    parts += [
        f'<text class="quiet" x="{_LEFT + slot * (rank - 0.5)}" y="{bottom}" '
        f'text-anchor="middle">{rank}</text>'
        for rank in range(1, k + 1)
        if rank == 1 or rank % every == 0
    ]
    parts.append(
        f'<text class="quiet" x="{_LEFT}" y="{bottom + 18}">rank'
        + (f", the first {MOST_METHODS} methods" if k > MOST_METHODS else "")
        + "</text>"
    )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _legend(ranking: TaskRanking) -> str:
    if ranking.stability is None:
        return f"no resamples: {ranking.unstable_reason}"
    drawn = "Circles: share of resamples with that rank"
    return f"{drawn}; band: ranks that corrected tests leave possible"


def _share(x: str) -> float:
    return float(x.removesuffix("%")) / 100


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _attribute(text: str) -> str:
    return escape(text, {'"': "&quot;"})
