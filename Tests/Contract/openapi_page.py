"""The page that the gateway serves at /docs, from deploy/docs/openapi.yaml; `check documents` writes it.

The page is plain HTML without a script and without addresses of other sites. The gateway fills in `{{nonce}}`."""
import html
import pathlib
import re

import yaml

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = REPOSITORY / "deploy/docs/openapi.yaml"
PAGE = REPOSITORY / "Services/Gateway/Documents/page.html"
METHODS = ("get", "post")
STYLE = """
:root { color-scheme: light dark; --line: #8886; --quiet: #777; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
h3 { margin-top: 2rem; font-size: 1rem; }
code, pre { font: .9em ui-monospace, monospace; }
pre { padding: .75rem; border: 1px solid var(--line); border-radius: .4rem; overflow-x: auto; }
.method { display: inline-block; min-width: 3.2rem; font-weight: 700; text-transform: uppercase; }
.quiet { color: var(--quiet); }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
"""


def document():
    """The document."""
    return yaml.load(DOCUMENT.read_text(), yaml.CSafeLoader)


def page(tree):
    """The page of a document."""
    return "".join(_lines(tree))


def _lines(tree):
    title = _text(tree["info"]["title"])
    yield f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f'<title>{title}</title>\n<style nonce="{{{{nonce}}}}">{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n'
    yield from (f"<p>{_text(part)}</p>\n" for part in tree["info"]["description"].strip().split("\n\n"))
    yield '<p><a href="openapi.yaml">The whole document, for programs</a></p>\n<nav><ul>\n'
    for tag in tree["tags"]:
        yield f'<li><a href="#{tag["name"]}">{tag["name"]}</a>: {_text(tag["description"])}</li>\n'
    yield '<li><a href="#answers">common answers</a></li>\n<li><a href="#schemas">types</a></li>\n</ul></nav>\n'
    for tag in tree["tags"]:
        yield f'<h2 id="{tag["name"]}">{tag["name"].capitalize()}</h2>\n'
        for path, item in tree["paths"].items():
            for method in METHODS:
                if method in item and tag["name"] in item[method]["tags"]:
                    yield from _operation(tree, path, method, item)
    yield '<h2 id="answers">Common answers</h2>\n<table>\n'
    for name, response in tree["components"]["responses"].items():
        kinds = " ".join(filter(None, (_kind(media["schema"]) for media in response.get("content", {}).values())))
        yield f'<tr id="{name}"><td>{name}</td><td>{_text(response["description"])} {kinds}</td></tr>\n'
    yield '</table>\n<h2 id="schemas">Types</h2>\n'
    for name, schema in tree["components"]["schemas"].items():
        yield f'<h3 id="{name}">{name}</h3>\n{_schema(schema)}'
    yield "</body>\n</html>\n"


def _operation(tree, path, method, item):
    operation = item[method]
    yield f'<h3 id="{operation["operationId"]}"><span class="method">{method}</span> <code>{_text(path)}</code></h3>\n'
    yield f"<p>{_text(operation['summary'])} {_text(operation.get('description', ''))}</p>\n"
    if operation.get("deprecated"):
        yield '<p class="quiet">Deprecated; older clients ask it.</p>\n'
    if operation["security"]:
        ways = " or ".join(" + ".join(one) for one in operation["security"])
        yield f'<p class="quiet">With {ways}.</p>\n'
    parameters = [_follow(tree, one) for one in item.get("parameters", []) + operation.get("parameters", [])]
    if parameters:
        yield "<table>\n<tr><th>parameter</th><th>in</th><th></th></tr>\n"
        for one in parameters:
            kind = _kind(one["schema"])
            yield f'<tr><td><code>{one["name"]}</code></td><td>{one["in"]}</td>'
            yield f'<td>{kind}{" " if kind else ""}{_text(one.get("description", ""))}</td></tr>\n'
        yield "</table>\n"
    for media in operation.get("requestBody", {}).get("content", {}).values():
        yield f"<p>Body: {_kind(media['schema'])}</p>\n<pre>{_yaml(media['example'])}</pre>\n"
    yield "<p>Answers: "
    yield ", ".join(filter(None, (_answer(tree, *one) for one in operation["responses"].items())))
    yield "</p>\n"


def _answer(tree, status, response):
    """Returns a status with its meaning here, or with a link to its general meaning."""
    if "$ref" in response:
        return f'<a href="#{response["$ref"].rsplit("/", 1)[1]}">{status}</a>'
    kinds = " ".join(filter(None, (_kind(media["schema"]) for media in response.get("content", {}).values())))
    return f"{status} {kinds} ({_text(response['description']).rstrip('.')})"


def _schema(schema):
    """A type: a table of its members if it has some, otherwise how the document writes it."""
    members = schema.get("properties")
    described = f"<p>{_text(schema['description'])}</p>\n" if "description" in schema else ""
    if not members or any(key in schema for key in ("oneOf", "anyOf", "allOf")):
        rest = {key: value for key, value in schema.items() if key != "description"}
        return f"{described}<pre>{_yaml(rest)}</pre>\n"
    rows = "".join(
        f'<tr><td><code>{name}</code>{"" if name in schema.get("required", []) else " (optional)"}</td>'
        f'<td>{_kind(member)} {_text(member.get("description", "")) if isinstance(member, dict) else ""}</td></tr>\n'
        for name, member in members.items())
    return f"{described}<table>\n{rows}</table>\n"


def _kind(schema):
    """A type in a line."""
    if not isinstance(schema, dict):
        return ""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f'<a href="#{name}">{name}</a>'
    for joined in ("oneOf", "anyOf"):
        if joined in schema and "properties" not in schema:
            return " or ".join(filter(None, map(_kind, schema[joined])))
    if "const" in schema:
        return f"<code>{_text(str(schema['const']))}</code>"
    if "enum" in schema:
        return " ".join(f"<code>{_text(str(one))}</code>" for one in schema["enum"])
    kind = schema.get("type", "")
    if kind == "array":
        return f"list of {_kind(schema.get('items', {})) or 'anything'}"
    return " or ".join(kind) if isinstance(kind, list) else kind


def _follow(tree, node):
    while "$ref" in node:
        reference, node = node["$ref"], tree
        for key in reference.removeprefix("#/").split("/"):
            node = node[key]
    return node


def _yaml(value):
    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100).strip()
    return re.sub(r"#/components/schemas/(\w+)", r'<a href="#\1">\1</a>', html.escape(text, quote=False))


def _text(text):
    """Text with its code and its emphasis as HTML. Braces stand for themselves: the gateway fills in what has two."""
    text = html.escape(" ".join(text.split()), quote=False)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"`(.+?)`", r"<code>\1</code>", text)
