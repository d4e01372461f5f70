"""A headless Chromium, driven by the DevTools protocol; see test-report.sh."""
import base64
import json
import os
import re
import subprocess
import tempfile

import websocket

PATIENCE = 60


class Browser:
    """One page. Errors of the page are collected in `errors`."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory()
        arguments = [program, "--headless", "--remote-debugging-port=0", "--disable-gpu", "--disable-dev-shm-usage",
                     "--no-first-run", f"--user-data-dir={self.profile.name}", "about:blank"]
        # The sandbox refuses root.
        if os.geteuid() == 0:
            arguments.insert(1, "--no-sandbox")
        self.process = subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        address = next(found[1] for line in self.process.stderr
                       if (found := re.search(r"listening on (ws://\S+)", line)))
        self.socket = websocket.create_connection(address, timeout=PATIENCE, suppress_origin=True)
        self.calls = 0
        self.session = None
        self.events = []
        self.errors = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"]:
            self.call(domain + ".enable")

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        self.process.stderr.close()
        self.profile.cleanup()

    def receive(self):
        message = json.loads(self.socket.recv())
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(parameters["exceptionDetails"].get("exception", parameters["exceptionDetails"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(parameters["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.errors.append(parameters["args"])
        elif method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith("file:"):
            self.errors.append("request of " + parameters["request"]["url"])
        if method:
            self.events.append(method)
        return message

    def call(self, method, **parameters):
        self.calls += 1
        request = {"id": self.calls, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        self.socket.send(json.dumps(request))
        while True:
            message = self.receive()
            if message.get("id") == self.calls:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def size(self, width, height, scheme="light"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while "Page.loadEventFired" not in self.events:
            self.receive()

    def run(self, script):
        """The value of a script, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def press(self, key, code=0, text=None):
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def point(self, x, y, kind="mouseMoved", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.point(x, y)
        for kind in ["mousePressed", "mouseReleased"]:
            self.point(x, y, kind, button="left", clickCount=1)

    def touch(self, kind, *fingers):
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(fingers)]
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def names(self):
        """Roles and names of the accessibility tree."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
                if not node["ignored"] and "role" in node]

    def screenshot(self, path, whole=True):
        image = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))

    def print(self):
        """The page as PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
