"""A server on loopback, in a thread: what the ones of this folder have in common."""

from __future__ import annotations

import socket
import threading
import time
from typing import Any, Self

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

_START_SECONDS = 20.0


class LocalServer:
    """An ASGI application, served as a context manager.

    Attributes:
        base: its address without a last slash.

    Args:
        app: is told, beside the usual, the `transport` of a connection and when its last bytes `arrived`.
    """

    def __init__(self, app: Any) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.bind(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            app,
            interface="asgi3",
            http=_Protocol,
            ws="none",
            lifespan="off",
            loop="asyncio",
            log_config=None,
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=60,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        end = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if time.monotonic() > end or not self._thread.is_alive():
                raise RuntimeError("the local server did not start")
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        # Whoever still waits for an answer is hung up on, so that no request outlives the server.
        for protocol in list(self._server.server_state.connections):
            protocol.loop.call_soon_threadsafe(protocol.transport.abort)
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(_START_SECONDS)
        self._socket.close()


class _Protocol(H11Protocol):
    """HTTP that tells the application of its connection, and when the last bytes came."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._arrived = 0.0
        app = self.app

        async def told(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, "transport": self.transport, "arrived": self._arrived}, receive, send)

        self.app = told

    def data_received(self, data: bytes) -> None:
        self._arrived = time.monotonic()
        super().data_received(data)
