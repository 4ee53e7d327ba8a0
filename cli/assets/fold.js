// The report of `droste fold inspect`.
"use strict";

const says = data.says;
const doubt = data.claimed ? ", as the file claims" : "";

document.getElementById("head").append(
  element("p", { class: "lead" }, `One proof stands for ${integer(says.proofs)} ${says.proofs === 1 ? "proof" : "proofs"}. `
    + "It says: the rules below lead to this state."),
  ...(data.claimed ? [element("p", { class: "warning" }, "The rules are only claimed by the file. What this page shows proves nothing.")] : []),
  element("section", { class: "card" }, facts([
    ["file", data.file],
    ["rules", data.keys_are],
    ["rule at the root", data.rule_name],
    ["proofs of rules and last wraps", integer(says.counters.rules)],
    ["proofs behind these", integer(says.counters.behind)],
    ["levels of rules below the root", integer(says.counters.depth)],
    ["proven bits of each proof", `${says.proven_bits}${doubt}`],
    ["bits of the tree", `${says.tree_bits}, by the union bound over ${integer(says.proofs)} proofs${doubt}`],
    ["parameters", `blowup ${says.blowup}, ${says.queries} queries`],
    ["proof", bytes(says.proof_bytes)],
  ]),
  element("div", { class: "command" }, element("span", {}, "fold key: digest of the rules below"), element("code", {}, says.key))));

document.getElementById("main").append(
  table("State", [
    { name: "block", value: (row) => row.index },
    { name: "elements", value: (row) => row.block.join(", "), long: true },
  ], says.state.map((block, index) => ({ index, block }))),
  table("Keys of the rules", [
    { name: "rule", value: (row) => row.index },
    { name: "key", value: (row) => row.key, long: true },
    { name: "at the root", value: (row) => (row.key === says.rule ? "yes" : "") },
  ], says.rules.map((key, index) => ({ index, key }))));
