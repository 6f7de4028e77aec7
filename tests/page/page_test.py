#!/usr/bin/env python3
"""The pages of clgauss-tune report in headless Chromium, as a reader has them before him.

  tests/page/page_test.py CLGAUSS_TUNE FOLDER

Makes the page of data/runs' three devices and the one of two runs in FOLDER, and looks at both at 400 and 1600 pixels, light and
dark: no word on the console, no request, nothing wider than the screen, no label clipped, too small or upon another, enough
contrast; a value under the mouse, a series taken away by its name in the legend. The screenshots stay in FOLDER. Exits with 77
where Chromium is not installed.
"""

import base64
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

RUNS = pathlib.Path(__file__).resolve().parents[2] / "data" / "runs"
DEVICES = ("h200", "pocl", "rusticl")

# What is wrong with the page as it is laid out, as a list of words.
FAULTS = r"""(() => {
  const faults = [], box = element => element.getBoundingClientRect();
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) faults.push('the page is wider than the screen');
  for (const element of document.querySelectorAll('h1, h2, h3, p, li, dt, dd, figcaption, summary'))
    if (box(element).right > width + 1) faults.push('beyond the screen: ' + element.textContent.slice(0, 60));
  const channels = colour => colour.match(/[\d.]+/g).slice(0, 3).map(Number);
  const luminance = colour => channels(colour).map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => { const [l, m] = [luminance(a), luminance(b)].sort((x, y) => y - x); return (l + 0.05) / (m + 0.05); };
  const style = getComputedStyle(document.documentElement);
  if (contrast(style.color, style.backgroundColor) < 7) faults.push('text without contrast');
  if ((luminance(style.backgroundColor) < 0.2) !== matchMedia('(prefers-color-scheme: dark)').matches) faults.push('the wrong scheme');
  const drawings = document.querySelectorAll('svg.drawing');
  if (drawings.length === 0) faults.push('no drawing');
  for (const svg of drawings) {
    const name = svg.closest('figure').id, frame = box(svg), paper = getComputedStyle(svg.querySelector('.paper')).fill;
    const texts = [...svg.querySelectorAll('text')].map(text => ({text: text.textContent, box: box(text), element: text}));
    for (const {text, box: at, element} of texts) {
      if (at.left < frame.left - 1 || at.right > frame.right + 1 || at.top < frame.top - 1 || at.bottom > frame.bottom + 1)
        faults.push(`${name}: clipped: ${text}`);
      if (parseFloat(getComputedStyle(element).fontSize) * frame.width / svg.viewBox.baseVal.width < 10)
        faults.push(`${name}: too small: ${text}`);
      if (contrast(getComputedStyle(element).fill, paper) < 4.5) faults.push(`${name}: without contrast: ${text}`);
    }
    texts.forEach(({text, box: a}, i) => {
      for (const {text: other, box: b} of texts.slice(i + 1))
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
          faults.push(`${name}: '${text}' upon '${other}'`);
    });
    for (const series of svg.querySelectorAll('.s[data-s]'))
      if (contrast(getComputedStyle(series).color, paper) < 3) faults.push(`${name}: series ${series.dataset.s} without contrast`);
  }
  return faults;
})()"""

# The middle of an element once it is in sight.
PLACE = r"""(() => {
  const element = document.querySelector(%s);
  element.scrollIntoView({block: 'center'});
  const box = element.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
})()"""
TIP = r"""(() => {
  const tip = document.getElementById('tip'), box = tip.getBoundingClientRect();
  return {hidden: tip.hidden, text: tip.innerText, inside: box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight};
})()"""


class Browser:
    """Chromium at the end of two pipes, by its DevTools protocol."""

    def __init__(self, program, folder):
        read_here, write_there = os.pipe()
        read_there, write_here = os.pipe()

        def as_3_and_4():
            os.dup2(read_there, 10)  # neither may be closed by the other's move
            os.dup2(write_there, 11)
            os.dup2(10, 3)
            os.dup2(11, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={folder}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=as_3_and_4)
        os.close(read_there)
        os.close(write_there)
        self.replies, self.commands = os.fdopen(read_here, "rb"), os.fdopen(write_here, "wb")
        self.count, self.rest, self.events, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.replies.fileno(), 1 << 20)
            if not more:
                sys.exit("Chromium ended")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **parameters):
        self.count += 1
        command = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        self.commands.write(json.dumps(command).encode() + b"\0")
        self.commands.flush()
        while True:
            reply = self.message()
            if reply.get("id") == self.count:
                if "error" in reply:
                    sys.exit(f"{method}: {reply['error']}")
                return reply["result"]
            self.events.append(reply)

    def value(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            sys.exit(f"{result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, page):
        self.call("Page.navigate", url=page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def complaints(self):
        """What the console said, and what was asked for besides the page; they are forgotten."""
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown" or method == "Log.entryAdded" or method == "Runtime.consoleAPICalled":
                yield f"console: {json.dumps(parameters)[:400]}"
            if method == "Network.requestWillBeSent" and parameters["type"] != "Document":
                yield f"request: {parameters['request']['url'][:200]}"
        self.events = []

    def screenshot(self, path, height=None):
        clip = {}
        if height:
            width, most = self.value("[document.documentElement.clientWidth, document.documentElement.scrollHeight]")
            clip = {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": min(height, most), "scale": 1}}
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png", **clip)["data"]))

    def mouse(self, selector, click=False):
        x, y = self.value(PLACE % json.dumps(selector))
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased") if click else ():
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, selector, key):
        self.value(f"document.querySelector({json.dumps(selector)}).focus()")
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, text="\r" if kind == "keyDown" else "")

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=30)


def make_pages(tune, folder):
    """What the reader opens: the page of three devices, and the one of two runs."""
    with tempfile.TemporaryDirectory() as rows:
        for name in DEVICES:
            with tarfile.open(RUNS / f"laboratory_{name}.tar.gz") as archive:
                archive.extractall(f"{rows}/{name}", filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(f"{rows}/{name}")
        for page, arguments in {"devices": [rows], "runs": [f"{rows}/pocl", f"{rows}/rusticl"]}.items():
            subprocess.run([tune, "report", *arguments, "-o", folder / f"{page}.html"], check=True, stderr=subprocess.DEVNULL)
            yield folder / f"{page}.html"


def faults_of_hover(browser, picture):
    """A value under the mouse is told with its unit, in sight, and no longer once the mouse is away."""
    figure = browser.value("[...document.querySelectorAll('figure')].find(f => f.querySelectorAll('.key').length > 1).id")
    value = f"#{figure} [data-s='0'] .v:last-of-type"
    browser.mouse(value)
    tip = browser.value(TIP)
    if tip["hidden"] or not tip["inside"] or "\n" not in tip["text"]:
        yield f"{figure}: no value under the mouse: {tip}"
    browser.screenshot(picture)
    browser.mouse("h1")
    if not browser.value(TIP)["hidden"]:
        yield f"{figure}: the value stays when the mouse is away"
    key, series = f"#{figure} .key[data-key='0']", f"#{figure} [data-s='0']"
    shown = f"getComputedStyle(document.querySelector({json.dumps(series)})).display !== 'none'"
    browser.mouse(key, click=True)
    if browser.value(shown):
        yield f"{figure}: a click on its name does not take a series away"
    browser.press(key, "Enter")
    if not browser.value(shown):
        yield f"{figure}: Enter on its name does not bring a series back"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program = shutil.which("chromium")
    if program is None:
        print("not tried: Chromium is not installed (Debian: apt-get install chromium)")
        sys.exit(77)
    folder = pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    faults = []
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(program, profile)
        for page in make_pages(sys.argv[1], folder):
            for width, scheme in itertools.product((400, 1600), ("light", "dark")):
                look = f"{page.stem}-{width}-{scheme}"
                browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
                browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                browser.open(page)
                browser.screenshot(folder / f"{look}.png", height=5000)
                found = browser.value(FAULTS) + list(faults_of_hover(browser, folder / f"{look}-hover.png"))
                faults += [f"{look}: {fault}" for fault in found + list(browser.complaints())]
        browser.close()
    print(*faults, f"screenshots in {folder}", sep="\n")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
