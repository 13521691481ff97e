#!/usr/bin/env python3
"""Runs a program of an official driver, unchanged and of one version, against `fornix serve`.

    clients.py FORNIX python neo4j==5.28.2 | FORNIX javascript neo4j-driver@5.28.2
    clients.py FORNIX python neo4j==5.28.2 driver_kill.py 20      a program that starts the server itself

The driver comes from its registry into .cache/clients and stays there. Where it can't be had this says so and fails under CI=true.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent


def call(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, **options)


def install(language, package):
    """The command that runs a program of that language with the driver."""
    folder = ROOT / ".cache" / "clients" / re.sub(r"[^\w.]", "-", package)
    if language == "python":
        python = folder / "bin" / "python"
        if not (folder / "whole").exists():
            shutil.rmtree(folder, ignore_errors=True)
            call(sys.executable, "-m", "venv", str(folder))
            call(str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", package)
        command = [str(python), str(HERE / "driver.py")]
    else:
        if not (folder / "whole").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            call("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), package)
        # A module finds packages beside itself.
        shutil.copy(HERE / "driver.mjs", folder / "driver.mjs")
        command = ["node", str(folder / "driver.mjs")]
    (folder / "whole").touch()
    return command


def main():
    fornix, language, package = sys.argv[1:4]
    try:
        command = install(language, package)
    except (subprocess.SubprocessError, OSError) as error:
        print(f"SKIPPED {package}: it can't be installed: {error}\n{getattr(error, 'stdout', '') or ''}")
        return 1 if os.environ.get("CI") == "true" else 0
    if len(sys.argv) > 4:
        return subprocess.run([command[0], str(HERE / sys.argv[4]), str(pathlib.Path(fornix).resolve()), *sys.argv[5:]], timeout=600).returncode
    with tempfile.TemporaryDirectory() as folder:
        codes = []
        for scheme in ("bolt", "bolt+ssc"):
            codes += serve(fornix, folder, scheme, command)
    return 1 if any(codes) else 0


def serve(fornix, folder, scheme, command):
    """The exit codes of the program and of the server."""
    tls = []
    if scheme != "bolt":                       # a certificate that nobody has signed
        call("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem")
        tls = ["--tls-certificate", f"{folder}/certificate.pem", "--tls-key", f"{folder}/key.pem"]
    server = subprocess.Popen([str(pathlib.Path(fornix).resolve()), "serve", f"{folder}/{len(tls)}.fornix", "--port", "0", *tls], stdout=subprocess.PIPE, text=True)
    try:
        port = re.search(r":(\d+) \(", server.stdout.readline()).group(1)
        ran = subprocess.run([*command, f"{scheme}://localhost:{port}"], timeout=240).returncode
    finally:
        server.terminate()
        ended = server.wait(timeout=30)
    if ended != 0:
        print(f"fornix serve ended with {ended}")
    return [ran, ended]


if __name__ == "__main__":
    sys.exit(main())
