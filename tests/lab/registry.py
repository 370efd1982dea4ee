"""A registry of images on the head of a lab, which speaks plain HTTP."""

import os
import subprocess

from lab import WAIT_SECONDS, until

_CONFIG = """version: 0.1
log: {{level: error}}
storage: {{filesystem: {{rootdirectory: {folder}}}}}
http: {{addr: ":{port}"}}
"""
_AUTH = "auth: {{htpasswd: {{realm: test, path: {path}}}}}\n"
# bcrypt, which is all that it reads
_HASH = ("import crypt; print(crypt.crypt('secret', "
         "crypt.mksalt(crypt.METHOD_BLOWFISH, rounds=16)))")


class Registry:
    """`folder` must not be there yet. With `has_login`, only "me" with the password "secret" gets
    images."""

    def __init__(self, lab, folder, port, has_login=False):
        self._lab = lab
        self.address = f"{lab.address('head')}:{port}"
        os.mkdir(folder)
        config = _CONFIG.format(folder=os.path.join(folder, "storage"), port=port)
        if has_login:
            hashed = subprocess.run(["/usr/bin/python3", "-W", "ignore", "-c", _HASH],
                                    capture_output=True, text=True, check=True).stdout
            path = self._write(folder, "htpasswd", f"me:{hashed}")
            config += _AUTH.format(path=path)
        self.started = lab.start(
            ["docker-registry", "serve", self._write(folder, "config.yml", config)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        probe = f"exec 3<>/dev/tcp/127.0.0.1/{port}"
        until("the registry", lambda: self._lab.run(["bash", "-c", probe])[0] == 0)

    @property
    def pid(self):
        return self.started.pid

    def stop(self):
        if self.started.popen.poll() is None:
            self.started.send(9)
        self.started.popen.wait(WAIT_SECONDS)

    @staticmethod
    def _write(folder, name, text):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path
