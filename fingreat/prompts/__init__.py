"""Prompts as package files, and the messages made from them."""

from fingreat.prompts.classify import ClassificationPrompt
from fingreat.prompts.data import as_data
from fingreat.prompts.extract import ExtractionPrompt, Guide, example_reply
from fingreat.prompts.masks import Mask, MaskKind
from fingreat.prompts.rendering import header

__all__ = [
    "ClassificationPrompt",
    "ExtractionPrompt",
    "Guide",
    "Mask",
    "MaskKind",
    "as_data",
    "example_reply",
    "header",
]
