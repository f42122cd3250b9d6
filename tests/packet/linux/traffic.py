#!/usr/bin/env python3
"""Bulk TCP flows for netem.py: `traffic.py sink FIRST COUNT` reads what arrives at COUNT ports; `traffic.py send HOST` takes flows as JSON
on standard input, sends each as fast as its socket accepts data, and prints one JSON object per flow when it ends."""

import json
import selectors
import socket
import struct
import sys
import threading
import time

TCP_INFO = 11
# Fields of Linux's struct tcp_info: name -> (format, offset).
FIELDS = {"rtt_us": ("I", 68), "ssthresh": ("I", 76), "cwnd": ("I", 80), "retransmitted": ("I", 100), "acknowledged": ("Q", 120)}
CHUNK = bytes(1 << 17)
LEAST = 1 << 20
OUTPUT = threading.Lock()


def sink(first, count):
    """Reads until it is ended. It sleeps between reads, because wake-ups are dear; LEAST keeps acknowledgements at every second segment
    nevertheless: Linux delays those of data that a program could have read and has not."""
    selector, connections, buffer = selectors.DefaultSelector(), set(), bytearray(4 << 20)
    for port in range(first, first + count):
        selector.register(socket.create_server(("", port), backlog=4), selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        for key, _ in selector.select(0):
            connection = key.fileobj.accept()[0]
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, LEAST)
            connections.add(connection)
        for connection in [one for one in connections if ended(one, buffer)]:
            connections.remove(connection)
            connection.close()
        time.sleep(0.02)


def ended(connection, buffer):
    """Discards what has arrived, without a copy; whether the connection is at its end."""
    try:
        return not connection.recv_into(buffer, len(buffer), socket.MSG_DONTWAIT | socket.MSG_TRUNC)
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def state(connection):
    """What the kernel says about a connection."""
    data = connection.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 256)
    return {name: struct.unpack_from(form, data, offset)[0] for name, (form, offset) in FIELDS.items()}


def wait_until(instant):
    time.sleep(max(0.0, instant - time.monotonic()))


def fill(connection, end):
    """Keeps the socket full until the end."""
    connection.settimeout(1.0)
    while time.monotonic() < end:
        try:
            connection.send(CHUNK)
        except TimeoutError:
            pass


def sampled(connection, began, end, interval):
    """The state every `interval` seconds."""
    rows = []
    while time.monotonic() < end:
        rows.append({"seconds": round(time.monotonic() - began, 4), **state(connection)})
        time.sleep(interval)
    return rows


def flow(host, spec, began):
    """One flow: waits for its start, warms up, and is measured."""
    wait_until(began + spec["start"])
    connection = socket.socket()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, spec["algorithm"].encode())
    connection.connect((host, spec["port"]))
    begin = time.monotonic()
    warm, end = begin + spec["warm"], begin + spec["warm"] + spec["seconds"]
    sender = threading.Thread(target=fill, args=(connection, end))
    sender.start()
    trace = sampled(connection, begin, warm, spec["interval"]) if spec["interval"] else []
    wait_until(warm)
    first, at_first = state(connection), time.monotonic()
    trace += sampled(connection, begin, end, spec["interval"]) if spec["interval"] else []
    wait_until(end)
    last, at_last = state(connection), time.monotonic()
    rate = 8e-6 * (last["acknowledged"] - first["acknowledged"]) / (at_last - at_first)
    # A reset empties the queues of the path at once.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sender.join()
    connection.close()
    report({"id": spec["id"], "mbit": rate, "retransmitted": last["retransmitted"] - first["retransmitted"], "trace": trace})


def report(result):
    with OUTPUT:
        print(json.dumps(result), flush=True)


def send(host):
    began = time.monotonic()
    threads = [threading.Thread(target=flow, args=(host, spec, began)) for spec in json.load(sys.stdin)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    if sys.argv[1] == "sink":
        sink(int(sys.argv[2]), int(sys.argv[3]))
    else:
        send(sys.argv[2])
