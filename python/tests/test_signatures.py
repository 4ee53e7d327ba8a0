"""XMSS signatures: keys, lists, registries and folds, beside those of the command."""

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
    Registry,
    SignatureBatch,
    SignatureFold,
    SignedMessage,
    StoredKey,
    aggregate,
    check,
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


@pytest.fixture(scope="module")
def rules(registry: Registry) -> SignatureFold:
    return SignatureFold(registry, preset="toy", batch=2)


def test_registries_are_lists_of_different_keys(
    signed: list[SignedMessage], registry: Registry, tmp_path: Path
) -> None:
    keys = [one.public_key for one in signed]
    assert (registry.keys, len(registry)) == (keys, 3)
    entries = [
        {name: entry[name] for name in ("root", "public_param")}
        for entry in json.loads(to_json(signed))
    ]
    assert json.loads(registry.to_json()) == entries
    file = tmp_path / "keys.json"
    file.write_text(json.dumps(entries))
    assert Registry.from_file(file) == registry == pickle.loads(pickle.dumps(registry))
    assert Registry.from_json(registry.to_json()).root == registry.root
    assert Registry(keys[::-1]).root != registry.root
    with pytest.raises(droste.UsageError, match="the registry has 0 keys, expected 1 to 2048"):
        Registry([])
    many = [number.to_bytes(4, "little") * 8 for number in range(1, 2050)]
    assert len(Registry(many[1:])) == 2048
    with pytest.raises(droste.UsageError, match="the registry has 2049 keys"):
        Registry(many)
    with pytest.raises(droste.UsageError, match="key 1 of the registry has only zeros"):
        Registry([keys[0], bytes(32)])
    with pytest.raises(droste.DecodeError, match="31 bytes of a public key, expected 32"):
        Registry([keys[0][1:]])
    with pytest.raises(droste.FileError, match="nowhere"):
        Registry.from_file(tmp_path / "nowhere")
    with pytest.raises(droste.UsageError, match="key 2 of the registry is key 0 again"):
        Registry([*keys[:2], keys[0]])
    entries[1]["root"][2] = MODULUS
    with pytest.raises(droste.DecodeError, match="key 1 of the registry: element 2 of root"):
        Registry.from_json(json.dumps(entries))
    entries[0]["public_param"][3] = MODULUS
    with pytest.raises(droste.DecodeError, match=r"key 0 .*: element 3 of public_param"):
        Registry.from_json(json.dumps(entries))
    with pytest.raises(droste.DecodeError, match="unknown field `slot`"):
        Registry.from_json(json.dumps([{**entries[2], "slot": 1}]))
    for batch in (0, 1601):
        with pytest.raises(droste.UsageError, match=f"{batch} signatures, expected 1 to 1600"):
            SignatureFold(registry, preset="toy", batch=batch)


def test_batches_have_one_signature_of_each_key(
    signed: list[SignedMessage], registry: Registry, rules: SignatureFold
) -> None:
    alice, bob, carol = signed
    batches = rules.batches([carol, alice, bob, alice])
    assert [batch.signers for batch in batches] == [[0, 1], [2]]
    assert [batch.signed for batch in batches] == [[alice, bob], [carol]]
    again = pickle.loads(pickle.dumps(batches[0]))
    assert again == batches[0] == SignatureBatch(registry, [bob, alice]) != batches[1]
    calls: list[Callable[[], object]] = [
        lambda: rules.batches([]),
        lambda: SignatureBatch(registry, []),
        lambda: aggregate([], registry, preset="toy", batch=2),
    ]
    for call in calls:
        with pytest.raises(droste.UsageError, match="the batch has 0 signatures"):
            call()
    # Who hands in an invalid signature takes no place.
    invalid = SignedMessage(bob.public_key, bob.slot, bob.message, alice.signature)
    assert rules.batches([invalid, bob, invalid])[0].signed == [bob]
    elsewhere = SignedMessage(bob.public_key, 0, bob.message, bob.signature)
    with pytest.raises(droste.UsageError, match="signature 1 is of another message or slot"):
        rules.batches([alice, elsewhere])
    with pytest.raises(droste.UsageError, match="signature 1: its key is not in the registry"):
        SignatureBatch(Registry([alice.public_key]), [alice, bob])


def test_folds_are_the_commands(
    signed: list[SignedMessage],
    registry: Registry,
    rules: SignatureFold,
    signatures: tuple[droste.Folded, list[int]],
    signature_store: droste.Store,
    command: Command,
    command_json: CommandJson,
    tmp_path: Path,
) -> None:
    """The same batches, in the same order; the same bytes of the fold, signers and store."""
    folded, signers = signatures
    assert signers == [0, 1, 2]
    for name, part in [("first.json", signed[:1]), ("others.json", signed[1:])]:
        (tmp_path / name).write_text(to_json(part))
    files = [tmp_path / "first.json", tmp_path / "others.json"]
    keys, output, store = (tmp_path / name for name in ("keys.json", "all.fold", "store"))
    keys.write_text(registry.to_json())
    family = ["--registry", keys, "--batch", "2", "--preset", "toy"]
    arguments = ["xmss", "aggregate", *files, *family, "--store", store, "-o", output]
    done = command("--format", "json", *arguments)
    said = json.loads(done.stdout.splitlines()[-1])
    assert (said["signatures"], said["batches"], said["count"]) == (3, 2, 3)
    assert output.read_bytes() == folded.to_bytes()
    written = tmp_path / "all.fold.signers.json"
    assert json.loads(written.read_text()) == signers

    def content(folder: Path) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    assert content(store) == content(signature_store.folder)

    # A run with what the command stored has nothing to do.
    calls: list[tuple[int, int]] = []
    again = aggregate(
        signed,
        registry,
        preset="toy",
        batch=2,
        store=store,
        progress=lambda done, of: calls.append((done, of)),
    )
    assert again == signatures and calls == [(0, 2), (1, 2), (2, 2), (0, 0)]

    # Checking says the same.
    said_by = ["xmss", "check", output, *family, "--slot", "1", "--message", "1,1,1,1,1,1,1,1"]
    bits = ["--min-bits", "0"]
    found = check(folded, registry, 1, [1] * 8, preset="toy", batch=2, min_bits=0)
    by_command = command_json(*said_by, *bits)
    measured = {"verify_ms", "peak_rss_bytes"}
    assert found.keys() == by_command.keys() and measured <= found.keys()
    assert all(value == by_command[name] for name, value in found.items() if name not in measured)
    assert (found["count"], found["keys"], found["keys_are"]) == (3, 3, "derived")
    assert found["key"] == rules.key == folded.key == rules.fold.key
    assert found["registry"] == registry.root
    for known in (rules.fold, rules.key):
        folded.verify(known, min_bits=0)
    with_signers = rules.check(folded, 1, [1] * 8, signers=signers, min_bits=0)
    assert with_signers["signers"] == signers

    def refused(slot: int, message: list[int], **more: Any) -> str:
        with pytest.raises(droste.VerifyError) as error:
            rules.check(folded, slot, message, **{"min_bits": 0, **more})
        return str(error.value)

    def refused_by_command(*more: str) -> str:
        return words(command("xmss", "check", output, *family, *bits, *more))

    ones = ["--message", "1,1,1,1,1,1,1,1"]
    honest = ["--slot", "1", *ones]
    assert refused(0, [1] * 8) == "the fold is about slot 1, expected 0"
    assert refused(0, [1] * 8) == refused_by_command("--slot", "0", *ones)
    assert refused(1, [2] * 8).startswith("the fold is about the message ")
    twos = ["--message", "2,2,2,2,2,2,2,2"]
    assert refused(1, [2] * 8) == refused_by_command("--slot", "1", *twos)
    assert "others have signed: 3 keys, given were 2" in refused(1, [1] * 8, signers=[0, 1])
    assert refused(1, [1] * 8, min_signers=4) == "3 keys have signed, expected at least 4"
    assert refused(1, [1] * 8, min_signers=4) == refused_by_command(*honest, "--min-signers", "4")
    assert refused(1, [1] * 8, max_proofs=4) == refused_by_command(*honest, "--max-proofs", "4")
    rules.check(folded, 1, [1] * 8, max_proofs=5, max_depth=0, min_bits=0)
    assert refused(1, [1] * 8, min_bits=100) == words(command(*said_by))
    with pytest.raises(droste.UsageError, match="the least number of signers is 0"):
        rules.check(folded, 1, [1] * 8, min_signers=0)
    for places, reason in [
        ([3], "there is no key 3: the registry has 3"),
        ([0, 0], "do not ascend at 0"),
        ([1, 0], "do not ascend at 0"),
    ]:
        with pytest.raises(droste.UsageError, match=reason):
            rules.check(folded, 1, [1] * 8, signers=places)
    other = Registry([one.public_key for one in reversed(signed)])
    with pytest.raises(droste.VerifyError, match="the fold is about the registry "):
        check(folded, other, 1, [1] * 8, preset="toy", batch=2, min_bits=0)
    # Other batches have another fold key.
    with pytest.raises(droste.VerifyError, match=r"the fold key is .*, expected "):
        check(folded, registry, 1, [1] * 8, preset="toy", batch=400, min_bits=0)


def test_batches_and_proofs_belong_together(
    signed: list[SignedMessage],
    registry: Registry,
    rules: SignatureFold,
    signatures: tuple[droste.Folded, list[int]],
    signature_store: droste.Store,
    tmp_path: Path,
) -> None:
    batches = rules.batches(signed)
    proofs = [proof for one in batches if (proof := rules.kept(one, signature_store)) is not None]
    assert (len(batches), len(proofs)) == (2, 2)
    assert rules.plan(batches, proofs).state == signatures[0].state
    store = droste.Store(tmp_path / "store")
    for some, of_them in ((batches, proofs[:1]), (batches[:1], proofs), (batches, proofs[:0])):
        reason = f"{len(some)} batches and {len(of_them)} proofs were given"
        with pytest.raises(droste.UsageError, match=reason):
            rules.plan(some, of_them)
        with pytest.raises(droste.UsageError, match=reason):
            rules.all(some, of_them, store=store)
    with pytest.raises(droste.VerifyError, match="proof 0 is one of another batch"):
        rules.plan(batches, proofs[::-1])
    # As many keys, in another order.
    other = SignatureFold(Registry(registry.keys[::-1]), preset="toy", batch=2)
    assert other.key == rules.key
    calls: list[Callable[[], object]] = [
        lambda: other.plan(batches, proofs),
        lambda: other.prove(batches[0]),
    ]
    for call in calls:
        with pytest.raises(droste.UsageError, match="the batch is about the registry "):
            call()
    with pytest.raises(droste.VerifyError, match="the fold is about the registry "):
        other.unite(signatures, signatures)


def test_what_a_file_says_is_not_believed(
    registry: Registry, rules: SignatureFold, signatures: tuple[droste.Folded, list[int]]
) -> None:
    folded, signers = signatures
    data = folded.to_bytes()

    def element(value: int) -> bytes:
        # Files have the Montgomery form.
        return (value * 2**32 % MODULUS).to_bytes(4, "little")

    # The number of signers is the first element of the last block.
    state = b"".join(element(lane) for block in folded.state for lane in block)
    place = data.index(state) + len(state) - 32
    edited = droste.Folded.from_bytes(data[:place] + element(4) + data[place + 4 :])
    assert (folded.state[4][0], edited.state[4][0]) == (3, 4)
    calls: list[Callable[[], object]] = [
        lambda: rules.check(edited, 1, [1] * 8, min_bits=0),
        lambda: check(edited, registry, 1, [1] * 8, preset="toy", batch=2, min_bits=0),
        lambda: rules.unite(signatures, (edited, signers)),
    ]
    for call in calls:
        with pytest.raises(droste.VerifyError, match="the proof does not say these counters"):
            call()
    # A fold of other rules.
    other = droste.Folded.from_file(ROOT / "tests" / "golden" / "files" / "folds.step")
    calls = [
        lambda: rules.check(other, 1, [1] * 8, min_bits=0),
        lambda: rules.unite(signatures, (other, signers)),
    ]
    for call in calls:
        with pytest.raises(droste.VerifyError, match=r"the fold key is .*, expected "):
            call()


def test_folds_of_several_aggregators_are_united(
    signed: list[SignedMessage], registry: Registry, rules: SignatureFold, tmp_path: Path
) -> None:
    left = aggregate(signed[:2], registry, preset="toy", batch=2, store=tmp_path / "left")
    right = aggregate(signed[1:], registry, preset="toy", batch=2, store=tmp_path / "right")
    united = rules.unite(left, right)
    assert united[1] == [0, 1, 2]
    checked = rules.check(united[0], 1, [1] * 8, signers=[0, 1, 2], min_bits=0)
    assert checked["count"] == 3
    with pytest.raises(droste.VerifyError, match="others have signed"):
        rules.unite(left, (right[0], [0]))
    with pytest.raises(droste.UsageError, match="do not ascend"):
        rules.unite(left, (right[0], [2, 1]))
    # Whose signers are known adds none, so nothing is proved.
    assert rules.unite(united, left) == rules.unite(right, united) == united
    assert rules.unite(left, left) == left
    with pytest.raises(droste.VerifyError, match="proofs were made for it, expected at most 3"):
        rules.unite(left, united, max_proofs=3)
    with pytest.raises(droste.VerifyError, match="1 levels deep, expected at most 0"):
        rules.unite(left, united, max_depth=0)
    again = pickle.loads(pickle.dumps(rules))
    assert (again.key, again.registry, again.batch) == (rules.key, registry, 2)


def test_invalid_signatures_are_not_proved(
    signed: list[SignedMessage],
    registry: Registry,
    rules: SignatureFold,
    command: Command,
    tmp_path: Path,
) -> None:
    alice, bob, carol = signed
    wrong = SignedMessage(carol.public_key, carol.slot, carol.message, alice.signature)
    file, keys = tmp_path / "signed.json", tmp_path / "keys.json"
    file.write_text(to_json([alice, bob, wrong]))
    keys.write_text(registry.to_json())
    store = droste.Store(tmp_path / "store")
    reason = "batch 1: the signature of key 2 of the registry is not valid"
    with pytest.raises(droste.VerifyError, match=reason) as refused:
        aggregate([alice, bob, wrong], registry, preset="toy", batch=2, store=store.folder)
    arguments = ["xmss", "aggregate", file, "--registry", keys, "--batch", "2", "--preset", "toy"]
    done = command(*arguments, "-o", tmp_path / "all.fold")
    assert words(done) == str(refused.value)
    with pytest.raises(droste.UsageError, match="3 signatures, expected 1 to 2"):
        rules.prove(SignatureBatch(registry, signed))
    # What is in the store is not trusted.
    [first, other] = rules.batches(signed)
    assert rules.kept(first, store) is not None and rules.kept(other, store) is None
    store.put(rules.name(other), store.get(rules.name(first)) or b"")
    assert rules.kept(other, store) is None
    assert 1 << 20 < rules.memory < 1 << 32
