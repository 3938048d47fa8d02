"""Receives webhooks, with nothing but Python's own library (3.9 or later).

    SECRET=whsec_… DATABASE=received.sqlite PORT=3000 python3 receiver.py

Verifies the signature `v1` of Standard Webhooks, which Hookline sends with every request, and handles each event once.
"""

import base64
import hashlib
import hmac
import json
import os
import signal
import sqlite3
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["SECRET"]
TOLERANCE_SECONDS = 300
LEASE_SECONDS = 30
MAX_BODY_BYTES = 1_048_576


def handle(event_id, event_type, body):
    """Your work. Whatever it raises is answered with 500, and Hookline sends the event again."""
    json.loads(body)
    print(f"handled {event_id} {event_type}", flush=True)


def refusal(headers, body):
    """Why the request is refused, or None. Only the bytes as they came are what was signed."""
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (sent_at.isascii() and sent_at.isdigit() and len(sent_at) < 13):
        return 400
    if abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        return 401
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    expected = hmac.new(key, f"{event_id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    wanted = "v1," + base64.b64encode(expected).decode()
    # Several while a secret is rotated.
    given = headers.get("webhook-signature", "").split(" ")
    matches = [hmac.compare_digest(one.encode(), wanted.encode()) for one in given]
    return None if any(matches) else 401


class Once:
    """One row for each event: leased while it is handled, done after it. A lease that ended is free again."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self.db.execute("CREATE TABLE IF NOT EXISTS received (id TEXT PRIMARY KEY, done INTEGER, leased_until REAL)")

    def claim(self, event_id):
        """True: handle it. False: it is done. None: another request is handling it."""
        with self.lock:
            now = time.time()
            claimed = self.db.execute(
                "INSERT INTO received VALUES (?, 0, ?) ON CONFLICT (id) DO UPDATE SET leased_until = excluded.leased_until"
                " WHERE done = 0 AND leased_until < ?",
                (event_id, now + LEASE_SECONDS, now),
            )
            if claimed.rowcount == 1:
                return True
            row = self.db.execute("SELECT done FROM received WHERE id = ?", (event_id,)).fetchone()
            return False if row and row[0] else None

    def complete(self, event_id):
        with self.lock:
            self.db.execute("UPDATE received SET done = 1 WHERE id = ?", (event_id,))

    def release(self, event_id):
        with self.lock:
            self.db.execute("DELETE FROM received WHERE id = ? AND done = 0", (event_id,))


once = Once(os.environ.get("DATABASE", "received.sqlite"))


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            return self.answer(413 if length.isdigit() else 411)
        body = self.rfile.read(int(length))
        refused = refusal(self.headers, body)
        if refused is not None:
            return self.answer(refused)
        event_id = self.headers["webhook-id"]
        claimed = once.claim(event_id)
        if claimed is None:
            # Not 2xx: the request that is handling it may still fail.
            return self.answer(503, {"Retry-After": str(LEASE_SECONDS)})
        if claimed:
            try:
                handle(event_id, self.headers.get("hookline-event-type"), body)
            except Exception as error:
                print(f"failed {event_id}: {error!r}", flush=True)
                once.release(event_id)
                return self.answer(500)
            once.complete(event_id)
        return self.answer(204)

    def answer(self, status, headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()
