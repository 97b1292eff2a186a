"""The program `ingest` on files and folders, on both engines: importing them once with a report, and following a folder."""

import os
import subprocess
import time
from contextlib import contextmanager

import pytest

from people import People
from service import ENGINES, Service
from support_admin_test import SECRET, token
from support_sources import forget_documents
from wait import wait_for

pytestmark = pytest.mark.both_engines
ENV = {"JWT_SECRET": SECRET, "RATE_LIMIT_ENABLED": "false"}


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    with Service("support", ENV, request.param) as service:
        service.run("ingest")  # its environment is known from now on
        yield service


@pytest.fixture
def folder(support, tmp_path):
    """Empty, and nothing of earlier tests is known."""
    forget_documents(support)
    return tmp_path


def write(path, text, *, old=True):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
    if old:  # not just changed
        os.utime(path, (time.time() - 60, time.time() - 60))
    return path


def documents(service):
    return {one["doc_id"]: one for one in service.get("/api/documents?limit=500", headers=token("admin")).json()["documents"]}


def text_of(service, name):
    answer = service.get(f"/api/documents/{name}", headers=token("admin"))
    return "" if answer.status_code == 404 else "\n".join(part["text"] for part in answer.json()["passages"])


def upload(service, name, text, headers=None, **form):
    return service.send("POST", "/api/upload", files={"file": (name, text.encode())}, data=form, headers=headers or token("admin"))


def test_an_import_reports_what_it_refused(support, folder):
    write(folder / "keys.md", "# Keys\n\nThe spare key hangs on hook seven.\n")
    write(folder / "hr" / "keys.md", "# Keys\n\nThe safe opens with code nineteen.\n")
    write(folder / "page.html", "<h1>Gate</h1><p>Gate four is locked at night.</p>")
    write(folder / "tool.exe", "MZ")
    write(folder / "false.pdf", "no PDF at all")
    write(folder / ".secret.md", "# Hidden\n\nNobody reads this.\n")
    write(folder / "empty.md", "")
    outside = write(folder.parent / f"{folder.name}-outside.md", "# Outside\n\nBehind a link.\n")
    (folder / "link.md").symlink_to(outside)
    (folder / "links").symlink_to(folder.parent)
    done = support.run("ingest", str(folder))
    assert done.returncode == 3, (done.stdout, done.stderr)
    lines = done.stdout.splitlines()
    assert lines[-1] == "6 files: 3 taken, 0 unchanged, 3 refused, 0 failed, 0 still written"
    refused = {os.path.basename(line.split(": ")[0]): line.split(": ", 1)[1] for line in lines[:-1]}
    assert refused == {"tool.exe": "unsupported file type .exe", "false.pdf": "the content is not what the name says",
                       "empty.md": "no text could be extracted"}
    assert {"keys.md", "keys-2.md", "page.html"} <= set(documents(support)) <= {"keys.md", "keys-2.md", "page.html", "empty.md"}
    answer = support.post("/api/ask", {"question": "Where does the spare key hang?"}, headers=token("viewer")).json()
    assert "hook seven" in answer["answer"]
    again = support.run("ingest", str(folder))
    assert again.returncode == 0 and again.stdout == "6 files: 0 taken, 6 unchanged, 0 refused, 0 failed, 0 still written\n"
    write(folder / "keys.md", "# Keys\n\nThe spare key hangs on hook eleven.\n")
    alone = support.run("ingest", str(folder / "keys.md"))
    assert alone.returncode == 0 and alone.stdout.startswith("1 files: 1 taken"), alone.stdout
    assert documents(support)["keys-2.md"]["version"] == 2 and "hook eleven" in text_of(support, "keys-2.md")
    assert "nineteen" in text_of(support, "keys.md"), "of the folder that is read first"


def test_an_import_says_why_a_file_was_not_copied(support, folder):
    in_its_place = support.stack.directory / "data/support/uploads/blocked.md"
    in_its_place.mkdir(parents=True)
    try:
        write(folder / "blocked.md", "# Blocked\n\nIts copy has no place.\n")
        done = support.run("ingest", str(folder))
        assert done.returncode == 3 and "it cannot be copied: Is a directory" in done.stdout, done.stdout
        assert [*in_its_place.parent.glob(".*")] == [], "nothing is left of the copy"
    finally:
        in_its_place.rmdir()
    assert support.run("ingest", str(folder)).returncode == 0 and "blocked.md" in documents(support), "it is tried again"


def test_groups_of_imported_documents(support, folder):
    write(folder / "open.md", "# Open\n\nThe shop opens at nine.\n")
    write(folder / "Personnel" / "bands" / "bands.md", "# Bands\n\nGrade seven begins at 4711 euros.\n")
    member = People(support.stack).add(f"member-{support.engine}", groups=["Personnel"], support="agent").bearer()
    done = support.run("ingest", "--group-by-folder", str(folder))
    assert done.returncode == 0, done.stdout
    found = documents(support)
    assert found["open.md"]["groups"] == [] and found["bands.md"]["groups"] == ["Personnel"]
    assert support.get("/api/documents/bands.md", headers=token("agent")).status_code == 404
    assert support.get("/api/documents/bands.md", headers=member).status_code == 200
    answer = support.send("PUT", "/api/documents/bands.md/groups", json={"groups": ["Board"]}, headers=token("admin"))
    assert answer.status_code == 200
    write(folder / "Personnel" / "bands" / "bands.md", "# Bands\n\nGrade seven begins at 5000 euros.\n")
    assert support.run("ingest", "--group-by-folder", str(folder)).returncode == 0
    assert documents(support)["bands.md"]["groups"] == ["Board"], "people have decided"
    write(folder / "board.md", "# Board\n\nThe board meets on Friday.\n")
    assert support.run("ingest", "--groups", "Board, Owners", str(folder / "board.md")).returncode == 0
    assert documents(support)["board.md"]["groups"] == ["Board", "Owners"]


@pytest.mark.parametrize("arguments, status", [
    (["--watch"], 2), (["--watch", "/tmp", "/usr"], 2), (["--what"], 2), (["--tenant", "a b", "/tmp"], 2),
    (["--groups", "x" * 65, "/tmp"], 1), (["/nowhere/at/all"], 1), (["--watch", "/etc/passwd"], 1)])
def test_wrong_command_lines(support, arguments, status):
    done = support.run("ingest", *arguments)
    assert done.returncode == status and (done.stderr or status == 2), done


class Log:
    """What a program writes while it runs."""

    def __init__(self, path):
        self.path = path

    def says(self, *words):
        return any(all(word in line for word in words) for line in self.path.read_text().splitlines())

    def count(self, word):
        return self.path.read_text().count(word)


@contextmanager
def watching(service, folder, *arguments, within=()):
    log = Log(folder.parent / f"{folder.name}.log")
    with open(log.path, "w", encoding="utf-8") as file:
        program = subprocess.Popen([*within, service.stack.build / "cron-bin" / "ingest", *arguments, "--watch", str(folder)],
                                   cwd=service.stack.directory, env=service._environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=file)
    try:
        yield log
    finally:
        program.terminate()
        program.wait(timeout=60)
        assert program.returncode == 0, log.path.read_text()


def test_a_watched_folder_is_followed(support, folder):
    write(folder / "there.md", "# There\n\nIt was there before.\n")
    with watching(support, folder):
        wait_for(lambda: "was there before" in text_of(support, "there.md"), seconds=60)
        with open(folder / "open.md", "w", encoding="utf-8") as file:
            file.write("# Open\n\nHalf of it.\n")
            file.flush()
            os.utime(folder / "open.md", (time.time() - 60, time.time() - 60))
            write(folder / "new" / "deep" / "next.md", "# Next\n\nIt came later.\n", old=False)
            wait_for(lambda: "came later" in text_of(support, "next.md"), seconds=60)
            assert "open.md" not in documents(support), "somebody still has it open for writing"
            file.write("\nThe other half.\n")
        wait_for(lambda: "other half" in text_of(support, "open.md"), seconds=60)
        write(folder / "beside.txt", "The plan is beside the door.", old=False).rename(folder / "new" / "moved.txt")
        wait_for(lambda: "beside the door" in text_of(support, "moved.txt"), seconds=60)
        write(folder / "there.md", "# There\n\nIt has changed.\n", old=False)
        wait_for(lambda: "has changed" in text_of(support, "there.md"), seconds=60)
        assert documents(support)["there.md"]["version"] == 2
        (folder / "new" / "deep" / "next.md").unlink()
        wait_for(lambda: "next.md" not in documents(support), seconds=60)


def test_a_restart_takes_only_what_has_changed(support, folder):
    for name in ("stays", "changes", "goes"):
        write(folder / f"{name}.md", f"# A\n\nThis one {name}.\n")
    with watching(support, folder):
        wait_for(lambda: {"stays.md", "changes.md", "goes.md"} <= set(documents(support)), seconds=60)
    before = documents(support)
    (folder / "goes.md").unlink()
    write(folder / "changes.md", "# A\n\nThis one has changed now.\n")
    write(folder / "comes.md", "# A\n\nThis one comes.\n")
    with watching(support, folder):
        wait_for(lambda: "goes.md" not in documents(support), seconds=60)
    after = documents(support)
    assert set(after) == {"stays.md", "changes.md", "comes.md"}
    assert after["changes.md"]["version"] == 2 and after["stays.md"]["last_updated"] == before["stays.md"]["last_updated"]


def test_a_folder_that_is_away_removes_nothing(support, folder):
    root = folder / "mount"
    write(root / "kept.md", "# Kept\n\nThis one is kept.\n")
    with watching(support, root) as log:
        wait_for(lambda: "kept.md" in documents(support), seconds=60)
        (root / "kept.md").rename(folder / "kept.md")
        wait_for(lambda: log.says("folder_partly_read", "no file is there"), seconds=60)
        assert "kept.md" in documents(support)
        (folder / "kept.md").rename(root / "kept.md")
        write(root / "flag.md", "# Flag\n\nA scan that found them.\n")
        wait_for(lambda: "flag.md" in documents(support), seconds=60)
        assert documents(support)["kept.md"]["version"] == 1


WITHOUT_PRIVILEGES = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


def test_what_cannot_be_seen_stays_and_the_rest_goes(support, folder):
    write(folder / "shut" / "in" / "stays.md", "# Stays\n\nIn a folder that nobody can read.\n")
    write(folder / "goes.md", "# Goes\n\nThis one is deleted.\n")
    write(folder / "kept.md", "# Kept\n\nThis one is kept.\n")
    with watching(support, folder):
        wait_for(lambda: {"stays.md", "goes.md", "kept.md"} <= set(documents(support)), seconds=60)
    (folder / "goes.md").unlink()
    (folder / "shut").chmod(0)
    try:
        with watching(support, folder, within=WITHOUT_PRIVILEGES) as log:
            wait_for(lambda: "goes.md" not in documents(support), seconds=60)
            wait_for(lambda: log.says("folder_partly_read", f"{folder}/shut: Permission denied"), seconds=60)
            assert "stays.md" in documents(support)
            write(folder / "next.md", "# Next\n\nOne more scan.\n")
            wait_for(lambda: "next.md" in documents(support), seconds=60)
            (folder / "next.md").unlink()
            wait_for(lambda: "next.md" not in documents(support), seconds=60)
            assert log.count("folder_partly_read") == 1, "scans that end alike are logged once"
    finally:
        (folder / "shut").chmod(0o700)
    (folder / "shut" / "in" / "stays.md").unlink()
    with watching(support, folder):
        wait_for(lambda: "stays.md" not in documents(support), seconds=60)


def test_documents_of_storage_that_is_not_mounted_stay(support, folder):
    write(folder / "nas" / "stays.md", "# Stays\n\nOn another storage.\n")
    write(folder / "goes.md", "# Goes\n\nThis one is deleted.\n")
    write(folder / "kept.md", "# Kept\n\nThis one is kept.\n")
    with watching(support, folder):
        wait_for(lambda: {"stays.md", "goes.md", "kept.md"} <= set(documents(support)), seconds=60)
    [[mount]] = support.sql("SELECT DISTINCT mount FROM kb_sources")
    assert os.path.ismount(mount) and folder.is_relative_to(mount)
    support.sql(f"UPDATE kb_sources SET mount = '{folder}/nas' WHERE name LIKE '%/nas/stays.md'")
    away = (folder / "nas" / "stays.md").rename(folder.parent / f"{folder.name}-stays.md")
    (folder / "goes.md").unlink()
    with watching(support, folder) as log:
        wait_for(lambda: "goes.md" not in documents(support), seconds=60)
        wait_for(lambda: log.says("folder_partly_read", "nas/stays.md: its file system is not mounted"), seconds=60)
        assert "stays.md" in documents(support)
        away.rename(folder / "nas" / "stays.md")  # now of the storage of the folder
        moved = f"SELECT 1 FROM kb_sources WHERE name LIKE '%/nas/stays.md' AND mount = '{mount}'"
        wait_for(lambda: support.sql(moved), seconds=60)
        assert documents(support)["stays.md"]["version"] == 1
        (folder / "nas" / "stays.md").unlink()
        wait_for(lambda: "stays.md" not in documents(support), seconds=60)


def test_an_import_reports_a_folder_that_it_passes_over(support, folder):
    write(folder / "near.md", "# Near\n\nThis one is near.\n")
    write(folder.joinpath(*["d"] * 33) / "far.md", "# Far\n\nThis one is far down.\n")
    done = support.run("ingest", str(folder))
    assert done.returncode == 3 and f"{folder}{'/d' * 33}: it is in too many folders\n" in done.stdout, done.stdout
    assert done.stdout.endswith("1 files: 1 taken, 0 unchanged, 0 refused, 0 failed, 0 still written\n")


def test_a_document_of_somebody_else_stays(support, folder):
    """It has the name of a file of the folder, but is not its document."""
    write(folder / "twice.md", "# Twice\n\nThe first one of the folder.\n")
    write(folder / "flag.md", "# Flag\n\nIt goes too.\n")
    write(folder / "stays.md", "# Stays\n\nThe folder is not empty.\n")
    with watching(support, folder):
        wait_for(lambda: {"twice.md", "flag.md", "stays.md"} <= set(documents(support)), seconds=60)
    assert support.send("DELETE", "/api/documents/twice.md", headers=token("admin")).status_code == 200
    assert upload(support, "twice.md", "# Twice\n\nAnother one, by somebody else.\n").json()["doc_id"] == "twice.md"
    (folder / "twice.md").unlink()
    (folder / "flag.md").unlink()
    with watching(support, folder):
        wait_for(lambda: "flag.md" not in documents(support), seconds=60)
        wait_for(lambda: not support.sql("SELECT 1 FROM kb_sources WHERE name LIKE '%twice.md'"), seconds=60)
    assert "by somebody else" in text_of(support, "twice.md")


def test_a_file_replaces_no_document_of_another_way(support, folder):
    assert upload(support, "older.md", "# Older\n\nIt was there first.\n").json()["status"] == "ok"
    support.sql("DELETE FROM kb_upload_names")  # as of a version without upload names
    write(folder / "older.md", "# Older\n\nThe file of the folder.\n")
    assert support.run("ingest", str(folder)).returncode == 0
    assert "there first" in text_of(support, "older.md") and "of the folder" in text_of(support, "older-2.md")


def groups_of(service, name):
    return documents(service)[name]["groups"]


def set_groups(service, name, groups):
    answer = service.send("PUT", f"/api/documents/{name}/groups", json={"groups": groups}, headers=token("admin"))
    assert answer.status_code == 200


def follow(service, folder, done):
    """Until `done` names exactly these documents."""
    with watching(service, folder, "--group-by-folder"):
        wait_for(lambda: set(documents(service)) == set(done), seconds=60)


def test_groups_stay_with_a_file_that_was_away(support, folder):
    plan = write(folder / "Personnel" / "plan.md", "# Plan\n\nThe plan is called Kestrel.\n")
    write(folder / "stays.md", "# Stays\n\nThe folder is not empty.\n")
    follow(support, folder, ["plan.md", "stays.md"])
    assert groups_of(support, "plan.md") == ["Personnel"]
    set_groups(support, "plan.md", ["Board"])
    plan.rename(folder / ".plan.md")
    follow(support, folder, ["stays.md"])
    write(folder / "Sales" / "plan.md", "# Plan\n\nThe one of sales is called Heron.\n")
    follow(support, folder, ["plan-2.md", "stays.md"])
    assert groups_of(support, "plan-2.md") == ["Sales"]
    (folder / ".plan.md").rename(plan)
    follow(support, folder, ["plan.md", "plan-2.md", "stays.md"])
    assert groups_of(support, "plan.md") == ["Board"] and "Kestrel" in text_of(support, "plan.md")


def test_a_new_file_takes_nothing_from_a_deleted_document_of_other_groups(support, folder):
    """Neither do its people read the file, nor those of the file what the document said."""
    write(folder / "stays.md", "# Stays\n\nThe folder is not empty.\n")
    plan = write(folder / "Personnel" / "plan.md", "# Plan\n\nThe plan is called Kestrel.\n")
    follow(support, folder, ["plan.md", "stays.md"])
    plan.unlink()
    follow(support, folder, ["stays.md"])
    write(folder / "Board" / "plan.md", "# Plan\n\nThat of the board.\n")
    write(folder / "plan.md", "# Plan\n\nThat of everybody.\n")
    follow(support, folder, ["plan-2.md", "plan-3.md", "stays.md"])
    assert {tuple(groups_of(support, f"plan-{number}.md")) for number in (2, 3)} == {("Board",), ()}
    write(plan, "# Plan\n\nOnce more that of the personnel.\n")
    follow(support, folder, ["plan.md", "plan-2.md", "plan-3.md", "stays.md"])
    assert groups_of(support, "plan.md") == ["Personnel"], "the same people: the same name"


def test_a_document_that_gets_another_name_gets_its_groups(support, folder):
    plan = write(folder / "Personnel" / "plan.md", "# Plan\n\nThe plan is called Kestrel.\n")
    follow(support, folder, ["plan.md"])
    assert support.send("DELETE", "/api/documents/plan.md", headers=token("admin")).status_code == 200
    assert upload(support, "plan.md", "# Plan\n\nOf somebody else.\n", groups="none").json()["doc_id"] == "plan.md"
    write(plan, "# Plan\n\nThe plan is called Heron.\n")
    follow(support, folder, ["plan.md", "plan-2.md"])
    assert groups_of(support, "plan.md") == [] and groups_of(support, "plan-2.md") == ["Personnel"]


def test_an_upload_does_not_open_a_deleted_document(support, folder):
    del folder
    member = People(support.stack).add(f"uploader-{support.engine}", groups=["Personnel"], support="agent").bearer()
    assert upload(support, "bands.md", "# Bands\n\nGrade seven.\n", member, groups="Personnel").status_code == 200
    assert support.send("DELETE", "/api/documents/bands.md", headers=token("admin")).status_code == 200
    for other in ("none", "Sales", "Personnel,Sales"):
        answer = upload(support, "bands.md", "# Bands\n\nGrade eight.\n", member, groups=other)
        assert answer.status_code == 403, answer.text
    assert upload(support, "bands.md", "# Bands\n\nGrade eight.\n", member, groups="Personnel").status_code == 200
    assert groups_of(support, "bands.md") == ["Personnel"]
