"""The same exam through inspect_ai. Needs inspect_ai and openai only, nothing of overread.

Run as ``python inspect_run.py RELEASE BASE_URL OUT CONCURRENCY``.
"""

import json
import sys
from pathlib import Path

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

release, base_url, out, concurrency = sys.argv[1:5]
samples = []
for entry in json.loads((Path(release) / "qa_llm.json").read_text()):
    paths = entry["image_path"]
    pictures = [
        ContentImage(image=str(Path(release) / "llm" / "test" / path))
        for path in ([paths] if isinstance(paths, str) else paths)
    ]
    samples.append(
        Sample(
            id=entry["lesion_idx"],
            input=[ChatMessageUser(content=[ContentText(text=entry["question"]), *pictures])],
            choices=list(entry["choices"].values()),
            target=entry["correct_choice"],
        )
    )
task = Task(dataset=MemoryDataset(samples), solver=multiple_choice(), scorer=choice())
logs = evaluate(
    task,
    model="openai/bench",
    model_base_url=base_url,
    model_args={"responses_api": False},
    log_dir=out,
    display="none",
    temperature=0,
    max_tokens=1000,
    max_connections=int(concurrency),
    max_samples=int(concurrency),
)
status = logs[0].status
if status != "success":
    raise SystemExit(f"inspect_ai: {status}: {logs[0].error}")
print(json.dumps({"asked": len(samples)}))
