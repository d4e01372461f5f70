"use strict";

// Elements of the page, and texts of numbers.

// Width of a chart on paper, where it is scaled to the page.
const PAPER = 800;
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  // Texts become text nodes, so that no name is read as HTML.
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function html(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// A box that may scroll: the keyboard reaches it, and screen readers know its name.
function scrolling(tag, kind, name, ...children) {
  return html(tag, { class: kind, tabindex: 0, role: "region", "aria-label": name }, ...children);
}

// Lets screen readers say that something has changed.
function say(text) {
  document.getElementById("status").textContent = text;
}

// With a thin space between groups of three digits. Greater whole numbers than JavaScript has are
// marked as rounded.
function grouped(number) {
  if (typeof number !== "number") return String(number);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) return "≈ " + number.toExponential(5);
  const [whole, part] = String(number).split(".");
  const digits = whole.replace(/\B(?=(\d{3})+$)/g, "\u2009");
  return part === undefined ? digits : digits + "." + part;
}

function counted(number, noun) {
  return grouped(number) + " " + noun + (number === 1 ? "" : "s");
}

function duration(seconds) {
  if (seconds < 1) return (seconds * 1e3).toFixed(2) + " ms";
  return seconds.toFixed(2) + " s";
}

// Draws a chart for the width of its place: now, when that changes, and for paper.
function fitted(place, draw) {
  const onScreen = () => draw(Math.max(place.clientWidth || 1000, 280));
  onScreen();
  new ResizeObserver(onScreen).observe(place);
  window.addEventListener("beforeprint", () => draw(PAPER));
  window.addEventListener("afterprint", onScreen);
}

const round = (number) => Math.round(number * 100) / 100;

// The text, cut to a width if it is wider.
function shortened(text, width, size) {
  const room = Math.max(1, Math.floor(width / (size * 0.58)));
  return text.length <= room ? text : text.slice(0, room - 1) + "…";
}

function textWidth(text, size) {
  return text.length * size * 0.6;
}
