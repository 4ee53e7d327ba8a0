// The tree of keys and statements of an aggregate. Rows are made when they are first shown, so that
// trees of many thousands of leaves open at once.
"use strict";

const CHUNK = 200;
const RESULTS = 100;

/** A card with what an aggregate says as a whole. */
function aggregateFacts(data) {
  return element("section", { class: "card" }, facts([
    ["file", data.file],
    ["recursion keys", data.keys_are],
    ["proven bits of each proof", `${data.proven_bits}${data.claimed ? ", as the file claims" : ""}`],
    ["bits of the tree", `${data.tree_bits}, by the union bound over ${integer(data.proofs)} proofs`],
    ["parameters", `blowup ${data.blowup}, ${data.queries} queries`],
    ["proof", bytes(data.proof_bytes)],
  ]),
  element("div", { class: "command" }, element("span", {}, "key set: digest of the recursion keys below"), element("code", {}, data.key)),
  element("div", { class: "command" }, element("span", {}, "claim: digest of the keys and statements in the tree below"), element("code", {}, data.claim)));
}

/** What the leaves of an aggregate say. */
const aggregateLead = (leaves) => `One proof stands for ${integer(leaves)} ${leaves === 1 ? "leaf" : "leaves"}. `
  + "Each leaf says: there is a valid proof, under this key, of this statement (public inputs, then outputs).";

/** Shows the tree of `data`, a search in it, and its keys, in an element of the page. */
function showTree(data, into) {
  // ---- The tree, as arrays over its nodes; parents come before their children.

  const count = data.nodes.length;
  const parent = new Int32Array(count).fill(-1);
  const size = new Int32Array(count).fill(1);
  const leafBefore = new Int32Array(count);
  const depth = new Int32Array(count);
  const leaves = [];
  {
    const open = [];
    data.nodes.forEach(([, children], node) => {
      while (open.length > 0 && open.at(-1).left === 0) open.pop();
      if (open.length > 0) {
        parent[node] = open.at(-1).node;
        depth[node] = depth[parent[node]] + 1;
        open.at(-1).left -= 1;
      }
      leafBefore[node] = leaves.length;
      if (children === 0) leaves.push(node);
      else open.push({ node, left: children });
    });
    for (let node = count - 1; node > 0; node -= 1) size[parent[node]] += size[node];
  }
  const keyOf = (node) => data.keys[data.nodes[node][0]];
  const isLeaf = (node) => data.nodes[node][1] === 0;
  const leavesBelow = (node) => (node + size[node] < count ? leafBefore[node + size[node]] : leaves.length) - leafBefore[node];
  const statementOf = (node) => data.statements[leafBefore[node]];
  const bitsOf = new Map(data.recursion_keys.map(({ key, bits_of_children }) => [key, bits_of_children]));

  function childrenOf(node) {
    const children = [];
    for (let child = node + 1; child < node + size[node]; child += size[child]) children.push(child);
    return children;
  }

  /** A statement without the zeros at its end, of which at least one number is left. */
  function statementText(statement) {
    let length = statement.length;
    while (length > 1 && statement[length - 1] === 0) length -= 1;
    return statement.slice(0, length).join(", ");
  }

  /** A key's colour, so that leaves of one program are seen to be of one. */
  function hue(place) {
    return `hsl(${Math.round((place * 137.5 + 205) % 360)} 55% 50%)`;
  }

  const shortKey = (key) => `${key.slice(0, 8)}…${key.slice(-6)}`;

  // ---- Rows

  const tree = element("ul", { role: "tree", class: "tree", "aria-label": "Proofs, from the aggregate down to the leaves" });
  /** The list item of each node that has been shown. */
  const items = new Map();

  function label(node) {
    const key = keyOf(node);
    const dot = element("span", { class: "dot", style: `background: ${isLeaf(node) ? hue(data.nodes[node][0]) : "transparent"}` });
    const name = element("code", { class: "name", title: key }, shortKey(key));
    if (isLeaf(node)) {
      return [dot, element("span", { class: "index" }, `#${leafBefore[node]}`),
        element("span", { class: "says" }, statementText(statementOf(node))), name];
    }
    const children = data.nodes[node][1];
    const below = leavesBelow(node);
    const bits = bitsOf.get(key);
    return [
      element("span", { class: "says" }, `verifies ${children}`),
      below > children ? element("span", { class: "muted" }, `${integer(below)} leaves, #${leafBefore[node]} to #${leafBefore[node] + below - 1}`) : null,
      bits === undefined ? null : element("span", { class: "bits" }, `≥ ${bits} bits below`),
      name,
    ];
  }

  function item(node) {
    const row = element("div", { class: "row" },
      isLeaf(node) ? element("span", { class: "twist" }) : element("span", { class: "twist", "aria-hidden": "true" }, "▸"), label(node));
    const made = element("li", {
      role: "treeitem", tabindex: "-1", "data-node": node, class: isLeaf(node) ? "leaf" : null, "aria-level": depth[node] + 1,
      "aria-expanded": isLeaf(node) ? null : "false",
      "aria-label": isLeaf(node)
        ? `Leaf ${leafBefore[node]}: statement ${statementText(statementOf(node))}, key ${keyOf(node).slice(0, 8)}`
        : `Verifies ${data.nodes[node][1]}, ${leavesBelow(node)} leaves below, key ${keyOf(node).slice(0, 8)}`,
    }, row);
    items.set(node, made);
    return made;
  }

  const isOpen = (node) => items.get(node)?.getAttribute("aria-expanded") === "true";

  /** Adds the next children of an open node, up to the one that must be shown. */
  function addChildren(node, upTo = -1) {
    const group = items.get(node).querySelector(":scope > ul");
    const children = childrenOf(node);
    let shown = group.querySelectorAll(":scope > [role=treeitem]").length;
    const goal = Math.max(shown + CHUNK, children.indexOf(upTo) + 1);
    group.querySelector(":scope > .more")?.remove();
    for (; shown < Math.min(goal, children.length); shown += 1) group.append(item(children[shown]));
    if (shown < children.length) {
      group.append(element("li", { class: "more", role: "none" },
        element("button", { type: "button", onclick: () => addChildren(node) }, `Show more of ${integer(children.length)}`)));
    }
  }

  /** Opens a node, and what is below it as long as it has a single child that is no leaf's parent. */
  function open(node) {
    for (let at = node; !isLeaf(at) && !isOpen(at);) {
      const made = items.get(at);
      if (!made.querySelector(":scope > ul")) {
        made.append(element("ul", { role: "group" }));
        addChildren(at);
      }
      made.setAttribute("aria-expanded", "true");
      if (data.nodes[at][1] !== 1) break;
      at += 1;
    }
  }

  const close = (node) => items.get(node).setAttribute("aria-expanded", "false");

  /** Shows a node, opening all above it, and moves the focus there. */
  function reveal(node) {
    const above = [];
    for (let at = parent[node]; at >= 0; at = parent[at]) above.unshift(at);
    above.push(node);
    above.forEach((at, place) => {
      if (!items.has(at)) addChildren(above[place - 1], at);
      if (place + 1 < above.length) {
        const made = items.get(at);
        if (!made.querySelector(":scope > ul")) {
          made.append(element("ul", { role: "group" }));
          addChildren(at, above[place + 1]);
        }
        made.setAttribute("aria-expanded", "true");
      }
    });
    focus(node);
    items.get(node).scrollIntoView({ block: "center" });
  }

  let focused = 0;
  function focus(node) {
    items.get(focused)?.setAttribute("tabindex", "-1");
    items.get(focused)?.classList.remove("found");
    focused = node;
    items.get(node).setAttribute("tabindex", "0");
    items.get(node).classList.add("found");
    items.get(node).focus({ preventScroll: true });
  }

  tree.addEventListener("click", (event) => {
    const made = event.target.closest("[role=treeitem]");
    if (!made || event.target.closest("button")) return;
    const node = Number(made.dataset.node);
    focus(node);
    if (!isLeaf(node) && !getSelection().toString()) (isOpen(node) ? close : open)(node);
  });

  // The keys of a tree, as in the ARIA Authoring Practices Guide.
  tree.addEventListener("keydown", (event) => {
    const made = event.target.closest("[role=treeitem]");
    if (!made || event.target.closest("button")) return;
    const node = Number(made.dataset.node);
    const seen = () => [...tree.querySelectorAll("[role=treeitem]")].filter((one) => one.offsetParent !== null);
    const move = (by) => {
      const list = seen();
      const next = list[list.indexOf(made) + by];
      if (next) focus(Number(next.dataset.node));
    };
    const actions = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      ArrowRight: () => isLeaf(node) ? null : isOpen(node) ? move(1) : open(node),
      ArrowLeft: () => !isLeaf(node) && isOpen(node) ? close(node) : parent[node] >= 0 ? focus(parent[node]) : null,
      Home: () => focus(0),
      End: () => focus(Number(seen().at(-1).dataset.node)),
      Enter: () => isLeaf(node) ? null : (isOpen(node) ? close : open)(node),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
    items.get(focused).scrollIntoView({ block: "nearest" });
  });

  // ---- Search

  /** Nodes that match: `#17` or a number for an index; numbers of a statement; digits of a key. */
  function matches(text) {
    const wanted = text.trim().toLowerCase();
    if (wanted === "") return [];
    const found = new Set();
    const index = wanted.match(/^#?(\d+)$/);
    if (index && Number(index[1]) < leaves.length) found.add(leaves[Number(index[1])]);
    if (wanted.startsWith("#")) return [...found];
    if (/^\d+(\s*,\s*\d+)*$/.test(wanted)) {
      const numbers = wanted.split(",").map(Number);
      leaves.forEach((node, place) => {
        const statement = data.statements[place];
        const at = (start) => numbers.every((number, offset) => statement[start + offset] === number);
        if (statement.some((_, start) => at(start))) found.add(node);
      });
    }
    if (/^[0-9a-f]{4,}$/.test(wanted)) {
      const keys = new Set(data.keys.flatMap((key, place) => key.includes(wanted) ? [place] : []));
      if (keys.size > 0) data.nodes.forEach(([key], node) => { if (keys.has(key)) found.add(node); });
    }
    return [...found];
  }

  const status = element("p", { role: "status", class: "muted" });
  const results = element("ul", { class: "results" });
  function search(text) {
    const found = matches(text);
    const more = found.length > RESULTS ? `, the first ${RESULTS} of which are listed` : "";
    status.textContent = text.trim() === "" ? "" : `${integer(found.length)} found${more}`;
    results.replaceChildren(...found.slice(0, RESULTS).map((node) => element("li", {},
      element("button", { type: "button", class: "row", onclick: () => reveal(node) }, label(node)))));
  }

  // ---- What is shown

  const programs = new Map();
  for (const node of leaves) programs.set(data.nodes[node][0], (programs.get(data.nodes[node][0]) ?? 0) + 1);

  const leavesAsCsv = () => csv(["index", "key", "statement"],
    leaves.map((node, index) => [index, keyOf(node), data.statements[index].join(" ")]));

  const box = element("input", { type: "search", id: "search", autocomplete: "off", spellcheck: "false", placeholder: "#17, 5, 120 or digits of a key" });
  let waiting;
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => search(box.value), 120);
  });

  into.append(
    element("section", { class: "card block", role: "search" },
      element("h2", {}, element("label", { for: "search" }, "Search")),
      element("p", { class: "muted" }, "An index (#17), numbers of a statement, or at least four digits of a key."),
      box, status, results),
    element("section", { class: "card block" },
      element("h2", {}, "Tree"),
      element("p", { class: "muted" }, "A leaf shows its index, its statement and its key; leaves of one key have one colour."), tree,
      element("div", { class: "tools" }, saveButton("Save leaves as CSV", "leaves.csv", "text/csv", leavesAsCsv))),
    element("section", { class: "card block" },
      element("h2", {}, "Keys"),
      table("Keys of the leaves, and how many leaves have each", [
        { name: "program key of leaves", long: true, value: ([key]) => data.keys[key] },
        { name: "leaves", value: ([, leaves]) => leaves, show: integer },
      ], [...programs]),
      table("Recursion keys, and the bits that proofs below them have at least", [
        { name: "recursion key", long: true, value: ({ key }) => key },
        { name: "bits of children", value: ({ bits_of_children }) => bits_of_children },
      ], data.recursion_keys)));

  // The first levels are open, as far as they fit a screen, and the way to the first leaf.
  tree.append(item(0));
  items.get(0).setAttribute("tabindex", "0");
  for (let next = [0]; next.length > 0;) {
    const node = next.shift();
    if (isLeaf(node) || (items.size > 1 && items.size + data.nodes[node][1] > 16)) continue;
    open(node);
    next.push(...childrenOf(node).filter((child) => items.has(child)));
  }
  for (let node = 0; !isLeaf(node); node += 1) open(node);
}
