"""A client that was written for Apple's service resolves a link, accepts it, and reads and writes what is shared.

The client is the service for Apple Invites of pyicloud, unchanged. It knows only the address of the gateway, the
container, and the tokens of a user. ZONDA_LINK leads to the share of the whole zone of an event, as Apple Invites saves
it. Prints what the client saw, as JSON.
"""

import json
import os
import sys

import requests
from pyicloud.services.invites.models.dto import RsvpStatus
from pyicloud.services.invites.service import InvitesService


class Invites(InvitesService):
    """The service in the container and the environment of the test."""

    _CONTAINER = os.environ["ZONDA_CONTAINER"]
    _ENV = "development"


def main() -> None:
    """Joins the event, and answers the invitation."""
    tokens = {
        "ckAPIToken": os.environ["ZONDA_API_TOKEN"],
        "ckWebAuthToken": os.environ["ZONDA_WEB_AUTH_TOKEN"],
    }
    invites = Invites(os.environ["ZONDA_URL"], requests.Session(), tokens)
    link = os.environ["ZONDA_LINK"]
    resolved = invites.resolve(link)
    before = [event.event_id for event in invites.events()]
    event = invites.accept(link)
    answer = invites.rsvp(event, RsvpStatus.GOING, name="Grace", plus_one_adults=1)
    seen = {
        "resolved": {
            "event": resolved.event_id,
            "owner": resolved.owner_record_name,
            "status": resolved.participant_status,
            "type": resolved.participant_type,
            "permission": resolved.participant_permission,
            "public": resolved.share.public_permission,
        },
        "before": before,
        "event": {"id": event.event_id, "title": event.title, "scope": event.scope.value},
        "link": event.share.short_guid if event.share else None,
        "participants": [
            [participant.type.value, participant.acceptance_status.value]
            for participant in (event.share.participants if event.share else ())
        ],
        "after": [event.event_id for event in invites.events()],
        "answer": answer.record_name,
        "answers": [[rsvp.name, rsvp.num_additional_adults] for rsvp in invites.rsvps(event)],
    }
    json.dump(seen, sys.stdout)


main()
