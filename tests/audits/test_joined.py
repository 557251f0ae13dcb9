from __future__ import annotations

from dataclasses import replace

from overread.audits.joined import join_all
from overread.contracts.replay import Replay


def test_a_replay_is_joined_once(slipped: Replay):
    assert join_all(slipped) is join_all(slipped)
    other = replace(slipped)
    assert join_all(other) is not join_all(slipped)


def test_all_votes_are_one_file_of_every_judge(slipped: Replay):
    assert join_all(slipped).has_all_votes("m")
    assert not join_all(slipped).has_all_votes("another")
    gemini, gpt, _ = slipped.votes
    twice = replace(gpt, file="llm_eval/m_gpt_eval_full.json")
    # Three files, yet of two judges, and the matrix is of three: nothing tells which one counts.
    held = replace(slipped, votes=(gemini, gpt, twice), matrix={})
    assert not join_all(held).has_all_votes("m")
