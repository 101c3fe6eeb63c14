"""Prompts as package files, and the messages made from them."""

from fingreat.prompts.data import as_data
from fingreat.prompts.extract import ExtractionPrompt, Guide, example_reply

__all__ = ["ExtractionPrompt", "Guide", "as_data", "example_reply"]
