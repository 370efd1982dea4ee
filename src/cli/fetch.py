"""Fetches one file. ARGUMENTS: FILE ETAG MODIFIED SECONDS; MUSTER_FETCH_ADDRESS: from where.

The address is no argument, since other users see those, and it may hold a signature. SECONDS: how
long nothing may come. Prints "size N" and "got N" as it goes along, and last "same",
"done SHA256 ETAG MODIFIED", "wrong STATUS REASON", or "unwritten REASON" where FILE cannot be
written; between fields stand tabs.
"""
import hashlib
import http.client
import os
import socket
import ssl
import sys
import urllib.error
import urllib.request

PIECE = 1 << 20


def say(*fields):
    line = "\t".join(" ".join(str(one).split()) for one in fields)
    print(line.encode("ascii", "backslashreplace").decode(), flush=True)


class Redirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, request, file, code, message, headers, address):
        if request.full_url.startswith("https:") and not address.startswith("https:"):
            raise urllib.error.HTTPError(
                request.full_url, code, "redirects to an address that is not https", headers, file)
        return super().redirect_request(request, file, code, message, headers, address)


class NoFiles(urllib.request.BaseHandler):
    """Nothing but http and https, wherever a redirect leads."""

    def file_open(self, request):
        raise urllib.error.URLError("it redirects to " + request.type + ":")

    ftp_open = data_open = file_open


class Unwritten(Exception):
    """What is wrong with the file here, and not with the net."""


def on_file(action, *words):
    try:
        return action(*words)
    except OSError as error:
        raise Unwritten(error.strerror or str(error)) from error


def write_all(file, piece):
    left = memoryview(piece)
    while left:
        left = left[file.write(left):]


def take(answer, path):
    promised = answer.headers.get("Content-Length")
    size = int(promised) if promised and promised.isdigit() else None
    if size is not None:
        say("size", size)
    digest = hashlib.sha256()
    got = 0
    file = on_file(open, path, "wb", 0)
    while True:
        piece = answer.read1(PIECE)
        if not piece:
            break
        on_file(write_all, file, piece)
        digest.update(piece)
        got += len(piece)
        say("got", got)
    on_file(file.close)
    if size is not None and got != size:
        return say("wrong", "", "it ended after {} of {} bytes".format(got, size))
    say("done", digest.hexdigest(), answer.headers.get("ETag", ""),
        answer.headers.get("Last-Modified", ""))


def trusted():
    """Whom SSL_CERT_FILE and SSL_CERT_DIR name, and whom the variables of curl and pip do."""
    context = ssl.create_default_context()
    for name in ("CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"):
        path = os.environ.get(name)
        if not path:
            continue
        try:
            context.load_verify_locations(
                **{"capath" if os.path.isdir(path) else "cafile": path})
        except OSError as error:
            raise ValueError("{}={} holds no certificates: {}".format(
                name, path, error.strerror or error)) from error
    return context


def fetch(address, path, etag, modified, seconds):
    request = urllib.request.Request(address, headers={"User-Agent": "muster"})
    if etag:
        request.add_header("If-None-Match", etag)
    elif modified:
        request.add_header("If-Modified-Since", modified)
    opener = urllib.request.build_opener(
        Redirects, NoFiles, urllib.request.HTTPSHandler(context=trusted()))
    with opener.open(request, timeout=float(seconds)) as answer:
        take(answer, path)


def why(error):
    reason = getattr(error, "reason", error)
    if isinstance(reason, (socket.timeout, TimeoutError)):
        return "nothing came for {} s".format(sys.argv[4])
    if isinstance(reason, http.client.IncompleteRead):
        return "it ended too early"
    if isinstance(reason, ssl.SSLCertVerificationError):
        return "its certificate is not trusted: " + reason.verify_message
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return str(reason) or type(reason).__name__


try:
    fetch(os.environ.pop("MUSTER_FETCH_ADDRESS"), *sys.argv[1:])
except urllib.error.HTTPError as error:
    if error.code == 304:
        say("same")
    else:
        say("wrong", error.code, error.reason)
except Unwritten as error:
    say("unwritten", error)
except (OSError, ValueError, http.client.HTTPException) as error:
    say("wrong", "", why(error))
