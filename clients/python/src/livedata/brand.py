"""The package under another name: for programs that were written for a client of another brand."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from types import ModuleType
from typing import Any

OWN_PREFIX = "LiveData"


class Alias(ModuleType):
    """A module whose names are those of another one, with another prefix. What is set here is set there."""

    def __init__(self, name: str, module: ModuleType, prefix: str) -> None:
        super().__init__(name, module.__doc__)
        ModuleType.__setattr__(self, "_module", module)
        ModuleType.__setattr__(self, "_prefix", prefix)
        for special in ("__file__", "__path__", "__spec__", "__version__"):
            if hasattr(module, special):
                ModuleType.__setattr__(self, special, getattr(module, special))

    def _own(self, name: str) -> str:
        return name.replace(self._prefix, OWN_PREFIX)

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return [each.replace(OWN_PREFIX, self._prefix) for each in self._module.__all__]
        return getattr(self._module, self._own(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) or name.startswith("__"):
            ModuleType.__setattr__(self, name, value)
        else:
            setattr(self._module, self._own(name), value)

    def __delattr__(self, name: str) -> None:
        delattr(self._module, self._own(name))

    def __dir__(self) -> list[str]:
        return [each.replace(OWN_PREFIX, self._prefix) for each in dir(self._module)]


def brand_alias(module_name: str, class_prefix: str) -> ModuleType:
    """Makes `import module_name` and its submodules this package, with classes named after `class_prefix`:
    brand_alias("shopdata", "Shop") gives shopdata.ShopClient, shopdata.exceptions.ShopError and so on."""
    package = importlib.import_module("livedata")
    alias = Alias(module_name, package, class_prefix)
    sys.modules[module_name] = alias
    for each in pkgutil.iter_modules(package.__path__):
        if each.name == "__main__":
            continue
        module = importlib.import_module(f"livedata.{each.name}")
        part = Alias(f"{module_name}.{each.name}", module, class_prefix)
        sys.modules[part.__name__] = part
        setattr(alias, each.name, part)
    return alias
