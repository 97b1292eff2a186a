"""Models of the web provider's menu, in Debian's Chromium against a provider on this host."""

import json
import os
import re
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from wait import wait_for
from service import Service
from web_provider import WebProvider

SONNET = "Claude Sonnet 4.6"
BUILD = Path(os.environ.get("ASSAY_BUILD_DIR", "build")).resolve()
ROOT = Path(__file__).resolve().parents[2]
SECONDS = 6  # of a job; a browser may have to be started for it

# Chromium's sandbox does not work for root.
ARGUMENTS = {"ORCH_BROWSER_EXTRA_ARGS": "--no-sandbox"} if os.geteuid() == 0 else {}


def settings(site, profile, **more):
    return {"ORCH_EXECUTION_PROFILE": "hybrid", "ORCH_BROWSER_ENABLED": "true",
            "ORCH_BROWSER_AUTOMATION_BACKEND": "cdp", "ORCH_BROWSER_PROFILE_DIR": str(profile),
            "ORCH_BROWSER_BASE_URL": site.url, "ORCH_BROWSER_HEADLESS": "true", **ARGUMENTS,
            "ORCH_BROWSER_HUMAN_ACTION_DELAY_SECONDS": "0", "ORCH_BROWSER_POLL_SECONDS": "0.03",
            "ORCH_BROWSER_SHELL_SECONDS": "0.6", "ORCH_BROWSER_CALL_TIMEOUT_SECONDS": str(SECONDS),
            "ORCH_BROWSER_NAVIGATION_SECONDS": "1.5", "ORCH_BROWSER_MODEL_RETRY_SECONDS": "0.05",
            "ORCH_BROWSER_QUEUE_MAX": "2", "ORCH_MAX_BROWSER_SUBMITS_PER_HOUR": "1000",
            "ORCH_MODEL_CATALOG_REFRESH_INTERVAL_HOURS": "0", "ORCH_BROWSER_CIRCUIT_BREAKER_COOLDOWN_SECONDS": "1",
            "ORCH_OPENAI_API_KEY": "secret-of-the-tests", **more}


@pytest.fixture(scope="module")
def site():
    with WebProvider() as provider:
        yield provider


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    return tmp_path_factory.mktemp("browser") / "profile"


@pytest.fixture(scope="module")
def service(site, profile):
    with Service("orchestrator", settings(site, profile)) as running:
        warm_up(running)
        yield running


def warm_up(running):
    """The first start of a fresh profile takes long on a busy machine, and is nobody's test."""
    wait_for(lambda: post(running).json().get("status") == "succeeded", told=lambda: log_of(running))


@pytest.fixture(autouse=True)
def forget(request, site):
    site.reset()
    yield
    site.reset()
    if "service" in request.fixturenames:  # a success forgives the breaker what a test has done to it
        running = request.getfixturevalue("service")
        if component(running)["status"] != "ok" or breaker(running)["consecutive_failures"]:
            warm_up(running)


def post(service, prompt="What is it?", model=SONNET, **body):
    return service.post("/api/v1/orchestrate", {"prompt": prompt, "model": model, **body})


def ask(service, prompt="What is it?", **body):
    answer = post(service, prompt, **body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def send_pictures(service, *names):
    files = [("files", (name, f"picture {name}".encode(), "image/png")) for name in names]
    return service.send("POST", "/api/v1/orchestrate/upload", data={"prompt": "What is it?", "model": SONNET},
                        files=files).json()


def step_details(service, task):
    """Of the one step, as its event keeps them."""
    events = service.get(f"/api/v1/tasks/{task['task_id']}").json()["events"]
    return next(e["payload"]["details"] for e in events if e["event_type"].startswith("step."))


def component(service, name="browser.web_provider"):
    parts = service.get("/api/v1/readiness").json()["components"]
    return next(part for part in parts if part["name"] == name)


def budget(service):
    return component(service, "execution-router")["details"]["budget"]


def breaker(service):
    return component(service)["details"]["circuit_breaker"]


def log_of(service):
    return (Path(service.stack.directory) / "log" / "orchestrator-orch-browserd.log").read_text()


def processes():
    """Process id -> (parent, command line)."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                found[int(entry.name)] = parent, (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                pass
    return found


def browserd(service):
    directory = str(service.stack.directory).encode()
    for pid, (_, command) in processes().items():
        if command[0].endswith(b"/cron-bin/orch-browserd"):
            try:
                environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"ASSAY_RUN_DIR=" + directory + b"/run" in environment:
                parent = processes().get(pid, (0,))[0]
                if not processes().get(parent, (0, [b""]))[1][0].endswith(b"orch-browserd"):
                    return pid
    return None


def chromium(profile):
    """The browser's first process, None when it does not run."""
    flag = f"--user-data-dir={profile}".encode()
    found = {pid: parent for pid, (parent, command) in processes().items()
             if flag in command and not any(word.startswith(b"--type=") for word in command)}
    return next((pid for pid, parent in found.items() if parent not in found), None)


def renderers(profile):
    table, found, wanted = processes(), [], {chromium(profile)}
    while wanted:
        wanted = {pid for pid, (parent, _) in table.items() if parent in wanted}
        found += [pid for pid in wanted if b"--type=renderer" in b" ".join(table[pid][1])]
    return found


class TestAnAnswer:
    def test_comes_from_the_model_that_was_asked_for(self, service, site):
        task = ask(service, "Line one\nline two")
        assert task["output_text"] == f"Answer to <Line one\nline two> by {SONNET}: one two three."
        assert (task["execution_mode"], task["adapter_name"]) == ("browser", "browser.web_provider")
        assert site.log == [{"chosen": SONNET}, {"prompt": "Line one\nline two", "model": SONNET}]
        details = step_details(service, task)
        assert details["actual_model_label"] == SONNET and details["model_selection_verified"] is True
        assert details["response_source"] == 'main [data-message-author-role="assistant"]'
        assert details["driver"] == "cdp" and "submitted_prompt" not in details

    @pytest.mark.parametrize("mode", ["cookies covered upsell", "sign-in-offer slow dialog", "onboarding",
                                      "ignores-clicks", "prose upsell"])
    def test_comes_whatever_stands_in_the_way(self, service, site, mode):
        site.reset(*mode.split())
        assert ask(service)["output_text"] == f"Answer to <What is it?> by {SONNET}: one two three."
        assert [entry for entry in site.log if "prompt" in entry] == [{"prompt": "What is it?", "model": SONNET}]

    def test_without_a_mark_is_read_from_the_page(self, service, site):
        site.reset("plain")
        task = ask(service)
        assert task["output_text"] == f"Answer by {SONNET}: one two three."
        assert step_details(service, task)["response_used_body_fallback"] is True

    def test_thinks_when_reasoning_was_asked_for(self, service, site):
        assert ask(service, reasoning=True)["output_text"].endswith(f"by {SONNET} Thinking: one two three.")
        site.reset("no-thinking")
        task = ask(service, reasoning=True)
        assert task["failure_code"] == "provider_unavailable"
        assert task["failure_message"] == f"Thinking mode is unavailable for browser model '{SONNET}'."

    def test_by_another_name_of_the_model(self, service, site):
        assert ask(service, model="Kimi K2")["failure_code"] == "model_mismatch"  # the menu has K2.6
        assert "by Sonar 2:" in ask(service, model="sonar-2")["output_text"]

    def test_of_two_models_one_after_the_other(self, service, site):
        task = ask(service, model=None, models=["Best", SONNET], quorum=2, merge_strategy="concat", decompose=False)
        assert [entry["model"] for entry in site.log if "prompt" in entry] == ["Best", SONNET]
        assert [step["status"] for step in task["results"]] == ["succeeded", "succeeded"]

    @pytest.mark.parametrize("mode", ["files", "files-later"])
    def test_has_seen_the_pictures(self, service, site, mode):
        site.reset(mode)
        task = send_pictures(service, "a.png", "../b c.j/peg", "Photo.WEBP")
        assert task["status"] == "succeeded", task
        wait_for(lambda: any("files" in entry for entry in site.log))
        told = [entry["files"] for entry in site.log if "files" in entry]
        assert told == [[["1.png", "picture a.png"], ["2.bin", "picture ../b c.j/peg"], ["3.WEBP", "picture Photo.WEBP"]]]
        assert step_details(service, task)["attachment_count"] == 3
        assert os.listdir(Path(service.stack.directory) / "run" / "browser-files") == []

    def test_streams_and_fronts_get_it_too(self, service, site):
        answer = service.post("/v1/chat/completions",
                              {"model": SONNET, "messages": [{"role": "user", "content": "And you?"}]})
        assert answer.json()["choices"][0]["message"]["content"].startswith("Answer to <And you?> by")


class TestWhatFails:
    @pytest.mark.parametrize("mode, code, message", [
        ("stubborn", "model_mismatch", f"Requested browser model '{SONNET}' but UI shows 'Best'."),
        ("challenge", "provider_unavailable", "The web provider shows a challenge for robots."),
        ("silent", "timeout", f"Browser execution timed out after {SECONDS}s."),
        ("stall", "timeout", "Browser execution timed out after 1.5s.")])
    def test_is_said(self, service, site, mode, code, message):
        site.reset(mode)
        task = ask(service)
        assert (task["status"], task["failure_code"], task["failure_message"]) == ("failed", code, message)

    @pytest.mark.parametrize("mode, message", [
        ("signed-out", "The sign-in prompt of the web provider is visible."),
        ("asks-later", "The web provider asks to sign in before it answers."),
        ("silent asks-after", "The web provider asks to sign in before it answers."),
        ("empty", "Whether the browser is signed in cannot be determined.")])
    def test_somebody_has_to_sign_in(self, service, site, mode, message):
        site.reset(*mode.split())
        failures = breaker(service)["consecutive_failures"]
        answer = post(service)
        assert answer.status_code == 503 and breaker(service)["consecutive_failures"] <= failures
        assert (answer.json()["detail"]["code"], answer.json()["detail"]["message"]) == ("model_auth_required", message)
        assert component(service)["status"] == "model_auth_required"
        assert service.get("/api/v1/readiness").json()["status"] == "model_auth_required"
        site.reset()
        assert ask(service)["status"] == "succeeded" and component(service)["status"] == "ok"

    def test_a_picture_that_the_page_does_not_take_is_not_dropped(self, service, site):
        task = send_pictures(service, "a.png")
        assert (task["failure_code"], task["failure_message"]) == \
            ("provider_unavailable", "The web provider's page takes no files.")
        assert not any("prompt" in entry for entry in site.log)

    def test_a_menu_that_is_missing_is_told_or_refused(self, service, site):
        site.reset("no-picker")
        details = step_details(service, ask(service))
        assert details["model_selection_verified"] is False and details["model_picker_unavailable"] is True
        task = ask(service, metadata={"strict_model": True})
        assert task["failure_code"] == "model_mismatch"

    @pytest.mark.parametrize("victims, words", [(renderers, "the tab has crashed"),
                                                (lambda profile: [chromium(profile)], "the browser is gone")])
    def test_a_crash_ends_the_job_and_not_the_next(self, service, site, profile, victims, words):
        site.reset("held")
        with ThreadPoolExecutor(1) as pool:
            task = pool.submit(ask, service)
            wait_for(lambda: any("prompt" in entry for entry in site.log))
            for pid in victims(profile):
                with suppress(ProcessLookupError):  # a renderer that was spare has left by itself
                    os.kill(pid, signal.SIGKILL)
            task = task.result()
        assert (task["failure_code"], task["failure_message"]) == ("unknown_error", f"Browser execution failed: {words}")
        site.reset()
        assert ask(service)["status"] == "succeeded"

    def test_who_leaves_takes_the_job_back(self, service, site):
        site.reset("held")
        with service.send("POST", "/api/v1/orchestrate/stream", json={"prompt": "x", "model": SONNET}, stream=True,
                          checked=False):
            wait_for(lambda: any("prompt" in entry for entry in site.log))
            [task] = service.get("/api/v1/tasks?limit=1").json()
            assert budget(service)["active_task_counts"] == {task["task_id"]: 1}
        site.reset()
        begun = time.monotonic()
        assert ask(service)["status"] == "succeeded"
        assert time.monotonic() - begun < SECONDS
        assert budget(service)["active_task_counts"] == {}

    def test_the_queue_has_an_end(self, service, site):
        site.reset("held")
        with ThreadPoolExecutor(4) as pool:
            tasks = [pool.submit(ask, service, model="Best")]
            wait_for(lambda: site.visits)
            tasks += [pool.submit(ask, service, model=model) for model in ("Sonar 2", SONNET, "GPT-5.4")]
            wait_for(lambda: any(task.done() for task in tasks))
            refused = next(task.result() for task in tasks if task.done())
            assert (refused["failure_code"], refused["failure_message"]) == \
                ("rate_limited", "The queue of the browser is full.")
            site.reset()
            assert sorted(task.result()["status"] for task in tasks) == ["failed"] + 3 * ["succeeded"]


class TestTheProfile:
    def test_of_a_living_browser_is_left_alone(self, service, site, profile):
        os.kill(chromium(profile), signal.SIGKILL)
        wait_for(lambda: chromium(profile) is None)
        lock = profile / "SingletonLock"
        assert lock.is_symlink()  # what the dead one has left
        lock.unlink()
        lock.symlink_to(f"{socket.gethostname()}-{os.getpid()}")
        task = ask(service)
        assert (task["failure_code"], task["failure_message"]) == \
            ("provider_unavailable", f"The browser profile is in use by process {os.getpid()}.")
        assert lock.is_symlink() and chromium(profile) is None
        lock.unlink()
        lock.symlink_to(f"{socket.gethostname()}-4194304")  # above the highest process id
        assert ask(service)["status"] == "succeeded"
        assert profile.stat().st_mode & 0o777 == 0o700

    def test_browser_and_driver_have_no_more_than_they_need(self, service, profile):
        pid = chromium(profile)
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        assert b"ORCH_" not in environment and b"secret-of-the-tests" not in environment
        files = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in range(5, 64) if os.path.islink(f"/proc/{pid}/fd/{fd}")]
        assert not [name for name in files if str(service.stack.directory) in name]
        status = Path(f"/proc/{browserd(service)}/status").read_text()
        assert re.search(r"^Seccomp:\t2$", status, re.M) or "not_confined" in log_of(service)

    def test_goes_on_when_the_driver_is_killed(self, service, site, profile):
        site.reset("held")
        with ThreadPoolExecutor(1) as pool:
            task = pool.submit(ask, service)
            wait_for(lambda: any("prompt" in entry for entry in site.log))
            os.kill(browserd(service), signal.SIGKILL)
            task = task.result()
        assert (task["failure_code"], task["failure_message"]) == \
            ("provider_unavailable", "The browser's process has gone before it answered.")
        wait_for(lambda: chromium(profile) is None)
        assert component(service)["status"] == "failed" or browserd(service)
        site.reset()
        wait_for(lambda: browserd(service) and component(service)["status"] == "ok")
        assert ask(service)["status"] == "succeeded"


def run(site, folder, program, *arguments, said="", **more):
    """A program of cron-bin in a folder of its own: exit code, what it has printed."""
    environment = {**settings(site, folder / "profile"), "ORCH_BROWSER_CALL_TIMEOUT_SECONDS": "40",
                   "PATH": os.environ["PATH"], "ASSAY_SQL_DIR": str(ROOT / "sql"), **more}
    done = subprocess.run([BUILD / "cron-bin" / program, *arguments], cwd=folder, env=environment, input=said,
                          capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


class TestPrograms:
    def test_a_profile_is_made_by_hand(self, site, tmp_path):
        code, told = run(site, tmp_path, "orch-create-profile", said="\n")
        assert (code, told["status"], told["signed_in"]) == (0, "ok", True), told
        assert (tmp_path / "profile" / "Default").is_dir() and not (tmp_path / "profile" / "SingletonLock").is_symlink()
        site.reset("signed-out")
        code, told = run(site, tmp_path, "orch-create-profile", said="\n")
        assert (code, told["error"]) == (2, "The sign-in prompt of the web provider is visible.")
        code, told = run(site, tmp_path, "orch-create-profile", ORCH_BROWSER_HEADLESS="false", DISPLAY="")
        assert (code, told["error"]) == (2, "A window needs a display: ORCH_BROWSER_DISPLAY or DISPLAY.")

    def test_a_profile_is_made_by_a_browser_alone(self, site, tmp_path):
        browser, profile = tmp_path / "browser", tmp_path / "profile"
        start = lambda *arguments: run(site, tmp_path, "orch-bootstrap-profile", "--channel", str(browser), *arguments)
        code, told = start("--dry-run")
        assert (code, told["status"]) == (0, "dry_run") and not profile.exists()
        assert told["command"][:2] == [str(browser), f"--user-data-dir={profile}"] and told["command"][-1] == site.url
        assert start()[1]["error"] == f"There is no browser: {browser} cannot be run."
        browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/said; ln -s {socket.gethostname()}-4194304 {profile}/SingletonLock\n')
        browser.chmod(0o755)
        code, told = start()
        assert (code, told["status"]) == (0, "ok") and not (profile / "SingletonLock").is_symlink()
        assert (tmp_path / "said").read_text().split("\n")[:-1] == told["command"][1:]
        browser.write_text("#!/bin/sh\nexit 3\n")
        assert start() == (2, {"status": "error", "error": "The browser ended with status 3."})
        (profile / "SingletonLock").symlink_to(f"{socket.gethostname()}-{os.getpid()}")
        code, told = start()
        assert code == 2 and "in use" in told["error"]

    def test_a_page_is_written_down(self, site, tmp_path):
        assert run(site, tmp_path, "orch-capture-recon")[0] == 2  # no profile
        (tmp_path / "profile").mkdir()
        site.reset("cookies")
        code, told = run(site, tmp_path, "orch-capture-recon", "--output-dir", "out", "--prompt", "What is it?",
                         "--interactive-pause", said="\n")
        names = ["01-composer.html", "01-home.png", "01-buttons.json", "03-model-picker.png", "03-model-menu.json",
                 "03-model-menu-attrs.json", "04-response.png", "04-main.html", "04-response-candidates.json", "98-manual.png",
                 "98-manual.html"]
        assert (code, told["status"], told["files"]) == (0, "ok", [f"recon-{name}" for name in names]), told
        read = lambda name: (tmp_path / "out" / f"recon-{name}").read_text()
        assert 'id="ask-input"' in read("01-composer.html")
        assert json.loads(read("01-buttons.json")) == ["Add files or tools", "Best", "Submit"]
        assert json.loads(read("03-model-menu.json"))[:2] == ["Best", "Sonar 2"]
        assert {"aria-checked": "true", "role": "menuitemradio"} in [e["attributes"] for e in json.loads(read("03-model-menu-attrs.json"))]
        assert "one two three." in json.loads(read("04-response-candidates.json"))["candidates"][0]["text"]
        assert "Answer to" in read("04-main.html") and read("98-manual.html").startswith("<html")
        assert (tmp_path / "out/recon-01-home.png").read_bytes().startswith(b"\x89PNG")
        assert json.loads(read("99-manifest.json"))["files"] == told["files"]
        site.reset("no-picker", "more")
        code, told = run(site, tmp_path, "orch-capture-recon", "--output-dir", "out")
        assert (code, told["files"][-2:]) == (0, ["recon-02-more.png", "recon-02-buttons.json"])
        site.reset("challenge")
        code, told = run(site, tmp_path, "orch-capture-recon", ORCH_BROWSER_RECON_DIR=str(tmp_path / "other"))
        assert (code, told["error"], told["output_dir"]) == (
            2, "The web provider shows a challenge for robots.", str(tmp_path / "other"))


class TestDrift:
    def look(self, site, folder, *arguments):
        return run(site, folder, "orch-recon-weekly", *arguments)

    def test_is_told_until_it_has_gone_or_is_accepted(self, site, tmp_path):
        state, log = tmp_path / "state", tmp_path / "logs" / "recon-drift.jsonl"
        baseline, flag = state / "selectors-baseline.json", state / "selectors-drift.flag"
        assert self.look(site, tmp_path)[0] == 2 and not state.exists()  # no profile
        (tmp_path / "profile").mkdir()
        state.mkdir()
        baseline.write_text("{ not json")
        code, told = self.look(site, tmp_path)
        assert (code, told["status"]) == (0, "baseline"), told
        seen = json.loads(baseline.read_text())
        assert seen["home_buttons"] == ["Add files or tools", "Best", "Submit"]
        assert seen["model_menu"] == ["Best", "Claude Sonnet 4.6", "GPT-5.4", "Kimi K2.6", "Sonar 2", "Thinking"]
        assert seen["flags"] == {"direct_model_button_visible": True, "more_button_visible": False, "more_clicked": False,
                                 "model_button_visible_after_more": False}
        site.reset("no-picker", "more")
        code, told = self.look(site, tmp_path)
        assert (code, told["status"], told["removed"], told["changed"]) == (1, "drift", ["model_menu"], ["flags", "home_buttons"])
        assert json.loads((state / "selectors-latest.json").read_text())["flags"] == {
            "direct_model_button_visible": False, "more_button_visible": True, "more_clicked": True,
            "model_button_visible_after_more": False}
        [line] = log.read_text().splitlines()
        assert json.loads(line) == json.loads(flag.read_text()) and json.loads(line)["removed"] == ["model_menu"]
        assert json.loads(baseline.read_text()) == seen
        site.reset("signed-out")
        code, told = self.look(site, tmp_path)
        assert (code, told["error"]) == (3, "The sign-in prompt of the web provider is visible.")
        assert flag.exists() and len(log.read_text().splitlines()) == 1
        site.reset("more")
        code, told = self.look(site, tmp_path)
        assert (code, told["changed"]) == (1, ["flags", "home_buttons", "home_menu_button_count"])
        site.reset()
        assert self.look(site, tmp_path)[1]["status"] == "same"
        assert not flag.exists() and len(log.read_text().splitlines()) == 2

    def test_is_not_looked_for_in_a_profile_that_is_in_use(self, service, site, profile, tmp_path):
        code, told = self.look(site, tmp_path, "--profile-dir", profile)
        assert code == 3 and "in use" in told["error"], told
        assert self.look(site, tmp_path, "--base-url", "http://example.org/")[0] == 2
        assert self.look(site, tmp_path, "--dsn", "x")[1].startswith("usage: ")


class TestTheBreaker:
    def chat(self, service):
        """By a worker of another family."""
        return service.post("/v1/chat/completions", {"model": SONNET, "messages": [{"role": "user", "content": "x"}]})

    def walk(self, service, site):
        site.reset("challenge")
        for failures in (1, 2, 3):
            assert ask(service)["failure_message"] == "The web provider shows a challenge for robots."
            assert breaker(service)["consecutive_failures"] == failures

    def test_walks_for_all_workers(self, service, site, profile):
        before = breaker(service)
        assert (before["state"], before["consecutive_failures"]) == ("closed", 0)
        self.walk(service, site)
        state = breaker(service)
        assert (state["state"], state["open_count"]) == ("open", before["open_count"] + 1)
        assert state["last_failure_code"] == "provider_unavailable" and component(service)["status"] == "degraded"
        site.reset("held")
        task = ask(service)
        said, moment = task["failure_message"].rstrip(".").rsplit(" ", 1)
        assert said == "Adapter 'browser.web_provider' circuit breaker is open after 3 consecutive failures. Retry after"
        apart = datetime.fromisoformat(moment) - datetime.fromisoformat(state["reopen_at"])
        assert abs(apart) < timedelta(milliseconds=10), "the same moment, by two clocks"
        assert self.chat(service).status_code == 503 and site.visits == 0
        assert breaker(service)["fail_fast_rejections"] == before["fail_fast_rejections"] + 2
        assert 'orch_browser_circuit_breaker_state{adapter_name="browser.web_provider",state="open"} 1' \
            in service.get("/metrics").text
        time.sleep(1)  # the cool-down
        with ThreadPoolExecutor(1) as pool:
            probe = pool.submit(self.chat, service)
            wait_for(lambda: any("prompt" in entry for entry in site.log))
            assert breaker(service)["state"] == "half-open"
            refused = ask(service, model="Best")  # the probe has the place of its own model
            assert "circuit breaker is open" in refused["failure_message"] and not probe.done()
            os.kill(chromium(profile), signal.SIGKILL)
            assert probe.result().status_code == 502
        state = breaker(service)
        assert (state["state"], state["open_count"]) == ("open", before["open_count"] + 2)
        time.sleep(1)
        site.reset()
        assert ask(service)["status"] == "succeeded"
        assert (breaker(service)["state"], breaker(service)["consecutive_failures"]) == ("closed", 0)

    def test_is_not_moved_by_who_has_to_sign_in(self, service, site):
        site.reset("challenge")
        ask(service)
        site.reset("signed-out")
        assert post(service).status_code == 503
        assert breaker(service)["consecutive_failures"] == 0


class TestTheCatalog:
    def models(self, service):
        answer = service.get("/api/v1/models").json()
        return answer["source"], [m["display_name"] for m in answer["models"] if m["adapter_kind"] == "browser"]

    def test_is_what_the_menu_shows(self, service, site):
        menu = ["Best", "Sonar 2", SONNET, "GPT-5.4", "Kimi K2.6"]
        assert self.models(service)[0] == "dry-run-static"
        site.reset("signed-out")
        assert service.post("/api/v1/models/refresh").json()["source"] == "dry-run-static"
        site.reset("cookies")
        answer = service.post("/api/v1/models/refresh").json()
        assert answer["source"] == "web-provider-model-menu" and answer["last_checked"] <= answer["refreshed_at"]
        assert [m["display_name"] for m in answer["models"]] == menu + ["GPT-5.4 API", "Claude Sonnet 4.6 API"]
        assert {m["availability_status"] for m in answer["models"][:5]} == {"observed_unverified"}
        wait_for(lambda: self.models(service) == ("web-provider-model-menu", menu))
        wait_for(lambda: post(service, model="kimi-k2-6").status_code == 200)  # a worker looks once a second
        assert ask(service, model="kimi-k2-6")["output_text"].endswith("by Kimi K2.6: one two three.")
        site.reset("no-picker")
        assert service.post("/api/v1/models/refresh").json()["last_checked"] == answer["last_checked"]

    def test_is_read_by_itself_when_it_is_old(self, service, site):
        before = service.post("/api/v1/models/refresh").json()["last_checked"]
        stored = lambda: service.get("/api/v1/models").json()["last_checked"]
        command = [ROOT / "nginx/stack", "run", "--dir", service.stack.directory, "orch-refresh-catalog", "--every", "0.1"]
        visits = site.visits
        with subprocess.Popen(command, env={**os.environ, "ORCH_MODEL_CATALOG_REFRESH_INTERVAL_HOURS": "1"}) as program:
            time.sleep(1)
            assert site.visits == visits  # it is young
            program.terminate()
        with subprocess.Popen(command, env={**os.environ, "ORCH_MODEL_CATALOG_REFRESH_INTERVAL_HOURS": "0.0001"}) as program:
            wait_for(lambda: stored() > before)
            program.terminate()
        assert not any("prompt" in entry for entry in site.log)


def test_a_dry_run_and_a_missing_browser_start_nothing(site, tmp_path):
    """The channel leaves a mark when it is run."""
    browser, mark = tmp_path / "browser", tmp_path / "mark"
    browser.write_text(f"#!/bin/sh\ntouch {mark}\n")
    browser.chmod(0o755)
    with Service("orchestrator", settings(site, tmp_path / "profile", ORCH_BROWSER_CHANNEL=str(browser))) as service:
        assert ask(service, dry_run=True)["execution_mode"] == "dry_run"
        assert not mark.exists() and site.visits == 0
        task = ask(service)
        assert task["failure_code"] == "provider_unavailable" and mark.exists()
        assert task["failure_message"] == f"The browser {browser} does not start: the browser is gone."
        browser.unlink()
        assert ask(service)["failure_message"] == f"There is no browser: {browser} is not installed."
        assert service.get("/health").status_code == 200
        assert ask(service, model=None, models=["GPT-5.4 API"], dry_run=True)["status"] == "succeeded"
