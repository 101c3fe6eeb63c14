"""Asking models: back ends by name, judged replies, the resumable loop."""

from fingreat.inference.ask import Judge, ask, is_finished, reply_log
from fingreat.inference.backend import Backend, ModelSpec, RawReply, Settings, parse_spec
from fingreat.inference.cache import ReplyCache, default_cache_path
from fingreat.inference.cues import CueScorer
from fingreat.inference.parse import Item, Judged, ReplyJudge
from fingreat.inference.registry import BACKENDS, create_backend
from fingreat.inference.spending import Spending
from fingreat.inference.trial import Trial, try_out

__all__ = [
    "BACKENDS",
    "Backend",
    "CueScorer",
    "Item",
    "Judge",
    "Judged",
    "ModelSpec",
    "RawReply",
    "ReplyCache",
    "ReplyJudge",
    "Settings",
    "Spending",
    "Trial",
    "ask",
    "create_backend",
    "default_cache_path",
    "is_finished",
    "parse_spec",
    "reply_log",
    "try_out",
]
