"""Inputs with addresses: a real server on this machine gives them, or does not."""

# rooms: cli job front blobs store
# attacks

import hashlib
import http.server
import os
import signal
import ssl
import subprocess
import threading
import unittest

import own
from pipeline_case import PipelineCase
from support import BAD_FILE, MUSTER, USAGE, no_small_disk, run_tests, until

OUTPUT = 248
ROWS = b"5.1,3.5\n4.9,3.0\n"
OTHER = b"6.2,2.9\n"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append((self.path, dict(self.headers)))
        answer = self.server.answers.get(self.path)
        if answer is None:
            self.send_error(404)
            return
        answer(self)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.scheme = "http"
        self.asked = []
        self.answers = {}
        self.held = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def address(self, path):
        return f"{self.scheme}://127.0.0.1:{self.server_port}{path}"

    def paths(self):
        return [path for path, _ in self.asked]

    def serve(self, path, content, etag=None):
        def answer(handler):
            if etag and handler.headers.get("If-None-Match") == etag:
                handler.send_response(304)
                handler.end_headers()
                return
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(content)))
            if etag:
                handler.send_header("ETag", etag)
            handler.end_headers()
            handler.wfile.write(content)
        self.answers[path] = answer

    def cut(self, path, content):
        def answer(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(content) + 100))
            handler.end_headers()
            handler.wfile.write(content)
            handler.close_connection = True
        self.answers[path] = answer

    def redirect(self, path, to):
        def answer(handler):
            handler.send_response(302)
            handler.send_header("Location", to)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
        self.answers[path] = answer

    def hold(self, path):
        """Says how much will come, and then nothing more."""
        def answer(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            handler.wfile.flush()
            self.held.wait()
        self.answers[path] = answer


class FetchCase(PipelineCase):
    def setUp(self):
        super().setUp()
        self.server = Server()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(self.server.held.set)

    def environment(self, **more):
        return super().environment(no_proxy="127.0.0.1", MUSTER_RECORDS=self.path("records"),
                                   **more)

    def job(self, path, kind="uri_file", name="job.yml"):
        self.write(name, "type: command\ncommand: 'echo $(basename ${{inputs.rows}}); "
                   "cat ${{inputs.rows}}'\ninputs: {rows: {type: " + kind + ", path: '"
                   + self.server.address(path) + "'}}\n")

    def names(self, text):
        self.write("muster.yml", text)

    def runs(self, *words, file="job.yml"):
        return self.submit(*words, file=file).text.splitlines()

    def complaint(self, *words, file="job.yml", **more):
        told = self.submit(*words, file=file, code=BAD_FILE, **more).complaints
        return told[told.index("muster: error: "):].replace(self.server.address(""), "http://h")


class Fetched(FetchCase):
    @unittest.skipIf(os.getuid() != 0, "only root can give files away")
    def test_what_another_user_says_of_an_address_is_not_believed(self):
        self.server.serve("/sets/iris.csv", ROWS, etag='"one"')
        self.job("/sets/iris.csv")
        self.runs()
        other = own.users()
        os.chmod(self.path("records"), 0o1777)
        self.runs()
        self.assertEqual(self.server.asked[-1][1].get("If-None-Match"), '"one"', "it is mine yet")
        known = self.path("records", ".fetched")
        self.assertEqual(os.stat(known).st_mode & 0o777, 0o700)
        for path in (known, os.path.join(known, os.listdir(known)[0])):
            os.chown(path, other, other)
        done = self.submit(file="job.yml")
        self.assertIn(f"{known} is not a folder of yours alone, so all is fetched anew\n",
                      done.errors)
        self.assertNotIn("If-None-Match", self.server.asked[-1][1])
        asked = len(self.server.asked)
        self.names("data: {rows: {path: '" + self.server.address("/sets/iris.csv")
                   + f"', sha256: {hashlib.sha256(ROWS).hexdigest()}}}}}\n")
        self.write("job.yml", "type: command\ncommand: cat ${{inputs.rows}}\n"
                   "inputs: {rows: {type: uri_file, path: azureml:rows:1}}\n")
        self.assertNotIn("anew", self.submit(file="job.yml").errors, "its content is known")
        self.assertEqual(len(self.server.asked), asked)

    def test_a_full_disk_is_told_with_the_file(self):
        """And not as what were wrong with the server."""
        if reason := no_small_disk():
            self.skipTest(reason)
        self.server.serve("/sets/iris.csv", os.urandom(5_000_000))
        self.job("/sets/iris.csv")
        os.mkdir(self.path("disk"))
        script = ('mount -t tmpfs -o size=4m none "$DIR/disk"\n'
                  'export MUSTER_RECORDS="$DIR/disk/r"\n'
                  f"{MUSTER} submit job.yml || echo $?; find disk -name '*.part'\n")
        done = self.start(command=("unshare", "-m", "sh", "-ec", script)).finish()
        self.assertEqual(done.lines, [str(OUTPUT)], done)
        self.assertRegex(done.errors, r"(?m)^muster: error: cannot write \S+/disk/r/\S+/iris\.csv: "
                                      "No space left on device$")
        self.assertNotIn("hint", done.errors)

    def test_once_as_long_as_it_stays_what_it_is(self):
        self.server.serve("/sets/iris.csv", ROWS, etag='"one"')
        self.job("/sets/iris.csv")
        done = self.submit(file="job.yml")
        self.assertEqual(done.text, "iris.csv\n" + ROWS.decode())
        self.assertIn(f"muster: fetching {self.server.address('/sets/iris.csv')} "
                      f"({len(ROWS)} bytes)\n", done.complaints)
        again = self.submit(file="job.yml")
        self.assertEqual(again.text, done.text)
        self.assertNotIn("fetching", again.complaints, "nothing has come")
        self.assertEqual([headers.get("If-None-Match") for _, headers in self.server.asked],
                         [None, '"one"'])
        self.server.serve("/sets/iris.csv", OTHER, etag='"two"')
        self.assertEqual(self.runs(), ["iris.csv", OTHER.decode().strip()])
        self.assertEqual(self.runs(), ["iris.csv", OTHER.decode().strip()])
        self.assertEqual(self.server.asked[-1][1].get("If-None-Match"), '"two"')

    def test_plans_fetch_nothing(self):
        self.server.serve("/x", ROWS)
        self.job("/x")
        for words in (["validate"], ["explain"], ["submit", "--dry-run"]):
            self.told(*words, "job.yml")
        self.assertEqual(self.server.asked, [])

    def test_a_digest_makes_asking_needless(self):
        self.server.serve("/iris", ROWS)
        digest = hashlib.sha256(ROWS).hexdigest()
        self.names("data: {iris: {path: '" + self.server.address("/iris") + f"', sha256: {digest}"
                   "}}\n")
        self.write("job.yml", "type: command\ncommand: cat ${{inputs.rows}}\n"
                   "inputs: {rows: {type: uri_file, path: 'azureml:iris@latest'}}\n")
        self.assertEqual(self.runs(), ROWS.decode().splitlines())
        self.assertEqual(self.runs(), ROWS.decode().splitlines())
        self.assertEqual(self.server.paths(), ["/iris"])
        os.remove(self.path("records", ".blobs", digest[:2], digest[2:]))
        self.assertEqual(self.runs(), ROWS.decode().splitlines())
        self.assertEqual(self.server.paths(), ["/iris", "/iris"])

    def test_of_a_pipeline_and_by_redirects(self):
        self.server.serve("/real.csv", ROWS, etag='"r"')
        self.server.redirect("/iris.csv", "/real.csv")
        self.write("p.yml", "type: pipeline\ninputs: {rows: {type: uri_file, path: '"
                   + self.server.address("/iris.csv") + "'}}\njobs:\n"
                   "  a: &step {command: 'wc -l < ${{inputs.r}}', "
                   "inputs: {r: '${{parent.inputs.rows}}'}}\n  b: *step\n")
        self.assertEqual(sorted(self.runs("--jobs", "1", file="p.yml")), ["a: 2", "b: 2"])
        self.assertEqual(self.server.paths(), ["/iris.csv", "/real.csv"] * 2)
        self.assertEqual(self.server.asked[-1][1].get("If-None-Match"), '"r"')

    def test_its_content_stays_as_long_as_a_record_needs_it(self):
        self.server.serve("/x", ROWS, etag='"x"')
        self.job("/x")
        self.runs()
        self.told("gc")
        self.runs()
        self.assertEqual(self.server.asked[-1][1].get("If-None-Match"), '"x"')
        runs = [name for name in os.listdir(self.path("records")) if not name.startswith(".")]
        self.told("rm", *runs)
        self.assertNotIn("not muster", self.told("gc").text)
        self.runs()
        self.assertIsNone(self.server.asked[-1][1].get("If-None-Match"))


class OverTls(FetchCase):
    """The server has a certificate that only who names it trusts."""

    def setUp(self):
        super().setUp()
        self.own = self.certificate("own")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.own, self.path("own.key"))
        self.server.scheme = "https"
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.server.serve("/x", ROWS)
        self.job("/x")

    def certificate(self, name):
        path = self.path(f"{name}.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-out",
                        path, "-keyout", self.path(f"{name}.key")], check=True,
                       stderr=subprocess.DEVNULL)
        return path

    def test_of_a_server_that_a_variable_has_trusted(self):
        for name in ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"):
            with self.subTest(name=name):
                done = self.submit(file="job.yml", env=self.environment(**{name: self.own}))
                self.assertEqual(done.text, "x\n" + ROWS.decode())

    def test_a_stranger_is_told_in_one_line(self):
        other = self.certificate("other")
        for env in ({}, {"SSL_CERT_FILE": other}, {"CURL_CA_BUNDLE": other}):
            with self.subTest(env=env):
                self.assertRegex(
                    self.complaint(env=self.environment(**env)),
                    r"\Amuster: error: http://h/x cannot be fetched: its certificate is not "
                    r"trusted: self[ -]signed certificate\n  hint: SSL_CERT_FILE or CURL_CA_BUNDLE "
                    r'names a file with whom to trust; or name a copy: data: .* in muster\.yml\n\Z')
        self.assertEqual(self.server.asked, [])

    def test_a_variable_that_names_no_certificates(self):
        gone = self.path("gone.pem")
        self.assertIn(f"cannot be fetched: CURL_CA_BUNDLE={gone} holds no certificates: No such "
                      "file or directory\n",
                      self.complaint(env=self.environment(CURL_CA_BUNDLE=gone)))


class Refused(FetchCase):
    def test_what_is_not_there(self):
        self.job("/gone.csv?sig=secret")
        self.assertEqual(
            self.complaint(),
            "muster: error: http://h/gone.csv?... cannot be fetched: 404 Not Found\n"
            f"  hint: is the address right? Or name a copy: data: "
            '{"http://h/": PATH} in muster.yml\n')
        self.assertEqual(self.server.paths(), ["/gone.csv?sig=secret"])

    def test_a_pipeline_tells_it_once(self):
        self.write("p.yml", "type: pipeline\njobs:\n  first: {command: 'cat ${{inputs.r}}', "
                   "inputs: {r: {type: uri_file, path: '" + self.server.address("/gone") + "'}}}\n")
        for words in ([], ["--quiet"]):
            done = self.submit(*words, file="p.yml", code=BAD_FILE)
            told = f"{self.server.address('/gone')} cannot be fetched: 404 Not Found"
            self.assertEqual(done.errors.count("cannot be fetched"), 1, done)
            self.assertIn(f"first: muster: error: {told}\n", done.errors)
            self.assertIn("muster: the pipeline failed: step first failed with exit code "
                          f"{BAD_FILE}\n", done.errors)
            self.assertIn(told, self.told("report", "last").text)
            self.assertEqual(self.show()["steps"][0]["cause"], told)

    def test_what_ends_too_early(self):
        self.server.cut("/cut", ROWS)
        self.job("/cut")
        self.assertIn(f"http://h/cut cannot be fetched: it ended after {len(ROWS)} of "
                      f"{len(ROWS) + 100} bytes\n", self.complaint())

    def test_what_has_another_digest(self):
        self.server.serve("/iris", ROWS)
        self.names("data: {iris: {path: '" + self.server.address("/iris") + f"', sha256: {64 * '0'}"
                   "}}\n")
        self.job("/unused")
        done = self.complaint("--set", "inputs.rows=azureml:iris")
        self.assertEqual(done, "muster: error: http://h/iris has the SHA-256 "
                         f"{hashlib.sha256(ROWS).hexdigest()}, and should have {64 * '0'}\n  hint: "
                         "correct its sha256: in muster.yml, unless somebody has tampered with "
                         "it\n")

    def test_whoever_does_not_listen_or_says_nothing(self):
        self.job("/x")
        self.server.hold("/x")
        self.assertIn("http://h/x cannot be fetched: nothing came for 1 s\n",
                      self.complaint(env=self.environment(MUSTER_FETCH_TIMEOUT="1")))
        for seconds in ("0", "abc"):
            self.assertIn(f"MUSTER_FETCH_TIMEOUT must be a number of seconds from 1 to 86400, not "
                          f"{seconds}\n",
                          self.submit(file="job.yml", code=USAGE, env=self.environment(
                              MUSTER_FETCH_TIMEOUT=seconds)).complaints)
        self.server.serve("/x", ROWS, etag='"x"')
        self.runs()
        self.server.shutdown()
        self.server.server_close()
        told = self.complaint()
        self.assertIn("http://h/x cannot be fetched: Connection refused\n  hint: to take what it "
                      f"held before: sha256: {hashlib.sha256(ROWS).hexdigest()} beside its path: "
                      "in data: of muster.yml\n", told)

    def test_a_folder(self):
        self.job("/x/", kind="uri_folder")
        self.assertIn("the input rows is a folder, and an address holds one file: 'http://h/x/'\n"
                      "  hint: type: uri_file fetches it; for a folder of the hosts: --set "
                      'inputs.rows=PATH, or data: {"http://h/x/": PATH} in muster.yml\n',
                      self.complaint())
        os.mkdir(self.path("here"))
        self.write("here/one", "")
        self.write("job.yml", "type: command\ncommand: ls ${{inputs.rows}}\ninputs: {rows: "
                   "{type: uri_folder, path: '" + self.server.address("/x/") + "'}}\n")
        self.names('data: {"' + self.server.address("/x/") + '": here}\n')
        self.assertEqual(self.runs(), ["one"])
        self.assertEqual(self.server.asked, [])

    def test_redirects_lead_to_no_files(self):
        self.server.redirect("/x", "file:///etc/passwd")
        self.job("/x")
        self.assertIn("http://h/x cannot be fetched: ", self.complaint())

    def test_a_signal_ends_it(self):
        self.server.hold("/x")
        self.job("/x")
        with subprocess.Popen([MUSTER, "submit", "job.yml"], cwd=self.folder,
                              env=self.environment(), stderr=subprocess.PIPE, text=True) as run:
            until("it fetches", lambda: self.server.paths() == ["/x"])
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(), 130, run.stderr.read())


if __name__ == "__main__":
    run_tests()
