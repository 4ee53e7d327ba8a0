//! Messages on buses: one struct per bus, with a name for each element.
//!
//! A table that sends a message and a table that receives it build the same struct, so they cannot
//! disagree on the order of its elements.

/// The declaration of a bus: its name and the elements of its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Name of the bus.
    pub bus: &'static str,
    /// Name of the struct.
    pub message: &'static str,
    /// Name of each field, and its number of elements.
    pub fields: &'static [(&'static str, usize)],
}

impl Declaration {
    /// Number of elements of a message.
    pub const fn length(&self) -> usize {
        let (mut length, mut fields) = (0, self.fields);
        while let [(_, elements), rest @ ..] = fields {
            length += *elements;
            fields = rest;
        }
        length
    }
}

/// Declares the messages of a bus as a struct generic in its elements `T`; each field is `T` or an
/// array of `T`.
///
/// ```
/// droste_air::message! {
///     /// A word of memory.
///     pub struct Cell<T> on "cell" {
///         /// The address of the word.
///         address: T,
///         /// The limbs of the word.
///         limbs: [T; 2],
///     }
/// }
///
/// assert_eq!(Cell::<u8>::DECLARATION.bus, "cell");
/// assert_eq!(Cell::<u8>::DECLARATION.fields, [("address", 1), ("limbs", 2)]);
/// assert_eq!(Cell::<u8>::DECLARATION.length(), 3);
/// assert!(Cell { address: 7, limbs: [2, 3] }.into_fields().eq([7, 2, 3]));
/// ```
#[macro_export]
macro_rules! message {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident<T> on $bus:literal {
            $( $(#[$field_meta:meta])* $field:ident: $type:tt ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        $visibility struct $name<T> {
            $( $(#[$field_meta])* pub $field: $type, )*
        }

        impl<T> $name<T> {
            /// The bus and the elements of its messages.
            pub const DECLARATION: $crate::message::Declaration = $crate::message::Declaration {
                bus: $bus,
                message: stringify!($name),
                fields: &[$( (stringify!($field), $crate::message!(@count $type)) ),*],
            };

            /// The elements in the order in which they are sent.
            pub fn into_fields(self) -> impl Iterator<Item = T> {
                ::std::iter::empty()
                    $( .chain($crate::message!(@elements $type, self.$field)) )*
            }
        }
    };
    (@count [T; $count:expr]) => { $count };
    (@count T) => { 1 };
    (@elements [T; $count:expr], $field:expr) => { $field };
    (@elements T, $field:expr) => { ::std::iter::once($field) };
}
