use droste_gadgets::prelude::*;

/// Builder pattern for a packet with validation and a checksum.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Packet {
    version: u8,
    flags: u8,
    ttl: u8,
    payload: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BuildError {
    MissingVersion,
    PayloadTooLong(usize),
    ZeroTtl,
}

#[derive(Default, Clone)]
struct PacketBuilder {
    version: Option<u8>,
    flags: u8,
    ttl: Option<u8>,
    payload: Vec<u8>,
}

impl PacketBuilder {
    const MAX_PAYLOAD: usize = 16;

    fn version(mut self, v: u8) -> Self {
        self.version = Some(v);
        self
    }

    fn flag(mut self, bit: u8, on: bool) -> Self {
        if on {
            self.flags |= 1 << bit
        } else {
            self.flags &= !(1 << bit)
        }
        self
    }

    fn ttl(self, ttl: u8) -> Self {
        Self {
            ttl: Some(ttl),
            ..self
        }
    }

    fn payload(mut self, bytes: &[u8]) -> Self {
        self.payload.extend_from_slice(bytes);
        self
    }

    fn build(self) -> Result<Packet, BuildError> {
        let version = self.version.ok_or(BuildError::MissingVersion)?;
        let ttl = match self.ttl.unwrap_or(64) {
            0 => return Err(BuildError::ZeroTtl),
            t => t,
        };
        if self.payload.len() > Self::MAX_PAYLOAD {
            return Err(BuildError::PayloadTooLong(self.payload.len()));
        }
        Ok(Packet {
            version,
            flags: self.flags,
            ttl,
            payload: self.payload,
        })
    }
}

impl From<&Packet> for Vec<u8> {
    fn from(p: &Packet) -> Vec<u8> {
        let mut out = vec![p.version << 4 | p.flags & 0xf, p.ttl, p.payload.len() as u8];
        out.extend(&p.payload);
        out
    }
}

pub fn main() {
    let x = public_input();
    let base = PacketBuilder::default()
        .version(4)
        .flag(0, true)
        .flag(3, true);
    let p = base
        .clone()
        .flag(0, false)
        .payload(b"ping")
        .build()
        .unwrap();
    assert_eq!(
        PacketBuilder::default().build(),
        Err(BuildError::MissingVersion)
    );
    assert_eq!(
        base.clone().ttl(0).build().unwrap_err(),
        BuildError::ZeroTtl
    );
    assert_eq!(
        base.payload(&[7; 20]).build(),
        Err(BuildError::PayloadTooLong(20))
    );
    let bytes: Vec<u8> = (&p).into();
    let sum = bytes
        .iter()
        .fold(0u16, |acc, &b| acc.rotate_left(3).wrapping_add(b.into()));
    reveal(felt(sum.into()) + x);
}
