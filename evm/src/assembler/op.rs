//! The instructions that contracts use.

macro_rules! instructions {
    ($($name:ident = $byte:literal, $inputs:literal -> $outputs:literal;)*) => {
        /// An instruction without immediate bytes. Pushes, duplications and exchanges are made by
        /// the assembler.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "they are named as the Yellow Paper names them")]
        pub enum Op {
            $($name,)*
        }

        impl Op {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The byte that encodes it.
            pub const fn byte(self) -> u8 {
                match self {
                    $(Self::$name => $byte,)*
                }
            }

            /// How many words it takes from the stack, and how many it leaves.
            pub const fn arity(self) -> (usize, usize) {
                match self {
                    $(Self::$name => ($inputs, $outputs),)*
                }
            }

            /// Whether it has two arguments that may change places.
            pub const fn is_symmetric(self) -> bool {
                matches!(self, Self::Add | Self::Mul | Self::Eq | Self::And | Self::Or | Self::Xor)
            }

            /// Its name.
            pub fn mnemonic(self) -> String {
                let name = match self {
                    $(Self::$name => stringify!($name),)*
                };
                name.to_lowercase()
            }
        }
    };
}

instructions! {
    Stop = 0x00, 0 -> 0;
    Add = 0x01, 2 -> 1;
    Mul = 0x02, 2 -> 1;
    Sub = 0x03, 2 -> 1;
    Mod = 0x06, 2 -> 1;
    AddMod = 0x08, 3 -> 1;
    MulMod = 0x09, 3 -> 1;
    Lt = 0x10, 2 -> 1;
    Gt = 0x11, 2 -> 1;
    Eq = 0x14, 2 -> 1;
    IsZero = 0x15, 1 -> 1;
    And = 0x16, 2 -> 1;
    Or = 0x17, 2 -> 1;
    Xor = 0x18, 2 -> 1;
    Not = 0x19, 1 -> 1;
    Shl = 0x1b, 2 -> 1;
    Shr = 0x1c, 2 -> 1;
    Keccak256 = 0x20, 2 -> 1;
    CallValue = 0x34, 0 -> 1;
    CallDataLoad = 0x35, 1 -> 1;
    CallDataSize = 0x36, 0 -> 1;
    CallDataCopy = 0x37, 3 -> 0;
    CodeCopy = 0x39, 3 -> 0;
    ReturnDataSize = 0x3d, 0 -> 1;
    ReturnDataCopy = 0x3e, 3 -> 0;
    Pop = 0x50, 1 -> 0;
    MLoad = 0x51, 1 -> 1;
    MStore = 0x52, 2 -> 0;
    SLoad = 0x54, 1 -> 1;
    SStore = 0x55, 2 -> 0;
    Jump = 0x56, 1 -> 0;
    JumpI = 0x57, 2 -> 0;
    Gas = 0x5a, 0 -> 1;
    MCopy = 0x5e, 3 -> 0;
    Return = 0xf3, 2 -> 0;
    StaticCall = 0xfa, 6 -> 1;
    Revert = 0xfd, 2 -> 0;
}
