"""Client of the live-data service: what is true right now, and how fresh that is."""

from .async_client import AsyncLiveDataClient
from .client import LiveDataClient
from .exceptions import CircuitOpenError, PermissionDeniedError

__version__ = "2.0.0"

__all__ = ["AsyncLiveDataClient", "CircuitOpenError", "LiveDataClient", "PermissionDeniedError", "__version__"]
