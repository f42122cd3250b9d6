"""Reads a trace as Perfetto does: parses packets with its public schema, sorts them like the trace processor, builds slices on
tracks and arrows. Gives a list of errors, and counts. Needs the package `perfetto`, which contains the schema."""

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

Event = schema.TrackEvent


class Trace:
    def __init__(self, path):
        self.wrong, self.slices, self.arrows, self.counters, self.inside = [], [], 0, {}, 0
        self.tracks, self.names, self.annotations, self.strings = {}, {}, {}, {}
        trace = schema.Trace.FromString(path.read_bytes())
        self.expect(trace.packet and trace.packet[0].sequence_flags & 1, "the first packet does not clear the state")
        events = [packet for packet in trace.packet if self.learn(packet)]
        # The processor sorts by time and leaves what has the same time in order.
        events.sort(key=lambda packet: packet.timestamp)
        self.open, self.flows = {}, {}
        for packet in events:
            self.event(packet.timestamp, packet.track_event)
        for track, slices in self.open.items():
            self.expect(not slices, f"{self.name(track)}: {len(slices)} slices are never closed")

    def expect(self, holds, problem):
        if not holds and len(self.wrong) < 20:
            self.wrong.append(problem)
        return holds

    def learn(self, packet):
        """Takes note of names and tracks; is there an event in it?"""
        for message in (packet, packet.track_event, packet.track_descriptor, packet.interned_data):
            self.expect(not len(UnknownFieldSet(message)), f"a field that the schema does not have: {message}")
        data = packet.interned_data
        for known, entries in ((self.names, data.event_names), (self.annotations, data.debug_annotation_names)):
            for entry in entries:
                self.expect(entry.iid not in known, f"{entry.name} has the number of {known.get(entry.iid)}")
                known[entry.iid] = entry.name
        self.strings.update((entry.iid, entry.str.decode()) for entry in data.debug_annotation_string_values)
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            self.expect(track.uuid not in self.tracks, f"{track.name} is there twice")
            self.expect(not track.parent_uuid or track.parent_uuid in self.tracks, f"{track.name} has no parent")
            self.tracks[track.uuid] = track
        if packet.HasField("track_event"):
            event = packet.track_event
            self.expect(event.track_uuid in self.tracks, "an event on a track that is not there")
            self.expect(packet.sequence_flags & 2, "an event that does not say that it needs names")
            return True
        return False

    def name(self, track):
        return self.tracks[track].name

    def event(self, time, event):
        track = event.track_uuid
        if event.type == Event.TYPE_SLICE_BEGIN:
            self.expect(event.name_iid in self.names, "a slice without a name")
            slice = Slice(self.name(track), self.names.get(event.name_iid), time, self.said(event))
            self.open.setdefault(track, []).append(slice)
            for flow in event.flow_ids:
                self.expect(flow not in self.flows, f"arrow {flow} starts twice")
                self.flows[flow] = slice
        elif event.type == Event.TYPE_SLICE_END:
            if not self.expect(self.open.get(track), f"{self.name(track)}: something ends at {time} that has not begun"):
                return
            slice = self.open[track].pop()
            slice.end = time
            self.slices.append(slice)
            self.expect(not self.open[track], f"{self.name(track)}: {slice.name} at {slice.start} is inside another")
            for flow in event.terminating_flow_ids:
                if self.expect(self.flows.get(flow), f"arrow {flow} ends before it starts, or twice"):
                    self.flows[flow] = None
                    self.arrows += 1
        elif event.type == Event.TYPE_INSTANT:
            # A message inside a collective: an arrow between two instants.
            self.expect(event.name_iid in self.names, "an instant without a name")
            for flow in event.flow_ids:
                self.expect(flow not in self.flows, f"arrow {flow} starts twice")
                self.flows[flow] = (track, time)
            for flow in event.terminating_flow_ids:
                if self.expect(self.flows.get(flow), f"arrow {flow} ends before it starts, or twice"):
                    self.flows[flow] = None
                    self.inside += 1
        elif event.type == Event.TYPE_COUNTER:
            self.expect(self.tracks[track].HasField("counter"), f"{self.name(track)} is no counter")
            self.counters.setdefault(self.name(track), []).append((time, event.double_counter_value))
        else:
            self.expect(False, f"event of type {event.type}")

    def said(self, event):
        """Annotations by name."""
        said = {}
        for annotation in event.debug_annotations:
            kind = annotation.WhichOneof("value")
            value = getattr(annotation, kind)
            said[self.annotations[annotation.name_iid]] = self.strings[value] if kind == "string_value_iid" else value
        return said

    def carried(self, counter):
        """Bytes that crossed a link."""
        values = self.counters[counter]
        return sum(rate * (after - time) * 1e-9 for (time, rate), (after, _) in zip(values, values[1:]))


class Slice:
    def __init__(self, track, name, start, said):
        self.track, self.name, self.start, self.end, self.said = track, name, start, None, said
