// Figures: a chart that Observable Plot draws, its table, and its picture for download.
"use strict";

/** The figures that are drawn again when the width or the choice of series changes. */
const figures = [];

/** The value of a style's variable, such as `--text`. */
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * A figure. `draw(width)` returns the chart, its table and the key of its colours, a list of
 * `[name, colour]`; the chart is null if there is nothing to draw.
 */
function figure({ id, title, text, none, wide, draw }) {
  const chart = element("div", { class: "chart" });
  const key = element("ul", { class: "key", "aria-hidden": "true" });
  const details = element("details", {}, element("summary", {}, "Table"));
  const picture = element("button", { type: "button", onclick: () => savePicture(chart, title, drawn, id) }, "Save SVG");
  const tools = element("div", { class: "tools" }, details, picture);
  const made = element("figure", { id, "aria-labelledby": `${id}-title`, class: wide ? "wide" : null },
    element("h2", { id: `${id}-title` }, title), element("p", {}, text), chart, key, tools);
  let drawn = [];
  const update = () => {
    const width = chart.clientWidth;
    if (width === 0) return;
    const result = draw(Math.floor(width));
    drawn = result.key ?? [];
    if (result.chart) {
      result.chart.setAttribute("role", "img");
      result.chart.setAttribute("aria-label", `${title}. The table below has the same values.`);
      chart.replaceChildren(result.chart);
    } else {
      chart.replaceChildren(element("p", { class: "none" }, none));
    }
    tools.hidden = !result.chart;
    key.replaceChildren(...drawn.map(([name, colour]) =>
      element("li", {}, element("span", { class: "swatch", style: `background: ${colour}` }), name)));
    if (result.table) details.replaceChildren(details.firstChild, result.table);
  };
  figures.push({ chart, update });
  return made;
}

const updateFigures = () => figures.forEach(({ update }) => update());

/** Draws all figures, and each again when its width changes. */
function watchFigures() {
  const widths = new Map();
  const observer = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const width = Math.floor(contentRect.width);
      if (widths.get(target) === width) continue;
      widths.set(target, width);
      figures.find(({ chart }) => chart === target).update();
    }
  });
  figures.forEach(({ chart }) => observer.observe(chart));
}

/** Saves a chart in the colours of the current theme, with its title and the key of its colours. */
function savePicture(chart, title, key, id) {
  const svg = chart.querySelector("svg");
  const copy = svg.cloneNode(true);
  const [width, height] = [svg.width.baseVal.value, svg.height.baseVal.value];
  const [pad, top] = [16, 40];
  const namespace = "http://www.w3.org/2000/svg";
  const add = (parent, name, attributes, text) => {
    const made = document.createElementNS(namespace, name);
    for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
    if (text) made.textContent = text;
    return parent.appendChild(made);
  };
  const font = { "font-size": 13, fill: "var(--text)" };
  const outer = document.createElementNS(namespace, "svg");
  let [x, y] = [pad, top + height + 14];
  const entries = document.createElementNS(namespace, "g");
  for (const [name, colour] of key) {
    const length = 30 + 7 * name.length;
    if (x + length > width + pad) [x, y] = [pad, y + 20];
    add(entries, "rect", { x, y: y - 10, width: 11, height: 11, rx: 3, fill: colour });
    add(entries, "text", { x: x + 17, y, ...font }, name);
    x += length;
  }
  const whole = [width + 2 * pad, key.length ? y + 14 : top + height + 8];
  outer.setAttribute("viewBox", `0 0 ${whole[0]} ${whole[1]}`);
  outer.setAttribute("width", whole[0]);
  outer.setAttribute("height", whole[1]);
  outer.setAttribute("role", "img");
  outer.setAttribute("color", "var(--text)");
  outer.setAttribute("font-family", "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif");
  add(outer, "title", {}, title);
  add(outer, "rect", { width: "100%", height: "100%", rx: 8, fill: "var(--card)" });
  add(outer, "text", { x: pad, y: 27, "font-size": 16, "font-weight": 600, fill: "var(--text)" }, title);
  copy.setAttribute("x", pad);
  copy.setAttribute("y", top);
  copy.querySelectorAll("[aria-label=tip]").forEach((tip) => tip.remove());
  // Plot's rules are for pages.
  copy.querySelector("style").remove();
  copy.removeAttribute("class");
  copy.removeAttribute("role");
  copy.removeAttribute("aria-label");
  outer.append(copy, entries);
  let text = new XMLSerializer().serializeToString(outer);
  for (let last = ""; last !== text;) {
    last = text;
    text = text.replaceAll(/var\((--[\w-]+)\)/g, (_, name) => name === "--plot-background" ? style("--card") : style(name));
  }
  save(`${id}.svg`, "image/svg+xml", `${text}\n`);
}

/** The first of these sets of ticks that has at least three of them between `low` and `high`. */
function ticksWithin([low, high], base, sets) {
  const ticks = (factors) => {
    const found = [];
    for (let power = base ** Math.floor(Math.log(low) / Math.log(base)); power <= high; power *= base) {
      found.push(...factors.map((factor) => factor * power).filter((tick) => tick >= low && tick <= high));
    }
    return found;
  };
  return sets.map(ticks).find((found) => found.length >= 3) ?? ticks(sets.at(-1));
}

/** Ticks of a logarithmic axis: powers of ten, and if they are few, multiples of those. */
const decimalTicks = (domain) => ticksWithin(domain, 10, [[1], [1, 3], [1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9]]);

/** Ticks of a logarithmic axis of bytes: powers of four, or of two. */
const binaryTicks = (domain) => ticksWithin(domain, 4, [[1], [1, 2], [1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5]]);

/** Moves labels apart that would overlap; takes and returns heights in pixels, in the same order. */
function apart(heights, gap) {
  const order = heights.map((_, index) => index).sort((a, b) => heights[a] - heights[b]);
  const moved = [...heights];
  order.forEach((index, place) => {
    if (place > 0) moved[index] = Math.max(moved[index], moved[order[place - 1]] + gap);
  });
  return moved;
}

/**
 * Lines on a logarithmic axis, one for each series `{ name, colour, dash, hollow, points }` of points
 * `{ x, y, title }`.
 */
function lines(series, { width, xLabel, yLabel, show, ticksOf = decimalTicks }) {
  const points = series.flatMap((one) => one.points);
  const values = points.map((point) => point.y);
  const domain = [Math.min(...values) * 0.8, Math.max(...values) * 1.3];
  const narrow = width < 480;
  const height = narrow ? 280 : 330;
  const ticks = ticksOf(domain);
  const longest = Math.max(...series.map((one) => one.name.length));
  const labelled = series.length <= 6 && longest <= 24;
  const margins = {
    marginTop: 28, marginBottom: 42, marginLeft: 72,
    marginRight: labelled ? Math.min(16 + 8.4 * longest, width * 0.36) : 16,
  };
  const place = (value) => {
    const share = Math.log(value / domain[0]) / Math.log(domain[1] / domain[0]);
    return margins.marginTop + (1 - share) * (height - margins.marginTop - margins.marginBottom);
  };
  const ends = series.map((one) => one.points.at(-1));
  const heights = ends.map((end) => place(end.y));
  const labels = apart(heights, 15);
  const xs = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  return Plot.plot({
    width, height, ...margins,
    style: { fontSize: "13px", background: "transparent" },
    x: { label: xLabel, domain: [Math.min(0, xs[0]), xs.at(-1)], ticks: narrow ? 4 : 7, labelArrow: false, labelAnchor: "center" },
    y: { type: "log", domain, label: yLabel, labelArrow: false },
    marks: [
      Plot.gridY(ticks, { stroke: "var(--grid)", strokeOpacity: 1 }),
      Plot.axisY(ticks, { text: (tick) => show(tick), tickSize: 0, label: yLabel, labelArrow: "none" }),
      series.map((one) => Plot.line(one.points, {
        x: "x", y: "y", stroke: one.colour, strokeWidth: 2, strokeDasharray: one.dash,
      })),
      series.map((one) => Plot.dot(one.points, {
        x: "x", y: "y", r: 3.6, stroke: one.colour, strokeWidth: 2, fill: one.hollow ? "var(--card)" : one.colour,
      })),
      labelled ? series.map((one, index) => Plot.text([ends[index]], {
        x: "x", y: "y", text: [one.name], textAnchor: "start", dx: 10, dy: labels[index] - heights[index],
        fill: one.colour, fontWeight: 600,
      })) : null,
      Plot.tip(points, Plot.pointer({ x: "x", y: "y", title: "title", maxRadius: 60, lineWidth: 26 })),
    ],
  });
}

/**
 * Horizontal bars of stacked parts `{ bar, name, value, title }`, in the order of `bars` and of the
 * names; each bar is as long as the others if `normalized`. `totals` are written behind the bars.
 */
function stackedBars(parts, { width, bars, names, colours, totals, show, label, normalized }) {
  const longest = Math.max(...bars.map((bar) => bar.length));
  const total = Math.max(...bars.map((bar) => totals.get(bar).length));
  return Plot.plot({
    width,
    height: 56 + 40 * bars.length,
    marginLeft: Math.min(14 + 7.8 * longest, width * 0.4), marginRight: 18 + 7.8 * total, marginTop: 6, marginBottom: 42,
    style: { fontSize: "13px", background: "transparent" },
    x: {
      // A bar of one part has its value behind it.
      axis: names.every((name) => bars.includes(name)) ? null : "bottom",
      label: normalized ? "share" : label, labelArrow: false, labelAnchor: "center", ticks: width < 480 ? 3 : 6,
      tickFormat: normalized ? (share) => `${Math.round(100 * share)}%` : show, nice: !normalized,
    },
    y: { domain: bars, label: null, padding: 0.28 },
    color: { domain: names, range: names.map((name) => colours.get(name)) },
    marks: [
      Plot.gridX({ stroke: "var(--grid)", strokeOpacity: 1, ticks: width < 480 ? 3 : 6 }),
      Plot.axisY({ tickSize: 0 }),
      Plot.barX(parts, {
        x: "value", y: "bar", fill: "name", order: names, offset: normalized ? "normalize" : null,
        insetRight: names.length > 1 ? 1 : 0, title: "title", tip: { lineWidth: 26 },
      }),
      Plot.text(bars, { y: (bar) => bar, text: (bar) => totals.get(bar), frameAnchor: "right", textAnchor: "start", dx: 8 }),
    ],
  });
}
