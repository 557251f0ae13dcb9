"""The command line: parse, call, print. Nothing is computed here and nobody imports it.

Exit status: 0 done, 1 something bad was found, 2 wrong use, 3 stopped part-way.
"""

from __future__ import annotations

import errno
import signal
import sys
from collections.abc import Sequence

from cyclopts import App

from overread import __version__

__all__ = ["app", "main"]

app = App(
    name="overread",
    help="The second read for medical-image AI.",
    version=__version__,
)
build = App(name="build", help="Build a release.")
app.command(build)
finetune = App(name="finetune", help="Train a model on a release's training split.")
app.command(finetune)
perturb = App(name="perturb", help="Look at what the changes of pictures do.")
app.command(perturb)

# By name, so that a command costs its import only when it is called.
for _name, _help in {
    "demo": "Run the built-in readers on a synthetic CT-Bench release and leave a report.",
    "list": "List benchmarks, models, metrics, recipes or audits.",
    "synth": "Write a synthetic release in a benchmark's own layout.",
    "check": "Say what a release holds, what is missing, and what blind policies score on it.",
    "run": "Ask a model the questions of a release, score, and print the score card.",
    "score": "Score a run again, score files of predictions, or have models judge or read answers.",
    "compare": "Compare runs pair by pair, clustered by patient.",
    "gap": "Say what one circumstance costs in the same patients: a phase, a box, a centre.",
    "reproduce": "Rebuild a published table from its released files, and say what is off.",
    "probe": "Ask the same questions with the picture removed, swapped, mirrored or blurred.",
    "rank": "Rank methods from a table of cases or from runs, and say how sure the order is.",
    "report": "Write HTML, Markdown and JSON reports of one or several runs.",
    "export": "Write a run's tables as Parquet or JSON Lines.",
}.items():
    app.command(f"overread.cli.{_name}_command:{_name}_command", name=_name, help=_help)
app.command(
    "overread.cli.score_masks_command:score_masks_command",
    name="score-masks",
    help="Compare two masks, or two folders of masks, with no benchmark at all.",
)
app.command(
    "overread.cli.audit_app:app",
    name="audit",
    help="Look for faults in a release, a printed table, stored replies or two editions.",
)
build.command(
    "overread.cli.build_command:lesion_set_command",
    name="lesion-set",
    help="Turn a lesion table and its key slices into a release in CT-Bench's layout.",
)
build.command(
    "overread.cli.build_command:report_qa_command",
    name="report-qa",
    help="Turn radiology reports into an exam of spatial questions in CT-SpatialVQA's layout.",
)
build.command(
    "overread.cli.build_exam_command:lesion_exam_command",
    name="lesion-exam",
    help="Draw an exam from a lesion set: wrong choices look alike and differ in fact.",
)
build.command(
    "overread.cli.build_text_command:lesion_text_command",
    name="lesion-text",
    help="Draft lesion descriptions from report sentences, for people to review.",
)
build.command(
    "overread.cli.build_clicks_command:clicks_command",
    name="clicks",
    help="Simulate clicks on lesions and around them from masks, as TriALS's interactive task has.",
)
build.command(
    "overread.cli.build_claims_command:chest_claims_command",
    name="chest-claims",
    help="Draw a release of chest radiographs from label tables.",
)
perturb.command(
    "overread.cli.perturb_command:sheet_command",
    name="sheet",
    help="Draw one picture in every kind and dose of change, with the likeness each leaves.",
)
finetune.command(
    "overread.cli.finetune_command:finetune_clip_command",
    name="clip",
    help="Train an image-text model on training lesions, watched by the validation questions.",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit status."""
    from overread.errors import OverreadError

    # A scheduler's SIGTERM ends a run as Ctrl-C does: stored, said, exit status 3.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        status = app(arguments, result_action="return_value")
    except OverreadError as error:
        print(f"overread: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    except BrokenPipeError:
        # The reader of our output has gone; nothing is left to say, not even at shutdown.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(f"overread: {place}{error.strerror or error}.", file=sys.stderr)
        sys.exit(3 if error.errno == errno.ENOSPC else 2)
    except KeyboardInterrupt:
        print("overread: stopped; what was stored is safe.", file=sys.stderr)
        sys.exit(3)
    sys.exit(status if isinstance(status, int) else 0)
