"""XMSS signatures: keys, lists, aggregates and claims, beside those of the command."""

from __future__ import annotations

import json
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import droste
from conftest import ROOT
from droste.signatures import (
    SignatureBatch,
    SignatureBatchMember,
    SignatureBatchProver,
    SignatureClaims,
    SignedMessage,
    StoredKey,
    aggregate,
    from_file,
    from_json,
    to_json,
    verify,
)

VECTORS = ROOT / "native" / "tests" / "xmss.json"
MODULUS = 2**31 - 2**24 + 1

Command = Callable[..., subprocess.CompletedProcess[str]]
CommandJson = Callable[..., dict[str, Any]]


def edited(signed: SignedMessage, edit: Callable[[Any], None]) -> str:
    """The JSON of a signed message after a change."""
    entries = json.loads(to_json([signed]))
    edit(entries[0])
    return json.dumps(entries)


def words(done: subprocess.CompletedProcess[str]) -> str:
    """What the command says when it fails, after the stages that it finished."""
    _, name, said = done.stderr.partition("droste: ")
    assert done.returncode != 0 and name
    return said.removesuffix("\n")


def test_a_slot_is_signed_once_whoever_opens_the_key(
    command: Command, command_json: CommandJson, tmp_path: Path
) -> None:
    folder, file, message = tmp_path / "key", tmp_path / "signed.json", [1, 2, 3, 4, 5, 6, 7, 8]
    arguments = ["xmss", "sign", folder, "--message", "1,2,3,4,5,6,7,8", "-o", file, "--slot"]
    with StoredKey.create(folder, first_slot=4, slots=8) as key:
        made = key.inspect()
        assert (made["first_slot"], made["last_slot"], made["next_slot"]) == (4, 11, 4)
        signed = key.sign(5, message)
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(key)
        assert signed.public_key == key.public_key and len(signed.signature) == 1208
        assert (signed.slot, signed.message) == (5, message)
        for slot in (4, 5):
            with pytest.raises(droste.SignError, match=rf"slot {slot} is spent: .* not spent is 6"):
                key.sign(slot, message)
        # The key is open here.
        with pytest.raises(droste.SignError) as refused:
            StoredKey.open(folder)
        assert words(command(*arguments, "6")) == str(refused.value)
    with pytest.raises(droste.SignError, match="the key is closed"):
        key.sign(7, message)

    # The command knows what was signed here, and signs the same bytes in the next slot.
    with pytest.raises(droste.SignError) as refused, StoredKey.open(folder) as key:
        key.sign(5, message[::-1])
    assert words(command(*arguments, "5")) == str(refused.value)
    left = command_json(*arguments, "6")
    with StoredKey.open(folder) as key:
        assert key.inspect() == left and left["next_slot"] == 7
        key.spend(8)
        with pytest.raises(droste.SignError, match="slot 8 is spent"):
            key.sign(8, message)
        with pytest.raises(droste.SignError, match="12"):
            key.sign(12, message)
    [by_command] = from_file(file)
    assert to_json([by_command]) == file.read_text()
    assert verify([signed, by_command]) == {"signatures": 2, "invalid": []}

    with pytest.raises(droste.SignError) as refused:
        StoredKey.create(folder)
    assert words(command("xmss", "keygen", folder)) == str(refused.value)
    with pytest.raises(droste.UsageError) as usage:
        StoredKey.create(tmp_path / "other", first_slot=2**32 - 1, slots=2)
    slots = ["--first-slot", str(2**32 - 1), "--slots", "2"]
    assert words(command("xmss", "keygen", tmp_path / "other", *slots)) == str(usage.value)
    with pytest.raises(droste.FileError, match="nowhere"):
        StoredKey.open(tmp_path / "nowhere")
    # What was altered signs no more.
    (folder / "state").write_bytes(bytes(60))
    with pytest.raises(droste.SignError, match="state"):
        StoredKey.open(folder)


def test_signatures_are_verified_as_by_the_command(
    command: Command, command_json: CommandJson, tmp_path: Path
) -> None:
    signed = from_file(VECTORS)
    assert verify(signed) == command_json("xmss", "verify", "--json", VECTORS)
    assert json.loads(to_json(signed)) == json.loads(VECTORS.read_text())
    one = signed[2]
    parts = (one.public_key, one.slot, one.message, one.signature)
    assert SignedMessage(*parts) == one == pickle.loads(pickle.dumps(one)) != signed[1]

    file = tmp_path / "changed.json"

    def change_tip(entry: Any) -> None:
        entry["chain_tips"][41][3] ^= 1

    [changed] = from_json(edited(one, change_tip))
    elsewhere = SignedMessage(one.public_key, one.slot ^ 1, one.message, one.signature)
    file.write_text(to_json([one, changed, elsewhere]))
    done = command("--format", "json", "xmss", "verify", "--json", file)
    assert words(done) == "2 signatures are not valid"
    found = verify([one, changed, elsewhere])
    assert found == json.loads(done.stdout.splitlines()[0])
    assert [each["index"] for each in found["invalid"]] == [1, 2]
    with pytest.raises(droste.UsageError, match="the list has no signatures"):
        verify([])

    # What is refused when it is read.
    def not_canonical(entry: Any) -> None:
        entry["path"][3][1] += MODULUS

    def another_encoding(entry: Any) -> None:
        entry["encoding"][0] ^= 1

    def too_short(entry: Any) -> None:
        entry["chain_tips"].pop()

    def too_large(entry: Any) -> None:
        entry["slot"] = 2**32

    for edit in (not_canonical, another_encoding, too_short, too_large):
        file.write_text(edited(one, edit))
        with pytest.raises(droste.DecodeError) as refused:
            from_file(file)
        assert words(command("xmss", "verify", "--json", file)) == str(refused.value)
    with pytest.raises(droste.DecodeError, match=r"element 13 of path is not canonical"):
        from_json(edited(one, not_canonical))
    with pytest.raises(droste.DecodeError, match="trailing characters"):
        from_json("[] []")
    with pytest.raises(droste.DecodeError, match="31 bytes of a public key, expected 32"):
        SignedMessage(one.public_key[1:], one.slot, one.message, one.signature)
    with pytest.raises(droste.DecodeError, match="element 0 of randomness is not canonical"):
        SignedMessage(one.public_key, one.slot, one.message, b"\xff" * 1208)
    with pytest.raises(droste.UsageError, match="7 field elements, expected 8"):
        SignedMessage(one.public_key, one.slot, one.message[1:], one.signature)


def test_batches_are_grouped_in_order(signed: list[SignedMessage]) -> None:
    alice, bob, carol = signed
    batches = SignatureBatch.group([alice, carol, bob, alice], 2)
    assert [(len(batch), batch.slot) for batch in batches] == [(2, 0), (1, 1), (1, 0)]
    keys = [[key for key, _ in batch.signatures] for batch in batches]
    assert keys == [[alice.public_key, bob.public_key], [carol.public_key], [alice.public_key]]
    again = pickle.loads(pickle.dumps(batches[0]))
    assert again == batches[0] != batches[1] and again.message == alice.message
    for largest in (0, 4_097):
        with pytest.raises(droste.UsageError, match=f"{largest} signatures, expected 1 to"):
            SignatureBatch.group(signed, largest)
    with pytest.raises(droste.UsageError, match="the batch has 0 signatures, expected 1 to 4096"):
        aggregate([])


def test_aggregates_are_the_commands(
    signed: list[SignedMessage],
    signatures: tuple[droste.Aggregate, SignatureClaims],
    signature_store: droste.Store,
    command: Command,
    command_json: CommandJson,
    tmp_path: Path,
) -> None:
    """The same batches, in the same order; the same bytes of the aggregate, claims and store."""
    root, claims = signatures
    for name, part in [("first.json", signed[:1]), ("others.json", signed[1:])]:
        (tmp_path / name).write_text(to_json(part))
    files = [tmp_path / "first.json", tmp_path / "others.json"]
    output, store = tmp_path / "all.agg", tmp_path / "store"
    arguments = ["xmss", "aggregate", *files, "--preset", "toy", "--arity", "2"]
    done = command("--format", "json", *arguments, "--store", store, "-o", output)
    said = json.loads(done.stdout.splitlines()[-1])
    assert (said["signatures"], said["batches"]) == (3, 2)
    assert output.read_bytes() == root.to_bytes()
    claims_file = tmp_path / "all.agg.claims.json"
    assert claims_file.read_text() == claims.to_json()
    assert SignatureClaims.from_file(claims_file) == claims == pickle.loads(pickle.dumps(claims))
    claims.write(tmp_path / "written.json")
    assert (tmp_path / "written.json").read_bytes() == claims_file.read_bytes()

    def content(folder: Path) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    assert content(store) == content(signature_store.folder)

    # A run with what the command stored has nothing to do.
    calls: list[tuple[int, int]] = []
    again = aggregate(
        signed,
        preset="toy",
        arity=2,
        store=store,
        progress=lambda done, of: calls.append((done, of)),
    )
    assert again == (root, claims) and calls == [(0, 2), (1, 2), (2, 2), (0, 0)]

    # Checking says the same.
    entries = json.loads(to_json(signed))
    wanted: Any = [
        {name: entry[name] for name in ("slot", "message", "root", "public_param")}
        for entry in entries
    ]
    list_file = tmp_path / "wanted.json"
    check = ["xmss", "check", output, "--claims", claims_file, "--json", list_file, "--min-bits"]

    def refused_as_by_the_command(wanted: Any, bits: int) -> str:
        list_file.write_text(json.dumps(wanted))
        with pytest.raises(droste.VerifyError) as refused:
            claims.check(root, wanted=wanted, min_bits=bits)
        assert words(command(*check, str(bits))) == str(refused.value)
        return str(refused.value)

    list_file.write_text(json.dumps(wanted))
    found = claims.check(root, wanted=wanted, min_bits=0)
    assert found == command_json(*check, "0") == claims.check(root, wanted=signed, min_bits=0)
    assert (found["signatures"], found["batches"]) == (3, 2)
    assert [(one["keys"], one["repeated"]) for one in found["signed"]] == [(2, []), (1, [])]
    assert found["keys_are"] == "derived"
    read = droste.Aggregate.from_bytes(root.to_bytes())
    assert claims.check(read, min_bits=0, keys=[root.key])["keys_are"] == "pinned"
    assert "proven bits" in refused_as_by_the_command(wanted, 100)
    # Carol signed in another slot.
    other = [*wanted[:2], {**wanted[2], "slot": 0}]
    assert "entry 2: " in refused_as_by_the_command(other, 0)
    with pytest.raises(droste.UsageError, match="entry 1: element 0 of root is not canonical"):
        bad = [wanted[0], {**wanted[0], "root": [MODULUS, 0, 0, 0]}]
        claims.check(root, wanted=bad, min_bits=0)
    keys = [{name: one[name] for name in ("root", "public_param")} for one in wanted]
    assert [batch["keys"] for batch in claims.batches] == [keys[:2], keys[2:]]
    assert [(batch["slot"], batch["message"][0]) for batch in claims.batches] == [(0, 1), (1, 2)]
    assert claims.says(signed[2].public_key, 1, signed[2].message)
    assert not claims.says(signed[2].public_key, 0, signed[2].message)


def test_false_claims_are_refused(
    signatures: tuple[droste.Aggregate, SignatureClaims], command: Command, tmp_path: Path
) -> None:
    root, claims = signatures
    root.write(tmp_path / "all.agg")
    file = tmp_path / "forged.json"
    honest = json.loads(claims.to_json())
    check = ["xmss", "check", tmp_path / "all.agg", "--min-bits", "0", "--claims", file]

    def one_key_more(forged: Any) -> None:
        forged["batches"][1]["keys"].append(honest["batches"][1]["keys"][0])

    def another_slot(forged: Any) -> None:
        forged["batches"][0]["slot"] = 1

    def one_batch_less(forged: Any) -> None:
        forged["batches"].pop()

    def another_scheme(forged: Any) -> None:
        forged["target_sum"] += 1

    for edit, reason in [
        (one_key_more, "the statement of leaf 1 is not that of batch 1"),
        (another_slot, "the statement of leaf 0 is not that of batch 0"),
        (one_batch_less, "the aggregate has 2 leaves, but 1 batches are claimed"),
        (another_scheme, "signatures of the scheme"),
    ]:
        forged = json.loads(claims.to_json())
        edit(forged)
        file.write_text(json.dumps(forged))
        with pytest.raises(droste.VerifyError, match=reason) as refused:
            SignatureClaims.from_file(file).check(root, min_bits=0)
        assert words(command(*check)) == str(refused.value)

    def not_canonical(forged: Any) -> None:
        forged["batches"][0]["keys"][1]["root"][2] = MODULUS

    def too_many_keys(forged: Any) -> None:
        forged["batches"][0]["keys"] *= 2

    for edit, reason in [
        (not_canonical, "batch 0: element 6 of root is not canonical"),
        (too_many_keys, "batch 0 has 4 keys, expected 1 to 2"),
    ]:
        forged = json.loads(claims.to_json())
        edit(forged)
        file.write_text(json.dumps(forged))
        with pytest.raises(droste.DecodeError, match=reason) as decoded:
            SignatureClaims.from_file(file)
        assert words(command(*check)) == str(decoded.value)


def test_a_key_is_shown_without_the_others(
    signed: list[SignedMessage], signatures: tuple[droste.Aggregate, SignatureClaims]
) -> None:
    root, claims = signatures
    assert (len(claims), claims.log_keys) == (2, 1)
    leaf: Any = root.inspect()["tree"]["children"][0]
    while "children" in leaf:
        [leaf] = leaf["children"]
    assert leaf["key"] == claims.key() and leaf["statement"] == claims.statement(0)
    member = SignatureBatchMember.from_json(claims.member(0, 1).to_json())
    assert member == claims.member(0, 1) == pickle.loads(pickle.dumps(member))
    assert (member.public_key, member.slot) == (signed[1].public_key, 0)
    assert (member.message, member.index, member.signatures) == (signed[1].message, 1, 2)
    member.verify(claims.log_keys, leaf["statement"])
    with pytest.raises(droste.VerifyError, match="the statement is not that of a batch"):
        member.verify(claims.log_keys, claims.statement(1))
    with pytest.raises(droste.VerifyError, match="the path has 1 levels, expected 2"):
        member.verify(2, leaf["statement"])
    other = {**json.loads(member.to_json()), "slot": 1}
    with pytest.raises(droste.VerifyError, match="the statement is not that of a batch"):
        SignatureBatchMember.from_json(json.dumps(other)).verify(claims.log_keys, leaf["statement"])
    other["path"][0][5] = MODULUS
    with pytest.raises(droste.DecodeError, match="element 5 of path is not canonical"):
        SignatureBatchMember.from_json(json.dumps(other))
    with pytest.raises(droste.UsageError, match="there is no key 1: the batch has 1"):
        claims.member(1, 1)
    with pytest.raises(droste.UsageError, match="there is no batch 2: there are 2"):
        claims.statement(2)


def test_invalid_signatures_are_not_proved(
    signed: list[SignedMessage], command: Command, tmp_path: Path
) -> None:
    alice, bob, carol = signed
    wrong = SignedMessage(bob.public_key, bob.slot, bob.message, alice.signature)
    file = tmp_path / "signed.json"
    file.write_text(to_json([carol, alice, wrong]))
    with pytest.raises(droste.VerifyError, match="batch 1: signature 1 is not valid") as refused:
        aggregate([carol, alice, wrong], batch=2, preset="toy", store=tmp_path / "store")
    output = tmp_path / "all.agg"
    done = command("xmss", "aggregate", file, "--batch", "2", "--preset", "toy", "-o", output)
    assert words(done) == str(refused.value)

    prover = SignatureBatchProver(2, preset="toy")
    [batch] = SignatureBatch.group([alice, bob])
    with pytest.raises(droste.UsageError, match="3 signatures, expected 1 to 2"):
        prover.prove(
            SignatureBatch(batch.slot, batch.message, [*batch.signatures, *batch.signatures[:1]])
        )
    with pytest.raises(droste.UsageError, match=r"batch 0: .* 0 signatures, expected 1 to 2"):
        prover.claims([SignatureBatch(batch.slot, batch.message, [])])
    # What is in the store is not trusted.
    store = droste.Store(tmp_path / "store")
    assert prover.kept(batch, store) is None
    (store.folder / prover.file_name(batch)).write_bytes(
        (store.folder / prover.file_name(SignatureBatch.group([carol])[0])).read_bytes()
    )
    assert prover.kept(batch, store) is None
    assert prover.kept(SignatureBatch.group([carol])[0], store) is not None
    assert 1 << 20 < prover.memory(batch) < 1 << 32
