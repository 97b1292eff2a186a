"""Types of the entities that a service has, written as Python or TypeScript.

An entity with a schema contract gets the types of its stable version; the others get their fields, of any type.
"""

from __future__ import annotations

import json
import keyword
import re
from dataclasses import dataclass
from typing import Callable, Dict, List, Optional

from .client import LiveDataClient
from .exceptions import LiveDataError
from .models import ContractField, EntityContract

PYTHON = {"string": "str", "enum": "str", "datetime": "str", "float": "float", "decimal": "float", "number": "float",
          "integer": "int", "boolean": "bool"}
TYPESCRIPT = {"string": "string", "enum": "string", "datetime": "string", "float": "number", "decimal": "number",
              "number": "number", "integer": "number", "boolean": "boolean"}


@dataclass(frozen=True)
class Member:
    name: str
    type: str = ""  # of the contract; "" = any
    required: bool = True
    values: Optional[List[str]] = None


def _member(field: ContractField) -> Member:
    return Member(field.name, field.type, field.required, field.values)


def _contract(client: LiveDataClient, entity: str) -> Optional[EntityContract]:
    try:
        return client.get_contract(entity)
    except LiveDataError as error:
        if error.status_code == 404:
            return None
        raise


def members_of(client: LiveDataClient) -> Dict[str, List[Member]]:
    """By entity."""
    found: Dict[str, List[Member]] = {}
    for name, entity in client.catalog().entities.items():
        contract = _contract(client, name)
        found[name] = [_member(each) for each in contract.fields] if contract else [
            Member(each) for each in entity.fields]
    return found


def class_name(entity: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", entity) if part)


def _python_type(member: Member) -> str:
    if member.values:
        return f"Literal[{', '.join(json.dumps(value) for value in member.values)}]"
    return PYTHON.get(member.type, "Any")


def python(entities: Dict[str, List[Member]]) -> str:
    """TypedDicts: get_entity(...).data has these members. In the form of a call, which takes every name."""
    text = '"""Made by `livedata generate`."""\n\nfrom typing import Any, Literal, Optional, TypedDict\n'
    text += "\n__all__ = [" + ", ".join(json.dumps(class_name(name)) for name in entities) + "]\n"
    for name, members in entities.items():
        plain = all(each.name.isidentifier() and not keyword.iskeyword(each.name) for each in members)
        types = [(each.name, _python_type(each) if each.required else f"Optional[{_python_type(each)}]")
                 for each in members]
        if plain and types:
            text += f"\n\nclass {class_name(name)}(TypedDict, total=False):\n"
            text += "".join(f"    {member}: {of}\n" for member, of in types)
        else:
            listed = ", ".join(f"{json.dumps(member)}: {of}" for member, of in types)
            text += f"\n\n{class_name(name)} = TypedDict({json.dumps(class_name(name))}, {{{listed}}}, total=False)\n"
    return text


def _typescript_type(member: Member) -> str:
    if member.values:
        return " | ".join(json.dumps(value) for value in member.values)
    return TYPESCRIPT.get(member.type, "unknown")


def typescript(entities: Dict[str, List[Member]]) -> str:
    """Interfaces: getEntity<Order>(...) has data of that type; `Entities` maps the names of types to them."""
    text = "/** Made by `livedata generate`. */\n"
    for name, members in entities.items():
        lines = "".join(f"    {json.dumps(each.name)}{'' if each.required else '?'}: "
                        f"{_typescript_type(each)}{'' if each.required else ' | null'};\n" for each in members)
        text += f"export interface {class_name(name)} {{\n{lines}}}\n\n"
    listed = "".join(f"    {json.dumps(name)}: {class_name(name)};\n" for name in entities)
    return text + f"export interface Entities {{\n{listed}}}\n"


LANGUAGES: Dict[str, Callable[[Dict[str, List[Member]]], str]] = {"python": python, "typescript": typescript}
