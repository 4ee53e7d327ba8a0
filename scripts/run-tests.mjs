// Runs a program of tests that is compiled for wasm32-unknown-unknown. It cannot write: it ends, or
// its first failure is a trap.
import { readFileSync } from "node:fs";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const status = instance.exports.main(0, 0);
console.log(status === 0 ? "all tests pass" : `a test fails: ${status}`);
process.exit(status);
