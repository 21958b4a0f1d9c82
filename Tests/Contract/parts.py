"""The names given, as the demo's consumer puts them into routing keys."""
import json
import sys

from document import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "deploy/demo/python"))
from consumer import part  # noqa: E402

print(json.dumps([part(name) for name in sys.argv[1:]]))
