"""What one would write in an afternoon: asyncio, openai, a semaphore, a JSON Lines file.

No plan, no receipts, no resume, no bounds, no scores beyond right or wrong: the least that asks the
questions. Run as ``python -m benches.bare_loop RELEASE BASE_URL OUT CONCURRENCY``.
"""

import asyncio
import base64
import json
import sys
import time
from pathlib import Path

from openai import AsyncOpenAI


async def main(release: Path, base_url: str, out: Path, concurrency: int) -> None:
    """Ask every question and write the answers."""
    questions = json.loads((release / "qa_llm.json").read_text())
    client = AsyncOpenAI(base_url=base_url, api_key="none", max_retries=2)
    gate = asyncio.Semaphore(concurrency)
    begin = time.perf_counter()

    async def ask(question: dict) -> dict:
        async with gate:
            paths = question["image_path"]
            content = [{"type": "text", "text": words(question)}]
            for path in [paths] if isinstance(paths, str) else paths:
                data = base64.b64encode((release / "llm" / "test" / path).read_bytes()).decode()
                url = {"url": f"data:image/png;base64,{data}"}
                content.append({"type": "image_url", "image_url": url})
            reply = await client.chat.completions.create(
                model="bench",
                messages=[{"role": "user", "content": content}],
                temperature=0,
                max_tokens=1000,
                seed=0,
            )
            return {"id": question["lesion_idx"], "text": reply.choices[0].message.content}

    answers = await asyncio.gather(*(ask(question) for question in questions))
    seconds = time.perf_counter() - begin
    out.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    right = sum(
        json.loads(answer["text"])["selected_option"] == question["correct_choice"]
        for answer, question in zip(answers, questions, strict=True)
    )
    await client.close()
    print(json.dumps({"asked": len(answers), "right": right, "ask_seconds": seconds}))


def words(question: dict) -> str:
    """Word a question with its options."""
    options = "\n".join(f"{letter}: {text}" for letter, text in question["choices"].items())
    request = 'Answer with one JSON object: {"selected_option": "<letter>", "explanation": "…"}'
    return f"{question['question']}\nOptions:\n{options}\n{request}"


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])))
