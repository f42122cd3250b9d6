#!/usr/bin/env python3
"""relay.py NAMESPACE PORT: listens at PORT of the loopback device in the namespace, and carries what comes to the same port outside, where mpirun listens, and back.
Ends with the connection: mpirun waits for all that its ranks have started."""

import ctypes
import os
import socket
import sys
import threading

CLONE_NEWNET = 0x40000000


def listen_inside(namespace, port, made):
    """A thread of its own: only that thread changes its namespace."""
    if ctypes.CDLL(None).setns(os.open(f"/var/run/netns/{namespace}", os.O_RDONLY), CLONE_NEWNET):
        sys.exit(f"relay: no namespace {namespace}")
    made.append(socket.create_server(("127.0.0.1", port)))


def carry(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def main():
    namespace, port, made = sys.argv[1], int(sys.argv[2]), []
    thread = threading.Thread(target=listen_inside, args=(namespace, port, made))
    thread.start(), thread.join()
    print("ready", flush=True)
    sys.stdout.close()
    inside, _ = made[0].accept()
    outside = socket.create_connection(("127.0.0.1", port))
    for one in (inside, outside):
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=carry, args=(outside, inside), daemon=True).start()
    carry(inside, outside)


if __name__ == "__main__":
    main()
