#!/usr/bin/python3
"""Reads an OTF2 archive with Debian's package `otf2` (libotf2), and prints what it holds as JSON. Run by tests/traces/test_otf2.py.

usage: tests/traces/otf2/read.py ANCHOR"""

import json
import sys

import otf2
from otf2.enums import GroupType
from otf2.events import Enter, Leave, Metric, MpiCollectiveBegin, MpiCollectiveEnd, MpiIrecv, MpiIrecvRequest, MpiIsend, MpiIsendComplete, MpiRecv, MpiRequestCancelled, MpiSend, NonBlockingCollectiveComplete, NonBlockingCollectiveRequest


def name(code):
    """`POINT2POINT` of `RegionRole.POINT2POINT`."""
    return str(code).split(".")[-1]


def described(event):
    """The fields of an event that tests look at."""
    if isinstance(event, (Enter, Leave)):
        line = {attribute.name: value for attribute, value in (event.attributes or {}).items()}.get("source line")
        return {"region": event.region.name, "role": name(event.region.region_role), "paradigm": name(event.region.paradigm), "line": line}
    if isinstance(event, (MpiSend, MpiIsend)):
        return {"peer": event.receiver, "comm": event.communicator.name, "tag": event.msg_tag, "bytes": event.msg_length}
    if isinstance(event, (MpiRecv, MpiIrecv)):
        return {"peer": event.sender, "comm": event.communicator.name, "tag": event.msg_tag, "bytes": event.msg_length}
    if isinstance(event, (MpiCollectiveEnd, NonBlockingCollectiveComplete)):
        return {"operation": name(event.collective_op), "comm": event.communicator.name, "root": event.root, "sent": event.size_sent, "received": event.size_received}
    if isinstance(event, Metric):
        return {"metric": event.metric.members[0].name, "value": event.values[0]}
    return {}


def requests(event):
    kinds = (MpiIsend, MpiIsendComplete, MpiIrecvRequest, MpiIrecv, MpiRequestCancelled, NonBlockingCollectiveRequest, NonBlockingCollectiveComplete)
    return {"request": event.request_id} if isinstance(event, kinds) else {}


def main(anchor):
    with otf2.reader.open(anchor) as trace:
        locations = {location: number for number, location in enumerate(trace.definitions.locations)}
        listed = [
            {"name": location.name, "rank": location.group.name, "node": location.group.system_tree_parent.name, "events": location.number_of_events, "type": name(location.type)}
            for location in locations
        ]
        ranks = next(group for group in trace.definitions.groups if group.group_type == GroupType.COMM_LOCATIONS)
        comms = {comm.name: [] if comm.group.group_type == GroupType.COMM_SELF else [int(member) if isinstance(member, int) else locations[member] for member in comm.group.members] for comm in trace.definitions.comms}
        events = [[locations[location], type(event).__name__, event.time, {**described(event), **requests(event)}] for location, event in trace.events]
        result = {
            "resolution": trace.timer_resolution,
            "locations": listed,
            "ranks": len(ranks.members),
            "comms": comms,
            "regions": {region.name: name(region.region_role) for region in trace.definitions.regions},
            "events": events,
        }
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
