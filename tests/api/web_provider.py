"""A web provider on this host: a page with a composer, a menu of models and answers that come word by
word, and with whatever may stand in the way. `mode` says what the next page does."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = """<!doctype html><meta charset="utf-8"><title>Provider</title>
<style>
  .veil { position: fixed; inset: 0; background: #fffd; z-index: 9 }
  [contenteditable] { min-height: 2em; border: 1px solid }
  main { white-space: pre-wrap }
</style>
<nav><button id="new">New Thread</button> <span>History</span> <span>Discover</span></nav>
<main></main>
<div id="box"></div>
<script>
const mode = new Set(MODE);
let told = Promise.resolve(); // one after the other: requests that are under way together come in any order
const log = (what) => (told = told.then(() => fetch("/log", {method: "POST", body: JSON.stringify(what)})));
const make = (html, where = document.body) => {
  const holder = document.createElement("template");
  holder.innerHTML = html.trim();
  return where.appendChild(holder.content.firstChild);
};
const main = document.querySelector("main"), box = document.getElementById("box");
let model = "Best", thinking = false, menu = null;

function showButton() {
  const button = document.getElementById("model");
  if (!button) return;
  const name = model + (thinking ? " Thinking" : "");
  button.textContent = name;
  button.setAttribute("aria-label", name);
}
function choose(label) {
  log({chosen: label});
  if (label === "Thinking") thinking = true;
  else if (!mode.has("stubborn")) model = label;
  closeMenu();
  showButton();
}
function closeMenu() { menu?.remove(); menu = null; }
function openMenu() {
  if (menu) return closeMenu();
  menu = make('<div data-radix-popper-content-wrapper style="position:fixed;top:0;left:0;z-index:5"><div role="menu"></div></div>');
  const labels = ["Best", "Sonar 2", "Claude Sonnet 4.6", "GPT-5.4", "Kimi K2.6"];
  if (!mode.has("no-thinking")) labels.push("Thinking");
  for (const label of labels) {
    const item = make('<div role="menuitemradio"><span></span></div>', menu.firstChild);
    item.firstChild.textContent = label;
    item.setAttribute("aria-checked", label === model);
    item.onclick = () => choose(label);
  }
}
function veil(html) {
  const element = make('<div class="veil" role="dialog">' + html + "</div>");
  return element;
}
function overlay(html) { // leaves on Escape, or by its button of the name Close
  const element = veil(html);
  const leave = (event) => { if (event.key === "Escape") element.remove(); };
  document.addEventListener("keydown", leave);
  element.querySelector("[aria-label=Close]")?.addEventListener("click", () => element.remove());
  return element;
}
function answer(prompt) {
  const role = mode.has("prose") ? 'class="prose"' : mode.has("plain") ? "" : 'data-message-author-role="assistant"';
  make("<h2></h2>", main).textContent = prompt;
  const place = make(`<div ${role}></div>`, main);
  const words = ((mode.has("plain") ? "Answer by " : "Answer to <" + prompt + "> by ") + model + (thinking ? " Thinking" : "") + ": one two three.").split(" ");
  const stop = make('<button aria-label="Stop response">Stop</button>', box);
  let offer = null, count = 0;
  if (mode.has("upsell"))
    setTimeout(() => { offer = overlay('<p>Upgrade to Max</p><p>Your current plan: free</p><button aria-label="Close">x</button>'); }, 30);
  let held = mode.has("held");
  if (held) fetch("/released").then(() => { held = false; });
  const timer = setInterval(() => {
    if (mode.has("silent") || held || offer?.isConnected || (mode.has("upsell") && count > 2 && !offer)) return;
    place.textContent += (count ? " " : "") + words[count++];
    if (count < words.length) return;
    clearInterval(timer);
    stop.remove();
    make("<p>Ask a follow-up</p>", main);
  }, 8);
}
function submit() {
  const input = document.getElementById("ask-input"), prompt = input.innerText.trim();
  if (mode.has("asks-later")) return void veil("<p>Sign in or create an account</p>");
  if (mode.has("onboarding")) { mode.delete("onboarding"); return void overlay("<p>Set up Computer</p><p>Computer can do more</p>"); }
  if (mode.has("ignores-clicks")) return;
  if (!prompt) return;
  input.textContent = "";
  if (mode.has("asks-after")) setTimeout(() => veil("<p>Sign in or create an account</p>"), 150);
  log({prompt, model}).then(() => answer(prompt));
}
function showFileInput(composer) {
  const input = make('<input type="file" multiple style="display:none">', composer);
  input.onchange = async () => {
    const files = [...input.files];
    const texts = await Promise.all(files.map((file) => file.text()));
    log({files: files.map((file, i) => [file.name, texts[i]])});
  };
}
function showComposer() {
  const composer = make('<div data-ask-input-container="true"></div>', box);
  const input = make('<div id="ask-input" role="textbox" contenteditable="true"></div>', composer);
  make('<button aria-label="Add files or tools" aria-haspopup="menu">+</button>', composer);
  if (!mode.has("no-picker")) {
    make('<button id="model" aria-haspopup="menu"></button>', composer).onclick = openMenu;
    showButton();
  }
  if (mode.has("more")) make('<button aria-label="More" aria-haspopup="menu">...</button>', composer);
  if (mode.has("files")) showFileInput(composer);
  if (mode.has("files-later"))
    composer.querySelector("[aria-label='Add files or tools']").onclick = () => showFileInput(composer);
  make('<button aria-label="Submit">Go</button>', composer).onclick = submit;
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.ctrlKey) { mode.delete("ignores-clicks"); submit(); }
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") closeMenu(); });
}
if (mode.has("cookies") && !document.cookie) {
  const banner = veil("<p>Cookie Policy</p><button>Accept All Cookies</button><button>Necessary Cookies</button>");
  banner.querySelector("button").onclick = () => { document.cookie = "agreed=1"; log({cookies: true}); banner.remove(); };
}
if (mode.has("sign-in-offer")) overlay("<p>Sign in or create an account</p><p>Continue with Google</p>");
if (mode.has("signed-out")) veil("<p>Sign in or create an account</p><p>Single sign-on (SSO)</p>");
if (mode.has("challenge")) make("<p>Verify you are human</p>");
if (mode.has("covered")) make('<div class="animate-in" style="position:fixed;inset:0;z-index:3"></div>');
if (mode.has("empty") || mode.has("challenge")) box.remove();
else setTimeout(showComposer, mode.has("slow") ? 400 : 0);
if (mode.has("dialog")) setTimeout(() => alert("Look here"), 20);
</script>
"""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        site = self.server.site
        if self.path == "/released":
            if "held" in site.mode:
                site.released.wait(60)
            self.send_response(204)
            self.end_headers()
            return
        if self.path != "/":
            self.send_error(404)
            return
        site.visits += 1
        if "stall" in site.mode:
            site.released.wait(30)
        body = PAGE.replace("MODE", json.dumps(sorted(site.mode))).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # whoever asked has given up

    def do_POST(self):
        self.server.site.log.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class WebProvider:
    """`mode`: a set of words, `log`: what pages have told, `visits`: how often the start page was asked for."""

    def __init__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.site = self
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        self.released = threading.Event()
        self.reset()

    def reset(self, *mode):
        """What the pages from now on do; those that are held go on."""
        self.released.set()
        self.released = threading.Event()
        self.mode, self.log, self.visits = set(mode), [], 0

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
