"""What back ends of providers share: the model's name, the key, and what a failure means for one request or for all."""

from __future__ import annotations

import os
from dataclasses import dataclass

from fingreat.errors import BackendError, InputError
from fingreat.inference.backend import ModelSpec, RawReply, Settings
from fingreat.inference.hosted.address import check_address
from fingreat.inference.hosted.kept_secret import KeptSecret
from fingreat.inference.hosted.online import TryLater
from fingreat.inference.requirements import NEEDS

_NO_KEY = "none"
"""Sent to a server of the user's own where no key is set: the SDKs want one."""
NO_LIST = (404, 405, 501)
"""What a server answers that does not tell about its models."""
_CROWDED = (429, 529)
"""Too many requests, or too many for the service: all of them have to wait."""


@dataclass(frozen=True)
class Hosted:
    """A model behind an address.

    Attributes:
        key: never to be written down.
        own: whether the address is that of a server of the user's own.
    """

    backend: str
    model: str
    address: str
    key: str
    own: bool

    @property
    def where(self) -> str:
        """What messages call it."""
        return f"{self.backend}:{self.model}" + (f" at {self.address}" if self.own else "")


def hosted_name(spec: ModelSpec) -> str:
    """The name of the model that a specification names.

    Raises:
        InputError: no model, or a revision (names of providers' models carry their date).
    """
    where = f"--model {spec}"
    if not spec.model:
        raise InputError("names no model.", where=where, hint=f"Write `{spec.backend}:NAME`.")
    if spec.revision:
        raise InputError("takes no revision.", where=where, hint="Name the dated model, where there is one.")
    return spec.model


def hosted(spec: ModelSpec, settings: Settings, address: str) -> Hosted:
    """The model that a specification names.

    Nothing of the environment but the key decides where requests go. The key is sent to a server of the user's own
    too, which needs none.

    Args:
        address: the provider's own.

    Raises:
        InputError: no model, a revision (names of providers' models carry their date), no key, or no address.
    """
    name, where = hosted_name(spec), f"--model {spec}"
    own = settings.base_url is not None
    variable = NEEDS[spec.backend].key or ""
    key = os.environ.get(variable, "").strip()
    if not key and not own:
        raise InputError("no key.", where=where, hint=f"Set the environment variable {variable}.")
    if not key.isascii() or not key.isprintable() or " " in key:
        # Said without it: what speaks HTTP would quote it in its own refusal.
        raise InputError("the key holds what no key can hold.", where=where, hint=f"Look at the variable {variable}.")
    if settings.base_url is not None:
        address = check_address(settings.base_url)
    return Hosted(spec.backend, name, address, key or _NO_KEY, own)


def settled(model: Hosted, reply: RawReply, status: int | None, hint: str | None, after: float | None) -> RawReply:
    """A reply of one try that is final for its request.

    Args:
        status: of HTTP, where the answer was none of success.
        hint: what to do, where every request would fail like this one.
        after: seconds that the server asks to wait.

    Raises:
        BackendError: every request would fail like this one.
        TryLater: the same request may be answered later.
    """
    if hint:
        raise BackendError(reply.detail or f"status {status}", where=model.where, hint=hint)
    if reply.retryable:
        detail, everyone = reply.detail or f"status {status}", status in _CROWDED
        raise TryLater(detail, after=after, everyone=everyone, cost_usd=reply.cost_usd)
    return reply


def refused(model: Hosted, words: str, hint: str | None) -> BackendError:
    """A server that answers, but not with what it knows of its model; it may quote the key that it was sent."""
    return BackendError(KeptSecret(model.key).text(words), where=model.where, hint=hint)


def unreachable(model: Hosted, error: BaseException) -> BackendError:
    """A server that is not there when its model is looked up."""
    return BackendError(
        f"the server is not there: {_why(error)}",
        where=model.where,
        hint="Is it running?" if model.own else "Check the connection.",
        retryable=True,
    )


def no_connection(error: BaseException) -> TryLater:
    """A try that ended without an answer."""
    return TryLater(f"no connection: {_why(error)}")


def _why(error: BaseException) -> str:
    """A failed connection in words; an SDK says the same of all of them and keeps the cause below."""
    cause = error.__cause__ or error
    return str(cause) or type(cause).__name__
