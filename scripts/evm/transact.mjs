// Runs transactions in ethereumjs under the rules of Osaka: reads them from standard input, and
// prints the gas and the success of each. `run` calls it.
import { readFileSync } from "node:fs";

import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createLegacyTx } from "@ethereumjs/tx";
import {
  createAccount,
  createAddressFromPrivateKey,
  createAddressFromString,
  hexToBytes,
} from "@ethereumjs/util";
import { createVM, runTx } from "@ethereumjs/vm";

const input = JSON.parse(readFileSync(0, "utf8"));
const common = new Common({ chain: Mainnet, hardfork: Hardfork.Osaka });
const vm = await createVM({ common });
const secret = hexToBytes(input.secret);
const sender = createAddressFromPrivateKey(secret);
await vm.stateManager.putAccount(sender, createAccount({ balance: 10n ** 20n }));
const deployer = createAddressFromString(input.deployer);
await vm.stateManager.putAccount(deployer, createAccount({}));
await vm.stateManager.putCode(deployer, hexToBytes(input.code));

const { gasLimit, gasPrice } = input;
const results = [];
for (const [nonce, { to, data }] of input.transactions.entries()) {
  const tx = createLegacyTx({ nonce, gasLimit, gasPrice, to, data }, { common }).sign(secret);
  const { totalGasSpent, execResult } = await runTx(vm, { tx, skipBlockGasLimitValidation: true });
  const succeeded = execResult.exceptionError === undefined;
  results.push({ gas: Number(totalGasSpent), succeeded });
}
console.log(JSON.stringify(results));
