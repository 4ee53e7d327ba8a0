// The report of `droste cost`.
"use strict";

const HASHES = { poseidon16: "Poseidon-16", poseidon2: "Poseidon2", blake3: "Blake3", keccak: "Keccak" };
const DASHES = ["none", "7 4", "2 3", "9 3 2 3"];
const rows = data.rows;
const STAGES = ["execute", "trace", "commit", "lookup", "constraints", "open", "grind"]
  .filter((name) => rows.some((row) => row.stages_ms && row.stages_ms[name] !== undefined));
/** The rows as they came, without what this script adds to them. */
const plain = rows.map((row) => ({ ...row }));

// ---- Runs and series

/** Rows that one run of the command measured, by the file they came from. */
const runs = [];
for (const [index, row] of rows.entries()) {
  const source = data.sources[index];
  const identity = JSON.stringify([source, row.run ?? null]);
  let run = runs.find((known) => known.identity === identity);
  if (!run) {
    const label = String.fromCharCode(65 + runs.length % 26) + (Math.floor(runs.length / 26) || "");
    runs.push(run = { identity, source, run: row.run, label });
  }
  row.of = run;
}

/** The cycles of the program's run, which are not known of a proof that was measured. */
const cyclesOf = (row, before, after) => typeof row.inner_cycles === "number"
  ? `${before}${integer(row.inner_cycles)} cycles${after}` : "";

const differs = (value) => new Set(rows.map(value)).size > 1;
const SEVERAL = {
  program: differs((row) => `${row.program} ${row.inner_cycles}`),
  blowup: differs((row) => row.blowup),
  stack: differs((row) => row.inner_stack),
  openings: differs((row) => Boolean(row.openings)),
  run: runs.length > 1,
};

/** What tells a row's series from the others, apart from its hash. */
const distinction = (row) => [
  SEVERAL.program ? `${row.program}${cyclesOf(row, " of ", "")}` : null,
  SEVERAL.stack ? `over ${row.inner_stack === "whir" ? "WHIR" : "FRI"}` : null,
  SEVERAL.openings && row.openings ? "openings in a batch" : null,
  SEVERAL.blowup ? `blowup ${row.blowup}` : null,
  SEVERAL.run ? row.of.label : null,
].filter((part) => part !== null).join(", ");

const distinctions = [...new Set(rows.map(distinction))];
const series = [];
for (const row of rows) {
  const rest = distinction(row);
  const name = HASHES[row.inner_hash] + (rest ? ` ${rest}` : "");
  let one = series.find((known) => known.name === name);
  if (!one) {
    const place = distinctions.indexOf(rest);
    series.push(one = {
      name, colour: `var(--${row.inner_hash})`, dash: DASHES[place % DASHES.length], hollow: place % 2 === 1,
      visible: true, rows: [],
    });
  }
  one.rows.push(row);
  row.series = one;
}
const order = Object.keys(HASHES);
series.sort((a, b) => order.indexOf(a.rows[0].inner_hash) - order.indexOf(b.rows[0].inner_hash));
series.forEach((one) => one.rows.sort((a, b) => a.queries - b.queries));
const sorted = series.flatMap((one) => one.rows);
const single = series.every((one) => one.rows.length === 1);
const visible = () => series.filter((one) => one.visible);

/** What is said of the axis of a curve; bars begin at zero. */
const SCALE = single ? "" : " The axis is logarithmic.";

const SERIES_COLUMNS = [{ name: "hash", value: (row) => row.series.name }];

// ---- Charts

/** Curves of one figure of the rows over another; bars if every series has a single row. */
function curve({ id, title, text, none, wide, x, xLabel, y, yLabel, show, ticksOf }) {
  return figure({
    id, title, text, none, wide,
    draw(width) {
      const shown = visible().map((one) => ({ ...one, measured: one.rows.filter((row) => typeof y(row) === "number" && y(row) > 0) }))
        .filter((one) => one.measured.length > 0);
      const measured = sorted.filter((row) => typeof y(row) === "number");
      const content = table(title, [
        ...SERIES_COLUMNS,
        { name: "queries", value: (row) => row.queries },
        { name: "proven bits", value: (row) => row.proven_bits_inner },
        { name: yLabel, value: y, show },
      ], measured);
      if (shown.length === 0) return { chart: null, table: content };
      const title_of = (row) => `${row.series.name}\n${row.queries} queries, ${row.proven_bits_inner} proven bits\n${yLabel}: ${show(y(row))}`;
      if (single) {
        const bars = shown.map((one) => one.name);
        const parts = shown.map((one) => ({ bar: one.name, name: one.name, value: y(one.rows[0]), title: title_of(one.rows[0]) }));
        return {
          chart: stackedBars(parts, {
            width, bars, names: bars, show, label: yLabel,
            colours: new Map(shown.map((one) => [one.name, one.colour])),
            totals: new Map(shown.map((one) => [one.name, show(y(one.rows[0]))])),
          }),
          table: content,
        };
      }
      const drawn = shown.map((one) => ({
        ...one, points: one.measured.map((row) => ({ x: x(row), y: y(row), title: title_of(row) })),
      }));
      return { chart: lines(drawn, { width, xLabel, yLabel, show, ticksOf }), table: content };
    },
  });
}

/** What the stacked figures show: rows of one number of queries, as shares or absolute. */
const detail = { queries: Math.max(...rows.map((row) => row.queries)), normalized: true };

const PLAIN = Array.from({ length: 13 }, (_, place) => `var(--c${place})`);
const faint = (hash) => `color-mix(in srgb, var(--${hash}) 55%, var(--card))`;
/** Colours of the machine's tables, a second table of a hash in its hue, and of the stages. */
const COLOURS = new Map(Object.entries({
  poseidon16: "var(--poseidon16)", poseidon2_parent: "var(--poseidon2)", blake3: "var(--blake3)", keccak: "var(--keccak)",
  poseidon16_tweaked: faint("poseidon16"), poseidon2_sponge: faint("poseidon2"), blake3_calls: faint("blake3"), keccak_calls: faint("keccak"),
  cpu: PLAIN[0], ext: PLAIN[1], words: PLAIN[2], blocks: PLAIN[3], program: PLAIN[4], limbs: PLAIN[5], "other tables": PLAIN[6],
  power_weights: PLAIN[7], spread: PLAIN[8], byte_pairs: PLAIN[9], low_24_bits: PLAIN[10], binary_products: PLAIN[11], carry_pairs: PLAIN[12],
  execute: PLAIN[6], trace: PLAIN[2], commit: PLAIN[3], lookup: PLAIN[1], constraints: PLAIN[4], open: PLAIN[7], grind: PLAIN[5],
}));

/** A colour for each name, no two the same: its own, or one that no other name here has. */
function coloursOf(names) {
  const colours = new Map(names.filter((name) => COLOURS.has(name)).map((name) => [name, COLOURS.get(name)]));
  const taken = new Set(colours.values());
  const free = PLAIN.filter((colour) => !taken.has(colour));
  for (const name of names) {
    if (!colours.has(name)) colours.set(name, free.shift() ?? `hsl(${(137.5 * colours.size) % 360} 60% 50%)`);
  }
  return colours;
}

/** Stacked parts of each row; `parts(row)` is a list of `{ name, value }` or null. */
function stack({ id, title, text, none, parts, names, show, label, total, columns }) {
  return figure({
    id, title, text, none, wide: true,
    draw(width) {
      const all = sorted.filter((row) => parts(row));
      const content = table(title, [
        ...SERIES_COLUMNS,
        { name: "queries", value: (row) => row.queries },
        ...columns,
      ], all);
      const shown = all.filter((row) => row.series.visible && (single || row.queries === detail.queries));
      if (shown.length === 0) return { chart: null, table: content };
      const colours = coloursOf(names);
      const sum = (row) => parts(row).reduce((sum, part) => sum + part.value, 0);
      const bars = shown.map((row) => row.series.name);
      const used = names.filter((name) => shown.some((row) => parts(row).some((part) => part.name === name && part.value > 0)));
      const chart = stackedBars(shown.flatMap((row) => parts(row).map((part) => ({
        bar: row.series.name, name: part.name, value: part.value,
        title: `${row.series.name}, ${row.queries} queries\n${part.name}: ${show(part.value)} (${digits(100 * part.value / sum(row))}%)${part.more ? `\n${part.more}` : ""}`,
      }))), {
        width, bars, names: used, colours, show, label, normalized: detail.normalized,
        totals: new Map(shown.map((row) => [row.series.name, show(total(row))])),
      });
      return { chart, table: content, key: used.map((name) => [name, colours.get(name)]) };
    },
  });
}

const tableNames = [...new Set(sorted.flatMap((row) => row.tables.map((one) => one.name)))];
const shareOf = (name) => Math.max(...rows.map((row) => {
  const found = row.tables.find((one) => one.name === name);
  return found ? found.fft_cost / row.fft_cost : 0;
}));
const largeTables = tableNames.filter((name) => shareOf(name) >= 0.01);
const smallTables = tableNames.filter((name) => !largeTables.includes(name));

function tableParts(row) {
  const large = row.tables.filter((one) => largeTables.includes(one.name)).map((one) => ({
    name: one.name, value: one.fft_cost,
    more: `${integer(one.rows)} of ${integer(one.height)} rows, ${one.main} columns`,
  }));
  const small = row.tables.filter((one) => smallTables.includes(one.name));
  const rest = small.reduce((sum, one) => sum + one.fft_cost, 0);
  return small.length > 0 ? [...large, { name: "other tables", value: rest, more: small.map((one) => one.name).join(", ") }] : large;
}

/** Steps to the canonical shape: `step 1 (blake3)` and so on. */
const stepName = (step, index) => `step ${index + 1}, verifies ${HASHES[step.hash] ?? step.hash}`;
const stepNames = [...new Set(sorted.flatMap((row) => (row.canonical ?? []).map(stepName)))].sort();

// ---- The page

const memory = (row) => row.peak_rss_bytes ?? row.execute_peak_rss_bytes;
const proved = rows.some((row) => row.outer_prove_ms !== null && row.outer_prove_ms !== undefined);

function head() {
  const unique = (value) => [...new Set(rows.map(value))];
  const range = (values) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return low === high ? String(low) : `${low} to ${high}`;
  };
  const programs = unique((row) => `${row.program}${cyclesOf(row, " (", ")")}`).join(", ");
  const lead = `${programs} is proved natively in each hash. A program in the machine verifies that proof (its cost is the fft_cost: `
    + `width × height × log2 height over all tables), and that run ${proved ? "is" : "can be"} proved in turn, in `
    + `Poseidon-16 over WHIR at ${range(rows.map((row) => row.proven_bits_outer))} proven bits.`;
  const weak = proved && Math.min(...rows.map((row) => row.proven_bits_outer)) < 80
    || Math.min(...rows.map((row) => row.proven_bits_inner)) < 80;
  return [
    element("p", { class: "lead" }, lead),
    weak ? element("p", { class: "lead" }, "Some of these proofs have fewer than 80 proven bits: they show costs and are not secure.") : null,
    element("div", { class: "runs" }, runs.map(({ source, run, label }) => {
      const machine = run?.machine;
      return element("section", { class: "card run" },
        element("h2", {}, SEVERAL.run ? `Run ${label}` : "Machine and command"),
        facts([
          ["file", source],
          ["processor", machine ? machine.processor : "not recorded"],
          ["threads", machine && String(machine.threads)],
          ["memory of the machine", machine?.memory_bytes && bytes(machine.memory_bytes)],
          ["features", machine && (machine.features.join(", ") || "none")],
          ...(machine ? Object.entries(machine.kernels).map(([hash, kernel]) => [`kernel of ${HASHES[hash]}`, kernel]) : []),
          ["version of droste", run ? run.version : "not recorded"],
        ]),
        run ? element("div", { class: "command" }, element("span", {}, "command"), element("code", {}, run.command)) : null);
    })),
  ];
}

function legend() {
  return element("ul", { class: "legend", "aria-label": "Series: press to hide or show" }, series.map((one) => {
    const svg = "http://www.w3.org/2000/svg";
    const sample = document.createElementNS(svg, "svg");
    for (const [name, value] of [["width", 30], ["height", 12], ["aria-hidden", "true"]]) sample.setAttribute(name, value);
    const path = sample.appendChild(document.createElementNS(svg, "path"));
    for (const [name, value] of [["d", "M0 6H30"], ["stroke", one.colour], ["stroke-width", 2], ["stroke-dasharray", one.dash]]) path.setAttribute(name, value);
    const dot = sample.appendChild(document.createElementNS(svg, "circle"));
    for (const [name, value] of [["cx", 15], ["cy", 6], ["r", 4], ["stroke", one.colour], ["stroke-width", 2], ["fill", one.hollow ? "var(--card)" : one.colour]]) dot.setAttribute(name, value);
    const button = element("button", {
      type: "button", "aria-pressed": "true",
      onclick: () => {
        if (one.visible && visible().length === 1) return;
        one.visible = !one.visible;
        button.setAttribute("aria-pressed", String(one.visible));
        updateFigures();
      },
    }, sample, one.name);
    return element("li", {}, button);
  }));
}

function controls() {
  const counts = [...new Set(rows.map((row) => row.queries))].sort((a, b) => a - b);
  const queries = element("select", { id: "queries", onchange: (event) => { detail.queries = Number(event.target.value); updateFigures(); } },
    counts.map((count) => element("option", { value: count, selected: count === detail.queries }, String(count))));
  const scale = element("select", { id: "scale", onchange: (event) => { detail.normalized = event.target.value === "share"; updateFigures(); } },
    element("option", { value: "share", selected: true }, "shares"), element("option", { value: "absolute" }, "absolute"));
  return element("div", { class: "controls card wide", role: "group", "aria-label": "What the figures below show" },
    single ? null : element("label", {}, "Queries of the proof that is verified", queries),
    element("label", {}, "Bars show", scale));
}

/** One line for each row, with the names of JSON as columns. */
function flat(row) {
  const line = {};
  const visit = (value, name) => {
    if (Array.isArray(value)) {
      if (value.every((item) => typeof item === "string")) line[name] = value.join(" ");
      else value.forEach((item, index) => visit(item, `${name}.${item?.name ?? index}`));
    } else if (value !== null && typeof value === "object") {
      for (const [key, inner] of Object.entries(value)) visit(inner, name ? `${name}.${key}` : key);
    } else line[name] = value;
  };
  visit(row, "");
  return line;
}

function rowsAsCsv() {
  const lines = plain.map((row, index) => ({ source: data.sources[index], ...flat(row) }));
  const header = [...new Set(lines.flatMap((line) => Object.keys(line)))];
  return csv(header, lines.map((line) => header.map((name) => line[name])));
}

function everything() {
  const column = (name, value, show) => ({ name, value, show });
  const columns = [
    ...SERIES_COLUMNS,
    column("queries", (row) => row.queries),
    column("blowup", (row) => row.blowup),
    column("proven bits", (row) => row.proven_bits_inner),
    column("proving natively", (row) => row.leaf_prove_ms, milliseconds),
    column("proof", (row) => row.leaf_proof_bytes, bytes),
    column("verifier's cycles", (row) => row.cycles, integer),
    ...order.map((hash) => column(`${HASHES[hash]} permutations`, (row) => row.permutations[hash], integer)),
    column("fft_cost", (row) => row.fft_cost, integer),
    column("transform cost", (row) => row.transform_cost, integer),
    column("opened per query", (row) => row.opened_per_query),
    column("outer proven bits", (row) => row.proven_bits_outer),
    column("execute", (row) => row.execute_ms, milliseconds),
    column("prove", (row) => row.outer_prove_ms, milliseconds),
    column("verify", (row) => row.outer_verify_ms, milliseconds),
    column("outer proof", (row) => row.outer_proof_bytes, bytes),
    column("peak memory", (row) => row.peak_rss_bytes, bytes),
    column("peak memory, executing", (row) => row.execute_peak_rss_bytes, bytes),
    column("CPU ns per unit of fft_cost", (row) => row.cpu_ns_per_fft_unit, digits),
  ];
  return element("section", { class: "card wide", id: "all" },
    element("h2", {}, "All figures"),
    table("Every row. Times are of the clock; sizes are in binary units.", columns, sorted),
    element("p", {}),
    element("div", { class: "tools" },
      saveButton("Save CSV", "cost.csv", "text/csv", rowsAsCsv),
      saveButton("Save JSON", "cost.json", "application/json", () => JSON.stringify(plain) + "\n")));
}

document.getElementById("head").append(...head().filter((part) => part !== null));
document.getElementById("main").append(legend(), element("div", { class: "grid" },
  curve({
    id: "fft-cost-by-queries", title: "In-circuit cost by queries",
    text: `fft_cost of the run that verifies one proof. Tables have heights of powers of two, so costs rise in steps.${SCALE}`,
    none: "There is nothing to draw.", x: (row) => row.queries, xLabel: "queries", y: (row) => row.fft_cost, yLabel: "fft_cost", show: short,
  }),
  curve({
    id: "native-proving", title: "Proving natively",
    text: `Time to prove the program in each hash: traces and proof, without the key.${SCALE}`,
    none: "There is nothing to draw.", x: (row) => row.queries, xLabel: "queries", y: (row) => row.leaf_prove_ms, yLabel: "time", show: milliseconds,
  }),
  // A single bar for each series would be that of the queries again.
  single ? [] : curve({
    id: "fft-cost-by-bits", title: "In-circuit cost by proven bits",
    text: `The same fft_cost over the proven bits of security of the proof that is verified, without any conjecture.${SCALE}`,
    none: "There is nothing to draw.", x: (row) => row.proven_bits_inner, xLabel: "proven bits", y: (row) => row.fft_cost, yLabel: "fft_cost", show: short,
  }),
  curve({
    id: "memory", title: "Memory", wide: single,
    text: (proved ? "Largest resident memory from executing the verifier to the verified proof of that run."
      : "Largest resident memory of executing the verifier. Its run was not proved.") + SCALE,
    none: "The operating system did not report memory.", x: (row) => row.queries, xLabel: "queries", y: memory, yLabel: "peak memory", show: bytes, ticksOf: binaryTicks,
  }),
  controls(),
  stack({
    id: "tables", title: "Tables of the verifier's run",
    text: "How the fft_cost is divided among the machine's tables.", none: "No row has this number of queries.",
    parts: tableParts, names: [...largeTables, ...(smallTables.length > 0 ? ["other tables"] : [])],
    show: short, label: "fft_cost", total: (row) => row.fft_cost,
    columns: [...tableNames.map((name) => ({
      name, value: (row) => row.tables.find((one) => one.name === name)?.fft_cost, show: integer,
    })), { name: "total", value: (row) => row.fft_cost, show: integer }],
  }),
  stack({
    id: "stages", title: "Stages of the step's proof",
    text: "How the time of executing the verifier and proving that run is divided.",
    none: "The verifier's run was only executed, not proved.",
    parts: (row) => row.stages_ms ? STAGES.map((name) => ({ name, value: row.stages_ms[name] ?? 0 })) : null,
    names: STAGES, show: milliseconds, label: "time",
    total: (row) => STAGES.reduce((sum, name) => sum + (row.stages_ms[name] ?? 0), 0),
    columns: STAGES.map((name) => ({ name, value: (row) => row.stages_ms[name], show: milliseconds })),
  }),
  stepNames.length > 0 ? stack({
    id: "steps", title: "Bringing the proof to the canonical shape",
    text: "Time to prove each step, from the wrap to the shape that joins take.",
    none: "No row has this number of queries.",
    parts: (row) => row.canonical ? row.canonical.map((step, index) => ({
      name: stepName(step, index), value: step.prove_ms,
      more: `${integer(step.cycles)} cycles, fft_cost ${short(step.fft_cost)}, ${step.proven_bits} proven bits`,
    })) : null,
    names: stepNames, show: milliseconds, label: "time", total: (row) => row.canonical.reduce((sum, step) => sum + step.prove_ms, 0),
    columns: stepNames.map((name) => ({
      name, value: (row) => row.canonical.find((step, index) => stepName(step, index) === name)?.prove_ms, show: milliseconds,
    })),
  }) : [],
  everything()));
watchFigures();
