from __future__ import annotations

import json

from overread.models.fake.answers import read_question


def test_a_request_for_a_sentence_about_a_picture_gets_words() -> None:
    def asked(*texts: str, picture: bool) -> bool:
        content: list[dict[str, object]] = [{"type": "text", "text": text} for text in texts]
        if picture:
            content.append({"type": "image_url", "image_url": {"url": "data:,"}})
        body = {"model": "m", "messages": [{"role": "user", "content": content}]}
        return read_question(json.dumps(body).encode()).is_open

    assert asked("Describe the lesion in one sentence.", picture=True)
    assert not asked("Describe the lesion in one sentence.", picture=False)
    assert not asked("Which is it?\nA: a cyst\nB: a node", picture=True)
    assert not asked('Answer as {"selected_option": …}.', picture=True)
