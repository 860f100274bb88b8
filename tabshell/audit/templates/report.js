"use strict";
(function () {
  var root = document.documentElement;
  root.classList.add("scripted");

  // search: every .item that lacks the words is hidden
  var search = document.getElementById("search"), found = document.getElementById("found");
  var items = Array.prototype.slice.call(document.querySelectorAll(".item")), timer = 0;
  function filter() {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean), hits = 0;
    items.forEach(function (item) {
      var text = words.length ? item.textContent.toLowerCase() : "";
      var miss = words.some(function (word) { return text.indexOf(word) < 0; });
      item.classList.toggle("hidden", miss);
      if (!miss) { hits += 1; }
    });
    found.textContent = words.length ? hits + " found" : "";
  }
  search.addEventListener("input", function () { clearTimeout(timer); timer = setTimeout(filter, 120); });
  document.addEventListener("keydown", function (event) {
    var typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing) { event.preventDefault(); search.focus(); }
    if (event.key === "Escape" && event.target === search) { search.value = ""; filter(); search.blur(); }
  });
  // a link into something that the search hides must still arrive
  function reveal() {
    var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    var item = target && target.closest(".item");
    if (item && item.classList.contains("hidden")) { item.classList.remove("hidden"); target.scrollIntoView(); }
  }
  window.addEventListener("hashchange", reveal);

  // replay: a terminal that knows text, line breaks, erasing, moving and colours
  var source = document.getElementById("recording");
  if (!source) { return; }
  var film = JSON.parse(source.textContent), screen = document.getElementById("screen");
  var seek = document.getElementById("seek"), where = document.getElementById("where");
  var play = document.getElementById("play"), speed = document.getElementById("speed");
  var lines, row, column, at = 0, running = false, wait = 0, KEEP = 2000;
  function reset() { lines = [""]; row = 0; column = 0; }
  function put(text) {
    var line = lines[row] || "";
    while (line.length < column) { line += " "; }
    lines[row] = line.slice(0, column) + text + line.slice(column + text.length);
    column += text.length;
  }
  function csi(parameters, letter) {
    var n = parameters.replace(/^\?/, "").split(";").map(function (p) { return parseInt(p, 10) || 0; }), k = n[0] || 1;
    var top = Math.max(0, lines.length - film.rows);
    if (letter === "A") { row = Math.max(0, row - k); }
    else if (letter === "B") { row += k; }
    else if (letter === "C") { column += k; }
    else if (letter === "D") { column = Math.max(0, column - k); }
    else if (letter === "G") { column = k - 1; }
    else if (letter === "H" || letter === "f") { row = top + (n[0] || 1) - 1; column = (n[1] || 1) - 1; }
    else if (letter === "K") {
      var line = lines[row] || "";
      lines[row] = n[0] === 2 ? "" : n[0] === 1 ? " ".repeat(column) + line.slice(column) : line.slice(0, column);
    } else if (letter === "J" && n[0] >= 2) { lines = lines.concat([""]); row = lines.length - 1; column = 0; }
    else if (letter === "J") { lines.length = row + 1; lines[row] = (lines[row] || "").slice(0, column); }
    while (lines.length <= row) { lines.push(""); }
  }
  var TOKEN = /\x1b\[([0-9;?]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[()][A-Z0-9]|\x1b.|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f\x1b]+/g;
  function feed(data) {
    var match;
    TOKEN.lastIndex = 0;
    while ((match = TOKEN.exec(data))) {
      var t = match[0];
      if (match[2]) { csi(match[1], match[2]); }
      else if (t === "\n") { row += 1; if (row >= lines.length) { lines.push(""); } }
      else if (t === "\r") { column = 0; }
      else if (t === "\b") { column = Math.max(0, column - 1); }
      else if (t === "\t") { put(" ".repeat(8 - column % 8)); }
      else if (t.charCodeAt(0) >= 32) { put(t); }
    }
    if (lines.length > KEEP) { var cut = lines.length - KEEP; lines.splice(0, cut); row = Math.max(0, row - cut); }
  }
  function draw() {
    screen.textContent = lines.join("\n");
    screen.scrollTop = screen.scrollHeight;
    seek.value = at;
    var frame = film.frames[Math.max(0, at - 1)];
    where.textContent = "turn " + (frame ? frame[1] : 0) + (film.cut ? " (" + film.cut + " bytes left out)" : "");
  }
  function jump(to) {
    to = Math.max(0, Math.min(film.frames.length, to));
    if (to < at) { reset(); at = 0; }
    while (at < to) { var d = film.frames[at][2]; if (d.indexOf("\r") < 0) { d = d.replace(/\n/g, "\r\n"); } feed(d); at += 1; }
    draw();
  }
  function tick() {
    if (!running) { return; }
    if (at >= film.frames.length) { stop(); return; }
    jump(at + 1);
    var pause = at < film.frames.length ? Math.min(2, film.frames[at][0]) : 0;
    wait = setTimeout(tick, 1000 * pause / Number(speed.value));
  }
  function stop() { running = false; clearTimeout(wait); play.textContent = "Play"; }
  play.addEventListener("click", function () {
    if (running) { stop(); return; }
    if (at >= film.frames.length) { jump(0); }
    running = true; play.textContent = "Pause"; tick();
  });
  function turnStep(step) {
    var turn = at ? film.frames[at - 1][1] : 0, to = at;
    if (step > 0) { while (to < film.frames.length && film.frames[to][1] <= turn) { to += 1; }
      var goal = to < film.frames.length ? film.frames[to][1] : turn;
      while (to < film.frames.length && film.frames[to][1] === goal) { to += 1; } }
    else { while (to > 0 && film.frames[to - 1][1] >= turn) { to -= 1; } }
    stop(); jump(to);
  }
  document.getElementById("next").addEventListener("click", function () { turnStep(1); });
  document.getElementById("back").addEventListener("click", function () { turnStep(-1); });
  seek.max = film.frames.length;
  seek.addEventListener("input", function () { stop(); jump(Number(seek.value)); });
  reset(); jump(film.frames.length ? 1 : 0);
}());
