// The report of `droste inspect`.
"use strict";

document.getElementById("head").append(
  element("p", { class: "lead" }, aggregateLead(data.statements.length)),
  ...(data.claimed ? [element("p", { class: "warning" }, "The recursion keys are only claimed by the file. What this page shows proves nothing.")] : []),
  aggregateFacts(data));
showTree(data, document.getElementById("main"));
