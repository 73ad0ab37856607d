"""Records the messages of a client to the server: how often it waits for an answer, and its statements."""
import os
import pathlib
import socket
import struct
import subprocess
import tempfile
import threading
import time

# The delay of each answer in seconds. During the delay a client can send all parts of a pipeline, as over a network, so the
# number of turns doesn't depend on the load of the machine.
AWAY = 0.01


class Overheard:
    """A proxy between a client and the server; a turn is all messages that the client sends before an answer arrives."""

    def __init__(self, server):
        self.folder = tempfile.mkdtemp(prefix="usher-wire-")
        self.target = f"{server.sockets}/.s.PGSQL.5432"
        self.connections = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{self.folder}/.s.PGSQL.5432")
        self.listener.listen(8)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            turns = []
            self.connections.append(turns)
            threading.Thread(target=self._pass, args=(client, turns), daemon=True).start()

    def _pass(self, client, turns):
        """Forwards both directions in separate threads, so that neither direction waits for the other one."""
        server = socket.socket(socket.AF_UNIX)
        server.connect(self.target)
        answered = threading.Event()
        answered.set()

        def heard(data):
            # The client waits for no answer to its last message (Terminate).
            if data != b"X\x00\x00\x00\x04":
                if answered.is_set():
                    turns.append(b"")
                turns[-1] += data
                answered.clear()

        back = threading.Thread(target=self._hand, args=(server, client, lambda data: answered.set(), AWAY), daemon=True)
        back.start()
        self._hand(client, server, heard)
        back.join()
        client.close()
        server.close()

    @staticmethod
    def _hand(source, target, heard, away=0):
        """Forwards the bytes of one side until that side has sent everything, or the other side is closed."""
        try:
            while source.recv(1, socket.MSG_PEEK):
                time.sleep(away)
                data = source.recv(1 << 20)
                heard(data)
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()
        os.unlink(f"{self.folder}/.s.PGSQL.5432")
        os.rmdir(self.folder)


def overhear(server, words_for, name, environment):
    """Records the second run of a command, by connection and turn; `words_for` returns the command's words for a conninfo."""
    between = Overheard(server)
    try:
        words = list(map(str, words_for(server.db(name, host=between.folder))))
        for _ in range(2):
            # Both runs use the same proxy, because usher's cache of a database depends on the connection string.
            between.connections = []
            subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, env=environment)
        return between.connections
    finally:
        between.close()


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, form):
        value = struct.unpack_from("!" + form, self.data, self.at)[0]
        self.at += struct.calcsize("!" + form)
        return value

    def text(self):
        end = self.data.index(b"\0", self.at)
        found, self.at = self.data[self.at:end], end + 1
        return found

    def bytes(self, length):
        self.at += length
        return self.data[self.at - length:self.at]


def _parsed(body):
    """The statement of a Parse message, and the types of its values."""
    reader = _Reader(body)
    reader.text()
    return reader.text(), [reader.number("I") for _ in range(reader.number("h"))]


def _bound(body):
    """The formats and values of a Bind message, and the format of the answer."""
    reader = _Reader(body)
    reader.text(), reader.text()
    formats = [reader.number("h") for _ in range(reader.number("h"))]
    values = []
    for _ in range(reader.number("h")):
        length = reader.number("i")
        values.append(None if length < 0 else reader.bytes(length))
    if len(formats) < 2:
        formats = (formats or [0]) * len(values)
    answers = [reader.number("h") for _ in range(reader.number("h"))]
    return list(zip(formats, values)), answers[0] if answers else 0


def _text(value):
    return struct.pack("=i", -1) if value is None else struct.pack("=i", len(value)) + value + b"\0"


def replayable(connections, path):
    """Writes the messages of the busiest connection to a file for tools/replay.c."""
    turns = max(connections, key=lambda turns: sum(map(len, turns)))
    records = []
    # Skips the first turn, which starts the connection, because libpq starts the connection of the replay.
    for turn in turns[1:]:
        at, statement, types = 0, b"", []
        while at < len(turn):
            kind, length = turn[at:at + 1], struct.unpack_from("!i", turn, at + 1)[0]
            body, at = turn[at + 5:at + 1 + length], at + 1 + length
            if kind == b"Q":
                records.append(b"Q" + _text(body[:-1]) + struct.pack("=ii", 0, 0) + b"Y")
            elif kind == b"P":
                statement, types = _parsed(body)
            elif kind == b"B":
                values, answer = _bound(body)
                types += [0] * (len(values) - len(types))
                packed = b"".join(struct.pack("=Ii", kind_, form) + _text(value) for kind_, (form, value) in zip(types, values))
                records.append(b"Q" + _text(statement) + struct.pack("=i", len(values)) + packed + struct.pack("=i", answer))
            elif kind == b"S":
                records.append(b"Y")
        records.append(b"W")
    pathlib.Path(path).write_bytes(b"".join(records))
    return path
