// What all reports share: elements, numbers, downloads. Text from the data is only ever set as text.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

/** Makes an element; children are elements or text. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** A list of names and values. */
function facts(pairs) {
  return element("dl", { class: "facts" },
    pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

/** An integer with its thousands apart. */
const integer = (value) => Math.round(value).toLocaleString("en-US");

/** Three digits and a unit: 12.4 G. */
function short(value) {
  const units = ["", " k", " M", " G", " T", " P", " E"];
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit + 1 < units.length) {
    value /= 1000;
    unit += 1;
  }
  return digits(value) + units[unit];
}

/** At most three significant digits. */
const digits = (value) => Number(value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 4 });

/** Bits of security, rounded down, as the command prints them. */
const bitsText = (value) => (Math.floor(value * 10) / 10).toFixed(1);

const milliseconds = (value) => value >= 999.5 ? `${digits(value / 1000)} s` : `${digits(value)} ms`;

function bytes(value) {
  if (value >= 2 ** 30) return `${digits(value / 2 ** 30)} GiB`;
  return value >= 2 ** 20 ? `${digits(value / 2 ** 20)} MiB` : `${digits(value / 2 ** 10)} KiB`;
}

/**
 * A table. A column has a name, a value of each row, and how to show it; numbers stand to the right.
 * Cells carry their exact value in `data-value`; those of a `long` column are broken into lines. On a
 * phone the cells of a row of a `stacked` table are below each other, with their names.
 */
function table(caption, columns, rows, { stacked } = {}) {
  const numeric = columns.map((column) => rows.some((row) => typeof column.value(row) === "number"));
  const head = columns.map((column, index) =>
    element("th", { scope: "col", class: numeric[index] ? "number" : null }, column.name));
  const body = rows.map((row) => element("tr", {}, columns.map((column, index) => {
    const value = column.value(row);
    const missing = value === null || value === undefined;
    const text = missing ? "–" : column.show ? column.show(value) : String(value);
    const attributes = { "data-name": column.name, "data-value": missing ? "" : String(value), class: numeric[index] ? "number" : column.long ? "long" : null };
    return index === 0 ? element("th", { scope: "row", ...attributes }, text) : element("td", attributes, text);
  })));
  // A part that scrolls must be reachable by keyboard.
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element("table", { class: stacked ? "stacked" : null }, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, head)), element("tbody", {}, body)));
}

/** Lines of comma-separated values (RFC 4180). */
function csv(header, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => row.map(cell).join(",") + "\r\n").join("");
}

/** Offers a text as a file to save. */
function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

function saveButton(label, name, type, text) {
  return element("button", { type: "button", onclick: () => save(name, type, text()) }, label);
}

if (document.querySelector("#licences pre").textContent.trim() === "") {
  document.getElementById("licences").remove();
}
