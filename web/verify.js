// The page that verifies aggregates, memberships and folds. It comes after wasm-bindgen's module in one
// script, so that `__wbg_init` and the verifier's functions are in scope.

/** Larger files are refused before they are read; the verifier has lower limits of its own. */
const MAX_BYTES = 64 * 2 ** 20;
/** The first bytes of a membership. */
const MEMBERSHIP = "droste\0m";
/** The first bytes of a fold. */
const FOLD = "droste\0f";
/** How files begin that the page does not verify, and what they are. */
const OTHERS = [
  ["droste\0w", "Its first bytes are those of a last proof, as droste exit writes it, or of the proof of a program. "
    + "Neither has a claim: droste verify verifies both, and contracts verify last proofs."],
  ["droste\0p", "Its first bytes are those of the proof of a program, which droste verify verifies."],
  ["droste\0b", "Its first bytes are those of a binary proof, which droste hashes verify verifies."],
];

const WORDS = {
  expected: "What you expect cannot be read",
  file: "The file is not what it should be",
  key: "The recursion keys, or the rules, are not the expected ones",
  claim: "It claims something else",
  leaf: "A leaf has a key that is not accepted",
  bits: "It has too few proven bits, or too many proofs",
  tree: "The tree does not belong to the claim",
  proof: "The proof is not valid",
  rule: "The proof is of no rule of the fold",
  state: "It says another state",
};

// ---- What is asked

const field = (name, label, hint, made) => [
  element("label", { for: name }, label), element("p", { class: "muted", id: `${name}-hint` }, hint), made,
];
const text = (name, rows) => element("textarea", {
  id: name, rows, class: "mono", autocomplete: "off", spellcheck: "false", autocapitalize: "off", "aria-describedby": `${name}-hint`,
});
const count = (name, placeholder) => element("input", {
  id: name, inputmode: "numeric", autocomplete: "off", placeholder, "aria-describedby": `${name}-hint`,
});
const fields = {
  key: text("key", 2),
  claim: text("claim", 2),
  leaves: text("leaves", 3),
  state: text("state", 3),
  max_proofs: count("max_proofs", "any number"),
  max_depth: count("max_depth", "any number"),
  min_bits: count("min_bits", "100"),
  min_tree_bits: count("min_tree_bits", "100"),
};
/** The fields that only aggregates and memberships have, and those that only folds have. */
const OF_AGGREGATES = ["claim", "leaves"];
const OF_FOLDS = ["state", "max_proofs", "max_depth"];
/** Fields of numbers: how many digits they may have, and what they count. */
const NUMBERS = { min_bits: [4, "bits"], min_tree_bits: [4, "bits"], max_proofs: [15, "proofs"], max_depth: [9, "levels"] };
/** The parts of the form, each with a field, so that those of another kind of file can be hidden. */
const parts = {};
const part = (name, label, hint) => {
  parts[name] = element("div", {}, field(name, label, hint, fields[name]));
  return parts[name];
};
const all = text("all", 2);
const codes = (names) => names.flatMap((name, place) => [place > 0 ? ", " : "", element("code", {}, name)]);
const chooser = element("input", { type: "file", id: "file", "aria-describedby": "file-hint" });
const verdict = element("section", { class: "card verdict", id: "verdict", role: "status", "aria-live": "polite" });
const result = element("div", { id: "result" });

document.getElementById("head").append(element("p", { class: "lead" },
  "Nothing leaves your computer: the verifier is in this page, which can be saved and used without a network."));
document.getElementById("main").append(
  element("div", { class: "grid" },
    element("div", { class: "side" },
      element("section", { class: "card", id: "drop" },
        element("h2", {}, element("label", { for: "file" }, "File")),
        element("p", { class: "muted", id: "file-hint" }, "An aggregate, as ", ...codes(["droste aggregate", "wrap", "join"]),
          " write it, a membership, as ", ...codes(["droste member"]), " does, or a fold, as ", ...codes(["droste fold step", "all"]),
          " do. Choose it, or drop it anywhere on the page."),
        chooser),
      verdict),
    element("form", { class: "card", onsubmit: (event) => event.preventDefault() },
      element("h2", {}, "What you expect of it"),
      element("p", { class: "muted" }, "From a source that you trust, not from whoever sent the file. Without it the page shows what the file says of itself."),
      part("key", "Key set, or fold key", ["Digest of the recursion keys, as ", element("code", {}, "droste keys"),
        " prints it; of a fold, digest of its rules, as ", element("code", {}, "droste fold key"), " does."]),
      part("claim", "Claim", ["Digest of the tree of keys and statements, as ", ...codes(["droste aggregate", "wrap", "join"]),
        " print it. If it is not your own, look in the tree whether the statements are what you want."]),
      part("leaves", "Program keys of leaves", ["One on each line, as ", element("code", {}, "droste key"), " prints them; or ",
        element("code", {}, "any"), ", and you look at the tree yourself."]),
      part("state", "State", ["A JSON list of lists of eight integers; or ", element("code", {}, "any"), ", and you look at the state yourself."]),
      element("div", { class: "pair" },
        part("max_proofs", "Proofs", "At most, with those behind wraps."),
        part("max_depth", "Levels of rules", "At most, below the root."),
        part("min_bits", "Bits of every proof", "At least; 100 if it is empty."),
        part("min_tree_bits", "Bits of the tree", "At least, of all proofs together.")),
      field("all", "All as JSON", ["An object with ", ...codes(Object.keys(fields)), " fills the fields."], all))),
  result);

/** Whether the file is a fold. */
let isFold = false;

/** Shows the fields of such a file, and those that have a value although it has none of them. */
function arrange() {
  for (const name of [...OF_AGGREGATES, ...OF_FOLDS]) {
    const asked = OF_FOLDS.includes(name) === isFold;
    parts[name].hidden = !asked && fields[name].value.trim() === "";
  }
}

/** Fills the fields with a JSON object; what is not one is said below them. */
function fill(json) {
  if (json.trim() === "") {
    all.setCustomValidity("");
    return;
  }
  let values;
  try {
    values = JSON.parse(json);
  } catch {
    values = null;
  }
  const plain = (value) => ["string", "number"].includes(typeof value);
  // In a list, `any` is a key like others, which no key is.
  const listed = (value) => plain(value) && String(value).trim() !== "any";
  const fits = values !== null && typeof values === "object" && Object.entries(values).every(([name, value]) =>
    Object.hasOwn(fields, name) && (plain(value) || (Array.isArray(value) && (name === "state" || (name === "leaves" && value.every(listed))))));
  all.setCustomValidity(fits ? "" : `not an object with these fields: ${Object.keys(fields).join(", ")}`);
  if (!fits) return;
  const shown = (name, value) => name === "state" && Array.isArray(value) ? JSON.stringify(value) : [value ?? ""].flat().join("\n");
  for (const [name, made] of Object.entries(fields)) made.value = shown(name, values[name]);
  arrange();
}

/** What is expected; null if nothing is, a text if that is not complete. */
function expectation() {
  if (!all.validity.valid) return `JSON: ${all.validationMessage}`;
  const value = (name) => fields[name].value.trim();
  const filled = (name) => value(name) !== "";
  // What is not compared must not seem to be expected.
  const stray = (isFold ? OF_AGGREGATES : OF_FOLDS).find(filled);
  if (stray) return `the file is ${isFold ? "a" : "no"} fold, so it has no ${stray}`;
  const needed = isFold ? ["key", "state"] : ["key", ...OF_AGGREGATES];
  if (![...needed, ...OF_FOLDS].some(filled)) return null;
  const missing = needed.filter((name) => !filled(name));
  if (missing.length > 0) return `there is no ${missing.join(" and no ")}`;
  const expected = { key: value("key") };
  if (!isFold) {
    expected.claim = value("claim");
    expected.leaves = value("leaves") === "any" ? "any" : value("leaves").split(/[\s,]+/);
  }
  if (isFold) {
    try {
      expected.state = value("state") === "any" ? "any" : JSON.parse(value("state"));
    } catch {
      return "state: neither `any` nor a JSON list of lists of eight integers";
    }
  }
  for (const [name, [digits, what]] of Object.entries(NUMBERS).filter(([name]) => filled(name))) {
    if (!new RegExp(`^\\d{1,${digits}}$`).test(value(name))) return `${name}: \`${value(name)}\` is no number of ${what}`;
    expected[name] = Number(value(name));
  }
  return expected;
}

// ---- What is shown

/** Says how it ended: `kind` is that of the refusal, if there is one. */
function say(state, title, lines = [], kind = null) {
  verdict.dataset.state = state;
  verdict.dataset.kind = kind ?? "";
  verdict.replaceChildren(element("h2", {}, title), ...lines.map((line) => element("p", {}, line)));
}

/** What is said of fewer bits than are asked for unless the reader says otherwise. */
const few = (bits) => bits < 100 ? ["You asked for fewer than 100 bits: such a proof may be forged."] : [];

/** The tree of an aggregate as lists, which `showTree` takes. */
function lists(tree) {
  const shown = { keys: [], nodes: [], statements: [] };
  const places = new Map();
  const rest = [tree];
  while (rest.length > 0) {
    const { key, statement, children = [] } = rest.pop();
    if (!places.has(key)) places.set(key, shown.keys.push(key) - 1);
    shown.nodes.push([places.get(key), children.length]);
    if (statement) shown.statements.push(statement);
    for (let child = children.length - 1; child >= 0; child -= 1) rest.push(children[child]);
  }
  return shown;
}

/** The bits of the proof at the root, without the newest theorem and with it. */
function rootBits({ root_security: root }) {
  const line = (name, { bits, weakest, sum, regime }) => ({ name, bits, weakest, sum, regime });
  return element("section", { class: "card block" }, element("h2", {}, "Bits of the proof at the root"),
    element("p", { class: "muted" }, `Whatever the proof, collisions of digests leave ${bitsText(root.digest_collision_bits)} bits.`),
    table("Proven bits, by what they rest on", [
      { name: "rests on", value: ({ name }) => name },
      { name: "bits", value: ({ bits }) => bits },
      { name: "bits of the sum", value: ({ sum }) => sum, show: bitsText },
      { name: "weakest term", value: ({ weakest }) => weakest },
      { name: "distance", value: ({ regime }) => regime },
    ], [line("without ePrint 2026/2056", root.without_eprint_2026_2056), line("with ePrint 2026/2056", root.with_eprint_2026_2056)], { stacked: true }));
}

function showAggregate(summary, file) {
  const claimed = summary.keys_are === "claimed";
  const shown = {
    ...summary, ...lists(summary.tree), file: file.name, claimed,
    keys_are: claimed ? "claimed by the file" : "the expected ones",
  };
  result.append(element("p", { class: "lead block" }, aggregateLead(summary.leaves)), aggregateFacts(shown), rootBits(summary));
  showTree(shown, result);
}

function showMember(member, { claim }) {
  result.append(element("section", { class: "card block" }, element("h2", {}, "Leaf"),
    facts([
      ["statement", member.statement.join(", ")],
      ["position, from the root down", member.position.join(", ")],
      ["proven bits of the proofs above it", member.proven_bits],
    ]),
    element("div", { class: "command" }, element("span", {}, "program key of the leaf"), element("code", {}, member.key)),
    element("div", { class: "command" }, element("span", {}, "claim of the aggregate"), element("code", {}, claim))));
}

/** A block as digests are written: its integers in four bytes each, the lowest first. */
const hexadecimal = (block) => block.flatMap((value) => [0, 8, 16, 24].map((shift) => ((value >>> shift) & 255).toString(16).padStart(2, "0"))).join("");

function showFold(summary, { name }) {
  const claimed = summary.keys_are === "claimed";
  const { counters } = summary;
  result.append(
    element("p", { class: "lead block" }, `One proof stands for ${integer(summary.proofs)} ${summary.proofs === 1 ? "proof" : "proofs"}. `
      + "It says: by the rules below, valid proofs lead to this state."),
    element("section", { class: "card" }, facts([
      ["file", name],
      ["rules", claimed ? "claimed by the file" : "the expected ones"],
      ["proofs of rules and last wraps", integer(counters.rules)],
      ["proofs behind wraps", integer(counters.behind)],
      ["levels of rules below the root", integer(counters.depth)],
      ["proven bits of each proof", `${summary.proven_bits}${claimed ? ", as the file claims" : ""}`],
      ["bits of the tree", `${summary.tree_bits}, by the union bound over ${integer(summary.proofs)} proofs`],
      ["parameters", `blowup ${summary.blowup}, ${summary.queries} queries`],
      ["proof", bytes(summary.proof_bytes)],
    ]),
    element("div", { class: "command" }, element("span", {}, "fold key: digest of the rules below"), element("code", {}, summary.key))),
    element("section", { class: "card block" }, element("h2", {}, "State"),
      table("Blocks of the state", [
        { name: "block", value: ([place]) => place },
        { name: "integers", long: true, value: ([, block]) => block.join(", ") },
        { name: "hexadecimal", long: true, value: ([, block]) => hexadecimal(block) },
      ], [...summary.state.entries()], { stacked: true })),
    element("section", { class: "card block" }, element("h2", {}, "Rules"),
      element("p", { class: "muted" }, `A rule verifies proofs of at least ${summary.bits_of_rules} bits, and behind wraps of at least ${summary.bits_behind}. `
        + "256 stands for no such proofs."),
      table("Keys of the rules, of which one is the root's", [
        { name: "rule key", long: true, value: (key) => key },
        { name: "root", value: (key) => key === summary.rule ? "yes" : "" },
      ], summary.rules)),
    rootBits(summary));
}

// ---- Verifying

const NOBODY = "not verified: nobody vouches for these keys";
let verifier = null;
let file = null;
let last = 0;

/** Verifies the file; a later call makes this one give up. */
async function verify() {
  last += 1;
  const call = last;
  if (!verifier) return;
  result.replaceChildren();
  if (!file) {
    arrange();
    say("waiting", "No file yet");
    return;
  }
  if (file.size > MAX_BYTES) {
    say("refused", "not verified", [WORDS.file, `The file has ${bytes(file.size)}, and at most ${bytes(MAX_BYTES)} are read.`], "file");
    return;
  }
  say("working", "Verifying …");
  let content;
  try {
    content = new Uint8Array(await file.arrayBuffer());
    // What was just said is shown before the verifier takes the processor.
    await new Promise((done) => setTimeout(done, 20));
  } catch (error) {
    if (call === last) say("failed", "not verified", [`The file cannot be read: ${error.message}`]);
    return;
  }
  if (call !== last) return;
  isFold = begins(content, FOLD);
  arrange();
  const expected = expectation();
  if (typeof expected === "string") {
    say("unasked", "not verified", [`${WORDS.expected}: ${expected}.`], "expected");
    return;
  }
  const start = performance.now();
  try {
    judge(content, expected, () => `It took ${milliseconds(performance.now() - start)}.`);
  } catch (error) {
    const known = error.name === "Refusal" && error.kind in WORDS;
    const other = OTHERS.find(([magic]) => begins(content, magic));
    if (known) say("refused", "not verified", [WORDS[error.kind], other?.[1] ?? error.message], error.kind);
    if (known) return;
    // It may be in any state.
    verifier = null;
    say("failed", "not verified", [`The verifier failed, which is a fault of its own: ${error}. Load the page again.`]);
  }
}

const begins = (content, magic) => String.fromCharCode(...content.subarray(0, magic.length)) === magic;

/** Verifies the bytes of a file and shows what it says; throws why it is refused. */
function judge(content, expected, took) {
  if (begins(content, MEMBERSHIP)) {
    if (expected === null) {
      say("unasked", NOBODY, ["This is a membership of a leaf: it is verified against a key and a claim."]);
      return;
    }
    const member = verifier.verifyMembership(content, expected);
    say("verified", "verified", ["The leaf is in the claim. That the claim is true an aggregate shows: verify it, too.", ...few(member.proven_bits), took()]);
    showMember(member, expected);
    return;
  }
  if (isFold) {
    const summary = expected === null ? verifier.inspectFold(content) : verifier.verifyFold(content, expected);
    if (expected === null) {
      say("unasked", NOBODY, ["The proof is valid if the rules in the file are honest, which only a fold key that you expect can show.", took()]);
    } else {
      const state = expected.state === "any" ? "You accept any state: see below whether it is yours." : "It says the state that you expect.";
      say("verified", "verified", [`Every proof has at least ${summary.proven_bits} proven bits, the tree ${summary.tree_bits}. ${state}`, ...few(summary.tree_bits), took()]);
    }
    showFold(summary, file);
    return;
  }
  if (expected === null) {
    const summary = verifier.inspectAggregate(content);
    say("unasked", NOBODY, ["The proof is valid if the keys in the file are honest, which only a key that you expect can show.", took()]);
    showAggregate(summary, file);
    return;
  }
  const summary = verifier.verifyAggregate(content, expected);
  const leaves = expected.leaves === "any" ? "Leaves may have any key: see in the tree whether they are yours." : "Every leaf has a key that you accept.";
  say("verified", "verified", [`Every proof has at least ${summary.proven_bits} proven bits, the tree ${summary.tree_bits}. ${leaves}`, ...few(summary.tree_bits), took()]);
  showAggregate(summary, file);
}

function take(files) {
  if (files.length === 0) return;
  [file] = files;
  verify();
}

chooser.addEventListener("change", () => take(chooser.files));
all.addEventListener("input", () => fill(all.value));
let waiting;
for (const made of [...Object.values(fields), all]) {
  made.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(verify, 250);
  });
}
const over = (on) => document.body.classList.toggle("over", on);
for (const name of ["dragenter", "dragover"]) {
  addEventListener(name, (event) => {
    event.preventDefault();
    over(true);
  });
}
addEventListener("dragleave", (event) => { if (!event.relatedTarget) over(false); });
addEventListener("drop", (event) => {
  event.preventDefault();
  over(false);
  chooser.value = "";
  take(event.dataTransfer.files);
});

arrange();
say("working", "Loading the verifier …");
try {
  const { memory } = await __wbg_init({ module_or_path: Uint8Array.from(atob(data.wasm), (one) => one.charCodeAt(0)) });
  verifier = { verifyAggregate, inspectAggregate, verifyMembership, verifyFold, inspectFold, memory };
  // For those who would rather call it from the console.
  globalThis.droste = verifier;
  verify();
} catch (error) {
  say("failed", "This browser cannot run the verifier", [String(error)]);
}
