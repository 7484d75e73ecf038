"""AGT-4: what doctor finds out about server, key, clock and spool."""

from __future__ import annotations

import datetime as dt
import email.utils
import http.server
import json
import ssl
import threading
import time

import pytest

ME = json.dumps({
    "username": "ada", "default_entity": "physics", "entities": ["physics"], "results": [], "allowed": True,
})  # fmt: skip
"""Says everything that doctor asks, whatever it asks."""
ASKED = ("/api/v1/me/", "/api/v1/projects/", "/api/v1/explain/")
UNKNOWN = json.dumps(
    {"error": {"code": "unauthenticated", "message": "The key is not known.", "detail": None}}
)


@pytest.fixture
def diagnose(run):
    """Return what doctor finds, as state and text by name, and its exit code."""

    def diagnosed(*arguments, **environment):
        done = run("doctor", "--json", "--without", "ipu", *arguments, **environment)
        assert not done.stderr
        return {
            each["name"]: (each["state"], each["text"]) for each in json.loads(done.stdout)
        }, done.returncode

    return diagnosed


def states(found):
    return {name: found[name][0] for name in ("server", "key", "clock") if name in found}


@pytest.mark.parametrize(
    ("status", "answer", "late_s", "expected"),
    [
        (200, ME, 0, {"server": "works", "key": "works", "clock": "works"}),
        (200, ME, 3600, {"server": "works", "key": "works", "clock": "problem"}),
        (401, UNKNOWN, 0, {"server": "works", "key": "problem", "clock": "works"}),
        (200, "<html>", 0, {"server": "problem"}),
        (404, "<html>", 0, {"server": "problem"}),
        (502, "<html>", 0, {"server": "problem"}),
    ],
)
def test_server_key_and_clock(diagnose, site, status, answer, late_s, expected):
    """AGT-4: by REST, with the key."""
    site.pages |= dict.fromkeys(ASKED, (status, answer))
    site.date = email.utils.formatdate(time.time() + late_s, usegmt=True)
    found, code = diagnose("--url", site.url, RUNYARD_API_KEY="ry-key")
    assert states(found) == expected
    assert found["host"][0] == "works"
    assert code == int("problem" in expected.values())
    assert site.requests[0][1]["Authorization"] == "Basic YXBpOnJ5LWtleQ=="


def test_who_the_key_belongs_to_is_told(diagnose, site):
    """AGT-4: and where runs go that name no entity; without a key the server itself is still checked."""
    site.pages |= dict.fromkeys(ASKED, (200, ME))
    found, _ = diagnose("--url", site.url, RUNYARD_API_KEY="ry-key")
    assert found["key"] == ("works", "of ada (RUNYARD_API_KEY)")
    assert found["runs"] == ("works", "go to physics/uncategorized, which will be created")
    site.pages["/api/v1/me/"] = (401, UNKNOWN)
    found, code = diagnose("--url", site.url)
    assert states(found) == {"server": "works", "key": "not set", "clock": "works"}
    assert code == 0


def test_where_each_value_comes_from_is_told_but_never_the_key(diagnose, site, tmp_path):
    """Usability 3 of the review: a lab has set the SDK's variables, and somebody has logged in."""
    site.pages |= dict.fromkeys(ASKED, (200, ME))
    found, code = diagnose(WANDB_BASE_URL=site.url, WANDB_ENTITY="physics", WANDB_API_KEY="ry-key")
    assert found["server"][1].startswith(f"{site.url} (WANDB_BASE_URL), in ")
    assert found["key"][1] == "of ada (WANDB_API_KEY)"
    assert "(entity by WANDB_ENTITY)" in found["runs"][1]
    assert code == 0
    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine {site.url.partition('://')[2]} login user password ry-key\n")
    found, _ = diagnose("--url", site.url)
    assert found["server"][1].startswith(f"{site.url} (--url), in ")
    assert found["key"] == ("works", f"of ada ({netrc})")
    assert "ry-key" not in str(found)


def test_nothing_set_is_no_problem_and_names_what_to_set(diagnose):
    """AGT-4: nobody there is one."""
    found, code = diagnose()
    assert found["server"][0] == "not set"
    assert "RUNYARD_URL" in found["server"][1]
    assert code == 0
    found, code = diagnose("--url", "http://127.0.0.1:1")
    assert code == 1
    assert "can't be reached: [Errno 111] Connection refused; nothing listens there" in found["server"][1]


def test_a_redirect_says_where_to(diagnose, site):
    """AGT-4: as from http:// to https://; the key does not follow it."""
    site.pages["/api/v1/me/"] = (301, "")
    site.location = "https://runyard.example.com/api/v1/me/"
    found, code = diagnose("--url", site.url, RUNYARD_API_KEY="k")
    assert found["server"][1] == f"{site.url} redirects to {site.location}: set url to that server's address"
    assert code == 1


def test_a_path_that_is_none_of_runyards(diagnose, site):
    """AGT-4: a wrong address."""
    found, _ = diagnose("--url", f"{site.url}/wandb/", RUNYARD_API_KEY="k")
    assert found["server"][1] == f"{site.url}/wandb answered 404, unlike a Runyard server"


def test_tls_where_there_is_none(diagnose, site):
    """AGT-4: https:// in front of a port that speaks http."""
    found, code = diagnose("--url", site.url.replace("http:", "https:"), RUNYARD_API_KEY="k")
    assert "the server there does not use TLS; should url begin with http://?" in found["server"][1]
    assert code == 1


@pytest.fixture
def signed_by_nobody(tmp_path):
    """Serve TLS with a certificate of our own; return address and certificate."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), dt.datetime.now(dt.timezone.utc)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = tmp_path / "public.pem", tmp_path / "private.pem"
    public.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(ME)))
            self.end_headers()
            self.wfile.write(ME.encode())

        def log_message(self, *_):
            pass

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *_):
            pass  # who does not trust it hangs up

    server = Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, private)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"https://localhost:{server.server_port}", str(public)
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_certificate_that_nobody_trusts(diagnose, signed_by_nobody):
    """AGT-4: says so, and what to do; which then helps."""
    url, certificate = signed_by_nobody
    found, code = diagnose("--url", url, RUNYARD_API_KEY="k")
    assert "is not trusted here; let SSL_CERT_FILE name its authority's" in found["server"][1]
    assert code == 1
    found, code = diagnose("--url", url, RUNYARD_API_KEY="k", SSL_CERT_FILE=certificate)
    assert states(found) == {"server": "works", "key": "works", "clock": "works"}


def test_a_proxy_is_used_and_told_without_its_password(diagnose, site):
    """AGT-4: as the environment names it."""
    site.pages |= {f"http://runyard.example.com{path}": (200, ME) for path in ASKED}
    proxy = site.url.replace("http://", "http://me:secret@")
    found, _ = diagnose(
        "--url", "http://runyard.example.com", RUNYARD_API_KEY="k", http_proxy=proxy, no_proxy=""
    )
    assert states(found)["server"] == "works"
    assert found["proxy"][1].startswith(f"the server is asked through {site.url};")
    assert site.requests[0][1]["Proxy-Authorization"] == "Basic bWU6c2VjcmV0"


def test_the_spool_is_tried(diagnose, tmp_path):
    """AGT-4, AGT-5: whether it can be written, how much room there is, what is left to send."""
    found, _ = diagnose()
    assert found["spool"][0] == "works"
    assert found["spool"][1].startswith(f"{tmp_path}/spool, ")
    assert found["spool"][1].endswith(" free")

    from runyard_agent.spool import Spool

    header = {
        "entity": "",
        "project": "p",
        "uid": "u",
        "resume": "allow",
        "writer": "0" * 16,
        "attached": False,
    }
    Spool.create(tmp_path / "spool", header, max_bytes=10**6).close()
    found, _ = diagnose("--spool-max-mb", "999999999")
    assert found["spool"][0] == "problem"
    assert "less than spool_max_mb" in found["spool"][1]
    assert "runs there: 1, `runyard-agent sync` sends" in found["spool"][1]

    (tmp_path / "file").write_text("")
    found, code = diagnose("--spool-dir", str(tmp_path / "file"))
    assert found["spool"] == (
        "problem", f"{tmp_path}/file can't be written: File exists; set spool_dir to a folder that can",
    )  # fmt: skip
    assert code == 1
