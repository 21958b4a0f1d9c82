"""Writes the derived parts of deploy/docs/asyncapi.yaml, messages.md and openapi.yaml, and the page that the gateway
serves. The checks of the documents call `out_of_date`."""
import sys

import asyncapi
import openapi_page
import openapi_schemas
from document import PATH, REPOSITORY, Source

MESSAGES = REPOSITORY / "deploy/docs/messages.md"
COMMAND = "Tests/Contract/check documents"


def derived():
    """Returns the completed text of each document, and the hand-written parts that are missing."""
    completion = asyncapi.Completion(PATH.read_text())
    messages = completion.text()
    tree = Source(messages).tree
    openapi = openapi_schemas.completed(openapi_page.DOCUMENT.read_text(), messages)
    return {
        PATH: messages, MESSAGES: asyncapi.page(MESSAGES.read_text(), tree), openapi_page.DOCUMENT: openapi,
        openapi_page.PAGE: openapi_page.page(Source(openapi).tree),
    }, completion.faults


def out_of_date():
    """Returns the hand-written parts that are missing, and the documents that differ from their completed text."""
    texts, faults = derived()
    return faults + [f"{path.relative_to(REPOSITORY)} is out of date: run {COMMAND}"
                     for path, text in texts.items() if path.read_text() != text]


if __name__ == "__main__":
    texts, faults = derived()
    for path, text in texts.items():
        path.write_text(text)
    sys.exit("\n".join(faults) or 0)
