"""Asking models: back ends by name, judged replies, the resumable loop."""

from fingreat.inference.ask import ask, is_finished, reply_log
from fingreat.inference.backend import Backend, ModelSpec, RawReply, Settings, parse_spec
from fingreat.inference.cues import CueScorer
from fingreat.inference.parse import Item, Judged, ReplyJudge
from fingreat.inference.registry import BACKENDS, create_backend

__all__ = [
    "BACKENDS",
    "Backend",
    "CueScorer",
    "Item",
    "Judged",
    "ModelSpec",
    "RawReply",
    "ReplyJudge",
    "Settings",
    "ask",
    "create_backend",
    "is_finished",
    "parse_spec",
    "reply_log",
]
